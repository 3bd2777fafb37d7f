#!/usr/bin/env bash
#
# A whole campaign over three partitions, rehearsed: every job is requeued once on the way, and one
# study comes out that has every planned row once. Submitting again then does nothing.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../slurm_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../slurm_lib.sh"

start_cluster
write_sweep_job sweep.yaml
write_site site.env
partitions=(t4 a100 h100)

submit 0 --site site.env --simulate=50 "${partitions[@]}"
for text in "job $(id_of t4)" "job $(id_of report)" "$STUDY" "slurm/status $CAMPAIGN"; do
    expect_text "$OUT" "$text" 'what submit says'
done

# Requeued in the middle. The report must not take that for the end.
for partition in "${partitions[@]}"; do
    wait_for_rows "$partition"
    scontrol requeue "$(id_of "$partition")"
done
job_is "$(id_of report)" PENDING || fail 'the report did not wait for requeued jobs'
for partition in "${partitions[@]}"; do
    wait_for_restart "$partition" 1
done

# Submitting while jobs are under way takes them as they are.
first=$(id_of t4)
submit 0 --site site.env --simulate=50 "${partitions[@]}"
expect_text "$OUT" "job $first is under way" 'a campaign that is under way'
expect_equal "$(id_of t4)" "$first" 'the job of t4'
expect 0 bash "$RP_SOURCE/slurm/status" "$CAMPAIGN"
for text in "t4               job $first" RUNNING '/216 rows' 'report'; do
    expect_text "$OUT" "$text" 'status of a running campaign'
done

for partition in "${partitions[@]}"; do
    wait_for_end "$partition" COMPLETED
    expect_equal "$(job_field "$(id_of "$partition")" Restarts)" 1 "requeues of $partition"
    expect_text "$CAMPAIGN/$partition.log" 'start 1 of' "$partition: the log of the first start"
    expect_text "$CAMPAIGN/$partition.log" 'start 2 of' "$partition: the log of the second"
    expect_text "$CAMPAIGN/$partition.log" 'rank 1 on ' "$partition: who has which device"
    expect_equal "$(export_columns "$(result_of "$partition")" run | sort -u | wc -l)" 2 \
        "$partition: runs that measured rows"
    expect_no_file "$(result_of "$partition").journal" "$(result_of "$partition").lock"
done
wait_for_end report COMPLETED
expect_study t4 a100-sxm-80gb h100-sxm-80gb
expect 0 "$ANALYZE" verify "$STUDY"
expect_text "$OUT" "complete: $((3 * SWEEP_ROWS)) of $((3 * SWEEP_ROWS)) planned rows" verify
expect_equal "$(count_words "$STUDY" backend)" "simulated:$((3 * SWEEP_ROWS))" 'backends'
grep -qE '^ +0\.[0-9]*[1-9][0-9]* node-hours' "$SUMMARY" || fail 'the summary has no node-hours'
page=${SUMMARY%/*}/index.html
for text in '<strong>Simulated.</strong>' '<figure id="timeline" class="simulated"' 'node-hours' \
    '<figure id="roofline' 'a100-sxm-80gb' 'h100-sxm-80gb'; do
    expect_text "$page" "$text" 'the report of the campaign'
done
expect_equal "$(grep -o '<figure id="roofline[^>]*>' "$page" | grep -cv 'class="simulated"')" 0 \
    'rooflines that do not say that their points are simulated'
if grep -q missing "$SUMMARY"; then
    fail 'the summary of a whole campaign says something is missing'
fi

# Nothing is left: no job, and not a byte changes.
sums=$(sha256sum results/*.h5)
submit 0 --site site.env --simulate=50 "${partitions[@]}"
expect_text "$OUT" 'nothing is left to do' 'a campaign that is done'
expect_equal "$(squeue -h | wc -l)" 0 'jobs of a campaign that is done'
expect_equal "$(sha256sum results/*.h5)" "$sums" 'files of a campaign that is done'
expect 0 bash "$RP_SOURCE/slurm/status" "$CAMPAIGN"
expect_text "$OUT" 'complete: 216 of 216 planned rows' 'status of a campaign that is done'

# The report alone is missing: only its job runs.
rm -r "${SUMMARY%/*}"
submit 0 --site site.env --simulate=50 "${partitions[@]}"
wait_for_end report COMPLETED
expect_study t4 a100-sxm-80gb h100-sxm-80gb
expect_text "$page" '<strong>Simulated.</strong>' 'the report that was made again'
