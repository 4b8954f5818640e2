"""examples/serve over a model whose steps take a known time: what it batches, streams and writes down, seen by `rankscope load` and `serving`."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import program
from waiting import LIMIT_S

EXAMPLE = os.path.normpath(os.path.join(program.HERE, "..", "examples", "serve"))
STEP_MS = 10
TOY = """
import sys, time
sys.path.insert(0, %r)
import serve

class Toy:
    def __init__(self, options):
        pass
    def tokens_of(self, prompt):
        return [1] * len(prompt.split())
    def word_of(self, token):
        return " w"
    def generate(self, requests):
        if any(len(request.tokens) == 13 for request in requests):
            raise RuntimeError("out of memory")
        left = list(requests)
        while left:
            time.sleep(%r)
            left = [request for request in left if not request.take(1)]

serve.Model = Toy
serve.main()
""" % (
    EXAMPLE,
    STEP_MS / 1000,
)


class ExampleServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.spans = os.path.join(self.folder, "spans.jsonl")

    def start(self, *arguments):
        server = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, "-c", TOY, "--port", "0", "--spans", self.spans, *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        return server.stdout.readline().strip()

    def test_batches_what_waits(self):
        url = self.start("--max-batch", "4")
        out, _ = program.run(
            *["load", url, "--users", "8", "--output-tokens", "20", "--output-variation", "0", "--requests", "60"],
            *["--keep", os.path.join(self.folder, "run"), "--format", "json"],
            expect=(0, 1),
        )
        report = json.loads(out)
        self.assertTrue(report["headline"])
        with open(self.spans, encoding="utf-8") as file:
            spans = [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0] for line in file]
        self.assertGreater(len(spans), 20)
        times = []
        for span in spans:
            values = {one["key"]: one["value"] for one in span["attributes"]}
            self.assertEqual(values["gen_ai.usage.completion_tokens"]["intValue"], "20")
            stages = [
                values["gen_ai.latency.time_in_" + stage]["doubleValue"]
                for stage in ("queue", "model_prefill", "model_decode")
            ]
            self.assertAlmostEqual(sum(stages), values["gen_ai.latency.e2e"]["doubleValue"], 6)
            self.assertGreaterEqual(stages[2], 19 * STEP_MS / 1000)
            start = int(span["startTimeUnixNano"]) / 1e9 + stages[0]
            times.append((start, start + stages[1] + stages[2]))
        # In the middle of a request its batch runs, and nothing else.
        middles = [(start + end) / 2 for start, end in times]
        self.assertEqual(max(sum(start < middle < end for start, end in times) for middle in middles), 4)
        # Eight users and batches of four: what asks waits for the batch that is under way, and the joined records say so.
        out, _ = program.run("serving", self.folder, "--table", "serving_stages", "--format", "json")
        table = json.loads(out)
        names = [column["name"] for column in table["columns"]]
        shares = {row[names.index("stage")]: row[names.index("share_pct")] for row in table["rows"]}
        self.assertGreater(shares["queue"], 30)
        self.assertGreater(shares["decode"], 30)

    def test_a_batch_that_fails_fails_alone(self):
        url = self.start("--max-batch", "1")
        self.assertIn("out of memory", self.ask(url, {"prompt": "a " * 13, "max_tokens": 3}))
        answer = self.ask(url, {"prompt": "a b", "max_tokens": 3})
        self.assertEqual(answer.count(" w"), 3)
        self.assertIn('"completion_tokens": 3', answer)

    def test_what_is_no_request_is_refused(self):
        url = self.start()
        for body in ({"max_tokens": 3}, {"prompt": 7}, {"prompt": "a", "max_tokens": "many"}):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.ask(url, body)
            self.assertEqual(refused.exception.code, 400)
            refused.exception.close()
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.ask(url, {}, "/start_profile")
        self.assertIn("--profile-dir", refused.exception.read().decode())
        refused.exception.close()

    @staticmethod
    def ask(url, body, path="/v1/completions"):
        request = urllib.request.Request(url + path, json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=LIMIT_S) as reply:
            return reply.read().decode()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
