#!/usr/bin/env bash
#
# R9, R10: launches that fail, crash, hang or lose the device, and memory that runs out as predicted
# or earlier: each is a row with its status, and the job goes on.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

cat >small.yaml <<'YAML'
name: small
measure: {min_samples: 6, max_samples: 6, timeout_s: 1}
sweep:
  - {stage: decode, heads: 8, head_dim: 64, seq_k: {from: 64, to: 4k, times: 2}, dtype: fp16}
YAML
ROWS=21

simulate() { # CODE KEYS FILE [OPTION...]
    local code=$1 keys=$2 file=$3
    shift 3
    expect "$code" "$RIDGEPOINT" run small.yaml -o "$file" --device "simulated:t4$keys" \
        --progress none "$@"
}
reasons() { export_columns "$1" status reason | grep "^$2" | cut -f 2; }

simulate 0 '' whole.h5
table_of whole.h5 >whole.txt

# A launch that fails: an error row with the message, and the others are there.
simulate 1 ':fail=40' fail.h5
expect_equal "$(count_words fail.h5 status)" "error:1 ok:$((ROWS - 1))" 'one launch failed'
reasons fail.h5 error >reason
expect_text reason 'launch 40' 'the reason is the message'
# The same command changes nothing; --retry measures those rows again and replaces them.
sum=$(sha256sum <fail.h5)
simulate 1 '' fail.h5
expect_equal "$(sha256sum <fail.h5)" "$sum" 'nothing left to do'
simulate 0 '' fail.h5 --retry error,timeout
table_of fail.h5 | cmp - whole.txt || fail '--retry: the table differs'
expect 0 "$ANALYZE" verify fail.h5

# Every worker crashes at its 500th launch: each time one row, and a fresh worker goes on.
simulate 1 ':crash=500' crash.h5
crashes=$(count_words crash.h5 status | tr ' ' '\n' | sed -n 's/error://p')
[ "${crashes:-0}" -ge 1 ] || fail 'nothing crashed'
expect_equal "$(export_columns crash.h5 point impl | sort -u | wc -l)" "$ROWS" 'every row is there'
reasons crash.h5 error >reason
expect_text reason 'signal 11' 'the signal is named'

# A launch that never returns: a timeout row within the limit and 5 s.
started=$SECONDS
simulate 1 ':hang=200' hang.h5
hangs=$(count_words hang.h5 status | tr ' ' '\n' | sed -n 's/timeout://p')
[ "${hangs:-0}" -ge 1 ] || fail 'nothing hung'
took=$((SECONDS - started))
[ "$took" -le $((6 * hangs + 5)) ] || fail "$hangs hangs took $took s"
expect_equal "$(export_columns hang.h5 point impl | sort -u | wc -l)" "$ROWS" 'every row is there'

# A lost device: a fresh worker, and twice in a row the device retires; what is there is kept.
simulate 3 ':lost=1' lost.h5
expect_text "$ERR" 'retires' 'the device retires'
expect_text "$ERR" 'the same command tries them again' 'what to do'
simulate 0 '' lost.h5 --retry error
table_of lost.h5 | cmp - whole.txt || fail 'after a lost device: the table differs'

# Out of memory predicted: bytes needed and available, nothing tried, the sweep goes on, exit 0.
simulate 0 ':memory=200k' small-memory.h5
reasons small-memory.h5 oom >reason
expect_text reason 'predicted, not tried' 'predicted'
grep -qE '[0-9]+ bytes needed, 204800 available' reason || fail "reason: $(head -n 1 reason)"

# Out of memory where none was predicted: an oom row, the next point runs, what needs more is
# skipped and says why.
simulate 0 ':early=200k' early.h5
count_words early.h5 status | tr ' ' '\n' >words
grep -q '^oom:' words || fail "no oom row: $(cat words)"
grep -q '^ok:' words || fail "no row went on: $(cat words)"
! reasons early.h5 oom | grep predicted >/dev/null || fail 'it was not predicted'
if grep -q '^skipped:' words; then
    reasons early.h5 skipped >reason
    expect_text reason 'ran out of memory with' 'implied by which point'
fi
expect 0 "$ANALYZE" verify early.h5
