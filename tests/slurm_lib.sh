# shellcheck shell=bash
#
# slurm_lib.sh - what tests on a real cluster share, beside lib.sh: the cluster in the scratch
# folder, and questions to it. Sourced after lib.sh.

# start_cluster: skips the test where there can be none; ends with the test.
start_cluster() {
    local code=0
    bash "$RP_SOURCE/tests/slurm/cluster" start "$SCRATCH/cluster" >"$OUT" 2>"$ERR" || code=$?
    trap 'stop_cluster; rm -rf "$SCRATCH"' EXIT
    export SLURM_CONF=$SCRATCH/cluster/slurm.conf
    [ "$code" != 77 ] || skip "$(sed 's/^SKIP: //' "$OUT")"
    [ "$code" = 0 ] || {
        show_last
        fail "the cluster does not start: exit code $code"
    }
}

stop_cluster() {
    bash "$RP_SOURCE/tests/slurm/cluster" stop "$SCRATCH/cluster" >/dev/null 2>&1 || true
}

# job_field ID NAME: one field of a job: JobState, Restarts, ExitCode, TimeLimit, ...
job_field() {
    scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

job_is() { [ "$(job_field "$1" JobState)" = "$2" ]; }
job_has_ended() {
    case "$(job_field "$1" JobState)" in
        COMPLETED | FAILED | TIMEOUT | CANCELLED | NODE_FAIL) return 0 ;;
        *) return 1 ;;
    esac
}
