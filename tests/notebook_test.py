"""Notebooks that `analyze --format ipynb` writes: valid, and every cell runs in Jupyter, on a simulated job and on recordings of
others; a change that is filled in runs the job again and is compared."""

import importlib.util
import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import program

from waiting import LIMIT_S

program.BINARY = os.path.abspath(program.BINARY)
PACKAGE = os.path.join(os.path.dirname(program.BINARY), "..", "python")


program.by_a_python_that_has("nbconvert")
NEEDS = ("nbformat", "nbconvert", "ipykernel", "pandas", "matplotlib")
HAS_JUPYTER = all(importlib.util.find_spec(module) for module in NEEDS)


def run(*arguments, **options):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], capture_output=True, check=False, timeout=LIMIT_S, **options
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-4000:]


@unittest.skipUnless(HAS_JUPYTER, f"no Python here has {', '.join(NEEDS)}")
class Notebooks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def notebook_of(self, *traces):
        program.run("analyze", *traces, "--format", "ipynb", "-o", self.path("job.ipynb"))
        with open(self.path("job.ipynb"), encoding="utf-8") as file:
            return json.load(file)

    def executed(self, notebook):
        """The notebook with the outputs of its cells, each of which must run."""
        with open(self.path("job.ipynb"), "w", encoding="utf-8") as file:
            json.dump(notebook, file)
        valid = "import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], as_version=4))"
        run("-c", valid, self.path("job.ipynb"))
        environment = {**os.environ, "PYTHONPATH": PACKAGE, "IPYTHONDIR": self.path("ipython")}
        convert = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output", "run.ipynb", self.path("job.ipynb")]
        run(*convert, env=environment, cwd=self.folder)
        with open(self.path("run.ipynb"), encoding="utf-8") as file:
            return json.load(file)

    def outputs_of(self, notebook, begin):
        """By kind what the cell that begins so has put out."""
        found = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code" and "".join(cell["source"]).startswith(begin):
                for output in cell["outputs"]:
                    found.update({kind: "".join(text) for kind, text in output.get("data", {}).items()})
        return found

    def test_a_simulated_job(self):
        program.run("simulate", self.path("traces"), "--ranks", "4", "--events", "4000", "--plant", "slow-gpu:rank=2")
        notebook = self.executed(self.notebook_of(self.path("traces")))
        self.assertIn("### slow-gpu", json.dumps(notebook))
        self.assertIn("4 ranks", self.outputs_of(notebook, "job = rankscope.open")["text/plain"])
        self.assertIn("compute per step", self.outputs_of(notebook, 'evidence(findings["slow-gpu"])')["text/html"])
        self.assertIn("image/png", self.outputs_of(notebook, "job.plot.ranks()"))
        self.assertIn("cure:finding=slow-gpu", self.outputs_of(notebook, "job.whatif(")["text/plain"])
        asked = self.outputs_of(notebook, "# Promised: ")["text/plain"]
        self.assertIn("must leave its traces in after-slow-gpu", asked)

    def test_a_change_runs_the_job_again(self):
        program.run("simulate", self.path("traces"), "--ranks", "4", "--events", "4000", "--plant", "slow-gpu:rank=1")
        notebook = self.notebook_of(self.path("traces"))
        again = [program.BINARY, "simulate", self.path("after-slow-gpu"), "--ranks", "4", "--events", "4000"]
        for cell in notebook["cells"]:
            cell["source"] = cell["source"].replace(
                'command = ""  # how the job is run with the change\nenvironment = {}\nrerun(command, "after-slow-gpu"',
                f'command = {shlex.join(again)!r}\nenvironment = {{"A": "1"}}\nchanged = rerun(command, "after-slow-gpu"',
            )
        look = "print(changed.json['job']['step_time_change_pct'] < -10)"
        cell = {
            "cell_type": "code",
            "id": "look",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": look,
        }
        notebook["cells"].append(cell)
        notebook = self.executed(notebook)
        self.assertEqual(notebook["cells"][-1]["outputs"][0]["text"], ["True\n"])

    def test_standard_input_is_opened_once(self):
        program.run("simulate", self.path("traces"), "--ranks", "1", "--events", "4000")
        with open(self.path("traces/rank0.pt.trace.json.gz"), "rb") as trace:
            answer = subprocess.run(
                [program.BINARY, "analyze", "-", "--format", "ipynb"], stdin=trace, capture_output=True, check=False
            )
        self.assertEqual(answer.returncode, 2)
        self.assertIn(b"name files or folders, not standard input", answer.stderr)

    @unittest.skipUnless(os.path.isdir(program.REAL_TRACES), "no recordings of others here")
    def test_recordings_of_others(self):
        for name in ("kineto-2021", "dlrm-8rank", "xplane", "hta/cpu_only", "nsys"):
            with self.subTest(name):
                self.executed(self.notebook_of(os.path.join(program.REAL_TRACES, name)))


if __name__ == "__main__":
    unittest.main(argv=["notebook_test"])
