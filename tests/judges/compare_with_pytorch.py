#!/usr/bin/env python3
"""Times PyTorch's attention on the CPU beside `fused`, shape by shape.

    python3 -m venv judge && judge/bin/pip install torch numpy h5py
    judge/bin/python tests/judges/compare_with_pytorch.py build/ridgepoint [THREADS [ROUNDS]]

`ridgepoint run` and scaled_dot_product_attention take turns over all shapes, ROUNDS times (3 unless
given); the fastest launch of each counts, caches warm. Prints a line a shape: how many times as long
as `fused` PyTorch takes. Query heads that share K and V are left out: PyTorch copies K and V first.
"""

import collections
import math
import os
import subprocess
import sys
import tempfile
import time

import h5py
import torch

Shape = collections.namedtuple("Shape", "stage heads seq_k head_dim dtype causal")
DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
SHAPES = [Shape("prefill", 8, seq, head_dim, "fp32", causal)
          for head_dim in (64, 128) for causal in (False, True) for seq in (1024, 2048)]
SHAPES += [Shape("prefill", 8, 1024, 64, "bf16", False)]
SHAPES += [Shape("decode", 32, 8192, head_dim, dtype, False)
           for head_dim in (64, 128) for dtype in DTYPES]


def job():
    lines = ["name: shapes", "measure: {cache: warm, min_samples: 6, max_samples: 10, max_time_s: 1}",
             "verify: {rows: 4}", "sweep:"]
    for s in SHAPES:
        seq = "seq" if s.stage == "prefill" else "seq_k"
        lines.append(f"  - {{stage: {s.stage}, heads: {s.heads}, {seq}: {s.seq_k}, "
                     f"head_dim: {s.head_dim}, dtype: {s.dtype}, "
                     f"causal: {str(s.causal).lower()}, impl: fused}}")
    return "\n".join(lines) + "\n"


def times_here(ridgepoint, threads):
    """Seconds of the fastest launch of each shape."""
    with tempfile.TemporaryDirectory() as folder:
        path, results = os.path.join(folder, "job.yaml"), os.path.join(folder, "results.h5")
        with open(path, "w", encoding="utf-8") as f:
            f.write(job())
        subprocess.run([ridgepoint, "run", path, "-o", results, "--device", "cpu", "--threads",
                        str(threads), "--progress", "none"], check=True, stdout=subprocess.DEVNULL)
        with h5py.File(results) as f:
            rows = f["results"]
            columns = [rows["stage"].asstr(), rows["heads"], rows["seq_k"], rows["head_dim"],
                       rows["dtype"].asstr(), rows["causal"]]
            cells = [list(column[:]) for column in columns]
            return {Shape(*row[:5], bool(row[5])): float(seconds)
                    for *row, seconds in zip(*cells, rows["time_min_s"][:])}


def time_there(shape, threads):
    torch.set_num_threads(threads)
    generator = torch.Generator().manual_seed(1)
    queries = shape.seq_k if shape.stage == "prefill" else 1
    q, k, v = (torch.randn(1, shape.heads, length, shape.head_dim, generator=generator)
               .to(DTYPES[shape.dtype]) for length in (queries, shape.seq_k, shape.seq_k))
    best = math.inf
    began = time.perf_counter()
    with torch.no_grad():
        for turn in range(60):
            start = time.perf_counter()
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=shape.causal)
            end = time.perf_counter()
            if turn >= 2:
                best = min(best, end - start)
            if turn >= 4 and end - began > 1:
                break
    return best


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ridgepoint = os.path.abspath(sys.argv[1])
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    here, there = {}, {}
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
        found = times_here(ridgepoint, threads)
        for shape in SHAPES:
            here[shape] = min(here.get(shape, math.inf), found[shape])
            there[shape] = min(there.get(shape, math.inf), time_there(shape, threads))
    print(f"PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}) over fused, "
          f"threads: {threads}, rounds: {rounds}")
    for s in SHAPES:
        mask = ", causal" if s.causal else ""
        print(f"{there[s] / here[s]:6.2f}  {s.stage}, H={s.heads}, T={s.seq_k}, D={s.head_dim}, "
              f"{s.dtype}{mask}   ({here[s] * 1e3:.3f} ms here)")


if __name__ == "__main__":
    main()
