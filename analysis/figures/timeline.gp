# timeline.gp - a lane a rank; in it a strip an implementation, a bar a row.
eval count_impls
height = 260 + 34 * |lane|
eval svg(height)
unset label 1000
unset grid
set grid x
set border 1
set xlabel 'time since the first sample of the run (s)'
set yrange [|lane| + 0.6 : 0.4]
# "rank 0: t4" on two lines, or long names leave no room for the bars; margins that gnuplot would make
# as wide as if it were one.
set lmargin at screen 0.29
set rmargin at screen 0.95
set title offset screen -0.12, 0
cut(name) = (k = strstrt(name, ': '), name[1:k - 1] . "\n" . name[k + 2:*])
set ytics scale 0 nomirror font ',11' (cut(lane[1]) 1)
do for [i = 2:|lane|] { set ytics add (cut(lane[i]) i) }
strip(i) = column('lane') + (i - (n_impls + 1) / 2.0) * 0.25
plot for [i = 1:n_impls] data using (column('begin_s')):(strip(i)):(column('begin_s')):(column('begin_s') + column('sampling_s')):(strip(i) - 0.12):(pick('impl', impls[i], strip(i) + 0.12)) \
         with boxxyerror fc rgb impl_colours[i] title impls[i]
