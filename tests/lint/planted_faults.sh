#!/usr/bin/env bash
#
# The checks of this folder find what they are for: faults are planted into a copy of the sources,
# each in a file of its own, and every one must be named with its file. What only looks like a fault
# must not be.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=${RP_SOURCE:?}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cp -R "$source/src" "$source/kernels" "$source/analysis" "$scratch/"
mkdir -p "$scratch/tests/slurm" "$scratch/scripts" "$scratch/slurm"
failed=0
planted=()

# plant FILE TEXT: a new file that the next look must name.
plant() {
    [ ! -e "$scratch/$1" ] || { printf '%s is there already\n' "$1" && exit 1; }
    printf '%s\n' "$2" >"$scratch/$1"
    planted+=("$1")
}

# look CHECK: it fails, and names each planted file; they are removed.
look() {
    local file
    if RP_SOURCE=$scratch bash "$here/$1" >"$scratch/log" 2>&1; then
        printf '%s: passes in spite of what was planted\n' "$1"
        failed=1
    fi
    for file in "${planted[@]}"; do
        if ! grep -qF "$file" "$scratch/log"; then
            printf '%s: does not name %s:\n' "$1" "$file"
            cat "$scratch/$file"
            failed=1
        fi
        rm "$scratch/$file"
    done
    planted=()
}

plant src/base/planted_up.c '#include "model/point.h"'
plant src/model/planted_up.c '#include "store/study.h"'
plant src/store/planted_beside.c '#include "plan/job.h"'
plant src/device/planted_beside.c '#include "kernels/kernel.h"'
plant kernels/planted_up.c '#include "measure/inputs.h"'
plant analysis/planted_beside.c '#include "runner/runner.h"'
plant src/base/planted_mpi.c '#include <mpi.h>'
plant src/measure/planted_hdf5.c '#include <hdf5.h>'
plant src/plan/planted_missing.c '#include "planted_elsewhere.h"'
plant src/plan/planted_unknown.c '#include <unheard_of.h>'
look layers.sh

plant src/base/planted_1.c 'static void f(char *a, const char *b) { strcpy(a, b); }'
plant src/model/planted_2.c 'static int g(const char *a) { return atoi(a); }'
plant src/model/planted_3.c 'static void h(void) { exit(1); }'
plant src/model/planted_4.c 'static void i(void) { printf("x"); }'
plant src/model/planted_5.c 'static void j(void) { fputs("x", stdout); }'
plant src/model/planted_6.c 'static const char *k(void) { return getenv("HOME"); }'
plant src/model/planted_7.c 'static void l(void) { setlocale(0, ""); }'
plant src/model/planted_8.c '/* a comment */ static void m(void) { abort(); } // "quoted"'
plant src/model/string_utils.c 'int n;'
look banned.sh

long_function() {
    printf 'int planted(void)\n{\n'
    for ((i = 0; i < 60; ++i)); do
        printf '    ;\n'
    done
    printf '    return 0;\n}\n'
}
plant src/model/planted_function.c "$(long_function)"
plant src/model/planted_line.c "/* $(printf '%0100d' 0) */"
plant src/model/planted_file.c "$(for ((i = 0; i < 801; ++i)); do printf '/* */\n'; done)"
look sizes.sh

printf '%s\n' '/* strcpy(a, b) and exit(1) */' 'static const char q[] = "system(\"abort()\")";' \
    >"$scratch/src/model/innocent.c"
if RP_SOURCE=$scratch bash "$here/banned.sh" 2>&1 | grep -F src/model/innocent.c; then
    printf 'banned.sh: takes a comment or a string for a call\n'
    failed=1
fi

[ "$failed" -eq 0 ]
