#!/usr/bin/env bash
#
# Share of a memory domain's time inside measurement (timed launches, eviction, pairing), after
# set-up: from the first row's first turn to the last row's last, over CPU ranks that take turns.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

measure() { # NAME COMMAND...
    local name=$1
    shift
    "$@" run "$RP_SOURCE/tests/bench/repeat.yaml" -o "$name.h5" --device cpu --progress auto ||
        fail "$name: exit code $?"
    # Turns of a point lie within each other: its time is that of all its rows together.
    export_columns "$name.h5" sampled_utc_s sampling_s eviction_s time_median_s samples |
        awk -F '\t' '$2 != "" {
            begin = begin == "" || $1 < begin ? $1 : begin
            end = $1 + $2 > end ? $1 + $2 : end
            sampling += $2
            if ($4 * $5 > $3) {
                long += $2
                evicting += $3
            }
        }
        END {
            share = long > 0 ? evicting / long : 0
            printf "%.3f %.3f\n", sampling / (end - begin), share
        }'
}

how='sum of sampling_s over the time from the first turn to the end of the last'
read -r share eviction < <(measure alone "$RIDGEPOINT")
bench_verdict share-one-rank "$share" at_least 0.70 "$how; every core in one rank"
bench_verdict share-eviction "$eviction" at_most 0.334 \
    'eviction over sampling, of rows whose samples last longer than the evictions'
read -r share eviction < <(measure together mpirun --oversubscribe -n 2 "$RIDGEPOINT")
bench_verdict share-two-ranks "$share" at_least 0.70 "$how; two ranks take turns"
bench_exit
