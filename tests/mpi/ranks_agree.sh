#!/usr/bin/env bash
#
# However many ranks: the same rows, the same counts, the same errors.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

command -v mpirun >/dev/null || skip 'no mpirun here'

# Everything but times, clocks, what was seen from outside, and who did it.
columns=(point impl stage dtype batch heads kv_heads seq_q seq_k head_dim causal status reason
    path launches flops flops_dense flops_impl bytes_min bytes_impl
    predicted_memory_bytes peak_memory_bytes scores_bytes
    error_max_abs error_rel_l2 error_tolerance reference_diff_max_abs threads protocol)

# What the machine disturbed is not theirs: the reason of a good row says how many samples count.
rows_of() {
    export_columns "$1" "${columns[@]}" |
        sed -E -e 's/[0-9]+ of [0-9]+ samples count; left out: [^\t]*//' \
            -e 's/every sample was disturbed [^\t]*//' | LC_ALL=C sort
}

# A row that cannot be measured travels like any other: tf32 is unsupported on a CPU.
write_tiny_job tiny.yaml
sed -i 's/dtype: \[fp32, fp16\]/dtype: [fp32, tf32, bf16]/' tiny.yaml
run_tiny alone.h5
rows_of alone.h5 >alone.rows
expect_equal "$(wc -l <alone.rows)" 42 'rows without a launcher'

for ranks in 1 2 3 7; do
    expect 0 mpirun --oversubscribe -n "$ranks" "$RIDGEPOINT" run tiny.yaml -o "ranks-$ranks.h5" \
        --device cpu --threads 1 --progress none
    rows_of "ranks-$ranks.h5" >"ranks-$ranks.rows"
    diff alone.rows "ranks-$ranks.rows" >difference || {
        head -n 20 difference >&2
        fail "$ranks ranks give other rows than one process"
    }
    expect 0 "$ANALYZE" verify "ranks-$ranks.h5"
    # Each row was finished once, by somebody.
    expect_equal "$(export_columns "ranks-$ranks.h5" sequence | sort -n | tr '\n' ' ')" \
        "$(seq 0 41 | tr '\n' ' ')" "sequence with $ranks ranks"
    expect_equal "$(find . -name "ranks-$ranks.h5?*" | wc -l)" 0 'files left beside the result'
done
