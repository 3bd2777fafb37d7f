#!/usr/bin/env bash
#
# Under a launcher: refusals are said once, more ranks than points, another rank count goes on.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v mpirun >/dev/null || skip 'no mpirun here'
write_tiny_job tiny.yaml
mpi() {
    local ranks=$1
    shift
    mpirun --oversubscribe -n "$ranks" "$RIDGEPOINT" "$@" --device cpu --threads 1 --progress none
}

# Refused by rank 0: one sentence, the exit code of a single rank, nothing written.
sed 's/heads: 4/haeds: 4/' tiny.yaml >bad.yaml
expect 2 mpi 3 run bad.yaml -o bad.h5
expect_equal "$(grep -c haeds "$ERR")" 1 'how often the bad key is named'
expect_no_file bad.h5
printf 'a file\n' >in_the_way
expect 3 mpi 2 run tiny.yaml -o in_the_way/tiny.h5
expect_text "$ERR" in_the_way 'the path that cannot be written is named'

# Two ranks without work.
expect 0 mpi 3 run --point 'decode heads=2 head_dim=8 seq_k=32 dtype=fp32' -o one.h5 \
    --set measure.max_time_s=0.02
expect_equal "$(export_columns one.h5 status | tr '\n' ' ')" 'ok ok ok ' 'rows of one point'

# A finished file needs no rank: nothing is done, whatever their number.
run_tiny tiny.h5
sum=$(sha256sum <tiny.h5)
expect 0 mpi 2 run tiny.yaml -o tiny.h5
expect_equal "$(sha256sum <tiny.h5)" "$sum" 'a run with nothing left to do changes no byte'

# Ranks and MPI library are on record.
if command -v h5dump >/dev/null; then
    h5dump -d /runs/ranks one.h5 >ranks.txt
    expect_text ranks.txt '(0): 3' '/runs/ranks'
    h5dump -d /runs/mpi one.h5 >mpi.txt
    expect_text mpi.txt 'MPI' '/runs/mpi'
    h5dump -d /runs/mpi tiny.h5 >none.txt
    expect_text none.txt '"none' '/runs/mpi without a launcher'
fi
