"""Cases of odd_files.py that are whole JSON, or nearly, but not what a reader would like to see."""

import json

from odd_trace import (
    BASE_NS,
    HEALTHY_ROWS,
    METADATA,
    MINIFIED,
    TID,
    Case,
    array,
    around,
    document,
    events_around,
    healthy,
    launch,
    op,
)

# Where only one more row is right.
ONE_MORE = HEALTHY_ROWS + 1
# The healthy rows: ProfilerStep#5 begins first, the last op ends last.
HEALTHY_BEGIN_NS = BASE_NS + 900_000
HEALTHY_END_NS = BASE_NS + 1_124_500


def layouts():
    args_first = {
        "args": {"External id": 4},
        "dur": 4.5,
        "ts": 1040,
        "tid": TID,
        "pid": 1,
        "name": "aten::op_4",
        "cat": "cpu_op",
        "ph": "X",
    }
    nested = op(
        4,
        args={
            "ph": "M",
            "ts": 5,
            "dur": -1,
            "name": "inner",
            "cat": "kernel",
            "traceEvents": [{"ph": "X", "name": "inner", "ts": 1, "dur": 1}],
            "text": '}, {"ph": "X", "name": "no event", "ts": 1, "dur": 1}, ] } \\',
            "deeper": {"args": {"ph": "X", "traceEvents": []}},
        },
    )
    decoy = {"ph": "X", "cat": "cpu_op", "name": "decoy", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
    outer = {
        "before": {"traceEvents": [decoy, decoy]},
        "list": [{"traceEvents": [decoy]}],
        "text": '"traceEvents": [{"ph": "X"}]',
        **METADATA,
    }
    times = (HEALTHY_BEGIN_NS, HEALTHY_END_NS)
    return [
        Case("healthy_pretty", "nothing is odd", healthy(), HEALTHY_ROWS, times=times),
        Case("healthy_minified", "nothing is odd", healthy(MINIFIED), HEALTHY_ROWS, times=times),
        Case(
            "metadata_behind",
            "the outer keys stand behind the events",
            document(events_around(), metadata={}, behind=METADATA),
            HEALTHY_ROWS,
            times=times,
        ),
        Case("args_before_ph", "args stand before everything else", around(args_first), ONE_MORE, times=times),
        Case("nested_keys_pretty", "args hold ph, ts, name and traceEvents", around(nested), ONE_MORE, times=times),
        Case(
            "nested_keys_minified",
            "args hold ph, ts, name and traceEvents",
            around(nested, style=MINIFIED),
            ONE_MORE,
            times=times,
        ),
        Case(
            "nested_trace_events",
            "an outer key before traceEvents holds another traceEvents",
            around(metadata=outer),
            HEALTHY_ROWS,
            times=times,
        ),
        Case("empty_list", "there are no events", document([]), 0),
        Case("empty_list_minified", "there are no events", document([], MINIFIED), 0),
        Case("bom", "a byte order mark in front", b"\xef\xbb\xbf" + healthy(), HEALTHY_ROWS, times=times),
        Case("crlf", "lines end in CR LF", healthy().replace(b"\n", b"\r\n"), HEALTHY_ROWS, times=times),
        Case(
            "white_space",
            "white space in every place that allows it",
            healthy().replace(b":", b" \t:\r\n ").replace(b"aten \t:\r\n  \t:\r\n ", b"aten::"),
            HEALTHY_ROWS,
            times=times,
        ),
        Case("bare_array", "a bare array", array(events_around()), HEALTHY_ROWS, ["missing_metadata"]),
        Case("empty_array", "an empty bare array", b"[]\n", 0, [], ["missing_metadata", "not_a_trace"]),
        Case(
            "no_metadata",
            "neither rank nor base time is stated",
            around(metadata={}),
            HEALTHY_ROWS,
            ["missing_metadata"],
        ),
        Case(
            "outer_key_twice",
            "outer keys occur twice",
            healthy().replace(b'{"schemaVersion"', b'{"schemaVersion":1,"schemaVersion"'),
            HEALTHY_ROWS,
            times=times,
        ),
    ]


def numbers():
    huge = "123456789012345678901234567890"
    op_text = MINIFIED.dump(op(4))

    def one(name, what, old, new, must=(), allowed=(), rows=ONE_MORE, end_ns=None):
        assert old in op_text
        times = (HEALTHY_BEGIN_NS, HEALTHY_END_NS if end_ns is None else BASE_NS + end_ns)
        text = around(op_text.replace(old, new), style=MINIFIED)
        return Case(name, what, text, rows, list(must), allowed, times=times)

    ts, dur, args = '"ts":1040', '"dur":4.5', '"External id":4'
    return [
        one("huge_in_args", "an argument is an integer beyond 64 bits", args, f'{args},"custom":{huge}'),
        one(
            "huge_id",
            "a known argument is an integer beyond 64 bits",
            args,
            f'"External id":{huge}',
            allowed=["bad_event"],
        ),
        one("uint64_in_args", "an argument is 2^64 - 1", args, f'{args},"Addr":18446744073709551615'),
        one("huge_float_in_args", "an argument is beyond a double", args, f'{args},"custom":1e999'),
        one("huge_ts", "ts is beyond 64 bits", ts, f'"ts":{huge}', ["bad_event"], rows=HEALTHY_ROWS),
        one(
            "huge_exponent_ts",
            "ts has an exponent beyond reason",
            ts,
            '"ts":1e999999999',
            ["bad_event"],
            rows=HEALTHY_ROWS,
        ),
        one(
            "ts_overflow",
            "ts fits 64 bits as microseconds but not as nanoseconds",
            ts,
            '"ts":9223372036854776',
            ["bad_event"],
            rows=HEALTHY_ROWS,
        ),
        one("huge_dur", "dur is beyond 64 bits", dur, f'"dur":{huge}', ["bad_event"], rows=(HEALTHY_ROWS, ONE_MORE)),
        one(
            "end_overflow",
            "ts and dur fit 64 bits but their sum does not",
            ts,
            '"ts":9223372036854775',
            ["bad_event"],
            rows=HEALTHY_ROWS,
        ),
        Case(
            "absolute_overflow",
            "ts fits 64 bits, base time plus ts does not",
            around(op(4, ts=9_000_000_000_000_000)),
            (HEALTHY_ROWS, ONE_MORE),
            [],
            ["bad_event"],
        ),
        one("ts_text", "ts is text", ts, '"ts":"2000.25"', end_ns=2_004_750),
        one("dur_text", "dur is text", dur, '"dur":"2000.125"', end_ns=3_040_125),
        one("ts_exponent", "ts has an exponent", ts, '"ts":1.5e3', end_ns=1_504_500),
        one("dur_exponent", "dur has a negative exponent", dur, '"dur":1500000E-3', end_ns=2_540_000),
        one(
            "half_even_down",
            "dur ends in half a nanosecond behind an even digit",
            dur,
            '"dur":2000.0025',
            end_ns=3_040_002,
        ),
        one(
            "half_even_up",
            "dur ends in half a nanosecond behind an odd digit",
            dur,
            '"dur":2000.0035',
            end_ns=3_040_004,
        ),
        one(
            "long_fraction",
            "dur has 40 digits behind the point",
            dur,
            '"dur":2000.' + "0025" + "0" * 35 + "1",
            end_ns=3_040_003,
        ),
        one(
            "beyond_double",
            "ts has more digits than a double keeps",
            ts,
            '"ts":1712345678901234.567',
            end_ns=1_712_345_678_901_239_067,
        ),
        one("negative_dur", "dur is negative", dur, '"dur":-4.5', ["bad_event"]),
        one("dur_not_a_number", "dur is a word", dur, '"dur":"long"', ["bad_event"]),
        one("missing_dur", "there is no dur", "," + dur, "", allowed=["bad_event"]),
        one("null_dur", "dur is null", dur, '"dur":null', allowed=["bad_event"]),
        one("zero_dur", "dur is 0", dur, '"dur":0'),
        one("missing_ts", "there is no ts", "," + ts, "", ["bad_event"], rows=HEALTHY_ROWS),
        one("null_ts", "ts is null", ts, '"ts":null', ["bad_event"], rows=HEALTHY_ROWS),
        one("ts_object", "ts is an object", ts, '"ts":{"a":[1]}', ["bad_event"], rows=HEALTHY_ROWS),
        one("missing_ph", "there is no ph", '"ph":"X",', "", ["bad_event"], rows=HEALTHY_ROWS),
        Case(
            "negative_ts", "ts is negative", around(op(4, ts=-12.5)), ONE_MORE, times=(BASE_NS - 12_500, HEALTHY_END_NS)
        ),
        Case("empty_event", "an event without keys", around("{}"), HEALTHY_ROWS, ["bad_event"]),
    ]


def names():
    long_name = "k" * (2 << 20)
    big_args = {"External id": 4, "blob": "x" * (20 << 20)}
    deep = MINIFIED.dump(op(4)).replace('"External id":4', '"deep":' + "[" * 100_000 + "]" * 100_000)
    deep_objects = MINIFIED.dump(op(4)).replace('"External id":4', '"deep":' + '{"a":' * 100_000 + "1" + "}" * 100_000)
    lost_or_kept = (HEALTHY_ROWS, ONE_MORE)
    escaped = MINIFIED.dump(op(4)).replace("aten::op_4", r"caf\u00e9 \ud83d\ude00 \"quoted\" \\ \/ \t\u0000")
    twice = MINIFIED.dump(op(4)).replace('"ts":1040', '"name":"first","ts":1,"name":"aten::op_4","ts":1040')
    return [
        Case("long_name", "a name of 2 MiB", around(op(4, name=long_name)), lost_or_kept, ["too_large"]),
        Case("big_args", "an event with 20 MiB of args", around(op(4, args=big_args)), lost_or_kept, ["too_large"]),
        Case(
            "deep_arrays",
            "args nested 100,000 deep in arrays",
            around(deep, style=MINIFIED),
            lost_or_kept,
            [],
            ["bad_event"],
        ),
        Case(
            "deep_objects",
            "args nested 100,000 deep in objects",
            around(deep_objects, style=MINIFIED),
            lost_or_kept,
            [],
            ["bad_event"],
        ),
        Case("escaped_name", "a name of escapes", around(escaped), ONE_MORE),
        Case(
            "utf8_name",
            "a name in several scripts",
            around(op(4, name="caf\u00e9 \u65e5\u672c\u8a9e \U0001F600")),
            ONE_MORE,
        ),
        Case(
            "lone_surrogate",
            "a name holds half of a surrogate pair",
            around(escaped.replace(r"\ude00", "")),
            ONE_MORE,
            [],
            ["invalid_utf8"],
        ),
        Case(
            "terminal_escapes",
            "a name holds an escape sequence for terminals",
            around(op(4, name="\x1b[2J\x1b]0;title\x07\u202ename")),
            ONE_MORE,
        ),
        Case("empty_name", "a name is empty", around(op(4, name="")), ONE_MORE),
        Case(
            "missing_name",
            "there is no name",
            around(MINIFIED.dump(op(4)).replace('"name":"aten::op_4",', "")),
            ONE_MORE,
            [],
            ["bad_event"],
        ),
        Case(
            "duplicate_keys",
            "an event has two names and two times",
            around(twice),
            ONE_MORE,
            times=(HEALTHY_BEGIN_NS, HEALTHY_END_NS),
        ),
        Case("text_ids", "pid and tid are text", around(op(4, pid="Spans", tid="PyTorch Profiler (0)")), ONE_MORE),
        Case(
            "number_text_ids", "pid and tid are numbers written as text", around(op(4, pid="4242", tid="77")), ONE_MORE
        ),
        Case("negative_ids", "pid and tid are negative", around(op(4, pid=-1, tid=-2147483648)), ONE_MORE),
        Case("wide_ids", "tid needs 64 bits", around(op(4, pid=2**31, tid=140_737_353_983_808 * 65_000)), ONE_MORE),
        Case(
            "no_ids",
            "there is neither pid nor tid",
            around({"ph": "X", "cat": "cpu_op", "name": "aten::op_4", "ts": 1040, "dur": 4.5}),
            ONE_MORE,
        ),
    ]


def pairs():
    def mark(phase, name, ts, **more):
        return {"ph": phase, "cat": "range", "name": name, "pid": 5, "tid": 6, "ts": ts, **more}

    matched = [mark("B", "outer", 1000), mark("B", "inner", 1010), mark("E", "inner", 1020), mark("E", "outer", 3000)]
    other = [
        mark("B", "one", 1000),
        mark("B", "two", 1001, tid=7),
        mark("E", "one", 2000),
        mark("E", "two", 3000, tid=7),
    ]
    instant = {"ph": "i", "s": "t", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": 1, "ts": 5000}
    counter = {"ph": "C", "name": "power", "pid": 1, "ts": 5000, "args": {"W": 300}}
    flows = [
        {"ph": phase, "id": 9, "cat": "fwdbwd", "name": "fwdbwd", "pid": 1, "tid": 1, "ts": 1000, "bp": "e"}
        for phase in "stf"
    ]
    end = BASE_NS + 3_000_000
    return [
        Case(
            "begin_end",
            "B and E, one inside the other",
            around(*matched),
            HEALTHY_ROWS + 2,
            times=(HEALTHY_BEGIN_NS, end),
        ),
        Case(
            "begin_end_tracks",
            "B and E of two threads, interleaved",
            around(*other),
            HEALTHY_ROWS + 2,
            times=(HEALTHY_BEGIN_NS, end),
        ),
        Case("begin_only", "a B without an E", around(mark("B", "open", 1000)), ONE_MORE, ["unmatched_begin"]),
        Case("end_only", "an E without a B", around(mark("E", "shut", 1000)), HEALTHY_ROWS, ["unmatched_begin"]),
        Case(
            "instants",
            "an instant and a counter",
            around(instant, counter),
            HEALTHY_ROWS + 2,
            times=(HEALTHY_BEGIN_NS, HEALTHY_END_NS),
        ),
        Case("flows", "flow points", around(*flows), HEALTHY_ROWS),
        Case(
            "launch_only",
            "a launch without a kernel, as when records were dropped",
            around(launch(33, 1040)),
            ONE_MORE,
            ["unmatched_launch"],
        ),
    ]


def of_xla():
    """The profiler of JAX: rows without a category, told by the names of their processes and threads."""

    def named(kind, name, **ids):
        return {"ph": "M", "name": kind, "args": {"name": name}, **ids}

    def row(name, ts, dur, pid, tid, **args):
        return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, "args": args}

    rows = []
    for step in range(4):
        at = 1000 * step
        rows += [
            row("train", at, 900, 701, 5, step_num="9223372036854775807" if step == 3 else str(step)),
            row("$train.py:12 step", at + 1, 800, 701, 5),
            row("cuLaunchKernel", at + 10, 5, 701, 5, correlation_id=str(step + 1)),
            row("loop_fusion", at + 50, 100, 1, 20, correlation_id=str(step + 1), kernel_details="regs:x grid:1,,3 :"),
            row("MemcpyH2D", at + 200, 10, 1, 21, memcpy_details="kind_src:pageable size:-"),
            row("while.1", at + 50, 300, 1, 90, hlo_category="while"),
            row(str(step), at, 500, 1, 91),
        ]
    names = [
        named("process_name", "/device:GPU:99999999999999999999", pid=1),
        named("process_name", "/host:CPU", pid=701),
        named("thread_name", "Stream #20(Compute)", pid=1, tid=20),
        named("thread_name", "Stream #21(MemcpyH2D)", pid=1, tid=21),
        named("thread_name", "XLA Ops", pid=1, tid=90),
        named("thread_name", "Steps", pid=1, tid=91),
    ]
    text = json.dumps({"displayTimeUnit": "ns", "traceEvents": names + rows}).encode()
    return [Case("xla", "a trace of XLA with numbers that are none", text, len(rows), ["missing_metadata"])]


def cases():
    return layouts() + numbers() + names() + pairs() + of_xla()
