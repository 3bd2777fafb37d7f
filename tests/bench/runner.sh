#!/usr/bin/env bash
#
# What the runner costs beside the measurement, on simulated devices, which take no time of their
# own.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

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
bench_verdict runner-point-cost "$(awk -v t="$spent" -v hz="$hz" \
    'BEGIN { printf "%.0f us", t / hz / 4000 * 1e6 }')" at_most 50 \
    'CPU time of the rank process a point at zero work: claim, result, journal; 4000 points'

# The same on 2 and on 64 oversubscribed ranks: what 3,600 more points cost all processes together,
# simulated measurement included.
cpu_of_ranks() { # RANKS POINTS: user and system CPU seconds of a whole job
    sed "s/to: 4000/to: $2/" many.yaml >some.yaml
    local TIMEFORMAT='%U %S'
    { time mpirun --oversubscribe --bind-to none -n "$1" "$RIDGEPOINT" run some.yaml \
        -o "some-$1-$2.h5" --device simulated:t4 --progress none >"$OUT" 2>&1; } 2>&1 |
        awk '{ print $1 + $2 }'
    expect_equal "$(export_columns "some-$1-$2.h5" point | sort -u | wc -l)" "$2" \
        "rows of $1 ranks, each once" >&2
}
for ranks in 2 64; do
    few=$(cpu_of_ranks "$ranks" 400)
    many=$(cpu_of_ranks "$ranks" 4000)
    bench_verdict "runner-point-cost-$ranks-ranks" "$(awk -v few="$few" -v many="$many" \
        'BEGIN { printf "%.0f us", (many - few) / 3600 * 1e6 }')" at_most 100 \
        'CPU time of all ranks and workers a point, simulated measurement included'
done

# While its worker measures (asleep: a launch takes its modelled time) a rank only waits.
cat >long.yaml <<'YAML'
name: long
measure: {min_samples: 6, max_samples: 6}
sweep:
  - stage: prefill
    batch: 64
    heads: 32
    seq: {from: 1k, to: 4k, plus: 512}
    head_dim: 128
    dtype: fp16
    impl: fused
YAML
# idle_share RANKS: CPU time of the busiest rank over 10 s, in per cent of a core.
idle_share() {
    local file=long-$1.h5 launcher pids pid before=() worst=0
    launcher=()
    [ "$1" = 1 ] || launcher=(mpirun --oversubscribe --bind-to none -n "$1")
    "${launcher[@]}" "$RIDGEPOINT" run long.yaml -o "$file" --device simulated:t4:scale=100 \
        --progress none 2>"$ERR" &
    local job=$!
    wait_for 20 test -s "$file.journal" || fail 'the run does not begin'
    sleep 2
    pids=$job
    [ "$1" = 1 ] || pids=$(children_of "$job")
    for pid in $pids; do
        before[pid]=$(cpu_ticks "$pid")
    done
    sleep 10
    for pid in $pids; do
        local after
        after=$(cpu_ticks "$pid") || fail 'the run ended too early to be watched'
        [ $((after - before[pid])) -le "$worst" ] || worst=$((after - before[pid]))
    done
    kill -s TERM "$job"
    wait "$job" || true
    awk -v t="$worst" -v hz="$hz" 'BEGIN { printf "%.2f", 100 * t / hz / 10 }'
}
for ranks in 1 2 4; do
    share=$(idle_share "$ranks")
    bench_verdict "runner-idle-share-$ranks-ranks" "$share % of a core" at_most 0.5 \
        'CPU time of the busiest MPI side over 10 s while the workers measure'
done

cat >unequal.yaml <<'YAML'
name: unequal
measure: {min_samples: 6, max_samples: 6, max_time_s: 100}
verify: {rows: 1}
sweep:
  - stage: prefill
    batch: [1, 2, 3]
    heads: {from: 4, to: 32, plus: 4}
    seq: {from: 1k, to: 8k, plus: 1k}
    head_dim: 128
    dtype: fp16
    impl: fused
YAML
# A point launches once for its memory, six times to warm up, six times for its samples.
launches=13

# measure_wall N FILE.h5 DEVICE OPTION...: $wall_s from the first record of the journal to the last.
measure_wall() {
    local n=$1 file=$2 device=$3 first='' last='' now launcher=()
    shift 3
    [ "$n" = 1 ] || launcher=(mpirun --oversubscribe --bind-to none -n "$n")
    "${launcher[@]}" "$RIDGEPOINT" run unequal.yaml -o "$file" --device "simulated:$device" \
        --progress none "$@" 2>"$ERR" </dev/null &
    local run=$!
    while ! is_gone "$run"; do
        if now=$(stat -c %.9Y "$file.journal" 2>/dev/null); then
            first=${first:-$now}
            last=$now
        fi
        sleep 0.02
    done
    wait "$run" || fail "$file: exit code $?"
    wall_s=$(awk -v a="$first" -v b="$last" 'BEGIN { print b - a }')
}

# offline N FILE.h5 SCALE EXTRA_S: makespan of longest-first with the true times; a point takes
# EXTRA_S beyond its launches.
offline() {
    export_columns "$2" time_median_s |
        awk -v scale="$3" -v k="$launches" -v extra="$4" '{ print k * scale * $1 + extra }' |
        sort -rg | awk -v n="$1" '{
            first = 1
            for (r = 2; r <= n; ++r) if (free[r] + 0 < free[first] + 0) first = r
            free[first] += $1
            if (free[first] > end) end = free[first]
        } END { print end }'
}

# What sleeping and one rank take beyond the launches, here and now.
measure_wall 1 one.h5 t4:scale=0.1
extra_s=$(awk -v wall="$wall_s" -v ideal="$(offline 1 one.h5 0.1 0)" \
    'BEGIN { print wall > ideal ? (wall - ideal) / 192 : 0 }')
# A rank has four seconds of work, as long as forecast.
declare -A batch=([4]='[1, 2, 3]' [8]='[2, 4, 6]' [16]='[4, 8, 12]')
for wrong in 1 2; do
    bar=0.97
    [ "$wrong" = 1 ] || bar=0.90
    for n in 4 8 16; do
        measure_wall "$n" "wide-$wrong-$n.h5" "t4:scale=1,wrong=$wrong" \
            --set "sweep.0.batch=${batch[$n]}"
        best_s=$(offline "$n" "wide-$wrong-$n.h5" 1 "$extra_s")
        bench_verdict "runner-makespan-$n-wrong-$wrong" "$(awk -v best="$best_s" \
            -v wall="$wall_s" 'BEGIN { printf "%.3f", best / wall }')" at_least "$bar" \
            "of offline longest-first: 192 unequal points that sleep, true times off by $wrong"
    done
done

# The makespan is asserted by the unit test, in virtual time; here, that it holds in this build.
makespan=0
! "$RP_BUILD/tests/unit_test_schedule" >"$OUT" 2>&1 || makespan=1
bench_verdict runner-schedule "$makespan" at_least 1 \
    '1: at least 0.97 of offline longest-first on 4, 8, 16 ranks, 0.90 with a forecast wrong by 2'
bench_exit
