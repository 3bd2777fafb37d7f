# roofline.gp - rate over intensity. Colour: implementation; mark: stage; filled: by what the
# implementation executes and moves; open: the same time by the least work and traffic.
eval count_impls
height = 480 + 21 * (2 + n_impls + |roof|)
eval svg(height)
stats data using (column('impl_flop_per_s') > column('ideal_flop_per_s') ? column('impl_flop_per_s') : column('ideal_flop_per_s')) name 'rate' nooutput
is_large = rate_max >= 1e12
scale = is_large ? 1e-12 : 1e-9
set logscale xy 10
set xlabel 'arithmetic intensity (FLOP/B)'
set ylabel is_large ? 'rate (TFLOP/s)' : 'rate (GFLOP/s)'
stats data using (column('impl_flop_per_byte') > column('ideal_flop_per_byte') ? column('impl_flop_per_byte') : column('ideal_flop_per_byte')) name 'work' nooutput
stats data using (column('impl_flop_per_byte') < column('ideal_flop_per_byte') ? column('impl_flop_per_byte') : column('ideal_flop_per_byte')) name 'least' nooutput
set xrange [least_min < 0.6 ? least_min / 2 : 0.3 : work_max > 250 ? work_max * 4 : 1000]
set format '%g'
least(a, b) = a < b ? a : b
stage_mark(stage, filled) = stage eq 'prefill' ? (filled ? 7 : 6) : (filled ? 9 : 8)
array stages[2] = ['prefill', 'decode']
set samples 400
plot for [i = 1:|roof|] (roof_flop_per_s[i] > 0 ? least(roof_flop_per_s[i], x * roof_bytes_per_s[i]) * scale : NaN) \
         with lines lw roof_measured[i] > 0 ? 2 : 1.5 dt roof_measured[i] > 0 ? 1 : 2 lc rgb roof[i][1:4] eq 'simt' ? '#999999' : '#333333' title roof[i], \
     data using (column('ideal_flop_per_byte')):(column('ideal_flop_per_s') * scale):(column('impl_flop_per_byte') - column('ideal_flop_per_byte')):((column('impl_flop_per_s') - column('ideal_flop_per_s')) * scale) \
         with vectors nohead lw 0.5 lc rgb '#AAAAAA' notitle, \
     for [j = 1:2] for [i = 1:n_impls] data using (column('ideal_flop_per_byte')):(stringcolumn('stage') eq stages[j] ? pick('impl', impls[i], column('ideal_flop_per_s') * scale) : NaN) \
         with points pt stage_mark(stages[j], 0) ps 0.6 lc rgb impl_colours[i] notitle, \
     for [j = 1:2] for [i = 1:n_impls] data using (column('impl_flop_per_byte')):(stringcolumn('stage') eq stages[j] ? pick('impl', impls[i], column('impl_flop_per_s') * scale) : NaN) \
         with points pt stage_mark(stages[j], 1) ps 0.6 lc rgb impl_colours[i] notitle, \
     for [i = 1:n_impls] NaN with points pt 5 lc rgb impl_colours[i] title impls[i], \
     NaN with points pt 7 lc rgb '#333333' title 'prefill; filled: as implemented, open: least work', \
     NaN with points pt 9 lc rgb '#333333' title 'decode, likewise'
