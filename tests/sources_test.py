"""Which files make a job: folders that cannot be read, damaged ranks, strays among traces, several runs in one place."""

import gzip
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import program


def as_nobody(*arguments):
    """Runs rankscope as a user for whom folders may be closed."""
    binary, user = (
        (program.for_nobody(program.BINARY), program.NOBODY)
        if os.geteuid() == 0
        else (os.path.abspath(program.BINARY), {})
    )
    done = subprocess.run(
        [binary, *arguments, "--no-cache"], capture_output=True, text=True, check=False, cwd="/", **user
    )
    return done.returncode, done.stdout, done.stderr


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        os.chmod(cls.temporary.name, 0o755)
        cls.job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", cls.job, "--ranks", "4", "--steps", "3", "--events", "4000")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def copy(self, name, job=None):
        folder = os.path.join(self.temporary.name, name)
        shutil.copytree(job or self.job, folder)
        return folder

    def ranks(self, folder):
        return sorted(row["rank"] for row in program.table("captures", folder) if row["analysed"])

    def test_a_folder_that_cannot_be_listed(self):
        folder = self.copy("closed")
        closed = os.path.join(folder, "host1")
        os.mkdir(closed)
        shutil.move(os.path.join(folder, "rank3.pt.trace.json.gz"), closed)
        os.chmod(closed, 0)
        try:
            for arguments in (("analyze", folder), ("table", "step_times", folder), ("query", folder, "SELECT 1")):
                code, out, error = as_nobody(*arguments)
                self.assertEqual(code, 0, error)
                self.assertTrue(out)
                self.assertRegex(error, r"\Arankscope: left out: [^\n]*host1: cannot list the folder: [^\n]+\n\Z")
            code, out, _ = as_nobody("table", "data_quality", folder, "--format", "json")
            self.assertIn("cannot list the folder", out)
            # The only place with traces: an error.
            code, out, error = as_nobody("analyze", closed)
            self.assertEqual((code, out), (1, ""))
            self.assertIn("cannot list the folder", error)
        finally:
            os.chmod(closed, 0o755)

    def test_a_damaged_rank_costs_itself(self):
        folder = self.copy("damaged")
        path = os.path.join(folder, "rank2.pt.trace.json.gz")
        with open(path, "wb") as file:
            file.write(b"\x1f\x8b\x08\x00" + bytes(range(256)))
        out, error = program.run("analyze", folder)
        self.assertRegex(error, r"\Arankscope: left out: [^\n]*rank2\.pt\.trace\.json\.gz: [^\n]+\n\Z")
        self.assertIn("3 ranks of 4", out)
        self.assertEqual(self.ranks(folder), [0, 1, 3])

    def test_strays_are_set_aside_with_their_sentences(self):
        folder = self.copy("strays")
        for name, text in (
            ("config.json", '{"lr": 0.1}'),
            ("empty.json", ""),
            ("notes.json", "hello"),
            ("list.json", "[1, 2]"),
            ("utf16.json", '{"traceEvents": []}'.encode("utf-16")),
        ):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        _, error = program.run("table", "step_times", folder)
        lines = error.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(all(line.startswith("rankscope: left out: ") for line in lines))
        self.assertIn("UTF-16", error)
        self.assertEqual(self.ranks(folder), [0, 1, 2, 3])
        for i in range(10):
            shutil.copy(os.path.join(folder, "config.json"), os.path.join(folder, f"config{i}.json"))
        _, error = program.run("table", "step_times", folder)
        self.assertEqual(len(error.splitlines()), 6)
        self.assertIn("10 more", error)

    def test_names_of_files_reach_no_terminal_as_controls(self):
        folder = self.copy("hostile")
        with open(os.path.join(folder, "a\x1b[31m\nb\x07.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        for arguments in (("analyze", folder), ("table", "data_quality", folder), ("trace", "info", folder)):
            out, error = program.run(*arguments)
            for text in (out, error):
                self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]", arguments)
                self.assertNotIn("\nb", text)
        _, error = program.run("analyze", "no\x1b[31m\nsuch", expect=1)
        self.assertNotRegex(error, r"[\x00-\x09\x0b-\x1f]")
        self.assertEqual(error.count("\n"), 1)

    def check_refused(self, *paths):
        runs = r"\Arankscope: these are recordings of \d runs[^\n]+"
        out, error = program.run("table", "step_times", *paths, expect=1)
        self.assertEqual(out, "")
        self.assertRegex(error, runs + r"--capture \d[^\n]*\n\Z")
        out, error = program.run("analyze", *paths, expect=2)
        self.assertEqual(out, "")
        self.assertRegex(error, runs + r"\n(  rankscope analyze [^\n]+\n)+\Z")
        return error

    def test_two_runs_are_not_mixed(self):
        other = os.path.join(self.temporary.name, "other")
        program.run("simulate", other, "--ranks", "4", "--steps", "3", "--events", "4000", "--seed", "7")
        error = self.check_refused(self.job, other)
        self.assertIn("4 ranks", error)
        # What tells about files tells about all; a group can be chosen.
        rows = program.table("captures", self.job, other)
        self.assertEqual(sorted({row["run"] for row in rows}), [0, 1])
        for run in (0, 1):
            groups = {row["group"] for row in rows if row["run"] == run}
            out, _ = program.run(
                "table", "step_times", self.job, other, "--capture", str(groups.pop()), "--format", "json"
            )
            self.assertEqual(len(json.loads(out)["rows"]), 12)
        both = os.path.join(self.temporary.name, "both")
        os.mkdir(both)
        self.copy("both/control")
        self.copy("both/test", other)
        self.check_refused(both)
        out, error = program.run("query", both, "SELECT 1", expect=1)
        self.assertIn("runs", error)
        # Each on its own, by its files or its folder.
        self.assertEqual(len(program.table("step_times", os.path.join(both, "control"))), 12)

    def test_unrelated_models_without_ranks(self):
        folder = os.path.join(self.temporary.name, "models")
        os.mkdir(folder)
        for number, job in enumerate(("single", "ddp", "dlrm")):
            made = os.path.join(self.temporary.name, job)
            program.run("simulate", made, "--job", job, "--ranks", "1", "--steps", "3", "--events", "3000")
            with gzip.open(os.path.join(made, "rank0.pt.trace.json.gz")) as file:
                trace = json.load(file)
            trace.pop("distributedInfo", None)
            trace["baseTimeNanoseconds"] += number * 10**12
            for event in trace["traceEvents"]:  # each a process of its own
                if isinstance(event.get("pid"), int) and event["pid"] > 1000:
                    event["pid"] += number
            with open(os.path.join(folder, job + ".json"), "w", encoding="utf-8") as file:
                json.dump(trace, file)
        self.assertIn("3 runs", self.check_refused(folder))
        program.run("analyze", os.path.join(folder, "ddp.json"))

    def test_cycles_of_one_run_are_one_job(self):
        folder = os.path.join(self.temporary.name, "cycles")
        for cycle in range(2):
            os.makedirs(os.path.join(folder, f"step{cycle}"))
            for rank in range(2):
                name = f"rank{rank}.pt.trace.json.gz"
                with gzip.open(os.path.join(self.job, name)) as file:
                    trace = json.load(file)
                trace["distributedInfo"]["world_size"] = 2
                trace["baseTimeNanoseconds"] += cycle * 10**11
                with gzip.open(os.path.join(folder, f"step{cycle}", name), "wt") as file:
                    json.dump(trace, file)
        rows = program.table("captures", folder)
        self.assertEqual(
            sorted((row["rank"], row["capture"], row["run"], row["analysed"]) for row in rows),
            [(0, 0, 0, False), (0, 1, 0, True), (1, 0, 0, False), (1, 1, 0, True)],
        )
        program.run("analyze", folder)
        program.run("analyze", folder, "--capture", "all")


if __name__ == "__main__":
    unittest.main(argv=["sources_test"])
