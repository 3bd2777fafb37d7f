#!/usr/bin/env bash
#
# ridgepoint-analyze as a user meets it: own GPU types, any working directory, near-miss words,
# a file whose run has not published yet.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

run_tiny tiny.h5
file=$SCRATCH/tiny.h5

# Near misses are named; what does not exist yet is refused as unknown.
expect 2 "$ANALYZE" summry tiny.h5
expect_text "$ERR" "did you mean 'summary'" 'near miss'
expect 2 "$ANALYZE" summary --gpu a100 tiny.h5
expect_text "$ERR" 'fits several' 'a prefix of several'
expect 2 "$ANALYZE" summary --gpu l40x tiny.h5
expect_text "$ERR" "did you mean 'l40s'" 'near-miss GPU type'

# data/ is beside the program, wherever it is called from; a data/ lying here is not looked at.
mkdir -p elsewhere/data
printf 'not a table\n' >elsewhere/data/gpus.tsv
cd elsewhere
expect 0 "$ANALYZE" summary --gpu h200 "$file"
expect_text "$OUT" 'h200-sxm-141gb: 4800 GB/s' 'installed data'
expect 2 "$ANALYZE" summary --data data "$file"
expect_text "$ERR" 'data/gpus.tsv:1' 'a broken table is named by line'
expect 2 "$ANALYZE" summary --data no-such-folder "$file"
cd ..

# An own GPU type, beside the installed ones.
mkdir own
grep '^gpu_type' "$RP_SOURCE/data/gpus.tsv" >own/gpus.tsv
grep '^t4' "$RP_SOURCE/data/gpus.tsv" | sed 's/^t4/mine-16gb/' >>own/gpus.tsv
expect 0 "$ANALYZE" summary --data own --gpu mine,t4 tiny.h5
expect_text "$OUT" 'mine-16gb: 320 GB/s' 'own GPU type'
expect_text "$OUT" 't4: 320 GB/s' 'installed GPU type'

# The answer and its reasons are there, and the same twice.
expect 0 "$ANALYZE" summary tiny.h5
expect_text "$OUT" 'decode is memory-bound at every length' 'the answer'
expect_text "$OUT" 'class_measured is missing' 'what cannot be said'
cp "$OUT" once
expect 0 "$ANALYZE" summary tiny.h5
cmp -s once "$OUT" || fail 'two runs of summary differ'

# One file named twice is one answer with both; partial files verify with 0.
expect 0 "$ANALYZE" verify tiny.h5 tiny.h5
expect_text "$OUT" "complete: $TINY_ROWS of $TINY_ROWS planned rows" 'complete'

# Before the first rows are published there is only the lock.
: >soon.h5.lock
expect 3 "$ANALYZE" summary soon.h5
expect_text "$ERR" 'not published yet' 'a run that has just begun'

# The checks of a file without their shapes: nothing fails, what is missing is said.
expect 0 "$ANALYZE" check tiny.h5
expect_text "$OUT" '4 passed, 0 failed, 2 skipped' 'check'
