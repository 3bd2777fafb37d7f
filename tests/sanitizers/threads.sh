#!/usr/bin/env bash
#
# The parallel regions of the CPU kernels under ThreadSanitizer, in a build of their own by clang in
# RP_BUILD/threads. libomp is not instrumented: Archer, a tool that it loads, tells the sanitizer
# what libomp orders, and this test fails where that did not come about. With the argument "build"
# only the build: scripts/test does it beforehand.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
folder=$RP_BUILD/threads
program=$folder/sanitizers_cpu_threads
log=$folder/threads.log

# Its path, or nothing: it lies beside libomp.
archer_of() { # PROGRAM
    local omp
    omp=$(realpath "$(ldd "$1" | awk '$1 ~ /^libomp/ { print $3 }')") || return 0
    find "${omp%/*}" -maxdepth 1 -name libarcher.so
}

printf 'int main(void) { return 0; }\n' >small.c
clang -fsanitize=thread -fopenmp small.c -o small 2>/dev/null ||
    skip 'no clang with ThreadSanitizer and OpenMP (scripts/setup --tests)'
archer=$(archer_of ./small)
[ -n "$archer" ] || skip 'no libarcher.so beside the libomp of clang'

generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$RP_BUILD/CMakeCache.txt")
mkdir -p "$folder"
{
    cmake -S "$RP_SOURCE" -B "$folder" -G "$generator" -DCMAKE_C_COMPILER=clang -DRP_CUDA=OFF \
        -DRP_SANITIZE=thread -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=Debug \
        '-DCMAKE_C_FLAGS_DEBUG=-O1 -g' &&
        cmake --build "$folder" --parallel "$(nproc)" --target sanitizers_cpu_threads
} >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    fail 'the build failed'
}
[ "${1-}" != build ] || exit 0

export OMP_TOOL_LIBRARIES=$archer ARCHER_OPTIONS=verbose=1 OMP_WAIT_POLICY=passive
export TSAN_OPTIONS=ignore_noninstrumented_modules=1
# The sanitizer wants its addresses where they are without randomisation.
run=(setarch "$(uname -m)" -R "$program")
setarch "$(uname -m)" -R true 2>/dev/null || run=("$program")

expect 0 "${run[@]}"
expect_text "$OUT" 'Archer detected OpenMP application with TSan' 'kernels as they are'

TSAN_OPTIONS+=:halt_on_error=1
expect 66 "${run[@]}" shared_scratch
expect_text "$ERR" 'WARNING: ThreadSanitizer: data race' 'threads that share a scratch'
