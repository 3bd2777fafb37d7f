#!/usr/bin/env bash
#
# R4: a really full disk: nothing free at the start, too little for the journal, for the temporary
# file, and just enough, so that nothing is left at the rename. Exit code 3 and the file named, the
# old file untouched, nothing done is lost; with space the same command finishes.
# shellcheck source-path=SCRIPTDIR source=../lib.sh

# The disk is a tmpfs of a mount namespace of our own, which goes with the last of its processes.
if [ -z "${RP_OWN_MOUNTS-}" ]; then
    for options in '' '--user --map-root-user'; do
        # shellcheck disable=SC2086
        if unshare $options --mount mount -t tmpfs none /mnt 2>/dev/null; then
            RP_OWN_MOUNTS=1 exec unshare $options --mount bash "$0"
        fi
    done
fi
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
[ -n "${RP_OWN_MOUNTS-}" ] || skip 'no tmpfs can be mounted, as root or in a user namespace'
cd /
mkdir "$SCRATCH/disk"
mount -t tmpfs -o size=16m none "$SCRATCH/disk"
trap 'umount "$SCRATCH/disk"; rm -rf "$SCRATCH"' EXIT
cd "$SCRATCH"

set_free() { # KIB: so much is free on the disk
    local available
    rm -f disk/filler
    available=$(df --output=avail -k disk | tail -n 1)
    head -c $(((available - $1) * 1024)) /dev/zero >disk/filler
}
# The file holds one GPU type; the runs below add another.
write_sweep_job sweep.yaml
expect 0 "$RIDGEPOINT" run sweep.yaml -o old.h5 --device simulated:t4 --progress none
run=("$RIDGEPOINT" run sweep.yaml -o disk/f.h5 --device simulated:h200)
cp old.h5 disk/f.h5
expect 0 "${run[@]}" --progress none
cp disk/f.h5 whole.h5
table_of whole.h5 >whole.txt
expect_equal "$(wc -l <whole.txt)" $((2 * SWEEP_ROWS)) 'rows with both types'

# try KIB: with so much free. $code is how it ended; what it left is whole, and is completed.
try() {
    local reported
    code=0
    rm -f disk/*
    cp old.h5 disk/f.h5
    set_free "$1"
    "${run[@]}" --progress bar >/dev/null 2>"$ERR" || code=$?
    cp "$ERR" failure
    printf '%s KiB free: exit code %s, %s\n' "$1" "$code" "$(tr '\r' '\n' <failure | tail -n 1)"
    set_free 8192
    if [ "$code" -eq 3 ]; then
        cmp old.h5 disk/f.h5 || fail "$1 KiB: the old file is touched"
        expect_text failure 'disk/f.h5' 'the message names the file'
        expect_no_file disk/f.h5.tmp disk/f.h5.lock
        reported=$(rows_reported failure)
        expect 0 "${run[@]}" --progress none
        # What was reported as done was not measured again.
        [ "$(export_columns disk/f.h5 run | grep -c '^1$')" -ge "${reported:-0}" ] ||
            fail "$1 KiB: of ${reported:-0} rows that were done some were measured again"
    else
        expect_equal "$code" 0 "$1 KiB: exit code"
    fi
    table_of disk/f.h5 | cmp - whole.txt || fail "$1 KiB: the table differs"
    expect 0 "$ANALYZE" verify disk/f.h5
    expect_no_file disk/f.h5.journal disk/f.h5.lock disk/f.h5.tmp
}
try 0
expect_equal "$code" 3 'nothing free at the start'
expect_text failure 'results cannot be written' 'nothing free at the start'
try 64
expect_equal "$code" 3 'too little for the journal'
expect_text failure 'disk/f.h5.journal: no space left' 'too little for the journal'

# Between too little and enough: to the page that decides whether the temporary file fits.
low=16
high=256
while [ $((high - low)) -gt 1 ]; do
    pages=$(((low + high) / 2))
    try $((4 * pages))
    if [ "$code" -eq 0 ]; then
        high=$pages
    else
        low=$pages
        cp failure edge
    fi
done
[ "$high" -lt 256 ] || fail 'no size was enough'
expect_text edge 'disk/f.h5.tmp' 'a page too little for the temporary file'
