# shellcheck shell=bash
#
# slurm_lib.sh - what tests on a real cluster share, beside lib.sh: the cluster in the scratch
# folder, and questions to it. Sourced after lib.sh.

set -euo pipefail

CAMPAIGN=$SCRATCH/results/sweep.simulated.campaign
STUDY=$SCRATCH/results/sweep.simulated.h5
# shellcheck disable=SC2034
SUMMARY=$SCRATCH/results/sweep.simulated-report/campaign.txt

# As in lib.sh, after what the jobs said.
fail() {
    tail -v -n 30 "$CAMPAIGN"/*.log >&2 2>/dev/null || true
    scontrol -o show jobs 2>/dev/null | cut -c 1-200 >&2 || true
    printf 'FAIL: %s\n' "$*" >&2
    exit 1
}

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

# await SECONDS COMMAND...: until it succeeds. As wait_for, but for commands that ask Slurm and take
# their time.
await() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.3
    done
}

# job_field ID NAME: one field of a job: JobState, Restarts, ExitCode, TimeLimit, ...
job_field() {
    scontrol show job "$1" 2>/dev/null | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

job_is() { [ "$(job_field "$1" JobState)" = "$2" ]; }
job_has_ended() {
    case "$(job_field "$1" JobState)" in
        COMPLETED | FAILED | TIMEOUT | CANCELLED | NODE_FAIL) return 0 ;;
        *) return 1 ;;
    esac
}

# write_site FILE: the three partitions of the cluster; more settings may follow on standard input.
write_site() {
    cat >"$1" <<ENV
site_program=$RIDGEPOINT
partition t4   gpu=t4            gpus=2 gres=gpu:t4:2
partition a100 gpu=a100-sxm-80gb gpus=2 gres=gpu:a100:2
partition h100 gpu=h100-sxm-80gb gpus=2 gres=gpu:h100:2
ENV
}

# submit CODE ARGUMENT...: slurm/submit sweep.yaml; what it said is in $OUT.
submit() {
    local code=$1
    shift
    expect "$code" bash "$RP_SOURCE/slurm/submit" sweep.yaml "$@"
}

# id_of NAME: the job of a partition of the campaign, or of the report.
id_of() { cat "$CAMPAIGN/$1.id"; }
result_of() { printf '%s' "$SCRATCH/results/sweep.simulated.$1.h5"; }

# A few rows are safe.
has_rows() {
    [ "$(stat -c %s "$(result_of "$1").journal" 2>/dev/null || printf 0)" -gt 6000 ]
}

wait_for_rows() { await 60 has_rows "$1" || fail "$1 measures nothing"; }

job_is_held() { [ "$(job_field "$1" Reason)" = launch_failed_requeued_held ]; }

# A requeued job waits about two minutes before it may start again; this skips the wait, but not for
# its first start to be gone: Slurm would take the end of that for the end of the second.
is_restarted() {
    # Its node still thought that it runs: Slurm holds such a job until somebody lets it go.
    ! job_is_held "$1" || scontrol release "$1" >/dev/null 2>&1 || true
    scontrol update JobId="$1" StartTime=now >/dev/null 2>&1 || true
    [ "$(job_field "$1" Restarts)" -ge "$2" ] && job_is "$1" RUNNING
}
# The daemons of its steps have sockets there.
is_ended_on_node() { ! compgen -G "$SCRATCH/cluster/spool/*/*_$1.*" >/dev/null; }

wait_for_restart() { # NAME TIMES
    await 60 job_is "$(id_of "$1")" PENDING || fail "$1 is not queued again"
    await 60 is_ended_on_node "$(id_of "$1")" || fail "start $2 of $1 does not end"
    sleep 3 # slurmd takes a moment longer to forget it, and would not launch "a second copy"
    await 60 is_restarted "$(id_of "$1")" "$2" || {
        tail -n 15 "$SCRATCH"/cluster/log/*a >&2
        fail "$1 does not start again"
    }
}

# wait_for_end NAME STATE
wait_for_end() {
    await 120 job_has_ended "$(id_of "$1")" || fail "the job of $1 does not end"
    job_is "$(id_of "$1")" "$2" ||
        fail "the job of $1 is $(job_field "$(id_of "$1")" JobState), not $2"
}

# expect_study TYPE...: the study has, for each of these GPU types and no other, exactly the table
# of a run that nobody disturbed.
expect_study() {
    local type
    : >undisturbed
    for type in "$@"; do
        [ -e "alone.$type.h5" ] || expect 0 "$RIDGEPOINT" run sweep.yaml -o "alone.$type.h5" \
            --device "simulated:$type" --progress none
        table_of "alone.$type.h5" >>undisturbed
    done
    LC_ALL=C sort undisturbed >wanted
    table_of "$STUDY" >got
    cmp -s wanted got || {
        diff wanted got | head >&2 || true
        fail "the study differs from undisturbed runs on $*"
    }
}
