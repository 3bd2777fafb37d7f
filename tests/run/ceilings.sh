#!/usr/bin/env bash
#
# A run measures each device's ceilings before its first point and its anchor three times; they are
# in the file, survive a kill, and give rows a measured class.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
unset RIDGEPOINT_NO_CEILINGS

# ceilings_of FILE.h5: lines "device kind", sorted.
ceilings_of() {
    local column
    for column in device kind; do
        h5dump -y -w 1 -d "/ceilings/$column" "$1" |
            awk '/DATA {/ && !on { on = 1; next } on && /}/ { on = 2 } on == 1' |
            sed 's|\\000||g' | tr -d ' ",' | sed '/^$/d' >"$column.column"
    done
    paste -d ' ' device.column kind.column | sort
}

if ! command -v h5dump >/dev/null; then
    skip 'no h5dump here (package hdf5-tools)'
fi

# Two simulated devices: each has its own, though they share the points.
write_sweep_job sweep.yaml
expect 0 mpirun --oversubscribe -n 2 "$RIDGEPOINT" run sweep.yaml -o two.h5 \
    --device simulated:h100-sxm --progress none
ceilings_of two.h5 >two.ceilings
for device in 0 1; do
    expect_equal "$(grep -c "^$device anchor$" two.ceilings)" 3 "anchors of device $device"
    expect_equal "$(grep -c "^$device anchor_read$" two.ceilings)" 3 "reads of device $device"
    for kind in compute compute_sustained bandwidth read_bandwidth cache_bandwidth latency; do
        expect_text two.ceilings "$device $kind" "ceilings of device $device"
    done
done
expect_equal "$(export_columns two.h5 class_measured | grep -c missing || true)" 0 \
    'rows without a measured class'
expect 0 "$ANALYZE" verify two.h5

# So few and short points that a rank holds half of them before its ceilings are measured.
cat >few.yaml <<'YAML'
name: few
measure: {min_samples: 6, max_samples: 6}
sweep:
  - {stage: decode, heads: 8, head_dim: 64, seq_k: {from: 1, to: 32, plus: 1}, impl: fused}
YAML
for points in 1 2 8 14 15 16 17 31 32; do
    expect 0 "$RIDGEPOINT" run few.yaml -o "few-$points.h5" --device simulated:t4 --progress none \
        --set "sweep.0.seq_k.to=$points"
    expect_equal "$(ceilings_of "few-$points.h5" | grep -c anchor)" 6 "anchors with $points points"
done

# The CPU: measured once a run; again by a run that finds something to do, not by one that does not.
write_tiny_job tiny.yaml
cpu() { "$RIDGEPOINT" run tiny.yaml -o cpu.h5 --device cpu --progress none "$@"; }
expect 0 cpu --set 'sweep.1.batch=1'
expect_equal "$(ceilings_of cpu.h5 | grep -c ' compute$')" 1 'compute ceilings of one path'
expect 0 cpu --set 'sweep.1.batch=1'
expect_equal "$(ceilings_of cpu.h5 | grep -c ' anchor$')" 3 'anchors after a run with nothing to do'

# Without them nothing is judged by measured times.
expect 0 cpu --overwrite --no-ceilings
expect_equal "$(ceilings_of cpu.h5 | grep -c '[a-z]' || true)" 0 'ceilings with --no-ceilings'

# Killed while it measures them: the same command goes on, and the file has each row once.
"$RIDGEPOINT" run tiny.yaml -o cpu.h5 --device cpu --progress none --overwrite &
run=$!
wait_for 30 has_worker "$run" || fail 'no worker'
sleep 0.5
kill -9 "$(worker_of "$run")" 2>/dev/null || true
wait "$run" || fail "exit code $? after the worker was killed"
expect_equal "$(export_columns cpu.h5 point impl | sort -u | wc -l)" "$TINY_ROWS" 'rows, each once'
