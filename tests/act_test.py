"""What a server does about findings: patches of a run's code, notebooks, runs again and what they gained."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import program
from fix_test import PROGRAM
from server import Server

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


if __name__ == "__main__":
    unittest.main(argv=["act_test"])
