#!/usr/bin/env python3
"""Tests of the reference scripts against each other and against numbers worked out by hand.

    python3 tests/reference/reference_test.py
"""

import json
import os
import tempfile
import unittest

import make_variants
import odd_files
import read_trace
from odd_trace import healthy


def facts_of(text):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
        file.flush()
        return read_trace.describe(read_trace.load_json(file.name))


def facts_of_events(events, **outer):
    return facts_of(json.dumps({**outer, "traceEvents": events}))


class ReadTrace(unittest.TestCase):
    def test_rounds_half_to_even_below_a_nanosecond(self):
        for micros, nanos in (
            ("0.0005", 0),
            ("0.0015", 2),
            ("0.0025", 2),
            ("0.00250000000000000000000001", 3),
            ("-0.0015", -2),
            ("1.5e3", 1_500_000),
            ("12", 12_000),
            ("9223372036854775.807", 2**63 - 1),
            ("9223372036854775.808", None),
            ("1e400", None),
            ("1e99999999999999999999", None),
            ("abc", None),
            ("", None),
            (" 1", None),
            ("1e", None),
        ):
            self.assertEqual(read_trace.nanoseconds(micros), nanos, micros)
        self.assertIsNone(read_trace.nanoseconds(None))
        self.assertIsNone(read_trace.nanoseconds([1]))

    def test_counts_and_sums_of_a_small_trace(self):
        facts = facts_of(
            """{"baseTimeNanoseconds": 1000000, "distributedInfo": {"rank": 3, "world_size": 8},
            "traceEvents": [
            {"ph": "M", "name": "process_name"},
            {"ph": "X", "cat": "kernel", "name": "k", "ts": 10.001, "dur": 2},
            {"ph": "X", "cat": "kernel", "name": "k", "ts": "20", "dur": "1.5"},
            {"ph": "X", "cat": "kernel", "name": "k", "ts": 90, "dur": -1},
            {"ph": "X", "cat": "Trace", "name": "t", "ts": 1, "dur": 1000},
            {"ph": "X", "name": "ProfilerStep#12", "cat": "user_annotation", "ts": 9, "dur": 30},
            {"ph": "X", "name": "ProfilerStep#13", "cat": "gpu_user_annotation", "ts": 9, "dur": 30},
            {"ph": "i", "name": "i", "ts": 1e9},
            {"ph": "s", "ts": 1}, {"ph": "f", "ts": 1},
            {"ph": "X", "name": "no time"}, {"name": "no phase", "ts": 1}, 7]}"""
        )
        self.assertEqual(
            facts,
            {
                "event_count": 13,
                "phases": {"M": 1, "X": 7, "i": 1, "s": 1, "f": 1, "": 1},
                "flow_count": 2,
                "metadata_count": 1,
                "bad_event_count": 3,
                "row_count": 7,
                "categories": {
                    "kernel": {"rows": 3, "dur_ns": 3500},
                    "Trace": {"rows": 1, "dur_ns": 1_000_000},
                    "user_annotation": {"rows": 1, "dur_ns": 30_000},
                    "gpu_user_annotation": {"rows": 1, "dur_ns": 30_000},
                    "": {"rows": 1, "dur_ns": 0},
                },
                "kernels": {"k": [3, 3500]},
                "begin_ns": 1_009_000,
                "end_ns": 1_090_000,
                "base_ns": 1_000_000,
                "rank": 3,
                "world_size": 8,
                "profiler_steps": [12],
            },
        )

    def test_matches_begin_and_end_as_brackets_per_thread(self):
        def mark(phase, ts, tid):
            return {"ph": phase, "name": "m", "pid": 1, "tid": tid, "ts": ts}

        facts = facts_of_events(
            [mark("B", 1, 5), mark("B", 2, 5), mark("B", 3, "6"), mark("E", 4, "5"), mark("E", 8, 6), mark("E", 9, 6)]
        )
        self.assertEqual(facts["row_count"], 3)
        self.assertEqual(facts["categories"], {"": {"rows": 3, "dur_ns": 7_000}})
        self.assertEqual((facts["begin_ns"], facts["end_ns"]), (2_000, 8_000), "the B left open has no extent")

    def test_a_trace_without_extent_has_no_begin(self):
        self.assertIsNone(facts_of("[]")["begin_ns"])

    def test_refuses_what_is_no_trace(self):
        for text in ('{"a": 1}', "5", '{"traceEvents": {}}'):
            with self.assertRaises(read_trace.NotATrace):
                facts_of(text)


class MakeVariants(unittest.TestCase):
    TEXT = b"""{"schemaVersion": 1.0e+0, "traceEvents": [
        {"ph": "X", "cat": "c", "name": "caf\\u00e9 \\ud800", "ts": 1712345678901234.5670, "dur": 0.10e1,
         "args": {"big": 123456789012345678901234567890, "list": [[], {}, true, false, null], "nan": NaN}},
        {"name": "b", "ph": "i", "ts": "7"}], "baseTimeNanoseconds": 5}"""
    NUMBERS = (b"1.0e+0", b"1712345678901234.5670", b"0.10e1", b"123456789012345678901234567890")

    def test_all_say_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            expected = facts_of(self.TEXT)
            for suffix, data in make_variants.variants(self.TEXT):
                path = os.path.join(folder, suffix)
                with open(path, "wb") as file:
                    file.write(data)
                self.assertEqual(read_trace.describe(read_trace.load_json(path)), expected, suffix)

    def test_numbers_keep_every_byte(self):
        for suffix, data in make_variants.variants(self.TEXT):
            for number in () if suffix.endswith(".gz") else self.NUMBERS:
                self.assertIn(number, data, suffix)

    def test_orders_differ(self):
        made = dict(make_variants.variants(self.TEXT))
        self.assertTrue(made["metadata_before.json"].endswith(b"]}"))
        self.assertTrue(made["metadata_after.json"].startswith(b'{"traceEvents"'))
        self.assertTrue(made["keys_reversed.json"].startswith(b'{"baseTimeNanoseconds":5,"traceEvents":[{"args"'))
        self.assertTrue(made["keys_sorted.json"].startswith(b'{"baseTimeNanoseconds":5,"schemaVersion"'))

    def test_long_text_becomes_many_members(self):
        data = make_variants.gzip_members(healthy() * 3, 1000)
        self.assertGreater(data.count(b"\x1f\x8b\x08"), 3)


class OddFiles(unittest.TestCase):
    def test_expectations_hold_for_every_file_that_is_json(self):
        checked = 0
        with tempfile.TemporaryDirectory() as folder:
            for case in odd_files.all_cases():
                path = odd_files.write(case, folder)
                try:
                    facts = read_trace.describe(read_trace.load_json(path))
                except read_trace.UNREADABLE:
                    self.assertTrue(
                        case.expect["quality"]
                        or case.expect["rows_min"] < case.expect["rows_max"]
                        or case.name in ("trailing_comma", "gzip_nul_padding"),
                        case.name,
                    )
                    continue
                checked += 1
                self.assertLessEqual(case.expect["rows_min"], facts["row_count"], case.name)
                self.assertGreaterEqual(case.expect["rows_max"], facts["row_count"], case.name)
                for key in ("begin_ns", "end_ns"):
                    self.assertEqual(case.expect.get(key, facts[key]), facts[key], case.name)
                if "bad_event" in case.expect["quality_forbidden"]:
                    self.assertEqual(facts["bad_event_count"], 0, case.name)
        self.assertGreater(checked, 70)

    def test_codes_are_not_both_asked_for_and_forbidden(self):
        for case in odd_files.all_cases():
            self.assertFalse(set(case.expect["quality"]) & set(case.expect["quality_forbidden"]), case.name)

    def test_files_are_the_same_each_time(self):
        first = [(case.name, case.data, case.expect) for case in odd_files.all_cases()]
        self.assertEqual(first, [(case.name, case.data, case.expect) for case in odd_files.all_cases()])


if __name__ == "__main__":
    unittest.main()
