#!/usr/bin/env bash
#
# A killed rank takes its worker along, ends the job, and leaves nothing that blocks the next run.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml
sed -i 's/max_time_s: 0.05/max_time_s: 1/; s/max_samples: 20/max_samples: 100000/' tiny.yaml
sed -i 's/^  min_samples: 6/  min_samples: 6\n  target_ci: 0.0001/' tiny.yaml

# Alone.
"$RIDGEPOINT" run tiny.yaml -o alone.h5 --device cpu --threads 1 --progress none \
    >"$OUT" 2>"$ERR" </dev/null &
rank=$!
wait_for 30 has_worker "$rank" || fail 'no worker process appeared'
worker=$(worker_of "$rank")
sleep 1
kill -s KILL "$rank"
wait "$rank" 2>/dev/null || true
wait_for 5 is_gone "$worker" || fail 'the worker outlives its rank'

# Under mpirun: the job ends within 10 s, and not with 0.
if command -v mpirun >/dev/null; then
    mpirun --oversubscribe -n 2 "$RIDGEPOINT" run tiny.yaml -o ranks.h5 --device cpu --threads 1 \
        --progress none >"$OUT" 2>"$ERR" </dev/null &
    launcher=$!
    all_work() {
        local rank found=0
        for rank in $(children_of "$launcher"); do
            has_worker "$rank" && found=$((found + 1))
        done
        [ "$found" -eq 2 ]
    }
    wait_for 30 all_work || fail 'two ranks with a worker each did not appear'
    sleep 1
    mapfile -t ranks < <(children_of "$launcher")
    workers=()
    for rank in "${ranks[@]}"; do
        workers+=("$(worker_of "$rank")")
    done
    kill -s KILL "${ranks[1]}"
    killed=$SECONDS
    code=0
    wait "$launcher" || code=$?
    [ "$code" -ne 0 ] || fail 'mpirun reports success after a rank was killed'
    [ $((SECONDS - killed)) -le 10 ] || fail "the job went on for $((SECONDS - killed)) s"
    for worker in "${workers[@]}"; do
        wait_for 5 is_gone "$worker" || fail 'a worker outlives its rank'
    done
fi

# Nothing is in the way of the next run. (Shorter: --set would make it another job, so aside.)
for file in alone.h5 ranks.h5; do
    run_tiny "$file" --overwrite --set measure.max_time_s=0.02
    expect 0 "$ANALYZE" verify "$file"
done
