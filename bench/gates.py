"""What whole runs cost, as ratios of one run each on this machine, against their limits.

Usage: gates.py PROGRAM FOLDER [--ranks N] [--job PATH ...]

FOLDER keeps simulated jobs. For each job: the whole `analyze` against loading (`table captures`), both --no-cache --jobs 1; a
second look against the run that filled the cache; two cores' wall time against their CPU time. For a job of many ranks: CPU time
and memory of a run, and wall time of the next. Exits with 1 where a limit is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

MISSED = []


def cost(program, *arguments):
    """Wall and CPU seconds and peak memory (MB) of a run."""
    begin = time.monotonic()
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if status != 0:
        sys.exit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def say(what, value, limit, unit):
    missed = value > limit
    if missed:
        MISSED.append(what)
    print(f"{what:60} {value:8.2f} {unit:4} (limit {limit}){'  MISSED' if missed else ''}", flush=True)


def least(runs, index):
    return min(run[index] for run in runs)


def gates_of(program, job, is_of_ranks):
    name = os.path.basename(os.path.normpath(job))
    alone = ("--no-cache", "--jobs", "1")
    load = least([cost(program, "table", "captures", job, *alone) for _ in range(2)], 1)
    whole = least([cost(program, "analyze", job, *alone) for _ in range(2)], 1)
    say(f"{name}: analyze / load", whole / load, 2.2, "x")
    with tempfile.TemporaryDirectory() as cache:
        first = cost(program, "analyze", job, "--cache-dir", cache)
        again = least([cost(program, "analyze", job, "--cache-dir", cache) for _ in range(2)], 1)
    say(f"{name}: second look / first", again / first[1], 0.1, "x")
    if is_of_ranks:
        both = min((cost(program, "analyze", job, "--no-cache", "--jobs", "2") for _ in range(2)), key=lambda run: run[0])
        say(f"{name}: wall / CPU of two cores", both[0] / both[1], 0.55, "x")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--ranks", type=int, default=1000, help="of the job of many ranks; 0: without it")
    parser.add_argument("--job", action="append", default=[], help="a job beside the simulated ones")
    arguments = parser.parse_args()

    def simulated(name, *options):
        folder = os.path.join(arguments.folder, name)
        if not os.path.isdir(folder):
            subprocess.run([arguments.program, "simulate", folder, *options], check=True, stdout=subprocess.DEVNULL)
        return folder

    gates_of(arguments.program, simulated("one", "--ranks", "1", "--events", "1000000"), False)
    gates_of(arguments.program, simulated("eight", "--ranks", "8", "--events", "200000"), True)
    for job in arguments.job:
        gates_of(arguments.program, job, len(os.listdir(job)) >= 4)
    if arguments.ranks > 0:
        many = simulated(f"ranks{arguments.ranks}", "--ranks", str(arguments.ranks), "--events", "10000")
        with tempfile.TemporaryDirectory() as cache:
            _, cpu, memory = cost(arguments.program, "analyze", many, "--cache-dir", cache)
            wall, _, _ = cost(arguments.program, "analyze", many, "--cache-dir", cache)
        say(f"{arguments.ranks} ranks x 10,000 events: CPU time", cpu, 20, "s")
        say(f"{arguments.ranks} ranks x 10,000 events: memory", memory, 300, "MB")
        say(f"{arguments.ranks} ranks x 10,000 events: again", wall, 2, "s")
    print(f"{len(MISSED)} limits missed")
    return 1 if MISSED else 0


if __name__ == "__main__":
    raise SystemExit(main())
