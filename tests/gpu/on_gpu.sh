#!/usr/bin/env bash
#
# Runs a test program where a GPU can be used; elsewhere it is skipped, with the reason.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$RP_SOURCE/tests/lib.sh"

usable=$("$RIDGEPOINT" devices --format csv | csv_columns backend usable reason | grep '^cuda')
case "$usable" in
    *true*) ;;
    *) skip "${usable##*$'\t'}" ;;
esac
cd "$RP_SOURCE"
"$@"
