"""The hooks that time and record a program from outside (python/rankscope_hooks)."""

import gzip
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import program

from waiting import LIMIT_S

program.by_a_python_that_has("torch")
HAS_TORCH = importlib.util.find_spec("torch") is not None
PACKAGE = os.path.join(program.HERE, "..", "python", "rankscope_hooks")
INJECT = os.path.join(PACKAGE, "inject")

TRAIN = """
    import torch
    def work(x):
        return torch.relu(x)
    def main():
        layer = torch.nn.Linear(8, 8)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        other = torch.optim.Adam([torch.nn.Parameter(torch.zeros(2))])
        for step in range(12):
            loss = work(layer(torch.ones(4, 8))).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            other.step()
        print("end")
    main()
"""


class Hooks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "out")

    def run_program(self, text, paths=(), **hooks):
        path = os.path.join(self.folder, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join([INJECT, *paths]), RANKSCOPE_HOOKS_OUT=self.out)
        environment.update({"RANKSCOPE_HOOKS_" + name.upper(): value for name, value in hooks.items()})
        return subprocess.run(
            [sys.executable, path], env=environment, capture_output=True, text=True, check=False, timeout=LIMIT_S
        )

    def written(self, ending):
        names = sorted(os.listdir(self.out)) if os.path.isdir(self.out) else []
        return [os.path.join(self.out, name) for name in names if name.endswith(ending)]

    def test_a_program_without_torch_runs_as_it_would(self):
        ran = self.run_program("import sys; print('torch' in sys.modules)")
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ("False\n", "", 0))
        self.assertEqual(self.written(""), [])

    def test_the_users_own_sitecustomize_is_imported_too(self):
        own = os.path.join(self.folder, "own")
        os.makedirs(own)
        with open(os.path.join(own, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write("import builtins\nbuiltins.own = 7\n")
        self.assertEqual(self.run_program("print(own)", paths=[own]).stdout, "7\n")

    def test_settings_that_make_no_sense_are_said_and_change_nothing(self):
        ran = self.run_program("print(1)", steps="many")
        self.assertEqual((ran.stdout, ran.returncode), ("1\n", 0))
        self.assertIn("RANKSCOPE_HOOKS_STEPS is 'many'; a number is needed", ran.stderr)

    @unittest.skipUnless(HAS_TORCH, "no Python here has torch (Debian: python3-torch)")
    def test_steps_are_those_of_the_first_optimizer(self):
        ran = self.run_program(TRAIN, warmup="4")
        self.assertEqual((ran.stdout, ran.returncode), ("end\n", 0), ran.stderr)
        (path,) = self.written(".times")
        with open(path, encoding="utf-8") as file:
            times = json.load(file)
        self.assertEqual((times["rank"], times["world_size"], times["clock"], times["warmup"]), (0, 1, "host", 4))
        ends = times["ends_ns"]
        self.assertEqual((len(ends), ends[0]), (12 - 4, 0))
        self.assertEqual(ends, sorted(ends))
        self.assertIsNone(times["recording"])

    @unittest.skipUnless(HAS_TORCH, "no Python here has torch (Debian: python3-torch)")
    def test_a_program_ends_behind_the_wanted_steps(self):
        ran = self.run_program(TRAIN, warmup="2", steps="3", stop="1")
        self.assertEqual((ran.stdout, ran.returncode), ("", 0), ran.stderr)
        with open(self.written(".times")[0], encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["ends_ns"]), 3 + 1)

    @unittest.skipUnless(HAS_TORCH, "no Python here has torch (Debian: python3-torch)")
    def test_a_recording(self):
        ran = self.run_program(TRAIN, warmup="3", steps="2", record="1")
        self.assertEqual((ran.stdout, ran.returncode), ("end\n", 0), ran.stderr)
        with gzip.open(self.written(".pt.trace.json.gz")[0], "rt", encoding="utf-8") as file:
            trace = json.load(file)
        events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
        marks = [event for event in events if event["name"].startswith("ProfilerStep#")]
        self.assertEqual(len(marks), 2)
        for mark in marks:
            until = mark["ts"] + mark["dur"]
            inside = [event for event in events if mark["ts"] <= event["ts"] and event["ts"] + event["dur"] <= until]
            names = [event["name"] for event in inside]
            around = [
                event["name"] for event in events if event["ts"] < mark["ts"] and event["ts"] + event["dur"] > until
            ]
            self.assertEqual(len([name for name in around if name.endswith(": main")]), 1, around)
            self.assertEqual(names.count("aten::linear"), 1)
            self.assertEqual(len([name for name in names if name.endswith(": work")]), 1, names)
            (relu,) = [event for event in inside if event["name"] == "aten::relu"]
            (work,) = [event for event in inside if event["name"].endswith(": work")]
            self.assertEqual(relu["tid"], work["tid"])
            # Two clocks that were read one after the other.
            self.assertLess(work["ts"], relu["ts"] + 20)
            self.assertLess(relu["ts"] + relu["dur"], work["ts"] + work["dur"] + 20)
            self.assertEqual(relu["args"]["Input Dims"][0], [4, 8])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
