#!/usr/bin/env bash
#
# What gcc accepts without a warning, clang does too, and the other way round: every file is parsed
# by the compiler this build does not use, with this build's own options.
set -euo pipefail
cd "${RP_SOURCE:?}"
database=${RP_BUILD:?}/compile_commands.json
[ -e "$database" ] || {
    printf 'SKIP: %s is not there (CMAKE_EXPORT_COMPILE_COMMANDS)\n' "$database"
    exit 77
}
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$RP_BUILD/CMakeCache.txt")
if "$compiler" --version | grep -i clang >/dev/null; then
    other=gcc
else
    other=clang
fi
command -v "$other" >/dev/null || {
    printf 'SKIP: no %s here\n' "$other"
    exit 77
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# Each entry's command with the compiler exchanged, the output dropped, and parsing only.
sed -n 's/^ *"command": "\(.*\)",\{0,1\}$/\1/p' "$database" | sed -e 's/\\\\/\\/g' -e 's/\\"/"/g' \
    -e "s|^[^ ]*|$other|" -e 's| -o [^ ]*| |' -e 's| -c | -fsyntax-only |' \
    -e 's| -fsanitize=[^ ]*||g' -e 's| -fno-sanitize-recover=[^ ]*||g' \
    -e 's|$| -Werror|' >"$scratch/commands"
count=$(wc -l <"$scratch/commands")
[ "$count" -gt 20 ] || {
    printf 'only %s commands found: this check looks at the wrong place\n' "$count"
    exit 1
}
if ! (cd "$RP_BUILD" && tr '\n' '\0' <"$scratch/commands" |
    xargs -0 -P 2 -n 1 sh -c) >"$scratch/log" 2>&1; then
    cat "$scratch/log"
    printf '%s refuses what %s accepts\n' "$other" "$compiler"
    exit 1
fi
