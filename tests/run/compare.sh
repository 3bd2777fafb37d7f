#!/usr/bin/env bash
#
# ridgepoint-analyze compare on files of runs: a file is the same as itself, unlike devices are
# refused, and what is no result file is named.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml
for type in t4 h100-sxm; do
    expect 0 "$RIDGEPOINT" run tiny.yaml -o "$type.h5" --device "simulated:$type" --progress none
done

expect 2 "$ANALYZE" compare t4.h5 t4.h5
expect_text "$ERR" '--simulated' 'simulated rows count only when asked'
expect 0 "$ANALYZE" compare --simulated t4.h5 t4.h5
expect_text "$OUT" "$TINY_ROWS SAME." 'a file and itself'

expect 2 "$ANALYZE" compare --simulated t4.h5 h100-sxm.h5
expect_text "$ERR" 'OLD was measured on t4, NEW on h100-sxm-80gb' 'unlike devices'
expect 0 "$ANALYZE" compare --simulated --unlike --format csv t4.h5 h100-sxm.h5
csv_columns change <"$OUT" | sort -u >changes
grep -qx FASTER changes || fail 'an H100 is not faster than a T4'
expect 1 "$ANALYZE" compare --simulated --unlike h100-sxm.h5 t4.h5
expect_text "$OUT" 'SLOWER' 'a T4 is slower'

# A study of both types: each with its own; across types only one with one.
expect 0 "$ANALYZE" merge -o both.h5 t4.h5 h100-sxm.h5
expect 0 "$ANALYZE" compare --simulated both.h5 t4.h5
expect_text "$OUT" "Only in OLD: $TINY_ROWS" 'what only one side has'
expect 2 "$ANALYZE" compare --simulated --unlike both.h5 t4.h5
expect_text "$ERR" 'compares one kind with one' 'which of the two?'

printf 'a letter\n' >letter.h5
expect 3 "$ANALYZE" compare t4.h5 letter.h5
expect_text "$ERR" 'letter.h5' 'a foreign file is named'
expect 2 "$ANALYZE" compare t4.h5
