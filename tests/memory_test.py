"""The memory tables against the JSON itself: a slow and obvious reading of the [memory] instants, on real traces, the golden one and
random ones with lost frees, reused addresses and missing totals. Only the steps' windows are rankscope's."""

import gzip
import itertools
import json
import os
import random
import tempfile
from decimal import ROUND_HALF_EVEN, Decimal

import program

TRACES = [
    "tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
    "tracelens/h100/Falconsai_nsfw_image_detection__1016002.json.gz",
    "tracelens/mi300/Falconsai_nsfw_image_detection__1016002.json.gz",
    "tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens/inference/sglang_decode/capture_traces/bs_32_rank0.json.gz",
    "tracelens/inference/vllm_prefilldecode_piecewise/capture_traces/graph_capture_rank_0.1773709679453551615.pt.trace.json.gz",
]
TYPES = {0: "cpu", 1: "cuda", 6: "hip"}
BEFORE = "(before the recording)"


def ns(value):
    return int((Decimal(str(value)) * 1000).quantize(0, ROUND_HALF_EVEN))


class Memory:
    """Instants by device, in time order, with times from the begin of the recording."""

    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            trace = json.load(file, parse_float=Decimal)
        origin = int(program.trace_info(path)["begin_ns"])
        base = trace.get("baseTimeNanoseconds", 0) - origin
        self.devices = {}
        self.ops = {}
        for event in trace["traceEvents"]:
            if event.get("cat") == "cpu_op" and event.get("ph") == "X":
                begin = base + ns(event["ts"])
                self.ops.setdefault((event["pid"], event["tid"]), []).append(
                    (begin, begin + ns(event["dur"]), event["name"])
                )
            if event.get("name") == "[memory]":
                args = event["args"]
                device = (TYPES[args["Device Type"]], args["Device Id"] if args["Device Id"] >= 0 else None)
                address = args.get("Addr")
                if address is not None and address >= 2**63:
                    address = None  # no number of 64 bits: as if it were not stated
                self.devices.setdefault(device, []).append(
                    {
                        "t": base + ns(event["ts"]),
                        "bytes": args["Bytes"],
                        "address": address,
                        "thread": (event["pid"], event["tid"]),
                        "allocated": args.get("Total Allocated"),
                        "reserved": args.get("Total Reserved"),
                    }
                )
        self.before = {}
        for device, events in self.devices.items():
            events.sort(key=lambda event: event["t"])  # stable: the file's order decides
            level = None if events[0]["allocated"] is None else events[0]["allocated"] - events[0]["bytes"]
            self.before[device] = level
            reserved = None
            for event in events:
                if event["allocated"] is None and level is not None:
                    event["allocated"] = level + event["bytes"]
                level = event["allocated"]
                reserved = event["reserved"] if event["reserved"] is not None else reserved
                event["reserved"] = None if device[0] == "cpu" else reserved

    def op_of(self, event):
        open_ops = [
            (begin, -end, name) for begin, end, name in self.ops.get(event["thread"], []) if begin <= event["t"] < end
        ]
        return max(open_ops)[2] if open_ops else None

    def live(self, device, count):
        """The allocations that are live after `count` instants."""
        live = {}
        for event in self.devices[device][:count]:
            if event["address"] is None:
                continue
            live.pop(event["address"], None)
            if event["bytes"] > 0:
                live[event["address"]] = event
        return list(live.values())

    def range(self, device, begin, end):
        events = self.devices[device]
        return sum(event["t"] < begin for event in events), sum(event["t"] < end for event in events)

    def level(self, device, count):
        return self.before[device] if count == 0 else self.devices[device][count - 1]["allocated"]


def most(values):
    return max((value for value in values if value is not None), default=None)


def by_op(memory, events):
    sums = {}
    for event in events:
        count, total = sums.get(memory.op_of(event), (0, 0))
        sums[memory.op_of(event)] = (count + 1, total + event["bytes"])
    return sums


def expected_of_step(memory, device, begin, end):
    first, last = memory.range(device, begin, end)
    events = memory.devices[device][first:last]
    levels = [(memory.level(device, first), begin)] + [(event["allocated"], event["t"]) for event in events]
    peak = most(level for level, _ in levels)
    before = memory.devices[device][first - 1]["reserved"] if first else None
    return {
        "begin_bytes": levels[0][0],
        "end_bytes": levels[-1][0],
        "peak_bytes": peak,
        "peak_ts_ns": None if peak is None else next(t for level, t in levels if level == peak),
        "peak_reserved_bytes": most([before] + [event["reserved"] for event in events]),
        "allocations": sum(event["bytes"] > 0 for event in events),
        "frees": sum(event["bytes"] < 0 for event in events),
        "allocated_bytes": sum(max(event["bytes"], 0) for event in events),
        "freed_bytes": sum(max(-event["bytes"], 0) for event in events),
    }


def slope_and_probability(points):
    slopes = sorted(Decimal(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(points, 2))
    middle = (slopes[(len(slopes) - 1) // 2] + slopes[len(slopes) // 2]) / 2 if len(points) >= 3 else None

    def clearness(levels):
        return abs(sum((b > a) - (b < a) for a, b in itertools.combinations(levels, 2)))

    levels = [level for _, level in points]
    if len(points) < 4:
        return middle, None
    orders = [clearness(order) >= clearness(levels) for order in itertools.permutations(levels)]
    return middle, sum(orders) / len(orders)


def near(a, b):
    return (a is None) == (b is None) and (a is None or abs(float(a) - float(b)) <= 1e-9 * max(1, abs(float(b))))


def check(path):
    """Where the tables differ from the JSON, as sentences."""
    memory = Memory(path)
    problems = []

    def same(what, ours, theirs):
        if ours != theirs:
            problems.append(f"{what}: {ours}, expected {theirs}")

    def tables(name, *options):
        rows = program.table(name, path, options=("--no-cache", *options))
        return rows, {(row["device_type"], row["device"]) for row in rows}

    # Allocations happen on the host: its windows, while step_times has those of the rank.
    complete_steps = {
        row["step"]: row["complete"] for row in program.table("step_times", path, options=("--no-cache",))
    }
    out, _ = program.run(
        "query", path, "SELECT step, start_ns, end_ns FROM steps ORDER BY start_ns", "--format", "json", "--no-cache"
    )
    steps = [
        (int(number), int(begin), int(end), complete_steps[number]) for number, begin, end in json.loads(out)["rows"]
    ]
    peaks, devices = tables("memory_peaks")
    same("devices", devices, set(memory.devices))
    peaks = {((row["device_type"], row["device"]), row["step"]): row for row in peaks}
    outliving, _ = tables("memory_outliving")
    growth, _ = tables("memory_growth")
    growth = {(row["device_type"], row["device"]): row for row in growth}
    over_time, _ = tables("memory_over_time")
    at_peak, _ = tables("memory_at_peak", "--set", "groups=100000")
    for device, events in memory.devices.items():
        ends = []
        for number, begin, end, complete in steps:
            expected = expected_of_step(memory, device, begin, end)
            same(f"{device} step {number}", {key: peaks[device, number][key] for key in expected}, expected)
            if complete and expected["end_bytes"] is not None:
                ends.append((number, expected["end_bytes"]))
            first, last = memory.range(device, begin, end)
            left = [event for event in memory.live(device, last) if any(event is other for other in events[first:last])]
            kept = [event for event in left if any(event is other for other in memory.live(device, len(events)))]
            kept = by_op(memory, kept)
            rows = {
                row["op"]: (row["count"], row["bytes"], row["kept_count"], row["kept_bytes"])
                for row in outliving
                if (row["device_type"], row["device"], row["step"]) == (*device, number)
            }
            same(
                f"{device} outliving {number}",
                rows,
                {op: (*sums, *kept.get(op, (0, 0))) for op, sums in by_op(memory, left).items()},
            )
        if ends:
            row = growth[device]
            same(f"{device} growth", (row["steps"], row["growth_bytes"]), (len(ends), ends[-1][1] - ends[0][1]))
            slope, probability = slope_and_probability(ends)
            if not near(row["bytes_per_step"], slope) or not near(row["p_value"], probability):
                problems.append(f"{device} trend: {row}, expected {slope}, {probability}")
        changes = {event["t"]: (event["allocated"], event["reserved"]) for event in events}
        same(
            f"{device} over time",
            {
                row["ts_ns"]: (row["allocated_bytes"], row["reserved_bytes"])
                for row in over_time
                if (row["device_type"], row["device"]) == device
            },
            changes,
        )
        levels = [memory.level(device, count) for count in range(len(events) + 1)]
        if most(levels) is None:
            continue
        live = memory.live(device, levels.index(most(levels)))
        expected = by_op(memory, live)
        older = most(levels) - sum(event["bytes"] for event in live)
        if older > 0:
            expected[BEFORE] = (0, older)
        sums = {}
        for row in at_peak:
            if (row["device_type"], row["device"]) == device:
                count, total = sums.get(row["op"], (0, 0))
                sums[row["op"]] = (count + (row["count"] or 0), total + row["bytes"])
        same(f"{device} at the peak", sums, expected)
    return problems


def write_random(path, seed):
    """Steps on two threads that allocate and free, with what profilers lose: frees, allocations, totals, addresses."""
    rng = random.Random(seed)
    events = []
    level, live, t = rng.randrange(10**6), {}, 1000
    for number in range(3, 3 + rng.randrange(1, 8)):
        begin = t
        for _ in range(rng.randrange(1, 8)):
            tid = rng.choice((1, 2))
            start = t
            for _ in range(rng.randrange(6)):
                t += rng.randrange(1, 50)
                address = rng.randrange(1, 12)
                size = -live.pop(address) if address in live else rng.randrange(1, 5000)
                if size > 0:
                    live[address] = size
                level += size
                if rng.randrange(8) == 0:
                    continue  # not recorded
                args = {
                    "Bytes": size,
                    "Device Type": 6,
                    "Device Id": 1,
                    "Addr": address,
                    "Total Allocated": level,
                    "Total Reserved": (level // 4096 + 1) * 4096,
                }
                for lost, often in (
                    ("Addr", 15),
                    ("Total Reserved", 10),
                    ("Total Allocated", 3 if seed % 3 == 0 else 1000),
                ):
                    if rng.randrange(often) == 0:
                        del args[lost]
                if "Addr" in args and rng.randrange(20) == 0:
                    args["Addr"] += 2 ** rng.choice((63, 64, 70))
                events.append(
                    {
                        "ph": "i",
                        "cat": "cpu_instant_event",
                        "s": "t",
                        "name": "[memory]",
                        "pid": 9,
                        "tid": tid,
                        "ts": t,
                        "args": args,
                    }
                )
            t += rng.randrange(1, 30)
            events.append(
                {
                    "ph": "X",
                    "cat": "cpu_op",
                    "name": rng.choice(("aten::mm", "aten::add")),
                    "pid": 9,
                    "tid": tid,
                    "ts": start,
                    "dur": t - start,
                }
            )
            if rng.randrange(2) and t - start > 3:
                events.append(
                    {
                        "ph": "X",
                        "cat": "cpu_op",
                        "name": "aten::empty",
                        "pid": 9,
                        "tid": tid,
                        "ts": start + 1,
                        "dur": t - start - 2,
                    }
                )
        t += 10
        events.append(
            {
                "ph": "X",
                "cat": "user_annotation",
                "name": f"ProfilerStep#{number}",
                "pid": 9,
                "tid": 1,
                "ts": begin,
                "dur": t - begin,
            }
        )
    # Behind all, so that nothing happens at the very end.
    events.append({"ph": "X", "cat": "cpu_op", "name": "end", "pid": 9, "tid": 1, "ts": t + 10, "dur": 5})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"baseTimeNanoseconds": 1700000000000000000, "traceEvents": events}, file)


def main():
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(program.HERE, "golden", "memory", "rank0.json")]
        for seed in range(40):
            paths.append(os.path.join(folder, f"random{seed}.json"))
            write_random(paths[-1], seed)
        real = [os.path.join(program.REAL_TRACES, trace) for trace in TRACES]
        paths += [path for path in real if os.path.exists(path)]
        if not os.path.exists(program.REAL_TRACES):
            print("no real traces beside the checkout: only made ones are checked")
        for path in paths:
            problems = check(path)
            failed += bool(problems)
            passed += not problems
            for problem in problems[:3]:
                print(f"{os.path.basename(path)}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
