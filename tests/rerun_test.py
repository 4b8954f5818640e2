"""`rankscope rerun`: a program before and after a change, measured and recorded from outside."""

import hashlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

import program
from server import Server

from waiting import LIMIT_S, until

program.BINARY = os.path.abspath(program.BINARY)
PROGRAMS = os.path.join(program.HERE, "..", "lab", "programs")

program.by_a_python_that_has("torch")
HAS_TORCH = importlib.util.find_spec("torch") is not None


def rerun(*arguments, cwd=None, env=None):
    command = [program.BINARY, "rerun", *arguments]
    environment = dict(os.environ, OMP_NUM_THREADS="1", **(env or {}))
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )


def state_of(folder):
    """What lies in a folder: names and contents."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.relpath(os.path.join(path, name), folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


class InFolders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def sleeper(self, name, seconds):
        self.write(name + "/data/wait.txt", str(seconds))
        return os.path.dirname(
            self.write(
                name + "/run.py", 'import time\ntime.sleep(float(open("data/wait.txt").read()))\nopen("made", "w")\n'
            )
        )


class WholeRuns(InFolders):
    def test_a_change_that_gains(self):
        # Python itself takes up to a second to start on a busy machine: what is gained lies far beyond that.
        slow, fast = self.sleeper("slow", 4), self.sleeper("fast", 0.05)
        before = state_of(self.folder)
        ran = rerun("--source", slow, "--changed", fast, "--runs", "3", "--", sys.executable, "run.py", cwd=slow)
        self.assertEqual((ran.returncode, ran.stdout[:10]), (0, "Confirmed:"), ran.stdout + ran.stderr)
        self.assertIn("whole runs: no optimizer stepped twice in them", ran.stdout)
        self.assertEqual(ran.stderr.count("before the change"), 3)
        self.assertEqual(state_of(self.folder), before)

    def test_no_change(self):
        slow = self.sleeper("slow", 0.2)
        ran = rerun(
            "--source",
            slow,
            "--env",
            "OF_NO_USE=1",
            "--runs",
            "3",
            "--format",
            "json",
            "--",
            sys.executable,
            "run.py",
            cwd=slow,
        )
        self.assertEqual(ran.returncode, 4 if json.loads(ran.stdout)["verdict"] != "confirmed" else 0, ran.stdout)
        told = json.loads(ran.stdout)
        self.assertEqual((told["schema"], told["measured"], told["finding"]), ("rankscope.rerun/1", "run", None))
        self.assertEqual((len(told["before_ns"]), len(told["after_ns"])), (3, 3))
        before, after = told["before_ns"], told["after_ns"]
        self.assertLessEqual(100 * (1 - max(after) / min(before)), told["gain_pct"])
        self.assertGreaterEqual(100 * (1 - min(after) / max(before)), told["gain_pct"])
        self.assertEqual(told["change"], ["OF_NO_USE=1"])

    def test_two_runs_cannot_tell(self):
        slow, fast = self.sleeper("slow", 0.3), self.sleeper("fast", 0.01)
        ran = rerun("--source", slow, "--changed", fast, "--runs", "2", "--", sys.executable, "run.py", cwd=slow)
        self.assertEqual(ran.returncode, 4)
        self.assertIn("fewer than three runs of each side cannot tell", ran.stdout)

    def test_the_environment_is_set_after_the_change_alone(self):
        seen = os.path.join(self.folder, "seen")
        self.write("a/run.py", f'import os\nopen({seen!r}, "a").write(os.environ.get("MODE", "as it was") + "\\n")\n')
        folder = os.path.join(self.folder, "a")
        ran = rerun(
            "--env", "MODE=fast", "--runs", "2", "--", sys.executable, os.path.join(folder, "run.py"), cwd=folder
        )
        self.assertEqual(ran.returncode, 4, ran.stdout + ran.stderr)
        with open(seen, encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), ["as it was", "fast"] * 2)

    def test_paths_of_the_source_mean_the_copy(self):
        self.write("a/code/run.py", 'import sys\nprint(open(sys.argv[1]).read())\nopen(sys.argv[1], "a").write("x")\n')
        data = self.write("a/code/data.txt", "text")
        kept = os.path.join(self.folder, "kept")
        source = os.path.join(self.folder, "a", "code")
        # Seen from another folder.
        ran = rerun(
            "--source",
            source,
            "--env",
            "A=1",
            "--runs",
            "1",
            "--keep",
            kept,
            "--",
            sys.executable,
            "a/code/run.py",
            data,
            cwd=self.folder,
        )
        self.assertEqual(ran.returncode, 4, ran.stderr)
        with open(data, encoding="utf-8") as file:
            self.assertEqual(file.read(), "text")
        with open(os.path.join(kept, "before", "source", "data.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "textx")


def record(*arguments, cwd):
    command = [program.BINARY, "record", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=LIMIT_S)


class Recordings(InFolders):
    def test_what_does_not_train_runs_as_it_would(self):
        self.write("run.py", 'print("it ran")\n')
        ran = record("--", sys.executable, "run.py", cwd=self.folder)
        self.assertEqual((ran.returncode, ran.stdout), (1, "it ran\n"))
        self.assertIn("nothing was recorded", ran.stderr)

    def test_a_command_that_fails(self):
        ran = record("--", sys.executable, "-c", "raise SystemExit(7)", cwd=self.folder)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the command ended with 7", ran.stderr)

    def test_a_folder_with_something_in_it(self):
        self.write("traces/of_yesterday", "")
        ran = record("--", "true", cwd=self.folder)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--output takes an empty or new folder, not traces", ran.stderr)

    @unittest.skipUnless(HAS_TORCH, "no Python here has torch (Debian: python3-torch)")
    def test_steps_of_a_program_that_goes_on(self):
        self.write(
            "train.py",
            """
            import torch
            layer = torch.nn.Linear(4, 4)
            optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
            for step in range(20):
                layer(torch.ones(2, 4)).sum().backward()
                optimizer.step()
            print("trained")
            """,
        )
        ran = record("-o", "out", "--steps", "3", "--", sys.executable, "train.py", cwd=self.folder)
        self.assertEqual((ran.returncode, ran.stdout), (0, "trained\n"), ran.stderr)
        self.assertIn("1 trace in out; rankscope out says what they show", ran.stderr)
        out = os.path.join(self.folder, "out")
        steps, _ = program.run("query", out, "SELECT count(*) AS n FROM steps", "--format", "csv")
        self.assertEqual(steps.split(), ["n", "3"])

    @unittest.skipUnless(HAS_TORCH, "no Python here has torch (Debian: python3-torch)")
    def test_processes_that_torchrun_starts(self):
        # What torchrun does without these, Debian's torch 1.13 cannot do on its own Python 3.11.
        torchrun = ["-m", "torch.distributed.run", "--redirects", "1", "--tee", "2", "--log_dir", self.folder + "/logs"]
        source = os.path.join(PROGRAMS, "slow_rank", "mistake")
        out = os.path.join(self.folder, "out")
        ran = record(
            "-o", out, "--", sys.executable, *torchrun, "--nproc_per_node", "2", "train.py", "24", cwd=source
        )  # fmt: skip
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("2 traces in ", ran.stderr)
        ranks, _ = program.run("query", out, "SELECT DISTINCT rank FROM steps ORDER BY rank", "--format", "csv")
        self.assertEqual(ranks.split(), ["rank", "0", "1"])
        keeping = "SELECT DISTINCT rank FROM events WHERE name LIKE '%keep_record%'"
        self.assertEqual(program.run("query", out, keeping, "--format", "csv")[0].split(), ["rank", "0"])


class TheCopy(InFolders):
    def test_a_command_that_runs_the_source_itself_is_no_measurement(self):
        self.write("pkg/run.py", "print(1)\n")
        pkg = os.path.join(self.folder, "pkg")
        ran = rerun("--source", pkg, "--env", "A=1", "--", sys.executable, "-m", "pkg.run", cwd=self.folder)
        self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)
        self.assertIn("no Python process of the command ran a file of the copy of " + pkg, ran.stderr)

    def test_words_that_look_like_folders_stay(self):
        self.write("small/of_data", "")
        self.write("run.py", 'import sys\nassert sys.argv[1] == "small", sys.argv\n')
        ran = rerun(
            "--source", self.folder, "--env", "A=1", "--runs", "1", "--", sys.executable, "run.py", "small", cwd=self.folder
        )  # fmt: skip
        self.assertEqual(ran.returncode, 4, ran.stderr)

    def test_nothing_is_left_behind_when_it_is_stopped(self):
        self.write("run.py", "import time\ntime.sleep(1000)\n")
        temporary = os.path.join(self.folder, "temporary")
        os.makedirs(temporary)
        for command in (["rerun", "--env", "A=1"], ["record"]):
            for number in (signal.SIGINT, signal.SIGTERM):
                process = subprocess.Popen(
                    [program.BINARY, *command, "--", sys.executable, "run.py"],
                    cwd=self.folder, env=dict(os.environ, TMPDIR=temporary), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )  # fmt: skip
                until(lambda: os.listdir(temporary), "the folder is there")
                process.send_signal(number)
                process.communicate(timeout=LIMIT_S)
                self.assertEqual(process.returncode, -number, command)
                self.assertEqual(os.listdir(temporary), [], command)


class Refusals(InFolders):
    def assert_fails(self, code, words, *arguments, cwd=None):
        ran = rerun(*arguments, cwd=cwd)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        self.assertIn(words, ran.stderr)

    def test_what_makes_no_sense(self):
        self.assert_fails(2, "nothing would be changed", "--", "true")
        self.assert_fails(2, "--env takes NAME=VALUE", "--env", "X", "--", "true")
        self.assert_fails(2, "--changed needs --source", "--changed", self.folder, "--", "true")
        self.assert_fails(2, "COMMAND", "--env", "A=1")
        # Before anything runs.
        self.assert_fails(2, "did you mean host-sync?", "--finding", "host-snyc", "--source", self.folder, "--", "true")
        self.assert_fails(
            2, "--keep takes an empty or new folder", "--env", "A=1", "--keep", program.HERE, "--", "true"
        )

    def test_a_command_that_fails(self):
        self.assert_fails(1, "cannot start 'no-such-program'", "--env", "A=1", "--", "no-such-program")
        self.write("a/run.py", 'raise SystemExit("the data is not there")\n')
        folder = os.path.join(self.folder, "a")
        self.assert_fails(1, "the data is not there", "--env", "A=1", "--", sys.executable, "run.py", cwd=folder)

    def test_a_command_that_hangs(self):
        self.assert_fails(1, "took longer than 1 s", "--env", "A=1", "--limit", "1", "--", "sleep", "1000")

    def test_a_program_that_does_not_train(self):
        slow = self.sleeper("slow", 0.01)
        self.assert_fails(
            1,
            "nothing was recorded",
            "--finding",
            "host-sync",
            "--env",
            "A=1",
            "--",
            sys.executable,
            "run.py",
            cwd=slow,
        )


@unittest.skipUnless(HAS_TORCH, "no Python here has torch (Debian: python3-torch)")
class Training(InFolders):
    def checkpoints(self, version):
        """
        The lab's program with fewer rows and more to save: saving is most of its time, however busy the machine is.
        """
        with open(os.path.join(PROGRAMS, "checkpoint_in_loop", version, "train.py"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("(256, 6, 256)", text)
        return os.path.dirname(self.write(version + "/train.py", text.replace("(256, 6, 256)", "(1024, 6, 16)")))

    def test_a_finding_of_a_program_of_the_lab(self):
        mistake, twin = self.checkpoints("mistake"), self.checkpoints("twin")
        server = Server(os.path.join(self.folder, "data"))
        self.addCleanup(server.stop)
        kept = os.path.join(self.folder, "kept")
        ran = rerun(
            "--finding", "checkpoint-stall", "--source", mistake, "--changed", twin,
            "--runs", "3", "--steps", "12", "--keep", kept, "--format", "json", "--server", server.address, "--model", "tiny",
            "--", sys.executable, "train.py", "40",
            cwd=mistake,
        )  # fmt: skip
        self.assertIn(ran.returncode, (0, 4), ran.stderr)
        told = json.loads(ran.stdout)
        self.assertEqual((told["finding"], told["measured"], told["clock"]), ("checkpoint-stall", "step", "host"))
        self.assertGreater(told["promised_pct"], 0)
        self.assertEqual(told["finding_after"], "gone")
        self.assertGreater(min(told["before_ns"] + told["after_ns"]), 0)
        (gain,) = server.get("/api/v1/gains?model=tiny")["gains"]
        self.assertEqual(gain["finding"], "checkpoint-stall")
        self.assertAlmostEqual(gain["promised_pct"], told["promised_pct"], 1)
        self.assertAlmostEqual(gain["measured_pct"], told["gain_pct"], 1)
        self.assertEqual(len([name for name in os.listdir(kept + "/before/run-1") if name.endswith(".times")]), 1)

    def test_what_tells_nothing_of_promises_is_not_kept(self):
        slow = self.sleeper("slow", 0.01)
        ran = rerun(
            "--env", "A=1", "--runs", "3", "--server", "http://127.0.0.1:1", "--", sys.executable, "run.py", cwd=slow
        )  # fmt: skip
        # Of three runs and three one in twenty is confirmed by chance.
        self.assertIn(ran.returncode, (0, 4), ran.stderr)
        self.assertIn("keeps gains of findings that promised one", ran.stderr)

    def test_a_finding_that_is_not_there(self):
        ran = rerun(
            "--finding", "slow-link", "--env", "A=1", "--", sys.executable, "train.py", "40", cwd=self.checkpoints("mistake")
        )  # fmt: skip
        self.assertEqual(ran.returncode, 1)
        self.assertIn("has no finding slow-link: it has ", ran.stderr)
        self.assertIn("checkpoint-stall", ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
