#!/usr/bin/env python3
"""Reads a Kineto (Chrome) trace the slow and obvious way and prints what is in it, exactly.

    read_trace.py TRACE.json[.gz] > facts.json

It shares no code and no design with rankscope: the whole text goes through Python's json with every
number kept as a Decimal, so that two programs have to agree by being right. Output (keys sorted):

    event_count          elements of traceEvents (or of the bare array), usable or not
    phases               {ph: count}; "" for an event without a ph; elements that are no objects are left out
    flow_count           ph s, t, f
    metadata_count       ph M
    bad_event_count      no object, ph not one character, or a row without usable ts (or end) in 63 bits of ns
    row_count            all others; a B and its E are one row, a B without E is a row, an E without B is none
    categories           {cat: {"rows": n, "dur_ns": sum}}; "" when absent
    kernels              {name: [rows, dur_ns]} of the rows of category kernel or Kernel
    begin_ns, end_ns     first start and last end, absolute, over X and matched B/E of any category but "Trace", and
                         instants that mark iterations; null when there are none. Calls of the device API that launched
                         no recorded work and lie over 1 ms before or behind all ops, annotations, frames, device work
                         and "Trace" are left out, where there are ops, annotations or frames
    base_ns              baseTimeNanoseconds, 0 when absent
    rank, world_size     of distributedInfo; null when not stated
    profiler_steps       sorted numbers N of host rows named ProfilerStep#N, each once

Times: ts and dur are microseconds, as numbers or text; each is turned into integer nanoseconds on its own, digits
below a nanosecond rounded half to even; absolute = base_ns + ts. A dur that is missing, negative or no number is
unknown: it is not summed, and the row ends where it starts. B and E match as brackets per (pid, tid) in file order;
an E before its B in time gives an unknown duration. Of a key that occurs twice the last counts.
"""

import gzip
import json
import re
import sys
import zlib
from collections import Counter
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

INT64_MAX = 2**63 - 1
FLOW_PHASES = ("s", "t", "f")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
ITERATION_MARKS = ("iteration begin", "iteration end")
PROFILER_STEP = re.compile(r"ProfilerStep#([0-9]+)")


class NotATrace(Exception):
    pass


# What load_json and describe raise on damaged input; deep nesting makes json recurse.
UNREADABLE = (NotATrace, OSError, EOFError, RecursionError, ValueError, zlib.error)


def load_text(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode("utf-8-sig", errors="replace")


def to_decimal(text):
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond even Decimal's range
        return None


def load_json(path):
    # Non-finite literals are not JSON; where a profiler wrote one, the value is unknown. strict=False lets
    # control characters in strings pass.
    return json.loads(
        load_text(path), parse_float=to_decimal, parse_int=to_decimal, parse_constant=lambda _: None, strict=False
    )


def split_document(document):
    """The outer keys and the list of events."""
    if isinstance(document, list):
        return {}, document
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        raise NotATrace("no list traceEvents")
    return document, document["traceEvents"]


def as_number(value):
    """A JSON number, or text that holds one, as a Decimal; None for anything else."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return to_decimal(value)
    return None


def as_integer(value):
    number = as_number(value)
    if number is None or number.adjusted() > 30 or number != number.to_integral_value():
        return None
    return int(number)


def nanoseconds(value):
    """Microseconds to integer nanoseconds, or None when unknown or beyond 63 bits."""
    number = as_number(value)
    if number is None or number.adjusted() > 30:
        return None
    sign, digits, exponent = number.as_tuple()
    # Moving the exponent is exact for any number of digits; a product is rounded to the context's precision.
    scaled = Decimal((sign, digits, exponent + 3))
    result = int(scaled.to_integral_value(ROUND_HALF_EVEN))
    return result if abs(result) <= INT64_MAX else None


def text_of(value):
    return "" if value is None else str(value)


def track_id(value):
    """5, 5.0 and "5" are one id; what is no whole number counts as text."""
    number = as_integer(value)
    return text_of(value) if number is None else number


class Row:
    __slots__ = ("phase", "name", "category", "ts_ns", "dur_ns", "matched", "correlation")

    def __init__(self, event, phase, ts_ns, dur_ns):
        self.phase = phase
        self.name = text_of(event.get("name"))
        self.category = text_of(event.get("cat"))
        self.ts_ns = ts_ns
        self.dur_ns = dur_ns
        self.matched = False
        args = event.get("args")
        self.correlation = as_integer(args.get("correlation")) if isinstance(args, dict) else None

    def has_extent(self):
        return self.phase == "X" or self.matched

    def end_ns(self):
        return self.ts_ns + (self.dur_ns or 0)


class Reader:
    """Takes events one by one in file order."""

    def __init__(self):
        self.phases = Counter()
        self.rows = []
        self.bad_event_count = 0
        self.open = {}  # (pid, tid) -> stack of B rows

    def add(self, event):
        if not isinstance(event, dict):
            self.bad_event_count += 1
            return
        phase = text_of(event.get("ph"))
        self.phases[phase] += 1
        if len(phase) != 1:
            self.bad_event_count += 1
        elif phase != "M" and phase not in FLOW_PHASES:
            self.add_row(event, phase)

    def add_row(self, event, phase):
        ts_ns = nanoseconds(event.get("ts"))
        dur_ns = nanoseconds(event.get("dur")) if phase == "X" else None
        if dur_ns is not None and dur_ns < 0:
            dur_ns = None
        if ts_ns is None or ts_ns + (dur_ns or 0) > INT64_MAX:
            self.bad_event_count += 1
            return
        track = (track_id(event.get("pid")), track_id(event.get("tid")))
        if phase == "E":
            self.close(track, ts_ns)
            return
        row = Row(event, phase, ts_ns, dur_ns)
        self.rows.append(row)
        if phase == "B":
            self.open.setdefault(track, []).append(row)

    def close(self, track, ts_ns):
        stack = self.open.get(track)
        if not stack:
            return
        begin = stack.pop()
        begin.matched = True
        if ts_ns >= begin.ts_ns:
            begin.dur_ns = ts_ns - begin.ts_ns


def sum_by_category(rows):
    sums = {}
    for row in rows:
        entry = sums.setdefault(row.category, {"rows": 0, "dur_ns": 0})
        entry["rows"] += 1
        entry["dur_ns"] += row.dur_ns or 0
    return sums


def sum_kernels(rows):
    sums = {}
    for row in rows:
        if row.category in ("kernel", "Kernel"):
            entry = sums.setdefault(row.name, [0, 0])
            entry[0] += 1
            entry[1] += row.dur_ns or 0
    return sums


def profiler_steps(rows):
    numbers = set()
    for row in rows:
        match = PROFILER_STEP.fullmatch(row.name)
        # The profiler draws each mark once more on the device.
        if match and row.has_extent() and row.category != "gpu_user_annotation":
            numbers.add(int(match.group(1)))
    return sorted(numbers)


PROGRAM = {"cpu_op", "Operator", "user_annotation", "python_function"}
DEVICE_WORK = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
STRAY_GAP_NS = 1_000_000


def without_strays(rows):
    core = [row for row in rows if row.has_extent() and row.category in PROGRAM | DEVICE_WORK | {"Trace"}]
    if not any(row.category in PROGRAM for row in core):
        return rows
    begin = min(row.ts_ns for row in core) - STRAY_GAP_NS
    end = max(row.end_ns() for row in core) + STRAY_GAP_NS
    launched = {row.correlation for row in core if row.category in DEVICE_WORK and (row.correlation or 0) > 0}
    return [
        row
        for row in rows
        if not row.category.lower().endswith(("runtime", "driver"))
        or row.correlation in launched
        or (row.end_ns() >= begin and row.ts_ns <= end)
    ]


def describe(document):
    outer, events = split_document(document)
    reader = Reader()
    for event in events:
        reader.add(event)
    rows = reader.rows
    base_ns = as_integer(outer.get("baseTimeNanoseconds")) or 0
    extent = [
        row
        for row in without_strays(rows)
        if (row.has_extent() or row.name in ITERATION_MARKS) and row.category != "Trace"
    ]
    distributed = outer.get("distributedInfo")
    if not isinstance(distributed, dict):
        distributed = {}
    return {
        "event_count": len(events),
        "phases": dict(reader.phases),
        "flow_count": sum(reader.phases[phase] for phase in FLOW_PHASES),
        "metadata_count": reader.phases["M"],
        "bad_event_count": reader.bad_event_count,
        "row_count": len(rows),
        "categories": sum_by_category(rows),
        "kernels": sum_kernels(rows),
        "begin_ns": base_ns + min(row.ts_ns for row in extent) if extent else None,
        "end_ns": base_ns + max(row.end_ns() for row in extent) if extent else None,
        "base_ns": base_ns,
        "rank": as_integer(distributed.get("rank")),
        "world_size": as_integer(distributed.get("world_size")),
        "profiler_steps": profiler_steps(rows),
    }


def main(arguments):
    if len(arguments) != 1:
        print("usage: read_trace.py TRACE.json[.gz]", file=sys.stderr)
        return 2
    try:
        facts = describe(load_json(arguments[0]))
    except UNREADABLE as error:
        print(f"read_trace.py: {arguments[0]}: {error}", file=sys.stderr)
        return 1
    json.dump(facts, sys.stdout, sort_keys=True, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
