#!/usr/bin/env bash
#
# jobs/notebook-exercises.yaml: the whole of it on a simulated T4, a small part on this machine's
# CPU, and what the notebook asks for in the figures: grouped queries, the heatmap, causal counting.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
command -v gnuplot >/dev/null || skip 'gnuplot is not here (scripts/setup installs it)'

job=$RP_SOURCE/jobs/notebook-exercises.yaml
expect 0 "$RIDGEPOINT" run "$job" -o t4.h5 --device simulated:t4 --progress none
expect_equal "$(count_words t4.h5 status)" ok:82 'rows'
expect 0 "$ANALYZE" figures --simulated t4.h5 -o t4

# What the CPU answers the same way with shorter lengths.
expect 0 "$RIDGEPOINT" run "$job" -o cpu.h5 --device cpu --threads 1 --progress none \
    --set sweep.0.seq_k=64 --set 'sweep.1.seq_k=[64, 128]' --set 'sweep.1.batch=[1, 4]' \
    --set sweep.2.seq=64 --set sweep.2.batch=1 --set 'sweep.3.seq=[64, 128]' \
    --set measure.max_samples=6
expect_equal "$(count_words cpu.h5 status)" "ok:$((4 * 3 + 4 + 2 * 2 * 3))" 'rows'
expect 0 "$ANALYZE" figures cpu.h5 -o cpu

for folder in t4 cpu; do
    # 1. Bytes fall and intensity rises as more query heads share a kv head.
    csv_columns heads_per_kv_head bytes_min intensity_flop_per_byte \
        <"$folder/grouped-queries.csv" >queries
    awk 'NR > 1 && !($1 > heads && $2 < bytes && $3 > intensity) { exit 1 }
         { heads = $1; bytes = $2; intensity = $3 } END { exit NR != 4 }' queries ||
        fail "grouped queries of $folder: $(cat queries)"
    # 2. Measured cells where the job has them, predicted ones for the other GPU types.
    for type in h100-sxm-80gb a100-sxm-80gb; do
        for stage in prefill decode; do
            expect_equal "$(csv_columns basis <"$folder/heatmap-$stage-$type.csv" | sort | uniq -c |
                tr -s ' ')" ' 56 predicted' "$stage on $type"
        done
    done
    # 3. Half of the pairs are hidden: (T + 1) / 2T of the dense count is left.
    csv_columns series seq_k value <"$(echo "$folder"/causal-counting-*.csv)" |
        awk -F '\t' '$1 ~ /^FLOP/ { n++; off = $3 - ($2 + 1) / (2 * $2)
                                    if (off * off > 1e-20) exit 1 } END { exit n < 2 }' ||
        fail "causal counting of $folder"
done

# Of four heads per kv head a quarter of the bytes of keys and values is left, and 3.992 FLOP/B.
expect_equal "$(csv_columns kv_heads bytes_min <t4/grouped-queries.csv |
    awk '$1 == 8 { print $2 }')" \
    "$((2 * 128 * (2 * 32 + 2 * 8 * 2048)))" 'bytes with grouped queries'
expect_equal "$(csv_columns basis <t4/heatmap-decode-t4-simulated.csv | sort | uniq -c | tr -s ' ' |
    paste -s -d ,)" ' 32 measured, 24 predicted' 'cells of the T4'
# At one sequence of 64 tokens launching takes longer than reading, so a larger batch is worth it.
sweet=$(csv_columns context batch sweet_spot <t4/heatmap-decode-t4-simulated.csv |
    awk '$1 == 64 && $3 == 1 { print $2 }')
[ "$sweet" -gt 1 ] || fail "the sweet spot at 64 tokens is batch $sweet"
