#!/usr/bin/env bash
#
# R16: killed and resumed ten times, the job reordered: each row exactly once. Signals (INT, TERM,
# USR1) end with 75 and keep what is done. (Other rank counts: ranks_killed_often.sh.)
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

RANDOM=${RP_SEED:-$$}
printf 'seed %s\n' "${RP_SEED:-$$}"
write_sweep_job sweep.yaml
sed 's/\[32, 8\]/[8, 32]/; s/\[true, false\]/[false, true]/' sweep.yaml >reordered.yaml
expect 0 "$RIDGEPOINT" run sweep.yaml -o whole.h5 --device simulated:t4 --progress none
table_of whole.h5 >whole.txt

set -m
resume() { # OUTPUT SIGNAL
    local job code=0 launcher
    job=$([ $((RANDOM % 2)) -eq 0 ] && echo sweep.yaml || echo reordered.yaml)
    "$RIDGEPOINT" run "$job" -o "$1" --device simulated:t4:scale=0.02 --progress none \
        >/dev/null 2>"$ERR" </dev/null &
    launcher=$!
    sleep_ms "$(random 100 500)"
    kill -s "$2" "$launcher" 2>/dev/null || true
    wait "$launcher" 2>/dev/null || code=$?
    case $2:$code in
        *:0 | KILL:* | *:75) ;;
        *:130 | *:138 | *:143) ;; # it came before the program could listen
        *) fail "SIG$2: exit code $code: $(cat "$ERR")" ;;
    esac
}

signals=(KILL TERM INT KILL USR1 KILL TERM KILL KILL INT)
for ((turn = 1; turn <= ${RP_TURNS:-3}; ++turn)); do
    rm -f r.h5 r.h5.*
    for ((i = 0; i < 10; ++i)); do
        resume r.h5 "${signals[i]}"
        [ ! -e r.h5 ] || expect 0 "$ANALYZE" verify r.h5
    done
    expect 0 "$RIDGEPOINT" run sweep.yaml -o r.h5 --device simulated:t4 --progress none \
        --retry error
    table_of r.h5 | cmp - whole.txt || fail "turn $turn: the table differs"
    expect 0 "$ANALYZE" verify r.h5
done
set +m

# The analysis works on a file in progress, and on a journal alone it says what to do.
"$RIDGEPOINT" run sweep.yaml -o live.h5 --device simulated:t4:scale=0.05 --progress none 2>"$ERR" &
live=$!
wait_for 10 test -s live.h5.journal || fail 'no journal appeared'
kill -s USR1 "$live"
code=0
wait "$live" || code=$?
expect_equal "$code" 75 'SIGUSR1'
expect 0 "$ANALYZE" verify live.h5
expect_text "$OUT" 'partial' 'verify says so'
expect 0 "$RIDGEPOINT" run sweep.yaml -o live.h5 --device simulated:t4 --progress none
expect_equal "$(export_columns live.h5 point impl | sort -u | wc -l)" "$SWEEP_ROWS" 'each row once'

# --only measures one point again, --cover device all of it on each device.
runs=$(export_columns live.h5 run | sort -n | tail -n 1)
point=$(export_columns live.h5 point | head -n 1)
expect 0 "$RIDGEPOINT" run sweep.yaml -o live.h5 --device simulated:t4 --progress none \
    --only "$point"
table_of live.h5 | cmp - whole.txt || fail '--only: the table differs'
export_columns live.h5 point run | grep "^$point" | cut -f 2 | sort -u >of-point
expect_equal "$(cat of-point)" $((runs + 1)) \
    '--only: its rows are of another run'
expect 2 "$RIDGEPOINT" run sweep.yaml -o live.h5 --device simulated:t4 --progress none --only 1234
expect 2 "$RIDGEPOINT" run sweep.yaml -o live.h5 --device simulated:t4 --progress none \
    --only 0000000000000000
if command -v mpirun >/dev/null; then
    expect 0 mpirun --oversubscribe -n 2 "$RIDGEPOINT" run sweep.yaml -o cover.h5 \
        --device simulated:t4 --progress none --cover device
    expect_equal "$(export_columns cover.h5 point impl | wc -l)" $((2 * SWEEP_ROWS)) \
        '--cover device'
    expect 0 mpirun --oversubscribe -n 4 "$RIDGEPOINT" run sweep.yaml -o types.h5 \
        --device simulated:t4+h200 --progress none
    expect_equal "$(count_words types.h5 gpu_type)" "h200-sxm-141gb:$SWEEP_ROWS t4:$SWEEP_ROWS" \
        'each type covers the sweep'
fi
