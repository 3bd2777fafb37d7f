#!/usr/bin/env bash
#
# The cluster of the tests is one: tasks under srun --mpi=pmix form a world, each sees its own GPU,
# and tasks that do not form a world are refused before any file is touched.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slurm_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../slurm_lib.sh"

start_cluster
write_sweep_job sweep.yaml

# Each partition hands out GPUs of its own type, one a task.
for partition in t4 a100 h100; do
    expect 0 srun -p "$partition" -n 2 --gres="gpu:$partition:2" --gpu-bind=single:1 --mpi=pmix \
        bash -c 'printf "%s:%s\n" "$PMIX_RANK" "$CUDA_VISIBLE_DEVICES"'
    expect_equal "$(sort "$OUT" | paste -s -d ' ')" '0:0 1:1' "tasks and their GPUs on $partition"
done

# A world of two: one table, and the log says which rank has which device.
run=("$RIDGEPOINT" run sweep.yaml --device simulated:t4 --gpu t4 --log-level info)
expect 0 srun -p t4 -n 2 --gres=gpu:t4:2 --gpu-bind=single:1 --mpi=pmix "${run[@]}" -o world.h5
expect_equal "$(export_columns world.h5 point impl | sort | uniq | wc -l)" "$SWEEP_ROWS" 'rows'
expect_equal "$(export_columns world.h5 point | wc -l)" "$SWEEP_ROWS" 'rows, counted twice'
for rank in 0 1; do
    expect_text "$ERR" "rank $rank on $(hostname) has simulated t4, simulated-t4-$rank" 'the log'
done

# One job over two types, in a partition that has both: each type covers the whole sweep from its
# own queue, into one file.
expect 0 srun -p all -w t4a,h100a -N 2 -n 2 --gres=gpu:1 --mpi=pmix "$RIDGEPOINT" run sweep.yaml \
    --device simulated:t4+h100-sxm -o both.h5
expect_equal "$(count_words both.h5 gpu_type)" "h100-sxm-80gb:$SWEEP_ROWS t4:$SWEEP_ROWS" \
    'rows of each type'
expect_equal "$(export_columns both.h5 gpu_type point impl | sort | uniq -d | wc -l)" 0 \
    'rows that are twice'

# srun and MPI did not meet: the remedy, at once, and not a file.
before=$SECONDS
expect 3 srun -p t4 -n 2 --mpi=none "${run[@]}" -o alone.h5
[ $((SECONDS - before)) -le 20 ] || fail "refused only after $((SECONDS - before)) s"
expect_text "$ERR" 'Slurm has 2 tasks here but MPI formed a world of 1' 'a world that did not form'
expect_text "$ERR" 'srun --mpi=pmix' 'the remedy'
expect_no_file alone.h5 alone.h5.lock alone.h5.journal
