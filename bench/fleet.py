#!/usr/bin/env python3
"""What questions over all runs cost: a simulated fleet of many rows, each question as the command answers it and as a page gets it again.

    bench/fleet.py RANKSCOPE FOLDER [--rows 20000000] [--models 40] [--kernels 400] [--days 60]

The fleet is made once for its size and kept in FOLDER. Prints processor seconds, wall seconds and the most memory of each: the first time, and once its answer is kept
(DATA/fleet/answer.*.json), as long as the rows are the same. A raw question reads all of kernel_run.
"""
import argparse
import glob
import json
import os
import resource
import subprocess
import tempfile
import time

RAW = "SELECT kernel_key, count(*), sum(total_ns), median(p50_ns) FROM kernel_run GROUP BY ALL ORDER BY 3 DESC LIMIT 20"


def measured(*words):
    """Processor seconds, wall seconds and MiB of a command."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=errors
        )  # pylint: disable=consider-using-with
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        if status != 0:
            errors.seek(0)
            raise RuntimeError(f"{words}: {errors.read().decode()}")
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rankscope")
    parser.add_argument("folder")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--kernels", type=int, default=400)
    parser.add_argument("--days", type=int, default=60)
    asked = parser.parse_args()
    runs = max(1, round(asked.rows / asked.kernels / asked.days))
    data = os.path.join(asked.folder, f"{asked.days}x{runs}x{asked.models}x{asked.kernels}")
    size = ["--days", asked.days, "--runs-per-day", runs, "--models", asked.models, "--kernels", asked.kernels]
    if not os.path.exists(os.path.join(data, "truth.json")):
        plants = ["--plant", "regression:driver", "--plant", "mix-shift", "--plant", "new-shapes"]
        subprocess.run(["rm", "-rf", data], check=True)
        os.makedirs(asked.folder, exist_ok=True)
        cpu, wall, _ = measured(asked.rankscope, "simulate-fleet", data, *map(str, size), *plants)
        print(f"made in {wall:.0f} s, {cpu:.0f} s of processor time")
    for answer in glob.glob(os.path.join(data, "fleet", "answer.*")):
        os.remove(answer)
    rows = json.loads(
        subprocess.run(
            [asked.rankscope, "fleet", "query", data, "SELECT count(*) FROM kernel_run", "--format", "json"],
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
    )["rows"][0][0]
    disk = sum(os.path.getsize(path) for path in glob.glob(os.path.join(data, "fleet", "*")))
    print(f"{rows:,} rows of kernel_run, {runs * asked.days:,} runs, {disk / 1e6:,.0f} MB")
    print(f"{'':14}{'cpu s':>8}{'wall s':>8}{'MiB':>8}{'again, wall s':>16}")
    for question in ("overview", "kernels", "findings", "models", "regressions"):
        words = [asked.rankscope, "fleet", question, data, "--format", "json"]
        cpu, wall, memory = measured(*words)
        _, again, _ = measured(*words)
        print(f"{question:14}{cpu:8.2f}{wall:8.2f}{memory:8.0f}{again:16.2f}")
    cpu, wall, memory = measured(asked.rankscope, "fleet", "query", data, RAW)
    print(f"{'raw question':14}{cpu:8.2f}{wall:8.2f}{memory:8.0f}")


if __name__ == "__main__":
    main()
