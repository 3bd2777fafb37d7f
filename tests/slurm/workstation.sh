#!/usr/bin/env bash
#
# The same campaign on one machine without Slurm, through mpirun: measured, merged, and nothing is
# left to do the second time.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v mpirun >/dev/null || skip 'no mpirun here'
write_tiny_job tiny.yaml
{
    cat "$RP_SOURCE/slurm/sites/workstation.env"
    printf 'site_program=%s\n' "$RIDGEPOINT"
} >site.env
run=(bash "$RP_SOURCE/slurm/submit" tiny.yaml --site site.env)
expect 0 "${run[@]}"
expect_text "$OUT" 'complete: 30 of 30 planned rows' 'what is told of the partition'
expect 0 "$ANALYZE" verify results/tiny.h5
expect_text "$OUT" "complete: $TINY_ROWS of $TINY_ROWS planned rows" 'the study'
expect_text results/tiny-report/campaign.txt 'node-hours' 'the summary'
expect_text results/tiny-report/index.html 'node-hours' 'what the campaign cost is on its page'

sum=$(sha256sum results/tiny.cpu.h5)
expect 0 "${run[@]}"
expect_text "$OUT" 'cpu: complete' 'the second time'
expect_equal "$(sha256sum results/tiny.cpu.h5)" "$sum" 'the file after the second time'

# Rows that went wrong are an exit code of the partition, not a reason to lose the study; a CPU is
# nothing to rehearse.
expect 2 "${run[@]}" --simulate
expect_text "$ERR" 'nothing to simulate' 'a rehearsal of a CPU'
