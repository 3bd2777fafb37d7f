#!/usr/bin/env bash
#
# Include arrows point down, every foreign library is behind one file (CONTRIBUTING.md, "Layers").
set -euo pipefail
cd "${RP_SOURCE:?}"

# Which rooms a room may include. Its own is among them; registry/ holds data rows, not code.
declare -A below=(
    [base]='base'
    [model]='base model'
    [plan]='base model plan'
    [store]='base model store'
    [device]='base model device'
    [kernels]='base model device kernels'
    [measure]='base model plan device kernels measure'
    [runner]='base model plan store device kernels measure runner'
    [cli]='base model plan store device kernels measure runner cli'
    [main]='base model plan store device kernels measure runner cli'
    [analysis]='base model plan store analysis'
)
declare -A registry=([base]=no [model]=yes [device]=yes [kernels]=yes)

# Foreign header -> the files that may include it (a shell pattern).
foreign=(
    'mpi.h                src/runner/comm_mpi.c'
    'hdf5.h               src/store/results_hdf5*'
    'H5*.h                src/store/results_hdf5*'
    'yaml.h               src/plan/document.c'
    'openssl/*            src/base/digest.c'
    'zlib.h               src/store/@(journal_record|results_hdf5_chunk).c'
    'Random123/*          src/base/rng.c'
    'hwloc.h              src/device/host_*.c'
    'hwloc/*              src/device/host_*.c'
    'cblas.h              kernels/cpu/attn_reference*.c'
    'cblas.h              kernels/cpu/probe_compute.c'
    'immintrin.h          kernels/cpu/*'
    'omp.h                src/device/backend_cpu*.c'
    'omp.h                src/device/host_*.c'
    'omp.h                src/measure/*.c'
    'omp.h                kernels/cpu/*'
    'cuda*.h              src/device/backend_cuda*.c'
    'cuda*.h              kernels/cuda/*'
    'cublas*.h            kernels/cuda/*'
    'mma.h                kernels/cuda/*'
)

# The C library and the kernel's interface: free for all.
libc=' assert.h byteswap.h cpuid.h ctype.h dirent.h dlfcn.h endian.h errno.h fcntl.h fenv.h float.h
 inttypes.h limits.h locale.h math.h poll.h pthread.h sched.h signal.h spawn.h stdalign.h stdarg.h
 stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h time.h unistd.h
 sys/auxv.h sys/file.h sys/ioctl.h sys/mman.h sys/prctl.h sys/random.h sys/resource.h sys/select.h
 sys/socket.h sys/stat.h sys/statfs.h sys/statvfs.h sys/syscall.h sys/sysinfo.h sys/time.h
 sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/vfs.h sys/wait.h linux/limits.h linux/magic.h '
libc=${libc//$'\n'/ }

faults=0
fault() {
    printf '%s\n' "$*"
    faults=$((faults + 1))
}

# Sets `room`; a subshell for each of some hundred includes would take seconds.
find_room() {
    case "$1" in
        src/main.c) room=main ;;
        src/*/*)
            room=${1#src/}
            room=${room%%/*}
            ;;
        kernels/*) room=kernels ;;
        analysis/*) room=analysis ;;
        *) room=none ;;
    esac
}

check_own() { # FILE LINE INCLUDED
    local file=$1 line=$2 included=$3 room target
    find_room "$file"
    case "$included" in
        */*) target=${included%%/*} ;;
        *)
            [ -e "${file%/*}/$included" ] ||
                fault "$file:$line: \"$included\" is not in this folder; write \"room/$included\""
            return 0
            ;;
    esac
    if [ "$target" = registry ]; then
        [ "${registry[$room]-no}" = yes ] || fault "$file:$line: $room may not include registry/"
        return 0
    fi
    if [ -z "${below[$room]-}" ]; then
        fault "$file: the room \"$room\" is not in the layer picture"
        return 0
    fi
    case " ${below[$room]} " in
        *" $target "*) ;;
        *) fault "$file:$line: $room includes $included, which is above or beside it" ;;
    esac
}

check_foreign() { # FILE LINE INCLUDED
    local file=$1 line=$2 included=$3 row header where known=no
    case "$libc" in
        *" $included "*) return 0 ;;
    esac
    for row in "${foreign[@]}"; do
        header=${row%% *}
        where=${row##* }
        # shellcheck disable=SC2053
        if [[ $included == $header ]]; then
            known=yes
            # shellcheck disable=SC2053
            [[ $file == $where ]] && return 0
        fi
    done
    if [ "$known" = yes ]; then
        fault "$file:$line: <$included> belongs behind another file"
    else
        fault "$file:$line: <$included> is of no library this project knows"
    fi
}

include='^([^:]+):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^>"]+)[>"]'
files=0
while IFS= read -r match; do
    files=$((files + 1))
    [[ $match =~ $include ]] || continue
    if [ "${BASH_REMATCH[3]}" = '"' ]; then
        check_own "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}"
    else
        check_foreign "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}"
    fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' src kernels analysis \
    --include='*.c' --include='*.h' --include='*.cu' --include='*.cuh')

[ "$files" -gt 50 ] || fault "only $files include lines found: this check looks at the wrong place"
if [ "$faults" -gt 0 ]; then
    printf '%s include(s) against the layers\n' "$faults"
    exit 1
fi
