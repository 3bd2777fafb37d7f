# memory.gp - bytes over T. Lines: predicted; marks: counted; crosses: did not fit.
eval count_impls
height = 460 + 20 * (n_impls + 2 * |device|)
eval svg(height)
set title head . "\n" . shape . warning
GiB = 1024.0 ** 3
set logscale x 2
eval room_for_one
set logscale y 10
set xlabel 'keys T (tokens)'
set ylabel 'memory of one call (GiB)'
set format x '%.0f'
set format y '%g'
array widths[4] = [6, 2.5, 2.5, 2.5]
array open_marks[6] = [6, 4, 8, 10, 12, 1]
plot for [k = 1:|device|] for [i = 1:n_impls] data using (column('seq_k')):(pick('device', device[k], pick('impl', impls[i], column('predicted_memory_bytes') / GiB))) \
         with lines lw widths[i] lc rgb impl_colours[i] title k == 1 ? impls[i] . ', predicted' : '', \
     for [k = 1:|device|] for [i = 1:n_impls] data using (column('seq_k')):(pick('device', device[k], pick('impl', impls[i], column('peak_memory_bytes') / GiB))) \
         with points pt open_marks[k] ps 0.8 + 0.4 * k lc rgb impl_colours[i] notitle, \
     for [i = 1:n_impls] data using (column('seq_k')):(pick('status', 'oom', pick('impl', impls[i], column('predicted_memory_bytes') / GiB))) \
         with points pt 2 ps 1.6 lw 2 lc rgb impl_colours[i] notitle, \
     for [k = 1:|device|] NaN with points pt open_marks[k] ps 0.8 + 0.4 * k lc rgb '#333333' title 'counted on ' . device[k], \
     for [k = 1:|device|] (memory_bytes[k] > 0 ? memory_bytes[k] / GiB : NaN) with lines dt k + 1 lw 1.5 lc rgb '#333333' \
         title sprintf('memory of %s: %.4g GiB', device[k], memory_bytes[k] / GiB)
