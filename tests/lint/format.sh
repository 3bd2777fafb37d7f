#!/usr/bin/env bash
#
# Everything is as clang-format leaves it. Versions differ in small ways: 14 is the one that counts.
set -euo pipefail
cd "${RP_SOURCE:?}"

program=
for candidate in clang-format-14 clang-format; do
    if command -v "$candidate" >/dev/null && "$candidate" --version | grep ' 14\.' >/dev/null; then
        program=$candidate
        break
    fi
done
if [ -z "$program" ]; then
    printf 'SKIP: no clang-format 14 here\n'
    exit 77
fi
find src kernels analysis tests \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
    xargs -0 "$program" --dry-run -Werror
