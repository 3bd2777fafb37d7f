#!/usr/bin/env bash
#
# Tables for programs: csv and json are valid, complete and free of nan; a closed pipe ends quietly.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Rows without times are part of it: tf32 is unsupported on a CPU.
write_tiny_job tiny.yaml
sed -i 's/dtype: \[fp32, fp16\]/dtype: [fp32, tf32]/' tiny.yaml
expect 0 "$RIDGEPOINT" run tiny.yaml -o tiny.h5 --device cpu --threads 1 --progress none \
    --log-level debug
[ ! -s "$OUT" ] || ! grep -q debug "$OUT" || fail 'log lines on standard output'

expect 0 "$ANALYZE" export --format csv tiny.h5
cp "$OUT" rows.csv
expect 0 "$ANALYZE" export --format json tiny.h5
cp "$OUT" rows.json
expect 0 "$RIDGEPOINT" devices --format csv
cp "$OUT" devices.csv
expect 0 "$RIDGEPOINT" devices --format json
cp "$OUT" devices.json
expect 0 "$RIDGEPOINT" devices
[ -s "$OUT" ] || fail 'devices prints nothing'

cat >check.py <<'PYTHON'
import csv, json, sys

def refuse(token):
    raise ValueError("json holds " + token)

def load(stem):
    with open(stem + ".json", encoding="ascii") as file:
        document = json.load(file, parse_constant=refuse)
    assert set(document) == {"format", "schema_version", "rows"}, sorted(document)
    with open(stem + ".csv", encoding="ascii", newline="") as file:
        lines = list(csv.reader(file))
    header, body = lines[0], lines[1:]
    assert len(set(header)) == len(header), "a column twice"
    assert all(len(line) == len(header) for line in body), "ragged csv"
    assert len(body) == len(document["rows"]), (len(body), len(document["rows"]))
    for line, row in zip(body, document["rows"]):
        assert list(row) == header, set(row) ^ set(header)
        for name, text in zip(header, line):
            value = row[name]
            assert text.lower() not in ("nan", "inf", "-inf", "-nan"), (name, text)
            if value is None:
                assert text == "", (name, text)
            elif isinstance(value, bool):
                assert text == ("true" if value else "false"), (name, text, value)
            elif isinstance(value, (int, float)):
                assert float(text) == value, (name, text, value)
            else:
                assert text == value, (name, text, value)
    return document["rows"]

rows = load("rows")
assert len(rows) == int(sys.argv[1]), len(rows)
status = {}
for row in rows:
    status[row["status"]] = status.get(row["status"], 0) + 1
    timed = row["status"] in ("ok", "mismatch")
    assert (row["time_median_s"] is not None) == timed, row
    if timed:
        assert row["time_min_s"] <= row["time_median_s"], row
        assert row["time_ci_low_s"] <= row["time_median_s"] <= row["time_ci_high_s"], row
        assert row["samples"] >= 1, row
        assert 0 <= row["eviction_s"] <= row["sampling_s"], row
    else:
        assert row["reason"], row
assert set(status) == {"ok", "unsupported"}, status
assert status["unsupported"] == 12, status
assert {row["dtype"] for row in rows if row["status"] == "unsupported"} == {"tf32"}, status
assert load("devices"), "no device at all"
PYTHON
# A second reader where there is one; without it the words that must not be are looked for.
if command -v python3 >/dev/null; then
    python3 check.py "$TINY_ROWS" || fail 'csv and json differ, or are not valid; see above'
fi
for file in rows.csv rows.json devices.csv devices.json; do
    ! grep -qiE '(^|[,: ])-?(nan|inf)([,}]|$)' "$file" || fail "$file holds nan or inf"
done
expect_equal "$(csv_columns status <rows.csv | LC_ALL=C sort | uniq -c | awk '{ print $2 ":" $1 }' |
    paste -s -d ' ')" 'ok:18 unsupported:12' 'statuses of the rows'

# Readers that leave early: no complaint, and no death by signal either.
for command in 'export --format csv' 'export --format json' summary; do
    # shellcheck disable=SC2086
    { "$ANALYZE" $command tiny.h5 2>err || printf '%s\n' "$?" >code; } | head -n 1 >first
    [ ! -s err ] || fail "$command | head: $(cat err)"
    [ -s first ] || fail "$command | head: nothing"
done
for _ in 1 2 3; do
    { "$ANALYZE" export --format json tiny.h5 tiny.h5 tiny.h5 2>err || true; } | true
    [ ! -s err ] || fail "export into a closed pipe: $(cat err)"
done
# A full disk is no closed pipe.
if [ -e /dev/full ]; then
    code=0
    "$ANALYZE" export --format csv tiny.h5 >/dev/full 2>err || code=$?
    expect_equal "$code" 3 'exit code when the output cannot be written'
    [ -s err ] || fail 'a full disk is passed over in silence'
fi
