"""Ops against the reports of TraceLens on the same traces: calls, kernels and device time of every op that launches. Its tables
are in ../shared; without them the test is skipped.

TraceLens reads times as doubles of microseconds, so its sums by op (ops_summary) are off by up to a quarter of a microsecond per
kernel; the durations of kernel_summary, which leaves out copies, are exact."""

import collections
import csv
import glob
import os

import program

EXPECTED = os.path.join(os.path.dirname(program.REAL_TRACES), "expected", "tracelens")
# Counts only the calls that launch themselves; aten::arange calls itself.
CALLS_INSIDE_THEMSELVES = {"aten::arange": 1}


def rows_of(*path):
    with open(os.path.join(*path), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_ops(ops, folder):
    problems = []
    expected = rows_of(folder, "ops_summary.csv")
    for row in expected:
        name = row["name"]
        op = ops.get(name)
        if op is None:
            problems.append(f"{name} is missing")
            continue
        if op["count"] != int(row["Count"]) + CALLS_INSIDE_THEMSELVES.get(name, 0):
            problems.append(f"{name}: {op['count']} calls, not {row['Count']}")
        slack = 500 * op["kernels"]
        for ours, theirs in (
            ("device_self_ns", "total_direct_kernel_time_sum"),
            ("device_total_ns", "total_subtree_kernel_time_sum"),
        ):
            if abs(op[ours] - 1000 * float(row[theirs])) > slack:
                problems.append(f"{name}: {ours} is {op[ours]}, not {row[theirs]} us")
    launching = {name for name, op in ops.items() if op["device_self_ns"] > 0} - {"(no op)"}
    if launching != {row["name"] for row in expected}:
        problems.append(f"ops that launch: {launching ^ {row['name'] for row in expected}}")
    return problems


def check_kernels(path, ops, folder, options):
    """Kernels by op to the nanosecond. Copies and memsets are in our rows only."""
    expected = collections.defaultdict(lambda: [0, 0])
    for row in rows_of(folder, "kernel_summary.csv"):
        sums = expected[row["Parent cpu_op"] or "(no op)"]
        sums[0] += int(row["Kernel duration (µs)_count"])
        sums[1] += round(1000 * float(row["Kernel duration (µs)_sum"]))
    problems = []
    for name, (count, total) in expected.items():
        if ops[name]["kernels"] < count or ops[name]["device_self_ns"] < total:
            problems.append(
                f"{name}: {ops[name]['kernels']} kernels of {ops[name]['device_self_ns']} ns, at least {count} of {total}"
            )
    # All that is not in their table are copies and memsets.
    out, _ = program.run(
        "query",
        path,
        "SELECT count(*) AS n, sum(dur_ns) AS ns FROM kernels WHERE class = 'memory'",
        "--format",
        "csv",
        *options,
    )
    copies, copied_ns = (int(cell or 0) for cell in out.splitlines()[1].split(","))
    ours = (
        sum(op["kernels"] for op in ops.values()) - copies,
        sum(op["device_self_ns"] for op in ops.values()) - copied_ns,
    )
    theirs = tuple(sum(sums[i] for sums in expected.values()) for i in (0, 1))
    if ours != theirs:
        problems.append(f"kernels: {ours}, not {theirs}")
    return problems


def check_graphs(ops, graph_ops, folder):
    """Ops of what ran by itself and of what ran inside of CUDA graphs, whose capture is another file; those of a module by its
    class."""
    ours = collections.defaultdict(int)
    kernels = collections.Counter()
    for name, op in ops.items():
        ours[name] += op["device_self_ns"]
        kernels[name] += op["kernels"]
    # The launches of the graphs lie in no op.
    ours["(no op)"] -= sum(row["device_ns"] for row in graph_ops)
    by_module = collections.defaultdict(int)
    for row in graph_ops:
        ours[row["op"]] += row["device_ns"]
        kernels[row["op"]] += row["count"]
        by_module[row["op"], (row["module"] or "").rsplit("/", 1)[-1]] += row["device_ns"]
    problems = []
    expected = collections.Counter()
    for row in rows_of(folder, "ops_summary.csv"):
        is_call = row["name"].startswith("hip")  # a launch in no op
        name = "(no op)" if is_call else row["name"]
        microseconds = float(row["total_direct_kernel_time_sum"])
        expected[name] += 1000 * microseconds
        module = row["parent_module"].removeprefix("nn.Module: ")
        in_module = by_module.get((name, module))
        if in_module is not None and abs(in_module - 1000 * microseconds) > 500 * kernels[name]:
            problems.append(f"{name} in {module}: {in_module} ns, not {microseconds} us")
    # Calls of the profiler carry a number, which TraceLens cuts off.
    named = collections.Counter()
    for name, total in ours.items():
        named[name.rstrip("0123456789").rstrip("_") if name.startswith("sglang_profiler::") else name] += total
    for name, total in expected.items():
        if abs(named[name] - total) > 500 * max(kernels[name], 200):
            problems.append(f"{name}: {named[name]} ns, not {total}")
    missing = {name for name, total in named.items() if total > 0} - set(expected)
    if missing:
        problems.append(f"not in their table: {missing}")
    return problems


def report(label, problems):
    for problem in problems[:5]:
        print(f"{label}: {problem}")
    return bool(problems)


def main():
    folders = sorted(glob.glob(os.path.join(EXPECTED, "h100", "*")) + glob.glob(os.path.join(EXPECTED, "mi300", "*")))
    graph_folders = sorted(glob.glob(os.path.join(EXPECTED, "inference", "*")))
    if not folders or not graph_folders:
        print("skipped: there are no tables in ../shared/expected/tracelens")
        return 0
    failed = 0
    for folder in folders:
        label = os.path.relpath(folder, EXPECTED)
        path = os.path.join(program.REAL_TRACES, "tracelens", label + ".json.gz")
        ops = {row["name"]: row for row in program.table("ops_by_name", path, options=("--no-cache",))}
        problems = check_ops(ops, folder) + check_kernels(path, ops, folder, ("--no-cache",))
        failed += report(label, problems)
    for folder in graph_folders:
        label = os.path.relpath(folder, EXPECTED)
        job = os.path.join(program.REAL_TRACES, "tracelens", label)
        (replay,) = glob.glob(os.path.join(job, "*.json.gz"))
        ops = {row["name"]: row for row in program.table("ops_by_name", replay, options=("--no-cache",))}
        failed += report(label, check_graphs(ops, program.table("graph_ops", job, options=("--no-cache",)), folder))
    print(f"{len(folders) + len(graph_folders) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
