#!/usr/bin/env bash
#
# A partition that hands out other GPUs than the site file says is refused within seconds and not
# run again; one that was stopped early more often than it may be requeued ends; the others are not
# spoiled, and the report says which are missing.
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

submit 0 --site site.env --simulate=10 --requeues 0 h100 a100 t4
wait_for_end h100 FAILED
expect_equal "$(job_field "$(id_of h100)" ExitCode)" 3:0 'the exit code'
expect_equal "$(job_field "$(id_of h100)" Restarts)" 0 'requeues'
expect_text "$CAMPAIGN/h100.log" 'type t4), but --gpu asks for h100-sxm-80gb' 'the log'
expect_no_file "$(result_of h100)" "$(result_of h100).journal" "$(result_of h100).lock"
expect 0 bash "$RP_SOURCE/slurm/status" "$CAMPAIGN"
expect_text "$OUT" '--gpu asks for h100-sxm-80gb' 'the last error in the status'

wait_for_rows t4
scancel -s USR1 "$(id_of t4)"
wait_for_end t4 FAILED
expect_equal "$(job_field "$(id_of t4)" ExitCode)" 75:0 'the exit code of one stopped too often'
expect_text "$CAMPAIGN/t4.log" 'not requeued any more: submit again' 'its log'
expect 0 "$ANALYZE" verify "$(result_of t4)"
expect_text "$OUT" 'partial: ' 'its file'

wait_for_end a100 COMPLETED
wait_for_end report FAILED
expect_text "$SUMMARY" 'missing or not complete: h100 t4' 'the summary'
expect_text "${SUMMARY%/*}/index.html" 'missing or not complete: h100 t4' 'the page of the report'
expect_equal "$(count_words "$STUDY" gpu_type | sed 's/ .*//')" "a100-sxm-80gb:$SWEEP_ROWS" \
    'what the partition that worked has in the study'
