# queries.gp - what sharing key/value heads does to intensity (left) and bytes (right).
height = 440
eval svg(height)
set logscale x 2
set logscale y 2
set logscale y2 2
set border 11
set y2tics
set xlabel 'query heads per key/value head, H/G'
set ylabel 'arithmetic intensity (FLOP/B)' tc rgb colour(1)
set y2label 'bytes_min (MB)' tc rgb colour(2)
set format '%g'
set format y2 '%.3g'
set xtics
stats data using (column('heads_per_kv_head')) name 'shared' nooutput
set xrange [shared_min / 1.2 : shared_max * 1.2]
plot data using (column('heads_per_kv_head')):(column('intensity_flop_per_byte')) with linespoints lw 2 lc rgb colour(1) pt mark(1) title 'arithmetic intensity (left)', \
     data using (column('heads_per_kv_head')):(column('bytes_min') * 1e-6) axes x1y2 with linespoints lw 2 dt 2 lc rgb colour(2) pt mark(2) title 'bytes that have to be moved (right)'
