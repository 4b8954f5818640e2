"""`rankscope load` against a server whose times are known (fake/openai_server.py): what it measures, what it finds out about its own measurement, what it sends,
and what it says when things go wrong."""

import http.server
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

import program
from waiting import LIMIT_S, until

SERVER = os.path.join(program.HERE, "fake", "openai_server.py")
STEP_MS = 10
MS = 1_000_000


def rows_of(report):
    table = report["tables"]["serving_levels"]
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


class Load(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)
        self.url = self.start(slots=4)

    def start(self, slots):
        server = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, SERVER, "0", str(slots), str(STEP_MS)], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server.stdout.readline().strip()

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as reply:
            return json.load(reply)

    def load(self, *arguments):
        # On a machine that is busy a run is invalid (exit code 1), and is reported all the same.
        length = [] if "--output-tokens" in arguments else ["--output-tokens", "20"]
        out, _ = program.run("load", self.url, *length, *arguments, "--format", "json", expect=(0, 1))
        report = json.loads(out)
        return report, rows_of(report)

    def records(self, folder):
        with open(os.path.join(folder, "load.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [one for one in lines if "load_request" in one], [one for one in lines if "load_level" in one]

    def test_measures_what_the_server_does(self):
        report, (level,) = self.load(
            "--rate", "5", "--duration", "6s", "--slo", "ttft=100ms,tpot=50ms", "--keep", self.path("run")
        )
        # Three steps to the first token, nineteen to the last; a busy machine makes them longer, never shorter.
        self.assertGreaterEqual(level["ttft_p50_ns"], 3 * STEP_MS * MS)
        self.assertGreaterEqual(level["tpot_p50_ns"], STEP_MS * MS)
        self.assertGreaterEqual(level["e2e_p50_ns"], 22 * STEP_MS * MS)
        if level["invalid"] is None and level["good_pct"] >= 95:
            self.assertEqual(report["headline"], "Serves 5 requests a second within TTFT 100 ms, TPOT 50.0 ms")
        requests, levels = self.records(self.path("run"))
        self.assertEqual(levels[0]["target_per_s"], 5)
        for request in requests:
            self.assertEqual(
                (request["outcome"], request["output_tokens"], request["prompt_tokens"]), ("done", 20, 512)
            )
            self.assertEqual(request["first_token_ns"] + sum(request["gaps_ns"]) <= request["end_ns"], True)
            self.assertEqual(len(request["gaps_ns"]), 19)
        # What was kept says the same again.
        out, _ = program.run("serving", self.path("run"), "--slo", "ttft=100ms,tpot=50ms", "--format", "json")
        self.assertEqual(rows_of(json.loads(out)), [level])

    def test_searches_the_rate_that_the_server_bears(self):
        # Four slots of 220 ms each: 18 a second at most, and less on a busy machine. So rates are compared with what this run served.
        report, levels = self.load("--duration", "3s", "--drain", "5s")
        self.assertEqual((levels[0]["kind"], levels[0]["users"]), ("closed", 1))
        beyond = [one for one in levels if one["state"] == "overload"]
        borne = [one for one in levels if "capacity" in (one["marks"] or "")]
        for one in levels:
            self.assertLess(one["served_per_s"], 25, one)
        for one in beyond:
            self.assertLess(one["served_per_s"], one["target_per_s"], one)
        for low in borne:
            for high in beyond:
                self.assertLess(low["target_per_s"], high["target_per_s"])
        # Of a machine that could not send in time nothing is said of the server.
        if not any(one["invalid"] for one in levels):
            self.assertTrue(beyond and borne, levels)
            self.assertIn("requests a second; at ", report["headline"])

    def test_a_stall_is_found_and_costs_those_who_were_to_come(self):
        self.get("/stall?ms=2000&after_ms=2300")
        report, (level,) = self.load(
            "--rate", "8", "--arrivals", "constant", "--duration", "6s", "--keep", self.path("run")
        )
        requests, levels = self.records(self.path("run"))
        # Nobody was kept from being sent: 48 at even times, those of the stall among them.
        begins = sorted(one["begin_ns"] - levels[0]["begin_ns"] for one in requests)
        self.assertEqual(begins, [i * 125 * MS for i in range(48)])
        # One that was to come when the stall began waits for its end.
        self.assertGreater(max(one["first_token_ns"] for one in requests), 1500 * MS)
        self.assertTrue(level["is_stall"], level)
        self.assertGreater(level["silence_ns"], 1000 * MS)
        text, _ = program.run("serving", self.path("run"))
        self.assertIn("the server gave nothing for", text)
        self.assertEqual(report["schema"], "rankscope.serving/1")

    def test_of_users_it_says_that_a_stall_hides(self):
        self.get("/stall?ms=2000&after_ms=2300")
        program.run(
            "load", self.url, "--output-tokens", "20", "--users", "2", "--duration", "6s", "--keep", self.path("run")
        )
        text, _ = program.run("serving", self.path("run"))
        self.assertIn("few requests met it; an open rate", " ".join(text.split()))

    def test_says_what_limits_the_server(self):
        # A simulated 8B model that takes 8 requests at once, twice as fast as it would be: 21 a second of this kind.
        server = subprocess.Popen(  # pylint: disable=consider-using-with
            [
                program.BINARY,
                "simulate-server",
                "--shape",
                "llama3-8b-a100",
                "--port",
                "0",
                "--max-num-seqs",
                "8",
                "--time-scale",
                "2",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        self.url = server.stdout.readline().split()[-1]
        report, levels = self.load(
            "--rate", "4,42", "--duration", "8s", "--drain", "3s", "--output-tokens", "64", "--prompt-tokens", "128"
        )
        self.assertEqual([one["is_focus"] for one in levels], [False, True])
        self.assertEqual(levels[1]["state"], "overload")
        (finding,) = report["findings"]
        # Without the times of its steps nothing tells what larger batches would bring.
        self.assertEqual(finding["id"], "queueing")
        self.assertIn("All 8 slots are taken", finding["title"])
        self.assertIn("8 run in ", finding["evidence"])
        self.assertIn("(queueing) at 42 a second", report["headline"])

    def test_sends_what_it_is_told_to(self):
        self.load(
            "--users",
            "1",
            "--requests",
            "1",
            "--model",
            "mine",
            "--extra",
            '{"temperature": 0}',
            "--prompt-tokens",
            "33",
            "--header",
            "X-Team: a b",
        )
        last = self.get("/counts")["last"]
        body = last["body"]
        self.assertEqual(
            (body["model"], body["temperature"], body["max_tokens"], len(body["prompt"].split())), ("mine", 0, 20, 33)
        )
        self.assertEqual(
            (body["stream"], body["ignore_eos"], body["stream_options"]), (True, True, {"include_usage": True})
        )
        self.assertEqual(last["fields"]["x-team"], "a b")
        self.assertTrue(last["fields"]["x-request-id"].startswith("rs-"))

    def test_conversations_repeat_what_was_said(self):
        self.load(
            "--users",
            "1",
            "--requests",
            "3",
            "--turns",
            "3",
            "--endpoint",
            "chat",
            "--prompt-tokens",
            "10",
            "--keep",
            self.path("run"),
        )
        messages = self.get("/counts")["last"]["body"]["messages"]
        self.assertEqual([one["role"] for one in messages], ["user", "assistant", "user", "assistant", "user"])
        self.assertEqual(messages[1]["content"], " a" * 20)
        requests, _ = self.records(self.path("run"))
        self.assertEqual([one["prompt_tokens"] for one in requests], [10, 40, 70])

    def test_failures_are_failures(self):
        for fault, why in (("cut", "End of file"), ("error", "out of memory"), ("refuse", "503: full")):
            report, (level,) = self.load(
                "--users", "1", "--requests", "30", "--extra", json.dumps({"fault": fault}), "--keep", self.path(fault)
            )
            self.assertEqual((level["state"], level["served_per_s"]), ("failing", 0), fault)
            self.assertIn("No request", report["headline"])
            requests, _ = self.records(self.path(fault))
            self.assertEqual({one["outcome"] for one in requests}, {"failed"})
            for one in requests:
                self.assertIn(why, one["problem"])

    def test_without_usage_tokens_are_unknown(self):
        _, (level,) = self.load(
            "--users", "2", "--requests", "30", "--extra", '{"fault": "no-usage"}', "--slo", "tpot=1s"
        )
        self.assertIsNone(level["tpot_p50_ns"])
        self.assertIsNone(level["good_pct"])
        self.assertIsNotNone(level["ttft_p50_ns"])

    def test_a_trace_is_replayed(self):
        trace = self.path("conv.csv")
        with open(trace, "w", encoding="utf-8", newline="") as file:
            file.write("TIMESTAMP,ContextTokens,GeneratedTokens\r\n")
            for i in range(30):
                file.write(f"2023-11-16 18:15:{i * 2:02d}.5000000,{10 + i},{1 + i % 3}\r\n")
        self.load("--replay", trace, "--speed", "40", "--keep", self.path("run"))
        requests, levels = self.records(self.path("run"))
        self.assertEqual((levels[0]["kind"], levels[0]["arrivals"]), ("replay", "Azure"))
        begins = sorted(
            (one["begin_ns"] - levels[0]["begin_ns"], one["prompt_tokens"], one["output_tokens"]) for one in requests
        )
        self.assertEqual(begins, [(i * 50 * MS, 10 + i, 1 + i % 3) for i in range(30)])

    def test_any_http_server_by_tls(self):
        class Answer(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200 if body == b"ping" else 400)
                self.send_header("Content-Length", "4")
                self.end_headers()
                self.wfile.write(b"pong")

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        program.run("certs", self.path("certs"), "--server-name", "localhost")
        with open(self.path("body"), "w", encoding="utf-8") as file:
            file.write("ping")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path("certs/server.crt"), self.path("certs/server.key"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.server_close)
        self.url = f"https://localhost:{server.server_port}"
        plain = ("--endpoint", "plain", "--body", self.path("body"), "--users", "3", "--requests", "40")
        _, (level,) = self.load(*plain, "--tls-ca", self.path("certs/ca.crt"))
        self.assertEqual((level["failed"], level["ttft_p50_ns"]), (0, None))
        self.assertGreater(level["served_per_s"], 0)
        # Whom nobody vouches for is not spoken to.
        _, error = program.run("load", self.url, *plain, expect=1)
        self.assertIn("cannot agree on TLS", error)

    def test_interrupted_it_says_what_it_has(self):
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            [
                program.BINARY,
                "load",
                self.url,
                "--rate",
                "20",
                "--duration",
                "600s",
                "--output-tokens",
                "5",
                "--format",
                "json",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        until(lambda: self.get("/counts")["count"] >= 30, "30 requests")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=LIMIT_S)
        self.assertIn(process.returncode, (0, 1))
        (level,) = rows_of(json.loads(out))
        self.assertGreater(level["served_per_s"], 0)

    def test_says_what_cannot_be_done(self):
        def error(*arguments, expect):
            return program.run("load", *arguments, expect=expect)[1]

        self.assertIn("cannot connect", error("http://127.0.0.1:9", "--rate", "5", "--model", "m", expect=1))
        self.assertIn("is no address of an HTTP server", error("localhost:80", expect=2))
        self.assertIn("not gRPC", error("grpc://localhost:80", expect=2))
        self.assertIn("requests a second above 0", error(self.url, "--rate", "1,x", expect=2))
        self.assertIn("takes two rates", error(self.url, "--ramp", "5", expect=2))
        self.assertIn("no JSON object", error(self.url, "--extra", "temperature=0", "--users", "1", expect=2))
        self.assertIn("none of ttft, tpot, e2e", error(self.url, "--slo", "p99=1s", "--users", "1", expect=2))
        self.assertIn("says when requests come", error(self.url, "--rate", "1", "--replay", SERVER, expect=2))
        self.assertIn("no trace of requests", error(self.url, "--replay", SERVER, expect=1))
        os.makedirs(self.path("full/of"))
        self.assertIn("takes an empty or new folder", error(self.url, "--keep", self.path("full"), expect=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
