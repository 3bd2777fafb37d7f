#!/usr/bin/env bash
#
# R14: numbers at the edges, in options and in jobs: accepted only where they plainly are numbers in
# range, else refused with exit code 2, by name, and nothing is written.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml
refused() { # WORDS ARGUMENT...
    local words=$1
    shift
    expect 2 "$RIDGEPOINT" run tiny.yaml -o n.h5 --device cpu --progress none "$@"
    expect_text "$ERR" "$words" "$*"
    expect_no_file n.h5 n.h5.journal n.h5.lock
}
for value in -1 2147483648 4294967296 4294967424 9223372036854775808 18446744073709551616 1e309 \
    1e3 0x10 +1 ' 1' '' 12abc nan inf 1.5; do
    refused threads --threads "$value"
    [ "$value" = ' 1' ] || refused seq_k --set "sweep.1.seq_k=$value" # blanks are YAML's
    [ "$value" = ' 1' ] || refused max_samples --set "measure.max_samples=$value"
done
for value in -1 0 1e309 nan inf '' abc 0x1p3; do
    refused max_time_s --set "measure.max_time_s=$value"
done
for value in 0 -1 4294967424 18446744073709551616; do
    for axis in batch heads head_dim; do
        refused "$axis" --set "sweep.0.$axis=$value"
    done
done
refused 'sweep' --set 'sweep=[]'
refused 'kv_heads' --set 'sweep.0.kv_heads=[]'
# A million points are planned, and refused only beyond.
cat >million.yaml <<'YAML'
name: million
sweep:
  - stage: decode
    heads: 1
    head_dim: 1
    seq_k: {from: 1, to: 1M, plus: 1}
    batch: [1, 2]
    impl: fused
YAML
expect 2 "$RIDGEPOINT" run million.yaml -o n.h5 --device simulated:t4 --progress none
expect_text "$ERR" '1000000' 'the limit is told'
# The largest values of every axis, together: the counts do not fit 64 bits.
expect 2 "$RIDGEPOINT" run -o n.h5 --device cpu --progress none \
    --point 'prefill heads=64 head_dim=512 batch=1048576 seq=16M dtype=fp16'
expect_text "$ERR" '64 bits' 'the count'
# 256 * 128 * 2^20 * 2^20 * 128 * 4 wraps 64 bits to a small number; it must be refused.
expect 2 "$RIDGEPOINT" run -o n.h5 --device cpu --progress none \
    --point 'prefill heads=128 head_dim=128 batch=256 seq=1M dtype=fp16'
expect_no_file n.h5 n.h5.journal n.h5.lock
