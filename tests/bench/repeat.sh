#!/usr/bin/env bash
#
# The same job twice: classes identical, medians of 95 % of the rows within the larger of their
# joint interval, 3 % and the anchors' spread. (That outputs have the same bits for any number of
# threads is a unit test.)
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

unset RIDGEPOINT_NO_CEILINGS # without them no class is measured
columns=(point impl status class_measured time_median_s time_ci_low_s time_ci_high_s
    anchor_spread_frac)
for turn in 1 2; do
    "$RIDGEPOINT" run "$RP_SOURCE/tests/bench/repeat.yaml" -o "$turn.h5" --device cpu \
        --progress auto || fail "run $turn: exit code $?"
    export_columns "$turn.h5" "${columns[@]}" | sort >"$turn.tsv"
done
[ -s 1.tsv ] || fail "no rows"

# A row without a median (every sample disturbed) agrees with nothing.
awk -F '\t' '
    NR == FNR { first[$1, $2] = $0; next }
    {
        ++rows
        split(first[$1, $2], old, "\t")
        if (old[4] == $4)
            ++same_class
        else
            printf "    %s %s: %s, then %s\n", $1, $2, old[4], $4 >"/dev/stderr"
        if (old[5] == "" || $5 == "")
            next
        spread = old[8] > $8 ? old[8] : $8
        allowed = 0.03 * old[5] > spread * old[5] ? 0.03 * old[5] : spread * old[5]
        joint = (old[7] - old[6]) / 2 + ($7 - $6) / 2
        if (joint > allowed)
            allowed = joint
        difference = $5 > old[5] ? $5 - old[5] : old[5] - $5
        if (difference <= allowed)
            ++close_by
        else
            printf "    %s %s: %.4g s, then %.4g s\n", $1, $2, old[5], $5 >"/dev/stderr"
    }
    END { printf "%d %d %d\n", rows, same_class, close_by }
' 1.tsv 2.tsv >figures
read -r rows same_class close_by <figures
percent() { awk -v n="$1" -v of="$2" 'BEGIN { printf "%.1f", 100 * n / of }'; }
bench_verdict repeat-classes "$(percent "$same_class" "$rows") %" at_least 100 \
    "of $rows rows have the same measured class in both runs"
bench_verdict repeat-medians "$(percent "$close_by" "$rows") %" at_least 95 \
    'of the medians agree within interval, 3 % and the spread of the anchors'
bench_exit
