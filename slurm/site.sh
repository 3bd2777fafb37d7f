# shellcheck shell=bash
#
# site.sh - what differs between clusters, read from a site file, and what every script here shares.
# Sourced. A site file is bash: it sets site_... variables and calls `partition` (slurm/sites/).
# shellcheck disable=SC2034 # used by those who source this
set -euo pipefail

site_launcher=srun    # or mpirun: a machine without Slurm, one partition after the other
site_setup=''         # lines that a job runs before anything else: module load ...
site_sbatch=()        # options of every sbatch: --account=...
site_srun=(--mpi=pmix --gpu-bind=single:1)
site_mpirun=()
site_program=''       # ridgepoint, where it is neither beside this folder nor in PATH
site_report_partition='' # where the report is made; '': the first partition
site_names=()
declare -A site_of=() # NAME.KEY -> value, as partition() was told

die() { # CODE TEXT
    printf '%s: %s\n' "$(basename "$0")" "$2" >&2
    exit "$1"
}

# partition NAME gpu=TYPE [gpus=N a node] [nodes=N] [gres=...] [partition=SLURM'S NAME] [cpus=N a
# rank] [limit=TIME] [sbatch=ONE MORE OPTION]
partition() {
    local name=$1 pair key
    shift
    [[ $name =~ ^[A-Za-z0-9._-]+$ ]] || die 2 "site file: partition '$name': letters, digits, . _ -"
    site_names+=("$name")
    site_of[$name.partition]=$name
    site_of[$name.gpus]=1
    site_of[$name.nodes]=1
    for pair in "$@"; do
        key=${pair%%=*}
        case "$key" in
            gpu | gres | partition | cpus | limit | sbatch) ;;
            gpus | nodes)
                [[ ${pair#*=} =~ ^[1-9][0-9]{0,4}$ ]] ||
                    die 2 "site file: partition $name: $pair: a number in 1..99999"
                ;;
            *)
                die 2 "site file: partition $name: there is no $key; there are gpu, gpus, nodes, \
gres, partition, cpus, limit and sbatch"
                ;;
        esac
        site_of[$name.$key]=${pair#*=}
    done
    [ -n "${site_of[$name.gpu]-}" ] || die 2 "site file: partition $name: gpu=TYPE is missing"
}

read_site() {
    [ -r "$1" ] || die 2 "--site $1: cannot be read"
    # shellcheck disable=SC1090
    . "$1"
    case "$site_launcher" in
        srun | mpirun) ;;
        *) die 2 "$1: site_launcher=$site_launcher: srun or mpirun" ;;
    esac
    [ ${#site_names[@]} -gt 0 ] || die 2 "$1: has no line 'partition NAME gpu=TYPE'"
}

# find_program: in the build folder of these sources, where it was installed, or in PATH.
find_program() {
    local here=$1 path
    for path in "$site_program" "$here/../build/ridgepoint" "$here/../../../bin/ridgepoint" \
        "$(command -v ridgepoint || true)"; do
        if [ -n "$path" ] && [ -x "$path" ]; then
            realpath "$path"
            return 0
        fi
    done
    die 3 'no program ridgepoint: build it (scripts/build), or set site_program in the site file'
}

# minutes_of TIME: Slurm's D-HH:MM:SS, HH:MM:SS, MM:SS, MM, D-HH; rounded up. Nothing for UNLIMITED.
minutes_of() {
    awk -v time="$1" 'BEGIN {
        if (time !~ /^([0-9]+-)?[0-9]+(:[0-9]+)*$/)
            exit
        days = 0
        has_days = split(time, dash, "-") == 2
        if (has_days) { days = dash[1]; time = dash[2] }
        n = split(time, part, ":")
        if (has_days) s = part[1] * 3600 + part[2] * 60 + part[3]
        else if (n == 1) s = part[1] * 60
        else if (n == 2) s = part[1] * 60 + part[2]
        else s = part[1] * 3600 + part[2] * 60 + part[3]
        s += days * 86400
        printf "%d", int((s + 59) / 60)
    }'
}

# jobs_in_queue: ids of every job that has not ended; fails when Slurm does not answer.
jobs_in_queue() { squeue -h -o %A; }

# rows_of FILE.h5: "complete: 216 of 216 planned rows" or "partial: ...", by the program $analyze;
# nothing when there is no whole file.
rows_of() {
    [ -e "$1" ] || return 0
    "${analyze:?}" verify "$1" 2>/dev/null |
        sed -n 's/.*; \(\(complete\|partial\): [0-9]* of [0-9]* planned rows\).*/\1/p' || true
}
