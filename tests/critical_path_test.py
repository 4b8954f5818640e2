"""The critical path against the JSON itself: each piece lies where the event that it names lies, pieces follow each other without a
gap, sums are those of the tables; and a trace with the path laid over it reads as before."""

import gzip
import json
import os
import tempfile
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal

import program

TRACES = [
    "hta/trace_diff/control/control.json.gz",
    "hta/triton_example/triton_example.json.gz",
    "hta/critical_path/cuda_event_sync/event_sync_trace.json.gz",
    "hta/mtia_inference_trace/mtia_inference_rank_0.json.gz",
    "dlrm-8rank/worker1_step_12.1694128201556.pt.trace.json.gz",
    "kineto-2021/worker0.pt.trace.json.gz",
    "tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens/mi210/gpu_only_trace.json.gz",
    "tracelens/inference/vllm_prefilldecode_piecewise/graph_execution.json.gz",
]
OVERLAID = {
    "event_sync_trace.json.gz",
    "mtia_inference_rank_0.json.gz",
    "gpu_only_trace.json.gz",
    "rank0.pt.trace.json.gz",
}
DEVICE = {"compute", "communication", "copy"}
LEADS_TO = {"launch", "kernel_gap"}
PARTS = ["host", "data_loading", "launch", "kernel_gap", "compute", "communication", "copy", "unexplained"]


def ns(value):
    return int((Decimal(str(value)) * 1000).quantize(0, ROUND_HALF_EVEN))


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        trace = json.load(file, parse_float=Decimal, strict=False)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    base = 0 if isinstance(trace, list) else trace.get("baseTimeNanoseconds", 0)
    return events, base


def check_pieces(path, cache):
    events, base = load(path)
    info = program.trace_info(path)
    begin, end = int(info["begin_ns"]), int(info["end_ns"])
    pieces = program.table("critical_path_events", path, options=cache)
    pieces.sort(key=lambda piece: piece["ts_ns"])
    steps = program.table("step_times", path, options=cache)
    # Ops are summed over complete steps, over everything where there is none.
    counted = [
        (row["start_ns"], row["start_ns"] + row["duration_ns"])
        for row in steps
        if row["complete"] and row["duration_ns"] is not None
    ]
    counted = counted if any(row["complete"] for row in steps) else [(0, end - begin)]
    until = 0
    sums = defaultdict(int)
    by_op = defaultdict(int)
    for piece, following in zip(pieces, [*pieces[1:], {"part": None, "event": None}]):
        assert piece["ts_ns"] == until and piece["dur_ns"] > 0, piece
        until += piece["dur_ns"]
        sums[piece["part"]] += piece["dur_ns"]
        inside = sum(max(0, min(until, b) - max(until - piece["dur_ns"], a)) for a, b in counted)
        if inside > 0:
            by_op[(piece["part"], piece["op"] or "(no op)")] += inside
        if piece["event"] is None:
            assert piece["part"] in ("host", "unexplained"), piece
            continue
        event = events[piece["event"]]
        starts = base + ns(event["ts"]) - begin
        stops = starts + ns(event.get("dur", 0))
        assert event["name"] == piece["name"], piece
        if piece["part"] in DEVICE or piece["thread"] is not None:
            assert starts <= piece["ts_ns"] and piece["ts_ns"] + piece["dur_ns"] <= stops, (piece, event)
        if piece["part"] in LEADS_TO:
            # Work may begin up to 2 us before what it waited for has ended, by the clocks.
            goes_on = following["part"] == "unexplained" and following["event"] == piece["event"]
            assert goes_on or abs(until - starts) <= 2000, (piece, event)
    assert until == end - begin, (until, end - begin)

    windows = program.table("critical_path", path, options=cache)
    for part in PARTS:
        column = part + "_ns"
        assert sum(row[column] for row in windows) == sums[part], (part, sums)
    for row in windows:
        assert sum(row[part + "_ns"] for part in PARTS) == row["duration_ns"], row
    ops = program.table("critical_path_ops", path, options=[*cache, "--set", "names=1000000"])
    assert {(row["part"], row["op"]): row["time_ns"] for row in ops} == dict(by_op)

    slack = program.table("slack", path, options=cache)
    assert all(row["slack_ns"] is None or row["slack_ns"] >= 0 for row in slack)
    on_path = {piece["event"] for piece in pieces if piece["part"] in DEVICE}
    for row in slack:
        if row["event"] in on_path and row["works"] == 1:
            assert row["slack_ns"] == 0, row
    return sums, len(pieces)


def check_overlay(path, folder, cache):
    tables = ["critical_path", "kernels_by_name", "step_times"]
    for flags in ([], ["--only"]):
        copy = os.path.join(folder, "overlay.json" if flags else "overlay.json.gz")
        program.run("trace", "convert", path, "--overlay", "critical-path", "-o", copy, *flags)
        events, _ = load(copy)
        originals, _ = load(path)
        added = [
            event for event in events if event.get("cat") == "critical_path" or event.get("pid") == "Critical path"
        ]
        if flags:
            assert len(events) - len(added) < len(originals)
            continue
        assert [
            {**event, "args": {k: v for k, v in (event.get("args") or {}).items() if k != "critical"}}
            for event in events[: len(originals)]
        ] == [{**event, "args": event.get("args") or {}} for event in originals]
        assert len(events) == len(originals) + len(added)
        slices = [event for event in added if event["ph"] == "X" and event["tid"] == 1]
        pieces = program.table("critical_path_events", path, options=cache)
        assert len(slices) == len(pieces)
        assert sum(ns(event["dur"]) for event in slices) == sum(piece["dur_ns"] for piece in pieces)
        starts = {event["id"] for event in added if event["ph"] == "s"}
        assert starts == {event["id"] for event in added if event["ph"] == "f"}
        for name in tables:
            assert program.table(name, path, options=cache) == program.table(name, copy, options=cache), name


def main():
    with tempfile.TemporaryDirectory() as folder:
        cache = ["--cache-dir", os.path.join(folder, "cache")]
        job = os.path.join(folder, "job")
        program.run("simulate", job, "--ranks", "1", "--events", "3000")
        paths = [os.path.join(job, name) for name in os.listdir(job) if name.endswith(".json.gz")]
        paths += [os.path.join(program.REAL_TRACES, name) for name in TRACES if os.path.isdir(program.REAL_TRACES)]
        for path in paths:
            sums, pieces = check_pieces(path, cache)
            if os.path.basename(path) in OVERLAID:
                check_overlay(path, folder, cache)
            total = sum(sums.values())
            shares = ", ".join(f"{part} {100 * value / total:.1f}%" for part, value in sums.items())
            print(f"{os.path.basename(path)}: {pieces} pieces: {shares}")
        program.run("trace", "convert", paths[0], "-o", paths[0], expect=2)
        program.run(
            "trace", "convert", os.path.join(folder, "none.json"), "-o", os.path.join(folder, "out.json"), expect=1
        )
        program.run("trace", "convert", paths[0], "-o", os.path.join(folder, "no", "such", "folder.json"), expect=1)
        assert not os.path.exists(os.path.join(folder, "out.json"))


main()
