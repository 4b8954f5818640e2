"""The agent scrapes programs that serve requests, and a capture brings what their metrics said around it: a real server of the simulation, one that is
gone, and what `rankscope serving` reads of the run."""

import glob
import json
import os
import subprocess
import sys
import unittest

import agent
import program
import server
import simulate_server_test
from agent import WithAgent
from waiting import LIMIT_S, until


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


class ServingScrapes(WithAgent):
    def setUp(self):
        super().setUp()
        self.model = simulate_server_test.ModelServer("--max-num-seqs", "4", "--time-scale", "10")
        self.addCleanup(self.model.end)
        program.run("simulate", self.path("job"), "--ranks", "1", "--steps", "2", "--events", "2000")
        self.trace = glob.glob(self.path("job/*.json.gz"))[0]

    def configured(self, *pages):
        path = self.path("agent.toml")
        listed = ", ".join(json.dumps(page) for page in pages)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"[serving]\npages = [{listed}]\ninterval_s = 1\n")
        return path

    def trace_json(self):
        path = self.path("trace.json")
        text = subprocess.run(["gzip", "-dc", self.trace], capture_output=True, check=True).stdout
        with open(path, "wb") as file:
            file.write(text)
        return path

    def scraped(self, one, times):
        """Until the page was read so many times more, and some of it is kept."""
        one.wait_for_sources("serving chat")
        one.wait_for_readings("agent_serving_kept_bytes", times)

    def capture(self, one, *words):
        return program.run(
            "capture", "--hosts", one.addresses["rpc"], "--folder", self.path("out"), "--start-in", "1", *words
        )

    def by_server(self, runs):
        words = ["--folder", self.path("out"), "--start-in", "1", "--duration", "100ms", "--serving"]
        return program.run("capture", "--server", runs.address, *words)

    def serving(self, *paths):
        out, error = program.run("serving", *paths, "--format", "json")
        self.assertEqual(error, "")
        return {name: rows_of(table) for name, table in json.loads(out)["tables"].items()}

    def check(self, tables):
        loads = tables["serving_load"]
        self.assertGreaterEqual(len(loads), 2)
        self.assertEqual({row["replica"] for row in loads}, {"chat"})
        metrics = {row["metric"]: row for row in tables["serving_metrics"] if row["kind"] == "counter"}
        self.assertTrue(metrics)
        # Each scrape has its own time.
        self.assertEqual(len({row["time_ns"] for row in loads}), len(loads))

    def test_a_capture_brings_them_into_the_run(self):
        runs = server.Server(self.path("runs"))
        self.addCleanup(runs.stop)
        settings = self.configured(f"chat={self.model.address}/metrics", "gone=http://127.0.0.1:9/metrics")
        one = self.start(
            config=settings, server__url=runs.address, server__interval_s=1, capture__spool_dir=self.path("spool")
        )
        self.train("--trace", self.trace_json(), RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
        one.wait_for_processes(1)
        self.scraped(one, 1)
        self.assertEqual(self.model.complete(prompt="a b c", max_tokens=20)[0], 200)
        self.scraped(one, 2)
        out, _ = self.capture(one, "--server", runs.address, "--duration", "100ms")
        run = out.strip().rsplit("/", 1)[1]
        names = [file["name"] for file in runs.get(f"/api/v1/runs/{run}/files")["files"]]
        (scrapes,) = [name for name in names if name.endswith(".prom")]
        self.assertTrue(scrapes.endswith(".chat.prom"), scrapes)
        self.assertEqual(len(names), 2)
        text = runs.ask("GET", f"/api/v1/runs/{run}/files/{scrapes}", expect=200)[2]
        path = self.path("chat.prom")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else text.decode())
        self.check(self.serving(path))
        # The job's own report is there as without them.
        self.assertEqual(runs.get(f"/api/v1/runs/{run}/report")["job"]["ranks"], [0])
        # What cannot be had is counted, said once, and holds up nobody.
        metrics = one.metrics()
        self.assertGreaterEqual(metrics["rankscope_agent_source_errors_total", '{source="serving gone"}'], 1)
        self.assertEqual(metrics["rankscope_agent_source_up", '{source="serving chat"}'], 1)
        self.assertGreater(metrics["rankscope_agent_serving_kept_bytes", '{instance="chat"}'], 0)
        self.assertEqual(len(one.wait_for_lines("serving gone")), 1)

    def test_a_run_of_the_serving_program_has_its_tables(self):
        runs = server.Server(self.path("runs"))
        self.addCleanup(runs.stop)
        one = self.start(
            config=self.configured(f"chat={self.model.address}/metrics"),
            server__url=runs.address,
            server__interval_s=1,
            host__name="node1",
            capture__spool_dir=self.path("spool"),
        )
        self.train("--trace", self.trace_json(), RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
        one.wait_for_processes(1)
        self.scraped(one, 1)
        self.assertEqual(self.model.complete(prompt="a b c", max_tokens=20)[0], 200)
        self.scraped(one, 2)
        # By the command's own agents, and by the server's, which asks those that report to it.
        until(lambda: [host for host in runs.get("/api/v1/hosts")["hosts"] if host["processes"]])
        for out, _ in (
            self.capture(one, "--server", runs.address, "--duration", "100ms", "--serving"),
            self.by_server(runs),
        ):
            run = out.strip().rsplit("/", 1)[1]
            self.assertEqual(runs.get(f"/api/v1/runs/{run}")["tags"]["kind"], "serving")
            report = runs.get(f"/api/v1/runs/{run}/report")
            self.assertEqual(report["schema"], "rankscope.serving/1")
            self.check({name: rows_of(table) for name, table in report["tables"].items()})

    def test_without_a_server_they_lie_beside_the_trace(self):
        one = self.start(config=self.configured(f"chat={self.model.address}/metrics"))
        training = self.train("--trace", self.trace_json(), RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
        one.wait_for_processes(1)
        self.scraped(one, 3)
        asked = one.ask({"fn": "startCapture", "log_file": self.path("out.json"), "duration_ms": 100})
        until(lambda: [m for m in one.capture(asked["id"])["members"] if m["state"] == "written"])
        beside = self.path(f"out_{training.pid}.json.chat.prom")
        until(lambda: os.path.exists(beside))
        self.check(self.serving(beside))

    def test_settings_that_cannot_be_are_told(self):
        settings = self.configured("chat=http://127.0.0.1:1/metrics", "chat=http://127.0.0.1:2/metrics", "nowhere")
        ran = subprocess.run(
            [agent.BINARY, "--config", settings, "--check-config"],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        self.assertEqual(ran.returncode, 2)
        self.assertIn("serving.pages", ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
