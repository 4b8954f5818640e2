"""`rankscope load --capture`: behind the time of each level the serving processes are recorded, under its load, into a run of a server."""

import json
import os
import signal
import subprocess
import sys
import unittest

import program
from capture_test import WithJob
from waiting import LIMIT_S, until

SERVER = os.path.join(program.HERE, "fake", "openai_server.py")
MS = 1_000_000


class LoadCapture(WithJob):
    RECORDED = 2

    def setUp(self):
        super().setUp()
        self.start_host("a")
        for rank in range(self.RECORDED):
            self.train_rank(rank, "a")
        self.agents[0].wait_for_processes(self.RECORDED)
        serving = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, SERVER, "0", "4", "10"], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(serving.stdout.close)
        self.addCleanup(serving.wait)
        self.addCleanup(serving.kill)
        self.url = serving.stdout.readline().strip()

    def load(self, *words, expect=(0, 1)):
        # On a machine that is busy a level is invalid (exit code 1), and recorded all the same.
        return program.run("load", self.url, "--output-tokens", "5", *words, expect=expect)

    def test_each_level_has_its_run(self):
        folder = self.path("kept")
        out, error = self.load(
            *("--rate", "4,8", "--duration", "3s", "--capture", self.server.address, "--capture-for", "100ms"),
            *("--keep", folder, "--format", "json"),
        )
        table = json.loads(out)["tables"]["serving_levels"]
        names = [column["name"] for column in table["columns"]]
        levels = [dict(zip(names, row)) for row in table["rows"]]
        self.assertEqual([level["target_per_s"] for level in levels], [4, 8])
        for level in levels:
            # What is odd of a capture is told: two of a job of eight have reported.
            self.assertIn("6 ranks are on no host that was asked", level["capture_problem"])
            self.assertEqual(level["capture_files"], self.RECORDED)
            self.assertEqual(level["capture_page"], f"{self.server.address}/runs/{level['capture_run']}")
            self.assertIn(level["capture_page"], error)
            run = self.server.get(f"/api/v1/runs/{level['capture_run']}")
            self.assertEqual(run["name"], f"load, {level['target_per_s']} requests a second")
        self.assertNotEqual(levels[0]["capture_run"], levels[1]["capture_run"])

        with open(os.path.join(folder, "load.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        for number, level in enumerate(line for line in lines if "load_level" in line):
            # What is measured is the level's time, though its load went on.
            self.assertEqual(level["sending_ns"], 3000 * MS)
            end = level["begin_ns"] + level["sending_ns"]
            begins = [line["begin_ns"] for line in lines if line.get("level") == number]
            self.assertTrue(all(level["begin_ns"] <= begin < end for begin in begins))
            (capture,) = [line for line in lines if line.get("load_capture") == number]
            self.assertGreaterEqual(capture["begin_ns"], end)

        text, _ = program.run("serving", folder)
        flat = " ".join(text.split())
        for level in levels:
            self.assertIn(
                f"At {level['target_per_s']} a second its processes were recorded: {level['capture_page']} "
                f"(2 files; {level['capture_problem']})",
                flat,
            )

    def test_what_cannot_be_recorded_is_said(self):
        out, error = self.load(
            *("--rate", "4", "--duration", "2s", "--capture", self.server.address, "--pids", "1999999999"),
            *("--format", "json"),
        )
        table = json.loads(out)["tables"]["serving_levels"]
        names = [column["name"] for column in table["columns"]]
        (level,) = [dict(zip(names, row)) for row in table["rows"]]
        self.assertIsNone(level["capture_run"])
        self.assertTrue(level["capture_problem"])
        self.assertIn(f"not recorded: {level['capture_problem']}", error)

    def test_ctrl_c_ends_load_and_recording(self):
        words = [program.BINARY, "load", self.url, "--output-tokens", "5", "--rate", "4", "--duration", "1s"]
        words += ["--capture", self.server.address, "--format", "json"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as load:
            until(lambda: self.server.get("/api/v1/captures")["captures"], "a capture")
            load.send_signal(signal.SIGINT)
            out, _ = load.communicate(timeout=LIMIT_S)
        table = json.loads(out)["tables"]["serving_levels"]
        names = [column["name"] for column in table["columns"]]
        (level,) = [dict(zip(names, row)) for row in table["rows"]]
        self.assertTrue(level["capture_problem"])
        (capture,) = self.server.get("/api/v1/captures")["captures"]
        self.assertEqual(capture["phase"], "cancelled")

    def test_bad_usage(self):
        words = ("--capture", self.server.address)
        _, error = self.load("--ramp", "1-4", *words, expect=2)
        self.assertIn("--capture records while a level's load goes on", error)
        _, error = self.load("--rate", "4", "--capture-for", "1s", expect=2)
        self.assertIn("--capture", error)
        _, error = self.load("--rate", "4", "--duration", "1s", "--capture", "http://127.0.0.1:9", expect=(0, 1))
        self.assertIn("not recorded: ", error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
