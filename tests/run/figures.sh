#!/usr/bin/env bash
#
# ridgepoint-analyze figures: data, script, SVG and PNG of every figure; numbers that can be checked
# by hand; simulated rows only when asked, and marked; a script that was changed draws again.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
command -v gnuplot >/dev/null || skip 'gnuplot is not here (scripts/setup installs it)'

cat >job.yaml <<'YAML'
name: figures
measure: {min_samples: 6, max_samples: 6}
verify: {rows: 1}
sweep:
  - {stage: prefill, heads: 32, seq: {from: 64, to: 64k, times: 2}, head_dim: 128,
     causal: [true, false]}
  - {stage: decode, heads: 32, kv_heads: [32, 8, 1], seq_k: 2k, head_dim: 128}
  - {stage: decode, heads: 32, kv_heads: 8, batch: [1, 64], seq_k: {from: 64, to: 8k, times: 2},
     head_dim: 128}
YAML
for type in t4 h100-sxm-80gb; do
    expect 0 "$RIDGEPOINT" run job.yaml -o "$type.h5" --device "simulated:$type" --progress none
done

# Nothing of them is drawn unless asked for.
expect 0 "$ANALYZE" figures t4.h5 -o none
expect_text "$OUT" '--simulated takes them in' 'what to do about it'
[ -z "$(ls none)" ] || fail 'figures of simulated rows were drawn unasked'

expect 0 "$ANALYZE" figures --simulated t4.h5 h100-sxm-80gb.h5 -o f
cp "$OUT" listed
[ ! -s "$ERR" ] || fail "figures writes to standard error: $(cat "$ERR")"
for name in intensity memory naive-over-fused prefill-rate decode-bandwidth grouped-queries \
    {roofline-fp16,heatmap-prefill,heatmap-decode,causal-counting}-{t4,h100-sxm-80gb}-simulated \
    heatmap-decode-a100-sxm-80gb; do
    for ending in csv gp svg png; do
        [ -s "f/$name.$ending" ] || fail "f/$name.$ending is missing or empty"
    done
    [ "$(head -c 4 "f/$name.png" | tail -c 3)" = PNG ] || fail "f/$name.png is no PNG"
    expect_text listed "f/$name.svg" 'the list of figures'
    # Other tests need xmllint, this one can do without.
    if command -v xmllint >/dev/null; then
        expect 0 xmllint --noout --nonet "f/$name.svg"
    fi
    # What a reader needs on every plot: both axes named, with their units.
    labels=$(grep -c '^set [xy]label .*(\|^set xlabel .*H/G\|^set ylabel units' "f/$name.gp")
    [ "$labels" -ge 2 ] || fail "f/$name.gp names no units"
done
expect_no_file f/gnuplot.log
expect 0 "$ANALYZE" figures --simulated t4.h5 h100-sxm-80gb.h5 -o f # a second time is fine

# Marked where a simulated device answered, not where counts alone speak.
expect_text f/roofline-fp16-t4-simulated.svg 'SIMULATED' 'a simulated figure says so'
for name in intensity grouped-queries heatmap-decode-a100-sxm-80gb; do
    ! grep -q SIMULATED "f/$name.svg" || fail "$name is marked as simulated"
done

# Dark pages show what is white below a mark.
! grep -lE "scale\([1-9][0-9.]*\)' color='#FFFFFF'" f/*.svg || fail 'marks have halos'

# cell FILE COLUMN NAME=VALUE...: that column of the rows where all of these hold.
cell() {
    local file=$1 column=$2 names=() wanted='' pair
    shift 2
    for pair in "$@"; do
        names+=("${pair%%=*}")
        wanted+="${pair#*=}"$'\t'
    done
    csv_columns "${names[@]}" "$column" <"$file" | awk -v wanted="$wanted" \
        'index($0, wanted) == 1 { print substr($0, length(wanted) + 1) }'
}

# The notebook's intensities: T / 2 without a mask; 256.25 at T = 1024 with it; decode 3.992 there.
curve='series=prefill; no mask; H/G = 1'
for t in 64 256 1024 4096; do
    expect_equal "$(cell f/intensity.csv intensity_flop_per_byte "$curve" "seq_k=$t")" \
        "$((t / 2))" "intensity at T = $t"
done
curve='series=prefill; causal mask; H/G = 1'
expect_equal "$(cell f/intensity.csv intensity_flop_per_byte "$curve" seq_k=1024)" 256.25 \
    'intensity with a mask'
expect_text f/intensity.gp "'t4: ridge 203 FLOP/B'" 'the ridge of a T4'

# Grouped queries: bytes_min = 2 * 128 * (2 * 32 + 2 * G * 2048), intensity rises as they fall.
for g in 32 8 1; do
    expect_equal "$(cell f/grouped-queries.csv bytes_min "kv_heads=$g")" \
        "$((2 * 128 * (2 * 32 + 2 * g * 2048)))" "bytes of $g kv heads"
done
csv_columns intensity_flop_per_byte <f/grouped-queries.csv >intensities
sort -g intensities | cmp -s - intensities || fail 'intensity does not rise with H/G'

# Memory: scores of 64k tokens do not fit a T4; the prediction is there, the measurement is not.
expect_equal "$(cell f/memory.csv status 'device=t4 (simulated)' impl=naive seq_k=65536)" oom \
    'out of memory'
expect_equal "$(cell f/memory.csv peak_memory_bytes 'device=t4 (simulated)' impl=naive \
    seq_k=65536)" '' 'no measured peak without a run'
expect_equal "$(cell f/memory.csv peak_memory_bytes 'device=t4 (simulated)' impl=fused \
    seq_k=1024)" "$((4 * 32 * 1024 * 128 * 2))" 'fused holds the tensors only'

# Heatmap: batch 1 and 64 were measured, the rest is predicted; one sweet spot a context; a rate
# cannot be above H/G times the bandwidth.
map=f/heatmap-decode-t4-simulated.csv
expect_equal "$(cell "$map" basis context=64 batch=64) $(cell "$map" basis context=64 batch=2)" \
    'measured predicted' 'basis of cells'
expect_equal "$(cell "$map" context sweet_spot=1 | sort -u | wc -l)" 8 'sweet spots'
expect_equal "$(cell f/heatmap-decode-a100-sxm-80gb.csv basis batch=1 | sort -u)" predicted \
    'a type that nobody measured'
cell "$map" flop_per_s basis=predicted | awk '!($1 > 0 && $1 < 4 * 320e9) { exit 1 }' ||
    fail 'a predicted decode rate is above the bandwidth'

# Causal counting halves; naive computes the hidden pairs, fused does not.
curve='series=FLOP: visible pairs / all pairs'
expect_equal "$(cell f/causal-counting-t4-simulated.csv value "$curve" seq_k=1024 | sort -u)" \
    "$(awk 'BEGIN { printf "%.15g", 1025 / 2048 }')" 'FLOP with a mask'

# The timeline of simulated devices: rows one behind the other, each as long as the model says.
expect_text listed f/timeline.svg 'the list of figures'
expect_text f/timeline.svg SIMULATED 'a simulated timeline says so'
expect_equal "$(cell f/timeline.csv lane 'device=h100-sxm-80gb (simulated)' | sort -u)" 2 \
    'a lane each'
csv_columns lane begin_s sampling_s <f/timeline.csv | awk '
    $1 != lane { lane = $1; end = 0 }
    ($2 - end) ^ 2 > 1e-12 * (1 + end ^ 2) { exit 1 }
    { end = $2 + $3 }' || fail 'bars of a simulated rank do not follow each other'

# A user changes a script and draws again, without this program.
(
    cd f
    sed -i "s/^title = .*/title = 'Mine'/" intensity.gp
    expect 0 gnuplot intensity.gp
    expect_text intensity.svg '>Mine<' 'the changed title'
)

# On a real device there is a timeline, and nothing is marked.
run_tiny tiny.h5
expect 0 "$ANALYZE" figures tiny.h5 -o real
[ -s real/timeline.svg ] || fail 'no timeline'
! grep -l SIMULATED real/*.svg || fail 'a measured figure is marked as simulated'
expect_equal "$(csv_columns sampling_s <real/timeline.csv | wc -l)" "$TINY_ROWS" 'bars'

# One length alone: what it is held against is drawn from edge to edge, not as a stray dash. Of one
# batch there is no map.
cat >one.yaml <<'YAML'
name: one
measure: {min_samples: 6, max_samples: 6}
verify: {rows: 1}
sweep:
  - {stage: decode, heads: 32, seq_k: 2k, head_dim: 128}
YAML
expect 0 env -u RIDGEPOINT_NO_CEILINGS "$RIDGEPOINT" run one.yaml -o one.h5 --device simulated:t4 \
    --progress none
expect 0 "$ANALYZE" figures --simulated one.h5 -o one
begin="114, 178)' stroke-dasharray='[^']*' *d='M" # of the ceiling, in the curve's colour
step=$(sed -n "s/.*$begin\([0-9.]*\),[0-9.]* L\([0-9.]*\),.*/\1 \2/p" one/decode-bandwidth.svg)
awk '{ exit !($2 - $1 > 1) }' <<<"$step" || fail "the ceiling is a stray dash: $step"
expect 0 "$RIDGEPOINT" run one.yaml -o one-cpu.h5 --device cpu --threads 1 --progress none
expect 0 "$ANALYZE" figures one-cpu.h5 -o one-cpu
! ls one-cpu/heatmap-*-cpu-*.svg 2>/dev/null || fail 'a map of one batch'

# What is wrong is said.
expect 2 "$ANALYZE" figures tiny.h5
expect_text "$ERR" '--output' 'where to write'
expect 3 "$ANALYZE" figures tiny.h5 -o no/such/folder
expect_text "$ERR" 'no/such/folder' 'a folder that cannot be made'
expect 3 "$ANALYZE" figures tiny.h5 -o tiny.h5
PATH=/nowhere expect 3 "$ANALYZE" figures tiny.h5 -o without
expect_text "$ERR" 'gnuplot-nox' 'what to install'
