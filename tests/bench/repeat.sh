#!/usr/bin/env bash
#
# The same job twice: no row's class contradicts its other one, medians of 95 % of the rows within
# the larger of their joint interval, 3 % and the spread of the anchors, which are the same work in
# both runs and so looked at together. (That outputs have the same bits for any number of threads is
# a unit test.)
#
# A row on a border may be named from either side of it: "undecided" contradicts nothing, and
# "unexplained" contradicts another class only where the attained share differs by more than
# medians may and the ceiling it is a share of (attained times median) differs.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

unset RIDGEPOINT_NO_CEILINGS # without them no class is measured
columns=(point impl status class_measured time_median_s time_ci_low_s time_ci_high_s attained_frac)
for turn in 1 2; do
    "$RIDGEPOINT" run "$RP_SOURCE/tests/bench/repeat.yaml" -o "$turn.h5" --device cpu \
        --progress auto || fail "run $turn: exit code $?"
    export_columns "$turn.h5" "${columns[@]}" | sort >"$turn.tsv"
    "$ANALYZE" summary --format json "$turn.h5" |
        sed -n 's/.*"kind": "\(anchor[a-z_]*\)".*"value": \([0-9.e+-]*\),.*/\1\t\2/p' >>anchors
done
[ -s 1.tsv ] || fail "no rows"

# (largest - smallest) / median of each kind of anchor; the larger counts.
spread=$(sort -k 1,1 -k 2,2g anchors | awk '
    function close_kind() {
        if (n > 0 && (value[n] - value[1]) / value[int((n + 1) / 2)] > spread)
            spread = (value[n] - value[1]) / value[int((n + 1) / 2)]
        n = 0
    }
    $1 != kind { close_kind(); kind = $1 }
    { value[++n] = $2 }
    END { close_kind(); print spread + 0 }')

awk -F '\t' -v spread="$spread" '
    NR == FNR { first[$1, $2] = $0; next }
    {
        ++rows
        split(first[$1, $2], old, "\t")
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
                on_border = off(old[8], $8) <= allowed + off(old[8] * old[5], $8 * $5)
            agree += on_border
            note = on_border ? ", on the border" : ""
            printf "    %s %s: %s (%.3f attained), then %s (%.3f)%s\n", $1, $2, old[4], old[8],
                $4, $8, note | "cat >&2"
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
    "of the medians agree within interval, 3 % and the anchors' spread, $(percent "$spread" 1) %"
bench_exit
