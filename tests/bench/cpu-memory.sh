#!/usr/bin/env bash
#
# Memory beyond Q, K, V and O: as predicted to the byte; naive's is the score matrix, fused's is
# linear in T.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

cat >memory.yaml <<'YAML'
name: memory
measure: {cache: warm, min_samples: 6, max_samples: 6, max_time_s: 0.01}
verify: {rows: 1}
sweep:
  - stage: prefill
    heads: 4
    seq: [1k, 2k, 4k]
    head_dim: 64
    dtype: fp32
    causal: false
    impl: [naive, fused]
  - stage: decode
    heads: 4
    seq_k: [16k, 32k, 64k]
    head_dim: 64
    dtype: [fp32, fp16]
    impl: fused
YAML
expect 0 "$RIDGEPOINT" run memory.yaml -o memory.h5 --device cpu --threads 1 --progress none
export_columns memory.h5 stage impl dtype seq_q seq_k peak_memory_bytes predicted_memory_bytes \
    device_memory_bytes scores_bytes >rows
expect_equal "$(wc -l <rows)" 12 'rows'

exact=$(awk -F '\t' '$6 == $7 { ++n } END { print n + 0 }' rows)
bench_verdict cpu-memory-counted "$exact" at_least 12 'of 12 rows hold the predicted bytes exactly'
# Beyond the tensors, which for 4 heads and D = 64 are (2 T_q + 2 T_k) KiB of fp32.
awk -F '\t' '$1 == "prefill" && $5 == 4096 {
    extra[$2] = $6 - 1024 * 2 * ($4 + $5)
    scores[$2] = $9
    seen[$2] = $8 / $7
}
$1 == "prefill" && $2 == "fused" { fused[$5] = $6 - 1024 * 2 * ($4 + $5) }
END {
    printf "naive %.4f\n", scores["naive"] / (4 * 4 * 4096 * 4096)
    printf "linear %.4f\n", (fused[4096] - fused[2048]) / (2 * (fused[2048] - fused[1024]))
    printf "fused %.4f\n", extra["fused"] / (2 * 4 * 4096 * 64 * 4 + 1048576)
    printf "outside %.4f\n", seen["naive"]
}' rows >figures
figure() { awk -v name="$1" '$1 == name { print $2 }' figures; }
bench_verdict cpu-memory-naive "$(figure naive)" at_most 1.001 \
    'scores of naive over B*H*T^2*4 at T=4096'
bench_verdict cpu-memory-linear "$(figure linear)" at_most 1.001 \
    'growth of fused from 2k to 4k over twice that from 1k to 2k'
bench_verdict cpu-memory-fused "$(figure fused)" at_most 1 \
    'extra of fused over 2*B*H*T*D*4 and 1 MiB a thread at T=4096'
bench_verdict cpu-memory-outside "$(figure outside)" at_most 1.01 \
    'peak as the kernel sees it over the predicted: naive at T=4096, 280 MB in huge pages'
bench_exit
