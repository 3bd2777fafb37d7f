#!/usr/bin/env bash
#
# What `plan` predicts for the notebook's job against what its run took: the whole of it, from the
# first row's samples to the end of the last, and row by row. Without a measurement (nominal rates)
# and from the ceilings of that run. A figure of 2 is off by a factor of 2, whichever way.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

unset RIDGEPOINT_NO_CEILINGS # --from is to have some
job=$RP_SOURCE/jobs/notebook.yaml
"$RIDGEPOINT" run "$job" -o run.h5 --device cpu --progress auto || fail "run: exit code $?"
export_columns run.h5 sampled_utc_s sampling_s |
    awk -F '\t' '$2 != "" {
        begin = begin == "" || $1 < begin ? $1 : begin
        end = $1 + $2 > end ? $1 + $2 : end
    }
    END { print end - begin }' >took
export_columns run.h5 point impl time_median_s | sort >measured

# predicted NAME OPTION...: the two verdicts on `plan JOB OPTION...`.
predicted() {
    local name=$1 whole row shared
    shift
    "$RIDGEPOINT" plan "$job" "$@" --format json >plan.json || fail "plan: exit code $?"
    whole=$(sed -n 's/.*"device_s": \([0-9.e+-]*\),.*/\1/p' plan.json)
    [ -n "$whole" ] || fail 'no device_s in the totals of plan'
    "$RIDGEPOINT" plan "$job" "$@" --format csv >plan.csv || fail "plan: exit code $?"
    csv_columns point impl launch_s <plan.csv | sort >launches
    whole=$(awk -v a="$whole" -v b="$(cat took)" 'BEGIN { printf "%.2f", (a > b ? a / b : b / a) }')
    read -r row shared < <(awk -F '\t' '
        NR == FNR { launch[$1, $2] = $3; next }
        $3 != "" && ($1, $2) in launch {
            off = launch[$1, $2] / $3
            off = off > 1 ? off : 1 / off
            ++rows
            close_by += off <= 2
            print off | "sort -g >off"
        }
        END {
            close("sort -g >off")
            while (n < rows / 2 && (getline off < "off") > 0)
                ++n
            printf "%.2f %d/%d\n", off, close_by, rows
        }' launches measured)
    bench_verdict "plan-$name" "$whole" at_most 2 \
        "predicted time of jobs/notebook.yaml against the $(cat took) s it took"
    bench_verdict "plan-$name-row" "$row" at_most 2 \
        "a launch, median over the rows; $shared within a factor of 2"
}
predicted nominal
predicted from-ceilings --from run.h5
bench_exit
