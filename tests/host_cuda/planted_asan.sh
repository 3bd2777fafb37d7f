#!/usr/bin/env bash
#
# AddressSanitizer sees what lies beyond a buffer, shared or global, and blames nothing else.
set -euo pipefail
program=${RP_BUILD:?}/tests/cuda_planted_asan
export HOST_CUDA_DEVICES=a100:2 HOST_CUDA_QUIET=1

# finds NAME KIND
finds() {
    local text
    if text=$("$program" "$1" 2>&1); then
        printf '%s: not found\n' "$1"
        exit 1
    fi
    case $text in
        *"AddressSanitizer: $2"*) ;;
        *) printf '%s: no "%s" in\n%s\n' "$1" "$2" "$text" && exit 1 ;;
    esac
}

finds 'dynamic shared overrun' heap-buffer-overflow
finds 'global read past the end' heap-buffer-overflow
finds 'global write past the end' heap-buffer-overflow
finds 'overrun of a row' global-buffer-overflow
for order in up down random; do
    HOST_CUDA_ORDER=$order "$program"
done
