#!/usr/bin/env bash
#
# Calls that do not belong in this code at all, calls that belong in few files, and file names that
# say nothing. Comments and strings do not count.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${RP_SOURCE:?}"

scratch=$(mktemp -d "${TMPDIR:-/tmp}/ridgepoint-lint.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
faults=0

find src kernels analysis -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort |
    xargs awk -f "$here/strip.awk" >"$scratch/code"
[ "$(wc -l <"$scratch/code")" -gt 1000 ] || {
    printf 'less than 1000 lines of code found: this check looks at the wrong place\n'
    exit 1
}

# banned WORDS ALLOWED WHY: calls of WORDS (a|b|c) only in files that match ALLOWED (or '-').
banned() {
    local words=$1 allowed=$2 why=$3
    grep -E "(^|[^A-Za-z0-9_.>])($words)[[:space:]]*\(" "$scratch/code" >"$scratch/hits" || return 0
    if [ "$allowed" != - ]; then
        grep -vE "^($allowed):" "$scratch/hits" >"$scratch/left" || return 0
        mv "$scratch/left" "$scratch/hits"
    fi
    sed "s|\$|    <- $why|" "$scratch/hits"
    faults=$((faults + $(wc -l <"$scratch/hits")))
}

mains='src/main\.c|analysis/main\.c'
banned 'strcpy|strcat|stpcpy|sprintf|vsprintf|gets|alloca' - \
    'writes without knowing how much room there is'
banned 'strncpy|strncat' - \
    'may leave out the null, or the rest, without a word; use snprintf or memcpy'
banned 'atoi|atol|atoll|atof|strtol|strtoll|strtoul|strtoull|strtof|strtold' - \
    'takes garbage or the locale for a number; use base/parse.h'
banned 'strtod|strtod_l' 'src/base/[a-z]+\.c' 'depends on the locale; use base/parse.h'
# Text of the kernel (/proc, /sys) is the one thing read with it.
banned 'sscanf|fscanf|scanf|vsscanf' 'src/device/host_[a-z]+\.c' \
    'wraps numbers that do not fit; use base/parse.h'
banned 'strtok|asctime|ctime|localtime|gmtime' - 'keeps hidden state or depends on the time zone'
banned 'tmpnam|tempnam|mktemp|rand|srand|random|srandom|drand48' - 'keeps hidden state'
banned 'system|popen' - 'starts a shell'
banned 'setlocale|uselocale' - 'output must be the same in every locale'
banned 'abort|exit|_exit|_Exit|quick_exit' "$mains|analysis/child\.c|src/runner/worker[a-z_]*\.c" \
    'only the two main.c end a process, and a child process itself'
banned 'MPI_Abort' "$mains|src/runner/comm_mpi\.c" 'ends every rank'
banned 'printf|puts|putchar|vprintf|perror' "$mains|src/cli/[a-z_]+\.c|analysis/[a-z_]+\.c" \
    'nothing below main and the commands prints'
reads_environment='src/cli/[a-z_]+\.c|src/store/provenance\.c|src/runner/placement\.c'
banned 'getenv|secure_getenv' "$reads_environment|src/device/(backend_cpu|host_)[a-z_]*\.c" \
    'the environment is read in few places'

# The stream by name, not as a call.
prints="$mains|src/cli/[a-z_]+\.c|analysis/[a-z_]+\.c|src/base/(table|option|option_help)\.[ch]"
if grep -E '(^|[^A-Za-z0-9_])stdout([^A-Za-z0-9_]|$)' "$scratch/code" |
    grep -vE "^($prints):" >"$scratch/hits"; then
    sed 's|$|    <- nothing below main and the commands prints|' "$scratch/hits"
    faults=$((faults + $(wc -l <"$scratch/hits")))
fi

while IFS= read -r path; do
    printf '%s: a name that says nothing about what is inside\n' "$path"
    faults=$((faults + 1))
done < <(find src kernels analysis |
    grep -E '(^|[/_])(utils?|common|misc|managers?|helpers?|handles?)([_./]|$)' || true)

if [ "$faults" -gt 0 ]; then
    printf '%s banned use(s)\n' "$faults"
    exit 1
fi
