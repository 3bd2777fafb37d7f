#!/usr/bin/env bash
#
# R1, R16: a job of 1,296 rows is killed ten times, at random moments, in a rank, its worker or the
# launcher, and resumed under mpirun with another number of ranks each time, its lists in another
# order: nothing that was reported as done is lost, and in the end each row is there once.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v mpirun >/dev/null || skip 'no mpirun'
RANDOM=${RP_SEED:-$$}
KILLS=10
ROWS=1296
printf 'seed %s\n' "${RP_SEED:-$$}"
# Rows of about equal length, so that they come at an even pace.
write_job() { # FILE DTYPE DTYPE
    local dtype keys='seq_k: {from: 4001, to: 4216, plus: 1}'
    printf '%s\n' 'name: often' 'measure: {min_samples: 6, max_samples: 12}' sweep: >"$1"
    for dtype in "$2" "$3"; do
        printf '  - {stage: decode, heads: 32, head_dim: 128, dtype: %s, %s}\n' "$dtype" "$keys"
    done >>"$1"
}
write_job sweep.yaml fp16 bf16
write_job reordered.yaml bf16 fp16
expect 0 "$RIDGEPOINT" run sweep.yaml -o whole.h5 --device simulated:h100-sxm --progress none
table_of whole.h5 >whole.txt
expect_equal "$(wc -l <whole.txt)" "$ROWS" 'rows of the uninterrupted run'

# set_command RANKS JOB SCALE
set_command() {
    command=(mpirun --oversubscribe -n "$1" "$RIDGEPOINT" run "$2" -o killed.h5
        --device "simulated:h100-sxm:scale=$3" --progress bar)
}
# The count of rows in the first and in the last progress that is in the file; without a fork.
read_progress() {
    local text='' first='^[^/]*] ([0-9]+)/' last='.*] ([0-9]+)/'
    read -r -d '' text <progress || true
    [[ $text =~ $first ]] || return 1
    rows_at_first=${BASH_REMATCH[1]}
    [[ $text =~ $last ]]
    rows=${BASH_REMATCH[1]}
}
launch() {
    local jobs=(sweep.yaml reordered.yaml)
    ranks=$(((ranks + RANDOM % 3) % 4 + 1)) # another number than before
    set_command "$ranks" "${jobs[RANDOM % 2]}" 40
    : >progress
    "${command[@]}" >/dev/null 2>>progress </dev/null &
    launcher=$!
    wait_for 60 read_progress || fail "a run does not begin: $(cat progress)"
    [ "$rows_at_first" -ge "$reported" ] ||
        fail "$rows_at_first rows are there, $reported were reported as done"
}
has_come_to() { read_progress && [ "$rows" -ge "$1" ]; }
# Chosen before the moment has come, so that nothing is between it and the kill.
choose_victim() {
    local worker pids names=(rank launcher worker) i
    mapfile -t members < <(children_of "$launcher")
    expect_equal "${#members[@]}" "$ranks" "processes of the run, which says $(tail -n 1 progress)"
    pids=("${members[RANDOM % ranks]}" "$launcher")
    worker=$(worker_of "${pids[0]}")
    [ -z "$worker" ] || pids+=("$worker")
    i=$((RANDOM % ${#pids[@]}))
    victim=${names[i]}
    victim_pid=${pids[i]}
}
# Without a worker the run goes on; without anything else it ends.
see_it_end() {
    local member
    wait "$launcher" 2>/dev/null || true
    launcher=
    for member in "${members[@]}"; do
        wait_for 20 is_gone "$member" || fail 'a rank outlives its job'
    done
}

ranks=1
launcher=
reported=0
for ((kill = 1; kill <= KILLS; ++kill)); do
    [ -n "$launcher" ] || launch
    choose_victim
    # The last kill is well before the end.
    step=$(((ROWS * 3 / 4 - reported) / (KILLS - kill + 1)))
    target=$((reported + (step > 0 ? RANDOM % step : 0)))
    wait_for 60 has_come_to "$target" || fail "kill $kill: $target rows do not come"
    kill -s KILL "$victim_pid"
    read_progress
    reported=$rows
    printf '%s rows by %s ranks: %s killed\n' "$reported" "$ranks" "$victim"
    [ "$victim" = worker ] || see_it_end
    [ ! -e killed.h5 ] || expect 0 "$ANALYZE" verify killed.h5
done
if [ -n "$launcher" ]; then
    kill -s TERM "$launcher"
    see_it_end
fi

# A killed worker's row is an error: tried again.
set_command 3 sweep.yaml 0
expect 0 "${command[@]}" --retry error
table_of killed.h5 | cmp - whole.txt || fail 'the table differs from an uninterrupted run'
expect 0 "$ANALYZE" verify killed.h5
expect_no_file killed.h5.journal killed.h5.lock killed.h5.tmp
