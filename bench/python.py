#!/usr/bin/env python3
"""What the Python package costs, against its limits.

    bench/python.py RANKSCOPE JOB [--rows 10000000]

Importing it, in processes of their own, less what an empty one takes; opening JOB, a folder of traces, once the cache knows it; and how much
memory a table of so many rows takes beside its numbers and texts, and a DataFrame of it, where pandas is installed. What was opened and read
is checked first. Exits with 1 where a limit is passed."""
import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time

REPEATED = 9
# Three columns of numbers, one of texts, one of flags.
QUERY = (
    "SELECT i, i / 3.0 AS third, i % 1000 AS small, 'kernel ' || (i % 100) AS name, i % 2 = 0 AS even "
    "FROM range({rows}) AS numbers(i)"
)
IMPORTED = "import rankscope"
OPENED = """
import os, sys, time, rankscope
begin = time.perf_counter()
with rankscope.open(sys.argv[1]) as job:
    ranks = job.ranks
    taken = time.perf_counter() - begin
print(taken, len(ranks))
"""
HELD = """
import sys, rankscope

def resident():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS:"))

rows = int(sys.argv[2])
with_pandas = sys.argv[4] == "pandas"
if with_pandas:
    import pandas
with rankscope.open(sys.argv[1]) as job:
    # What SQL itself loads is not the table's.
    small = job.query(sys.argv[3].format(rows=1000))
    small = small.to_pandas() if with_pandas else None
    before = resident()
    table = job.query(sys.argv[3].format(rows=rows))
frame = table.to_pandas() if with_pandas else None
held = resident() - before
assert len(table) == rows and table.column("i")[-1] == rows - 1 and table.column("name")[123] == "kernel 23"
assert frame is None or (len(frame) == rows and frame["small"].iloc[1234] == 234)
print(held)
"""


def run(package, script, *arguments):
    environment = {**os.environ, "PYTHONPATH": package}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def lasting(package, script):
    begin = time.perf_counter()
    run(package, script)
    return time.perf_counter() - begin


def check(what, value, limit, unit):
    fine = value <= limit
    print(f"{'ok  ' if fine else 'OVER'} {what:52s} {value:8.3g} {unit} (limit {limit:g})")
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rankscope")
    parser.add_argument("job")
    parser.add_argument("--rows", type=int, default=10_000_000)
    options = parser.parse_args()
    package = os.path.join(os.path.dirname(os.path.abspath(options.rankscope)), "..", "python")

    subprocess.run([options.rankscope, "analyze", options.job], capture_output=True, check=True)
    _, ranks = run(package, OPENED, options.job)
    traces = [name for name in os.listdir(options.job) if name.endswith((".json.gz", ".json")) and "truth" not in name]
    assert int(ranks) == len(traces), f"{options.job} has {len(traces)} traces, and {ranks} ranks were opened"

    empty = [lasting(package, "pass") for _ in range(REPEATED)]
    imported = [lasting(package, IMPORTED) for _ in range(REPEATED)]
    opened = [float(run(package, OPENED, options.job)[0]) for _ in range(REPEATED)]
    # By hand: of each row three numbers of 8 bytes, a text with 8 bytes for its place, and a flag of 1.
    text = sum(len(f"kernel {number}") for number in range(100)) / 100
    columns = options.rows * (3 * 8 + text + 8 + 1)
    fine = check("importing the package", 1000 * (statistics.median(imported) - statistics.median(empty)), 150, "ms")
    fine &= check(f"opening {ranks} ranks that the cache knows", 1000 * statistics.median(opened), 50, "ms")
    for kind, limit in (("table", 1.2), ("pandas", 1.3)):
        if kind == "pandas" and not importlib.util.find_spec("pandas"):
            print("skipped: pandas is not installed")
            continue
        held = int(run(package, HELD, options.job, str(options.rows), QUERY, kind)[0])
        what = f"memory of {options.rows:,} rows" + (" and their DataFrame" if kind == "pandas" else "")
        fine &= check(what, held / columns, limit, f"of its {columns / 1e6:.0f} MB")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
