#!/usr/bin/env bash
#
# The text of slurm/submit --dry-run, for which no Slurm is needed: what is asked of Slurm follows
# from the plan and the site file, nothing is written, and bad usage is refused by name.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slurm_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../slurm_lib.sh"
unset SLURM_CONF

write_sweep_job sweep.yaml
write_site site.env
cat >>site.env <<'ENV'
partition big gpu=h200 gpus=4 nodes=2 gres=gpu:4 partition=gpu cpus=8 limit=4:00 \
    sbatch=--exclusive
site_sbatch=(--account=physics "--comment=two words")
site_setup='module load openmpi'
ENV
submit 0 --site site.env --dry-run t4 big
cp "$OUT" all_scripts
expect_no_file results

# script_of NAME: the script of one partition.
script_of() { sed -n "\\|^# ---- .*/$1.sbatch|,/^# ---- .*sbatch/p" all_scripts | sed '1d;$d'; }
script_of t4 >t4.sbatch
script_of big >big.sbatch
bash -n t4.sbatch
bash -n big.sbatch
expect_equal "$(head -n 1 t4.sbatch)" '#!/usr/bin/env bash' 'the first line of a script'
for line in '#SBATCH --job-name=sweep.t4' '#SBATCH --partition=t4' '#SBATCH --gres=gpu:t4:2' \
    '#SBATCH --ntasks-per-node=2' '#SBATCH --signal=USR1@' '#SBATCH --requeue' \
    '#SBATCH --open-mode=append' '#SBATCH --account=physics' '#SBATCH --comment="two words"' \
    "#SBATCH --output=$SCRATCH/results/sweep.campaign/t4.log" 'module load openmpi' \
    'srun --kill-on-bad-exit=1 --mpi=pmix --gpu-bind=single:1' '--device cuda --gpu t4' \
    "RP_OUTPUT=$SCRATCH/results/sweep.t4.h5"; do
    expect_text t4.sbatch "$line" 'the script of t4'
done
for line in '#SBATCH --partition=gpu' '#SBATCH --nodes=2' '#SBATCH --ntasks-per-node=4' \
    '#SBATCH --cpus-per-task=8' '#SBATCH --exclusive' '--gpu h200-sxm-141gb'; do
    expect_text big.sbatch "$line" 'the script of big'
done
expect_text all_scripts '--dependency=afterany' 'how the report is submitted'

# --time is the plan's and what an early end needs; never beyond the limit, unless the user says so.
"$RIDGEPOINT" plan sweep.yaml --gpu t4 --ranks 2 --format json >plan.json
planned=$(sed -n 's/.*"slurm_time": "00:0*\([0-9]*\):00".*/\1/p' plan.json)
expect_text t4.sbatch "#SBATCH --time=$((planned + 3))" 'the time of t4'
expect_text big.sbatch '#SBATCH --time=4' 'the time where the plan does not fit the limit'
memory=$(sed -n 's/.*"memory_bytes": \([0-9]*\)}.*/\1/p' plan.json)
got=$(sed -n 's/^#SBATCH --mem=\([0-9]*\)M$/\1/p' t4.sbatch)
[ "$got" -gt $((memory / 1048576)) ] || fail "--mem=$got MiB is less than the plan's $memory bytes"
submit 0 --site site.env --dry-run --time 1-02:00:00 --early 300 --requeues 3 --retry error \
    --set measure.max_time_s=1 t4
for line in '#SBATCH --time=1560' '#SBATCH --signal=USR1@300' 'RP_REQUEUES=3' '--retry error' \
    '--set measure.max_time_s=1'; do
    expect_text "$OUT" "$line" 'options of the command'
done

# Rehearsed: simulated devices, files of their own, and the report is asked for them.
submit 0 --site site.env --dry-run --simulate h100
for line in 'simulated:h100-sxm-80gb:scale=0.' '/results/sweep.simulated.h100.h5' '--simulated'; do
    expect_text "$OUT" "$line" 'a rehearsal'
done

# The report covers what another partition measured earlier.
mkdir results
: >results/sweep.h100.h5
submit 0 --site site.env --dry-run t4
expect_text "$OUT" 'RP_NAMES=( t4 h100 )' 'the partitions of the report'
rm -r results

# refused TEXT ARGUMENT...: bad usage that is named.
refused() {
    local text=$1
    shift
    submit 2 "$@"
    expect_text "$ERR" "$text" "submit $*"
}
refused '--site FILE is missing' t4
refused 'has no partition v100; it has: t4 a100 h100 big' --site site.env --dry-run v100
refused 'there is no option --sime' --site site.env --sime 4
refused 'named twice' --site site.env --dry-run t4 t4
refused '--time soon' --site site.env --dry-run --time soon
refused '--requeues -1' --site site.env --dry-run --requeues -1
refused 'no whole number' --site site.env --dry-run --set seed=-x t4
printf 'partition v gpu=a100\n' >bad.env
refused 'a100-sxm-80gb' --site bad.env --dry-run
printf 'partition v gpu=t4 speed=9\n' >bad.env
refused 'there is no speed' --site bad.env --dry-run
expect 2 bash "$RP_SOURCE/slurm/submit" none.yaml --site site.env --dry-run
expect_text "$ERR" 'none.yaml: cannot be read' 'a job that is not there'
expect 2 bash "$RP_SOURCE/slurm/status" results/none.campaign
expect_no_file results
