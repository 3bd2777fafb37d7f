#!/usr/bin/env bash
#
# R19: 10,000 tiny points and more, or a fast machine would be done before the second look: the
# worker's memory and the open files of both processes do not grow; rank 0 holds the study, and no
# more than twice what its rows need.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

cat >many.yaml <<'YAML'
name: many
measure: {min_samples: 6, max_samples: 6}
sweep:
  - stage: decode
    heads: 8
    head_dim: 64
    seq_k: {from: 1, to: 40000, plus: 1}
    impl: fused
YAML
"$RIDGEPOINT" run many.yaml -o many.h5 --device simulated:t4 --progress bar 2>progress </dev/null &
rank=$!
rows_at_least() {
    local rows
    rows=$(rows_reported progress)
    [ "${rows:-0}" -ge "$1" ]
}
look() { # ROWS KIB-OF-WORKER KIB-OF-RANK FILES
    worker=$(worker_of "$rank")
    local rows kib_worker kib_rank files
    rows=$(rows_reported progress)
    kib_worker=$(awk '/^VmRSS/ { print $2 }' "/proc/$worker/status") || return 1
    kib_rank=$(awk '/^VmRSS/ { print $2 }' "/proc/$rank/status") || return 1
    files=$(find "/proc/$worker/fd" "/proc/$rank/fd" -mindepth 1 2>/dev/null | wc -l)
    printf '%s %s %s %s\n' "$rows" "$kib_worker" "$kib_rank" "$files"
}
wait_for 60 rows_at_least 1000 || fail 'the first 1000 points do not come'
read -r rows_1 worker_1 rank_1 files_1 < <(look)
wait_for 60 rows_at_least 7000 || fail '7000 points do not come'
read -r rows_2 worker_2 rank_2 files_2 < <(look)
wait "$rank" || fail "exit code $?"
printf 'rows %s -> %s, worker %s -> %s KiB, rank %s -> %s KiB, files %s -> %s\n' \
    "$rows_1" "$rows_2" "$worker_1" "$worker_2" "$rank_1" "$rank_2" "$files_1" "$files_2"
[ $((worker_2 - worker_1)) -le 512 ] || fail 'the worker grows'
[ "$files_2" -le "$files_1" ] || fail 'open files grow'
# A row of about 1.3 KB and 6 samples of 32 B are 1.5 KB; arrays double.
[ $((rank_2 - rank_1)) -le $((4 * (rows_2 - rows_1))) ] || fail 'rank 0 grows beyond its rows'
expect_equal "$(export_columns many.h5 point | sort -u | wc -l)" 40000 'every point'
