# heatmap.gp - a cell a (context, batch), its rate as colour and as number; a star: measured.
# Framed, dark within light to be seen on any colour: the smallest batch that reaches 90 % of the best rate at that context.
height = 480
eval svg(height)
set title head . "\n" . shape . warning
stats data using (column('flop_per_s')) name 'rate' nooutput
is_large = rate_max >= 1e12
scale = is_large ? 1e-12 : 1e-9
unset label 1000
unset grid
unset key
set tics scale 0
set rmargin at screen 0.80
set logscale xy 2
set logscale cb 10
set xrange [64 / sqrt(2) : 8192 * sqrt(2)] noextend
set yrange [1 / sqrt(2) : 64 * sqrt(2)] noextend
set xlabel 'context T (tokens)'
set ylabel 'batch (sequences)'
set format '%.0f'
set cblabel is_large ? 'rate (TFLOP/s)' : 'rate (GFLOP/s)'
number(x) = x >= 99.5 ? sprintf('%.0f', x) : x >= 9.95 ? sprintf('%.1f', x) : x >= 0.095 ? sprintf('%.2f', x) : sprintf('%.2g', x)
set cbtics ()
do for [i = 0:4] {
    tick = exp(log(rate_min) + i * (log(rate_max) - log(rate_min)) / 4) * scale
    set cbtics add (number(tick) tick)
}
set cbrange [rate_min * scale * 0.999 : rate_max * scale * 1.001]
set palette defined (0 '#440154', 0.25 '#3B528B', 0.5 '#21918C', 0.75 '#5EC962', 1 '#FDE725')
middle = sqrt(rate_min * rate_max)
half = sqrt(2)
cell_text(i) = stringcolumn('basis') eq 'oom' ? 'oom' : number(column('flop_per_s') * scale) . (stringcolumn('basis') eq 'measured' ? '*' : '')
below(x) = x / half
above(x) = x * half
plot data using (column('context')):(column('batch')):(below(column('context'))):(above(column('context'))):(below(column('batch'))):(above(column('batch'))):(column('flop_per_s') * scale) \
         with boxxyerror fc palette fs solid 1.0 border rgb '#FFFFFF', \
     data using (column('context')):(pick('basis', 'oom', column('batch'))):(below(column('context'))):(above(column('context'))):(below(column('batch'))):(above(column('batch'))) \
         with boxxyerror fc rgb '#BBBBBB' fs solid 1.0 border rgb '#FFFFFF', \
     data using (column('context')):(column('sweet_spot') > 0 ? column('batch') : NaN):(below(column('context'))):(above(column('context'))):(below(column('batch'))):(above(column('batch'))) \
         with boxxyerror lc rgb '#FFFFFF' lw 5.5 fs empty, \
     data using (column('context')):(column('sweet_spot') > 0 ? column('batch') : NaN):(below(column('context'))):(above(column('context'))):(below(column('batch'))):(above(column('batch'))) \
         with boxxyerror lc rgb '#111111' lw 2.5 fs empty, \
     data using (column('context')):(column('flop_per_s') < middle ? column('batch') : NaN):(cell_text(0)) with labels tc rgb '#FFFFFF' font ',12', \
     data using (column('context')):(column('flop_per_s') < middle ? NaN : column('batch')):(cell_text(0)) with labels tc rgb '#111111' font ',12'
