#!/usr/bin/env bash
#
# A damaged file never takes ridgepoint-analyze down with it: every cut and every flipped byte ends
# with a code of its own, and a changed table is found.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

run_tiny tiny.h5
size=$(stat -c %s tiny.h5)
expect 0 "$ANALYZE" verify tiny.h5

found=0
flips=0
# A stride that meets no power of two, so that it wanders over headers, chunks and heaps alike.
for ((at = 0; at < size; at += size / 61 + 7)); do
    cp tiny.h5 flipped.h5
    byte=$(od -An -tu1 -j "$at" -N 1 tiny.h5)
    printf '%b' "\\x$(printf '%02x' $((byte ^ 0x5a)))" |
        dd of=flipped.h5 bs=1 seek="$at" conv=notrunc status=none
    code=0
    "$ANALYZE" verify flipped.h5 >"$OUT" 2>"$ERR" || code=$?
    case $code in
        0) ;; # a byte that nothing is stored in
        1 | 3) found=$((found + 1)) ;;
        *) show_last && fail "byte $at flipped: exit code $code" ;;
    esac
    [ "$code" = 0 ] || [ -s "$OUT" ] || [ -s "$ERR" ] || fail "byte $at flipped: not a word"
    flips=$((flips + 1))
done
[ "$flips" -gt 40 ] || fail "only $flips bytes flipped"
[ "$found" -gt $((flips / 4)) ] || fail "only $found of $flips flipped bytes found"

for part in 1 2 3 5 7; do
    head -c $((size * part / 8)) tiny.h5 >cut.h5
    for command in verify summary classes check export; do
        expect 3 "$ANALYZE" "$command" cut.h5
        cat "$OUT" "$ERR" >said
        expect_text said cut.h5 "$command names the file"
    done
    expect 3 "$ANALYZE" compare tiny.h5 cut.h5
    expect 3 "$ANALYZE" merge -o merged.h5 tiny.h5 cut.h5
    expect_no_file merged.h5
done
