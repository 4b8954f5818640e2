"""The recorder of python/rankscope_requests in a real WSGI server, an ASGI application and by hand, and what `rankscope serving` makes of its files."""

import asyncio
import json
import multiprocessing
import os
import socketserver
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import wsgiref.simple_server

import program
from request_records import declared, requests_of, rows_of
from waiting import until

sys.path.insert(0, os.path.join(program.HERE, "..", "python"))
import rankscope_requests  # pylint: disable=wrong-import-position

MS = 1_000_000


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


def child(recorder, path):
    with recorder.request("child"):
        pass
    recorder.flush()
    with open(path, "w", encoding="utf-8") as file:
        file.write(recorder.path)


class RecordPython(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)
        self.path = os.path.join(self.temporary.name, "requests.jsonl")

    def recorder(self, **options):
        recorder = rankscope_requests.Recorder(self.path, service="ranker", **{"flush_s": 0, **options})
        self.addCleanup(recorder.close)
        self.assertEqual(recorder.problem, "")
        return recorder

    def lines(self, path=None):
        with open(path or self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def requests(self, path=None):
        return [line for line in self.lines(path) if "method" in line]

    def report(self):
        out, error = program.run("serving", self.path, "--format", "json")
        self.assertEqual(error, "")
        report = json.loads(out)
        return report, {name: rows_of(table) for name, table in report["tables"].items()}

    def test_a_service_with_a_queue_of_its_own(self):
        recorder = self.recorder()
        truth = []
        for number in range(60):
            request = recorder.arrive("rank")
            request.set_id(number)
            request.set_batch(number // 4, 4)
            request.dequeue()
            request.begin()
            begin = time.monotonic_ns()
            self.assertIs(rankscope_requests.current(), request)
            truth.append(time.monotonic_ns() - begin)
            request.end()
            self.assertIsNone(rankscope_requests.current())
            request.sent()
            request.finish()
        recorder.flush()
        rows = requests_of(self.path)
        self.assertEqual(len(rows), 60)
        for row, true in zip(rows, truth):
            parts = [row[f"{stage}_ns"] for stage in ("queue", "read", "handler", "send")]
            self.assertEqual(sum(parts), row["e2e_ns"])
            self.assertGreaterEqual(row["handler_ns"], true)
        self.assertEqual([row["batch_size"] for row in rows], [4] * 60)
        self.assertEqual(rows[59]["batch"], 14)

    def test_lines_are_those_that_are_declared(self):
        header, names, sample = declared()
        recorder = self.recorder()
        request = recorder.arrive("rank")
        request.dequeue()
        request.begin()
        recorder.flush()
        request.add_lock_wait(5, "index")
        request.set_batch(1, 2)
        request.set_connection(3)
        request.fail(7)
        request.end()
        request.sent()
        request.finish()
        recorder.flush()
        lines = self.lines()
        self.assertEqual(set(lines[0]), header)
        self.assertEqual(set(lines[1]), sample)
        self.assertEqual(set(self.requests()[0]), names - {"seen"})

    def test_locks(self):
        recorder = self.recorder()
        mutex = threading.Lock()
        mutex.acquire()
        waits = threading.Event()

        @recorder.handler
        def rank():
            waits.set()
            with rankscope_requests.lock(mutex, "index"):
                pass
            with rankscope_requests.waiting_for_lock("pool"):
                pass
            return 5

        answers = []
        worker = threading.Thread(target=lambda: answers.append(rank()))
        worker.start()
        waits.wait()
        # It has come to the lock: what it runs is the recorder's.
        ours = os.path.dirname(rankscope_requests.__file__)
        until(lambda: sys._current_frames()[worker.ident].f_code.co_filename.startswith(ours))
        time.sleep(0.03)
        mutex.release()
        worker.join()
        recorder.flush()
        self.assertEqual(answers, [5])
        (line,) = self.requests()
        self.assertEqual((line["method"], line["lock"]), ("rank", "index"))
        self.assertGreater(line["lock_wait"], 1 * MS)
        self.assertLessEqual(line["lock_wait"], line["end"] - line["begin"])
        self.assertNotIn("arrival", line)

    def test_exceptions_are_failures_and_go_on(self):
        recorder = self.recorder()
        with self.assertRaises(KeyError):
            with recorder.request("rank"):
                raise KeyError("x")
        recorder.flush()
        self.assertEqual(self.requests()[0]["status"], "failed")

    def test_a_failure_stays_one_when_the_caller_gives_up(self):
        recorder = self.recorder()
        with recorder.request("rank") as request:
            request.fail(503)
            request.cancel()
        recorder.flush()
        self.assertEqual((self.requests()[0]["status"], self.requests()[0]["code"]), ("failed", 503))

    def test_coroutines(self):
        recorder = self.recorder()

        @recorder.handler(method="Rank")
        async def rank(number):
            await asyncio.sleep(0)
            self.assertIsNotNone(rankscope_requests.current())
            return number

        async def both():
            return await asyncio.gather(rank(1), rank(2))

        self.assertEqual(asyncio.run(both()), [1, 2])
        recorder.flush()
        self.assertEqual([line["method"] for line in self.requests()], ["Rank", "Rank"])

    def test_what_does_not_fit_is_counted_and_told(self):
        recorder = self.recorder(most_waiting=3)
        for _ in range(10):
            with recorder.request("rank"):
                pass
        recorder.flush()
        self.assertEqual(recorder.dropped, 7)
        self.assertEqual(len(self.requests()), 3)
        notes = [row["note"] for row in self.report()[1]["serving_notes"]]
        self.assertTrue(any("7 requests were not recorded" in note for note in notes), notes)

    def test_the_file_is_bounded(self):
        recorder = self.recorder(most_bytes=4000)
        for _ in range(200):
            with recorder.request("rank"):
                pass
            recorder.flush()
        self.assertLess(os.path.getsize(self.path) + os.path.getsize(self.path + ".1"), 4000 + 2 * 400)
        self.assertIn("rankscope_requests", self.lines()[0])
        self.assertIn("rankscope_requests", self.lines(self.path + ".1")[0])

    def test_a_file_that_cannot_be_written_stops_nobody(self):
        recorder = rankscope_requests.Recorder(os.path.join(self.path, "no", "such"), flush_s=0)
        self.assertIn("No such file", recorder.problem)
        with recorder.request("rank"):
            pass
        self.assertEqual(recorder.dropped, 1)
        recorder.close()

    def test_a_process_that_is_forked_has_a_file_of_its_own(self):
        recorder = self.recorder()
        with recorder.request("parent"):
            pass
        told = os.path.join(self.temporary.name, "told")
        process = multiprocessing.get_context("fork").Process(target=child, args=(recorder, told))
        process.start()
        process.join()
        recorder.flush()
        with open(told, encoding="utf-8") as file:
            own = file.read()
        self.assertNotEqual(own, self.path)
        self.assertEqual([line["method"] for line in self.requests()], ["parent"])
        self.assertEqual([line["method"] for line in self.requests(own)], ["child"])

    def test_wsgi(self):
        recorder = self.recorder()

        def application(environ, start_response):
            path = environ["PATH_INFO"]
            if path == "/raises":
                raise ValueError("x")
            time.sleep(0.02)
            start_response("503 Busy" if path == "/busy" else "200 OK", [("Content-Type", "text/plain")])
            return [b"a", b"b"]

        server = wsgiref.simple_server.make_server(
            "127.0.0.1", 0, recorder.wsgi(application), server_class=Server, handler_class=Handler
        )
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        address = f"http://127.0.0.1:{server.server_port}"
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")  # wsgiref prints the exception
        try:
            asked = urllib.request.Request(f"{address}/rank", headers={"X-Request-Id": "mine"})
            self.assertEqual(urllib.request.urlopen(asked).read(), b"ab")
            for path in ("/busy", "/raises"):
                with self.assertRaises(urllib.error.HTTPError) as failed:
                    urllib.request.urlopen(address + path)
                failed.exception.read()  # who hangs up before the end of the answer cancels it
        finally:
            sys.stderr.close()
            sys.stderr = stderr
            server.shutdown()
            thread.join()

        def written():
            recorder.flush()
            return len(self.requests()) == 3

        until(written, "three requests")
        lines = {line["method"]: line for line in self.requests()}
        rank = lines["GET /rank"]
        self.assertEqual((rank["id"], rank["status"]), ("mine", "done"))
        self.assertGreaterEqual(rank["end"] - rank["begin"], 20 * MS)
        self.assertGreaterEqual(rank["sent"], rank["end"])
        self.assertNotIn("arrival", rank)
        self.assertEqual((lines["GET /busy"]["status"], lines["GET /busy"]["code"]), ("failed", 503))
        self.assertEqual(lines["GET /raises"]["status"], "failed")
        _, tables = self.report()
        self.assertEqual({row["stage"] for row in tables["serving_methods"]}, {"total", "handler", "send"})

    def test_asgi(self):
        recorder = self.recorder()

        async def application(scope, _receive, send):
            if scope["path"] == "/raises":
                raise ValueError("x")
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"a", "more_body": True})
            if scope["path"] != "/hangs_up":
                await send({"type": "http.response.body", "body": b"b"})

        async def ask(path):
            sent = []

            async def send(message):
                sent.append(message)

            scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"x-request-id", b"i")]}
            await recorder.asgi(application)(scope, None, send)
            return sent

        self.assertEqual(len(asyncio.run(ask("/rank"))), 3)
        asyncio.run(ask("/hangs_up"))
        with self.assertRaises(ValueError):
            asyncio.run(ask("/raises"))
        recorder.flush()
        lines = {line["method"]: line for line in self.requests()}
        self.assertEqual((lines["GET /rank"]["id"], lines["GET /rank"]["status"]), ("i", "done"))
        self.assertIn("sent", lines["GET /rank"])
        self.assertEqual(lines["GET /hangs_up"]["status"], "cancelled")
        self.assertEqual((lines["GET /raises"]["status"], lines["GET /raises"]["code"]), ("failed", 500))

    def test_it_needs_nothing_of_rankscope(self):
        folder = os.path.join(program.HERE, "..", "python", "rankscope_requests")
        for name in os.listdir(folder):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertNotRegex(file.read(), r"(?m)^\s*(import|from) rankscope(\s|\.)")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
