"""`rankscope simulate-server` as its users see it: OpenAI's API with and without streams, aborts, a full queue, metrics that agree with what was served, what cannot
start and what dies; and that `rankscope serving` finds in its scrapes what its settings make wrong."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import program
from waiting import LIMIT_S, until


class ModelServer:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program.BINARY, "simulate-server", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.address = self.process.stdout.readline().decode().strip()
        if not re.fullmatch(r"http://127\.0\.0\.1:\d+", self.address):
            raise AssertionError(f"it did not start: {self.process.communicate()[1].decode()}")
        self.port = int(self.address.rsplit(":", 1)[1])

    def end(self):
        """As systemd does; (exit code, what it told)."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        _, error = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, error.decode()

    def open(self, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        method = "GET" if body is None else "POST"
        connection.request(method, path, body if body is None else json.dumps(body), headers or {})
        return connection, connection.getresponse()

    def ask(self, path, body=None, headers=None):
        """(status, fields, text)"""
        connection, response = self.open(path, body, headers)
        with contextlib.closing(connection):
            return response.status, response.headers, response.read().decode()

    def complete(self, **body):
        status, _, text = self.ask("/v1/completions", {"ignore_eos": True, **body})
        return status, json.loads(text)

    def metrics(self):
        """name{labels} without engine and model -> value"""
        values = {}
        for line in self.ask("/metrics")[2].splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                name = re.sub(r'engine="0",model_name="[^"]*",?', "", name).replace("{}", "")
                values[name] = float(value)
        return values


def events_of(text):
    """The events of a stream, [DONE] as it is."""
    pieces = [piece for piece in text.split("\n\n") if piece and not piece.startswith(":")]
    assert all(piece.startswith("data: ") for piece in pieces), text
    return [piece[6:] if piece == "data: [DONE]" else json.loads(piece[6:]) for piece in pieces]


class SimulateServer(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def serve(self, *arguments):
        server = ModelServer("--shape", "tiny", *arguments)
        self.addCleanup(server.end)
        return server

    def test_a_completion_whole_and_as_a_stream(self):
        server = self.serve("--time-scale", "100")
        body = {"model": "tiny", "prompt": "hello you all", "max_tokens": 5, "ignore_eos": True}
        status, fields, text = server.ask("/v1/completions", body, {"X-Request-Id": "mine"})
        self.assertEqual((status, fields["Content-Type"]), (200, "application/json"))
        whole = json.loads(text)
        self.assertEqual(whole["id"], "cmpl-mine")
        self.assertEqual(len(whole["choices"][0]["text"]), 5 * 4)
        self.assertEqual(whole["choices"][0]["finish_reason"], "length")
        usage = {"prompt_tokens": 4, "completion_tokens": 5, "total_tokens": 9}
        self.assertEqual({name: whole["usage"][name] for name in usage}, usage)

        status, fields, text = server.ask(
            "/v1/completions", {**body, "stream": True, "stream_options": {"include_usage": True}}
        )
        self.assertEqual((status, fields["Content-Type"]), (200, "text/event-stream; charset=utf-8"))
        *tokens, last, done = events_of(text)
        self.assertEqual(done, "[DONE]")
        self.assertEqual([len(event["choices"][0]["text"]) for event in tokens], [4] * 5)
        self.assertEqual([event["choices"][0]["finish_reason"] for event in tokens], [None] * 4 + ["length"])
        self.assertEqual((last["choices"], last["usage"]["completion_tokens"]), ([], 5))
        self.assertEqual(len({event["id"] for event in tokens}), 1)

    def test_a_conversation(self):
        server = self.serve("--time-scale", "100")
        body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 3, "stream": True, "ignore_eos": True}
        _, _, text = server.ask("/v1/chat/completions", body, {"X-Request-Id": "c"})
        role, *tokens, done = events_of(text)
        self.assertEqual(role["choices"][0]["delta"]["role"], "assistant")
        self.assertEqual(role["id"], "chatcmpl-c")
        self.assertEqual(len(tokens), 3)
        self.assertEqual(done, "[DONE]")
        _, _, text = server.ask("/v1/chat/completions", {**body, "stream": False})
        self.assertEqual(json.loads(text)["choices"][0]["message"]["role"], "assistant")

    def test_answers_end_by_themselves_unless_eos_is_ignored(self):
        server = self.serve("--time-scale", "1000", "--answer-tokens", "20")
        ends = [server.complete(prompt="a", max_tokens=500, ignore_eos=False)[1] for _ in range(40)]
        lengths = [end["usage"]["completion_tokens"] for end in ends]
        self.assertTrue(10 < sum(lengths) / len(lengths) < 30, lengths)
        self.assertGreater(len(set(lengths)), 10)
        self.assertEqual({end["choices"][0]["finish_reason"] for end in ends}, {"stop"})
        self.assertEqual(server.metrics()['vllm:request_success_total{finished_reason="stop"}'], 40)

    def test_what_is_no_request_is_refused_in_a_sentence(self):
        server = self.serve()
        for path, body, status, words in (
            ("/v1/completions", {"prompt": ""}, 400, "prompt is empty"),
            ("/v1/completions", {"prompt": [1, "a"]}, 400, "prompt[1]"),
            ("/v1/completions", {"prompt": "a", "max_tokens": 0}, 400, "max_tokens"),
            ("/v1/completions", {"prompt": "a", "max_tokens": 4000}, 400, "longest request"),
            ("/v1/completions", {"prompt": "a" * 9000}, 400, "no room for an answer"),
            ("/v1/completions", {"prompt": "a", "model": "other"}, 404, "no model 'other'"),
            ("/v1/chat/completions", {"messages": 3}, 400, "messages"),
            ("/v1/nothing", None, 404, "/v1/completions"),
            ("/v1/completions", None, 405, "POST"),
        ):
            with self.subTest(words):
                got, _, text = server.ask(path, body)
                self.assertEqual(got, status)
                error = json.loads(text)["error"]
                self.assertEqual(error["code"], status)
                self.assertIn(words, error["message"])

    def test_metrics_agree_with_what_was_served(self):
        server = self.serve("--time-scale", "20")
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            ends = list(pool.map(lambda i: server.complete(prompt=[i] * (10 + i), max_tokens=2 + i % 9), range(80)))
        took = time.monotonic() - begin
        usages = [end["usage"] for _, end in ends]
        prompt = sum(usage["prompt_tokens"] for usage in usages)
        output = sum(usage["completion_tokens"] for usage in usages)
        self.assertEqual((prompt, output), (sum(10 + i for i in range(80)), sum(2 + i % 9 for i in range(80))))
        told = server.metrics()
        self.assertEqual(told["vllm:prompt_tokens_total"], prompt)
        self.assertEqual(told["vllm:generation_tokens_total"], output)
        self.assertEqual(told['vllm:request_success_total{finished_reason="length"}'], 80)
        self.assertEqual(told["vllm:e2e_request_latency_seconds_count"], 80)
        self.assertEqual(told["vllm:time_to_first_token_seconds_count"], 80)
        self.assertEqual(told["vllm:inter_token_latency_seconds_count"], output - 80)
        self.assertEqual(told["vllm:request_generation_tokens_sum"], output)
        self.assertEqual(told["vllm:num_requests_running"], 0)
        self.assertEqual(told["vllm:kv_cache_usage_perc"], 0)
        parts = [told[f"vllm:request_{part}_time_seconds_sum"] for part in ("queue", "prefill", "decode")]
        self.assertAlmostEqual(sum(parts), told["vllm:e2e_request_latency_seconds_sum"], places=9)
        # By the clock of its users: 16 at a time were never longer there than it took.
        self.assertLess(told["vllm:e2e_request_latency_seconds_sum"], 16 * took)

    def test_a_common_beginning_is_cached(self):
        for option, cached in (("--enable-prefix-caching", 992), ("--no-enable-prefix-caching", 0)):
            server = self.serve("--time-scale", "100", option)
            for _ in range(2):
                _, end = server.complete(prompt=[7] * 1000, max_tokens=1)
            self.assertEqual(end["usage"]["prompt_tokens_details"]["cached_tokens"], cached)
            self.assertEqual(server.metrics()["vllm:prompt_tokens_cached_total"], cached)

    def test_who_leaves_frees_blocks(self):
        server = self.serve("--time-scale", "0.005")
        for stream in (True, False):
            body = {"prompt": [1] * 100, "max_tokens": 1500, "ignore_eos": True, "stream": stream}
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT_S)
            connection.request("POST", "/v1/completions", json.dumps(body))
            until(lambda: server.metrics()["vllm:num_requests_running"] == 1)
            self.assertGreater(server.metrics()["vllm:kv_cache_usage_perc"], 0)
            if stream:
                connection.getresponse().read(10)
            connection.close()
            del connection
            until(lambda: server.metrics()["vllm:num_requests_running"] == 0)
            self.assertEqual(server.metrics()["vllm:kv_cache_usage_perc"], 0)
        self.assertEqual(server.metrics()['vllm:request_success_total{finished_reason="abort"}'], 2)

    def test_a_full_queue_refuses(self):
        # Answers last for minutes: none is over before the next one waits.
        server = self.serve(
            "--time-scale", "0.005", "--max-num-seqs", "1", "--queue-limit", "1", "--busy-status", "429"
        )
        body = {"prompt": "a", "max_tokens": 2000, "ignore_eos": True, "stream": True}
        held = []
        for count in (0, 1):  # one runs, one waits
            held.append(server.open("/v1/completions", body)[0])
            until(
                lambda wanted=(1, count): wanted
                == tuple(server.metrics()[f"vllm:num_requests_{name}"] for name in ("running", "waiting"))
            )
        status, fields, text = server.ask("/v1/completions", {"prompt": "a"})
        self.assertEqual((status, fields["Retry-After"]), (429, "1"))
        self.assertIn("wait", json.loads(text)["error"]["message"])
        for connection in held:
            connection.close()

    def test_is_not_ready_before_it_has_started(self):
        server = self.serve("--startup-time", "86400")
        self.assertEqual(server.ask("/health")[0], 503)
        self.assertEqual(server.complete(prompt="a")[0], 503)
        self.assertEqual(server.ask("/v1/models")[0], 200)
        self.assertEqual(server.end(), (0, ""))
        server = self.serve()
        self.assertEqual(server.ask("/health")[0], 200)
        models = json.loads(server.ask("/v1/models")[2])["data"]
        self.assertEqual([(one["id"], one["max_model_len"]) for one in models], [("tiny", 2048)])

    def test_ends_cleanly_amid_requests(self):
        server = self.serve("--time-scale", "0.05")
        body = {"prompt": "a", "max_tokens": 2000, "ignore_eos": True, "stream": True}
        held, _ = server.open("/v1/completions", body)
        with contextlib.closing(held):
            self.assertEqual(server.end(), (0, ""))

    def test_impossible_settings_do_not_start(self):
        for arguments, words in (
            (["--max-num-batched-tokens", "100"], "below max-num-seqs"),
            (["--max-num-seqs", "0"], "max-num-seqs is 0"),
            (["--gpu-memory-utilization", "0.01"], "no memory is left"),
            (["--kv-blocks", "10"], "fewer than the longest request"),
            (["--max-num-batched-tokens", "1024", "--no-enable-chunked-prefill"], "chunked prefill"),
            (["--max-model-len", "100000"], "max-model-len is 100000"),
            (["--host", "nowhere"], "no address"),
        ):
            out, error = program.run("simulate-server", "--shape", "tiny", "--port", "0", *arguments, expect=1)
            self.assertEqual(out, "")
            self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z")
            self.assertIn(words, error)
        for arguments in (["--shape", "huge"], ["--noise", "2"], ["--kv-blocks", "-1"]):
            program.run("simulate-server", *arguments, expect=2)

    def test_bad_settings_die_when_they_are_used(self):
        server = self.serve("--gpu-memory-utilization", "0.99")
        self.assertEqual(server.ask("/health")[0], 200)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=LIMIT_S)
        connection.request("POST", "/v1/completions", json.dumps({"prompt": "a"}))
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            connection.getresponse().read()
        connection.close()
        server.process.wait(timeout=LIMIT_S)
        code, error = server.end()
        self.assertEqual(code, 1)
        self.assertRegex(error, r"\Arankscope: the engine is out of memory: [^\n]+\n\Z")

    def test_the_truth_is_what_is_measured(self):
        """As many requests at a time as there are places, and more: they are served at the stated rate, as far as the machine keeps up."""
        truth_path = self.path("truth.json")
        arguments = ["--max-num-seqs", "4", "--noise", "0", "--iteration-log", self.path("steps.log")]
        mix = ["--mix-prompt", "64", "--mix-output", "30", "--truth", truth_path]
        server = self.serve(*arguments, *mix)
        with open(truth_path, encoding="utf-8") as file:
            truth = json.load(file)
        self.assertEqual(truth["schema"], "rankscope.server_truth/1")
        self.assertEqual(truth["settings"]["max_num_seqs"], 4)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: server.complete(prompt=[i] * 64, max_tokens=30), range(120)))
        server.end()
        pattern = r"Iteration\((\d+)\): (\d+) context requests, (\d+) context tokens, (\d+) generation requests, \d+ "
        pattern += r"generation tokens, iteration elapsed time: ([\d.]+) ms"
        with open(self.path("steps.log"), encoding="utf-8") as file:
            steps = [tuple(map(float, found)) for found in re.findall(pattern, file.read())]
        self.assertEqual([step[0] for step in steps], list(range(1, len(steps) + 1)))
        self.assertEqual(sum(step[2] for step in steps), 120 * 64)
        # Where all places were taken the time of 120 requests is that of their steps.
        full = sum(step[4] for step in steps) / 1000
        self.assertLess(120 / full, truth["capacity"]["requests_per_s"] * 1.02)

    def test_serving_finds_what_is_planted(self):
        """Eight places for the twentyfold load: `rankscope serving` names them by scrapes and the log of steps; with enough of them it names nothing.

        That larger batches would pay is seen in the log, unless a busy machine makes single steps long; then the queue is named.
        """
        for places, expected in (("8", [["small-batches"], ["queueing"]]), ("256", [[]])):
            folder = self.path(f"scrapes-{places}")
            os.makedirs(folder)
            server = self.serve("--max-num-seqs", places, "--iteration-log", os.path.join(folder, "engine.log"))
            stop = threading.Event()

            def scrape(server=server, folder=folder, stop=stop):
                while not stop.wait(0.1):
                    text = server.ask("/metrics")[2]
                    path = os.path.join(folder, "metrics.prom")
                    with open(path, "a", encoding="utf-8") as file:
                        file.write(f"# scraped_at {time.time():.3f}\n{text}# EOF\n")

            scraper = threading.Thread(target=scrape)
            scraper.start()
            with concurrent.futures.ThreadPoolExecutor(48) as pool:
                list(pool.map(lambda i, s=server: s.complete(prompt=[i] * 64, max_tokens=100), range(600)))
            stop.set()
            scraper.join()
            server.end()
            report = json.loads(program.run("serving", folder, "--format", "json")[0])
            self.assertIn([finding["id"] for finding in report["findings"]], expected, report["headline"])

    def test_the_null_server_answers_at_once(self):
        server = ModelServer("--shape", "null")
        self.addCleanup(server.end)
        status, end = server.complete(prompt="hello", max_tokens=20)
        self.assertEqual((status, end["usage"]["completion_tokens"]), (200, 20))
        _, fields, text = server.ask(
            "/v1/completions", {"prompt": "hello", "max_tokens": 20, "ignore_eos": True, "stream": True}
        )
        self.assertEqual(len(events_of(text)), 21)
        self.assertEqual(int(fields["Content-Length"]), len(text))
        told = server.metrics()
        self.assertEqual(told["vllm:generation_tokens_total"], 40)
        self.assertEqual(told["vllm:e2e_request_latency_seconds_sum"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
