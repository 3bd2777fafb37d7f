#!/usr/bin/env bash
#
# The product with --device cuda, on the host's CUDA: two ranks on two GPUs of each kind, what a T4
# lacks, out of memory, launches and library calls that fail, a lost device, machines without one.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$RP_SOURCE/tests/lib.sh"

RIDGEPOINT=$RP_BUILD/tests/cuda_ridgepoint
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive

cat >small.yaml <<'YAML'
name: small
measure: {min_samples: 6, max_samples: 6, max_time_s: 0.2, cache: warm}
verify: {rows: 8}
sweep:
  - {stage: prefill, heads: 2, kv_heads: 1, seq: 33, head_dim: 16, dtype: [fp32, tf32, fp16, bf16],
     causal: true, impl: [naive, reference, fused]}
  - {stage: decode, heads: 4, kv_heads: 2, seq_k: 40, head_dim: 16, dtype: fp16}
YAML
rows=15

# run_on DEVICES FILE.h5 [OPTION...]
run_on() {
    local devices=$1 file=$2
    shift 2
    HOST_CUDA_DEVICES=$devices "$RIDGEPOINT" run small.yaml -o "$file" --device cuda \
        --data "$RP_SOURCE/data" --progress none "$@"
}

for kind in t4 a100 h100; do
    HOST_CUDA_DEVICES=$kind:2 expect 0 mpirun --oversubscribe --bind-to none -n 2 "$RIDGEPOINT" \
        run small.yaml -o "$kind.h5" --device cuda --data "$RP_SOURCE/data" --progress none
    expect_equal "$(export_columns "$kind.h5" point impl | sort -u | wc -l)" "$rows" \
        "$kind: every row once"
    words='ok:14 unsupported:1' # naive in tf32
    [ "$kind" != t4 ] || words='ok:9 unsupported:6' # and bf16 and tf32 need sm_80
    expect_equal "$(count_words "$kind.h5" status)" "$words" "$kind: status"
    expect_equal "$(export_columns "$kind.h5" gpu_type | cut -d- -f1 | sort -u)" "$kind" "GPU type"
    expect 0 "$ANALYZE" summary "$kind.h5"
done

# Without an order of their own the ranks would share a GPU; with one visible they do, and it is
# refused.
HOST_CUDA_DEVICES=t4 expect 3 mpirun --oversubscribe --bind-to none -n 2 "$RIDGEPOINT" run \
    small.yaml -o shared.h5 --device cuda --data "$RP_SOURCE/data" --progress none
expect_text "$ERR" 'both have device GPU-' 'two ranks on one GPU'

for case in 'nodriver:no NVIDIA driver is loaded' 'none:no NVIDIA GPU is visible'; do
    expect 3 run_on "${case%%:*}" none.h5
    expect_text "$ERR" "${case#*:}" "${case%%:*}"
    HOST_CUDA_DEVICES=${case%%:*} expect 0 "$RIDGEPOINT" devices --format csv
    expect_text "$OUT" "${case#*:}" 'the list of devices says why'
done

# A point that does not fit is a row, and the others are measured.
cat >large.yaml <<'YAML'
name: large
measure: {min_samples: 6, max_samples: 6, max_time_s: 0.2}
verify: {rows: 2}
sweep:
  - {stage: decode, heads: 4, seq_k: [64, 1M], head_dim: 64, dtype: fp16}
YAML
HOST_CUDA_DEVICES=t4 HOST_CUDA_MEMORY_MB=256 expect 0 "$RIDGEPOINT" run large.yaml -o large.h5 \
    --device cuda --data "$RP_SOURCE/data" --progress none
expect_equal "$(count_words large.h5 status)" 'ok:3 oom:3' 'out of memory'

# A library call that fails is an error row of its own; the device goes on.
HOST_CUDA_FAIL=cublasGemmStridedBatchedEx:8:14 expect 1 run_on t4 library.h5
expect_equal "$(count_words library.h5 status)" 'error:1 ok:8 unsupported:6' 'a failed library call'
expect_text <(export_columns library.h5 reason) 'cuBLAS' 'the reason names the library'

# cuDNN where a job names it: measured with the workspace it asks for, its rows whole; where it is
# not there, too old, refuses or breaks, the row says so in its words.
cudnn_folder=$RP_BUILD/tests/host_cuda/cudnn
cat >cudnn.yaml <<'YAML'
name: cudnn
measure: {min_samples: 6, max_samples: 6, max_time_s: 0.2, cache: warm}
verify: {rows: 8}
sweep:
  - {stage: prefill, heads: 4, kv_heads: 2, seq_q: 9, seq_k: 33, head_dim: [16, 12],
     dtype: [fp16, fp32], impl: [reference, cudnn]}
YAML
cudnn_on() { # DEVICES FILE.h5 FOLDER-OF-THE-LIBRARY
    HOST_CUDA_DEVICES=$1 LD_LIBRARY_PATH=$3 "$RIDGEPOINT" run cudnn.yaml -o "$2" --device cuda \
        --data "$RP_SOURCE/data" --progress none
}
cudnn_reasons() { # FILE.h5
    export_columns "$1" impl status reason | grep '^cudnn' | sort
}
expect 0 cudnn_on a100 cudnn.h5 "$cudnn_folder"
expect_equal "$(count_words cudnn.h5 status)" 'ok:5 unsupported:3' 'cuDNN'
expect_text <(cudnn_reasons cudnn.h5) 'hidden_dim is no multiple of 8' 'what cuDNN refuses'
expect_text <(cudnn_reasons cudnn.h5) 'for fp16 and bf16, not fp32' 'what cuDNN has not'
tensors=$((2 * 16 * (2 * 4 * 9 + 2 * 2 * 33)))
expect_equal "$(export_columns cudnn.h5 impl status predicted_memory_bytes peak_memory_bytes |
    grep -P '^cudnn\tok' | cut -f3- | tr '\t' ' ')" \
    "$((tensors + 4096)) $((tensors + 4096))" 'the workspace is counted'
expect 0 "$ANALYZE" verify cudnn.h5
expect 0 "$ANALYZE" summary cudnn.h5
expect 0 cudnn_on t4 cudnn-t4.h5 "$cudnn_folder"
expect_text <(cudnn_reasons cudnn-t4.h5) 'needs compute capability 8.0' 'a T4'
mkdir -p no-cudnn
: >no-cudnn/libcudnn.so.9
expect 0 cudnn_on a100 cudnn-none.h5 "$PWD/no-cudnn"
expect_text <(cudnn_reasons cudnn-none.h5) 'libcudnn.so.9 not found or not loaded' 'without cuDNN'
HOST_CUDA_FAIL=cudnnBackendExecute:2:5001 expect 1 cudnn_on a100 cudnn-fails.h5 "$cudnn_folder"
expect_equal "$(count_words cudnn-fails.h5 status)" 'error:1 ok:4 unsupported:3' 'cuDNN breaks'
expect 0 "$RIDGEPOINT" run cudnn.yaml -o cudnn-cpu.h5 --device cpu --progress none
expect_text <(cudnn_reasons cudnn-cpu.h5) "the cpu device has no kernel 'cudnn'" 'on a CPU'

# Traffic that the GPU counts: in the rows that were measured, and only when asked for; refused, the
# columns stay empty and the reason is told once.
if [ -e "$RP_BUILD/tests/host_cuda/cupti/libcupti.so.13" ]; then
    traffic_of() { # FILE.h5: per status, how many rows have how many of the two numbers
        export_columns "$1" status dram_read_bytes dram_write_bytes |
            awk -F '\t' '{ print $1, ($2 != "") + ($3 != "") }' | sort | uniq -c |
            awk '{ print $2, $3, $1 }' | paste -s -d ' '
    }
    export LD_LIBRARY_PATH=$RP_BUILD/tests/host_cuda/cupti
    expect 0 run_on a100 dram.h5 --dram-bytes
    expect_equal "$(traffic_of dram.h5)" 'ok 2 14 unsupported 0 1' 'counted traffic'
    expect_equal "$(export_columns dram.h5 dram_read_bytes | grep . | sort -u | wc -l)" 14 \
        'a count of its own for each row'
    point=$(export_columns dram.h5 point dtype impl | awk '$2 == "bf16" && $3 == "fused"' | cut -f1)
    expect 0 "$ANALYZE" explain dram.h5 --point "$point" --impl fused
    expect_text "$OUT" 'dram_over_bytes_impl'
    expect 0 "$ANALYZE" verify dram.h5
    FAKE_CUPTI_FAIL=cuptiRangeProfilerEnable:35 expect 0 run_on a100 refused.h5 --dram-bytes
    expect_equal "$(traffic_of refused.h5)" 'ok 0 14 unsupported 0 1' 'refused traffic'
    expect_equal "$(grep -c 'is not counted: .*NVreg_RestrictProfilingToAdminUsers=0' "$ERR")" 1 \
        'what to do is told once'
    unset LD_LIBRARY_PATH
    expect_equal "$(traffic_of a100.h5)" 'ok 0 14 unsupported 0 1' 'not asked for'
fi
expect 0 "$RIDGEPOINT" run small.yaml -o dram-cpu.h5 --device cpu --progress none --dram-bytes
expect_equal "$(grep -c 'the cpu device has no counters' "$ERR")" 1 'a CPU'

# An error that stays ends the worker: its row says so, a fresh worker has a fresh context.
HOST_CUDA_FAIL=cudaMalloc:24:700 expect 1 run_on t4 lost.h5
expect_text "$ERR" 'a fresh worker goes on' 'a lost device'
expect_equal "$(count_words lost.h5 status)" 'error:1 ok:8 unsupported:6' 'one row is lost with it'
expect_text <(export_columns lost.h5 reason) 'an illegal memory access' 'the reason says why'
expect 0 run_on t4 lost.h5 --retry error
expect_equal "$(count_words lost.h5 status)" 'ok:9 unsupported:6' 'and is measured when asked to'

# Every worker meets this one before its first row: the device retires.
HOST_CUDA_FAIL=LAUNCH:3:700 expect 3 run_on t4 retired.h5
expect_text "$ERR" 'an illegal memory access' 'a device that is lost at once'
