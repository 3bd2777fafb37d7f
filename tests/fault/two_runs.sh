#!/usr/bin/env bash
#
# R11: two runs on one output at once: exactly one goes on, the other says who holds it and changes
# no byte. R16 (in part): a job edited between two runs is refused by name.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_sweep_job sweep.yaml
run=("$RIDGEPOINT" run sweep.yaml --progress none)
for ((turn = 1; turn <= ${RP_TURNS:-20}; ++turn)); do
    rm -f f.h5 f.h5.*
    "${run[@]}" -o f.h5 --device simulated:t4:scale=0.01 >/dev/null 2>err.1 &
    one=$!
    "${run[@]}" -o f.h5 --device simulated:t4:scale=0.01 >/dev/null 2>err.2 &
    two=$!
    codes=()
    for pid in "$one" "$two"; do
        code=0
        wait "$pid" || code=$?
        codes+=("$code")
    done
    # The later one may also come after the first has ended: then it finds nothing to do.
    case "${codes[*]}" in
        '0 3' | '3 0')
            expect_text "err.$((codes[0] == 3 ? 1 : 2))" 'f.h5.lock' 'the file to remove'
            ;;
        '0 0') ;;
        *) fail "turn $turn: exit codes ${codes[*]}: $(cat err.1 err.2)" ;;
    esac
    expect_equal "$(export_columns f.h5 point impl | sort -u | wc -l)" "$SWEEP_ROWS" 'each row once'
    expect_no_file f.h5.lock f.h5.journal
done

# While one holds it the other changes nothing.
"${run[@]}" -o held.h5 --device simulated:t4:scale=0.3 >/dev/null 2>err.1 &
one=$!
# With rows in it, which come a point at a time: only they tell a job's measure block.
has_rows() { [ "$(stat -c %s held.h5.journal 2>/dev/null || printf 0)" -gt 12000 ]; }
wait_for 60 has_rows || fail 'no journal with rows appeared'
code=0
before=$(stat -c '%n %Y' held.h5.lock)
"${run[@]}" -o held.h5 --device simulated:t4 >/dev/null 2>err.2 || code=$?
expect_equal "$code" 3 'the second run'
expect_equal "$(stat -c '%n %Y' held.h5.lock)" "$before" 'the lock is not touched'
kill -s TERM "$one"
code=0
wait "$one" || code=$?
expect_equal "$code" 75 'stopped by SIGTERM'
expect_no_file held.h5.lock

# Another job is refused, and the difference is named; the same job in another order is not.
check_refused() { # SED-EXPRESSION WORDS
    sed "$1" sweep.yaml >edited.yaml
    cmp -s edited.yaml sweep.yaml && fail "'$1' changes nothing"
    expect 3 "$RIDGEPOINT" run edited.yaml -o held.h5 --device simulated:t4 --progress none
    expect_text "$ERR" 'made by another job' 'refused'
    expect_text "$ERR" "$2" 'the difference'
}
check_refused 's/^name: sweep/name: other/' 'name is sweep, not other'
check_refused 's/^seed: 3/seed: 4/' 'seed is 3, not 4'
check_refused 's/max_samples: 12/max_samples: 13/' 'measure'
check_refused 's/to: 16k/to: 8k/' 'points or implementations'
sed 's/\[true, false\]/[false, true]/; s/^name: sweep/# a comment\nname: sweep/' \
    sweep.yaml >edited.yaml
expect 0 "$RIDGEPOINT" run edited.yaml -o held.h5 --device simulated:t4 --progress none
expect_equal "$(export_columns held.h5 point impl | sort -u | wc -l)" "$SWEEP_ROWS" 'each row once'
expect 0 "$ANALYZE" verify held.h5
