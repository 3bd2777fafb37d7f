#!/usr/bin/env bash
#
# clang-tidy with the checks of .clang-tidy over the product's sources.
set -euo pipefail
cd "${RP_SOURCE:?}"
command -v clang-tidy >/dev/null || {
    printf 'SKIP: no clang-tidy here\n'
    exit 77
}
database=${RP_BUILD:?}/compile_commands.json
[ -e "$database" ] || {
    printf 'SKIP: %s is not there (CMAKE_EXPORT_COMPILE_COMMANDS)\n' "$database"
    exit 77
}

log=$(mktemp "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -f "$log"' EXIT
# A file compiled several times, once per instruction set, is looked at once.
if ! sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$database" |
    grep -E '/(src|kernels|analysis)/[^"]*\.c$' | LC_ALL=C sort -u |
    xargs -P 2 -n 4 clang-tidy -p "$RP_BUILD" --quiet \
        --extra-arg=-Wno-unknown-warning-option >"$log" 2>&1; then
    grep -vE 'warnings? generated|^Suppressed |^Use -header-filter' "$log"
    exit 1
fi
