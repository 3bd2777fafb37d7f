#!/usr/bin/env bash
#
# Builds the job reader with libFuzzer and both sanitizers, and feeds it mutations of small jobs for
# a few seconds. RP_FUZZ_SECONDS and RP_FUZZ_CORPUS (kept and grown) make it longer.
set -euo pipefail
cd "${RP_SOURCE:?}"

skip() {
    printf 'SKIP: %s\n' "$1"
    exit 77
}

clang=$(command -v clang || command -v clang-14) || skip 'no clang here'
build=${RP_BUILD:?}/fuzz
mkdir -p "$build"

printf 'int LLVMFuzzerTestOneInput(const unsigned char *b, unsigned long n) { return !b && n; }\n' \
    >"$build/probe.c"
"$clang" -fsanitize=fuzzer,address,undefined "$build/probe.c" -o "$build/probe" 2>/dev/null ||
    skip 'clang has no libFuzzer or sanitizer runtime (Debian: libclang-rt-14-dev)'

# The reader and what it stands on; rng needs Random123 and is not part of it.
sources=(tests/fuzz/fuzz_job.c src/model/*.c src/plan/*.c)
for source in src/base/*.c; do
    [ "$source" = src/base/rng.c ] || sources+=("$source")
done
flags=(-std=c11 -D_GNU_SOURCE -g -O1 "-fsanitize=fuzzer,address,undefined"
    -fno-sanitize-recover=undefined -Isrc)

export clang build
rm -f "$build"/*.o
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I '{}' sh -c '
    source=$1
    shift
    "$clang" "$@" -c "$source" -o "$build/$(basename "$source" .c).o"
' compile '{}' "${flags[@]}"
"$clang" "${flags[@]}" "$build"/*.o -o "$build/fuzz_job" -lyaml -lcrypto -lm

# Mutations work on a copy: the committed seeds stay as they are.
corpus=${RP_FUZZ_CORPUS:-$build/corpus}
mkdir -p "$corpus"
ASAN_OPTIONS=allocator_may_return_null=1 "$build/fuzz_job" \
    -max_total_time="${RP_FUZZ_SECONDS:-15}" -max_len=4096 -timeout=30 -rss_limit_mb=3000 \
    -dict=tests/fuzz/job.dict -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="$build/crash-" "$corpus" tests/fuzz/corpus jobs 2>"$build/log" || {
    tail -n 60 "$build/log"
    exit 1
}
executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/log")
printf 'executed %s inputs\n' "${executed:-0}"
[ "${executed:-0}" -gt 500 ]
