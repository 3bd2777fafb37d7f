# shellcheck shell=bash
#
# lib_cpu.sh - what the benchmarks of the CPU kernels share. Sourced after lib.sh.

set -euo pipefail

# Waiting threads spin, so that CPU time is time; every thread has a core to itself.
export OMP_WAIT_POLICY=active

BENCH_KERNELS=$RP_BUILD/tests/bench_cpu_kernels
[ -x "$BENCH_KERNELS" ] || skip 'not built: the tests need cmocka (scripts/setup --tests)'

# An OpenBLAS older than the processor takes kernels for narrower vectors: the fastest counts.
choose_blas() {
    local core rate best=0 fastest=
    for core in '' Haswell SkylakeX; do
        rate=$(OPENBLAS_CORETYPE=$core "$BENCH_KERNELS" gemm 1 2>/dev/null) || continue
        if awk -v rate="${rate##* }" -v best="$best" 'BEGIN { exit !(rate > best) }'; then
            best=${rate##* }
            fastest=$core
        fi
    done
    export OPENBLAS_CORETYPE=$fastest
}
choose_blas

# bench_kernels MODE THREADS: its lines, NAME RATIO, are in $OUT and on standard error.
bench_kernels() {
    [ "$2" -le "$(nproc)" ] || skip "$2 cores are needed"
    expect 0 "$BENCH_KERNELS" "$@"
    sed "s/^/    $1 /" "$OUT" >&2
}

figure_of() { # NAME
    awk -v name="$1" '$1 == name { print $2 }' "$OUT"
}

# Over the lines whose name begins with PREFIX.
geometric_mean() { # PREFIX
    awk -v prefix="$1" 'index($1, prefix) == 1 { sum += log($2); ++n }
        END { printf "%.3f\n", exp(sum / n) }' "$OUT"
}
smallest() { # PREFIX
    awk -v prefix="$1" 'index($1, prefix) == 1 { print $2 }' "$OUT" | sort -g | head -n 1
}
largest() { # PREFIX
    awk -v prefix="$1" 'index($1, prefix) == 1 { print $2 }' "$OUT" | sort -g | tail -n 1
}
