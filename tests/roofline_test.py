"""FLOPs and bytes of ops against TraceLens's reports (../shared/expected/tracelens), op by op and shape by shape.

What differs on purpose: a causal attention has the lower triangle with its diagonal here, half of the square there; a mean over one
dimension has many results here, one there; a layer norm has weight and bias here, four vectors of running statistics more there; a convolution's bias counts here; a scalar takes no memory here, 8 bytes there; time is that of computing kernels here, memsets
count there, so times are not compared."""

import csv
import json
import math
import os
import tempfile

import program

csv.field_size_limit(10**9)
EXPECTED = os.path.join(program.REAL_TRACES, "..", "expected", "tracelens")
REPORTS = (
    "GEMM.csv",
    "SDPA_fwd.csv",
    "BinaryElementwise.csv",
    "UnaryElementwise.csv",
    "CONV_fwd.csv",
    "Normalization.csv",
    "Reduce_fwd.csv",
)
# Of graphs; pointwise ops are as above, but for what activations cost and the indices of a cache, which TraceLens leaves out.
GRAPH_REPORTS = ("GEMM.csv", "InferenceAttention_fwd.csv")


def expected_rows(folder, reports):
    """(op, shapes) -> (GFLOP, MiB, count); those that differ on purpose are put right."""
    rows = {}
    for name in reports:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                dims = row.get("Input Dims_first") or ""
                if not dims or not row["GFLOPS_first"] or row["name"] == "sglang::store_cache":
                    continue
                key = (row["name"], json.dumps(json.loads(dims)), row["Input type_first"].replace("'", '"'))
                flops, mib = float(row["GFLOPS_first"]) * 1e9, float(row["Data Moved (MB)_first"]) * 2**20
                if row.get("param: causal") == "True":
                    n = int(row["param: N_Q"])
                    flops = flops * 2 * (n * (n + 1) / 2) / (n * n)
                if name == "CONV_fwd.csv" and row["param: bias"] == "False" and len(json.loads(dims)[2]) == 1:
                    channels = json.loads(dims)[2][0]
                    out = flops / 2 / (json.loads(dims)[1][1] * json.loads(dims)[1][2] * json.loads(dims)[1][3])
                    flops, mib = flops + out, mib + 2 * channels
                if name == "BinaryElementwise.csv" and json.loads(dims)[1] == []:
                    mib -= 8  # a scalar is no memory
                if name == "Reduce_fwd.csv":
                    shape = json.loads(dims)[0]
                    results = (
                        math.prod(shape[:-1])
                        if json.loads(row["Concrete Inputs_first"].replace("'", '"'))[1] == "[-1]"
                        else 1
                    )
                    mib += 4 * (results - 1)  # one result there
                if name == "Normalization.csv":
                    mib -= 4 * 2 * int(row["param: num_channels"])  # a layer norm has no running statistics
                if row["name"] == "aten::copy_":
                    flops = 0  # a copy computes nothing
                rows.setdefault(key, []).append((flops, mib, int(row["name_count"])))
    return rows


def main():
    if not os.path.isdir(EXPECTED):
        print("skipped: there are no recorded results in ../shared/expected")
        return 0
    compared = failed = missing = 0
    with tempfile.TemporaryDirectory() as cache:
        for device in ("h100", "mi300", "inference"):
            for job in sorted(os.listdir(os.path.join(EXPECTED, device))):
                trace = os.path.join(program.REAL_TRACES, "tracelens", device, job)
                if not os.path.isdir(trace):  # else a replay of graphs with the trace of their capture
                    trace += ".json.gz"
                out, _ = program.run(
                    "query",
                    trace,
                    "SELECT op, shapes, flops, bytes, count FROM analysis.roofline WHERE op IS NOT NULL",
                    "--format",
                    "json",
                    "--cache-dir",
                    cache,
                )
                ours = {}
                for op, shapes, flops, size, count in json.loads(out)["rows"]:
                    if op.startswith("sglang_profiler::"):  # TraceLens cuts the number of the call off
                        op = op.rstrip("0123456789").rstrip("_")
                    ours.setdefault((op, json.dumps(json.loads(shapes))), []).append((flops, size, int(count)))
                for (op, shapes, _), theirs in expected_rows(
                    os.path.join(EXPECTED, device, job), GRAPH_REPORTS if device == "inference" else REPORTS
                ).items():
                    found = ours.get((op, shapes))
                    if found is None:
                        missing += 1
                        continue
                    for flops, size, _ in theirs:
                        compared += 1
                        if not any(
                            abs(f - flops) <= 1e-6 * max(flops, 1) and abs(s - size) <= 1e-6 * max(size, 1)
                            for f, s, _ in found
                        ):
                            failed += 1
                            print(f"{job}: {op} {shapes}: {flops:.6g} FLOP {size:.6g} bytes, rankscope says {found}")
    print(f"{compared - failed} passed, {failed} failed, {missing} without a model")
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    raise SystemExit(main())
