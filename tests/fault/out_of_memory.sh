#!/usr/bin/env bash
#
# R10: memory runs out at an allocation, inside the matrix library, as predicted from a group's
# limit, and by the kernel's OOM killer: an `oom` row, the next point runs, and the worker's memory
# is back to where it was. An OOM kill in another group is not taken for one's own.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

if nm -D "$RIDGEPOINT" 2>/dev/null | grep __asan_init >/dev/null; then
    skip 'limits of address space do not go with AddressSanitizer'
fi
MIB=$((1 << 20))

# write_job FILE SEQ: a naive point whose 8 SEQ^2 scores are the memory it takes, and a small one.
# Each samples for a second. The longer one goes first.
write_job() {
    cat >"$1" <<YAML
name: memory
measure: {cache: warm, target_ci: 0.0001, min_samples: 6, max_samples: 100000, max_time_s: 1}
verify: {rows: 4}
sweep:
  - {stage: prefill, heads: 8, seq: $2, head_dim: 16, dtype: fp32, causal: false, impl: naive}
  - {stage: prefill, heads: 8, seq: 64, head_dim: 16, dtype: fp32, impl: reference}
YAML
}
write_job base.yaml 1  # after the small one
write_job kill.yaml 2k # 128 MiB
write_job big.yaml 4k  # 512 MiB

run=("$RIDGEPOINT" run --device cpu --threads 1 --progress none)
RANK=
start() { # JOB FILE.h5 [WRAPPER...]
    local job=$1 file=$2
    shift 2
    "$@" "${run[@]}" "$job" -o "$file" >/dev/null 2>"$ERR" </dev/null &
    RANK=$!
}
# sizes PID: KiB of addresses and of memory; nothing when it has ended.
sizes() { awk '/^Vm(Size|RSS):/ { printf "%s ", $2 }' "/proc/$1/status" 2>/dev/null; }

# finish CODE: waits for the end; $RESIDENT and $ADDRESSES are what the worker held in its last row:
# the larger of the last two readings, since the last one may meet it leaving.
finish() {
    local code=0 worker='' now last=(0 0)
    RESIDENT=0
    ADDRESSES=0
    while ! is_gone "$RANK"; do
        [ -e "/proc/${worker:-none}" ] || worker=$(worker_of "$RANK")
        read -r -a now < <(sizes "${worker:-none}") || true
        if [ "${#now[@]}" -eq 2 ]; then
            ADDRESSES=$((now[0] > last[0] ? now[0] : last[0]))
            RESIDENT=$((now[1] > last[1] ? now[1] : last[1]))
            last=("${now[@]}")
        fi
        sleep 0.1
    done
    wait "$RANK" || code=$?
    RANK=
    expect_equal "$code" "$1" "exit code ($(cat "$ERR"))"
    [ "$RESIDENT" -gt 0 ] || fail 'no worker in the last row'
}
# check FILE.h5 STATUS WORDS: the first row has this status, for that reason; the next is measured,
# and the memory is back to where it was.
check() {
    export_columns "$1" sequence status reason | sort -n | cut -f 2- >rows
    expect_equal "$(cut -f 1 rows | paste -s -d ' ')" "$2 ok" "$1: statuses"
    expect_text rows "$3" "$1: the reason"
    expect 0 "$ANALYZE" verify "$1"
    printf '%s: %s; the worker holds %s KiB, %s before\n' "$1" "$(head -n 1 rows)" \
        "$RESIDENT" "$BASE"
    [ $((RESIDENT - BASE)) -le 8192 ] || fail "$1: memory is not given back"
}
with_addresses() { # KIB COMMAND...
    ulimit -v "$1"
    shift
    exec "$@"
}

start base.yaml base.h5
finish 0
BASE=$RESIDENT
room=$ADDRESSES

start big.yaml allocation.h5 with_addresses $((room + 256 * 1024))
finish 0
check allocation.h5 oom 'the kernel refused'

# One buffer of the library less than it took.
if ldd "$RIDGEPOINT" | grep openblas >/dev/null; then
    start base.yaml library.h5 with_addresses $((room - 64 * 1024))
    finish 0
    check library.h5 oom 'needed by OpenBLAS'
else
    printf 'another matrix library than OpenBLAS: how it runs out of memory is not tested\n'
fi

# What is left needs a memory group: of cgroup v1 below the one this test is in, or of v2.
GROUPS_MADE=()
if [ -d /sys/fs/cgroup/memory ]; then
    parent=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
    [ -d "$parent" ] || parent=/sys/fs/cgroup/memory
    names=(memory.usage_in_bytes memory.limit_in_bytes memory.memsw.limit_in_bytes)
else
    parent=/sys/fs/cgroup
    names=(memory.current memory.max memory.swap.max)
    { printf '+memory\n' >"$parent/cgroup.subtree_control"; } 2>/dev/null || true
fi
make_group() { # NAME: its folder is in $group
    group=$parent/ridgepoint-test-$$-$1
    if mkdir "$group" 2>/dev/null; then
        GROUPS_MADE+=("$group")
    fi
    [ -w "$group/${names[1]}" ] ||
        skip 'no memory cgroup can be made here: a predicted limit and the OOM killer'
}
clean_up() {
    local group
    [ -z "$RANK" ] || kill -s KILL "$RANK" 2>/dev/null || true
    wait
    for group in "${GROUPS_MADE[@]}"; do
        wait_for 5 rmdir "$group" 2>/dev/null || true
    done
    rm -rf "$SCRATCH"
}
trap clean_up EXIT
set_limit() { # BYTES, and no swap instead
    printf '%s\n' "$1" >"$group/${names[1]}"
    if [ "${names[2]}" = memory.swap.max ]; then
        set -- 0
    fi
    [ ! -e "$group/${names[2]}" ] || printf '%s\n' "$1" >"$group/${names[2]}"
}
in_group() { # FOLDER COMMAND...
    printf '%s\n' "$BASHPID" >"$1/cgroup.procs"
    shift
    exec "$@"
}
take_memory() { # MIB: all at once, in this group
    in_group "$group" dd if=/dev/zero of=/dev/null bs="$1M" count=1
}

# The device keeps 256 MiB free: half of the 512 MiB that are needed are left.
make_group predicted
limit=$((BASE * 1024 + 512 * MIB))
set_limit "$limit"
start big.yaml predicted.h5 in_group "$group"
finish 0
check predicted.h5 oom 'predicted, not tried'
words='s/.*: \([0-9]*\) bytes needed, \([0-9]*\) available.*/\1 \2/p'
read -r needed available < <(sed -n "$words" rows)
[ "$needed" -ge $((512 * MIB)) ] || fail "only $needed bytes needed"
[ "$available" -le $((limit - 256 * MIB)) ] || fail "$available bytes available of $limit"

# begin_kill FILE.h5: the worker of kill.yaml, stopped while it holds the scores.
holds_scores() {
    local now
    read -r -a now < <(sizes "$worker") || true
    [ "${now[1]:-0}" -ge $((BASE + 100 * 1024)) ]
}
begin_kill() {
    start kill.yaml "$1" in_group "$group"
    wait_for 30 has_worker "$RANK" || fail 'no worker process appeared'
    worker=$(worker_of "$RANK")
    wait_for 60 holds_scores || fail 'the worker does not get to its scores'
    kill -s STOP "$worker"
}

# A neighbour in the group takes more than is left, and may be killed as well where the worker's
# memory is not free at once. It ends before the rank looks again.
make_group killed
begin_kill killed.h5
kill -s STOP "$RANK"
set_limit $(($(cat "$group/${names[0]}") + 384 * MIB))
(take_memory 512) 2>/dev/null || true
wait_for 10 is_gone "$worker" || fail 'the OOM killer did not take the worker'
kill -s CONT "$RANK"
finish 0
check killed.h5 oom 'out-of-memory killer'

# The same killer in another group, and a SIGKILL that is not its own.
make_group own
begin_kill elsewhere.h5
make_group other
set_limit $((32 * MIB))
code=0
(take_memory 128) 2>/dev/null || code=$?
expect_equal "$code" 137 'dd in a group that is too small'
kill -s KILL "$worker"
finish 1
check elsewhere.h5 error 'signal 9'
