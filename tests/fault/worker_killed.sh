#!/usr/bin/env bash
#
# A worker that is killed or stopped in a point costs one row; the others are there.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Each row samples for 2 s, so that a signal meets one in the middle; a launch takes far less.
cat >job.yaml <<'YAML'
name: faults
measure:
  cache: warm
  target_ci: 0.0001
  min_samples: 6
  max_samples: 100000
  max_time_s: 2
  timeout_s: 1
verify: {rows: 4}
sweep:
  - {stage: prefill, heads: 2, seq: 128, head_dim: 32, dtype: fp32, causal: false}
  - {stage: decode, heads: 2, seq_k: 256, head_dim: 32, dtype: fp32, impl: [fused]}
YAML

# User time of a process exceeds the limit: past opening a device, which costs system time (a
# buffer as large as the caches is touched), and in the middle of sampling, which is all user time.
has_worked() { # PID TICKS
    local stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    stat=${stat##*) }
    # shellcheck disable=SC2086
    set -- "$2" $stat
    # state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime
    [ "${13}" -ge "$1" ]
}

# strike SIGNAL FILE.h5: starts the job, sends SIGNAL to its worker, waits for the end.
strike() {
    local signal=$1 output=$2 worker code=0
    "$RIDGEPOINT" run job.yaml -o "$output" --device cpu --threads 1 --progress none \
        >"$OUT" 2>"$ERR" </dev/null &
    local rank=$!
    wait_for 30 has_worker "$rank" || fail 'no worker process appeared'
    worker=$(worker_of "$rank")
    wait_for 30 has_worked "$worker" "$(($(getconf CLK_TCK) * 7 / 10))" ||
        fail 'the worker does not work'
    kill -s "$signal" "$worker"
    wait "$rank" || code=$?
    if [ "$code" != 1 ]; then
        show_last
        fail "exit code $code, not 1, after SIG$signal to the worker"
    fi
    is_gone "$worker" || fail 'the worker outlives its rank'
}

check_rows() { # FILE.h5 STATUS WORDS
    local file=$1 status=$2 words=$3
    expect_equal "$(count_words "$file" status | tr ' ' '\n' | sort)" \
        "$(printf '%s\n' "$status:1" ok:3 | sort)" 'statuses after the fault'
    export_columns "$file" status reason time_median_s | grep "^$status" >row
    expect_text row "$words" 'the reason says what happened'
    [ -z "$(cut -f 3 row)" ] || fail "a row with status $status has a time"
    expect 0 "$ANALYZE" verify "$file"
}

strike KILL killed.h5
check_rows killed.h5 error 'signal 9'
started=$SECONDS
strike STOP stopped.h5
check_rows stopped.h5 timeout '1 s'
[ $((SECONDS - started)) -lt 40 ] || fail "the job took $((SECONDS - started)) s"
strike SEGV crashed.h5
check_rows crashed.h5 error 'signal 11'

# The same command: nothing is done, and the code is the one these rows deserve.
sum=$(sha256sum <killed.h5)
expect 1 "$RIDGEPOINT" run job.yaml -o killed.h5 --device cpu --threads 1 --progress none
expect_equal "$(sha256sum <killed.h5)" "$sum" 'a run with nothing left to do changes no byte'
