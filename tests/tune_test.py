"""`rankscope tune` on servers whose best setting is known (fake/tuned_server.py): what it chooses, what it leaves behind when it is killed, and that a service
has its old settings whatever happens to the tuner, its guard or the canary."""

import glob
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import program
from server import Server
from waiting import LIMIT_S, until

SERVER = os.path.join(program.HERE, "fake", "tuned_server.py")
SERVICE = os.path.join(program.HERE, "fake", "tuned_service.py")
LOAD = ["--endpoint", "plain", "--path", "/work", "--users", "24", "--duration", "1s", "--drain", "2s", "--no-stream"]
OLD = '{"slots": 2}   \n'


def free_port():
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


class Tune(unittest.TestCase):
    def setUp(self):
        # A guard may still write its log when a test is over.
        self.temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name
        self.log = self.path("servers.log")
        os.environ["XDG_STATE_HOME"] = self.path("state")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def adapter(self, with_trial=True, service="", most=64):
        trial = f'[trial]\nstart = {json.dumps([sys.executable, SERVER, "${port}", "${slots}", self.log])}\n'
        return self.write(
            "adapter.toml",
            f'name = "fake"\n{trial if with_trial else ""}{service}\n'
            f'[parameters.slots]\nscale = "log2"\nleast = 1\nmost = {most}\ndefault = 2\n',
        )

    # A running service with its settings in a file, OLD at first.
    def serve(self, content='{"slots": ${slots}}', late=()):
        self.write("settings.json", OLD)
        os.chmod(self.path("settings.json"), 0o640)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, SERVICE, self.folder, str(self.port), *late]
        subprocess.run(command, check=True)
        self.addCleanup(self.end_service)
        return (
            f'[service]\nurl = "{self.url}"\nfile = "settings.json"\ncontent = {json.dumps(content)}\n'
            f"apply = {json.dumps(command)}\n"
        )

    def end_service(self):
        try:
            os.kill(int(self.read("pid")), signal.SIGKILL)
        except ProcessLookupError:
            pass

    def slots(self):
        with urllib.request.urlopen(self.url + "/slots") as reply:
            return json.load(reply)["slots"]

    # None while the service is down or going down: an answer may be cut off in its middle.
    def slots_or_none(self):
        try:
            return self.slots()
        except (OSError, http.client.HTTPException):
            return None

    def is_old(self):
        return self.read("settings.json") == OLD and self.slots_or_none() == 2 and self.lease()["state"] == "restored"

    def lease_folder(self):
        (name,) = os.listdir(self.path("state", "rankscope", "tune"))
        return self.path("state", "rankscope", "tune", name)

    def lease(self):
        with open(os.path.join(self.lease_folder(), "lease.json"), encoding="utf-8") as file:
            return json.load(file)

    def words(self):
        on_service = [] if "[trial]" in self.read("adapter.toml") else ["--on-service"]
        return ["tune", self.path("adapter.toml"), *LOAD, "--trials", "13", *on_service]

    def tune(self, *arguments, expect=(0,)):
        out, err = program.run(*self.words(), "--format", "json", *arguments, expect=expect)
        return json.loads(out) if out else None, err

    def start(self, *arguments):
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program.BINARY, *self.words(), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def live_servers(self):
        if not os.path.exists(self.log):
            return []
        pids = [line.split()[1] for line in self.read("servers.log").splitlines() if line.startswith("start")]
        return [pid for pid in pids if os.path.exists(f"/proc/{pid}/stat") and "tuned_server" in self.words_of(pid)]

    @staticmethod
    def words_of(pid):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def guard_of(self, process):
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as file:
            (guard,) = [int(pid) for pid in file.read().split() if "--guard" in self.words_of(pid)]
        return guard

    def test_finds_the_greatest_setting_that_lives(self):
        self.adapter()
        report, err = self.tune()
        self.assertEqual(report["schema"], "rankscope.tune/1")
        self.assertTrue(report["is_change"], report["headline"])
        self.assertIn(report["settings"]["slots"], (8, 16))
        self.assertGreater(report["gain"]["factor"], 2.5)
        self.assertEqual(len(report["trials"]), 12)
        self.assertEqual([one["stage"] for one in report["trials"][:3]], ["baseline"] * 3)
        for trial in report["trials"]:
            self.assertEqual(trial["runs"], trial["settings"]["slots"] <= 16)
            if not trial["runs"]:
                self.assertIn("out of memory", trial["why"])
                self.assertIsNone(trial["good_per_s"])
        self.assertIn(f"{report['settings']['slots']}", report["command"])
        self.assertIn("13/13 final", err)
        self.assertEqual(self.live_servers(), [])

    def test_trials_are_shown_on_a_server_as_they_end(self):
        self.adapter(most=16)
        server = Server(self.path("data"))
        self.addCleanup(server.stop)
        report = self.path("report.json")
        process = self.start("--server", server.address, "--name", "mine", "--format", "json", "-o", report)

        def headlines():
            runs = server.get("/api/v1/runs?q=mine")["runs"]
            return [((run.get("summary") or {}).get("headline") or "") for run in runs]

        until(lambda: any("Tuning fake" in one for one in headlines()), "trials on the server while it goes on")
        _, err = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("trials are shown at " + server.address, err)
        headline = json.loads(self.read("report.json"))["headline"].rstrip(".")
        until(lambda: headlines() == [headline], "the last report")

    def test_a_server_that_is_away_begins_no_search(self):
        self.adapter(most=16)
        _, err = self.tune("--server", f"http://127.0.0.1:{free_port()}", expect=(1,))
        self.assertIn("cannot connect", err)
        _, err = self.tune("--of", "0123456789abcdef", expect=(2,))
        self.assertIn("--of and --name are of a run on --server", err)

    def test_a_report_compares_what_was_measured_alike(self):
        self.adapter(most=16)
        text, _ = program.run(*self.words())
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f]", text), text)
        (now,) = re.findall(r"With its settings of now ([\d.]+) requests a second are\s+good", text)
        baseline = [float(rate) for rate in re.findall(r"baseline .* ([\d.]+)/s", text)]
        self.assertEqual(len(baseline), 3)
        # Of equal runs, on a machine that may be busy.
        self.assertGreater(float(now), min(baseline) / 3)
        self.assertLess(float(now), max(baseline) * 3)

    def test_a_trial_does_not_pay_for_the_one_before(self):
        live = json.dumps(["curl", "-sf", "${url}/set", "-d", '{"slots": ${slots}}'])
        start = json.dumps([sys.executable, SERVER, "${port}", "${slots}", self.log])
        self.write(
            "adapter.toml",
            f'name = "fake"\n[trial]\nstart = {start}\nlive = {live}\n'
            '[parameters.slots]\nscale = "log2"\nleast = 1\nmost = 2\ndefault = 1\nrestart = false\n',
        )
        # Each trial of one slot ends with three seconds of requests that were given up.
        load = ["--endpoint", "plain", "--path", "/work", "--slo", "e2e=200ms", "--top", "450", "--no-stream"]
        program.run(
            *["tune", self.path("adapter.toml"), *load, "--duration", "1s", "--drain", "200ms", "--trials", "13"],
            *["--keep", self.path("run")],
        )
        self.assertEqual(len(self.read("servers.log").splitlines()), 2)  # it started once, and ended
        trials = glob.glob(self.path("run", "trials", "*", "load.jsonl"))
        self.assertGreaterEqual(len(trials), 12)
        for trial in trials:
            with open(trial, encoding="utf-8") as file:
                first = next(one for one in map(json.loads, file) if "load_request" in one)
            self.assertLess(first["end_ns"], 1.5e9, trial)

    def test_goes_on_where_it_was_killed(self):
        self.adapter()
        process = self.start("--keep", self.path("run"))
        journal = self.path("run", "journal.jsonl")

        def lines():
            return len(self.read("run", "journal.jsonl").splitlines()) if os.path.exists(journal) else 0

        until(lambda: lines() >= 5, "four trials")
        process.kill()
        process.wait()
        # Its server goes, too: the guard sees to it.
        until(lambda: not self.live_servers(), "the trial's server ends with the tuner")
        before = self.read("run", "journal.jsonl").splitlines()
        report, err = self.tune("--keep", self.path("run"))
        self.assertIn("goes on behind trial", err)
        self.assertEqual(self.read("run", "journal.jsonl").splitlines()[: len(before)], before)
        self.assertEqual(len(report["trials"]), 12)
        self.assertTrue(report["is_change"])
        # What is kept is read as tables, the recordings of single trials left out.
        kept = json.loads(self.read("run", "tune.json"))
        self.assertEqual((kept["is_running"], kept["trials"]), (False, report["trials"]))
        out, err = program.run("serving", self.path("run"), "--table", "serving_trials", "--format", "jsonl")
        rates = [json.loads(line).get("good_per_s") for line in out.splitlines()]
        self.assertEqual(rates, [trial["good_per_s"] for trial in report["trials"]])
        self.assertIn("files of its trials are left out", err)
        self.assertIn("TRIALS (12 trials)", program.run("serving", self.path("run"))[0])
        # Asked otherwise, the folder is refused, and names what it was asked.
        _, err = self.tune("--keep", self.path("run"), "--seed", "5", expect=(1,))
        self.assertIn("asked otherwise (seed 1, now 5)", err)

    def test_stops_in_good_order(self):
        self.adapter()
        process = self.start()
        until(self.live_servers, "a server")
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(LIMIT_S), (-signal.SIGINT, 130))
        until(lambda: not self.live_servers(), "its server has ended")

    def test_a_dry_run_says_what_and_starts_nothing(self):
        self.adapter(service=self.serve())
        out, _ = program.run("tune", self.path("adapter.toml"), *LOAD, "--apply", "--dry-run")
        for words in ("24 requests at once", "slots: 1 to 64; now 2", "settings.json is written anew", "Lease"):
            self.assertIn(words, " ".join(out.split()))
        self.assertFalse(os.path.exists(self.log))
        self.assertFalse(os.path.exists(self.path("state")))

    def test_a_canary_that_goes_well_is_kept_and_can_be_undone(self):
        self.adapter(service=self.serve())
        report, _ = self.tune("--apply", "--canary", "2s", "--canary-rate", "20")
        self.assertEqual(report["applied"], "kept", report["canary"])
        self.assertEqual(self.slots(), report["settings"]["slots"])
        self.assertEqual(os.stat(self.path("settings.json")).st_mode & 0o777, 0o640)
        self.assertEqual(self.lease()["state"], "kept")
        self.assertEqual(report["revert"], self.lease_folder())
        _, err = program.run("tune", "--restore", self.lease_folder())
        self.assertIn("old settings again", err)
        self.assertTrue(self.is_old())

    def test_a_canary_that_fails_is_rolled_back(self):
        self.adapter(service=self.serve(content='{"slots": ${slots}, "fails": true}'))
        report, _ = self.tune("--apply", "--canary", "2s", "--canary-rate", "20", expect=(4,))
        self.assertEqual(report["applied"], "broken")
        self.assertIn("failed", report["canary"])
        self.assertTrue(self.is_old())

    def test_a_service_that_does_not_come_back_is_rolled_back(self):
        self.adapter(service=self.serve(content='{"slots": 1${slots}}'))
        report, _ = self.tune("--apply", "--canary", "2s", "--canary-rate", "20", expect=(4,))
        self.assertEqual(report["applied"], "broken")
        self.assertIn("did not come back", report["canary"])
        self.assertTrue(self.is_old())

    # Trials on the service itself: it is changed all the time.
    def test_a_killed_tuner_leaves_the_old_settings(self):
        self.adapter(with_trial=False, service=self.serve(), most=16)
        moment = random.Random(7)
        for _ in range(4):
            process = self.start()
            until(lambda: self.slots_or_none() not in (2, None), "other settings")
            time.sleep(moment.uniform(0, 1.5))
            process.kill()
            process.wait()
            until(self.is_old, "the old settings")

    def test_a_killed_guard_leaves_the_old_settings(self):
        self.adapter(with_trial=False, service=self.serve(), most=16)
        process = self.start()
        until(lambda: self.slots_or_none() not in (2, None), "other settings")
        os.kill(self.guard_of(process), signal.SIGKILL)
        self.assertEqual(process.wait(LIMIT_S), 1)
        self.assertIn("the guard has ended", process.stderr.read())
        self.assertTrue(self.is_old())

    def test_a_change_that_outlives_its_guard_is_ended(self):
        # A command that takes its time, and has read the new settings already.
        self.adapter(with_trial=False, service=self.serve(late=[str(LIMIT_S)]), most=16)
        process = self.start()
        until(lambda: os.path.exists(self.path("late")) and self.read("late"), "a change under way")
        command = int(self.read("late"))
        self.assertIn("tuned_service", self.words_of(command))
        os.kill(self.guard_of(process), signal.SIGKILL)
        self.assertEqual(process.wait(LIMIT_S), 1)
        said = process.stderr.read()
        self.assertIn("the service has its old settings", said)
        self.assertTrue(self.is_old(), said)
        self.assertNotIn("tuned_service", self.words_of(command))

    def test_a_service_that_is_not_ready_is_not_changed(self):
        service = self.serve().replace(self.url, f"http://127.0.0.1:{free_port()}")
        self.adapter(service=service)
        before = self.read("pid")
        _, err = self.tune("--apply", expect=(1,))
        self.assertIn("not ready as it is", err)
        self.assertEqual((self.read("settings.json"), self.read("pid")), (OLD, before))
        self.assertFalse(os.path.exists(self.log))

    def test_when_both_were_killed_the_next_one_restores(self):
        self.adapter(with_trial=False, service=self.serve(), most=16)
        process = self.start()
        until(lambda: self.slots_or_none() not in (2, None), "other settings")
        guard = self.guard_of(process)
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(guard, signal.SIGKILL)
        process.kill()
        process.wait()
        self.assertEqual(self.lease()["state"], "held")
        report, err = self.tune()
        self.assertIn("its old settings are back", err)
        self.assertTrue(report["is_change"])
        self.assertTrue(self.is_old())

    def test_one_tuner_at_a_time(self):
        self.adapter(with_trial=False, service=self.serve(), most=16)
        process = self.start()
        until(lambda: self.slots_or_none() not in (2, None), "other settings")
        _, err = self.tune(expect=(1,))
        self.assertIn("another tuner is at work", err)
        process.kill()
        until(self.is_old, "the old settings, before their folder goes")

    def test_says_what_is_wrong_with_an_adapter(self):
        good = '[trial]\nstart = ["x", "${slots}"]\n[parameters.slots]\nleast = 1\nmost = 4\ndefault = 2\n'
        for text, words in (
            ("name = 'a'\n" + good.replace("least", "leest"), "line 5: parameters.slots.leest is nothing"),
            ("name = 'a'\n" + good.replace("${slots}", "${slot}"), "did you mean ${slots}?"),
            ("name = 'a'\n" + good.replace("${slots}", "y"), "never tells the server of the parameter slots"),
            ("name = 'a'\n" + good.replace("default = 2", "default = 9"), "the default is out of bounds"),
            ("name = 'a'\n[trial]\nstart = ['x']\n", "needs a [parameters.NAME]"),
            (good, "an adapter needs a name"),
            ("name = [\n", "line 1"),
            ("", "an adapter needs a name"),
        ):
            path = self.write("wrong.toml", text)
            _, err = program.run("tune", path, "--users", "4", "--dry-run", expect=(1, 2))
            self.assertIn(words, err, text)
        path = self.write(
            "service.toml",
            "name = 'a'\n[service]\nurl = 'http://127.0.0.1:1'\napply = ['x', '${slots}']\n"
            + good[good.index("[param") :],
        )
        _, err = program.run("tune", path, "--users", "4", expect=(1, 2))
        self.assertIn("--on-service", err)
        _, err = program.run("tune", "vlm", "--users", "4", expect=(1, 2))
        self.assertIn("vllm", err)
        _, err = program.run("tune", "vllm", "--users", "4", expect=(1, 2))
        self.assertIn("--set model=VALUE", err)
        _, err = program.run("tune", "vllm", "--set", "model=m", expect=(1, 2))
        self.assertIn("--slo", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
