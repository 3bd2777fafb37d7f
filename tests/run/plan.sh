#!/usr/bin/env bash
#
# `ridgepoint plan` foresees what a run meets: the statuses and reasons of a simulated run, point
# for point, and its times; csv and json are whole; bad input is refused; nothing is written.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

JOB=$RP_SOURCE/jobs/prefill-decode.yaml
write_tiny_job tiny.yaml
mkdir empty
cd empty

plan() { # CODE ARGUMENT...
    local code=$1
    shift
    expect "$code" "$RIDGEPOINT" plan "$@"
}
# total NAME <JSON: that member of each line of the totals.
total() { sed -n '/"totals"/,$ s/.*"'"$1"'": "\{0,1\}\([^,"}]*\).*/\1/p'; }
minutes() { awk -F '[-:]' '{ print NF == 4 ? $1 * 1440 + $2 * 60 + $3 : $1 * 60 + $2 }'; }

# Bad usage, a bad job: 2. A file that is missing or damaged: 3.
plan 2
plan 2 ../tiny.yaml ../tiny.yaml
plan 2 ../tiny.yaml --point 'decode heads=8 head_dim=64 seq_k=64'
plan 2 ../tiny.yaml --device cpu
plan 2 ../tiny.yaml --format xml
plan 2 ../tiny.yaml --ranks 0
plan 2 ../tiny.yaml --ranks 2 --nodes 3
expect_text "$ERR" '--nodes 3' 'the option is named'
plan 2 ../tiny.yaml --only 0123
plan 2 ../tiny.yaml --only 0123456789abcdef
expect_text "$ERR" 'no such point' 'a point of another job'
[ ! -s "$OUT" ] || fail 'a refused plan prints rows'
plan 2 ../tiny.yaml --gpu a100
expect_text "$ERR" 'a100-pcie-40gb, a100-sxm-40gb, a100-pcie-80gb, a100-sxm-80gb' 'all that it fits'
plan 2 ../tiny.yaml --gpu t4,l41
expect_text "$ERR" "did you mean 'l4'" 'a near miss'
plan 2 ../tiny.yaml --gpu t4,,l4
plan 2 ../tiny.yaml --gpu t4:scale=1
plan 2 no-such-job.yaml --gpu t4
sed 's/heads: 4/haeds: 4/' ../tiny.yaml >../bad.yaml
plan 2 ../bad.yaml --gpu t4
expect_text "$ERR" '../bad.yaml:13:' 'a bad job is refused by line'
plan 3 ../tiny.yaml --from no-such-file.h5
expect_text "$ERR" no-such-file.h5 'the missing file is named'
head -c 4096 /dev/urandom >../garbage.h5
plan 3 ../tiny.yaml --gpu t4 --from ../garbage.h5
expect_text "$ERR" garbage.h5 'the damaged file is named'

# The CPU of this machine, and a point without a job.
plan 0 ../tiny.yaml
expect_text "$OUT" 'cpu-' 'the CPU is the default'
expect_text "$OUT" '--time' 'what to ask Slurm for'
plan 0 --point 'decode heads=8 head_dim=64 seq_k=64 dtype=fp16' --gpu t4 --format csv
expect_equal "$(csv_columns impl <"$OUT" | paste -s -d ' ')" 'naive reference fused' 'its rows'
plan 0 - --gpu t4 <../tiny.yaml
[ -z "$(ls -A)" ] || fail "plan wrote: $(ls -A)"
cd ..

# csv and json: a row a type, point and implementation; the same values; no nan.
plan 0 tiny.yaml --gpu t4,h100-sxm,t4 --format csv
cp "$OUT" rows.csv
plan 0 tiny.yaml --gpu t4,h100-sxm --format json
cp "$OUT" rows.json
expect_equal "$(csv_columns gpu_type point impl <rows.csv | sort -u | wc -l)" $((2 * TINY_ROWS)) \
    'rows of two types'
expect_equal "$(grep -c '^{"gpu_type": .*"point": ' rows.json)" $((2 * TINY_ROWS)) 'rows in json'
sed -n '/"totals"/q; s/.*"wall_s": \([^,]*\),.*/\1/p' rows.json >json.walls
csv_columns wall_s <rows.csv | cmp - json.walls || fail 'csv and json differ'
expect_equal "$(awk -F '"' 'NR > 1 { print gsub(/,/, ",", $1) }' rows.csv | sort -u | wc -l)" 1 \
    'as many fields in every row'
for file in rows.csv rows.json; do
    ! grep -qiE '(^|[,: ])-?(nan|inf)([,}]|$)' "$file" || fail "$file holds nan or inf"
done
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(sys.stdin)["totals"][1]["slurm_time"]' <rows.json ||
        fail 'not valid json'
fi
expect_equal "$(total gpu_type <rows.json | paste -s -d ' ')" 't4 h100-sxm-80gb' 'totals by type'
expect_equal "$(total rows_ok <rows.json | paste -s -d ' ')" "$TINY_ROWS $TINY_ROWS" 'rows that fit'

# The rows of a type add up to its total.
plan 0 "$JOB" --gpu t4 --format csv
csv_columns wall_s <"$OUT" | awk '{ sum += $1 } END { print sum }' >sum
plan 0 "$JOB" --gpu t4 --format json
total device_s <"$OUT" | paste sum - | awk '{ exit !($1 > 0 && ($1 / $2 - 1) ^ 2 < 1e-10) }' ||
    fail "the rows' sum $(cat sum) is not $(total device_s <"$OUT")"

# A bigger job asks for more time; more ranks for less, and never for less than the longest point.
slow=(--set measure.max_time_s=600 --set measure.min_samples=100 --set measure.target_ci=0.0001)
plan 0 "$JOB" --gpu t4 --format json "${slow[@]}"
one=$(total slurm_time <"$OUT" | minutes)
plan 0 "$JOB" --gpu t4 --format json "${slow[@]}" --set 'sweep.0.batch=[1,2]'
[ "$(total slurm_time <"$OUT" | minutes)" -gt "$one" ] || fail 'twice the points, no more time'
plan 0 "$JOB" --gpu t4 --format json "${slow[@]}" --ranks 8 --nodes 2
[ "$(total slurm_time <"$OUT" | minutes)" -lt "$one" ] || fail 'eight ranks, no less time'
paste <(total node_hours <"$OUT") <(total makespan_s <"$OUT") |
    awk '{ exit !($1 > 0 && ($1 * 3600 / 2 / $2 - 1) ^ 2 < 1e-10) }' || fail 'node-hours of 2 nodes'
[ "$(total memory_bytes <"$OUT")" -gt $((4 << 30)) ] || fail 'four ranks a node need 2 GiB each'

# The statuses of a simulated run, point for point, with their reasons: what fits, what does not,
# what is not supported, what is hopeless.
compare() { # TYPE [OPTION...]
    local type=$1 code=0
    shift
    rm -f simulated.h5
    "$RIDGEPOINT" run "$JOB" -o simulated.h5 --device "simulated:$type" --progress none "$@" \
        >"$OUT" 2>"$ERR" || code=$?
    [ "$code" -le 1 ] || fail "simulated run: exit code $code: $(cat "$ERR")"
    # A launch that took too long says how long; a plan says how long it would.
    export_columns simulated.h5 point impl status reason |
        sed 's/\ttimeout\t.*/\ttimeout\t/' | LC_ALL=C sort >run.rows
    plan 0 "$JOB" --gpu "$type" --format csv "$@"
    cp "$OUT" plan.csv
    csv_columns point impl status reason <plan.csv |
        sed 's/\ttimeout\t.*/\ttimeout\t/' | LC_ALL=C sort >plan.rows
    cmp run.rows plan.rows || fail "$type $*: $(diff run.rows plan.rows | head -n 5)"
}
compare t4 --set 'sweep.0.dtype=[bf16,fp16,tf32,fp32]' --set 'sweep.1.seq_k=1M'
for status in ok oom unsupported; do
    grep -q "	$status	" plan.rows || fail "no row is $status: the comparison shows little"
done
compare t4 --set measure.timeout_s=0.01
for status in ok skipped timeout; do
    grep -q "	$status	" plan.rows || fail "no row is $status: the comparison shows little"
done

# Its times, of rows whose samples are one launch: each launch, and all samples within 1.5.
compare t4
export_columns simulated.h5 point impl status samples time_median_s | awk '$3 == "ok"' |
    LC_ALL=C sort >run.times
csv_columns point impl status samples sample_launches launch_s <plan.csv | awk '$3 == "ok"' |
    LC_ALL=C sort | paste run.times - | awk '
    $1 != $6 || $2 != $7 { bad = 1 }
    $10 == 1 {
        n += 1
        run += $4 * $5
        plan += $9 * $11
        if ($11 > 1.02 * $5 || $5 > 1.02 * $11) { print; bad = 1 }
    }
    END { print n, run, plan; exit !(n > 50 && !bad && plan < 1.5 * run && run < 1.5 * plan) }' \
    >far ||
    fail "times are far off: $(tail -n 3 far)"

# A job of which nothing can be measured says so.
plan 0 --point 'decode heads=128 head_dim=256 batch=64 seq_k=1M dtype=fp16' --gpu t4
expect_text "$ERR" 'no row of this job can be measured: 3 oom' 'nothing fits'
plan 0 --point 'prefill heads=8 head_dim=64 seq=64 dtype=tf32'
expect_text "$ERR" '3 unsupported' 'a CPU has no tf32'

# A file measured here: its ceilings are taken, or it is said that it has none.
run_tiny tiny.h5
plan 0 tiny.yaml --threads 1 --from tiny.h5 --format json
[ "$(total rates <"$OUT")" = measured ] || expect_text "$ERR" 'has no ceilings of cpu-' 'says so'
