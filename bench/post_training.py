#!/usr/bin/env python3
"""How often the findings of `rankscope post-training` are right, on simulated runs whose causes are known.

    bench/post_training.py RANKSCOPE FOLDER [--runs 200] [--seed 1] [--keep]

Simulates seeded runs (tests/reference/write_post_training.py, which shares no code with the judge): every cause on every layout that it fits, with varied severities,
sizes and lengths, and healthy runs; each is read as a record and as veRL's log. The truth of a run is not what was planted but what each change gains when the same
run is simulated with it: a cause is true when that is at least 2 % (a tail 2 % beyond the share of work that ending at p95 drops). Recall: true causes of which a finding has the id. Precision: findings of high and medium severity
whose cause is true. A log tells less than a record (no replicas, no samples), so its recall counts causes that a log can tell. Gain error: |found - true|, in percentage
points of the step.
"""
import argparse
import collections
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "reference"))
from write_post_training import Run  # pylint: disable=wrong-import-position

LEAST = 2.0  # % of the step from which on a cause is true
CAUSES = [
    "phase-bubble",
    "role-imbalance",
    "rollout-tail",
    "rollout-imbalance",
    "weight-sync",
    "reward-wait",
    "checkpoint-in-loop",
]
# What veRL's log can tell at all; rollout-tail by the agent loop's means alone.
OF_LOG = [cause for cause in CAUSES if cause != "rollout-imbalance"]
GPUS = 16  # of each role of a split layout


def settings(number, seed):
    """A run: layout, sizes, and what is planted, in turns."""
    pick = random.Random(seed * 100_003 + number)
    layout = pick.choice(["colocated", "colocated", "turns", "one_off", "fully_async"])
    run = {
        "layout": layout,
        "seed": pick.randrange(1 << 30),
        "steps": pick.choice([6, 10, 16]),
        "replicas": pick.choice([2, 4, 8]),
        "slots": pick.choice([16, 32, 64]),
        "mean": pick.choice([200, 400, 800]),
        "sigma": pick.uniform(0.1, 0.35),
        "floor": pick.uniform(0.006, 0.02),
        "slope": pick.uniform(0.00005, 0.0004),
    }
    run["samples"] = run["replicas"] * run["slots"] * pick.choice([6, 10, 14])
    # About balanced, so that only what is planted is wrong.
    waves = run["samples"] / (run["replicas"] * run["slots"])
    generate = waves * run["mean"] * (run["floor"] + run["slope"] * run["slots"])
    run["log_prob"] = 0.1 * generate
    run["train"] = 0.9 * generate
    run["sync"], run["reshard"], run["reward"] = 0.01 * generate, 0.01 * generate, 0.005 * generate
    planted = ([None, None] + CAUSES)[number % (len(CAUSES) + 2)]
    if planted is None and layout == "turns":
        run["layout"] = "colocated"
    if planted == "phase-bubble":
        run["layout"] = "turns"
    elif planted == "role-imbalance":
        run["layout"] = pick.choice(["one_off", "fully_async"])
        run["train"] *= pick.choice([0.3, 0.5, 1.8, 2.5])
    elif planted == "rollout-tail":
        run["layout"] = pick.choice(["colocated", "turns", "one_off"])
        run["sigma"] = pick.uniform(0.7, 1.2)
        run["samples"] = run["replicas"] * run["slots"] * pick.choice([1, 2])
    elif planted == "rollout-imbalance":
        run["layout"] = pick.choice(["colocated", "turns"])
        run["skew"] = pick.uniform(0.1, 0.4)
    elif planted == "weight-sync":
        run["sync"] = pick.uniform(0.15, 0.6) * generate
    elif planted == "reward-wait":
        run["layout"] = pick.choice(["colocated", "turns"])
        run["reward"] = pick.uniform(0.15, 0.6) * generate
    elif planted == "checkpoint-in-loop":
        run["checkpoint"] = pick.uniform(0.5, 2) * generate
        run["save_freq"] = pick.choice([2, 3])
    return planted, run


def with_devices(run, generate_gpus):
    """The same work on another split of 2 x GPUS devices."""
    factor = GPUS / generate_gpus
    train = GPUS / (2 * GPUS - generate_gpus)
    return {
        **run,
        "floor": run["floor"] * factor,
        "slope": run["slope"] * factor,
        "train": run["train"] * train,
        "log_prob": run["log_prob"] * train,
    }


def truth_of(run):
    """Cause -> the gain of its change in % of the step, by simulation of the same run with it."""
    base = Run(**run).step_time()

    def gain(**change):
        return 100 * (1 - Run(**{**run, **change}).step_time() / base)

    true = {
        "weight-sync": gain(sync=0.0, reshard=0.0),
        "checkpoint-in-loop": gain(checkpoint=0.0),
        "reward-wait": gain(reward_beside=True),
    }
    if run["layout"] != "fully_async":
        true["rollout-imbalance"] = gain(skew=0.0)
        # What of the tail uneven replicas do not explain.
        true["rollout-tail"] = gain(skew=0.0, end_at=0.95) - true["rollout-imbalance"]
    if run["layout"] == "turns":
        true["phase-bubble"] = gain(layout="one_off")
    if run["layout"] in ("one_off", "fully_async"):
        splits = [Run(**with_devices(run, gpus)).step_time() for gpus in range(4, 29)]
        true["role-imbalance"] = 100 * (1 - min(splits) / base)
    return true


def is_true(cause, gain, generation_share):
    """Ending with 95 % of the samples drops up to 5 % of the work, which is no waste of a tail."""
    return gain >= LEAST + (5 * generation_share if cause == "rollout-tail" else 0)


def findings_of(program, path, is_split):
    command = [program, "post-training", path, "--format", "json"]
    if is_split:
        command += ["--generate-gpus", str(GPUS), "--train-gpus", str(GPUS)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["findings"]


def judge(program, folder, number, seed):
    planted, run = settings(number, seed)
    simulated = Run(**run)
    paths = {
        "record": os.path.join(folder, f"{number}", "record.jsonl"),
        "log": os.path.join(folder, f"{number}", "verl.log"),
    }
    simulated.write_record(paths["record"])
    simulated.write_log(paths["log"])
    is_split = run["layout"] != "colocated"
    generating = sum(end - begin for _, _, phase, begin, end in simulated.phases if phase == "generate")
    share = min(1, generating / sum(timing["step"] for _, timing, _, _ in simulated.log))
    true = {cause: gain for cause, gain in truth_of(run).items() if is_true(cause, gain, share)}
    return planted, run, true, {name: findings_of(program, path, is_split) for name, path in paths.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="a line for each miss and false alarm")
    arguments = parser.parse_args()
    temporary = None
    if not arguments.folder:
        temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        arguments.folder = temporary.name
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(
            pool.map(
                lambda number: judge(arguments.program, arguments.folder, number, arguments.seed), range(arguments.runs)
            )
        )
    healthy = sum(not true for _, _, true, _ in runs)
    print(f"{len(runs)} runs, {healthy} of them healthy (no change gains {LEAST:.0f}%)")
    for name, tellable in (("record", CAUSES), ("log", OF_LOG)):
        hits, misses, alarms = collections.Counter(), collections.Counter(), collections.Counter()
        errors, of_healthy = collections.defaultdict(list), 0
        for number, (planted, run, true, found) in enumerate(runs):
            told = {finding["id"]: finding for finding in found[name]}
            for cause in tellable:
                gain = true.get(cause, 0.0)
                if cause in true:
                    (hits if cause in told else misses)[cause] += 1
                    if cause in told and told[cause]["gain_pct"] is not None:
                        errors[cause].append(told[cause]["gain_pct"] - gain)
                    elif cause not in told and arguments.verbose:
                        print(f"  miss {name} {number} ({planted}, {run['layout']}): {cause} gains {gain:.1f}")
            false = [one["id"] for one in found[name] if one["severity"] != "low" and one["id"] not in true]
            alarms.update(false)
            of_healthy += bool(false) and not true
            if false and arguments.verbose:
                print(f"  false alarm {name} {number} ({planted}, {run['layout']}): {false}")
        total, right = sum(hits.values()) + sum(misses.values()), sum(hits.values())
        print(
            f"\nby {name}: recall {right} of {total}, precision {right} of {right + sum(alarms.values())}, {of_healthy} of {healthy} healthy runs with an alarm"
        )
        print(
            f"  {'cause':<20}{'true':>6}{'found':>7}{'false':>7}{'median |error|':>16}{'worst':>8}   points of the step"
        )
        for cause in tellable:
            values = sorted(errors[cause], key=abs)
            median = f"{statistics.median(map(abs, values)):.1f}" if values else "-"
            worst = f"{values[-1]:+.1f}" if values else "-"
            print(
                f"  {cause:<20}{hits[cause] + misses[cause]:>6}{hits[cause]:>7}{alarms[cause]:>7}{median:>16}{worst:>8}"
            )
    if temporary:
        temporary.cleanup()


if __name__ == "__main__":
    main()
