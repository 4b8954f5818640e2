#!/usr/bin/env python3
"""How often the findings of `rankscope analyze` are right, on simulated jobs whose causes are known.

    bench/insight.py RANKSCOPE FOLDER [--jobs 200] [--seed 1] [--only WORD] [--keep]

Makes seeded jobs in FOLDER (those that are there are taken again): every cause on every kind of job that it fits, with varied
severities, layouts, sizes and clocks, pairs of causes, and healthy jobs. A planted cause counts when its true gain, from
simulating the job without it, is at least 2 % (a leak always). Recall: causes of which a finding has the id. Precision:
findings of high and medium severity whose id was planted; a bubble is part of a pipeline. Ranks: the finding's set is the
cause's. Gain error: |found - true| of the true gain.
"""
import argparse
import collections
import json
import os
import random
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

KINDS = {
    "ddp": ["dp=4", "dp=8"],
    "fsdp": ["dp=4", "dp=8"],
    "hsdp": ["dp=8"],
    "3d": ["tp=2,pp=2,dp=2", "tp=2,pp=4,dp=1", "tp=4,pp=2,dp=1", "tp=1,pp=4,dp=2"],
    "dlrm": ["dp=4", "dp=8"],
    "moe": ["ep=4,dp=8", "ep=8,dp=8"],
    "single": [""],
    "post-training": [""],
}
SEVERITY = {  # least, most
    "slow-gpu": (0.15, 0.8),
    "slow-host": (2, 8),
    "data-starvation": (0.1, 0.5),
    "data-straggler": (0.1, 0.5),
    "host-sync": (4, 12),
    "launch-bound": (6, 18),
    "exposed-communication": (0.6, 1),
    "slow-link": (1, 4),
    "network-jitter": (10, 40),
    "sharding-imbalance": (0.5, 1.5),
    "expert-imbalance": (0.5, 2),
    "sequence-imbalance": (0.4, 0.9),
    "pipeline-bubble": (1, 3),
    "pipeline-stage-imbalance": (0.3, 1),
    "allocator-thrash": (0.5, 2),
    "memory-leak": (0.005, 0.02),
    "memory-pressure": (0.3, 1),
    "no-tensor-cores": (0.15, 0.5),
    "low-roofline": (0.5, 1.5),
    "pageable-copy": (1, 1),
    "redundant-copies": (4, 12),
    "unfused-optimizer": (0.3, 1),
    "gc-pause": (0.3, 1),
    "checkpoint-stall": (1, 3),
    "recompilation": (1, 3),
    "small-collectives": (12, 48),
    "redundant-collectives": (2, 8),
}
WHOLE = {"pipeline-bubble", "pageable-copy"}
ONE_RANK = {"slow-gpu", "slow-host", "data-straggler", "slow-link", "sharding-imbalance"}


def plan(count, seed):
    """Names and command lines of jobs: causes in turns, so that any number of jobs is spread evenly."""
    pick = random.Random(seed)
    causes = sorted(SEVERITY)
    jobs = []
    while len(jobs) < count:
        number = len(jobs)
        kind = pick.choice(sorted(KINDS))
        planted = []
        if number % 9 != 8:  # one in nine is healthy
            planted.append(causes[(number - number // 9) % len(causes)])
        if planted and number % 7 == 6:
            planted.append(pick.choice(causes))
        jobs.append((kind, planted, pick.randrange(1 << 30)))
    return jobs


def command(kind, planted, seed):
    pick = random.Random(seed)
    layout = pick.choice(KINDS[kind])
    ranks = 1
    for part in layout.split(","):
        name, _, degree = part.partition("=")
        if degree and name != "ep":
            ranks *= int(degree)
    if kind == "post-training":
        ranks = 8
    words = [
        "--job",
        kind,
        "--ranks",
        str(ranks),
        "--steps",
        str(pick.choice([5, 6, 8])),
        "--events",
        str(pick.choice([8000, 15000, 30000])),
        "--seed",
        str(seed),
    ]
    if layout and kind not in ("ddp", "fsdp", "single"):
        words += ["--layout", layout]
    if pick.random() < 0.5:
        words += ["--clock-offset-us", str(pick.choice([50, 2000])), "--clock-drift-ppm", str(pick.choice([0, 20]))]
    for cause in sorted(set(planted)):
        low, high = SEVERITY[cause]
        severity = pick.uniform(low, high)
        text = f"{cause}:severity={round(severity) if cause in WHOLE else round(severity, 3)}"
        if cause in ONE_RANK and ranks > 1:
            text += f",rank={pick.randrange(ranks)}"
        words += ["--plant", text]
    return words


def make(program, folder, job):
    """The folder of a job; None when the simulator refuses the combination, and the next kind is tried."""
    kind, planted, seed = job
    for other in [kind] + sorted(KINDS):
        if other == "single" and set(planted) & ONE_RANK:  # one rank has no others to differ from
            continue
        name = os.path.join(folder, f"{other}-{'+'.join(planted) or 'healthy'}-{seed}")
        if os.path.exists(os.path.join(name, "truth.json")):
            return name
        run = subprocess.run(
            [program, "simulate", name, "-j", "1"] + command(other, planted, seed), capture_output=True, text=True
        )
        if run.returncode == 0:
            return name
    return None


def findings_of(program, path):
    run = subprocess.run([program, "analyze", path, "--format", "json"], capture_output=True, text=True, timeout=600)
    try:
        report = json.loads(run.stdout)
        return report["findings"], report["job"].get("replay") or {}
    except (ValueError, KeyError):
        return None, {"refused_reason": f"exit {run.returncode}: {run.stderr[:200]}"}


# General ids under which a cause is told rightly where the recording lacks the evidence for its name: no stacks, no shapes.
FAIR = {
    "gc-pause": ("rank-host-work", "host-work", "outlier-step"),
    "sequence-imbalance": ("uneven-work",),
    "slow-gpu": ("slow-kernels",),
    "slow-host": ("rank-host-work",),
}


class Score:
    def __init__(self):
        self.by_id = collections.defaultdict(
            lambda: {"found": 0, "asked": 0, "false": 0, "ranks": 0, "ranks_asked": 0, "errors": []}
        )
        self.notes, self.jobs, self.refused, self.healthy, self.healthy_alarmed = [], 0, 0, 0, 0

    def add(self, name, causes, findings, replay, size, pipelined):
        self.jobs += 1
        if findings is None:
            self.notes.append(f"{name}: no report, {replay['refused_reason']}")
            findings = []
        if replay.get("refused_reason"):
            self.refused += 1
            self.notes.append(f"{name}: replay refused: {replay['refused_reason']}")
        planted = {cause["id"] for cause in causes}
        said = [f"{f['id']} {f.get('gain_pct') or 0:.1f}" for f in findings]
        for cause in causes:
            if cause["gain_pct"] < 2 and cause["id"] != "memory-leak":
                continue
            of = self.by_id[cause["id"]]
            of["asked"] += 1
            match = next((f for f in findings if f["id"] == cause["id"] or f["id"] in FAIR.get(cause["id"], ())), None)
            if match is None:
                self.notes.append(f"{name}: missed {cause['id']} ({cause['gain_pct']:.1f} %), said {said[:4]}")
                continue
            of["found"] += 1
            if len(cause["ranks"]) < size:
                of["ranks_asked"] += 1
                right = set(match["ranks"]) == set(cause["ranks"])
                of["ranks"] += right
                if not right:
                    self.notes.append(f"{name}: {cause['id']} ranks {match['ranks']}, are {cause['ranks']}")
            if match.get("gain_pct") is not None and cause["id"] != "memory-leak":
                error = abs(match["gain_pct"] - cause["gain_pct"]) / max(cause["gain_pct"], 1)
                of["errors"].append(error)
                if error > 0.25:
                    self.notes.append(
                        f"{name}: {cause['id']} gains {match['gain_pct']:.1f} %, truly {cause['gain_pct']:.1f}"
                    )
        fair = {one for name in planted for one in FAIR.get(name, ())}
        false = [
            f
            for f in findings
            if f["severity"] in ("high", "medium")
            and f["id"] not in planted | fair
            and not (f["id"] == "pipeline-bubble" and pipelined)
        ]
        for finding in false:
            self.by_id[finding["id"]]["false"] += 1
            self.notes.append(
                f"{name}: {'healthy' if not planted else 'planted'}, said {finding['id']} {finding.get('gain_pct')} "
                f"ranks {finding['ranks'][:8]}"
            )
        if not planted:
            self.healthy += 1
            self.healthy_alarmed += bool(false)

    def tell(self, out):
        for note in sorted(self.notes):
            print("  " + note, file=out)
        print(f"{'cause':28s} {'found':>9s} {'false':>6s} {'ranks':>9s} {'gain error':>11s}", file=out)
        for name, of in sorted(self.by_id.items()):
            error = f"{100 * statistics.median(of['errors']):.0f} %" if of["errors"] else ""
            ranks = f"{of['ranks']}/{of['ranks_asked']}" if of["ranks_asked"] else ""
            print(f"{name:28s} {of['found']:4d}/{of['asked']:<4d} {of['false']:6d} {ranks:>9s} {error:>11s}", file=out)
        total = lambda key: sum(of[key] for of in self.by_id.values())
        errors = [e for of in self.by_id.values() for e in of["errors"]]
        print(
            f"{self.jobs} jobs: recall {total('found')}/{total('asked')} = {total('found') / max(1, total('asked')):.3f}, "
            f"precision {total('found') / max(1, total('found') + total('false')):.3f}, ranks right {total('ranks')}/{total('ranks_asked')}, "
            f"median gain error {100 * statistics.median(errors) if errors else float('nan'):.1f} %, "
            f"healthy jobs with an alarm {self.healthy_alarmed}/{self.healthy}, replay refused {self.refused}",
            file=out,
        )


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("folder")
    arguments.add_argument("--jobs", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="", help="jobs whose name holds this")
    arguments.add_argument("--make-only", action="store_true")
    given = arguments.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        names = [
            name
            for name in pool.map(lambda job: make(given.program, given.folder, job), plan(given.jobs, given.seed))
            if name
        ]
        if given.make_only:
            return
        names = [name for name in dict.fromkeys(names) if given.only in name]
        score = Score()
        for name, (findings, replay) in zip(names, pool.map(lambda name: findings_of(given.program, name), names)):
            truth = json.load(open(os.path.join(name, "truth.json")))
            score.add(
                os.path.basename(name),
                truth["causes"],
                findings,
                replay,
                len(truth["ranks"]),
                truth["layout"].get("pp", 1) > 1,
            )
    score.tell(sys.stdout)


if __name__ == "__main__":
    main()
