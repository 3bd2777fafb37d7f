#!/usr/bin/env bash
#
# check.sh [FOLDER] - for a machine with an NVIDIA GPU: builds for it, runs the kernel tests against
# the oracle, measures jobs/gpu-check.yaml and holds it against the bars; leaves log, result file
# and export in FOLDER (default gpu-check), packed. Some six minutes. Exit code 1: a test failed or
# a bar is missed; 3: there is no GPU.
#
# Where the packages are not installed but unpacked into a folder (dpkg -x), say
# RP_DEPENDENCIES=that folder. RP_CUDA_HOPPER=ON builds the prefill for compute capability 9.0.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case "${1-}" in
    -h | --help)
        sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
esac
out=$(mkdir -p "${1-gpu-check}" && cd "${1-gpu-check}" && pwd)
log=$out/check.log
build='build-gpu'
: >"$log"

say() { printf '%s\n' "$*" | tee -a "$log"; }

use_unpacked() { # FOLDER
    local multiarch=$1/usr/lib/x86_64-linux-gnu
    export PKG_CONFIG_PATH=$multiarch/pkgconfig:$1/usr/share/pkgconfig
    export PKG_CONFIG_SYSROOT_DIR=$1
    export CMAKE_PREFIX_PATH=$1/usr:$multiarch/openmpi
    export CPATH=$1/usr/include:$1/usr/include/x86_64-linux-gnu
    export LIBRARY_PATH=$multiarch:${LIBRARY_PATH-}
    local libraries=$multiarch:$multiarch/openblas-pthread:$multiarch/hdf5/serial
    export LD_LIBRARY_PATH=$libraries:${LD_LIBRARY_PATH-}
    export OPAL_PREFIX=$multiarch/openmpi
    export PATH=$1/usr/bin:$PATH
}

capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    head -n 1) || true
if [ -z "$capability" ]; then
    say 'check.sh: nvidia-smi finds no GPU here'
    exit 3
fi
nvidia-smi --query-gpu=name,driver_version,memory.total,power.limit,clocks.max.sm --format=csv \
    2>&1 | tee -a "$log"
[ -z "${RP_DEPENDENCIES-}" ] || use_unpacked "$RP_DEPENDENCIES"

say "Building for compute capability $capability, RP_CUDA_HOPPER=${RP_CUDA_HOPPER-OFF}"
start=$SECONDS
scripts/build "$build" -DRP_CUDA=ON -DBUILD_TESTING=ON "-DRP_CUDA_ARCHITECTURES=${capability/./}" \
    "-DRP_CUDA_HOPPER=${RP_CUDA_HOPPER-OFF}" >>"$log" 2>&1 || {
    tail -n 60 "$log"
    exit 1
}
say "built in $((SECONDS - start)) s"
"$build/ridgepoint" devices 2>&1 | tee -a "$log"

failed=0
ctest --test-dir "$build" -L gpu --output-on-failure 2>&1 | tee -a "$log" || failed=1

file=$out/gpu-check.h5
"$build/ridgepoint" run jobs/gpu-check.yaml -o "$file" --device cuda --overwrite \
    --dram-bytes 2>&1 | tee -a "$log" || failed=1
for command in verify summary; do
    "$build/ridgepoint-analyze" "$command" "$file" 2>&1 | tee -a "$log" || failed=1
done
"$build/ridgepoint-analyze" export --format csv "$file" >"$out/gpu-check.csv" || failed=1

# A row's floor over its time: at least 0.60 for naive where a launch takes long enough to count.
awk -v names='impl status attained_frac time_median_s' -f tests/csv_columns.awk \
    <"$out/gpu-check.csv" | awk -F '\t' '
    $1 == "naive" && $2 == "ok" && $3 != "" && $4 > 1e-3 {
        ++n
        if (n == 1 || $3 < worst)
            worst = $3
    }
    $2 != "ok" && $2 != "unsupported" { ++bad }
    END {
        printf "gpu-naive-floor %.3f bar 0.60 %s (%d rows of a millisecond or more)\n", worst,
            n && worst >= 0.60 ? "PASS" : "SHORT", n
        printf "gpu-rows %d bar 0 %s (rows neither ok nor unsupported)\n", bad,
            bad ? "SHORT" : "PASS"
        exit !(n && worst >= 0.60 && !bad)
    }' | tee -a "$log" || failed=1

# fused against the ceilings of the same run: prefill of width 128 and 4k tokens or more against the
# matrix product, by architecture; decode of at least 256 MB against the bandwidth.
case $capability in
    7.5) prefill_bar=0.60 ;;
    8.*) prefill_bar=0.65 ;;
    *) prefill_bar=0.45 ;;
esac
awk -v names='impl status attained_frac stage head_dim seq_q bytes_min dtype' \
    -f tests/csv_columns.awk <"$out/gpu-check.csv" |
    awk -F '\t' -v prefill_bar="$prefill_bar" '
    $1 != "fused" || $2 != "ok" || $3 == "" { next }
    $4 == "prefill" && $5 == 128 && $6 >= 4096 && ($8 == "fp16" || $8 == "bf16") {
        if (!n_prefill++ || $3 < prefill)
            prefill = $3
    }
    $4 == "decode" && $7 >= 256e6 {
        if (!n_decode++ || $3 < decode)
            decode = $3
    }
    function verdict(name, n, worst, bar) {
        printf "%s %.3f bar %.2f %s (%d rows)\n", name, worst, bar,
            (n == 0 ? "SKIP" : (worst >= bar ? "PASS" : "SHORT")), n
        return n == 0 || (worst >= bar)
    }
    END {
        prefill_is_there = verdict("gpu-fused-prefill", n_prefill, prefill, prefill_bar)
        decode_is_there = verdict("gpu-fused-decode", n_decode, decode, 0.85)
        exit !(prefill_is_there && decode_is_there)
    }' | tee -a "$log" || failed=1

# The yardstick from outside, where there is one: cuDNN's time over that of fused.
awk -v names='impl status cudnn_time_ratio stage' -f tests/csv_columns.awk \
    <"$out/gpu-check.csv" | awk -F '\t' '
    $1 != "fused" || $2 != "ok" || $3 == "" { next }
    {
        least[$4] = n[$4] && least[$4] < $3 ? least[$4] : $3
        most[$4] = most[$4] > $3 ? most[$4] : $3
        sum[$4] += log($3)
        ++n[$4]
    }
    END {
        for (stage in n)
            printf "gpu-cudnn-over-fused %s %.3f (%.3f to %.3f, %d rows)\n", stage,
                exp(sum[stage] / n[stage]), least[stage], most[stage], n[stage]
    }' | tee -a "$log"

# What the GPU counted to and from its memory over bytes_impl, where it was allowed to, of rows that
# move many times an L2: the eviction before the launch leaves up to one L2 to be written.
awk -v names='impl status dram_read_bytes dram_write_bytes bytes_impl stage' \
    -f tests/csv_columns.awk <"$out/gpu-check.csv" |
    awk -F '\t' '
    $2 == "ok" && $3 != "" && $4 != "" {
        ++counted
        if ($5 < 500e6)
            next
        key = $1 " " $6
        ratio = ($3 + $4) / $5
        least[key] = n[key] && least[key] < ratio ? least[key] : ratio
        most[key] = most[key] > ratio ? most[key] : ratio
        ++n[key]
    }
    END {
        printf "gpu-dram-bytes %d rows counted by the GPU\n", counted
        for (key in n)
            printf "gpu-dram-bytes-over-bytes-impl %s %.3f to %.3f (%d rows)\n", key, least[key],
                most[key], n[key]
    }' | tee -a "$log"

tar -czf "$out/gpu-check.tar.gz" -C "$out" check.log gpu-check.h5 gpu-check.csv
say "packed: ${1-gpu-check}/gpu-check.tar.gz; $((SECONDS - start)) s in all"
exit "$failed"
