"""Every real trace: counts, times and sums equal an independent slow reader, on the file and on rewritten forms of it; the
parts of every window sum to it; and the whole program gets through without a complaint that is none."""

import contextlib
import glob
import io
import os
import tempfile

import program

import make_variants
import read_trace

PARTS = [
    "compute_ns",
    "exposed_communication_ns",
    "exposed_copy_ns",
    "idle_host_ns",
    "idle_data_ns",
    "idle_sync_ns",
    "idle_launch_ns",
    "idle_gap_ns",
    "idle_stream_ns",
    "unknown_ns",
    "not_observed_ns",
]
HOST_PARTS = ["data_ns", "blocked_ns", "runtime_ns", "op_ns", "annotated_ns", "python_ns", "other_ns"]
# Larger files are compared as they are: rewriting them in Python takes minutes. ALL_VARIANTS=1 rewrites them too.
VARIANT_LIMIT = 1 << 40 if os.environ.get("ALL_VARIANTS") else 400_000


def rewritten(path, folder):
    """Paths of the rewritten forms of a trace."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        make_variants.main([path, folder])
    return printed.getvalue().split()


def check_accounting(path, cache):
    problems = []
    for name, parts in (("time_breakdown", PARTS), ("host_breakdown", HOST_PARTS)):
        spans = {}
        for row in program.table(name, path, options=("--cache-dir", cache)):
            total = sum(int(row[part]) for part in parts)
            if total != int(row["duration_ns"]):
                problems.append(f"{name}: parts of {row} sum to {total}")
            if any(int(row[part]) < 0 for part in parts):
                problems.append(f"{name}: negative part in {row}")
            key = (row["rank"], row.get("device"), row.get("process"), row.get("thread"))
            spans[key] = spans.get(key, 0) + int(row["duration_ns"])
        if name == "time_breakdown" and len(set(spans.values())) > 1:
            problems.append(f"{name}: windows of one recording cover different spans: {spans}")
    return problems


def main():
    traces = sorted(glob.glob(os.path.join(program.REAL_TRACES, "**", "*.json*"), recursive=True))
    if not traces:
        print("skipped: there are no real traces in ../shared/traces")
        return 0
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(traces):
            label = os.path.relpath(path, program.REAL_TRACES)
            problems = []
            info = program.trace_info(path)
            if info.get("format", "Kineto JSON") != "Kineto JSON":
                continue  # formats_test.py has them
            try:
                facts = read_trace.describe(read_trace.load_json(path))
            except read_trace.UNREADABLE as error:
                problems = [] if "error" in info else [f"the reference refuses it: {error}"]
                facts = None
            if facts is not None:
                problems = ["refused: " + info["error"]] if "error" in info else program.differences(info, facts)
                if not problems:
                    problems = check_accounting(path, os.path.join(folder, "cache"))
                if not problems and os.path.getsize(path) < VARIANT_LIMIT:
                    variants = os.path.join(folder, str(number))
                    for variant in rewritten(path, variants):
                        found = program.differences(program.trace_info(variant, jobs=2), facts)
                        problems += [f"{os.path.basename(variant)}: {text}" for text in found]
            failed += bool(problems)
            passed += not problems
            for problem in problems[:5]:
                print(f"{label}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
