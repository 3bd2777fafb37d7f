#!/usr/bin/env bash
#
# A file of 10 million rows (ROWS=N for another number): how fast the six columns a class needs are
# read, by one thread, and that memory does not grow with the rows. Writing it takes minutes, 9 GB
# of memory and 1 GB of disk; reading it does not.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

rows=${ROWS:-10000000}
few=100000
bench=$RP_BUILD/tests/bench_large_file
"$bench" write many.h5 "$rows" || fail 'the file cannot be written'
"$bench" write few.h5 "$few" || fail 'the small file cannot be written'

# measured COMMAND...: CPU seconds and peak MB, the least of three turns.
measured() {
    for _ in 1 2 3; do
        "$bench" measure "$@" 2>&1 >"$OUT" || fail "$*"
    done | sort -n | head -n 1
}
read -r read_s read_mb < <(measured "$bench" read many.h5)
expect_equal "$(cat "$OUT")" "$rows" 'rows read'
read -r classes_s classes_mb < <(measured "$ANALYZE" classes many.h5)
read -r few_s few_mb < <(measured "$ANALYZE" classes few.h5)

per_s() { awk -v n="$rows" -v s="$1" 'BEGIN { printf "%.2f", n / s / 1e6 }'; }
bench_verdict analyze-read "$(per_s "$read_s") M rows/s" at_least 10 \
    "$rows deflated rows, six columns, CPU time of one thread, seal included; $read_mb MB"
growth=$(awk -v a="$classes_mb" -v b="$few_mb" 'BEGIN { printf "%.2f", a / b }')
bench_verdict analyze-memory "$growth" at_most 1.2 \
    "peak of classes on $rows rows, $classes_mb MB, over that on $few, $few_mb MB"
printf 'analyze-classes %s M rows/s (all verdicts of every row; no bar; %s s, of %s rows %s s)\n' \
    "$(per_s "$classes_s")" "$classes_s" "$few" "$few_s"
bench_exit
