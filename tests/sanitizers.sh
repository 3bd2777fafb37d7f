#!/usr/bin/env bash
#
# Unit and golden tests under AddressSanitizer and UndefinedBehaviorSanitizer. They are built into
# RP_BUILD/sanitized; scripts/test has done that before, alone this takes minutes.
set -euo pipefail
cd "${RP_SOURCE:?}"
folder=${RP_BUILD:?}/sanitized

cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON \
    -DRP_SANITIZE=address,undefined >/dev/null
cmake --build "$folder" --parallel 2

# OpenBLAS and OpenMP keep their thread pools until the end of the process; nothing else may leak.
cat >"$folder/leaks" <<'TEXT'
leak:libopenblas
leak:libgomp
leak:libomp
TEXT
export LSAN_OPTIONS=suppressions=$folder/leaks:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
cd "$folder"
ctest -L '^(unit|golden)$' -j2 --output-on-failure --no-tests=error
