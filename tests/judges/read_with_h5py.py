#!/usr/bin/env python3
"""Reads a result file without this project's code and judges it by docs/FILE.md.

    python3 -m venv judge && judge/bin/pip install h5py pandas
    judge/bin/python tests/judges/read_with_h5py.py FILE.h5

Runs the six lines of docs/FILE.md on FILE.h5, looks at what they gave, and computes the digest and
the last line of the file anew, from their description. Prints one line a check; exit 1 if one fails.
"""

import contextlib
import hashlib
import io
import os
import re
import shutil
import sys
import tempfile

import h5py
import numpy
import pandas

GROUPS = ["ceilings", "devices", "labels", "results", "runs", "samples"]
failed = 0


def check(name, good, detail=""):
    global failed
    failed += not good
    print("PASS" if good else "FAIL", name, detail)


def six_lines(path):
    """The names that the code block of docs/FILE.md leaves behind, and what it printed."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs", "FILE.md"), encoding="utf-8") as f:
        code = re.search(r"```python\n(.*?)```", f.read(), re.S).group(1)
    check("six_lines_are_six", len(code.strip().splitlines()) == 6)
    names = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code.replace("results/notebook.h5", path), names)
    return names, printed.getvalue()


def judge_tables(path):
    names, printed = six_lines(path)
    results, samples, devices, runs = (names[n] for n in ["results", "samples", "devices", "runs"])
    check("rows_found", len(results) > 0 and len(devices) > 0 and len(runs) > 0, f"{len(results)} rows")
    check("joins_keep_rows", len(names["rows"]) == len(results))
    check("joins_find_all", names["rows"].gpu_type.notna().all() and names["rows"].run_id.notna().all())
    check("groups_printed", "count" in printed and str(devices.gpu_type[0])[:8] in printed)
    words = [c for c in results if results[c].map(type).eq(str).all()]
    check("words_are_text", set(words) >= {"point", "stage", "impl", "dtype", "status"}, " ".join(words))
    check("no_nulls_in_words", not any("\0" in v for c in words for v in results[c]))
    check("points_fill_their_field", results.point.str.fullmatch("[0-9a-f]{16}").all())
    check("times_are_numbers", results.time_median_s.dtype == numpy.float64)
    good = results[results.status == "ok"]
    check("times_positive", (good.time_median_s > 0).all(), f"{len(good)} ok rows")
    for _, r in good.iterrows():
        own = samples[r.sample_offset : r.sample_offset + r.samples]
        used = own.time_s[(own.used == 1) | (not (own.used == 1).any())]
        if len(own) != r.samples or not numpy.isclose(used.median(), r.time_median_s, rtol=1e-9):
            check("median_of_its_samples", False, f"row {r.sequence}")
            break
    else:
        check("median_of_its_samples", True)
    check("job_text_has_lines", "\n" in runs.job_text[0])


def cells_digest(dataset):
    values = dataset[:]
    if dataset.dtype == numpy.dtype("<i8"):
        return "i64", hashlib.sha256(values.tobytes())
    if dataset.dtype == numpy.dtype("<f8"):
        bits = values.view("<u8").copy()
        bits[numpy.isnan(values)] = 0x7FF8000000000000
        return "f64", hashlib.sha256(bits.tobytes())
    return "word", hashlib.sha256(b"".join(v.rstrip(b"\0") + b"\0" for v in values.tolist()))


def digest_of(f):
    lines = []
    for group in f:
        for name, dataset in f[group].items():
            kind, cells = cells_digest(dataset)
            fields = [f"{group}/{name}", kind, len(dataset), dataset.attrs["units"],
                      dataset.attrs["description"], cells.hexdigest()]
            lines.append("\t".join(map(str, fields)) + "\n")
    a = f.attrs
    first = [a["format"], a["schema_version"], a["state"], a["rows_planned"], a["rows"]]
    text = "\t".join(map(str, first)) + "\n" + "".join(sorted(lines))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def judge_file(path):
    with open(path, "rb") as f:
        content = f.read()
    seal = b"ridgepoint-sha256:" + hashlib.sha256(content[:-83]).hexdigest().encode() + b"\n"
    check("seal_fits", content[-83:] == seal)
    with h5py.File(path) as f:
        check("groups", sorted(f) == GROUPS, " ".join(f))
        check("attributes_are_text", all(isinstance(f.attrs[a], str) for a in ["format", "state", "digest"]))
        check("digest_fits", digest_of(f) == f.attrs["digest"], f.attrs["digest"][:16])
        columns = [d for g in f.values() for d in g.values()]
        check("described", all(isinstance(d.attrs["units"], str) and d.attrs["description"] for d in columns),
              f"{len(columns)} columns")
        check("filters", all(d.shuffle and d.fletcher32 and d.compression_opts == 4 for d in columns))


def judge_edited(path):
    """Opening for writing drops the last line and leaves a file that still reads."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.h5")
        shutil.copy(path, copy)
        with h5py.File(copy, "r+"):
            pass
        check("edited_loses_the_seal", os.path.getsize(copy) == os.path.getsize(path) - 83)
        with h5py.File(copy) as f:
            check("edited_keeps_the_digest", digest_of(f) == f.attrs["digest"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    judge_file(sys.argv[1])
    judge_tables(sys.argv[1])
    judge_edited(sys.argv[1])
    print(f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}, pandas {pandas.__version__}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
