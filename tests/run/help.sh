#!/usr/bin/env bash
#
# Every command helps itself: --help on standard output, exit code 0, with one worked example.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

check_help() {
    expect 0 "$@" --help
    grep -qi '^ *examples\{0,1\}:' "$OUT" || fail "$* --help has no example"
    [ ! -s "$ERR" ] || fail "$* --help writes to standard error"
}

# The programs themselves: their commands, and a command line to start with.
expect 0 "$RIDGEPOINT" --help
expect_text "$OUT" 'ridgepoint run jobs/notebook.yaml' 'ridgepoint --help has an example'
for command in run plan devices; do
    expect_text "$OUT" "$command" 'ridgepoint --help lists its commands'
done
expect 0 "$ANALYZE" --help
expect_text "$OUT" 'ridgepoint-analyze summary results/notebook.h5' 'the help has an example'
for command in summary classes check verify compare merge report figures export; do
    expect_text "$OUT" "$command" 'ridgepoint-analyze --help lists its commands'
done

check_help "$RIDGEPOINT" run
for option in output device threads set progress overwrite point data log-level; do
    expect_text "$OUT" "--$option" 'ridgepoint run --help lists its options'
done
check_help "$RIDGEPOINT" plan
for option in gpu from ranks nodes threads set only point data format; do
    expect_text "$OUT" "--$option" 'ridgepoint plan --help lists its options'
done
check_help "$RIDGEPOINT" devices
expect_text "$OUT" '--format' 'ridgepoint devices --help lists its options'
for command in summary classes check verify compare merge report figures export; do
    check_help "$ANALYZE" "$command"
done

expect 0 "$RIDGEPOINT" --version
version=$(cat "$OUT")
expect_text "$OUT" ridgepoint 'the version says of what'
expect 0 "$ANALYZE" --version
expect_equal "$(sed 's/-analyze//' "$OUT")" "$version" 'both programs have one version'

# A bare call is a question, not a success.
expect 2 "$RIDGEPOINT"
grep -qi usage "$OUT" "$ERR" || fail 'a bare ridgepoint prints no usage'
expect 2 "$ANALYZE"
grep -qi usage "$OUT" "$ERR" || fail 'a bare ridgepoint-analyze prints no usage'
