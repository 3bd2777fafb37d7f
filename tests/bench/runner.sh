#!/usr/bin/env bash
#
# What the runner costs beside the measurement, on simulated devices, which take no time of their
# own.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# CPU time of processes without their children, in clock ticks; fails when one is gone.
cpu_ticks() { # PID...
    local files=("${@/#//proc/}")
    awk '{ ticks += $14 + $15 } END { print ticks + 0 }' "${files[@]/%//stat}" 2>/dev/null
}
hz=$(getconf CLK_TCK)

cat >many.yaml <<'YAML'
name: many
measure: {min_samples: 6, max_samples: 6}
sweep:
  - stage: decode
    heads: 8
    head_dim: 64
    seq_k: {from: 1, to: 20000, plus: 1}
    impl: fused
YAML
# point_cost RANKS: CPU time of the rank processes, without their workers, in us a point, from one
# look at a growing journal to the last (what is published at the end belongs to the file).
point_cost() {
    local file=many-$1.h5 launcher=() first='' last='' bytes pids ticks
    [ "$1" = 1 ] || launcher=(mpirun --oversubscribe --bind-to none -n "$1")
    "${launcher[@]}" "$RIDGEPOINT" run many.yaml -o "$file" --device simulated:t4 \
        --progress none 2>"$ERR" </dev/null &
    local job=$!
    wait_for 60 is_larger_than 100000 "$file.journal" || fail 'the run does not begin'
    pids=$job
    [ "$1" = 1 ] || pids=$(children_of "$job")
    while bytes=$(stat -c %s "$file.journal" 2>/dev/null); do
        # shellcheck disable=SC2086 # a list
        ticks=$(cpu_ticks $pids) || break # the work is done
        first=${first:-$bytes $ticks}
        [ "${last% *}" = "$bytes" ] || last="$bytes $ticks"
        sleep 0.05
    done
    wait "$job" || fail "exit code $?"
    expect_equal "$(export_columns "$file" point | sort -u | wc -l)" 20000 \
        "rows of $1 ranks, each once" >&2
    # Every point is as many bytes of the journal.
    awk -v first="$first" -v last="$last" -v hz="$hz" 'BEGIN {
        split(first, a, " "); split(last, b, " ")
        printf "%.0f us", (b[2] - a[2]) / hz / (20000 * (b[1] - a[1]) / b[1]) * 1e6
    }'
}
for ranks in 1 2 64; do
    cost=$(point_cost "$ranks")
    bench_verdict "runner-point-cost-$ranks-ranks" "$cost" at_most 50 \
        'CPU time of all rank processes a point at zero work: claim, result, journal; 20000 points'
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

# measure_wall N FILE.h5 DEVICE OPTION...: $wall_s from the first launch to the end of the last.
measure_wall() {
    local n=$1 file=$2 device=$3 launcher=()
    shift 3
    [ "$n" = 1 ] || launcher=(mpirun --oversubscribe --bind-to none -n "$n")
    "${launcher[@]}" "$RIDGEPOINT" run unequal.yaml -o "$file" --device "simulated:$device" \
        --no-ceilings --progress none "$@" 2>"$ERR" </dev/null || fail "$file: exit code $?"
    # Its samples begin after 7 of its 13 launches.
    wall_s=$(export_columns "$file" sampled_utc_s sampling_s | awk -F '\t' '{
        start = $1 - $2 * 7 / 6
        if (NR == 1 || start < first) first = start
        if ($1 + $2 > last) last = $1 + $2
    } END { printf "%.6f\n", last - first }')
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
measure_wall 1 one.h5 t4:scale=1
extra_s=$(awk -v wall="$wall_s" -v ideal="$(offline 1 one.h5 1 0)" \
    'BEGIN { print (wall - ideal) / 192 }')
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
