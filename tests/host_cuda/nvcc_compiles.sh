#!/usr/bin/env bash
#
# nvcc takes every CUDA source without a warning for the three architectures the product is built
# for, and the prefill for sm_90a for that; registers and shared memory are printed, and only tiles
# of width 256 may spill. ptxas must not have to make products of sm_90a wait for each other; where
# there is nvdisasm (on PATH, or RP_NVDISASM) their instructions and the copy unit's are looked for.
set -euo pipefail
cd "${RP_SOURCE:?}"
command -v "${RP_NVCC:-nvcc}" >/dev/null || {
    printf 'SKIP: no nvcc here\n'
    exit 77
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
hopper=attn_fused_hopper
compile=("${RP_NVCC:-nvcc}" -std=c++17 -I. -Isrc -DRP_CUDA_HOPPER -Xptxas -v -Werror all-warnings)
if ! find kernels/cuda -name '*.cu' ! -name "$hopper.cu" -print0 |
    xargs -0 -P 2 -n 1 "${compile[@]}" \
        -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
        -gencode arch=compute_90,code=sm_90 --fatbin --output-directory "$scratch" \
        >"$scratch/log" 2>&1 ||
    ! "${compile[@]}" -arch=sm_90a --cubin -o "$scratch/$hopper.cubin" \
        "kernels/cuda/$hopper.cu" >>"$scratch/log" 2>&1; then
    cat "$scratch/log"
    exit 1
fi
grep -E 'Compiling entry|registers|spill' "$scratch/log" | sed 's/^ptxas info *: //'
if ! grep -q 'registers' "$scratch/log"; then
    printf 'ptxas said nothing: this check looks at the wrong place\n'
    exit 1
fi
if ! awk '/Compiling entry/ { kernel = $0 }
    /[1-9][0-9]* bytes spill/ && kernel !~ /Li256E/ { print kernel, $0; spilled = 1 }
    END { exit spilled }' "$scratch/log"; then
    printf 'registers are spilled\n'
    exit 1
fi
if grep -E 'C75[0-9]{2}|serialized' "$scratch/log"; then
    printf 'products of sm_90a wait for each other\n'
    exit 1
fi
disassembler=${RP_NVDISASM:-nvdisasm}
if command -v "$disassembler" >/dev/null; then
    "$disassembler" -c "$scratch/$hopper.cubin" >"$scratch/$hopper.sass"
    for instruction in HGMMA UTMALDG; do
        if ! grep -q "$instruction" "$scratch/$hopper.sass"; then
            printf '%s.cu has no %s\n' "$hopper" "$instruction"
            exit 1
        fi
    done
fi
