#!/usr/bin/env bash
#
# Exit codes 0, 2 and 3 of both programs, and that nothing is written where nothing may be.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml

# 0, and the same command again.
run_tiny tiny.h5
[ -s tiny.h5 ] || fail 'a run that exits with 0 wrote no file'
expect 0 "$ANALYZE" verify tiny.h5
expect 0 "$ANALYZE" summary tiny.h5
[ -s "$OUT" ] || fail 'summary prints nothing'

# 2: bad usage.
for program in "$RIDGEPOINT" "$ANALYZE"; do
    expect 2 "$program"
    [ -s "$OUT" ] || [ -s "$ERR" ] || fail "a bare $program says nothing"
    expect 2 "$program" no-such-command
    expect_text "$ERR" no-such-command "$program names the command it does not know"
    expect 0 "$program" --version
done
mkdir empty
cd empty
expect 2 "$RIDGEPOINT" run
expect 2 "$RIDGEPOINT" run ../tiny.yaml --no-such-option
expect_text "$ERR" no-such-option 'an unknown option is named'
expect 2 "$RIDGEPOINT" run ../tiny.yaml --progress loud
expect_text "$ERR" loud 'a value that is no choice is named'
expect 2 "$RIDGEPOINT" run ../tiny.yaml --threads -1
expect 2 "$RIDGEPOINT" run ../tiny.yaml --threads 1e3
expect 2 "$RIDGEPOINT" run ../tiny.yaml ../tiny.yaml
expect 2 "$RIDGEPOINT" devices --format xml
expect 2 "$ANALYZE" summary
expect 2 "$ANALYZE" export --format xml ../tiny.h5
expect 2 "$ANALYZE" verify --no-such-option ../tiny.h5

# 2: a bad job, refused by position, before anything is written.
sed 's/heads: 4/haeds: 4/' ../tiny.yaml >../bad.yaml
expect 2 "$RIDGEPOINT" run ../bad.yaml -o bad.h5
expect_text "$ERR" '../bad.yaml:13:' 'a bad job is refused by line'
expect_text "$ERR" haeds 'the key is named'
expect_text "$ERR" 'heads' 'a near miss gets a suggestion'
expect 2 "$RIDGEPOINT" run ../no-such-job.yaml -o bad.h5
expect_text "$ERR" no-such-job.yaml 'the missing job is named'
expect 2 "$RIDGEPOINT" run ../tiny.yaml --set measure.no_such_key=1 -o bad.h5
[ -z "$(ls -A)" ] || fail "written in spite of exit code 2: $(ls -A)"
cd ..

# 3: the environment.
printf 'a file\n' >in_the_way
expect 3 "$RIDGEPOINT" run tiny.yaml -o in_the_way/tiny.h5 --progress none
expect_text "$ERR" in_the_way 'the path that cannot be written is named'
expect 3 "$RIDGEPOINT" run tiny.yaml -o /proc/tiny.h5 --progress none
expect 3 "$RIDGEPOINT" run tiny.yaml -o . --progress none

head -c 4096 /dev/urandom >garbage.h5
cp garbage.h5 garbage.kept
expect 3 "$RIDGEPOINT" run tiny.yaml -o garbage.h5 --progress none
expect_text "$ERR" garbage.h5 'the damaged file is named'
cmp garbage.h5 garbage.kept || fail 'a file that is not ours was changed'
for command in summary classes check verify export; do
    # What is wrong with a file is verify's answer, and an error of the others.
    where=$ERR
    [ "$command" != verify ] || where=$OUT
    expect 3 "$ANALYZE" "$command" garbage.h5
    expect_text "$where" garbage.h5 "$command names the damaged file"
    expect 3 "$ANALYZE" "$command" no-such-file.h5
    expect_text "$where" no-such-file.h5 "$command names the missing file"
done
size=$(stat -c %s tiny.h5)
head -c $((size / 2)) tiny.h5 >half.h5
expect 3 "$ANALYZE" verify half.h5
: >empty.h5
expect 3 "$ANALYZE" verify empty.h5

if ! "$RIDGEPOINT" devices --format csv 2>/dev/null | grep '\(^\|,\)cuda,' >/dev/null; then
    expect 3 "$RIDGEPOINT" run tiny.yaml -o cuda.h5 --device cuda --progress none
    expect_text "$ERR" cuda 'the device that is not there is named'
    expect_no_file cuda.h5
fi

# Devices of another type than --gpu asks for: refused with both types; a prefix that fits one is
# enough, one that fits several or none is bad usage.
simulated=(--device simulated:t4 --point 'decode heads=2 head_dim=64 seq_k=1k' --progress none)
expect 0 "$RIDGEPOINT" run "${simulated[@]}" -o right.h5 --gpu t4
expect 3 "$RIDGEPOINT" run "${simulated[@]}" -o wrong.h5 --gpu h100-sxm
expect_text "$ERR" 'type t4), but --gpu asks for h100-sxm-80gb' 'both types'
expect 2 "$RIDGEPOINT" run "${simulated[@]}" -o wrong.h5 --gpu a100
expect_text "$ERR" 'a100-sxm-80gb' 'the types that a prefix fits'
expect_no_file wrong.h5 wrong.h5.journal wrong.h5.lock
