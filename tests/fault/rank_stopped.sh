#!/usr/bin/env bash
#
# R9: a stopped MPI process, rank 0 or another, ends the job within 60 s, not with 0, and resumable.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v mpirun >/dev/null || skip 'no mpirun'
write_sweep_job sweep.yaml
expect 0 "$RIDGEPOINT" run sweep.yaml -o whole.h5 --device simulated:t4 --progress none
table_of whole.h5 >whole.txt

# Both cases at once, since each waits for the silence to be long enough.
start() { # FILE
    mpirun --oversubscribe -n 2 "$RIDGEPOINT" run sweep.yaml -o "$1" \
        --device simulated:t4:scale=20 --progress none >/dev/null 2>"$1.err" </dev/null &
}
both_ranks() { [ "$(children_of "$1" | wc -l)" -eq 2 ] && [ -s "$2.journal" ]; }
rank_number() { tr '\0' '\n' <"/proc/$1/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p'; }
stop_rank() { # LAUNCHER NUMBER
    local pid
    for pid in $(children_of "$1"); do
        if [ "$(rank_number "$pid")" = "$2" ]; then
            kill -s STOP "$pid"
            return 0
        fi
    done
    fail "rank $2 of $1 is not there"
}
start zero.h5
zero=$!
start one.h5
one=$!
wait_for 30 both_ranks "$zero" zero.h5 || fail 'two ranks did not begin'
wait_for 30 both_ranks "$one" one.h5 || fail 'two ranks did not begin'
stop_rank "$zero" 0
stop_rank "$one" 1
started=$SECONDS
for launcher in "$zero" "$one"; do
    wait_for 60 is_gone "$launcher" || fail "a job with a stopped rank goes on after 60 s"
    code=0
    wait "$launcher" || code=$?
    [ "$code" -ne 0 ] || fail 'a job with a stopped rank reports success'
done
printf 'ended after %s s\n' $((SECONDS - started))
expect_text zero.h5.err 'rank 0 has not been heard of' 'the cause'
expect_text one.h5.err 'rank 1 has not been heard of' 'the cause'
for file in zero.h5 one.h5; do
    expect 0 "$RIDGEPOINT" run sweep.yaml -o "$file" --device simulated:t4 --progress none \
        --retry error
    table_of "$file" | cmp - whole.txt || fail "$file: the table differs"
done
