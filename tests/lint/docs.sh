#!/usr/bin/env bash
#
# What the documents mention exists: options in --help, files and links in the tree.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cd "$RP_SOURCE"

mapfile -t documents < <(find README.md CONTRIBUTING.md docs -name '*.md' -o -name '*.1' |
    LC_ALL=C sort)
faults=0
fault() {
    printf '%s\n' "$*"
    faults=$((faults + 1))
}

# Options: our own from --help, those of the tools the documents also call by name.
{
    "$RIDGEPOINT" --help
    "$ANALYZE" --help
    for command in run plan devices; do
        "$RIDGEPOINT" "$command" --help
    done
    for command in summary classes check verify explain compare merge report figures export; do
        "$ANALYZE" "$command" --help
    done
    for script in setup build test demo bench; do
        "scripts/$script" --help
    done
    slurm/submit --help
    slurm/status --help
} >"$SCRATCH/help" 2>&1 || fault "a --help failed; see the end of: $(tail -n 2 "$SCRATCH/help")"
tools='--preset --build --install --prefix --test-dir --output-on-failure --parallel'
tools+=' --oversubscribe --version'
tools+=' --account --constraint --gpu-bind --gres --mpi --qos'
grep -oE -- '--[a-z][a-z-]+' "$SCRATCH/help" | sort -u >"$SCRATCH/options"
for document in "${documents[@]}"; do
    while IFS= read -r option; do
        case " $tools " in
            *" $option "*) continue ;;
        esac
        grep -qxF -- "$option" "$SCRATCH/options" || fault "$document: no command has $option"
    done < <(sed 's/\\-/-/g' "$document" | grep -oE -- '(^|[^-A-Za-z0-9])--[a-z][a-z-]+' |
        grep -oE -- '--[a-z-]+' | sort -u)
done

rooms='src|kernels|analysis|tests|scripts|docs|jobs|data|cmake|slurm'
rooms+='|base|model|plan|store|device|measure|runner|cli|registry'

# Links, and names in backticks that look like a path of this tree.
for document in "${documents[@]}"; do
    folder=$(dirname "$document")
    while IFS= read -r link; do
        case "$link" in
            http*://* | '#'*) continue ;;
        esac
        [ -e "$folder/${link%%#*}" ] || fault "$document: the link $link leads nowhere"
    done < <(grep -oE '\]\([^)]+\)' "$document" | sed 's/^](//; s/)$//' | sort -u)
    while IFS= read -r path; do
        compgen -G "$path" >/dev/null || compgen -G "src/$path" >/dev/null ||
            fault "$document: there is no $path"
    done < <(grep -oE '`[^` ]+`' "$document" | tr -d '`' | grep -E "^(\./)?($rooms)/" |
        grep -vE '[<>{}]|X|Y' | sed 's|/$||' | sort -u)
done
[ "$faults" -eq 0 ]
