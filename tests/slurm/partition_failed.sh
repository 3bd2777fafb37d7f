#!/usr/bin/env bash
#
# A partition that hands out other GPUs than the site file says is refused within seconds and not
# run again; the others are not spoiled, and the report says which is missing.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slurm_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../slurm_lib.sh"

start_cluster
write_sweep_job sweep.yaml
write_site site.env
# What the partition h100 really has.
cat >>site.env <<'ENV'
site_setup='RP_OPTIONS=("${RP_OPTIONS[@]/simulated:h100-sxm-80gb/simulated:t4}")'
ENV

submit 0 --site site.env --simulate=3 h100 a100
wait_for_end h100 FAILED
expect_equal "$(job_field "$(id_of h100)" ExitCode)" 3:0 'the exit code'
expect_equal "$(job_field "$(id_of h100)" Restarts)" 0 'requeues'
expect_text "$CAMPAIGN/h100.log" 'type t4), but --gpu asks for h100-sxm-80gb' 'the log'
expect_no_file "$(result_of h100)" "$(result_of h100).journal" "$(result_of h100).lock"
expect 0 bash "$RP_SOURCE/slurm/status" "$CAMPAIGN"
expect_text "$OUT" '--gpu asks for h100-sxm-80gb' 'the last error in the status'

wait_for_end a100 COMPLETED
wait_for_end report FAILED
expect_text "$SUMMARY" 'missing or not complete: h100' 'the summary'
expect_study a100-sxm-80gb
