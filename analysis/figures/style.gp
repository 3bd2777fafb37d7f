# style.gp - what all figures share. The settings above it are those of one figure.
#
# Colours are Okabe and Ito's, told apart with any colour vision and in grey by mark or dash.
data = name . '.csv'
set datafile separator ','
set datafile columnheaders
set datafile missing NaN
set encoding utf8

array colours[8] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00', '#777777', '#000000']
array marks[8] = [7, 5, 9, 11, 13, 6, 4, 8]
colour(i) = colours[(i - 1) % 8 + 1]
mark(i) = marks[(i - 1) % 8 + 1]
array impls[4] = ['naive', 'reference', 'fused', 'cudnn']
# Also told apart in grey: light, dark, between.
array impl_colours[4] = ['#E69F00', '#0072B2', '#009E73', '#CC79A7']
# eval count_impls: n_impls of them are shown, the last one only where the data have it.
count_impls = "stats data using (stringcolumn('impl') eq impls[4] ? 1 : 0) name 'last' nooutput; n_impls = last_max > 0 ? 4 : 3"
# The value where a column holds the text, else nothing. (Texts of the data have no commas: gnuplot 5.4
# does not find those again.)
pick(name, text, number) = stringcolumn(name) eq text ? number : NaN

warning = simulated > 0 ? "\nSIMULATED: answered by the model, not measured" : ''
head = title . (strlen(subject) ? "\n" . subject : '')
set title head . warning
if (simulated > 0) {
    set label 1000 'SIMULATED' at graph 0.5, graph 0.5 center rotate by 25 font ',44' tc rgb '#E4E4E4' back
}
set border 3 lw 1
set tics nomirror
set grid lw 1 lc rgb '#E4E4E4'
set key below left Left reverse maxcols 1 samplen 2.5 spacing 1.15 title ' '
set pointsize 0.9
set pointintervalbox 0.01 # no white halo around marks: dark pages show it
set style fill solid 1.0 noborder

# eval one_two_five: labels also between the powers of ten of a logarithmic y axis.
one_two_five = "set ytics (1); do for [k = -9:9] { do for [m in '1 2 5'] { set ytics add (m * 10.0 ** k) } }"

# eval room_for_one: with one length only there is no range to draw lines across.
room_for_one = "stats data using (column('seq_k')) name 'seq' nooutput; if (seq_min == seq_max) { set xrange [seq_min / 2.0 : seq_max * 2.0] }"

# For the lines of the title that not every figure has.
more = (strlen(subject) ? 20 : 0) + (simulated > 0 ? 20 : 0)
# A figure says how high it is, then: eval svg(height)
svg(height) = sprintf("set terminal svg size 560,%d noenhanced font 'sans-serif,14' background '#ffffff'; set output '%s.svg'", height + more, name)
# As the svg, twice as large: pngcairo takes 14 for points, of which 3 are 4 pixels.
png(height) = sprintf("set terminal pngcairo size 1120,%d noenhanced font 'sans-serif,14' fontscale 1.5 linewidth 2 pointscale 3 background '#ffffff'; set output '%s.png'", 2 * (height + more), name)
