#!/usr/bin/env bash
#
# Files to 500 lines (a warning) and 800 (a fault), functions to 60 lines, lines to 100 columns.
# Relies on the code being formatted: a function's braces, and no others, stand alone in column 0.
set -euo pipefail
cd "${RP_SOURCE:?}"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

find src kernels analysis tests \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' \) |
    LC_ALL=C sort >"$scratch/sources"
{
    find scripts tests \( -name '*.sh' -o -path 'scripts/*' \) -type f
    find slurm tests/slurm -type f
} | LC_ALL=C sort -u >"$scratch/scripts"
[ "$(wc -l <"$scratch/sources")" -gt 20 ] || {
    printf 'few sources found: this check looks at the wrong place\n'
    exit 1
}

xargs awk '
    FNR == 1 { inside = 0; signature = "" }
    /^\{$/ && !inside { inside = 1; start = FNR; name = signature; next }
    /^\}/ && inside {
        inside = 0
        if (FNR - start + 1 > 60) {
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            printf "%s:%d: %s has %d lines; 60 are enough\n", FILENAME, start, name, FNR - start + 1
        }
    }
    # The line of a signature that holds the name: it starts in column 0 and opens the parameters.
    !inside && /^[A-Za-z_].*\(/ { signature = $0 }
' <"$scratch/sources" >"$scratch/faults"

# Columns, not bytes: a continuation byte of UTF-8 has no width.
cat "$scratch/sources" "$scratch/scripts" | LC_ALL=C xargs awk '
    {
        line = $0
        gsub(/[\200-\277]/, "", line)
        if (length(line) > 100)
            printf "%s:%d: %d columns; 100 are enough\n", FILENAME, FNR, length(line)
    }
' >>"$scratch/faults"

while IFS= read -r path; do
    lines=$(wc -l <"$path")
    if [ "$lines" -gt 800 ]; then
        printf '%s: %s lines; 800 at most\n' "$path" "$lines" >>"$scratch/faults"
    elif [ "$lines" -gt 500 ]; then
        printf 'warning: %s: %s lines; are these two files?\n' "$path" "$lines"
    fi
done <"$scratch/sources"

if [ -s "$scratch/faults" ]; then
    cat "$scratch/faults"
    exit 1
fi
