#!/usr/bin/env bash
#
# R1: kill -9 of the rank, the worker, mpirun or the whole group at random moments. No row that was
# reported as done is lost or doubled; after resuming, the table equals an uninterrupted run's.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

KILLS=${RP_KILLS:-50}      # of which every tenth under mpirun
RANDOM=${RP_SEED:-$$}
printf 'seed %s, %s kills\n' "${RP_SEED:-$$}" "$KILLS"

DEVICE='simulated:t4:scale=0.02'
write_sweep_job sweep.yaml
expect 0 "$RIDGEPOINT" run sweep.yaml -o whole.h5 --device simulated:t4 --progress none
table_of whole.h5 >whole.txt
expect_equal "$(wc -l <whole.txt)" "$SWEEP_ROWS" 'rows of the uninterrupted run'

# The run's process, its worker, its launcher, or all of them.
strike() { # LAUNCHER VICTIM
    local launcher=$1 ranks worker
    case $2 in
        0) kill -s KILL "$launcher" 2>/dev/null || true ;; # it may have ended by itself
        1) kill -s KILL -- "-$launcher" 2>/dev/null || true ;;
        2)
            mapfile -t ranks < <(children_of "$launcher")
            if [ "${#ranks[@]}" -gt 0 ]; then
                kill -s KILL "${ranks[RANDOM % ${#ranks[@]}]}" 2>/dev/null || true
            fi
            ;;
        3)
            worker=$(worker_of "$launcher")
            [ -z "$worker" ] || kill -s KILL "$worker" 2>/dev/null || true
            sleep_ms "$(random 0 200)"
            kill -s KILL -- "-$launcher" 2>/dev/null || true
            ;;
    esac
}

set -m # every run is a group of its own
reported=0
kept_none=0
for ((kill = 1; kill <= KILLS; ++kill)); do
    command=("$RIDGEPOINT" run sweep.yaml -o killed.h5 --device "$DEVICE" --progress bar)
    latest=700
    if [ $((kill % 10)) -eq 0 ] && command -v mpirun >/dev/null; then
        command=(mpirun --oversubscribe -n 2 "${command[@]}")
        latest=1500
    fi
    "${command[@]}" >/dev/null 2>progress </dev/null &
    launcher=$!
    sleep_ms "$(random 5 $latest)"
    strike "$launcher" $((RANDOM % 4))
    wait "$launcher" 2>/dev/null || true
    # Ranks whose launcher is gone follow it; the next run finds out by itself whether they have.
    last=$(rows_reported progress)
    last=${last:-0}
    [ "$last" -ge "$reported" ] || [ "$last" -eq 0 ] ||
        fail "kill $kill: the run began with fewer rows ($last) than were done ($reported)"
    [ "$last" -le "$reported" ] || reported=$last
    [ "$last" -gt 0 ] || kept_none=$((kept_none + 1))
    if [ "$reported" -eq "$SWEEP_ROWS" ]; then
        wait_for 20 test ! -e killed.h5.lock || true
        expect 0 "$RIDGEPOINT" run sweep.yaml -o killed.h5 --device "$DEVICE" --progress none \
            --retry error
        table_of killed.h5 | cmp - whole.txt || fail "kill $kill: a finished table differs"
        expect 0 "$ANALYZE" verify killed.h5
        rm -f killed.h5 killed.h5.*
        reported=0
    fi
done
set +m
printf '%s kills, %s of them before the first row was reported\n' "$KILLS" "$kept_none"

# What is left is finished (a worker's death is an error row: tried again): everything reported is
# there, each row once, and the same table.
sleep 1
expect 0 "$RIDGEPOINT" run sweep.yaml -o killed.h5 --device simulated:t4 --progress none \
    --retry error
table_of killed.h5 | cmp - whole.txt || fail 'the table differs from an uninterrupted run'
expect 0 "$ANALYZE" verify killed.h5
expect_no_file killed.h5.journal killed.h5.lock killed.h5.tmp
