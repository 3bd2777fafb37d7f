#!/usr/bin/env bash
#
# Fused decode with 8 query heads on each kv head against one, the same K and V. The bar is for what
# memory bounds: where 8 heads' FLOPs at sgemm's rate take longer, they are the measure.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib_cpu.sh
. "$RP_SOURCE/tests/lib_cpu.sh"

bench_kernels grouped 1
bench_verdict cpu-grouped-worst "$(largest bound)" at_most 1.15 \
    'time over the longer of that with one head and of the FLOPs at sgemm(512)'
bench_exit
