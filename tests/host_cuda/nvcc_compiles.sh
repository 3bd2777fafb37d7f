#!/usr/bin/env bash
#
# nvcc takes every CUDA source without a warning for the three architectures the product is built
# for; registers and shared memory are printed, and only tiles of width 256 may spill.
set -euo pipefail
cd "${RP_SOURCE:?}"
command -v "${RP_NVCC:-nvcc}" >/dev/null || {
    printf 'SKIP: no nvcc here\n'
    exit 77
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
if ! find kernels/cuda -name '*.cu' -print0 |
    xargs -0 -P 2 -n 1 "${RP_NVCC:-nvcc}" -std=c++17 -I. -Isrc -Xptxas -v -Werror all-warnings \
        -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
        -gencode arch=compute_90,code=sm_90 --fatbin --output-directory "$scratch" \
        >"$scratch/log" 2>&1; then
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
