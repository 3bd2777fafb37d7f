#!/usr/bin/env bash
#
# Nothing that holds on one machine only: no home folder, no private host, no person's address.
set -euo pipefail
cd "${RP_SOURCE:?}"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
if command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1; then
    git -c core.quotePath=false ls-files -z >"$scratch/files"
else
    find . -path './build*' -prune -o -path ./results -prune -o -type f -print0 >"$scratch/files"
fi

faults=0
# forbid PATTERN WHY
forbid() {
    if xargs -0 grep -IHnE -- "$1" <"$scratch/files" 2>/dev/null >"$scratch/hits"; then
        sed "s|\$|    <- $2|" "$scratch/hits"
        faults=$((faults + 1))
    fi
}
forbid '(^|[^A-Za-z0-9_.}])/(home|root|Users|work|scratch|mnt|nfs)/[A-Za-z0-9_]' \
    'a folder of one machine'
forbid '/tmp/[b]uild' 'a folder of one machine'
forbid '[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.(com|org|net|edu|io|de|dev|local)' "somebody's address"
forbid '(^|[^A-Za-z0-9.-])[a-z0-9-]+\.(internal|intranet|corp|lan)([^A-Za-z0-9(]|$)' \
    'a private host'
forbid '(^|[^0-9.])(10|127|192\.168|172\.(1[6-9]|2[0-9]|3[01]))(\.[0-9]{1,3}){2,3}(:|[^0-9.]|$)' \
    'the address of a machine'
forbid 'https?://[^/ ]*(registry|artifactory|nexus|mirror|proxy)' 'a registry'
[ "$faults" -eq 0 ]
