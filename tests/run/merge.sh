#!/usr/bin/env bash
#
# ridgepoint-analyze merge: several files become one study, twice is once, and no row is ever lost.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml
for type in t4 h100-sxm; do
    expect 0 "$RIDGEPOINT" run tiny.yaml -o "$type.h5" --device "simulated:$type" --progress none
done
total=$((2 * TINY_ROWS))

# Rows of both, each with its own device; any order; a study merges with its own parts.
expect 0 "$ANALYZE" merge -o study.h5 t4.h5 h100-sxm.h5
expect_text "$OUT" "study.h5: complete, $total of $total planned rows; 2 files" 'what was merged'
expect 0 "$ANALYZE" verify study.h5
expect_equal "$(count_words study.h5 gpu_type)" "h100-sxm-80gb:$TINY_ROWS t4:$TINY_ROWS" 'devices'
cp study.h5 once.h5
expect 0 "$ANALYZE" merge -o study.h5 h100-sxm.h5 t4.h5 study.h5
cmp -s study.h5 once.h5 || fail 'merging twice changes the file'

# What the output held is not lost, and its new name says when.
expect 0 "$ANALYZE" merge --output study.h5 t4.h5
expect_text "$OUT" 'moved aside' 'rows the files lack'
cmp -s study.2*Z.h5 once.h5 || fail 'the old study is not beside the new one'

# A run does not go on in a merged file.
expect 3 "$RIDGEPOINT" run tiny.yaml -o study.h5 --device simulated:t4 --progress none
expect_text "$ERR" 'put together by merge' 'no run goes on in it'

# What is no result file, and what belongs to a run, stays.
printf 'a letter\n' >letter.h5
expect 3 "$ANALYZE" merge -o letter.h5 t4.h5
expect_text "$ERR" 'letter.h5' 'the output is named'
expect_equal "$(cat letter.h5)" 'a letter' 'a foreign output'
expect 3 "$ANALYZE" merge -o new.h5 t4.h5 letter.h5
expect_text "$ERR" 'letter.h5' 'the foreign file is named'
: >stopped.h5.journal
expect 3 "$ANALYZE" merge -o stopped.h5 t4.h5
expect_text "$ERR" 'stopped.h5.journal' 'the run that was stopped'
expect 3 "$ANALYZE" merge -o no-such-file.h5 no-such-part.h5
expect 2 "$ANALYZE" merge t4.h5
expect_text "$ERR" '--output' 'where to?'
expect_no_file new.h5 stopped.h5 no-such-file.h5 study.h5.lock study.h5.tmp
