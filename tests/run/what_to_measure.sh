#!/usr/bin/env bash
#
# Ways to say what to measure: standard input, --set, --point; the default output.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml
quick=(--device cpu --threads 1 --progress none)

# Standard input.
expect 0 "$RIDGEPOINT" run - -o stdin.h5 "${quick[@]}" <tiny.yaml
run_tiny tiny.h5
expect_equal "$(export_columns stdin.h5 point impl | sort)" \
    "$(export_columns tiny.h5 point impl | sort)" 'a job on standard input'
expect_equal "$(export_columns tiny.h5 point | wc -l)" "$TINY_ROWS" 'rows of the tiny job'

# The default output is results/<job name>.h5.
expect 0 "$RIDGEPOINT" run tiny.yaml "${quick[@]}"
[ -s results/tiny.h5 ] || fail 'no results/tiny.h5'

# --set: any key, by its path.
expect 0 "$RIDGEPOINT" run tiny.yaml -o set.h5 "${quick[@]}" --set sweep.0.seq=17 \
    --set sweep.0.kv_heads=1 --set measure.max_samples=7
expect_equal "$(export_columns set.h5 stage kv_heads seq_k | sort -u | tr '\t\n' ' ;')" \
    'decode 4 64;prefill 1 17;' 'shapes after --set'
[ "$(export_columns set.h5 samples | sort -n | tail -n 1)" -le 7 ] || fail '--set max_samples=7'
expect 2 "$RIDGEPOINT" run tiny.yaml -o bad.h5 "${quick[@]}" --set sweep.0.seq=0
expect_text "$ERR" seq 'a bad --set is refused by its key'
expect 2 "$RIDGEPOINT" run tiny.yaml -o bad.h5 "${quick[@]}" --set measure.min_samples=5
expect 2 "$RIDGEPOINT" run tiny.yaml -o bad.h5 "${quick[@]}" --set seed
expect 2 "$RIDGEPOINT" run tiny.yaml -o bad.h5 "${quick[@]}" --set sweep.7.seq=16
expect_no_file bad.h5

# --point: without a job. The id is the first 16 hex digits of SHA-256 of the canonical text.
expect 0 "$RIDGEPOINT" run --point 'prefill heads=4 head_dim=16 seq=48 dtype=fp16 causal=true' \
    -o point.h5 "${quick[@]}" --set measure.max_time_s=0.05
text='stage=prefill batch=1 heads=4 kv_heads=4 seq_q=48 seq_k=48 head_dim=16 dtype=fp16 causal=1'
expect_equal "$(export_columns point.h5 point | sort -u)" \
    "$(printf '%s' "$text" | sha256sum | cut -c 1-16)" 'the id of a point'
expect 2 "$RIDGEPOINT" run --point 'prefill heads=4 head_dim=16' -o bad.h5 "${quick[@]}"
expect 2 "$RIDGEPOINT" run --point 'prefill heads=3 kv_heads=2 head_dim=16 seq=8' -o bad.h5 \
    "${quick[@]}"
expect_text "$ERR" kv_heads 'an impossible point is refused by its axis'
expect_no_file bad.h5
