#!/usr/bin/env bash
#
# The installed tree works from any folder, also after it was moved: data is found beside it.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

cmake --install "$RP_BUILD" --prefix "$SCRATCH/there" >install.log 2>&1 || {
    cat install.log >&2
    fail 'cmake --install failed'
}
mv there moved
for path in bin/ridgepoint bin/ridgepoint-analyze share/ridgepoint/data/gpus.tsv \
    share/ridgepoint/data/models.yaml share/ridgepoint/jobs/notebook.yaml \
    share/ridgepoint/jobs/smoke.yaml share/ridgepoint/slurm/sites/example.env \
    share/ridgepoint/figures/style.gp share/man/man1/ridgepoint.1; do
    [ -s "moved/$path" ] || fail "not installed: $path"
done

mkdir elsewhere
cd elsewhere
# The model's shape comes from data/models.yaml, the verdicts from data/gpus.tsv.
cat >job.yaml <<'YAML'
name: installed
measure: {cache: warm, max_time_s: 0.01, max_samples: 6, min_samples: 6}
verify: {rows: 2}
sweep:
  - {stage: decode, model: llama-3-8b, seq_k: 64, dtype: fp16, impl: [fused]}
YAML
expect 0 ../moved/bin/ridgepoint run job.yaml -o out.h5 --device cpu --threads 1 --progress none
expect 0 ../moved/bin/ridgepoint-analyze verify out.h5
expect 0 ../moved/bin/ridgepoint-analyze summary out.h5
expect_text "$OUT" h100-sxm 'the summary knows the GPU types'
expect_equal "$(export_columns out.h5 heads kv_heads head_dim | tr '\t' ' ')" '32 8 128' \
    'the shape of llama-3-8b'

# The figures' scripts are found likewise.
if command -v gnuplot >/dev/null; then
    expect 0 ../moved/bin/ridgepoint-analyze figures out.h5 -o figures
    [ -s figures/intensity.svg ] || fail 'an installed program draws no figures'
fi

# Found through the PATH and through a link, too.
PATH=$SCRATCH/moved/bin:$PATH expect 0 ridgepoint-analyze summary out.h5
ln -s ../moved/bin/ridgepoint-analyze link
expect 0 ./link summary out.h5

# A data folder in the working directory is not taken by accident; --data is taken on request.
mkdir -p data
printf 'nonsense\n' >data/models.yaml
printf 'nonsense\n' >data/gpus.tsv
expect 0 ../moved/bin/ridgepoint-analyze summary out.h5
expect 0 ../moved/bin/ridgepoint run job.yaml -o again.h5 --device cpu --threads 1 --progress none

# The Slurm scripts find the programs they were installed with.
slurm=$(realpath ../moved/share/ridgepoint/slurm)
expect 0 "$slurm/submit" job.yaml --site "$slurm/sites/example.env" --dry-run t4
expect_text "$OUT" "RP_PROGRAM=$(realpath ../moved/bin/ridgepoint)" 'the program of the job'
