#!/usr/bin/env bash
#
# ridgepoint-analyze explain on a measured file: its numbers are those of export, and near misses of
# a point are named.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

run_tiny tiny.h5
read -r point flops < <(export_columns tiny.h5 point impl flops |
    awk '$2 == "fused" { print $1, $3 }')

expect 0 "$ANALYZE" explain tiny.h5 --point "$point" --impl fused
for text in "$point" "flops " "$flops FLOP" 'time_median_s' 'class_measured' 'seq_q * seq_k' \
    'naive_time_ratio' 'counted by the allocator: as predicted'; do
    expect_text "$OUT" "$text" 'explain'
done
if grep -Ew 'nan|inf' "$OUT"; then
    fail 'a number that is none is printed'
fi
expect 0 "$ANALYZE" explain tiny.h5 --point "$point"
expect_equal "$(grep -c '^point ' "$OUT")" 3 'rows of all implementations'

expect 0 "$ANALYZE" explain tiny.h5 --point "$point" --impl fused --format csv
expect_equal "$(csv_columns quantity value <"$OUT" | awk '$1 == "flops" { print $2 }')" "$flops" csv
expect 0 "$ANALYZE" explain tiny.h5 tiny.h5 --point "$point" --impl fused --format json
expect_text "$OUT" '"quantity": "clock_hz"' 'json'

first=${point:0:1}
expect 2 "$ANALYZE" explain tiny.h5 --point "$(printf '%s' "$point" | cut -c2-)$first"
expect_text "$ERR" "near it:" 'digits in another place'
expect_text "$ERR" "$point" 'digits in another place'
expect 2 "$ANALYZE" explain tiny.h5 --point 'no such point'
expect_text "$ERR" 'lists the points' 'no such point'
expect 2 "$ANALYZE" explain tiny.h5
expect_text "$ERR" '--point ID is needed' 'no point'
expect 2 "$ANALYZE" explain tiny.h5 --point "$point" --impl fussed
expect_text "$ERR" 'fused' 'near-miss implementation'
expect 3 "$ANALYZE" explain none.h5 --point "$point"
expect 0 "$ANALYZE" explain --help
expect_text "$OUT" 'ridgepoint-analyze explain --point' 'an example'
