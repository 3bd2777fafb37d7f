# curves.gp - one value over T, a curve a device. Dashed, in the curve's colour: what it is held against.
height = 420 + 20 * |series|
eval svg(height)
if (strlen(shape)) { set title head . "\n" . shape . warning }
set logscale x 2
eval room_for_one
stats data using (column('value')) name 'value' nooutput
if (is_log > 0) { set logscale y 10 } else { set yrange [0 : *] }
if (is_log > 0 && value_max < 2000 * value_min) { eval one_two_five } # over more they would overlap
set xlabel 'keys T (tokens)'
set ylabel units
set format x '%.0f'
set format y '%g'
plot for [i = 1:|series|] data using (column('seq_k')):(pick('series', series[i], column('value'))):(column('low')):(column('high')) \
         with yerrorbars lc rgb colour(i) pt mark(i) ps 0.1 notitle, \
     for [i = 1:|series|] data using (column('seq_k')):(pick('series', series[i], column('value'))) \
         with linespoints lw 2 lc rgb colour(i) pt mark(i) title series[i], \
     for [i = 1:|series|] (level[i] > 0 ? level[i] : NaN) with lines dt 2 lw 1.5 lc rgb colour(i) notitle, \
     (common_level > 0 ? common_level : NaN) with lines dt 3 lw 1.5 lc rgb '#333333' notitle
