#!/usr/bin/env bash
#
# make.sh [outputs] - makes the files of this folder anew: what simulated GPUs and a CPU answer to
# job.yaml and to a small job, and what ridgepoint-analyze says of them. With `outputs` only the
# latter. Look at the difference before it is committed. Needs a build/ and unshare, which keeps the
# host's name out of the files.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export PATH=$PWD/../../../build:$PATH RP_BUILD=$PWD/../../../build RP_SOURCE=$PWD/../../..

make_fixtures() {
    local type
    hostname golden
    rm -f -- *.h5 *.h5.*
    for type in t4 a100-sxm-80gb h100-sxm-80gb; do
        ridgepoint run job.yaml -o "$type.h5" --device "simulated:$type" --progress none
    done
    ridgepoint run job.yaml -o t4-again.h5 --device simulated:t4 --set seed=1 --progress none
    (
        # shellcheck source=../../lib.sh
        . ../../lib.sh
        write_tiny_job "$OLDPWD/tiny.yaml"
    )
    ridgepoint run tiny.yaml -o cpu.h5 --device cpu --threads 1 --progress none
    rm tiny.yaml
}

if [ "${1-}" = inside ]; then
    make_fixtures
    exit
fi
[ "${1-}" = outputs ] || unshare --map-root-user --uts bash make.sh inside
while read -r name arguments; do
    code=0
    # shellcheck disable=SC2086 # words
    ridgepoint-analyze $arguments >"$name.txt" 2>&1 || code=$?
    printf 'exit code %s\n' "$code" >>"$name.txt"
done <commands
