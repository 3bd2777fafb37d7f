# shellcheck shell=bash
#
# job_script.sh - from the site file, the plan and the options of slurm/submit to the scripts that
# sbatch gets: #SBATCH lines, RP_... variables, the site's own lines, and the body of
# ridgepoint.sbatch or report.sbatch. Sourced by submit; only prints.
# shellcheck disable=SC2154 # set by submit and site.sh
set -euo pipefail

# total KEY: of the totals that plan_of got.
total() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$plan_totals"; }

# plan_of NAME: asks ridgepoint plan; sets plan_... of this partition.
plan_of() {
    local name=$1 gpu=()
    plan_ranks=$((site_of[$name.gpus] * site_of[$name.nodes]))
    [ "${site_of[$name.gpu]}" = cpu ] || gpu=(--gpu "${site_of[$name.gpu]}")
    plan_totals=$("$program" plan "$job" "${plan_options[@]}" "${gpu[@]}" --ranks "$plan_ranks" \
        --nodes "${site_of[$name.nodes]}" --format json | sed -n '/^"totals"/,$p') || exit $?
    plan_gpu=$(total gpu_type)
    plan_rows=$(total rows)
    plan_s=$(total makespan_s)
    plan_memory_mib=$((($(total memory_bytes) / 1048576) * 5 / 4 + 1024))
    plan_minutes=$(minutes_of "$(total slurm_time)")
}

# limit_of NAME: minutes the partition allows; nothing when it does not limit or cannot be asked.
limit_of() {
    local limit=${site_of[$1.limit]-}
    if [ -z "$limit" ] && command -v sinfo >/dev/null; then
        limit=$(sinfo -h -p "${site_of[$1.partition]}" -o %l 2>/dev/null | head -n 1) || true
    fi
    [ -z "$limit" ] || minutes_of "$limit"
}

# time_of NAME: minutes to ask for. Being told to stop early, and Slurm telling up to a minute
# before that, must not stop a job that would have fitted.
time_of() {
    local minutes=$((plan_minutes + (${early_s:-120} + 119) / 60)) limit
    [ -z "$simulate" ] || minutes=$((simulate / 30 + 5 + ${early_s:-120} / 60))
    limit=$(limit_of "$1")
    [ -z "$limit" ] || [ "$minutes" -le "$limit" ] || minutes=$limit
    [ -z "$time" ] || minutes=$(minutes_of "$time")
    printf '%d' "$minutes"
}

device_of() {
    case "$simulate,${site_of[$1.gpu]}" in
        ,cpu) printf 'cpu' ;;
        ,*) printf 'cuda' ;;
        *) awk -v type="$plan_gpu" -v s="$simulate" -v plan="$plan_s" 'BEGIN {
               printf "simulated:%s:scale=%.6g", type, (plan > 0) ? s / plan : 1 }' ;;
    esac
}

# assign NAME VALUE..., assign_array NAME VALUE...: a line of bash.
assign() { printf '%s=%q\n' "$1" "$2"; }
assign_array() {
    printf '%s=(' "$1"
    shift
    [ $# -eq 0 ] || printf ' %q' "$@"
    printf ' )\n'
}
# directive OPTION...: one line each; a value with blanks in quotes.
directive() {
    local option
    for option in "$@"; do
        [[ $option != *[[:space:]]* ]] || option="${option%%=*}=\"${option#*=}\""
        printf '#SBATCH %s\n' "$option"
    done
}
log_directive() { directive "--open-mode=append" "--output=${1//%/%%}"; }
body_of() { sed 1,2d "$here/$1"; }

# print_job NAME: the script of one partition.
print_job() {
    local name=$1 minutes early=$early_s launch options=(--progress line --log-level info)
    plan_of "$name"
    minutes=$(time_of "$name")
    [ -n "$early" ] || early=$((minutes < 8 ? minutes * 15 : 120))
    printf '#!/usr/bin/env bash\n'
    printf '# %s on %s: %s rows, %.0f s by plan\n' "$campaign_name" "$plan_gpu" "$plan_rows" \
        "$plan_s"
    directive "--job-name=$campaign_name.$name" "--partition=${site_of[$name.partition]}" \
        "--nodes=${site_of[$name.nodes]}" "--ntasks-per-node=${site_of[$name.gpus]}" \
        "--mem=${plan_memory_mib}M" "--time=$minutes" "--signal=USR1@$early" --requeue \
        ${site_of[$name.cpus]:+"--cpus-per-task=${site_of[$name.cpus]}"} \
        ${site_of[$name.gres]:+"--gres=${site_of[$name.gres]}"} \
        "${site_sbatch[@]}" ${site_of[$name.sbatch]:+"${site_of[$name.sbatch]}"}
    log_directive "$campaign/$name.log"
    if [ "$site_launcher" = srun ]; then
        launch=(srun --kill-on-bad-exit=1 "${site_srun[@]}")
    else
        launch=(mpirun -n "$plan_ranks" "${site_mpirun[@]}")
    fi
    options+=(--device "$(device_of "$name")")
    [ "${site_of[$name.gpu]}" = cpu ] || options+=(--gpu "$plan_gpu")
    assign RP_SCRIPTS "$here"
    assign RP_NAME "$name"
    assign RP_PROGRAM "$program"
    assign RP_JOB "$campaign/job.yaml"
    assign RP_OUTPUT "$results.$name.h5"
    assign RP_CAMPAIGN "$campaign"
    assign RP_REQUEUES "$requeues"
    assign RP_NODES "${site_of[$name.nodes]}"
    assign RP_GPUS "${site_of[$name.gpus]}"
    assign_array RP_LAUNCH "${launch[@]}"
    assign_array RP_OPTIONS "${options[@]}" "${run_options[@]}"
    printf '%s\n' "$site_setup"
    body_of ridgepoint.sbatch
}

# The report covers the partitions of this command, and what others of the site measured earlier.
print_report() {
    local all=("${names[@]}") outputs analyze_options=() name
    local partition=${site_of[${names[0]}.partition]}
    for name in "${site_names[@]}"; do
        [[ " ${names[*]} " == *" $name "* || ! -e $results.$name.h5 ]] || all+=("$name")
    done
    outputs=("${all[@]/#/$results.}")
    [ -z "$simulate" ] || analyze_options=(--simulated)
    printf '#!/usr/bin/env bash\n'
    directive "--job-name=$campaign_name.report" \
        "--partition=${site_report_partition:-$partition}" --ntasks=1 --mem=4096M \
        --time=30 --requeue "${site_sbatch[@]}"
    log_directive "$campaign/report.log"
    assign RP_SCRIPTS "$here"
    assign RP_ANALYZE "$analyze"
    assign RP_CAMPAIGN "$campaign"
    assign RP_STUDY "$results.h5"
    assign RP_REPORT "$results-report"
    assign_array RP_NAMES "${all[@]}"
    assign_array RP_OUTPUTS "${outputs[@]/%/.h5}"
    assign_array RP_ANALYZE_OPTIONS "${analyze_options[@]}"
    printf '%s\n' "$site_setup"
    body_of report.sbatch
}
