#!/usr/bin/env bash
#
# scripts/setup: quiet when nothing is missing; installs what is, and that alone; says what to load
# where it cannot install. A pkg-config that does not know libyaml plays the bare machine, an
# apt-get that makes it known plays the installation.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

mkdir stubs
cat >stubs/pkg-config <<'STUB'
#!/bin/sh
case "$*" in
    *yaml*) test -e "$SETUP_STUBS/installed" ;;
    *) exit 0 ;;
esac
STUB
cat >stubs/apt-get <<'STUB'
#!/bin/sh
echo "$DEBIAN_FRONTEND: $*" >>"$SETUP_STUBS/log"
case "$1" in
    install) [ -e "$SETUP_STUBS/broken" ] || touch "$SETUP_STUBS/installed" ;;
esac
STUB
cat >stubs/sudo <<'STUB'
#!/bin/sh
[ "$1" = -n ] && shift
exec "$@"
STUB
chmod +x stubs/*
export SETUP_STUBS=$SCRATCH/stubs
setup=("$RP_SOURCE/scripts/setup")
export PATH=$SETUP_STUBS:$PATH

expect 0 "${setup[@]}"
expect_text "$OUT" libyaml 'what is missing is named'
expect_equal "$(cat stubs/log)" "$(printf '%s\n' 'noninteractive: update -qq' \
    'noninteractive: install -y -qq --no-install-recommends libyaml-dev')" 'calls of apt-get'

# A second time there is nothing to do and nothing to say.
expect 0 "${setup[@]}"
expect_equal "$(cat "$OUT" "$ERR")" '' 'output with nothing missing'
expect_equal "$(wc -l <stubs/log)" 2 'calls of apt-get after the second time'

# Installed, and still not there.
rm stubs/installed
touch stubs/broken
expect 3 "${setup[@]}"
expect_text "$ERR" libyaml 'what is still missing is named'

# No apt-get here: names what to load. Everything else of the PATH is linked into one folder.
mkdir elsewhere
IFS=: read -r -a folders <<<"$PATH"
for ((i = ${#folders[@]} - 1; i >= 0; --i)); do
    find -L "${folders[$i]}" -maxdepth 1 -type f -exec ln -sf -t elsewhere {} + 2>/dev/null || true
done
rm elsewhere/apt-get
rm -f stubs/log
PATH=$SCRATCH/elsewhere expect 3 "${setup[@]}"
expect_text "$ERR" libyaml 'what is missing is named'
expect_text "$ERR" libyaml-dev 'what Debian calls it'
expect_text "$ERR" 'module load' 'how a cluster has it'
expect_no_file stubs/log

expect 2 "${setup[@]}" --everything
expect 0 "${setup[@]}" --help
