#!/usr/bin/env bash
#
# The inner loop of the fused prefill at width 128, by count: nvcc compiles it, nvdisasm shows its
# instructions, and gpu_static.awk adds up the clocks that each pipe of a multiprocessor needs for
# 128 queries and 64 keys at published rates (docs/CUDA.md). The matrix unit should be the longest,
# and take the larger part even if nothing overlapped. nvdisasm is in PyPI's nvidia-cuda-nvdisasm:
# on PATH, or said by RP_NVDISASM.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

nvcc=${RP_NVCC:-nvcc}
disassembler=${RP_NVDISASM:-nvdisasm}
for tool in "$nvcc" "$disassembler"; do
    if ! command -v "$tool" >/dev/null; then
        printf 'gpu-static: SKIP, no %s here\n' "${tool##*/}"
        exit 0
    fi
done

# account ARCHITECTURE WARPS SECTION: the clocks of each pipe, with what the bars are made of.
account() {
    (cd "$RP_SOURCE" && "$nvcc" -std=c++17 -O3 -I. -Isrc "-arch=sm_$1" -cubin \
        -o "$scratch_folder/$1.cubin" kernels/cuda/attn_fused.cu)
    "$disassembler" -c "$1.cubin" |
        awk -v arch="$1" -v warps="$2" -v section="$3" -f "$RP_SOURCE/tests/bench/gpu_static.awk"
}

# check ARCHITECTURE WARPS SECTION BAR
check() {
    local tensor mufu conversion plain shared issue instructions n_local n_wide
    read -r tensor mufu conversion plain shared issue instructions n_local n_wide \
        < <(account "$1" "$2" "$3")
    local pipes="clocks: tensor $tensor, MUFU $mufu, conversions $conversion, FP32/INT $plain"
    pipes="$pipes, shared memory $shared, issue $issue"
    bench_verdict "gpu-static-sm_$1-longest" \
        "$(printf '%s\n' "$mufu" "$conversion" "$plain" "$shared" "$issue" | sort -n | tail -n 1 |
            awk -v tensor="$tensor" '{ printf "%.2f", tensor / $1 }')" at_least 1 "$pipes"
    bench_verdict "gpu-static-sm_$1-share" \
        "$(awk -v t="$tensor" -v rest="$((mufu + conversion + plain))" \
            'BEGIN { printf "%.3f", t / (t + rest) }')" at_least "$4" \
        "tensor of all arithmetic; $instructions instructions a warp"
    bench_verdict "gpu-static-sm_$1-local" "$n_local" at_most 0 'local memory in the loop'
    bench_verdict "gpu-static-sm_$1-wide" "$n_wide" at_least 1 '128-bit global loads in the loop'
}

scratch_folder=$PWD
check 75 8 prefill_kernelI11PrefillTileI6__halfLi128ELi8E 0.70
check 80 4 prefill_kernelI11PrefillTileI6__halfLi128ELi4E 0.55
check 90 4 prefill_kernelI11PrefillTileI6__halfLi128ELi4E 0.45
bench_exit
