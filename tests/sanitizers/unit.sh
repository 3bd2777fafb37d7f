#!/usr/bin/env bash
#
# Unit and golden tests under AddressSanitizer and UndefinedBehaviorSanitizer, in a build of their
# own in RP_BUILD/sanitized. With the argument "build" only that: scripts/test does it beforehand,
# because it takes minutes.
set -euo pipefail
cd "${RP_SOURCE:?}"
folder=${RP_BUILD:?}/sanitized

# Instrumented code makes gcc see truncations and null pointers that are not there, so its warnings
# do not count here; asserts do.
scripts/build "$folder" -DBUILD_TESTING=ON -DRP_SANITIZE=address,undefined -DRP_WERROR=OFF \
    -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g"
[ "${1-}" != build ] || exit 0

# OpenBLAS and OpenMP keep their thread pools until the end of the process; nothing else may leak.
cat >"$folder/leaks" <<'TEXT'
leak:libopenblas
leak:libgomp
leak:libomp
TEXT
export LSAN_OPTIONS=suppressions=$folder/leaks:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
cd "$folder"
# Instrumented code is too slow for tests of timing to say anything.
ctest -L '^(unit|golden)$' -E timing -j2 --output-on-failure --no-tests=error
