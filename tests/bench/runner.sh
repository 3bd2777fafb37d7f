#!/usr/bin/env bash
#
# What the runner costs beside the measurement, on simulated devices, which take no time of their
# own.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

short=0
# verdict NAME FIGURE UNIT BAR HOW: PASS when FIGURE is at most BAR.
verdict() {
    local word=PASS
    if ! awk -v figure="$2" -v bar="$4" 'BEGIN { exit !(figure <= bar) }'; then
        word=SHORT
        short=1
    fi
    printf '%s %s %s, bar %s %s, %s (%s)\n' "$1" "$2" "$3" "$4" "$3" "$word" "$5"
}

# CPU time of a process without its children, in clock ticks.
cpu_ticks() { # PID
    local stat
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    stat=${stat##*) }
    # shellcheck disable=SC2086
    set -- $stat
    printf '%s\n' $((${12} + ${13}))
}
hz=$(getconf CLK_TCK)

cat >many.yaml <<'YAML'
name: many
measure: {min_samples: 6, max_samples: 6}
sweep:
  - stage: decode
    heads: 8
    head_dim: 64
    seq_k: {from: 1, to: 4000, plus: 1}
    impl: fused
YAML
"$RIDGEPOINT" run many.yaml -o many.h5 --device simulated:t4 --progress none 2>"$ERR" </dev/null &
rank=$!
spent=0
while ! is_gone "$rank" && seen=$(cpu_ticks "$rank"); do
    spent=$seen
    sleep 0.02
done
wait "$rank" || fail "exit code $?"
verdict runner-point-cost "$(awk -v t="$spent" -v hz="$hz" \
    'BEGIN { printf "%.0f", t / hz / 4000 * 1e6 }')" us 50 \
    'CPU time of the rank process a point at zero work: claim, result, journal; 4000 points'

# While its worker measures (asleep: a launch takes its modelled time) the rank process only waits.
cat >long.yaml <<'YAML'
name: long
measure: {min_samples: 6, max_samples: 6}
sweep:
  - stage: prefill
    batch: 64
    heads: 32
    seq: {from: 1k, to: 4k, times: 2}
    head_dim: 128
    dtype: fp16
    impl: fused
YAML
"$RIDGEPOINT" run long.yaml -o long.h5 --device simulated:t4:scale=100 --progress none 2>"$ERR" &
rank=$!
wait_for 10 test -s long.h5.journal || fail 'the run does not begin'
sleep 1
before=$(cpu_ticks "$rank")
sleep 10
after=$(cpu_ticks "$rank") || fail 'the run ended too early to be watched'
kill -s TERM "$rank"
wait "$rank" || true
verdict runner-idle-share "$(awk -v t=$((after - before)) -v hz="$hz" \
    'BEGIN { printf "%.2f", 100 * t / hz / 10 }')" '% of a core' 0.5 \
    'CPU time of the rank process over 10 s while its worker measures'

# The makespan is asserted by the unit test, in virtual time; here, that it holds in this build.
if "$RP_BUILD/tests/unit_test_schedule" >"$OUT" 2>&1; then
    printf 'runner-makespan at least 0.97, bar 0.97 of offline longest-first, PASS (%s)\n' \
        '192 unequal points on 4, 8, 16 ranks in virtual time; 0.90 with a forecast wrong by 2'
else
    printf 'runner-makespan below 0.97, bar 0.97 of offline longest-first, SHORT (%s)\n' \
        "$(grep -m 1 ERROR "$OUT")"
    short=1
fi
exit "$short"
