#!/usr/bin/env bash
#
# A file of 10 million rows (ROWS=N for another number): how fast the six columns a class needs are
# read, by one thread, and that memory does not grow with the rows; nor does that of the commands
# that hold something of every point, for these rows repeat a sweep, nor that of export and verify,
# which look at all of a row and take longer: on a million rows at most. The bar of 10 M rows/s is
# of a machine that inflates 75 M values/s of a constant column, so it is held as a ratio:
# 6 * 10 / 75.
# Writing the file takes minutes, 9 GB of memory and 0.3 GB of disk; reading it does not.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

rows=${ROWS:-10000000}
few_rows=100000
bench=$RP_BUILD/tests/bench_large_file
[ -x "$bench" ] || skip 'zlib.h is not here, so bench_large_file was not built'
"$bench" write many.h5 "$rows" || fail 'the file cannot be written'
"$bench" write few.h5 "$few_rows" || fail 'the small file cannot be written'

# measured COMMAND...: CPU seconds and peak MB, the least of three turns.
measured() {
    for _ in 1 2 3; do
        "$bench" measure "$@" 2>&1 >"$OUT" || fail "$*"
    done | sort -n | head -n 1
}
read -r inflate_s _ < <(measured "$bench" inflate "$rows")
read -r read_s read_mb < <(measured "$bench" read many.h5)
expect_equal "$(cat "$OUT")" "$rows" 'rows read'
read -r classes_s classes_mb < <(measured "$ANALYZE" classes many.h5)
read -r _ few_mb < <(measured "$ANALYZE" classes few.h5)

# peak ARGUMENT...: of one turn of the analysis, MB.
peak() { "$bench" measure "$ANALYZE" "$@" 2>&1 >"$OUT" | tail -n 1 | cut -d ' ' -f 2; }
# holds COMMAND: on many and on few rows.
holds() {
    local many few
    if [ "$1" = compare ]; then
        many=$(peak compare many.h5 many.h5) few=$(peak compare few.h5 few.h5)
    else
        many=$(peak "$1" many.h5) few=$(peak "$1" few.h5)
    fi
    bench_verdict "analyze-$1-memory" "$(ratio "$many" "$few")" at_most 1.2 \
        "peak of $1 on $rows rows, $many MB, over that on $few_rows, $few MB"
}

study_rows=$((rows < 1000000 ? rows : 1000000))
study_few=$((study_rows / 20))
"$bench" study study.h5 "$study_rows" || fail 'the study cannot be written'
"$bench" study study-few.h5 "$study_few" || fail 'the small study cannot be written'
# grows COMMAND BAR: the verdict on its peak memory.
grows() {
    local many few
    many=$(peak "$1" study.h5) few=$(peak "$1" study-few.h5)
    bench_verdict "analyze-$1-memory" "$(ratio "$many" "$few")" at_most "$2" \
        "peak of $1 on $study_rows rows, $many MB, over that on $study_few, $few MB"
}

per_s() { awk -v n="$rows" -v s="$1" 'BEGIN { printf "%.2f", n / s / 1e6 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
share=$(awk -v i="$inflate_s" -v r="$read_s" 'BEGIN { printf "%.2f", 6 * i / r }')
bench_verdict analyze-read "$share" at_least 0.80 \
    "$(per_s "$read_s") M rows/s, six deflated columns, seal included, over a sixth of the \
$(per_s "$inflate_s") M values/s that zlib inflates alone; CPU time of one thread; $read_mb MB"
bench_verdict analyze-memory "$(ratio "$classes_mb" "$few_mb")" at_most 1.2 \
    "peak of classes on $rows rows, $classes_mb MB, over that on $few_rows, $few_mb MB"
for command in check compare summary; do
    holds "$command"
done
grows verify 2.5 # 32 MB of keys of a million rows; holding these rows would make it 30
grows export 1.4
printf 'analyze-classes %s M rows/s (all verdicts of every row; no bar)\n' "$(per_s "$classes_s")"
bench_exit
