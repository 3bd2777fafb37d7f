#!/usr/bin/env python3
"""Writes attention.golden: outputs of PyTorch's scaled_dot_product_attention to test against.

    python3 tests/golden/make_golden.py tests/golden/attention.golden      (needs torch and numpy)

The file is text up to a line "end", then binary. Each line before it is one case:

    NAME batch heads kv_heads seq_q seq_k head_dim causal q_scale

Then, case after case, little-endian: Q, K and V as int8 n, the value being n / 64 (Q: times
q_scale), and O as float32 in the layout (batch, heads, seq_q, head_dim). Values n / 64 with
|n| <= 127 are exact in fp32, fp16 and bf16, and q_scale is a power of two, so one file serves every
dtype. PyTorch computes in float64, rounded here to float32; the mask is handed over explicitly,
bottom-right aligned.
"""
import sys

import numpy
import torch

CASES = [
    # name, batch, heads, kv_heads, seq_q, seq_k, head_dim, causal, q_scale
    ("notebook", 1, 4, 4, 128, 128, 32, 1, 1.0),
    ("plain", 1, 2, 2, 40, 40, 64, 0, 1.0),
    ("grouped", 2, 6, 2, 17, 17, 24, 1, 1.0),
    ("multi_query", 1, 5, 1, 9, 30, 16, 0, 1.0),
    ("chunked", 1, 2, 1, 77, 100, 20, 1, 1.0),
    ("cross", 1, 1, 1, 64, 50, 16, 0, 1.0),
    ("odd", 1, 3, 3, 33, 33, 7, 1, 1.0),
    ("width_one", 1, 2, 2, 15, 15, 1, 1, 1.0),
    ("wide", 1, 1, 1, 8, 11, 257, 1, 1.0),
    ("decode", 2, 8, 2, 1, 130, 32, 1, 1.0),
    ("large_logits", 1, 2, 2, 32, 32, 64, 1, 32.0),
    ("huge_logits", 1, 2, 1, 24, 40, 64, 1, 2048.0),
]


def draw(rng, *shape):
    return rng.integers(-127, 128, size=shape, dtype=numpy.int8)


def attend(q, k, v, causal):
    seq_q, seq_k = q.shape[2], k.shape[2]
    group = q.shape[1] // k.shape[1]
    mask = None
    if causal:
        mask = torch.ones(seq_q, seq_k, dtype=torch.bool).tril(diagonal=seq_k - seq_q)
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def main(path):
    rng = numpy.random.Generator(numpy.random.Philox(20240229))
    text, binary = [], []
    for name, batch, heads, kv_heads, seq_q, seq_k, head_dim, causal, q_scale in CASES:
        q = draw(rng, batch, heads, seq_q, head_dim)
        k = draw(rng, batch, kv_heads, seq_k, head_dim)
        v = draw(rng, batch, kv_heads, seq_k, head_dim)
        tensors = [torch.from_numpy(t.astype(numpy.float64) / 64.0) for t in (q, k, v)]
        tensors[0] *= q_scale
        o = attend(*tensors, causal)
        text.append(f"{name} {batch} {heads} {kv_heads} {seq_q} {seq_k} {head_dim} {causal} {q_scale:g}\n")
        binary += [q.tobytes(), k.tobytes(), v.tobytes(), o.numpy().astype("<f4").tobytes()]
    with open(path, "wb") as out:
        out.write("".join(text).encode() + b"end\n" + b"".join(binary))
    print(f"{path}: {len(CASES)} cases, torch {torch.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])
