"""Captures with windows of snoop and offcpu: the helper of a host makes them, and they go with the traces."""

import gzip
import json
import os
import socket
import subprocess
import unittest

import agent
import program
import server
from agent import WithAgent
from waiting import LIMIT_S, until

BIN = os.path.dirname(os.path.abspath(program.BINARY))
RUNTIME = os.path.join(BIN, "fake_gpu", "libcudart.so.12")
# What the kernel, or the build, may lack: all else is a failure.
ABSENT = ("BPF is not permitted here", "has no BPF programs", "this kernel cannot do what snoop needs")
NOBODY = 65534


class Helper:
    """rankscope-agent snoop-service."""

    def __init__(self, test, *words):
        self.path = test.path("helper")
        self.process = subprocess.Popen(
            [agent.BINARY, "snoop-service", "--socket", self.path, *words], stderr=subprocess.PIPE, text=True
        )
        test.addCleanup(self.stop)
        line = self.process.stderr.readline()
        test.assertIn("listens", line, line)

    def stop(self):
        self.process.terminate()
        try:
            self.process.communicate(timeout=LIMIT_S)
        finally:
            self.process.kill()

    def ask(self, text):
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(LIMIT_S)
            asked.connect(self.path)
            asked.sendall(text.encode() + b"\n")
            parts = []
            while part := asked.recv(65536):
                parts.append(part)
        return json.loads(b"".join(parts))

    def refusal(self, **request):
        answer = self.ask(json.dumps(request))
        assert list(answer) == ["error"], str(answer)[:300]
        return answer["error"]


class Service(WithAgent):
    def test_one_that_ends_leaves_its_successors_socket(self):
        helper = Helper(self)
        Helper(self)
        helper.stop()
        self.assertTrue(os.path.exists(helper.path))

    def window(self, helper, **request):
        answer = helper.ask(json.dumps(request))
        if any(reason in answer.get("error", "") for reason in ABSENT):
            self.skipTest(answer["error"])
        self.assertNotIn("error", answer)
        return answer

    def test_windows_for_who_may_ask(self):
        helper = Helper(self, "--user", str(os.getuid()))
        one = self.start()
        training = self.train("--keeps", RUNTIME, RANK="3")
        one.wait_for_processes(1)
        found = self.window(helper, pid=training.pid, milliseconds=1000)
        self.assertEqual((found["format"], found["pid"], found["rank"]), ("rankscope-snoop-1", training.pid, 3))
        self.assertGreater(sum(row["calls"] for row in found["calls"] if row["call"] == "cudaMalloc"), 0)
        found = self.window(helper, what="offcpu", pid=training.pid, milliseconds=300)
        self.assertEqual((found["format"], found["pid"]), ("rankscope-offcpu-1", training.pid))
        # It is asked again, and goes on; what it does not do is said.
        self.assertIn("pid: is missing", helper.refusal())
        self.assertIn("'snoop', 'offcpu'", helper.refusal(pid=training.pid, what="exec"))
        self.assertIn("from 100 to 600000", helper.refusal(pid=training.pid, milliseconds=10_000_000))
        self.assertIn("is not known here", helper.refusal(pid=training.pid, output="/etc/passwd"))
        self.assertIn("use an accelerator alone", helper.refusal(pid=os.getpid()))
        self.assertIn("there is no process", helper.refusal(pid=4194303))

    @unittest.skipIf(os.geteuid() != 0, "it takes root to be somebody else")
    def test_others_are_refused(self):
        helper = Helper(self, "--user", "4000", "--of-users", str(NOBODY))
        os.chmod(self.folder, 0o755)
        asks = (
            "import os, socket, sys; os.setuid(int(sys.argv[2])); s = socket.socket(socket.AF_UNIX); "
            "s.connect(sys.argv[1]); print(s.recv(1000).decode())"
        )
        done = subprocess.run(
            ["python3", "-c", asks, helper.path, str(NOBODY)],
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT_S,
        )
        self.assertIn(f"user {NOBODY} may not ask the helper of snoop: 4000 and root may", done.stdout)
        # Root may ask, of processes of that user.
        self.start()
        training = self.train("--keeps", RUNTIME)
        self.assertIn("whose processes the helper of snoop does not look at", helper.refusal(pid=training.pid))

    def test_bad_usage(self):
        for words, code, what in (
            (["--of-users", "nobody-is-called-so"], 2, "there is no user 'nobody-is-called-so'"),
            (["--socket", "/proc/none/socket"], 1, "the socket cannot be made"),
        ):
            done = subprocess.run(
                [agent.BINARY, "snoop-service", *words], capture_output=True, text=True, check=False, timeout=LIMIT_S
            )
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertIn(what, done.stderr)


class Captures(WithAgent):
    def capture(self, one, training, **words):
        answer = one.ask(
            {
                "fn": "startCapture",
                "log_file": self.path("out.json"),
                "duration_ms": 300,
                "pids": [training.pid],
                **words,
            }
        )
        self.assertEqual(answer.get("activityProfilersTriggered"), [training.pid], answer)
        return answer["id"]

    def test_windows_lie_beside_the_trace(self):
        helper = Helper(self, "--user", str(os.getuid()))
        one = self.start(snoop__socket=helper.path)
        training = self.train("--keeps", RUNTIME, RANK="3")
        one.wait_for_processes(1)
        identity = self.capture(one, training, snoop_ms=3000, offcpu_ms=500)
        (member,) = until(lambda: [m for m in one.capture(identity)["members"] if m["state"] == "written"])
        written = member["path"]

        def windows():
            warnings = one.capture(identity)["warnings"]
            if any(reason in warning for warning in warnings for reason in ABSENT):
                self.skipTest(warnings[0])
            self.assertEqual(warnings, [])
            return os.path.exists(written + ".rankscope.json")

        until(windows)
        for what in ("snoop", "offcpu"):
            with open(f"{written}.{what}.json", encoding="utf-8") as file:
                found = json.load(file)
            self.assertEqual((found["format"], found["pid"]), (f"rankscope-{what}-1", training.pid))

    def test_triggers_take_windows(self):
        helper = Helper(self, "--user", str(os.getuid()))
        os.mkdir(self.path("out"))
        one = self.start(
            snoop__socket=helper.path,
            capture__folder=self.path("out"),
            capture__snoop_s=1,
            triggers__iteration=1,
            triggers__settle_s=0,
        )
        self.train("--keeps", RUNTIME)
        (capture,) = until(lambda: one.ask({"fn": "listCaptures"})["captures"])

        def window():
            warnings = one.capture(capture["id"])["warnings"]
            if any(reason in warning for warning in warnings for reason in ABSENT):
                self.skipTest(warnings[0])
            # The last that is written.
            return [name for name in os.listdir(self.path("out")) if name.endswith(".rankscope.json")]

        (name,) = until(window)
        name = name.replace(".rankscope.json", ".snoop.json")
        with open(os.path.join(self.path("out"), name), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["format"], "rankscope-snoop-1")

    def test_without_a_helper_one_sentence_says_what_to_enable(self):
        one = self.start(snoop__socket=self.path("nothing"))
        training = self.train()
        one.wait_for_processes(1)
        identity = self.capture(one, training, snoop_ms=1000, offcpu_ms=1000)
        warnings = until(lambda: one.capture(identity)["warnings"])
        self.assertEqual(len(warnings), 1)
        self.assertIn("systemctl enable --now rankscope-snoop", warnings[0])
        (member,) = until(lambda: [m for m in one.capture(identity)["members"] if m["state"] == "written"])
        until(lambda: os.path.exists(member["path"] + ".rankscope.json"))
        self.assertFalse(os.path.exists(member["path"] + ".snoop.json"))

    def test_what_cannot_be_asked_for(self):
        one = self.start()
        training = self.train()
        one.wait_for_processes(1)
        for words, what in (
            ({"snoop_ms": 5}, "'snoop_ms' is 100 to 600000, or 0"),
            ({"offcpu_ms": 700_000}, "'offcpu_ms' is 100 to 600000, or 0"),
            ({"snoop_ms": 1000, "memory_snapshot": True}, "windows of snoop go with a trace"),
        ):
            answer = one.ask({"fn": "startCapture", "log_file": self.path("o.json"), "pids": [training.pid], **words})
            self.assertIn(what, answer["error"])

    def test_windows_are_in_the_run_and_its_report(self):
        runs = server.Server(self.path("runs"))
        self.addCleanup(runs.stop)
        helper = Helper(self, "--user", str(os.getuid()))
        program.run("simulate", self.path("job"), "--ranks", "1", "--steps", "4", "--events", "4000")
        trace = self.path("rank0.json")
        with gzip.open(self.path("job/rank0.pt.trace.json.gz")) as packed, open(trace, "wb") as file:
            file.write(packed.read())
        one = self.start(
            server__url=runs.address,
            server__interval_s=1,
            host__name="node1",
            capture__spool_dir=self.path("spool"),
            snoop__socket=helper.path,
        )
        self.train("--trace", trace, "--keeps", RUNTIME, RANK="0", WORLD_SIZE="1")
        one.wait_for_processes(1)
        os.mkdir(self.path("out"))
        words = ("--hosts", one.addresses["rpc"], "--folder", self.path("out"), "--start-in", "1")
        out, error = program.run(
            "capture", "--server", runs.address, *words, "--duration", "200ms", "--snoop", "3s", "--offcpu", "1s"
        )
        if any(reason in error for reason in ABSENT):
            self.skipTest(error)
        run = out.strip().rsplit("/", 1)[1]
        names = [one["name"] for one in runs.get(f"/api/v1/runs/{run}/files")["files"]]
        self.assertEqual(
            sorted(name.split(".", 1)[1] for name in names), ["json.gz", "offcpu.json", "snoop.json"], names
        )
        table = runs.get(f"/api/v1/runs/{run}/tables/snoop_allocations")
        columns = [column["name"] for column in table["columns"]]
        rows = [dict(zip(columns, row)) for row in table["rows"]]
        kept = [row for row in rows if row["call"] == "cudaMalloc" and not row["inner"]]
        self.assertTrue(kept, rows)
        self.assertEqual({row["rank"] for row in kept}, {0})
        self.assertTrue(any("keeps_memory" in (row["place"] or "") for row in kept), kept)


if __name__ == "__main__":
    unittest.main(argv=["snoop_capture_test"])
