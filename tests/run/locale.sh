#!/usr/bin/env bash
#
# The same parse and the same output, byte for byte, where the decimal sign is a comma.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ -e /usr/share/i18n/locales/de_DE ] || skip 'no sources of locales here'
mkdir locales
localedef -i de_DE -f UTF-8 --no-archive locales/de_DE.UTF-8 >/dev/null 2>&1 || true
export LOCPATH=$SCRATCH/locales
comma=$(LC_ALL=de_DE.UTF-8 bash -c 'printf "%.1f" "1,5"' 2>/dev/null) || true
expect_equal "$comma" '1,5' 'the locale made for this test has a decimal comma'

LC_ALL=C run_tiny plain.h5
for command in 'export --format csv' 'export --format json' summary check verify; do
    plain=0
    comma=0
    # shellcheck disable=SC2086
    LC_ALL=C "$ANALYZE" $command plain.h5 >plain.out 2>plain.err || plain=$?
    # shellcheck disable=SC2086
    LC_ALL=de_DE.UTF-8 "$ANALYZE" $command plain.h5 >comma.out 2>comma.err || comma=$?
    expect_equal "$comma" "$plain" "exit code of $command under de_DE"
    cmp plain.out comma.out || fail "$command prints something else under de_DE"
    cmp plain.err comma.err || fail "$command complains otherwise under de_DE"
done

# What was parsed: rows carry the hash of the protocol, in which every number of the job is.
export LC_ALL=de_DE.UTF-8
run_tiny comma.h5
expect_equal "$(export_columns comma.h5 point impl protocol status | sort)" \
    "$(export_columns plain.h5 point impl protocol status | sort)" 'rows under de_DE'
expect 0 "$RIDGEPOINT" run tiny.yaml -o plain.h5 --device cpu --threads 1 --progress none
