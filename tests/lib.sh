# shellcheck shell=bash
#
# lib.sh - what script tests share. Sourced first: strict mode, a scratch folder that is removed at
# the end and is the working directory, expectations that show what they saw, and a job of seconds.
set -euo pipefail

: "${RP_BUILD:?the folder ridgepoint was built in}" "${RP_SOURCE:?the folder of the sources}"
RIDGEPOINT=$RP_BUILD/ridgepoint
# shellcheck disable=SC2034
ANALYZE=$RP_BUILD/ridgepoint-analyze

# Open MPI refuses root, binds so that more ranks than cores fail, and tries to trace its siblings.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# Ceilings take seconds a run; tests that want them unset this.
export RIDGEPOINT_NO_CEILINGS=1
# A test speaks to its own launcher, not to one it happens to be started under.
unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_COMM_@}" 2>/dev/null || true

SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-test.XXXXXX")
trap 'rm -rf "$SCRATCH"' EXIT
cd "$SCRATCH"

fail() {
    printf 'FAIL: %s\n' "$*" >&2
    exit 1
}

# What this machine cannot run is counted as skipped, with the reason.
skip() {
    printf 'SKIP: %s\n' "$*"
    exit 77
}

show_last() {
    printf -- '--- standard output (first 40 lines)\n' >&2
    head -n 40 "$SCRATCH/.out" >&2
    printf -- '--- standard error (last 40 lines)\n' >&2
    tail -n 40 "$SCRATCH/.err" >&2
}

# expect CODE COMMAND...: runs it with standard input as given; what it wrote is in $OUT and $ERR.
OUT=$SCRATCH/.out
ERR=$SCRATCH/.err
expect() {
    local wanted=$1 got=0
    shift
    "$@" >"$OUT" 2>"$ERR" || got=$?
    if [ "$got" != "$wanted" ]; then
        show_last
        fail "exit code $got, not $wanted: $*"
    fi
}

# expect_text FILE TEXT WHY: FILE holds TEXT, taken literally.
expect_text() {
    if ! grep -qF -- "$2" "$1"; then
        printf -- '--- %s\n' "$1" >&2
        head -n 60 "$1" >&2
        fail "$3: lacks \"$2\""
    fi
}

expect_no_file() {
    local path
    for path in "$@"; do
        [ ! -e "$path" ] || fail "$path is there, and must not be"
    done
}

expect_equal() {
    [ "$1" = "$2" ] || fail "$3: \"$1\" is not \"$2\""
}

# write_tiny_job FILE: 10 points, 30 rows; a second or two without MPI.
write_tiny_job() {
    cat >"$1" <<'YAML'
name: tiny
seed: 1
measure:
  cache: warm
  min_samples: 6
  max_samples: 20
  max_time_s: 0.05
  timeout_s: 30
verify:
  rows: 8
sweep:
  - stage: prefill
    heads: 4
    kv_heads: [4, 2]
    seq: [16, 33]
    head_dim: 16
    dtype: [fp32, fp16]
    causal: true
  - stage: decode
    heads: 4
    head_dim: 16
    batch: [1, 2]
    seq_k: 64
    dtype: fp16
YAML
}
# shellcheck disable=SC2034
TINY_ROWS=30

# run_tiny FILE.h5 [OPTION...]: measures tiny.yaml on one thread, without a launcher.
run_tiny() {
    local output=$1
    shift
    [ -e tiny.yaml ] || write_tiny_job tiny.yaml
    expect 0 "$RIDGEPOINT" run tiny.yaml -o "$output" --device cpu --threads 1 --progress none "$@"
}

# csv_columns NAME... <CSV: these columns, tab-separated, one line a row, without the header.
csv_columns() {
    awk -v names="$*" -f "$RP_SOURCE/tests/csv_columns.awk"
}

# export_columns FILE.h5 NAME...: the same of a result file.
export_columns() {
    local file=$1
    shift
    "$ANALYZE" export --format csv "$file" >"$SCRATCH/.csv" || fail "export of $file: exit code $?"
    csv_columns "$@" <"$SCRATCH/.csv"
}

# count_words FILE.h5 NAME: how often each word is in a column: "error:1 ok:3".
count_words() {
    export_columns "$1" "$2" | LC_ALL=C sort | uniq -c | awk '{ print $2 ":" $1 }' | paste -s -d ' '
}

# children_of PID: process ids, one a line. Without a fork for each process there is.
children_of() {
    local path stat
    for path in /proc/[0-9]*/stat; do
        stat=
        read -r stat 2>/dev/null <"$path" || continue
        # The name in parentheses may hold blanks; what follows it is state, then parent.
        stat=${stat##*) }
        stat=${stat#* }
        if [ "${stat%% *}" = "$1" ]; then
            path=${path#/proc/}
            printf '%s\n' "${path%/stat}"
        fi
    done 2>/dev/null
}

# worker_of PID: the process that measures for this ridgepoint, or nothing.
worker_of() {
    local pid
    for pid in $(children_of "$1"); do
        if tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -x 'worker' >/dev/null; then
            printf '%s\n' "$pid"
            return 0
        fi
    done
}

# True when the process has ended, also where nobody has collected its exit code.
is_gone() { ! grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }
is_larger_than() { [ "$(stat -c %s "$2" 2>/dev/null || printf 0)" -gt "$1" ]; } # BYTES FILE
has_worker() { [ -n "$(worker_of "$1")" ]; }

# wait_for SECONDS COMMAND...: until it succeeds, looked at 20 times a second.
wait_for() {
    local turns=$(($1 * 20))
    shift
    while [ "$turns" -gt 0 ]; do
        if "$@"; then
            return 0
        fi
        sleep 0.05
        turns=$((turns - 1))
    done
    return 1
}

# write_sweep_job FILE: 72 points, 216 rows; on a simulated device as fast as rows can be written.
write_sweep_job() {
    cat >"$1" <<'YAML'
name: sweep
seed: 3
measure: {min_samples: 6, max_samples: 12, target_ci: 0.05}
sweep:
  - stage: prefill
    heads: 32
    kv_heads: [32, 8]
    seq: {from: 64, to: 16k, times: 2}
    head_dim: 128
    dtype: [fp16, bf16]
    causal: [true, false]
YAML
}
# shellcheck disable=SC2034
SWEEP_ROWS=216

# table_of FILE.h5: what must be the same whenever and by whomever it was measured, sorted.
table_of() {
    export_columns "$1" point impl gpu_type status dtype flops_impl bytes_impl \
        predicted_memory_bytes peak_memory_bytes protocol | LC_ALL=C sort
}

# rows_reported FILE: of the progress in FILE (--progress bar), the last count of rows done.
rows_reported() {
    tr '\r' '\n' <"$1" | sed -n 's/^\[[#.]*\] \([0-9]*\)\/[0-9]* rows.*/\1/p' | tail -n 1
}

# random LOW HIGH: a whole number, different at every call; RANDOM is seeded and told by the test.
random() {
    printf '%s\n' $(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1 + 1)))
}

# sleep_ms N
sleep_ms() {
    sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
}

# bench_verdict NAME FIGURE at_least|at_most BAR HOW: one line of a benchmark; the figure may carry
# its unit behind a blank. bench_exit ends it with 1 when one was short.
BENCH_SHORT=0
bench_verdict() {
    local word=PASS
    [[ $2 == [-0-9.]* ]] || fail "$1: \"$2\" is no figure"
    if ! awk -v figure="${2%% *}" -v bar="$4" -v side="$3" \
        'BEGIN { exit !(side == "at_least" ? figure >= bar : figure <= bar) }'; then
        word=SHORT
        BENCH_SHORT=1
    fi
    printf '%s %s bar %s %s (%s)\n' "$1" "$2" "$4" "$word" "$5"
}
bench_exit() { exit "$BENCH_SHORT"; }
