#!/usr/bin/env bash
#
# A result file is read by h5dump, HDF5's own tool, and is stored as docs/FILE.md says.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
command -v h5dump >/dev/null || skip "h5dump is not installed"

run_tiny tiny.h5
columns=$(grep -cE '^RP_[A-Z]+\((WORD|TEXT|I64|F64),' "$RP_SOURCE/src/registry/columns.def")
[ "$columns" -gt 80 ] || fail "only $columns columns found in columns.def"

count_is() { # NUMBER TEXT: the header names TEXT that often
    local got
    got=$(grep -cF -- "$2" header || true)
    expect_equal "$got" "$1" "\"$2\" in the header"
}

# Structure, types, filters and attributes.
expect 0 h5dump -p -H tiny.h5
cp "$OUT" header
for group in results samples devices ceilings runs labels; do
    expect_text header "GROUP \"$group\" {" "the group /$group"
done
count_is "$columns" 'DATASET "'
count_is "$columns" 'ATTRIBUTE "units"'
count_is "$columns" 'ATTRIBUTE "description"'
count_is "$columns" 'CHUNKED'
count_is "$columns" 'PREPROCESSING SHUFFLE'
count_is "$columns" 'COMPRESSION DEFLATE { LEVEL 4 }'
count_is "$columns" 'CHECKSUM FLETCHER32'
words=$(grep -cE '^RP_[A-Z]+\((WORD|TEXT),' "$RP_SOURCE/src/registry/columns.def")
count_is "$words" 'STRPAD H5T_STR_NULLPAD'
count_is 0 'H5T_CSET_UTF8'
count_is 0 'STRSIZE 0'
for attribute in format schema_version state rows_planned rows digest; do
    expect_text header "ATTRIBUTE \"$attribute\" {" "the root attribute $attribute"
done

# Values.
# value OPTION PATH: what h5dump prints of a dataset or an attribute, without quotes and padding.
value() {
    h5dump -y -w 0 "$@" tiny.h5 |
        awk '/DATA \{/ { inside = 1; next } inside && /}/ { exit } inside' |
        sed 's/\\000//g' | tr -d ' \n"'
}
expect_equal "$(value -a /format)" ridgepoint-results "the attribute format"
expect_equal "$(value -a /schema_version)" 1 "the attribute schema_version"
expect_equal "$(value -a /state)" complete "the attribute state"
expect_equal "$(value -a /rows)" "$TINY_ROWS" "the attribute rows"
expect_equal "$(value -a /rows_planned)" "$TINY_ROWS" "the attribute rows_planned"
expect_equal "$(value -a /digest | wc -c)" 64 "the digits of the attribute digest"
expect_equal "$(value -a /results/time_median_s/units)" s "the units of a time"
expect_equal "$(value -a /results/batch/units)" 1 "the units of a number"
expect_equal "$(value -a /results/impl/units)" '' "the units of a word"
expect_equal "$(value -d /results/impl | tr , '\n' | LC_ALL=C sort | uniq -c | xargs)" \
    '10 fused 10 naive 10 reference' "the words of /results/impl"
expect_equal "$(value -d /runs/job_name)" tiny "the word of /runs/job_name"
expect_equal "$(value -d /results/head_dim | tr , '\n' | sort -u)" 16 \
    "the numbers of /results/head_dim"

# A word that fills its field exactly carries no null.
expect 0 h5dump -H -d /results/point tiny.h5
expect_text "$OUT" 'STRSIZE 16;' "the width of /results/point"
expect_equal "$(value -d /results/point | tr , '\n' | grep -cE '^[0-9a-f]{16}$')" "$TINY_ROWS" \
    "points of 16 hex digits"

# Six groups of equally long columns, empty ones included.
expect 0 h5dump -H -d /ceilings/value tiny.h5
for group in results samples devices ceilings runs labels; do
    lengths=$(sed -n "/GROUP \"$group\" {/,/^   }/p" header |
        grep -oE 'SIMPLE \{ \( [0-9]+ \)' | sort -u)
    expect_equal "$(wc -l <<<"$lengths")" 1 "lengths of columns in /$group: $lengths"
done

# What survives HDF5's own tools, and what is noticed.
expect 0 "$ANALYZE" verify tiny.h5
if command -v h5repack >/dev/null; then
    # Any of the three filters, in any order.
    for filters in NONE GZIP=9 SHUF FLET 'SHUF FLET' 'FLET SHUF GZIP=1' 'GZIP=1 SHUF'; do
        # shellcheck disable=SC2086,SC2046 # words
        expect 0 h5repack $(printf -- '-f %s ' $filters) tiny.h5 repacked.h5
        expect 0 "$ANALYZE" verify repacked.h5
    done
fi
size=$(stat -c %s tiny.h5)
head -c $((size - 1)) tiny.h5 >cut.h5
expect 3 "$ANALYZE" verify cut.h5
expect_text "$OUT" 'do not fit the checksum at its end' "a file one byte short"
