"""Cases of odd_files.py whose text is damaged: bytes that are wrong, missing or too many."""

import gzip
import json
import struct
import zlib

from odd_trace import (
    HEALTHY_ROWS,
    METADATA,
    MINIFIED,
    PRETTY,
    Case,
    after,
    array,
    around,
    before,
    document,
    events_around,
    healthy,
    op,
    records,
)

# An event that is damaged may be lost or repaired.
LOST_OR_REPAIRED = (HEALTHY_ROWS, HEALTHY_ROWS + 1)
STYLES = (("pretty", PRETTY), ("minified", MINIFIED))
# Of healthy(): the end of the list and of the outer object.
END_OF_LIST = b"\n]}"


def damaged_name(replacement, style):
    """An op in the middle whose name holds `replacement` in place of NAME."""
    return style.dump(op(4, name="aten::NAME")).encode().replace(b"NAME", replacement)


def bad_strings():
    cases = []
    for label, style in STYLES:
        for name, what, bytes_, must in (
            ("invalid_utf8", "a name holds bytes that are not UTF-8", b"a\xff\xc3(b", "invalid_utf8"),
            ("raw_newline", "a name holds a raw line feed", b"a\nb", "invalid_json"),
            ("raw_control", "a name holds a raw byte 1", b"a\x01b", "invalid_json"),
            ("quote", "a name holds a quote that is not escaped", b'a"b', "invalid_json"),
            ("two_quotes", "a name holds two quotes that are not escaped", b'a"b"c', "invalid_json"),
            ("quote_and_braces", "a name holds an unescaped quote and then braces", b'a"b{}}{', "invalid_json"),
        ):
            allowed = ("bad_event",) + (("invalid_json",) if must == "invalid_utf8" else ())
            cases.append(
                Case(
                    f"{name}_{label}",
                    what,
                    around(damaged_name(bytes_, style), style=style),
                    LOST_OR_REPAIRED,
                    [must],
                    allowed,
                )
            )
    everywhere = [damaged_name(b"n\xff%d" % i, PRETTY) for i in range(5)]
    cases.append(
        Case(
            "invalid_utf8_many",
            "five names hold bytes that are not UTF-8",
            around(*everywhere),
            (HEALTHY_ROWS, HEALTHY_ROWS + 5),
            ["invalid_utf8"],
            ["invalid_json", "bad_event"],
        )
    )
    return cases


def damage_in_large_files():
    """Damage far from anything that could end it: megabytes of good events without white space follow."""
    many = [op(100 + i) for i in range(25_000)]
    good = HEALTHY_ROWS + len(many)

    def large(name, what, odd, must, allowed):
        text = document(events_around(*odd, *many), MINIFIED)
        return Case(name, what, text, (good, good + len(odd)), [must], allowed)

    quote = damaged_name(b'a"b', MINIFIED)
    scattered = []
    for i in range(0, len(many), 1000):
        scattered += [damaged_name(b"a\xffb", MINIFIED)] + many[i : i + 1000]
    bad = len(many) // 1000
    return [
        large(
            "large_quote",
            "a quote that is not escaped, then 3 MB of good events",
            [quote],
            "invalid_json",
            ["bad_event"],
        ),
        large(
            "large_control",
            "a raw line feed in a name, then 3 MB of good events",
            [damaged_name(b"a\nb", MINIFIED)],
            "invalid_json",
            ["bad_event"],
        ),
        Case(
            "large_invalid_utf8",
            "one name in a thousand is not UTF-8",
            document(events_around(*scattered), MINIFIED),
            (good, good + bad),
            ["invalid_utf8"],
            ["invalid_json", "bad_event"],
        ),
    ]


def bad_structure():
    good = MINIFIED.dump(op(4))
    return [
        Case(
            "missing_comma",
            "no comma between two events",
            around((good + MINIFIED.dump(op(20))), style=MINIFIED),
            (HEALTHY_ROWS, HEALTHY_ROWS + 2),
            [],
            ["invalid_json", "bad_event"],
        ),
        Case(
            "trailing_comma",
            "a comma behind the last event",
            healthy().replace(END_OF_LIST, b"," + END_OF_LIST),
            HEALTHY_ROWS,
            [],
            ["invalid_json", "bad_event"],
        ),
        Case(
            "missing_brace_pretty",
            "an event is not closed",
            around(PRETTY.dump(op(4))[:-1]),
            LOST_OR_REPAIRED,
            ["invalid_json"],
            ["bad_event"],
        ),
        Case(
            "missing_brace_minified",
            "an event is not closed",
            around(good[:-1], style=MINIFIED),
            LOST_OR_REPAIRED,
            ["invalid_json"],
            ["bad_event"],
        ),
        Case(
            "extra_brace",
            "an event is closed twice",
            around(good + "}", style=MINIFIED),
            LOST_OR_REPAIRED,
            ["invalid_json"],
            ["bad_event"],
        ),
        Case(
            "missing_value",
            "a key has no value",
            around(good.replace('"dur":4.5', '"dur":'), style=MINIFIED),
            LOST_OR_REPAIRED,
            ["invalid_json"],
            ["bad_event"],
        ),
        Case(
            "two_damaged",
            "two events that are not JSON, good ones between and around them",
            document(
                records()
                + before()
                + [damaged_name(b'a"b', PRETTY)]
                + [op(30 + i) for i in range(6)]
                + [damaged_name(b'c"d', PRETTY)]
                + after()
            ),
            (HEALTHY_ROWS + 6, HEALTHY_ROWS + 8),
            ["invalid_json"],
            ["bad_event"],
        ),
        Case(
            "not_objects",
            "elements of traceEvents that are no objects",
            around("null", "5", '"text, {[ "', "true"),
            HEALTHY_ROWS,
            ["bad_event"],
            ["invalid_json"],
        ),
        Case(
            "array_element",
            "an element of traceEvents is an array that holds an object",
            around('[1, {"ph": "X"}, []]'),
            HEALTHY_ROWS,
            ["bad_event"],
            ["invalid_json"],
        ),
        Case(
            "nan_in_args",
            "an argument is the word NaN",
            around(good.replace('"External id":4', '"External id":4,"value":NaN'), style=MINIFIED),
            LOST_OR_REPAIRED,
            [],
            ["invalid_json", "bad_event"],
        ),
    ]


def cut(name, what, text, marker, behind, rows, must=("truncated",), allowed=()):
    """`text` up to `behind` bytes behind the first `marker`."""
    at = text.index(marker) + behind
    return Case("truncated_" + name, what, text[:at], rows, list(must), allowed)


def truncated():
    text = healthy()
    minified = healthy(MINIFIED)
    ahead = len(before())
    # op_8 has 3 rows of the second half in front of it.
    rows = ahead + 3
    no_metadata = ("missing_metadata", "not_a_trace")
    late = document(events_around(), metadata={}, behind=METADATA)
    escape = around(op(4, name="MARK"))
    damaged = around(damaged_name(b'a"b', MINIFIED), style=MINIFIED)
    return [
        cut("in_name", "ends inside the name of an event", text, b"aten::op_8", 7, rows),
        cut("in_name_minified", "ends inside the name of an event, no white space", minified, b"aten::op_8", 7, rows),
        cut("in_key", "ends inside a key", text, b'"name": "aten::op_8', 4, rows),
        cut("in_number", "ends inside a number that is whole as it stands", text, b'"ts": 1080', 8, rows),
        cut("in_args", "ends behind an opening brace", text, b'"External id": 8', 0, rows),
        cut("before_brace", "ends before the last brace of an event", text, b'"External id": 8', 16 + 4, rows),
        cut("after_event", "ends behind an event", text, b'"External id": 8', 16 + 4 + 2, rows + 1),
        cut("after_comma", "ends behind the comma between events", text, b'"External id": 8', 16 + 4 + 3, rows + 1),
        cut("after_list", "ends behind the list of events", text, END_OF_LIST, 2, HEALTHY_ROWS),
        cut("in_first_event", "ends inside the first event", text, b'"ph": "X"', 0, 0),
        cut("at_list", "ends where the list of events begins", text, b'"traceEvents":[', 15, 0),
        cut("in_metadata", "ends before traceEvents", text, b'"deviceProperties"', 25, 0, allowed=no_metadata),
        cut(
            "metadata_lost",
            "ends before the metadata that stands behind the events",
            late,
            b"\n]",
            2,
            HEALTHY_ROWS,
            must=("truncated", "missing_metadata"),
        ),
        Case("truncated_one_byte", "holds one brace", b"{", 0, ["truncated"], no_metadata),
        Case(
            "truncated_array",
            "a bare array without its end",
            array(events_around())[:-1],
            HEALTHY_ROWS,
            ["missing_metadata"],
            ["truncated"],
        ),
        Case(
            "truncated_in_escape",
            "ends inside an escape",
            escape[: escape.index(b"MARK")] + b"a\\u00",
            ahead,
            ["truncated"],
        ),
        # The cut is inside op_11: op_5 to op_10 lie between the damage and the end.
        Case(
            "truncated_behind_damage",
            "an event is not JSON, and later the text ends inside another",
            damaged[: damaged.index(b"aten::op_11")],
            (ahead + 6, ahead + 7),
            ["invalid_json", "truncated"],
            ["bad_event"],
        ),
    ]


def complete_rows(events, text):
    """How many rows of `events` end inside `text`, the front part of their pretty document."""
    rows = 0
    for event in events:
        if PRETTY.dump(event).encode() not in text:
            break
        rows += event["ph"] != "M"
    return rows


def damaged_gzip():
    # Enough events that half of the compressed bytes hold many of them; no two alike, so that they do not shrink to
    # nothing.
    events = records() + before() + [op(100 + i * 7919 % 10007) for i in range(200)] + after()
    text = document(events)
    all_rows = HEALTHY_ROWS + 200
    packed = gzip.compress(text, mtime=0)
    half = len(packed) // 2
    # What lies in front of the damage is sure to be read; one row less, because an inflater may hold back the last
    # bits.
    sure = complete_rows(events, zlib.decompressobj(wbits=31).decompress(packed[:half])) - 1
    assert sure > len(before())
    overwritten = packed[:half] + bytes(b ^ 0xA5 for b in packed[half : half + 16]) + packed[half + 16 :]
    wrong_sum = packed[:-8] + struct.pack("<I", struct.unpack("<I", packed[-8:-4])[0] ^ 1) + packed[-4:]
    first = gzip.compress(text[:4000], mtime=0)
    members = first + gzip.compress(text[4000:], mtime=0)
    any_damage = (
        "invalid_json",
        "invalid_utf8",
        "bad_event",
        "truncated",
        "too_large",
        "trailing_garbage",
        "missing_metadata",
        "unmatched_launch",
    )
    gz = {"suffix": ".json.gz"}
    return [
        Case(
            "gzip_truncated",
            "the gzip data ends in the middle",
            packed[:half],
            (sure, all_rows),
            ["truncated"],
            ["corrupt_gzip"],
            **gz,
        ),
        Case(
            "gzip_no_trailer",
            "the gzip data lacks its last 8 bytes",
            packed[:-8],
            all_rows,
            ["truncated"],
            ["corrupt_gzip"],
            **gz,
        ),
        Case(
            "gzip_header_only",
            "the gzip data ends behind its header",
            packed[:10],
            0,
            ["truncated"],
            ["corrupt_gzip", "not_a_trace", "missing_metadata"],
            **gz,
        ),
        Case(
            "gzip_corrupt",
            "bytes in the middle of the gzip data are wrong",
            overwritten,
            (sure, all_rows),
            ["corrupt_gzip"],
            any_damage,
            **gz,
        ),
        Case(
            "gzip_wrong_checksum", "the checksum of the gzip data is wrong", wrong_sum, all_rows, ["corrupt_gzip"], **gz
        ),
        Case(
            "gzip_corrupt_member",
            "the second of two gzip members has a wrong checksum",
            members[:-8] + wrong_sum[-8:],
            all_rows,
            ["corrupt_gzip"],
            **gz,
        ),
        Case(
            "gzip_truncated_member",
            "the second of two gzip members ends early",
            members[: len(first) + 200],
            (complete_rows(events, text[:4000]), all_rows),
            ["truncated"],
            ["corrupt_gzip"],
            **gz,
        ),
        Case("gzip_two_members", "two healthy gzip members, cut inside an event", members, all_rows, **gz),
        Case(
            "gzip_garbage",
            "text behind the gzip data",
            packed + b"garbage behind the end",
            all_rows,
            ["trailing_garbage"],
            **gz,
        ),
        Case(
            "gzip_nul_padding",
            "zeros behind the gzip data, as tapes and block copies leave them",
            packed + bytes(512),
            all_rows,
            [],
            ["trailing_garbage"],
            **gz,
        ),
        Case("gzip_named_json", "gzip data in a file named .json", packed, all_rows),
        Case("json_named_gzip", "plain text in a file named .json.gz", text, all_rows, **gz),
    ]


def behind_the_end():
    text = healthy()
    return [
        Case(
            "garbage_behind",
            "text behind the end",
            text + b'\ngarbage, "quotes" and {braces\n',
            HEALTHY_ROWS,
            ["trailing_garbage"],
        ),
        Case("second_document", "a second trace behind the first", text + text, HEALTHY_ROWS, ["trailing_garbage"]),
        Case("nul_behind", "NUL bytes behind the end", text + bytes(4096), HEALTHY_ROWS, ["trailing_garbage"]),
        Case("white_space_behind", "blank lines behind the end", text + b"\r\n\t \n\n", HEALTHY_ROWS),
    ]


def not_traces():
    node = {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "inputs": {"values": []}}
    execution_trace = {"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "2024-01-01", "start_ts": 1, "nodes": [node]}
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + bytes(200)
    cases = [
        ("empty_file", "an empty file", b""),
        ("white_space_only", "a file of white space", b" \n\t\r\n"),
        ("no_trace_events", "JSON without traceEvents", b'{"a": 1, "b": [1, 2, {"traceEvents": []}]}\n'),
        ("execution_trace", "a PyTorch execution trace", json.dumps(execution_trace, indent=2).encode()),
        ("trace_events_number", "traceEvents is a number", b'{"traceEvents": 5}\n'),
        ("trace_events_object", "traceEvents is an object", b'{"traceEvents": {"ph": "X", "ts": 1}}\n'),
        ("png", "a PNG image", png),
        ("text", "a text file", b"This is a log file.\n{not a trace}\n"),
        ("number", "JSON that is a number", b"42\n"),
        ("string", "JSON that is a string", b'"traceEvents"\n'),
        ("null", "JSON that is null", b"null\n"),
        ("utf16", "a trace in UTF-16", healthy().decode().encode("utf-16")),
    ]
    allowed = ("missing_metadata", "truncated", "invalid_json", "invalid_utf8", "trailing_garbage")
    made = [Case(name, what, data, 0, ["not_a_trace"], allowed) for name, what, data in cases]
    made.append(
        Case(
            "empty_gzip",
            "gzip data that holds nothing",
            gzip.compress(b"", mtime=0),
            0,
            ["not_a_trace"],
            allowed,
            suffix=".json.gz",
        )
    )
    return made


def cases():
    return (
        bad_strings()
        + damage_in_large_files()
        + bad_structure()
        + truncated()
        + damaged_gzip()
        + behind_the_end()
        + not_traces()
    )
