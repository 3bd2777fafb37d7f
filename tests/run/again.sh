#!/usr/bin/env bash
#
# The same command again does nothing, another job is refused, --overwrite moves the file aside.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

run_tiny tiny.h5
before=$(stat -c '%i %Y %s' tiny.h5)
sum=$(sha256sum <tiny.h5)
run_tiny tiny.h5
expect_equal "$(sha256sum <tiny.h5)" "$sum" 'a run with nothing left to do changes no byte'
expect_equal "$(stat -c "%i %Y %s" tiny.h5)" "$before" "a run with nothing to do writes nothing"

# The same job in other words: comments, order, another spelling of a number.
{
    printf '# a comment\n'
    sed -e 's/seq: \[16, 33\]/seq: [33, 16]/' -e 's/max_time_s: 0.05/max_time_s: 5e-2/' tiny.yaml
} >reworded.yaml
expect 0 "$RIDGEPOINT" run reworded.yaml -o tiny.h5 --device cpu --threads 1 --progress none
expect_equal "$(sha256sum <tiny.h5)" "$sum" 'a job in other words is the same job'

# Another job: refused, and the difference is named.
sed 's/seed: 1/seed: 2/' tiny.yaml >other.yaml
expect 3 "$RIDGEPOINT" run other.yaml -o tiny.h5 --device cpu --threads 1 --progress none
expect_text "$ERR" 'another job' 'a file of another job is refused'
expect_text "$ERR" seed 'the difference is named'
expect 3 "$RIDGEPOINT" run tiny.yaml -o tiny.h5 --set measure.target_ci=0.02 --device cpu \
    --threads 1 --progress none
expect_text "$ERR" 'another job' 'a file of another job is refused'
expect_equal "$(sha256sum <tiny.h5)" "$sum" 'a refused run changes no byte'

# --overwrite: a new file, the old one beside it as it was.
expect 0 "$RIDGEPOINT" run other.yaml -o tiny.h5 --overwrite --device cpu --threads 1 \
    --progress none
old=(tiny.*.h5)
if [ ${#old[@]} -ne 1 ] || [ ! -e "${old[0]}" ]; then
    fail "the old file is not there once: ${old[*]}"
fi
expect_equal "$(sha256sum <"${old[0]}")" "$sum" 'the old file as it was'
expect 0 "$ANALYZE" verify tiny.h5 "${old[0]}"
expect_no_file tiny.h5.tmp tiny.h5.journal tiny.h5.lock
