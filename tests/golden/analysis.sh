#!/usr/bin/env bash
#
# What ridgepoint-analyze says of the files in tests/golden/analysis is, to the byte, what it said
# when somebody looked at it; analysis/make.sh writes it anew, for another look.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

golden=$RP_SOURCE/tests/golden/analysis
differs=0
while read -r name arguments; do
    code=0
    # shellcheck disable=SC2086 # words
    (cd "$golden" && "$ANALYZE" $arguments) >"$name.txt" 2>&1 || code=$?
    printf 'exit code %s\n' "$code" >>"$name.txt"
    diff -u "$golden/$name.txt" "$name.txt" || differs=1
done <"$golden/commands"
[ "$differs" = 0 ] ||
    fail 'outputs differ (- recorded, + now); if the change is meant: analysis/make.sh outputs'
