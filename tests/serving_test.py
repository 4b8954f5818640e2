"""`rankscope serving` on servers whose trouble is known (reference/write_serving.py): what it says is wrong, and that it says nothing of a healthy one; stages, tail
and Little's law against numbers of the simulation; a gain against the server that has the change; and what is no recording."""

import gzip
import json
import os
import shutil
import statistics
import sys
import tempfile
import unittest

import program
from write_serving import BEGIN, MS, SCENES, S, Server

PAGE = os.path.join(program.HERE, "..", "docs", "serving.md")


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


class Serving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scenes = {}
        cls.written = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.written.cleanup()

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def scene(self, name):
        """Simulated and written once; a test that changes the folder takes copied()."""
        if name not in self.scenes:
            server = Server(**SCENES[name])
            self.scenes[name] = server, server.write_all(os.path.join(self.written.name, name))
        return self.scenes[name]

    def copied(self, name):
        server, folder = self.scene(name)
        return server, shutil.copytree(folder, self.path(name))

    def report(self, *arguments):
        out, error = program.run("serving", *arguments, "--format", "json")
        self.assertEqual(error, "")
        report = json.loads(out)
        self.assertEqual(report["schema"], "rankscope.serving/1")
        return report, {name: rows_of(table) for name, table in report["tables"].items()}

    def ids(self, *arguments):
        return [finding["id"] for finding in self.report(*arguments)[0]["findings"]]

    def refused(self, *arguments, expect=1):
        out, error = program.run("serving", *arguments, expect=expect)
        self.assertEqual(out, "")
        self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z")
        return error

    def test_planted_causes_are_named(self):
        expected = {
            "healthy": [],
            "slots": ["small-batches"],
            "cache": ["kv-cache-pressure"],
            "prompts": ["prefill-interference"],
            "cold": ["cold-start"],
            "frontend": ["frontend-bound"],
            "overload": ["queueing"],
        }
        for name, ids in expected.items():
            with self.subTest(name):
                _, folder = self.scene(name)
                self.assertEqual(self.ids(folder), ids)

    def test_healthy_servers_of_other_seeds_and_costs_have_no_finding(self):
        for seed in range(2, 8):
            server = Server(seed=seed, count=320, floor=(4 + 2 * seed) * MS, slope=20_000 * seed, rate=1 + seed / 4)
            self.assertEqual(self.ids(server.write_all(self.path(f"seed{seed}"))), [], seed)

    def test_the_text_begins_with_the_answer_and_is_short(self):
        for name in SCENES:
            _, folder = self.scene(name)
            lines = program.run("serving", folder)[0].splitlines()
            self.assertLessEqual(len(lines), 25, name)
            self.assertTrue(all(len(line) <= 80 for line in lines), name)
            self.assertRegex(lines[0] + lines[1], r"\d", name)

    def test_envoys_time_to_headers_is_no_server_time(self):
        line = (
            '[2026-11-27T02:00:%02d.123Z] "POST /v1/completions HTTP/1.1" %d - 512 90000 2500 80 "-" "x" "%d" "a" "b"\n'
        )
        path = self.write("access.log", "".join(line % (i, 503 if i < 2 else 200, i) for i in range(20)))
        report, tables = self.report(path)
        self.assertEqual({row["stage"] for row in tables["serving_stages"]}, {"total", "response"})
        self.assertTrue(report["headline"].startswith("2 of 20 requests failed (HTTP 503: 2). "), report["headline"])

    def test_markdown_has_no_markup_of_labels(self):
        text = "".join(
            f"# scraped_at {BEGIN // S + i}\n# instance <script>{j}\nvllm:num_requests_running {8 - 6 * j}\n"
            f"vllm:num_requests_waiting {4 - 4 * j}\n"
            for i in range(20)
            for j in range(2)
        )
        out = program.run("serving", self.write("a.prom", text), "--format", "markdown")[0]
        self.assertIn("script", out)
        self.assertNotIn("<script>", out)

    def test_stages_are_those_of_the_simulation(self):
        server, folder = self.scene("slots")
        _, tables = self.report(folder)
        stages = {row["stage"]: row for row in tables["serving_stages"]}
        wanted = {
            "total": [one.end - one.arrival for one in server.requests],
            "queue": [one.scheduled - one.arrival for one in server.requests],
            "prefill": [one.first - one.scheduled for one in server.requests],
            "decode": [one.last - one.first for one in server.requests],
            "frontend": [one.end - one.last for one in server.requests],
        }
        self.assertEqual(set(stages), set(wanted))
        for name, values in wanted.items():
            self.assertAlmostEqual(stages[name]["mean_ns"], statistics.fmean(values), delta=10)
            self.assertAlmostEqual(stages[name]["p50_ns"], statistics.median(values), delta=10)
        parts = sum(stages[name]["mean_ns"] for name in wanted if name != "total")
        self.assertAlmostEqual(parts, stages["total"]["mean_ns"], delta=1)
        self.assertAlmostEqual(sum(row["share_pct"] for row in tables["serving_tail"]), 100, places=6)

    def test_metrics_alone_tell_the_same_means(self):
        server, folder = self.scene("slots")
        _, tables = self.report(os.path.join(folder, "scrapes"))
        stages = {row["stage"]: row for row in tables["serving_stages"]}
        queue = [one.scheduled - one.arrival for one in server.requests]
        self.assertAlmostEqual(stages["queue"]["mean_ns"], statistics.fmean(queue), delta=MS)
        self.assertIsNone(stages["queue"]["p99_ns"])
        self.assertLessEqual(stages["queue"]["p50_least_ns"], statistics.median(queue))
        self.assertGreaterEqual(stages["queue"]["p50_most_ns"], statistics.median(queue))
        # The reason is seen in gauges; without iterations nobody knows whether larger batches pay.
        self.assertEqual(self.ids(os.path.join(folder, "scrapes")), ["queueing"])

    def test_gauges_and_requests_agree(self):
        _, folder = self.scene("slots")
        _, tables = self.report(folder)
        self.assertEqual([row["verdict"] for row in tables["serving_little"]], ["holds", "holds"])

    def test_a_gain_is_what_the_change_brings(self):
        server, folder = self.scene("slots")
        (finding,) = self.report(folder)[0]["findings"]
        changed = Server(**{**SCENES["slots"], "slots": 16})
        mean = lambda one: statistics.fmean(request.end - request.arrival for request in one.requests)
        self.assertAlmostEqual(finding["gain_pct"], 100 * (1 - mean(changed) / mean(server)), delta=5)
        self.assertLessEqual(finding["model_error_pct"], 15)

    def test_a_model_that_does_not_fit_states_no_gain(self):
        _, folder = self.copied("slots")
        # A log of another engine: its steps are three times as fast.
        other = Server(**SCENES["slots"])
        other.iterations = [(*rest, elapsed // 3) for *rest, elapsed in other.iterations]
        other.write_log(os.path.join(folder, "vllm.log"))
        (finding,) = self.report(folder)[0]["findings"]
        self.assertIsNone(finding["gain_pct"])
        self.assertIn("misses the recording", finding["no_gain"])

    def test_clients_and_servers_are_joined(self):
        server, folder = self.copied("healthy")
        server.write_clients(os.path.join(folder, "profile_export.jsonl"))
        _, tables = self.report(folder)
        stages = {row["stage"]: row for row in tables["serving_stages"]}
        self.assertEqual(stages["total"]["requests"], len(server.requests))
        self.assertAlmostEqual(stages["network"]["mean_ns"], 5 * MS, delta=1000)

    def test_goodput_counts_what_keeps_all_limits(self):
        server, folder = self.scene("slots")
        _, tables = self.report(os.path.join(folder, "spans.jsonl"), "--slo", "ttft=2s,e2e=4s")
        rows = {row["objective"]: row for row in tables["serving_goodput"]}
        ttft = [one.first - one.arrival <= 2 * S for one in server.requests]
        e2e = [one.end - one.arrival <= 4 * S for one in server.requests]
        self.assertEqual(rows["ttft"]["good"], sum(ttft))
        self.assertEqual(rows["all"]["good"], sum(a and b for a, b in zip(ttft, e2e)))
        self.assertIn("--slo", self.refused(folder, "--slo", "ttft=fast", expect=2))

    def test_replicas_are_told_apart_by_their_files(self):
        crowded, _ = self.scene("slots")
        free = Server(count=100, rate=0.5, slots=8, seed=3)
        folder = self.path("two")
        crowded.write_scrapes(os.path.join(folder, "a"))
        free.write_scrapes(os.path.join(folder, "b"))
        _, tables = self.report(folder)
        self.assertEqual({row["replica"] for row in tables["serving_metrics"]}, {"a/metrics", "b/metrics"})

    def test_tables_and_formats(self):
        _, folder = self.scene("healthy")
        for table in ("serving_requests", "serving_iterations", "serving_load", "serving_sources", "serving_notes"):
            rows = json.loads(program.run("serving", folder, "--table", table, "--format", "json")[0])["rows"]
            self.assertTrue(rows, table)
        self.assertTrue(program.run("serving", folder, "--format", "markdown")[0].startswith("# Requests take"))
        self.refused(folder, "--format", "csv", expect=2)
        packed = self.path("spans.jsonl.gz")
        with open(os.path.join(folder, "spans.jsonl"), "rb") as file, gzip.open(packed, "wb") as to:
            to.write(file.read())
        self.assertEqual(self.ids(packed), [])

    def test_unknown_is_null(self):
        path = self.write("access.log", 'INFO:     1.1.1.1:1 - "POST /v1/completions HTTP/1.1" 200 OK\n')
        report, tables = self.report(path)
        self.assertIn("none has a duration", report["headline"])
        self.assertEqual(tables["serving_stages"], [])
        self.assertIn("line 1", tables["serving_notes"][0]["note"])
        out = program.run("serving", path, "--table", "serving_requests", "--format", "json")[0]
        (row,) = rows_of(json.loads(out))
        self.assertIsNone(row["e2e_ns"])
        self.assertIsNone(row["arrival_ns"])

    def test_traces_of_engines_lie_beside_the_rest(self):
        _, folder = self.copied("healthy")
        shutil.copy(os.path.join(program.HERE, "golden", "engine", "rank0.json"), os.path.join(folder, "trace.json"))
        _, tables = self.report(folder)
        self.assertEqual({row["from"] for row in tables["serving_batches"]}, {"log", "trace"})
        self.assertIn("trace of an engine", {row["format"] for row in tables["serving_sources"]})
        out, _ = program.run("serving", os.path.join(folder, "trace.json"))
        self.assertIn("  Steps ", out)

    def test_devices_whose_graphs_were_not_recorded_are_not_idle(self):
        events = []
        for i in range(40):
            ts, common = 10000 * i, {"ph": "X", "pid": 1, "tid": 1}
            events.append({**common, "cat": "user_annotation", "name": "step[DECODE bs=32]", "ts": ts, "dur": 9900})
            for j in range(4):
                launch = 10 * i + j + 1
                about = {"correlation": launch, "external id": launch}
                call = {"cat": "cuda_runtime", "ts": ts + 20 + 10 * j, "dur": 5, "args": about}
                events.append({**common, **call, "name": "cudaGraphLaunch" if j else "cudaLaunchKernel"})
                if j == 0:
                    on = {"ph": "X", "pid": 0, "tid": 7, "cat": "kernel", "name": "sample", "ts": ts + 60, "dur": 100}
                    events.append({**on, "args": {**about, "device": 0, "stream": 7}})
        path = self.write(
            "graphs.json", json.dumps({"deviceProperties": [{"id": 0, "name": "H100"}], "traceEvents": events})
        )
        report, tables = self.report(path)
        self.assertEqual(report["findings"], [])
        self.assertEqual([row["device_busy_pct"] for row in tables["serving_batches"]], [None])
        self.assertNotIn("busy", report["headline"])
        self.assertTrue(
            [row["note"] for row in tables["serving_notes"] if "graphs" in row["note"]], tables["serving_notes"]
        )

    def test_most_records_that_contradict_themselves_come_first(self):
        def record(i, ttft_s, error=None):
            return json.dumps(
                {
                    "metadata": {"x_request_id": f"r{i}", "request_start_ns": 1764211380000000000 + i * 100 * MS},
                    "metrics": {
                        "request_latency": {"value": 0.5, "unit": "s"},
                        "time_to_first_token": {"value": ttft_s, "unit": "s"},
                    },
                    "error": error,
                }
            )

        def first_screen(wrong):
            lines = [record(i, 0.9) for i in range(wrong)] + [record(i, 0.1) for i in range(wrong, 90)]
            lines += [record(i, 0.1, {"code": 500, "message": "boom"}) for i in range(90, 100)]
            return " ".join(program.run("serving", self.write("profile_export.jsonl", "\n".join(lines)))[0].split())

        told = "60 of 100 records of requests contradict themselves: their stages exceed their time."
        self.assertTrue(first_screen(60).startswith("10 of 100 requests failed (boom: 10). " + told))
        self.assertNotIn("contradict", first_screen(20))

    def test_what_is_no_recording_is_one_sentence(self):
        empty = self.path("empty")
        os.makedirs(empty)
        self.refused(empty)
        self.assertIn("nothing of a serving program", self.refused(self.write("other/a.txt", "hello\n")))
        self.assertIn("empty", self.refused(self.write("nothing.log", "")))
        self.refused(self.write("trace.json", '{"traceEvents": []}'))
        self.assertIn("is it whole?", self.refused(self.write("cut.json", '{"resourceSpans": [{"scope')))
        self.refused(self.path("missing"))

    def test_what_is_damaged_in_a_folder_leaves_the_rest(self):
        _, folder = self.copied("healthy")
        self.write("healthy/cut.json", '{"resourceSpans": [{"scope')
        self.write("healthy/README.md", "# notes\n")
        with open(os.path.join(folder, "weights.bin"), "wb") as file:
            file.write(bytes(range(256)) * 100)
        out, error = program.run("serving", folder, "--format", "json")
        self.assertIn("cut.json", error)
        self.assertNotIn("weights", error)
        self.assertEqual(json.loads(out)["findings"], [])

    def test_scrapes_of_a_server_that_began_anew(self):
        text = ""
        for second, tokens in enumerate((100, 200, 10, 60)):
            text += f'# scraped_at {BEGIN // S + second}\nvllm:generation_tokens_total{{engine="0"}} {tokens}\n# EOF\n'
        _, tables = self.report(self.write("metrics.txt", text))
        (row,) = tables["serving_metrics"]
        self.assertEqual(row["gained"], 160)
        self.assertAlmostEqual(row["per_s"], 160 / 3)

    def test_the_page_shows_what_the_program_prints(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        _, folder = self.scene("slots")
        shown = "".join(
            "    " + line if line.strip() else line for line in program.run("serving", folder)[0].splitlines(True)
        )
        if UPDATE:
            begin, end = page.index("<!-- slots -->"), page.index("<!-- end -->")
            with open(PAGE, "w", encoding="utf-8") as file:
                file.write(page[:begin] + "<!-- slots -->\n\n" + shown + "\n" + page[end:])
        else:
            self.assertIn(shown, page, "serving_test.py BINARY --update writes it anew")


UPDATE = sys.argv[2:]

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
