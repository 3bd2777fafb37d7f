#!/usr/bin/env bash
#
# A node goes down under a job: Slurm runs it again, and it goes on although the lock of its first
# start is still there. The lock of another job that has ended is no obstacle either.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slurm_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../slurm_lib.sh"

start_cluster
write_sweep_job sweep.yaml
write_site site.env

# plant_lock JOB: as a run of this Slurm job left it on a node that is no more.
plant_lock() {
    mkdir -p results
    printf '%s\n' host=elsewhere pid=4711 start=1 'pid_namespace=pid:[1]' "slurm_job=$1" \
        slurm_restart=0 run=earlier end= >"$(result_of t4).lock"
}

plant_lock 4711 # no job of this cluster
submit 0 --site site.env --simulate=20 t4
wait_for_rows t4
compgen -G "cluster/spool/t4a/*_$(id_of t4).0" >/dev/null || fail 'a running step has no socket'
expect_text "$CAMPAIGN/t4.log" 'the lock of job 4711, which has ended, is removed' 'a dead lock'

scontrol update NodeName=t4a State=DOWN Reason=test
await 30 job_is "$(id_of t4)" PENDING || fail 'the job of a dead node is not queued again'
job_is "$(id_of report)" PENDING || fail 'the report did not wait for the job of a dead node'
plant_lock "$(id_of t4)"
# It may be back by itself: its slurmd still answers.
scontrol update NodeName=t4a State=RESUME 2>/dev/null || true
wait_for_restart t4 1
wait_for_end t4 COMPLETED
wait_for_end report COMPLETED
expect_study t4
expect_equal "$(export_columns "$STUDY" run | sort -u | wc -l)" 2 'runs that measured rows'
