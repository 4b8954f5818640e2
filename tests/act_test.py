"""What a server does about findings: patches of a run's code, notebooks, runs again and what they gained."""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import program
from fix_test import PROGRAM
from server import Server
from waiting import until

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(program.BINARY)), "..", "python")
NO_RUN = "0123456789abcdef"


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *arguments], capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def python(code, *arguments, cwd, expect=0, **variables):
    """What a program prints that imports the package."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": PACKAGE, **variables},
        capture_output=True,
        check=False,
    )
    assert done.returncode == expect, done.stderr.decode()
    return (done.stdout if expect == 0 else done.stderr).decode()


class Acts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.job = cls.path("job")
        program.run(
            "simulate", cls.job, "--ranks", "2", "--steps", "4", "--events", "8000", "--plant", "data-starvation"
        )
        cls.code = cls.path("code")
        os.mkdir(cls.code)
        with open(os.path.join(cls.code, "train.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        cls.repository = cls.path("repository")
        os.mkdir(cls.repository)
        git(cls.repository, "init", "-q")
        with open(os.path.join(cls.repository, "train.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        git(cls.repository, "add", ".")
        git(cls.repository, "commit", "-qm", "first")
        cls.commit = git(cls.repository, "rev-parse", "HEAD")
        # What lies there now is not what ran.
        with open(os.path.join(cls.repository, "train.py"), "w", encoding="utf-8") as file:
            file.write("")
        cls.server = Server(cls.path("data"), "--repository", cls.repository)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def pushed(self, name, *arguments, job=None):
        out, _ = program.run(
            "push", job or self.job, "--server", self.server.address, "--name", name, "--wait", *arguments
        )
        return out.split("/runs/")[1].split()[0]

    def patch_of(self, run, query="", expect=200):
        return self.server.ask("GET", f"/api/v1/runs/{run}/patch{query}", expect=expect)[2]

    def test_a_patch_of_code_that_was_pushed(self):
        run = self.pushed("pushed", "--source", self.code)
        shown = self.server.get(f"/api/v1/runs/{run}")
        self.assertEqual((shown["has_source"], shown["files"]), (True, 2))
        patch = self.patch_of(run)
        self.assertEqual(patch["schema"], "rankscope.fix/1")
        self.assertIsNone(patch["nothing"])
        self.assertEqual({change["finding"] for change in patch["changes"]}, {"data-starvation"})
        local, _ = program.run("fix", self.job, "--source", self.code)
        self.assertEqual(patch["diff"], local)
        self.assertEqual(self.patch_of(run, "?format=diff&finding=data-starvation").decode(), local)
        self.assertIn("2.1.0", str(self.patch_of(run, "?format=sarif")))
        self.assertIn("there is no finding", str(self.patch_of(run, "?finding=nope", 400)))
        self.assertIn("format is", str(self.patch_of(run, "?format=x", 400)))
        # Code is no trace: the report is that of the traces alone.
        self.assertEqual(self.server.get(f"/api/v1/runs/{run}/report")["quality"], [])

    def test_a_patch_of_a_commit(self):
        run = self.pushed("by-commit", "--tag", f"commit={self.commit[:10]}")
        local, _ = program.run("fix", self.job, "--source", self.repository, "--commit", self.commit)
        self.assertIn("num_workers", local)
        self.assertEqual(self.patch_of(run)["diff"], local)
        odd = self.pushed("no-commit", "--tag", "commit=" + "0" * 40)
        said = str(self.patch_of(odd, expect=422))
        self.assertIn("no commit '0000000", said)
        self.assertNotIn(self.folder, said)
        option = self.pushed("an-option", "--tag", "commit=--output=/tmp/x")
        self.assertIn("push it with --source", str(self.patch_of(option, expect=404)))

    def test_without_code_it_is_said(self):
        self.assertIn("push it with --source", str(self.patch_of(self.pushed("none"), expect=404)))
        self.patch_of(NO_RUN, expect=404)

    def test_a_clean_tree_says_its_commit(self):
        git(self.repository, "worktree", "add", "-q", self.path("tree"), self.commit)
        run = self.pushed("clean", "--source", self.path("tree"))
        self.assertEqual(self.server.get(f"/api/v1/runs/{run}")["tags"], {"commit": self.commit})

    def test_hostile_code(self):
        run = self.server.new_run(name="hostile")
        for name in os.listdir(self.job):
            if name != "truth.json":
                self.server.upload(run, os.path.join(self.job, name))
        for text in (b"{", b'{"path":"../../x.py","text":""}\n', b'{"path":"x.py","text":"(' + b"(" * 100000 + b'"}\n'):
            self.server.ask("PUT", f"/api/v1/runs/{run}/files/.source.jsonl", text)
            self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
            self.server.wait(run)
            status, _, said = self.server.ask("GET", f"/api/v1/runs/{run}/patch")
            self.assertIn(status, (200, 422), said)
            self.assertNotIn(self.folder, str(said))
            self.server.ask("POST", f"/api/v1/runs/{run}/reopen", expect=200)

    def test_the_notebook_fetches_the_run(self):
        run = self.pushed("notebook", "--source", self.code)
        status, fields, body = self.server.ask("GET", f"/api/v1/runs/{run}/notebook")
        self.assertEqual(status, 200)
        self.assertIn(f"run-{run}.ipynb", fields["content-disposition"])
        notebook = json.loads(body)
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        opening = next(cell for cell in cells if "rankscope.fetch" in cell)
        self.assertIn(f"{self.server.address}/api/v1/runs/{run}", opening)
        self.assertNotIn(self.folder, str(body))
        code = "import rankscope\n" + opening + "\nprint([finding.id for finding in job.findings])"
        self.assertIn("data-starvation", python(code, cwd=self.folder))
        self.assertEqual(
            sorted(os.listdir(self.path(f"run-{run}"))),
            sorted(name for name in os.listdir(self.job) if name.endswith(".json.gz")),
        )

    def test_fetching_again_fetches_what_is_missing(self):
        run = self.pushed("again")
        code = (
            "import rankscope, sys\n"
            "told = []\n"
            "print(rankscope.fetch(sys.argv[1], sys.argv[2], progress=told.append))\n"
            "print(len(told) > 0)"
        )
        address, folder = f"{self.server.address}/runs/{run}", self.path("fetched")
        self.assertEqual(python(code, address, folder, cwd=self.folder).split(), [folder, "True"])
        self.assertEqual(python(code, address, folder, cwd=self.folder).split(), [folder, "False"])
        first = os.path.join(folder, sorted(os.listdir(folder))[0])
        with open(first, "r+b") as file:
            file.write(b"damaged")
        self.assertEqual(python(code, address, folder, cwd=self.folder).split(), [folder, "True"])
        for other, words in (
            (f"{self.server.address}/runs/{NO_RUN}", "NotFoundError"),
            ("http://127.0.0.1:1/runs/" + run, "cannot be reached"),
            (self.server.address, "is no address of a run"),
        ):
            self.assertIn(words, python(code, other, folder, cwd=self.folder, expect=1))

    def test_a_token_stays_at_the_server_that_was_named(self):
        """Hostile servers: what they lead to, announce or send is no reason to tell or to write anything."""
        heard = []

        class Other(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                heard.append(self.headers.get("Authorization"))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b'{"files":[]}')

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        class Hostile(Other):
            answer = (302, b"")

            def do_GET(self):
                status, body = self.answer
                self.send_response(status)
                self.send_header("Location", other)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        addresses = []
        for handler in (Other, Hostile):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
            addresses.append(f"http://127.0.0.1:{server.server_port}")
        other, hostile = addresses
        code = (
            "import rankscope, sys\n"
            "try:\n    rankscope.fetch(sys.argv[1] + '/runs/" + NO_RUN + "', sys.argv[2], token='rs_secret')\n"
            "except rankscope.Error as error:\n    print(type(error).__name__, error)\n"
        )
        digest = "0" * 64
        names = ("../x", "a\0b", "/etc/x", "x" * 400, 7)
        lists = [{"files": [{"name": name, "bytes": 1, "sha256": digest}]} for name in names]
        lists += [{"files": [{"name": "a", "bytes": "1", "sha256": digest}]}, {"files": {}}, {"files": []}, [], {}]
        bodies = [(302, b"", "IoError")] + [(200, json.dumps(one).encode(), "") for one in lists]
        bodies += [
            (200, b"<html>", "BadDataError"),
            (200, b"[" * 100_000, "BadDataError"),
            (500, b"[" * 9999, "IoError"),
        ]
        for status, body, kind in bodies:
            Hostile.answer = (status, body)
            told = python(code, hostile, self.path("hostile"), cwd=self.folder)
            self.assertIn("Error ", told, body[:80])
            self.assertTrue(told.startswith(kind), told)
        self.assertEqual(heard, [])
        self.assertFalse(os.path.exists(self.path("x")))

    def test_files_with_odd_names_are_left_out_and_told(self):
        code = self.path("odd")
        os.mkdir(code)
        for name, text in ((b"train.py", PROGRAM.encode()), (b"\xff.py", b""), (b"\xfe.py", b""), (b"old.py", b"\xe9")):
            with open(os.path.join(code.encode(), name), "wb") as file:
                file.write(text)
        _, told = program.run("push", self.job, "--server", self.server.address, "--name", "odd", "--source", code)
        self.assertIn("not UTF-8", told)
        self.assertIn("old.py: not sent", told)
        (run,) = [one["id"] for one in self.server.get("/api/v1/runs?q=odd")["runs"] if one["name"] == "odd"]
        self.server.wait(run)
        self.assertIn("num_workers", self.patch_of(run)["diff"])

    def test_gains_follow_the_tags(self):
        base = self.pushed("tags")
        mended = self.path("faster")
        program.run("simulate", mended, "--ranks", "2", "--steps", "4", "--events", "8000", "--seed", "5")
        test = self.pushed("later", job=mended)

        def kept():
            return [one["finding"] for one in self.server.get("/api/v1/gains")["gains"] if one["test"] == test]

        for tags, expected in (
            ({}, []),
            ({"again_of": base, "finding": "data-starvation"}, ["data-starvation"]),
            ({"again_of": base, "finding": "host-sync"}, []),
            ({"again_of": base, "finding": "data-starvation"}, ["data-starvation"]),
            ({"again_of": test, "finding": "data-starvation"}, []),
            ({"again_of": base, "finding": "data-starvation"}, ["data-starvation"]),
            ({}, []),
        ):
            self.server.ask("PATCH", f"/api/v1/runs/{test}", {"tags": tags}, expect=200)
            self.assertEqual(kept(), expected, tags)
        # A part of the first recording is no second one.
        part = self.path("part")
        os.mkdir(part)
        name = next(name for name in os.listdir(self.job) if name.endswith(".json.gz"))
        os.link(os.path.join(self.job, name), os.path.join(part, name))
        test = self.pushed("part", "--tag", f"again_of={base}", "--tag", "finding=data-starvation", job=part)
        self.assertEqual(kept(), [])

    def test_a_second_run_is_measured(self):
        first = self.pushed("first", "--model", "llama", "--tag", "command=python train.py", "--tag", "environment=A=1")
        again = self.server.get(f"/api/v1/runs/{first}/again")
        self.assertEqual((again["command"], again["environment"]), ("python train.py", "A=1"))
        self.assertEqual((again["runs"], again["expected"], again["can_launch"]), ([], [], False))
        self.assertIn(f"--tag again_of={first}", again["push"])
        mended = self.path("mended")
        program.run("simulate", mended, "--ranks", "2", "--steps", "4", "--events", "8000")
        second = self.pushed("second", "--tag", f"again_of={first}", "--tag", "finding=data-starvation", job=mended)
        report = self.server.get(f"/api/v1/runs/{first}/report")
        (promised,) = [one["gain_pct"] for one in report["findings"] if one["id"] == "data-starvation"]
        before, after = (
            self.server.get(f"/api/v1/runs/{run}")["summary"]["step_time_ns"]["mean"] for run in (first, second)
        )
        measured = 100 * (1 - after / before)
        (run,) = self.server.get(f"/api/v1/runs/{first}/again")["runs"]
        self.assertEqual((run["id"], run["finding"], run["state"]), (second, "data-starvation", "ready"))
        self.assertAlmostEqual(run["promised_pct"], promised, 6)
        self.assertAlmostEqual(run["gain_pct"], measured, 6)
        self.assertAlmostEqual(run["step_ns"], after, 3)
        gains = self.server.get("/api/v1/gains?finding=data-starvation&model=llama")["gains"]
        (gain,) = [one for one in gains if one["test"] == second]
        self.assertEqual((gain["base"], gain["model"]), (first, "llama"))
        self.assertAlmostEqual(gain["measured_pct"], measured, 6)
        # It outlives the runs, and the server.
        for one in (first, second):
            self.server.ask("DELETE", f"/api/v1/runs/{one}", expect=204)
        self.server.stop()
        self.server.restart()
        self.assertIn(gain, self.server.get("/api/v1/gains?finding=data-starvation")["gains"])
        # The next promise is read with it: drawn towards what was promised, as if two more had gained that.
        third = self.pushed("third", "--model", "llama")
        (expected,) = self.server.get(f"/api/v1/runs/{third}/again")["expected"]
        self.assertEqual((expected["measured"], expected["of_model"]), (1, 1))
        ratio = min(max(measured / promised, -1), 2)
        of_finding = (2 + ratio) / 3
        self.assertAlmostEqual(expected["expected_pct"], promised * (2 * of_finding + ratio) / 3, 6)

    def test_gains_from_elsewhere(self):
        asked = {"finding": "gc-pause", "model": "m", "promised_pct": 10.0, "measured_pct": 8.0}
        made = self.server.ask("POST", "/api/v1/gains", asked, expect=201)[2]
        self.assertEqual((made["base"], made["test"], made["measured_pct"]), (None, None, 8.0))
        self.assertEqual(self.server.get("/api/v1/gains?finding=gc-pause")["gains"], [made])
        for wrong in (
            {**asked, "promised_pct": 0.1},
            {"finding": "a"},
            {**asked, "odd": 1},
            {**asked, "measured_pct": 101},
            {**asked, "finding": "<b>"},
        ):
            self.server.ask("POST", "/api/v1/gains", wrong, expect=400)

    def test_nothing_is_launched_by_default(self):
        run = self.pushed("default")
        said = self.server.ask("POST", f"/api/v1/runs/{run}/again", {"finding": "data-starvation"}, expect=404)[2]
        self.assertIn("--launcher", str(said))


class Launches(unittest.TestCase):
    """Who may run a job again, and what that leaves behind."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.tokens = {}
        for name, role, team in (
            ("ann", "upload", "red"),
            ("bob", "upload", "red"),
            ("eve", "upload", "blue"),
            ("reader", "read", "red"),
            ("root", "admin", "*"),
        ):
            out, _ = program.run("token", role, "--team", team, "--name", name, "--file", self.path("tokens"))
            self.tokens[name] = out.split()[-1]
        with open(self.path("launcher.json"), "w", encoding="utf-8") as file:
            script = f"echo submitted $0 for $RANKSCOPE_USER; echo $0 $1 >> {self.path('launched')}"
            json.dump({"argv": ["sh", "-c", script, "{run}", "{finding}"]}, file)
        job = self.path("job")
        program.run("simulate", job, "--ranks", "1", "--steps", "3", "--events", "2000", "--plant", "data-starvation")
        self.server = Server(
            self.path("data"), "--token-file", self.path("tokens"), "--launcher", self.path("launcher.json")
        )
        self.addCleanup(self.server.stop)
        token = self.path("ann")
        with open(token, "w", encoding="utf-8") as file:
            file.write(self.tokens["ann"])
        out, _ = program.run(
            "push", job, "--server", self.server.address, "--token-file", token, "--name", "a", "--wait"
        )
        self.run_id = out.split("/runs/")[1].split()[0]

    def path(self, name):
        return os.path.join(self.folder, name)

    def ask(self, who, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        status, _, answer = self.server.ask(method, path, body, headers)
        return status, answer

    def test_its_user_and_admins_alone(self):
        address = f"/api/v1/runs/{self.run_id}"
        self.assertEqual(self.ask("ann", "GET", address)[1]["user"], "ann")
        order = {"finding": "data-starvation"}
        for who, status, can in (
            ("ann", 202, True),
            ("bob", 403, False),
            ("eve", 404, None),
            ("reader", 403, False),
            ("root", 202, True),
        ):
            if can is not None:
                self.assertEqual(self.ask(who, "GET", address + "/again")[1]["can_launch"], can, who)
            self.assertEqual(self.ask(who, "POST", address + "/again", order)[0], status, who)
        self.assertEqual(self.server.ask("POST", address + "/again", order)[0], 401)
        with open(self.path("launched"), encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), [f"{self.run_id} data-starvation"] * 2)
        # Nobody takes a run over to launch it.
        self.assertEqual(self.ask("bob", "PATCH", address, {"user": "bob"})[0], 400)
        self.assertEqual(self.ask("bob", "PATCH", address, {"name": "b"})[0], 200)
        # Who asked is in the log and on the page.
        notes = self.ask("ann", "GET", address + "/notes")[1]["notes"]
        self.assertEqual(
            [(note["user"], note["text"]) for note in notes],
            [(who, f"Run again for data-starvation: submitted {self.run_id} for {who}") for who in ("ann", "root")],
        )
        said = self.server.events("launch")
        self.assertEqual(len(said), 4)
        self.assertIn(f"run {self.run_id} again for data-starvation, asked by ann", said[0])

    def test_a_search_for_settings(self):
        """The tuner of a server is for runs of serving programs, their users and admins."""
        with open(self.path("tuner.json"), "w", encoding="utf-8") as file:
            json.dump({"argv": ["sh", "-c", "echo $0 $1 $RANKSCOPE_SLO", "{run}", "{slo}"]}, file)
        self.server.stop()
        self.server.arguments = ("--token-file", self.path("tokens"), "--tuner", self.path("tuner.json"))
        self.server.restart()
        with open(self.path("metrics.prom"), "w", encoding="utf-8") as file:
            file.write("vllm:num_requests_running 3\nvllm:num_requests_waiting 1\n")
        runs = {}
        for slo in ("ttft=500ms,tpot=50ms", "$(x)"):
            run = self.ask("ann", "POST", "/api/v1/runs", {"name": "chat", "tags": {"kind": "serving", "slo": slo}})[1][
                "id"
            ]
            runs[slo] = run
            with open(self.path("metrics.prom"), "rb") as file:
                self.assertEqual(self.ask("ann", "PUT", f"/api/v1/runs/{run}/files/metrics.prom", file.read())[0], 201)
            self.ask("ann", "POST", f"/api/v1/runs/{run}/finish")
            until(
                lambda run=run: self.ask("ann", "GET", f"/api/v1/runs/{run}")[1]["state"] in ("ready", "failed"),
                "a report",
            )
        run = runs["ttft=500ms,tpot=50ms"]
        told = self.ask("ann", "GET", f"/api/v1/runs/{run}/tuning")[1]
        self.assertEqual((told["can_launch"], told["runs"]), (True, []))
        self.assertEqual(
            told["command"],
            f"rankscope tune ADAPTER --slo ttft=500ms,tpot=50ms --server {self.server.address} --of {run}",
        )
        self.assertFalse(self.ask("bob", "GET", f"/api/v1/runs/{run}/tuning")[1]["can_launch"])
        for who, status in (("bob", 403), ("eve", 404), ("reader", 403)):
            self.assertEqual(self.ask(who, "POST", f"/api/v1/runs/{run}/tuning")[0], status, who)
        status, said = self.ask("ann", "POST", f"/api/v1/runs/{run}/tuning")
        self.assertEqual((status, said.get("output")), (202, f"{run} ttft=500ms,tpot=50ms ttft=500ms,tpot=50ms"), said)
        # What is no objective goes nowhere.
        other = runs["$(x)"]
        self.assertNotIn("$(x)", self.ask("ann", "GET", f"/api/v1/runs/{other}/tuning")[1].get("command", ""))
        # A job that trains has none, and is not run again by the tuner.
        self.assertEqual(self.ask("ann", "GET", f"/api/v1/runs/{self.run_id}/tuning")[0], 404)
        again = self.ask("ann", "POST", f"/api/v1/runs/{self.run_id}/again", {"finding": "data-starvation"})
        self.assertEqual(again[0], 404, again)
        # Searches that were begun for it are listed with what came of them.
        self.ask("ann", "PATCH", f"/api/v1/runs/{other}", {"tags": {"optimises": run}})
        (search,) = self.ask("ann", "GET", f"/api/v1/runs/{run}/tuning")[1]["runs"]
        self.assertEqual((search["id"], search["name"]), (other, "chat"))

    def test_one_at_a_time(self):
        """Whoever clicks twice starts one job; its failure is told, and noted."""
        with open(self.path("slow.json"), "w", encoding="utf-8") as file:
            script = f"until [ -e {self.path('go')} ]; do sleep 0.05; done; echo no queue >&2; exit 3"
            json.dump({"argv": ["sh", "-c", script], "time_s": 3000}, file)
        self.server.stop()
        self.server.arguments = ("--token-file", self.path("tokens"), "--launcher", self.path("slow.json"))
        self.server.restart()
        address, order = f"/api/v1/runs/{self.run_id}/again", {"finding": "data-starvation"}
        answers = []
        first = threading.Thread(target=lambda: answers.append(self.ask("ann", "POST", address, order)))
        first.start()
        until(lambda: self.server.events("launch"), "the first has begun")
        status, said = self.ask("ann", "POST", address, order)
        self.assertEqual(status, 409, said)
        with open(self.path("go"), "w", encoding="utf-8"):
            pass
        first.join()
        self.assertEqual(answers[0][0], 422)
        self.assertIn("ended with 3: no queue", str(answers[0][1]))
        notes = self.ask("ann", "GET", f"/api/v1/runs/{self.run_id}/notes")[1]["notes"]
        self.assertIn("no queue", notes[0]["text"])
        self.assertEqual(self.ask("ann", "POST", address, order)[0], 422)

    def test_only_for_a_finding_that_it_has(self):
        for finding in ("host-sync", "$(id)", "", "data-starvation; id"):
            status, _ = self.ask("ann", "POST", f"/api/v1/runs/{self.run_id}/again", {"finding": finding})
            self.assertEqual(status, 404, finding)
        self.assertFalse(os.path.exists(self.path("launched")))


if __name__ == "__main__":
    unittest.main(argv=["act_test"])
