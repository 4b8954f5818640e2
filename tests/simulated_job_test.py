"""Simulated jobs: every part of every window equals the truth that the simulator's own accounting wrote down, to the
nanosecond, and the parts sum to the window; of every kind of job, with random sizes, planted causes and
clocks that are off and drift."""

import json
import os
import random
import tempfile

import program
from real_traces_test import HOST_PARTS

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
IDLE = [part for part in PARTS if part.startswith(("idle_", "unknown"))]
SAME_NAME = ["compute_ns", "communication_ns", "copy_ns", "exposed_communication_ns", "exposed_copy_ns"]


def simulate(folder, options):
    arguments = ["simulate", folder]
    for name, value in options.items():
        arguments += [f"--{name}"] + ([str(value)] if value is not None else [])
    program.run(*arguments)
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return json.load(file)


def check_stacks(folder, truth):
    """Modules and stacks are seen as they were written: every layer once per rank and micro-batch, and all device work."""
    problems = []
    layers = truth["size"]["layers"]
    passes = truth["options"]["ranks"] * truth["options"]["steps"] * truth["size"]["micro_batches"]
    modules = {row["path"]: row for row in program.table("modules", folder)}
    names = sorted(path for path in modules if path.split("/")[-1].startswith("TransformerLayer_"))
    if names != sorted(f"Transformer_0/TransformerLayer_{layer}" for layer in range(layers)):
        problems.append(f"layers are {names}, not {layers} of them")
    problems += [
        f"{name} is called {modules[name]['count']} times, not {passes}"
        for name in names
        if int(modules[name]["count"]) != passes
    ]
    stacks, _ = program.run("trace", "stacks", folder)
    weights = {stack: int(weight) for stack, weight in (line.rsplit(" ", 1) for line in stacks.splitlines())}
    # Work that autograd's thread launched has no frames.
    framed = sum(
        weight for stack, weight in weights.items() if stack.startswith("train.py(214): <module>;train.py(187): main;")
    )
    if not 0.2 * sum(weights.values()) < framed < sum(weights.values()):
        problems.append(f"{framed} of {sum(weights.values())} ns of device work lies in the script")
    return problems


def check(folder, options):
    truth = simulate(folder, options)
    rows = {(row["rank"], row["step"]): row for row in program.table("time_breakdown", folder)}
    steps = {(row["rank"], row["step"]): row for row in program.table("step_times", folder)}
    problems = []
    for row in rows.values():
        if sum(int(row[part]) for part in PARTS) != int(row["duration_ns"]):
            problems.append(f"parts of {row} do not sum to it")
    for row in program.table("host_breakdown", folder):
        if sum(int(row[part]) for part in HOST_PARTS) != int(row["duration_ns"]):
            problems.append(f"host parts of {row} do not sum to it")
    expected = 0
    for rank in truth["ranks"]:
        info = program.trace_info(os.path.join(folder, rank["file"]))
        if info["events"] != rank["counts"]["events"] or info["bad"] != 0 or info["quality"]:
            problems.append(f"rank {rank['rank']}: {info['events']} events, quality {info['quality']}")
        for window in rank["windows"]:
            expected += 1
            row = rows.get((rank["rank"], window["step"]))
            step = steps.get((rank["rank"], window["step"]))
            if row is None or step is None:
                problems.append(f"no row for rank {rank['rank']} step {window['step']}")
                continue
            # A first step while which the queue of a host that runs ahead fills is no steady one.
            is_filling = "run-ahead" in options and window is rank["windows"][0]
            if (
                not (step["complete"] or is_filling)
                or step["inferred"]
                or int(step["duration_ns"]) != window["end_ns"] - window["begin_ns"]
            ):
                problems.append(f"step {step} should be {window}")
            for name in SAME_NAME:
                if int(row[name]) != window[name]:
                    problems.append(
                        f"rank {rank['rank']} step {window['step']}: {name} is {row[name]}, truth {window[name]}"
                    )
            idle = sum(int(row[part]) for part in IDLE)
            if idle != window["idle_ns"]:
                problems.append(f"rank {rank['rank']} step {window['step']}: idle is {idle}, truth {window['idle_ns']}")
    kernels = sum(row["count"] for row in program.table("kernels_by_name", folder) if row["work"] != "copy")
    counted = sum(
        rank["counts"]["compute_kernels"] + rank["counts"]["communication_kernels"] for rank in truth["ranks"]
    )
    if kernels != counted:
        problems.append(f"{kernels} kernels, truth {counted}")
    if "stacks" in options:
        problems += check_stacks(folder, truth)
    if expected == 0:
        problems.append("the truth has no windows")
    return problems


def main():
    choose = random.Random(20)
    jobs = [
        {"ranks": 1, "steps": 1, "events": 5000},
        {"ranks": 4, "steps": 3, "events": 20000, "slow-rank": 2},
        {"job": "fsdp", "ranks": 4, "steps": 3, "events": 20000, "plant": "host-sync"},
        {"job": "hsdp", "ranks": 4, "steps": 3, "events": 20000, "clock-drift-ppm": 50},
        {"job": "dlrm", "ranks": 4, "steps": 3, "events": 20000, "plant": "sharding-imbalance"},
        {"job": "moe", "layout": "ep=2,dp=4", "steps": 2, "events": 30000, "plant": "expert-imbalance"},
        {"job": "single", "steps": 3, "events": 10000, "plant": "launch-bound"},
        {"job": "post-training", "ranks": 4, "steps": 2, "events": 20000, "plain-group-names": None},
        {
            "job": "3d",
            "layout": "tp=2,pp=2,dp=2",
            "steps": 2,
            "events": 30000,
            "clock-offset-us": 3000,
            "clock-drift-ppm": 100,
        },
        {"job": "3d", "layout": "cp=4,pp=2", "steps": 2, "events": 30000, "clock-offset-us": 3000},
        {"job": "single", "steps": 3, "events": 10000, "plant": "launch-bound", "cuda-graphs": None},
        {"job": "post-training", "ranks": 4, "steps": 2, "events": 20000, "cuda-graphs": None},
        {"job": "ddp", "ranks": 2, "steps": 3, "events": 20000, "stacks": None},
        {"job": "fsdp", "ranks": 2, "steps": 3, "events": 20000, "stacks": None},
        {"job": "fsdp", "ranks": 4, "steps": 5, "events": 20000, "run-ahead": None, "clock-drift-ppm": 50},
        {"job": "3d", "layout": "tp=2,pp=2", "steps": 5, "events": 30000, "run-ahead": None, "plant": "gc-pause"},
        {
            "job": "single",
            "steps": 8,
            "events": 10000,
            "run-ahead": None,
            "cuda-graphs": None,
            "plant": "checkpoint-stall",
        },
    ]
    for seed in range(6):
        jobs.append(
            {
                "ranks": choose.randint(1, 5),
                "steps": choose.randint(2, 6),
                "events": choose.randint(8000, 60000),
                "seed": seed,
                "clock-offset-us": choose.choice([0, 50000]),
            }
        )
    failed = 0
    for number, options in enumerate(jobs):
        with tempfile.TemporaryDirectory() as folder:
            problems = check(os.path.join(folder, "job"), options)
        failed += bool(problems)
        for problem in problems[:5]:
            print(f"job {number} {options}: {problem}")
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
