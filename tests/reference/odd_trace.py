"""Building blocks of odd_files.py: a small healthy trace as text, with a place in its middle for one odd event.

The healthy trace is that of rank 1 of 4 with a base time: two metadata records, two profiler steps, two launches with
their kernels, then ops before and behind the middle: at least 8 rows on either side. Nothing in it gives reason to
report anything.
"""

import json

BASE_NS = 1_712_345_678_000_000_000
PID = 4242
TID = 77

# QualityCode of src/trace/trace.h.
ALL_CODES = (
    "truncated",
    "corrupt_gzip",
    "invalid_json",
    "invalid_utf8",
    "bad_event",
    "trailing_garbage",
    "too_large",
    "not_a_trace",
    "missing_metadata",
    "unmatched_launch",
    "unmatched_begin",
    "duplicate_capture",
)

METADATA = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "Test GPU", "totalGlobalMem": 85899345920, "numSms": 132}],
    "distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 4},
    "displayTimeUnit": "ms",
    "baseTimeNanoseconds": BASE_NS,
}


def complete(category, name, ts, dur, pid=PID, tid=TID, **args):
    """A complete event, its keys in Kineto's order."""
    event = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur}
    if args:
        event["args"] = {key.replace("_", " "): value for key, value in args.items()}
    return event


def op(number, **changes):
    """Healthy op number `number`: 4.5 us long, 10 us after the one before."""
    event = complete("cpu_op", f"aten::op_{number}", 1000 + 10 * number, 4.5, External_id=number)
    event.update(changes)
    return event


def launch(correlation, ts):
    return complete("cuda_runtime", "cudaLaunchKernel", ts, 3, correlation=correlation)


def kernel(correlation, ts):
    return complete(
        "kernel",
        f"void kernel_{correlation}<float>()",
        ts,
        6,
        pid=0,
        tid=7,
        device=0,
        stream=7,
        correlation=correlation,
    )


def records():
    return [
        {"name": "process_name", "ph": "M", "ts": 100, "pid": PID, "tid": 0, "args": {"name": "python"}},
        {"name": "thread_name", "ph": "M", "ts": 100, "pid": PID, "tid": TID, "args": {"name": "thread 77"}},
    ]


def before():
    """Rows in front of the middle: 2 steps, 2 launches, 2 kernels, 4 ops."""
    steps = [complete("user_annotation", f"ProfilerStep#{5 + i}", 900 + 100 * i, 99) for i in range(2)]
    device = [launch(31, 910), launch(32, 920), kernel(31, 930), kernel(32, 940)]
    return steps + device + [op(i) for i in range(4)]


def after():
    """Rows behind the middle: 8 ops."""
    return [op(i) for i in range(5, 13)]


HEALTHY_ROWS = len(before()) + len(after())


class Style:
    """How text is laid out."""

    def __init__(self, indent, item_separator, newline):
        self.indent = indent
        self.item_separator = item_separator
        self.newline = newline

    def dump(self, value):
        colon = ": " if self.indent is not None else ":"
        return json.dumps(value, indent=self.indent, separators=(",", colon), ensure_ascii=False)


PRETTY = Style(2, ",\n", "\n")
MINIFIED = Style(None, ",", "")


def event_texts(events, style):
    """Texts of events; text and bytes are taken as they are."""
    return [e if isinstance(e, bytes) else (e if isinstance(e, str) else style.dump(e)).encode("utf-8") for e in events]


def array(events, style=PRETTY):
    separator = style.item_separator.encode()
    newline = style.newline.encode()
    return b"[" + newline + separator.join(event_texts(events, style)) + newline + b"]"


def document(events, style=PRETTY, metadata=METADATA, behind=None):
    """A whole trace: the metadata, the events, then the outer keys of `behind`."""
    parts = [f'"{key}":{style.dump(value)}'.encode("utf-8") for key, value in metadata.items()]
    parts.append(b'"traceEvents":' + array(events, style))
    parts += [f'"{key}":{style.dump(value)}'.encode("utf-8") for key, value in (behind or {}).items()]
    return b"{" + style.item_separator.encode().join(parts) + b"}" + style.newline.encode()


def events_around(*odd):
    """The healthy events with `odd` ones in their middle."""
    return records() + before() + list(odd) + after()


def around(*odd, style=PRETTY, metadata=METADATA):
    return document(events_around(*odd), style, metadata)


def healthy(style=PRETTY):
    return around(style=style)


class Case:
    """One file and what a reader must make of it; odd_files.py documents the fields."""

    def __init__(self, name, what, data, rows, must=(), allowed=(), suffix=".json", times=None):
        self.name = name
        self.suffix = suffix
        self.data = data
        low, high = rows if isinstance(rows, tuple) else (rows, rows)
        # A reader may have a sentence of its own for what no code names.
        forbidden = [code for code in ALL_CODES if code not in must and code not in allowed]
        self.expect = {
            "what": what,
            "rows_min": low,
            "rows_max": high,
            "quality": sorted(must),
            "quality_forbidden": sorted(forbidden),
        }
        if times:
            self.expect["begin_ns"], self.expect["end_ns"] = times
