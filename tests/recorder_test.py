"""The recorder in real servers of Apache Thrift and gRPC (recorder/tests), and what `rankscope serving` makes of their files. The services have a truth
of their own: when a client sent a call and had its answer, when the handler ran, how long it waited for the lock.

A moment of the recorder lies around or within that of the truth: its handler begins before and ends behind. When a request arrived a TCP socket tells
in ticks of the kernel, 1 to 10 ms."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest

import program
from request_records import declared, requests_of, rows_of
from waiting import LIMIT_S

MS = 1_000_000
TICK = 10 * MS
FOLDER = os.path.dirname(program.BINARY)


class Recorded:
    """A run of a service: its own truth by call, and the report of what was recorded."""

    def __init__(self, test, service, kind, *, workers, clients, calls, sleep_ms, locked_ms=0):
        binary = os.path.join(FOLDER, service)
        if not os.path.exists(binary):
            test.skipTest(f"{service} is not built: its library is not installed (./dev setup)")
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        test.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "requests.jsonl")
        values = [kind, workers, clients, calls, sleep_ms, locked_ms]
        ran = subprocess.run(
            [binary, self.file, *map(str, values)], capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        test.assertEqual(ran.returncode, 0, ran.stderr)
        known = [json.loads(line) for line in ran.stdout.splitlines()]
        self.truth = {str(one["call"]): one for one in known if one["sent"] and one["had"] and one["call"] > 0}
        out, error = program.run("serving", self.file, "--format", "json")
        test.assertEqual(error, "")
        self.report = json.loads(out)
        self.tables = {name: rows_of(table) for name, table in self.report["tables"].items()}
        with open(self.file, encoding="utf-8") as file:
            self.lines = [json.loads(line) for line in file]
        # By the recorder's clock, which is that of the truth.
        self.raw = {line["id"]: line for line in self.lines if "method" in line}
        self.requests = {row["id"]: row for row in requests_of(self.file)}

    def ids(self):
        return [finding["id"] for finding in self.report["findings"]]

    def pairs(self):
        return [(self.truth[call], self.raw[call], self.requests[call]) for call in self.truth]


class Recorder(unittest.TestCase):
    def check_handlers(self, run):
        self.assertTrue(run.truth)
        for truth, raw, row in run.pairs():
            self.assertLessEqual(raw["begin"], truth["begin"])
            self.assertGreaterEqual(raw["end"], truth["end"])
            self.assertEqual(row["handler_ns"] + (row["lock_ns"] or 0), raw["end"] - raw["begin"])

    def check_sums(self, run):
        """queue + read + lock + handler + send = e2e, where all of it is known."""
        known = [row for row in run.requests.values() if row["e2e_ns"] is not None]
        self.assertTrue(known)
        for row in known:
            parts = [row[f"{stage}_ns"] or 0 for stage in ("queue", "read", "lock", "handler", "send")]
            self.assertEqual(sum(parts), row["e2e_ns"])

    def check_queue(self, run):
        """The planted queue, within a tick of the kernel and 5% of its length: from sending to the handler, by the truth."""
        told = [row["queue_ns"] + (row["read_ns"] or 0) for _, _, row in run.pairs()]
        true = [truth["begin"] - truth["sent"] for truth, _, _ in run.pairs()]
        self.assertGreater(statistics.median(true), 2 * TICK)
        self.assertLess(abs(statistics.mean(told) - statistics.mean(true)), TICK + 0.05 * statistics.mean(true))

    def check_locks(self, run):
        for truth, raw, _ in run.pairs():
            self.assertLessEqual(raw["lock_wait"], truth["lock"])
            self.assertEqual(raw["lock"], "index")
        told = sum(raw["lock_wait"] for _, raw, _ in run.pairs())
        true = sum(truth["lock"] for truth, _, _ in run.pairs())
        self.assertGreater(told, 0.9 * true)

    def test_a_thrift_pool_with_too_few_workers(self):
        run = Recorded(self, "thrift_service", "pool", workers=1, clients=6, calls=10, sleep_ms=20)
        self.check_handlers(run)
        self.check_sums(run)
        self.check_queue(run)
        self.assertEqual(run.ids(), ["queueing"])
        self.assertIn("The only worker is taken", run.report["findings"][0]["title"])
        methods = {row["method"]: row for row in run.tables["serving_methods"] if row["stage"] == "total"}
        self.assertEqual(methods["Ranker.rank"]["requests"], 62)
        self.assertEqual(methods["Ranker.fail"]["failed"], 1)
        self.assertEqual(methods["Ranker.note"]["requests"], 1)
        # An exception that the interface declares is an answer.
        self.assertEqual(run.requests["-1"]["outcome"], "done")

    def test_lines_are_those_that_are_declared_and_documented(self):
        header, request, sample = declared()
        run = Recorded(self, "thrift_service", "pool", workers=1, clients=2, calls=2, sleep_ms=5, locked_ms=1)
        self.assertEqual(set(run.lines[0]), header)
        for line in run.lines[1:]:
            self.assertLessEqual(set(line), sample if "sample" in line else request)
        with open(os.path.join(program.HERE, "..", "docs", "record-requests.md"), encoding="utf-8") as file:
            page = file.read().split("## The file")[1]
        self.assertEqual(
            set(re.findall(r"`([a-z_]+)`", page)) - {"done", "failed", "cancelled", "ns"}, header | request | sample
        )

    def test_a_thrift_pool_with_enough(self):
        run = Recorded(self, "thrift_service", "pool", workers=8, clients=2, calls=5, sleep_ms=200)
        self.check_handlers(run)
        self.check_sums(run)
        self.assertEqual(run.ids(), [])

    def test_a_worker_that_waits_for_a_request_has_no_queue(self):
        run = Recorded(self, "thrift_service", "pool", workers=2, clients=1, calls=1, sleep_ms=1)
        self.assertEqual(run.requests["1000000"]["queue_ns"], 0)

    def test_a_nonblocking_thrift_server_sends_unseen(self):
        run = Recorded(self, "thrift_service", "nonblocking", workers=1, clients=6, calls=10, sleep_ms=20)
        self.check_handlers(run)
        self.check_queue(run)
        self.assertEqual({row["send_ns"] for row in run.requests.values()}, {None})
        self.assertEqual({row["e2e_ns"] for row in run.requests.values()}, {None})
        self.assertEqual(run.ids(), ["queueing"])

    def test_locks_of_a_thrift_service(self):
        run = Recorded(self, "thrift_service", "pool", workers=6, clients=6, calls=8, sleep_ms=0, locked_ms=15)
        self.check_handlers(run)
        self.check_sums(run)
        self.check_locks(run)
        self.assertEqual(run.ids()[0], "lock-contention")
        self.assertIn("'index'", run.report["findings"][0]["title"])

    def test_a_grpc_service_with_too_few_workers(self):
        run = Recorded(self, "grpc_service", "callback", workers=1, clients=6, calls=10, sleep_ms=20)
        self.check_handlers(run)
        self.check_sums(run)
        self.check_queue(run)
        self.assertEqual(run.ids(), ["queueing"])
        self.assertIn("The only worker is taken", run.report["findings"][0]["title"])
        self.assertEqual(run.requests["-1"]["outcome"], "failed")
        self.assertEqual(run.requests["-1"]["problem"], "code 3")
        # What waits is counted, too.
        self.assertTrue(any(line.get("queued", 0) > 0 for line in run.lines))

    def test_the_queue_of_a_synchronous_grpc_server_is_not_known(self):
        run = Recorded(self, "grpc_service", "sync", workers=1, clients=4, calls=4, sleep_ms=5)
        self.check_handlers(run)
        self.assertEqual({row["queue_ns"] for row in run.requests.values()}, {None})
        self.assertEqual({row["e2e_ns"] for row in run.requests.values()}, {None})
        notes = [row["note"] for row in run.tables["serving_notes"] if row["is_unchecked"]]
        self.assertTrue(any(note.startswith("queueing: needs arrivals") for note in notes), notes)
        methods = {row["method"] for row in run.tables["serving_methods"]}
        self.assertEqual(methods, {"rankscope.ranker.Ranker/Rank", "rankscope.ranker.Ranker/Stream"})

    def test_locks_of_a_grpc_service(self):
        run = Recorded(self, "grpc_service", "sync", workers=1, clients=6, calls=8, sleep_ms=0, locked_ms=15)
        self.check_locks(run)
        self.assertEqual(run.ids(), ["lock-contention"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
