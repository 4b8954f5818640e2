"""What whole runs cost, as ratios of one run each on this machine, against their limits.

Usage: gates.py PROGRAM FOLDER [--ranks N] [--job PATH ...]

FOLDER keeps simulated jobs. For each job: the whole `analyze` against loading (`table captures`), both --no-cache --jobs 1; a
second look against the run that filled the cache; two cores' wall time against their CPU time. For one rank: CPU time of a load
and memory by events. For a job of many ranks: CPU time and memory of a run, and wall time of the next. Through a server: small
runs a minute, and a page of a list of many runs. In the end all stands as the table of docs/performance.md. Exits with 1 where
a limit is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))

from server import Server  # pylint: disable=wrong-import-position
from waiting import until  # pylint: disable=wrong-import-position

MISSED = []
ROWS = []  # of the table of docs/performance.md: what, value, limit
# What an analysis may take: so many times the load, or so long a million events, whichever is more.
LOADS = 2.2
SECONDS_A_MILLION = 2.1


def cost(program, *arguments):
    """Wall and CPU seconds and peak memory (MB) of a run."""
    begin = time.monotonic()
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    if status != 0:
        sys.exit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def say(what, value, limit, unit, is_least=False):
    missed = value < limit if is_least else value > limit
    if missed:
        MISSED.append(what)
    bound = f"at least {limit:.4g}" if is_least else f"limit {limit:.4g}"
    print(f"{what:60} {value:8.2f} {unit:6} ({bound}){'  MISSED' if missed else ''}", flush=True)
    mark = "**" if missed else ""
    ROWS.append(f"| {what} | {mark}{value:.3g} {unit}{mark} | {bound.removeprefix('limit ')} {unit} |")


def least(runs, index):
    return min(run[index] for run in runs)


def size_of(program, job):
    """How many events and how many ranks were recorded."""
    answer = subprocess.run(
        [program, "table", "captures", job, "--format", "json", "--no-cache"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    table = json.loads(answer.stdout)
    names = [one["name"] for one in table["columns"]]
    events, rank = names.index("events"), names.index("rank")
    return sum(row[events] for row in table["rows"]), len({row[rank] for row in table["rows"]})


def gates_of(program, job, caches):
    name = os.path.basename(os.path.normpath(job))
    alone = ("--no-cache", "--jobs", "1")
    events, ranks = size_of(program, job)
    millions = events / 1e6
    loads = [cost(program, "table", "captures", job, *alone) for _ in range(3)]
    wholes = [cost(program, "analyze", job, *alone) for _ in range(3)]
    load, whole = least(loads, 1), least(wholes, 1)
    print(f"{name}: {millions:.2f} M events, load {load:.2f} s of CPU, analyze {whole:.2f} s")
    say(f"{name}: analyze / load", whole / load, max(LOADS, SECONDS_A_MILLION * millions / load), "x")
    if ranks == 1:
        say(f"{name}: load of a million events", load / millions, 0.4, "s CPU")
        say(f"{name}: memory of analyze", max(run[2] for run in wholes), 300 + 64 * millions * 1e6 / 2**20, "MB")
    cache = os.path.join(caches, name)
    first = cost(program, "analyze", job, "--cache-dir", cache)
    again = least([cost(program, "analyze", job, "--cache-dir", cache) for _ in range(2)], 1)
    say(f"{name}: second look / first", again / first[1], 0.1, "x")
    both = min((cost(program, "analyze", job, "--no-cache", "--jobs", "2") for _ in range(3)), key=lambda run: run[0])
    say(f"{name}: wall / CPU of two cores", both[0] / both[1], 0.55 if ranks >= 4 else 0.6, "x")


def small_runs(program, job, count):
    """Runs of a small job a minute, from the first push to the last report."""
    with tempfile.TemporaryDirectory() as data:
        server = Server(data)
        begin = time.monotonic()
        for number in range(count):
            subprocess.run(
                [program, "push", job, "--server", server.address, "--name", f"small {number}"],
                check=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        until(lambda: server.get("/api/v1/runs?state=ready&limit=1")["total"] == count)
        seconds = time.monotonic() - begin
        server.stop()
    say("8 ranks x 3,000 events through a server", 60 * count / seconds, 200, "a min", is_least=True)


def page_of_list(count):
    """A page of a list of many runs, in the server's own time."""
    with tempfile.TemporaryDirectory() as data:
        server = Server(data, "--log-requests")
        for number in range(count):
            server.new_run(name=f"run {number}", user=f"user{number % 7}")
        for _ in range(20):
            server.get("/api/v1/runs?limit=50&sort=name&user=user3")
        server.stop()
        requests = [
            json.loads(line) for line in server.lines if line.startswith('{"time"') and '"event":"request"' in line
        ]
    times = [one["ms"] for one in requests if one["method"] == "GET" and one["path"] == "/api/v1/runs"]
    say(f"a page of a list of {count:,} runs", statistics.median(times), 5, "ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--ranks", type=int, default=1000, help="of the job of many ranks; 0: without it")
    parser.add_argument("--runs", type=int, default=10000, help="of the list; 0: without it")
    parser.add_argument("--job", action="append", default=[], help="a job beside the simulated ones")
    arguments = parser.parse_args()

    def simulated(name, *options):
        folder = os.path.join(arguments.folder, name)
        if not os.path.isdir(folder):
            subprocess.run([arguments.program, "simulate", folder, *options], check=True, stdout=subprocess.DEVNULL)
        return folder

    # They stay until all is measured: for minutes after many files were deleted, ext4 takes a second of CPU time to make
    # a thousand others.
    with tempfile.TemporaryDirectory() as caches:
        gates_of(arguments.program, simulated("one", "--ranks", "1", "--events", "1000000"), caches)
        gates_of(arguments.program, simulated("four", "--ranks", "4", "--events", "1000000"), caches)
        gates_of(arguments.program, simulated("one4", "--ranks", "1", "--events", "4000000"), caches)
        gates_of(arguments.program, simulated("eight", "--ranks", "8", "--events", "200000"), caches)
        for job in arguments.job:
            gates_of(arguments.program, job, caches)
        if arguments.ranks > 0:
            many = simulated(f"ranks{arguments.ranks}", "--ranks", str(arguments.ranks), "--events", "10000")
            cache = os.path.join(caches, "many")
            _, cpu, memory = cost(arguments.program, "analyze", many, "--cache-dir", cache)
            wall, _, _ = cost(arguments.program, "analyze", many, "--cache-dir", cache)
            say(f"{arguments.ranks} ranks x 10,000 events: CPU time", cpu, 20, "s")
            say(f"{arguments.ranks} ranks x 10,000 events: memory", memory, 300, "MB")
            say(f"{arguments.ranks} ranks x 10,000 events: again", wall, 2, "s")
    small_runs(arguments.program, simulated("small", "--ranks", "8", "--events", "3000"), 20)
    if arguments.runs > 0:
        page_of_list(arguments.runs)
    print(f"{len(MISSED)} limits missed")
    print("", "| | measured | limit |", "|---|---|---|", *ROWS, sep="\n")
    return 1 if MISSED else 0


if __name__ == "__main__":
    raise SystemExit(main())
