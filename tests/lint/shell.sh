#!/usr/bin/env bash
#
# Every script passes shellcheck and starts strict; none asks "grep -q" at the end of a pipe, which
# ends at the first match: what still writes is killed, and with pipefail the answer is no.
set -euo pipefail
cd "${RP_SOURCE:?}"
command -v shellcheck >/dev/null || {
    printf 'SKIP: no shellcheck here\n'
    exit 77
}

mapfile -t scripts < <({
    find scripts .ci tests \( -name '*.sh' -o -path 'scripts/*' -o -path '.ci/*' \) -type f
    find slurm tests/slurm -type f ! -name '*.env'
} | LC_ALL=C sort -u)
[ ${#scripts[@]} -gt 10 ] || {
    printf 'few scripts found: this check looks at the wrong place\n'
    exit 1
}
# SC2016: programs for awk and grep stand in single quotes, with their own $ and backticks.
shellcheck -x -e SC2016 "${scripts[@]}"

faults=0
for script in "${scripts[@]}"; do
    if ! grep -qE '^set -euo pipefail$|^(\.|source) .*lib\.sh"?$' "$script"; then
        printf '%s: neither "set -euo pipefail" nor lib.sh\n' "$script"
        faults=$((faults + 1))
    fi
done
if grep -nE '(^|[^|])[|] *grep -[a-zA-Z]*q' "${scripts[@]}"; then
    printf 'grep -q behind a pipe; use >/dev/null\n'
    faults=$((faults + 1))
fi
[ "$faults" -eq 0 ]
