#!/usr/bin/env bash
#
# ThreadSanitizer names both lines of a race between threads of a block, and blames nothing else.
set -euo pipefail
program=${RP_BUILD:?}/tests/cuda_planted_tsan
export HOST_CUDA_DEVICES=a100:2 HOST_CUDA_QUIET=1
export TSAN_OPTIONS=halt_on_error=1

# It wants its addresses where they are without randomisation.
run() {
    setarch "$(uname -m)" -R "$program" "$@"
}
if ! setarch "$(uname -m)" -R true 2>/dev/null; then
    run() { "$program" "$@"; }
fi

# finds NAME
finds() {
    local text
    if text=$(run "$1" 2>&1); then
        printf '%s: not found\n' "$1"
        exit 1
    fi
    case $text in
        *'ThreadSanitizer: data race'*planted_races.cu:*planted_races.cu:*) ;;
        *) printf '%s: no race with two lines in\n%s\n' "$1" "$text" && exit 1 ;;
    esac
}

finds 'no __syncthreads after a write'
finds 'no __syncthreads before an overwrite'
finds 'no __syncwarp'
finds 'no trailing barrier with two stages'
for order in up down random; do
    HOST_CUDA_ORDER=$order run --races
done
