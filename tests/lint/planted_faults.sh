#!/usr/bin/env bash
#
# The checks of this folder find what they are for: each fault is planted into a copy of the sources
# and must be named, with its file.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=${RP_SOURCE:?}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cp -R "$source/src" "$source/kernels" "$source/analysis" "$scratch/"
mkdir "$scratch/tests" "$scratch/scripts"
failed=0

# plant CHECK FILE TEXT: TEXT appended to FILE makes CHECK fail and name FILE; without it, not.
plant() {
    local check=$1 file=$2 text=$3 existed=no
    if [ ! -e "$scratch/$check.before" ]; then
        RP_SOURCE=$scratch bash "$here/$check" >"$scratch/$check.before" 2>&1 || true
    fi
    if grep -qF "$file" "$scratch/$check.before"; then
        printf '%s: complains about %s before anything was planted\n' "$check" "$file"
        failed=1
        return 0
    fi
    [ -e "$scratch/$file" ] && existed=yes && cp "$scratch/$file" "$scratch/kept"
    printf '%s\n' "$text" >>"$scratch/$file"
    if RP_SOURCE=$scratch bash "$here/$check" >"$scratch/log" 2>&1; then
        printf '%s: passes in spite of %s in %s\n' "$check" "$text" "$file"
        failed=1
    elif ! grep -qF "$file" "$scratch/log"; then
        printf '%s: does not name %s, only:\n' "$check" "$file"
        cat "$scratch/log"
        failed=1
    fi
    if [ "$existed" = yes ]; then
        mv "$scratch/kept" "$scratch/$file"
    else
        rm "$scratch/$file"
    fi
}

plant layers.sh src/base/clock.c '#include "model/point.h"'
plant layers.sh src/model/cost.c '#include "store/study.h"'
plant layers.sh src/store/planted.c '#include "plan/job.h"'
plant layers.sh src/device/planted.c '#include "kernels/kernel.h"'
plant layers.sh kernels/planted.c '#include "measure/inputs.h"'
plant layers.sh analysis/planted.c '#include "runner/runner.h"'
plant layers.sh src/base/clock.c '#include <mpi.h>'
plant layers.sh src/measure/planted.c '#include <hdf5.h>'
plant layers.sh src/plan/planted.c '#include "planted_elsewhere.h"'
plant layers.sh src/plan/planted.c '#include <unheard_of.h>'

plant banned.sh src/base/clock.c 'static void f(char *a, const char *b) { strcpy(a, b); }'
plant banned.sh src/model/cost.c 'static int g(const char *a) { return atoi(a); }'
plant banned.sh src/model/cost.c 'static void h(void) { exit(1); }'
plant banned.sh src/model/cost.c 'static void i(void) { printf("x"); }'
plant banned.sh src/model/cost.c 'static void j(void) { fputs("x", stdout); }'
plant banned.sh src/model/cost.c 'static const char *k(void) { return getenv("HOME"); }'
plant banned.sh src/model/cost.c 'static void l(void) { setlocale(0, ""); }'
plant banned.sh src/model/cost.c '/* a comment */ static void m(void) { abort(); } // "quoted"'
plant banned.sh src/model/string_utils.c 'int n;'

long_function() {
    printf 'int planted(void)\n{\n'
    for ((i = 0; i < 60; ++i)); do
        printf '    ;\n'
    done
    printf '    return 0;\n}\n'
}
plant sizes.sh src/model/planted.c "$(long_function)"
plant sizes.sh src/model/planted.c "/* $(printf '%0100d' 0) */"
plant sizes.sh src/model/planted.c "$(for ((i = 0; i < 801; ++i)); do printf '/* */\n'; done)"

# What only looks like a fault is none.
cp "$scratch/src/model/cost.c" "$scratch/kept"
printf '%s\n' '/* strcpy(a, b) and exit(1) */' 'static const char q[] = "system(\"abort()\")";' \
    >>"$scratch/src/model/cost.c"
if RP_SOURCE=$scratch bash "$here/banned.sh" 2>&1 | grep -F src/model/cost.c; then
    printf 'banned.sh: takes a comment or a string for a call\n'
    failed=1
fi
mv "$scratch/kept" "$scratch/src/model/cost.c"

[ "$failed" -eq 0 ]
