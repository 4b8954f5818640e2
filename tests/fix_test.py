"""`rankscope fix` as a user meets it: diffs that git and patch take, files that are written or left alone, what is said besides."""

import json
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

import program

# Each mistake that is planted below stands in it, and its twin beside it.
PROGRAM = '''"""Trains."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        return torch.randn(3, 32, 32), index % 10


def main():
    device = torch.device("cuda")
    model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
    loader = DataLoader(Images(), batch_size=32)
    total = 0.0
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = F.cross_entropy(out, y)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        total += loss.item()
        print(f"step {step}: {loss.item():.3f}")
    print(f"mean loss {total / len(loader):.3f}")


if __name__ == "__main__":
    main()
'''

TWINS = [
    ("AdamW(model.parameters(), lr=1e-3, foreach=False)", "AdamW(model.parameters(), lr=1e-3, fused=True)"),
    (
        "DataLoader(Images(), batch_size=32)",
        "DataLoader(Images(), batch_size=32, num_workers=4, prefetch_factor=4, persistent_workers=True, pin_memory=True)",
    ),
    ("zero_grad(set_to_none=False)", "zero_grad()"),
    ("total += loss.item()", "total += loss.detach().double()"),
    (
        '        print(f"step {step}: {loss.item():.3f}")\n',
        '        if step % 50 == 0:\n            print(f"step {step}: {loss.item():.3f}")\n'
        "    total = total.item() if torch.is_tensor(total) else total\n",
    ),
]


def mended():
    text = PROGRAM
    for mistake, twin in TWINS:
        assert mistake in text
        text = text.replace(mistake, twin)
    return text


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def git(folder, *words):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


class Fix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.jobs = tempfile.TemporaryDirectory()
        cls.job = os.path.join(cls.jobs.name, "job")
        size = ["--ranks", "2", "--steps", "4", "--events", "8000"]
        plants = [f"--plant={cause}" for cause in ("data-starvation", "host-sync", "unfused-optimizer")]
        program.run("simulate", cls.job, *size, *plants)
        cls.slow_gpu = os.path.join(cls.jobs.name, "slow")
        program.run("simulate", cls.slow_gpu, *size, "--plant=slow-gpu")
        cls.with_stacks = os.path.join(cls.jobs.name, "stacks")
        program.run("simulate", cls.with_stacks, *size, "--plant=host-sync", "--stacks")

    @classmethod
    def tearDownClass(cls):
        cls.jobs.cleanup()

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.source = os.path.join(self.temporary.name, "my src")
        write(os.path.join(self.source, "app", "train.py"), PROGRAM)

    def trained(self):
        return read(os.path.join(self.source, "app", "train.py"))

    def make_repository(self):
        git(self.source, "init", "-q")
        git(self.source, "add", ".")
        git(self.source, "commit", "-qm", "as it was")

    def fix(self, *words, job=None, expect=0):
        return program.run("fix", job or self.job, "--source", self.source, *words, expect=expect)

    def test_the_diff_makes_of_each_mistake_its_twin(self):
        diff, told = self.fix()
        self.assertEqual(self.trained(), PROGRAM)
        self.assertEqual(told, "")
        patch = os.path.join(self.temporary.name, "fix.patch")
        write(patch, diff)
        for command in (["patch", "-p1", "-i", patch], ["git", "apply", patch]):
            subprocess.run(command, cwd=self.source, check=True, capture_output=True)
            self.assertEqual(self.trained(), mended())
            write(os.path.join(self.source, "app", "train.py"), PROGRAM)
        compile(mended(), "train.py", "exec")

    def test_each_change_says_finding_gain_and_how_to_undo_it(self):
        diff, _ = self.fix("--finding", "unfused-optimizer")
        lines = diff.splitlines()
        self.assertRegex(
            lines[0],
            r"^# app/train.py:19: unfused-optimizer \([0-9.]+%, .* per step\): torch.optim.AdamW gets fused=True; loses foreach=False$",
        )
        self.assertEqual(lines[1], "#     to undo: remove fused=True; write foreach=False")
        self.assertNotIn("num_workers", diff)

    def test_apply_writes_and_a_second_run_changes_nothing(self):
        os.chmod(os.path.join(self.source, "app", "train.py"), 0o750)
        diff, told = self.fix("--apply")
        self.assertEqual(self.trained(), mended())
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(self.source, "app", "train.py")).st_mode), 0o750)
        self.assertIn("patched 1 file", told)
        self.assertIn("patch -R -p1", told)
        again, told = self.fix("--apply")
        self.assertEqual(again, "")
        self.assertIn(
            "no patch: the code has nothing that is known to cause what was found, or it is mended already", told
        )
        subprocess.run(["patch", "-R", "-p1"], cwd=self.source, input=diff.encode(), check=True, capture_output=True)
        self.assertEqual(self.trained(), PROGRAM)
        self.assertEqual(os.listdir(os.path.join(self.source, "app")), ["train.py"])

    def test_a_tree_with_changes_is_refused(self):
        self.make_repository()
        write(os.path.join(self.source, "notes.txt"), "not committed")
        out, told = self.fix("--apply", expect=1)
        self.assertEqual(out, "")
        self.assertIn("not committed (notes.txt): commit or stash that first", told)
        self.assertEqual(self.trained(), PROGRAM)
        # To look at it is no danger.
        diff, _ = self.fix()
        self.assertIn("+++ b/app/train.py", diff)
        os.remove(os.path.join(self.source, "notes.txt"))
        _, told = self.fix("--apply")
        self.assertIn("restore . undoes it", told)
        self.assertEqual(self.trained(), mended())

    def test_what_git_ignores_is_left_alone(self):
        self.make_repository()
        write(os.path.join(self.source, ".gitignore"), "old/\n")
        write(os.path.join(self.source, "old", "train.py"), PROGRAM)
        diff, _ = self.fix()
        self.assertIn("+++ b/app/train.py", diff)
        self.assertNotIn("old/", diff)

    def test_a_folder_that_git_ignores_is_none_of_its_tree(self):
        write(os.path.join(self.source, ".gitignore"), "*\n")
        git(self.source, "init", "-q")
        _, told = self.fix("--apply")
        self.assertIn("patch -R -p1", told)
        self.assertEqual(self.trained(), mended())

    def test_links_out_of_the_folder_are_not_followed(self):
        outside = os.path.join(self.temporary.name, "outside.py")
        shutil.move(os.path.join(self.source, "app", "train.py"), outside)
        os.symlink(outside, os.path.join(self.source, "app", "train.py"))
        diff, told = self.fix("--apply")
        self.assertEqual(diff, "")
        self.assertIn("no patch", told)
        self.assertEqual(read(outside), PROGRAM)

    def test_sarif(self):
        out, _ = self.fix("--format", "sarif")
        sarif = json.loads(out)
        self.assertEqual(sarif["version"], "2.1.0")
        run = sarif["runs"][0]
        self.assertEqual(run["tool"]["driver"]["name"], "rankscope")
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertTrue(result["message"]["text"])
            place = result["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"], {"uri": "app/train.py", "uriBaseId": "%SRCROOT%"})
            self.assertGreater(place["region"]["startLine"], 0)
        # The replacements make what the diff makes.
        lines = PROGRAM.splitlines(keepends=True)
        for change in reversed(run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]):
            region = change["deletedRegion"]
            lines[region["startLine"] - 1 : region["endLine"] - 1] = [change["insertedContent"]["text"]]
        self.assertEqual("".join(lines), mended())

    def test_what_no_line_of_code_mends_has_no_patch(self):
        out, told = self.fix(job=self.slow_gpu)
        self.assertEqual(out, "")
        self.assertRegex(
            told, r"^rankscope: no patch: what was found is not mended by lines of code \(slow-[a-z]+\)\n$"
        )
        out, told = self.fix("--finding", "gc-pause")
        self.assertEqual(out, "")
        self.assertIn("no patch: the job does not have the finding asked for", told)

    def test_stacks_of_another_file_mean_that_file(self):
        out, told = self.fix(job=self.with_stacks)
        self.assertEqual(out, "")
        self.assertRegex(told, r"model.py:64: host-sync: stacks show this line, which is not in the source folder")
        self.assertIn("no patch is certain", told)

    def test_what_is_no_python_is_said(self):
        write(os.path.join(self.source, "broken.py"), "import torch\ndef f(:\n")
        with open(os.path.join(self.source, "latin.py"), "wb") as file:
            file.write(b"import torch\nx = '\xe9'\n")
        write(os.path.join(self.source, "huge.py"), "x = 1\n" * 400_000)
        diff, told = self.fix()
        self.assertIn("+++ b/app/train.py", diff)
        self.assertIn("broken.py: not looked at: line 2 is not Python", told)
        self.assertIn("latin.py: not looked at: it is not UTF-8", told)
        self.assertIn("huge.py: not looked at: it has over 2048 kB", told)

    def test_what_several_places_may_mean_is_left(self):
        write(os.path.join(self.source, "app", "other.py"), PROGRAM)
        diff, told = self.fix("--finding", "data-starvation")
        self.assertEqual(diff, "")
        self.assertIn("app/other.py:20: data-starvation: one of 2 places that may be meant", told)
        self.assertIn("app/train.py:20: data-starvation: one of 2 places that may be meant", told)

    def test_usage(self):
        program.run("fix", self.job, expect=2)
        self.fix("--finding", "nonsense", expect=2)
        self.fix("--apply", "--format", "sarif", expect=2)
        _, told = program.run("fix", self.job, "--source", self.source + "/none", expect=1)
        self.assertIn("No such file or directory", told)
        program.run("fix", self.source + "/none", "--source", self.source, expect=1)


if __name__ == "__main__":
    unittest.main(argv=["fix_test"])
