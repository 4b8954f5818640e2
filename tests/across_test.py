"""Across ranks, on simulated jobs of which the truth is known and on 8 real ranks: clocks that are off by up to 50 ms and drift by up to
20 ppm are recovered within the stated uncertainty, tables are as without them, and waiting is what the simulation says."""

import csv
import gzip
import json
import os
import re
import tempfile

import program

JOBS = {
    "ddp": ["--job", "ddp", "--ranks", "8", "--events", "20000", "--steps", "5", "--plant", "slow-gpu:rank=3"],
    "fsdp": ["--job", "fsdp", "--ranks", "8", "--events", "20000", "--steps", "4", "--plant", "slow-host:rank=5"],
    "hsdp": ["--job", "hsdp", "--ranks", "8", "--events", "20000", "--steps", "4"],
    "3d": [
        "--job",
        "3d",
        "--ranks",
        "16",
        "--layout",
        "tp=2,pp=4,dp=2",
        "--events",
        "20000",
        "--steps",
        "4",
        "--plant",
        "slow-gpu:rank=6",
    ],
    "context": [
        "--job",
        "3d",
        "--layout",
        "tp=2,cp=2,pp=2,dp=2",
        "--events",
        "20000",
        "--steps",
        "4",
        "--plant",
        "slow-gpu:rank=6",
    ],
    "dlrm": ["--job", "dlrm", "--ranks", "8", "--events", "20000", "--steps", "4"],
    "moe": ["--job", "moe", "--ranks", "8", "--events", "20000", "--steps", "4", "--plant", "expert-imbalance"],
}
# With less to go by: groups without a description, a third of the ranks missing, no metadata at all.
JOBS["undescribed"] = [*JOBS["3d"], "--plain-group-names", "--missing-ranks", "4-7+12"]
JOBS["no metadata"] = [*JOBS["ddp"], "--no-group-names"]
CLOCKS = ["--clock-offset-us", "50000", "--clock-drift-ppm", "20"]
failures = []


def expect(what, holds):
    if not holds:
        failures.append(what)


def table(name, folder):
    return program.table(name, folder, options=("--no-cache",))


def members(folder):
    """(group, ordinal, rank) -> row, with begins counted from the first of the reference rank."""
    rows = table("collective_members", folder)
    first = min(row["start_ns"] for row in rows if row["rank"] == 0)
    return {(row["group"], row["ordinal"], row["rank"]): dict(row, start_ns=row["start_ns"] - first) for row in rows}


def reference_rate(folder):
    """The reference's own drift cannot be known from inside: all times are in its clock."""
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return 1 + json.load(file)["ranks"][0]["clock_drift_ppb"] * 1e-9


def clocks_are_recovered(name, true, skewed, clocks, rate):
    uncertainty = {row["rank"]: row["uncertainty_ns"] for row in clocks}
    expect(f"{name}: a rank is not aligned", all(row["aligned"] and row["reference_rank"] == 0 for row in clocks))
    expect(f"{name}: receives end before their sends begin", all(row["send_violations"] == 0 for row in clocks))
    expect(f"{name}: the same collectives are found", true.keys() == skewed.keys())
    errors = [
        (abs(skewed[key]["start_ns"] - rate * true[key]["start_ns"]), uncertainty[key[2]] + uncertainty[0])
        for key in true
    ]
    # A timestamp has a resolution of a nanosecond, on both sides.
    within = sum(error <= bound + 2 for error, bound in errors)
    expect(f"{name}: {within} of {len(errors)} begins are within the uncertainty", within >= 0.95 * len(errors))
    for key, row in true.items():
        other = skewed[key]
        # Twice: of the rank and of the one that came last.
        bound = 2 * (max(uncertainty.values()) + uncertainty[0]) + 2
        if row["wait_ns"] is None or other["wait_ns"] is None:
            expect(f"{name}: waiting of {key} is known once only", row["wait_ns"] == other["wait_ns"])
        elif abs(row["wait_ns"] - other["wait_ns"]) > bound + 50e-6 * row["wait_ns"]:
            failures.append(f"{name}: rank {key[2]} waits {other['wait_ns']} ns, not {row['wait_ns']}, in {key[:2]}")


def nothing_else_changes(name, true_folder, skewed_folder):
    """Durations are told by a rank's own clock: 20 ppm of them is all that a drift may change."""
    for analysis, columns in (
        ("step_times", ("duration_ns",)),
        ("time_breakdown", ("compute_ns", "exposed_communication_ns", "idle_ns")),
    ):
        for row, other in zip(table(analysis, true_folder), table(analysis, skewed_folder)):
            for column in columns:
                if column in row and abs(row[column] - other[column]) > 50e-6 * abs(row[column]) + 10:
                    failures.append(f"{name}: {analysis}.{column} is {other[column]}, not {row[column]}")


def waiting_is_true(name, folder):
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        truth = json.load(file)
    ours = {row["rank"]: row["wait_ns"] for row in table("collective_ranks", folder)}
    for row in table("point_to_point", folder):
        ours[row["source_rank"]] += row["sender_waits_ns"]
        ours[row["destination_rank"]] += row["receiver_waits_ns"]
    for rank in truth["ranks"]:
        expected = sum(int(window["collective_wait_ns"]) for window in rank["windows"])
        # Kernels end together to the nanosecond there, after the last arrival to the nanosecond.
        if abs(ours[rank["rank"]] - expected) > 1e-4 * expected + 1000:
            failures.append(f"{name}: rank {rank['rank']} waits {ours[rank['rank']]} ns in all, not {expected}")


def damaged(source, target, marks):
    """A copy without sequence numbers, of which rank 1 lost the first collective of every group, rank 2 every twentieth, and rank 3 what it did first; without
    `marks`, ranges of steps have other names, so that steps are inferred on each rank by itself."""
    os.mkdir(target)
    for name in os.listdir(source):
        if not name.endswith(".json.gz"):
            continue
        with gzip.open(os.path.join(source, name), "rt", encoding="utf-8") as file:
            text = file.read()
        base = re.search(r'"baseTimeNanoseconds": *([0-9]+)', text).group(1)
        trace = json.loads(text)
        rank = trace["distributedInfo"]["rank"]
        seen = {}
        kept = []
        for event in trace["traceEvents"]:
            args = event.get("args", {})
            args.pop("Seq", None)
            if not marks and event.get("name", "").startswith("ProfilerStep#"):
                event["name"] = "step"
            if event.get("cat") == "kernel" and "Collective name" in args:
                group = args["Process Group Name"]
                seen[group] = seen.get(group, 0) + 1
                lost = {1: seen[group] == 1, 2: seen[group] % 20 == 10, 3: seen[group] <= 7}
                if lost.get(rank, False):
                    continue
            kept.append(event)
        trace["traceEvents"] = kept
        trace["baseTimeNanoseconds"] = int(base)
        with gzip.open(os.path.join(target, name), "wt", encoding="utf-8", compresslevel=1) as file:
            json.dump(trace, file)


def true_collectives(source, folder):
    """(rank, number of the event) -> (group, sequence number), of the kernels that were left."""
    found = {}
    for name in os.listdir(folder):
        with gzip.open(os.path.join(folder, name), "rt", encoding="utf-8") as file:
            trace = json.load(file)
        rank = trace["distributedInfo"]["rank"]
        with open(os.path.join(source, f"rank{rank}.collectives.csv"), encoding="utf-8", newline="") as file:
            sequences = {int(row["correlation"]): (row["group"], row["sequence"]) for row in csv.DictReader(file)}
        for number, event in enumerate(trace["traceEvents"]):
            if event.get("cat") == "kernel" and "Collective name" in event["args"]:
                found[(rank, number)] = sequences[event["args"]["correlation"]]
    return found


def collectives_meet(name, source, folder):
    """What is one collective is matched, all of it, and nothing else."""
    truth = true_collectives(source, folder)
    members = {}
    for row in table("collective_members", folder):
        members.setdefault((row["group"], row["ordinal"]), set()).add((row["rank"], row["event"]))
    matched = [{truth[member] for member in of_one} for of_one in members.values()]
    wrong = sum(len(of_one) != 1 for of_one in matched)
    expect(f"{name}: {wrong} of {len(members)} collectives are several", wrong == 0)
    sizes = {}
    for of_one in members.values():
        for member in of_one:
            sizes.setdefault(truth[member], set()).add(len(of_one))
    found = sum(max(size) for size in sizes.values())
    here = [key for key in truth if key in {member for of_one in members.values() for member in of_one}]
    expect(
        f"{name}: {len(here) - found} of {len(here)} kernels are apart from the others of their collective",
        found == len(here),
    )


def without_groups(source, target, descriptions):
    """A copy without the kernels of these process groups."""
    os.mkdir(target)
    for name in os.listdir(source):
        if name.endswith(".json.gz"):
            with gzip.open(os.path.join(source, name), "rt", encoding="utf-8") as file:
                trace = json.load(file)
            trace["traceEvents"] = [
                event
                for event in trace["traceEvents"]
                if event.get("args", {}).get("Process Group Description") not in descriptions
            ]
            with gzip.open(os.path.join(target, name), "wt", encoding="utf-8", compresslevel=1) as file:
                json.dump(trace, file)


def stages_that_only_send(work):
    """Nothing but messages joins the stages: their clocks are known within what those leave open, and the stages are aligned."""
    folders = [os.path.join(work, f"by-sends-{kind}") for kind in ("true", "skewed")]
    for folder, kind in zip(folders, ("true", "skewed")):
        without_groups(os.path.join(work, f"3d-{kind}"), folder, ("default_pg", "EMBEDDING_GROUP"))
    clocks = table("clocks", folders[1])
    linked = [row["linked_by"] for row in clocks]
    expect(f"by sends: ranks are linked by {linked}", linked == ["collectives"] * 4 + ["sends"] * 12)
    clocks_are_recovered(
        "by sends", members(folders[0]), members(folders[1]), clocks, reference_rate(os.path.join(work, "3d-skewed"))
    )
    expect("by sends: stages are aligned", all(row["aligned"] for row in table("pipeline_steps", folders[1])))


def slow_rank_leads(folder):
    rows = table("collective_ranks", folder)
    worst = max(rows, key=lambda row: row["lead_ns"])
    expect(f"ddp: rank {worst['rank']} lets the others wait", worst["rank"] == 3 and worst["last_pct"] > 90)
    expect("ddp: it waits least", min(rows, key=lambda row: row["wait_ns"])["rank"] == 3)


def real_ranks():
    """Eight ranks of one host: their ends agree to about 5 microseconds, and the last arriver of every collective is listed."""
    folder = os.path.join(program.REAL_TRACES, "dlrm-8rank")
    if not os.path.isdir(folder):
        print("skipped: there are no real traces in ../shared")
        return
    for row in table("clocks", folder):
        expect(
            f"dlrm: rank {row['rank']} is off by {row['offset_ns']} ns",
            abs(row["offset_ns"]) < 5000 and row["uncertainty_ns"] < 5000,
        )
        expect(f"dlrm: rank {row['rank']} ends before others begin", row["violations"] == 0)
    collectives = table("collectives", folder)
    expect("dlrm: 8 collectives of 8 ranks", [(row["members"], row["missing"]) for row in collectives] == [(8, 0)] * 8)
    # By hand, from the begins in the files: 7 comes last to the first five.
    expect("dlrm: last ranks", [row["last_rank"] for row in collectives] == [7, 7, 7, 7, 7, 5, 5, 4])
    expect(
        "dlrm: ops",
        [row["op"] for row in collectives]
        == ["all_to_all"] * 4 + ["all_reduce", "all_to_all", "all_reduce", "all_reduce"],
    )


def with_clock(source, target, offset_ns, drift_ppm):
    """A copy of a trace as a clock that is off by so much, and runs so much faster, would have recorded it. Its times count from 1970."""
    with open(source, "rb") as file:
        data = file.read()
    trace = json.loads(gzip.decompress(data) if source.endswith(".gz") else data)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    first = min(int(event["ts"]) for event in events if "ts" in event)
    for event in events:
        if "ts" not in event:
            continue
        since = 1000 * (int(event["ts"]) - first)
        skewed = 1000 * int(event["ts"]) + offset_ns + round(since * drift_ppm * 1e-6)
        # As text: so many digits are too many for a double.
        event["ts"] = f"@{skewed // 1000}.{skewed % 1000:03d}@"
    text = re.sub(r'"@([0-9.]+)@"', r"\1", json.dumps(trace))
    with gzip.open(target, "wt", encoding="utf-8") as file:
        file.write(text)


def injected_into_real_ranks():
    """Offsets of up to 50 ms and drifts of up to 20 ppm, written into eight real traces of one host, whose clocks agree: what comes back is within the
    uncertainty, and no other table changes by more."""
    folder = os.path.join(program.REAL_TRACES, "dlrm-8rank")
    if not os.path.isdir(folder):
        return
    files = sorted(name for name in os.listdir(folder) if ".json" in name)
    with tempfile.TemporaryDirectory() as work:
        for rank, name in enumerate(files):
            offset = 0 if rank == 0 else round(50e6 * (-1) ** rank * rank / 7)
            with_clock(
                os.path.join(folder, name),
                os.path.join(work, name if name.endswith(".gz") else name + ".gz"),
                offset,
                20 * (rank - 3) / 4,
            )
        truth = {row["rank"]: row for row in table("clocks", folder)}
        clocks = table("clocks", work)
        expect("injected: all ranks are aligned", len(clocks) == 8 and all(row["aligned"] for row in clocks))
        true_rows = {(row["group"], row["ordinal"], row["rank"]): row for row in table("collective_members", folder)}
        rows = {(row["group"], row["ordinal"], row["rank"]): row for row in table("collective_members", work)}
        expect("injected: the same collectives", true_rows.keys() == rows.keys())
        uncertainty = {row["rank"]: row["uncertainty_ns"] + truth[row["rank"]]["uncertainty_ns"] + 2 for row in clocks}
        first, true_first = (min(row["start_ns"] for key, row in of.items() if key[2] == 0) for of in (rows, true_rows))
        errors = [
            (
                abs((row["start_ns"] - first) - (true_rows[key]["start_ns"] - true_first)),
                uncertainty[key[2]] + uncertainty[0],
            )
            for key, row in rows.items()
        ]
        within = sum(error <= bound for error, bound in errors)
        expect(f"injected: {within} of {len(errors)} begins are within the uncertainty", within >= 0.95 * len(errors))
        waits = [
            (abs(row["wait_ns"] - true_rows[key]["wait_ns"]), 2 * max(uncertainty.values()))
            for key, row in rows.items()
        ]
        expect("injected: waiting is as before", all(error <= bound for error, bound in waits))
        nothing_else_changes("injected", folder, work)


def main():
    with tempfile.TemporaryDirectory() as work:
        for name, options in JOBS.items():
            folders = [os.path.join(work, f"{name}-{kind}") for kind in ("true", "skewed")]
            program.run("simulate", folders[0], *options)
            program.run("simulate", folders[1], *options, *CLOCKS)
            clocks_are_recovered(
                name, members(folders[0]), members(folders[1]), table("clocks", folders[1]), reference_rate(folders[1])
            )
            nothing_else_changes(name, *folders)
            if "--missing-ranks" not in options:  # whom a missing rank lets wait is not known
                waiting_is_true(name, folders[0])
        slow_rank_leads(os.path.join(work, "ddp-true"))
        stages_that_only_send(work)
        for name in ("ddp", "fsdp", "3d", "moe"):
            for marks in (True, False):
                source = os.path.join(work, f"{name}-skewed")
                folder = os.path.join(work, f"{name}-damaged-{marks}")
                damaged(source, folder, marks)
                collectives_meet(f"{name}, damaged, {'with' if marks else 'without'} marks", source, folder)
    real_ranks()
    injected_into_real_ranks()
    for failure in failures[:20]:
        print(failure)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
