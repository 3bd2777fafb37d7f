# intensity.gp - FLOP per byte over T, the ridge of each GPU type, and where all of them agree.
height = 420 + 20 * (|series| + |gpu|)
eval svg(height)
low = ridge[1]
high = ridge[1]
do for [i = 1:|ridge|] {
    low = ridge[i] < low ? ridge[i] : low
    high = ridge[i] > high ? ridge[i] : high
}
set logscale x 2
set logscale y 10
set xrange [* : *] noextend
eval room_for_one
set yrange [0.5 : *]
set xlabel 'keys T (tokens)'
set ylabel 'arithmetic intensity (FLOP/B)'
set format x '%.0f'
if (high > 0) {
    set object 1 rectangle from graph 0, first 0.5 to graph 1, first low fc rgb '#56B4E9' fs transparent solid 0.15 noborder behind
    set object 2 rectangle from graph 0, first high to graph 1, graph 1 fc rgb '#E69F00' fs transparent solid 0.15 noborder behind
    set label 1 'memory-bound' at graph 0.98, first low * 0.6 right tc rgb '#333333'
    set label 2 'compute-bound' at graph 0.02, graph 0.96 left tc rgb '#333333'
}
plot for [i = 1:|series|] data using (column('seq_k')):(pick('series', series[i], column('intensity_flop_per_byte'))) \
         with linespoints lw 2 lc rgb colour(i) pt mark(i) title series[i], \
     for [i = 1:|gpu|] ridge[i] with lines lw 1.5 dt i + 1 lc rgb '#333333' title gpu[i]
