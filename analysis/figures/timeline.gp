# timeline.gp - a lane a rank; in it a strip an implementation, a bar a row.
height = 260 + 34 * |lane|
eval svg(height)
unset label 1000
unset grid
set grid x
set border 1
set xlabel 'time since the first sample of the file (s)'
set yrange [|lane| + 0.6 : 0.4]
set ytics scale 0 nomirror (lane[1] 1)
do for [i = 2:|lane|] { set ytics add (lane[i] i) }
strip(i) = column('lane') + (i - 2) * 0.25
plot for [i = 1:3] data using (column('begin_s')):(strip(i)):(column('begin_s')):(column('begin_s') + column('sampling_s')):(strip(i) - 0.12):(pick('impl', impls[i], strip(i) + 0.12)) \
         with boxxyerror fc rgb impl_colours[i] title impls[i]
