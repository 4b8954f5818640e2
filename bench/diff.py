#!/usr/bin/env python3
"""How often `rankscope diff` is right, on pairs of simulated jobs.

    bench/diff.py RANKSCOPE FOLDER [--pairs 28]

Noise: the same job with another seed; nothing of 1 % or more may be said. Planted: the same job with a cause and another layout or size
in turns, against the one without, half of them with another seed; the first line must say by how much a step is slower, within 10 %
of the simulator's truth, and the first reason is shown. Pairs are made in FOLDER; those that are there are taken again."""
import argparse
import json
import os
import subprocess
import sys

KINDS = [
    ("ddp", 4, ""),
    ("fsdp", 4, ""),
    ("hsdp", 8, ""),
    ("3d", 8, "tp=2,pp=2,dp=2"),
    ("3d", 8, "tp=1,pp=4,dp=2"),
    ("dlrm", 4, ""),
    ("moe", 8, "ep=4,dp=8"),
    ("single", 1, ""),
]
# Cause, severity and job: each on a job that it fits.
PLANTED = [
    ("slow-gpu:rank=1,severity=0.5", 0),
    ("slow-gpu:rank=5,severity=0.3", 3),
    ("slow-host:rank=2,severity=5", 1),
    ("data-starvation:severity=0.3", 0),
    ("data-straggler:rank=3,severity=0.3", 5),
    ("host-sync:severity=8", 0),
    ("launch-bound:severity=12", 1),
    ("exposed-communication", 0),
    ("exposed-communication", 1),
    ("slow-link:rank=0,severity=3", 2),
    ("sharding-imbalance:rank=1,severity=1", 5),
    ("expert-imbalance:severity=1.5", 6),
    ("pipeline-bubble:severity=2", 4),
    ("pipeline-stage-imbalance:severity=0.5", 4),
    ("no-tensor-cores:severity=0.3", 7),
    ("low-roofline:severity=0.5", 3),
    ("redundant-copies:severity=8", 7),
    ("unfused-optimizer:severity=0.6", 0),
    ("small-collectives:severity=24", 0),
    ("pageable-copy:severity=1", 7),
    ("checkpoint-stall:severity=1", 0),
    ("recompilation:severity=1", 1),
    ("gc-pause:severity=0.6", 0),
    ("network-jitter:severity=30", 1),
    ("sequence-imbalance:severity=0.6", 0),
    ("allocator-thrash:severity=1", 7),
    ("memory-pressure:severity=0.6", 7),
    ("redundant-collectives:severity=4", 0),
]


def simulate(program, folder, name, kind, seed, plant=None, events=None):
    path = os.path.join(folder, name)
    if events or not os.path.exists(os.path.join(path, "truth.json")):
        job, ranks, layout = kind
        events = events or (12000 if job == "3d" else 8000)
        words = [
            program,
            "simulate",
            path,
            "--job",
            job,
            "--ranks",
            str(ranks),
            "--steps",
            "6",
            "--events",
            str(events),
            "--seed",
            str(seed),
        ]
        if layout:
            words += ["--layout", layout]
        if plant:
            words += ["--plant", plant]
        if subprocess.run(words, check=False, capture_output=True).returncode != 0:
            return path, {"size": None}
    with open(os.path.join(path, "truth.json"), encoding="utf-8") as file:
        return path, json.load(file)


def diff(program, base, test):
    run = subprocess.run([program, "diff", base, test, "--format", "json"], capture_output=True, text=True, check=True)
    text = subprocess.run([program, "diff", base, test], capture_output=True, text=True, check=True).stdout
    return json.loads(run.stdout), text.splitlines()


def said(lines):
    return [line.strip(" -") for line in lines[1:] if line.startswith("  - ")]


def noise_pair(program, folder, number):
    kind = KINDS[number % len(KINDS)]
    base, _ = simulate(program, folder, f"noise-{number}-a", kind, 1000 + 2 * number)
    test, _ = simulate(program, folder, f"noise-{number}-b", kind, 1001 + 2 * number)
    made, lines = diff(program, base, test)
    rows = []
    for name, table in made["tables"].items():
        names = [column["name"] for column in table["columns"]]
        if "significant" not in names or "of_step_pct" not in names:
            continue
        for row in table["rows"]:
            cells = dict(zip(names, row))
            if cells["significant"] and abs(cells["of_step_pct"]) >= 1:
                rows.append((name, row))
    changed = made["job"]["significant"] and abs(made["job"]["step_time_change_pct"]) >= 1
    findings = [f["id"] for state in made["findings"].values() for f in state]
    fine = not (changed or findings or rows or not lines[0].startswith("No change"))
    print(f"{'ok ' if fine else 'BAD'} noise {number:2d} {kind[0]:7s} {lines[0]} {findings} {rows[:2]}")
    return fine


def planted_pair(program, folder, number):
    plant, place = PLANTED[number % len(PLANTED)]
    kind = KINDS[place]
    seed = 2000 + number
    base, healthy = simulate(program, folder, f"planted-{number}-a", kind, seed + (500 if number % 2 else 0))
    test, truth = simulate(program, folder, f"planted-{number}-b", kind, seed, plant)
    # The number of events decides how large the job is, and causes have events of their own.
    events = 8000
    while truth["size"] is None or truth["size"]["layers"] != healthy["size"]["layers"]:
        events = round(events * 1.07)
        test, truth = simulate(program, folder, f"planted-{number}-b", kind, seed, plant, events)
    made, lines = diff(program, base, test)
    true_ns = truth["step_ns"] - healthy["step_ns"]
    true_pct = 100 * true_ns / healthy["step_ns"]
    ours = made["job"]["step_time_change_pct"]
    is_small = abs(true_pct) < 1
    fine = is_small or (
        abs(ours - true_pct) <= 0.1 * abs(true_pct) and made["job"]["significant"] and "slower" in lines[0]
    )
    print(
        f"{'ok ' if fine else 'BAD'} planted {number:2d} {kind[0]:7s} {plant:38s} true {true_pct:+.2f} % said {ours:+.2f} % p "
        f"{made['job']['p']:.2g} | {' | '.join(said(lines)[:4])}"
    )
    return fine


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("folder")
    arguments.add_argument("--pairs", type=int, default=28)
    given = arguments.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    noise = sum(noise_pair(given.program, given.folder, i) for i in range(given.pairs))
    planted = sum(planted_pair(given.program, given.folder, i) for i in range(given.pairs))
    print(f"noise {noise}/{given.pairs} silent, planted {planted}/{given.pairs} within 10 %")
    return 0 if noise == planted == given.pairs else 1


if __name__ == "__main__":
    sys.exit(main())
