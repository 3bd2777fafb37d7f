#!/usr/bin/env bash
#
# What ends a job before its time: the time limit (requeued until done), scancel and a killed rank
# (the end, with what was measured). The report behind them says what is missing; submitting again
# runs that and nothing else.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slurm_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../slurm_lib.sh"

start_cluster
write_sweep_job sweep.yaml
write_site site.env
sed -i '/^partition t4/s/$/ limit=1/' site.env # a minute
partitions=(t4 a100 h100)
# 55 s before the end of a minute is at once.
submit 0 --site site.env --simulate=45 --early 55 "${partitions[@]}"
expect_equal "$(job_field "$(id_of t4)" TimeLimit)" 00:01:00 'the limit of the partition'

# A killed rank ends its job, which is not run again.
wait_for_rows h100
killed=$(pgrep -f "^$RIDGEPOINT run .*$(result_of h100)" | tail -n 1)
kill -KILL "$killed"
wait_for_end h100 FAILED
expect_equal "$(job_field "$(id_of h100)" Restarts)" 0 'requeues after a killed rank'
[ -s "$(result_of h100).journal" ] || fail 'a killed rank: its journal is gone'

# scancel: what was measured is published, and the job is not run again.
wait_for_rows a100
scancel "$(id_of a100)"
wait_for_end a100 CANCELLED
expect_text "$CAMPAIGN/a100.log" 'what was measured is kept' 'the log after scancel'
expect 0 "$ANALYZE" verify "$(result_of a100)"
expect_text "$OUT" 'partial: ' 'the file after scancel'
expect_no_file "$(result_of a100).lock"

# The early signal: exit code 75, requeued, goes on from there. With a longer limit it then ends.
wait_for_restart t4 1
scontrol update JobId="$(id_of t4)" TimeLimit=10
expect_text "$CAMPAIGN/t4.log" 'stopped early; requeued' 'the log of a job out of time'
wait_for_end t4 COMPLETED
[ "$(export_columns "$(result_of t4)" point impl | sort | uniq -d | wc -l)" = 0 ] ||
    fail 'rows of t4 are there twice'

# The report: what there is, and which are missing. Exit code 1.
wait_for_end report FAILED
expect_text "$SUMMARY" 'missing or not complete: a100 h100' 'the summary'
expect_text "$SUMMARY" 'MISSING: no whole file sweep.simulated.h100.h5' 'the summary'
expect_equal "$(count_words "$STUDY" gpu_type | tr ' ' '\n' | grep '^t4:')" "t4:$SWEEP_ROWS" \
    'the study after two partitions failed'

# Again: a job for each that is missing, none for the one that is complete.
first=$(id_of t4)
submit 0 --site site.env --simulate=5 "${partitions[@]}"
grep -qE '^t4 +complete$' "$OUT" || fail 't4 is complete, and submit does not say so'
expect_equal "$(id_of t4)" "$first" 'no new job for t4'
wait_for_end a100 COMPLETED
wait_for_end h100 COMPLETED
wait_for_end report COMPLETED
expect_study t4 a100-sxm-80gb h100-sxm-80gb
