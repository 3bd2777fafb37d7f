#!/usr/bin/env bash
#
# The same job twice: no row's class contradicts its other one, medians of 95 % of the rows within
# the larger of their joint interval, 3 % and the anchors' spread. (That outputs have the same bits
# for any number of threads is a unit test.)
#
# A row on a border may be named from either side of it: "undecided" contradicts nothing, and
# "unexplained" contradicts another class only where the attained share differs by more than
# medians may and the ceiling it is a share of (attained times median) differs.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

unset RIDGEPOINT_NO_CEILINGS # without them no class is measured
columns=(point impl status class_measured time_median_s time_ci_low_s time_ci_high_s
    anchor_spread_frac attained_frac)
for turn in 1 2; do
    "$RIDGEPOINT" run "$RP_SOURCE/tests/bench/repeat.yaml" -o "$turn.h5" --device cpu \
        --progress auto || fail "run $turn: exit code $?"
    export_columns "$turn.h5" "${columns[@]}" | sort >"$turn.tsv"
done
[ -s 1.tsv ] || fail "no rows"

awk -F '\t' '
    NR == FNR { first[$1, $2] = $0; next }
    {
        ++rows
        split(first[$1, $2], old, "\t")
        spread = old[8] > $8 ? old[8] : $8
        allowed = 0.03 > spread ? 0.03 : spread
        joint = old[5] > 0 ? ((old[7] - old[6]) / 2 + ($7 - $6) / 2) / old[5] : 0
        if (joint > allowed)
            allowed = joint
        if (old[4] == $4) {
            ++same_class
            ++agree
        } else {
            on_border = old[4] == "undecided" || $4 == "undecided"
            if (old[4] == "unexplained" || $4 == "unexplained")
                on_border = off(old[9], $9) <= allowed + off(old[9] * old[5], $9 * $5)
            agree += on_border
            note = on_border ? ", on the border" : ""
            printf "    %s %s: %s (%.3f attained), then %s (%.3f)%s\n", $1, $2, old[4], old[9],
                $4, $9, note | "cat >&2"
        }
        # A row without a median (every sample disturbed) agrees with nothing.
        if (old[5] == "" || $5 == "")
            next
        if (off(old[5], $5) <= allowed)
            ++close_by
        else
            printf "    %s %s: %.4g s, then %.4g s\n", $1, $2, old[5], $5 | "cat >&2"
    }
    function off(a, b) { return a > 0 ? (a > b ? a - b : b - a) / a : 1 }
    END { printf "%d %d %d %d\n", rows, same_class, agree, close_by }
' 1.tsv 2.tsv >figures
read -r rows same_class agree close_by <figures
percent() { awk -v n="$1" -v of="$2" 'BEGIN { printf "%.1f", 100 * n / of }'; }
bench_verdict repeat-classes "$(percent "$agree" "$rows") %" at_least 100 \
    "of $rows rows: neither measured class contradicts the other; $same_class are the same"
bench_verdict repeat-medians "$(percent "$close_by" "$rows") %" at_least 95 \
    'of the medians agree within interval, 3 % and the spread of the anchors'
bench_exit
