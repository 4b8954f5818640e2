"""Steps last as long as the truth says, on simulated jobs of every kind whose hosts keep pace with their devices, run ahead of them, are
late, or stall now and then: the mean of step_times over complete steps is within 1 % of the job's own step time."""

import json
import os
import statistics
import tempfile

import program

RANKS = {"ddp": 2, "fsdp": 2, "hsdp": 4, "3d": 4, "dlrm": 2, "moe": 4, "single": 1, "post-training": 2}
LAYOUT = {"3d": ["--layout", "tp=2,pp=2"], "moe": ["--layout", "ep=2,dp=4"]}
SIZE = ["--steps", "16", "--events", "40000"]
MOST_DIFFERENCE = 0.01


def slow_hosts(job):
    return ["--plant", f"slow-host:rank=0-{RANKS[job] - 1},severity=8"]


# One rank pauses in a step of four and the others wait for it. Where most steps stall, a first one that does not is shorter than half
# of the median mark, which is taken for a step that the recording cut off (src/trace/steps.h).
PAUSES = ["--plant", "gc-pause:rank=0,severity=2"]
DATA = ["--plant", "data-starvation:steps=5+11,severity=2"]


def is_ahead(steps, truth):
    return statistics.median(row["lag_ns"] for row in steps) > truth


def keeps_pace(steps, truth):
    return all(abs(row["lag_ns"]) < 0.1 * truth for row in steps)


def is_late(steps, truth):
    """Devices idle for want of work."""
    return sum(row["idle_host_ns"] for row in steps) > 0.05 * truth * len(steps)


def stalls(steps, truth):
    """Some of the host's steps are far longer than most."""
    del truth
    hosts = [row["host_duration_ns"] for row in steps]
    return max(hosts) > 1.5 * statistics.median(hosts)


# By what the host does: options of a job, and what its steps must show for them to be what they are called.
HOSTS = {
    "keeps pace": (lambda job: [], [keeps_pace]),
    "runs ahead": (lambda job: ["--run-ahead"], [is_ahead]),
    "is late": (slow_hosts, [is_late]),
    "is late without waiting": (lambda job: [*slow_hosts(job), "--run-ahead"], [is_late]),
    "pauses": (lambda job: PAUSES, [stalls]),
    "runs ahead and pauses": (lambda job: [*PAUSES, "--run-ahead"], [stalls]),
    "waits for data": (lambda job: DATA, [stalls]),
    "runs ahead and waits for data": (lambda job: [*DATA, "--run-ahead"], [stalls]),
    "saves a checkpoint": (lambda job: ["--plant", "checkpoint-stall"], [stalls]),
    "runs far ahead": (lambda job: ["--cuda-graphs", "--run-ahead"], [is_ahead]),
}


# Jobs that the simulator refuses to make, by option: what they lack is in docs/simulate.md.
REFUSED = {
    "--run-ahead": ["post-training"],
    "--cuda-graphs": ["fsdp", "hsdp", "3d", "dlrm", "moe", "post-training"],
    PAUSES[1]: ["dlrm", "moe"],
    DATA[1]: ["post-training"],
}


def fits(job, host):
    return not any(job in REFUSED.get(option, []) for option in HOSTS[host][0](job))


def simulate(folder, job, host):
    size = LAYOUT.get(job, ["--ranks", str(RANKS[job])])
    program.run("simulate", folder, "--job", job, *size, *SIZE, *HOSTS[host][0](job))
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return json.load(file)["step_ns"]


def steps_of(folder):
    """Rows of step_times, with the idle time that the host is to blame for."""
    cache = ("--cache-dir", os.path.join(folder, "cache"))
    idle = {
        (row["rank"], row["step"]): row["idle_host_ns"]
        for row in program.table("time_breakdown", folder, options=cache)
    }
    return [
        dict(row, idle_host_ns=idle[(row["rank"], row["step"])])
        for row in program.table("step_times", folder, options=cache)
    ]


def check(folder, job, host):
    truth = simulate(folder, job, host)
    steps = steps_of(folder)
    complete = [row["duration_ns"] for row in steps if row["complete"]]
    problems = [
        f"not what it is to be: {shows.__name__} does not hold" for shows in HOSTS[host][1] if not shows(steps, truth)
    ]
    # At most a rank's first step is left out, whose work fills the queue.
    if len(complete) < len(steps) - RANKS[job]:
        problems.append(f"only {len(complete)} of {len(steps)} steps are complete")
    mean = statistics.mean(complete) if complete else 0
    if abs(mean - truth) > MOST_DIFFERENCE * truth:
        problems.append(f"steps last {mean / 1e6:.3f} ms, truth {truth / 1e6:.3f} ms: {100 * (mean / truth - 1):+.2f}%")
    return problems


def real_loader():
    """A job of 2021 whose loader takes a quarter of each step: what ran before the first was not recorded, so that it is too short."""
    folder = os.path.join(program.REAL_TRACES, "kineto-2021")
    if not os.path.isdir(folder):
        print("no real traces are there")
        return []
    first, *others = program.table("step_times", folder)
    usual = statistics.median(row["duration_ns"] for row in others)
    if first["complete"] or first["duration_ns"] > 0.9 * usual or not all(row["complete"] for row in others):
        return [f"kineto-2021: {[(row['duration_ns'], row['complete']) for row in (first, *others)]}"]
    return []


def main():
    jobs = [(job, host) for job in RANKS for host in HOSTS if fits(job, host)]
    failed = 0
    for job, host in jobs:
        with tempfile.TemporaryDirectory() as folder:
            problems = check(os.path.join(folder, "job"), job, host)
        failed += bool(problems)
        for problem in problems:
            print(f"{job}, whose host {host}: {problem}")
    for problem in real_loader():
        failed += 1
        print(problem)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
