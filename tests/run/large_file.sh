#!/usr/bin/env bash
#
# The commands that read block by block do not hold the rows: of 60000, which with their samples
# take 60 MB in memory, they have 50 MB at most in all; so have those that hold something of every
# point, where rows repeat a sweep.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

bench=$RP_BUILD/tests/bench_large_file
[ -x "$bench" ] || skip 'zlib.h is not here, so bench_large_file was not built'
rows=60000
expect 0 "$bench" study many.h5 "$rows"

held() { # COMMAND...
    expect 0 "$bench" measure "$ANALYZE" "$@"
    awk -v mb="$(tail -n 1 "$ERR" | cut -d ' ' -f 2)" 'BEGIN { exit !(mb > 5 && mb <= 50) }' ||
        fail "$*: peak memory: $(cat "$ERR")"
}
held verify many.h5
expect_text "$OUT" "fits together; complete: $rows of $rows planned rows, 420000 samples" 'verify'
held classes many.h5
held check many.h5
held export many.h5
expect_equal "$(wc -l <"$OUT")" $((rows + 1)) 'lines of the export'
# The first row is far from the others of its point, and is paired all the same.
head -n 2 "$OUT" | csv_columns point naive_time_ratio_rounds >first
read -r point rounds <first
expect_equal "$rounds" 7 'rounds shared with a row far away'
held explain --point "$point" many.h5
expect_equal "$(grep -c 'row [0-9]* of /results' "$OUT")" 3 'rows of the point'

held merge -o merged.h5 many.h5
expect_text "$OUT" "merged.h5: complete, $rows of $rows planned rows" 'merge'

expect 0 "$bench" write again.h5 "$rows"
held summary again.h5
held compare again.h5 again.h5
expect_text "$OUT" '192 UNDECIDED' 'repeats of one point stand in one line'
