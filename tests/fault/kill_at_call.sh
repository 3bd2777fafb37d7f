#!/usr/bin/env bash
#
# R2, R3: the run is killed at, or fails in, the n-th call with which the store touches the disk: in
# creating the journal, in a record, in publishing, in resuming. The published file is the old one
# or the new one and verifies; nothing that was synced is lost; after a failed call: exit code 3
# with the file named, or the call did not matter.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v cc >/dev/null || skip 'no C compiler for the preload library'
cc -shared -fPIC -O1 -D_GNU_SOURCE "$RP_SOURCE/tests/fault/kill_at.c" -o kill_at.so -ldl
if nm -D "$RIDGEPOINT" 2>/dev/null | grep __asan_init >/dev/null; then
    skip 'a preload library does not go with AddressSanitizer'
fi

cat >small.yaml <<'YAML'
name: small
measure: {min_samples: 6, max_samples: 6}
sweep:
  - {stage: decode, heads: 8, head_dim: 64, seq_k: {from: 64, to: 512, times: 2}, dtype: fp16}
YAML
run=("$RIDGEPOINT" run small.yaml --device simulated:t4 --progress none)
expect 0 "${run[@]}" -o whole.h5
table_of whole.h5 >whole.txt
expect 0 env LD_PRELOAD="$SCRATCH/kill_at.so" RP_CALLS="$SCRATCH/calls" "${run[@]}" -o count.h5
calls=$(cat calls)
[ "$calls" -ge 20 ] || fail "only $calls calls were counted: the library does not see the store"
printf '%s calls\n' "$calls"

check_after() { # WHAT
    if [ -e "$file" ]; then
        expect 0 "$ANALYZE" verify "$file"
    fi
    expect 0 "${run[@]}" -o "$file"
    table_of "$file" | cmp - whole.txt || fail "$1: the table differs"
    expect 0 "$ANALYZE" verify "$file"
    expect_no_file "$file.journal" "$file.lock" "$file.tmp"
}

file=k.h5
step=$((calls / ${RP_CALL_KILLS:-24} + 1))
for ((n = 1; n <= calls; n += step)); do
    rm -f k.h5 k.h5.*
    code=0
    # In a shell of its own, which keeps the news of the kill to itself.
    bash -c '"$@"; exit $?' - env LD_PRELOAD="$SCRATCH/kill_at.so" RP_KILL_AT="$n" "${run[@]}" \
        -o k.h5 >"$OUT" 2>"$ERR" || code=$?
    [ "$code" -eq 137 ] || fail "call $n: exit code $code, not killed"
    # The first resume is killed as well, now and then.
    if [ $((n % 3)) -eq 0 ]; then
        bash -c '"$@"; exit $?' - env LD_PRELOAD="$SCRATCH/kill_at.so" \
            RP_KILL_AT=$((n / 2 + 1)) "${run[@]}" -o k.h5 >"$OUT" 2>"$ERR" || true
    fi
    check_after "killed at call $n"
done

# A disk that is full, broken or over quota, once or for good.
file=f.h5
n=1
for errno in 28 5 122; do
    for good in 0 1; do
        for ((n = 1 + RANDOM % step; n <= calls; n += 3 * step)); do
            rm -f f.h5 f.h5.*
            cp whole.h5 old.h5
            code=0
            env LD_PRELOAD="$SCRATCH/kill_at.so" RP_FAIL_AT="$n" RP_FAIL_ERRNO="$errno" \
                RP_FAIL_FOR_GOOD="$good" "${run[@]}" -o f.h5 >"$OUT" 2>"$ERR" || code=$?
            case $code in
                0) ;;
                3) [ -s "$ERR" ] || fail "call $n, errno $errno: exit code 3 without a word" ;;
                *) fail "call $n, errno $errno: exit code $code: $(cat "$ERR")" ;;
            esac
            check_after "call $n failed with errno $errno"
        done
    done
done
