#!/usr/bin/env bash
#
# docs/FILE.md lists every column of src/registry/columns.def with its kind, units and description,
# and no other. `--print` writes the tables, to be pasted there.
set -euo pipefail
cd "${RP_SOURCE:?}"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

group_of() {
    case "$1" in
        RESULT) printf /results ;;
        SAMPLE) printf /samples ;;
        DEVICE) printf /devices ;;
        CEILING) printf /ceilings ;;
        RUN) printf /runs ;;
        LABEL) printf /labels ;;
    esac
}

kind_of() {
    case "$1" in
        WORD) printf word ;;
        TEXT) printf text ;;
        I64) printf int64 ;;
        F64) printf float64 ;;
    esac
}

# RP_RESULT(F64, 0, time_min_s, "s", "fastest used sample, one launch")
row='^RP_([A-Z]+)\((WORD|TEXT|I64|F64), [0-9]+, ([a-z0-9_]+), "([^"]*)", "([^"]*)"\)$'
rows=$(grep -cE '^RP_[A-Z]+\((WORD|TEXT|I64|F64),' src/registry/columns.def)

tables() {
    local table='' macro kind name units description
    while IFS=$'\t' read -r macro kind name units description; do
        if [ "$macro" != "$table" ]; then
            [ -z "$table" ] || printf '\n'
            table=$macro
            # shellcheck disable=SC2016
            printf '### `%s`\n\n' "$(group_of "$macro")"
            printf '| column | kind | units | description |\n| --- | --- | --- | --- |\n'
        fi
        # shellcheck disable=SC2016
        printf '| `%s` | %s | %s | %s |\n' "$name" "$(kind_of "$kind")" "${units#:}" \
            "$description"
    done < <(sed -nE "s/$row/\\1\t\\2\t\\3\t:\\4\t\\5/p" src/registry/columns.def)
}

if [ "${1-}" = --print ]; then
    tables
    exit 0
fi

[ "$(tables | grep -c '^| `')" = "$rows" ] || {
    printf 'a row of columns.def is not of the form this check reads\n'
    exit 1
}
tables >"$scratch/expected"
# shellcheck disable=SC2016
sed -n '/^### `\/results`/,/^## /p' docs/FILE.md | sed '/^## /d' >"$scratch/found"
if ! diff -B "$scratch/expected" "$scratch/found" >"$scratch/difference"; then
    printf 'docs/FILE.md (>) does not fit src/registry/columns.def (<); paste the output of\n'
    printf 'RP_SOURCE=. bash tests/lint/file_md_columns.sh --print\n'
    cat "$scratch/difference"
    exit 1
fi
