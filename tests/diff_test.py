"""`rankscope diff` as a user meets it: pairs of simulated jobs whose difference is known, renamed kernels, ranks of one job, what it
refuses, and the traces of one model on two devices (../shared, where there are any)."""

import gzip
import json
import os
import re
import shutil
import tempfile
import unittest

import program

TABLES = ("diff_parts", "diff_phases", "diff_modules", "diff_ops", "diff_kernels", "diff_places")
SMALL = ("--steps", "5", "--events", "8000")


def simulate(folder, *arguments):
    """The job's path and its truth."""
    program.run("simulate", folder, *arguments)
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return folder, json.load(file)


def diff(base, test, *options):
    out, _ = program.run("diff", base, test, "--format", "json", *options)
    return json.loads(out)


def first_lines(base, test, *options):
    """The headline, and the reasons below it."""
    out, _ = program.run("diff", base, test, *options)
    lines = out.splitlines()
    return lines[0], [line[4:] for line in lines[1 : lines.index("")] if line.startswith("  - ")]


def rows_of(made, name):
    table = made["tables"][name]
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def rename_kernels(source, target):
    """A copy of a job in which no kernel has the name that it had, as after an update of its libraries."""
    os.mkdir(target)
    for file in os.listdir(source):
        if not file.endswith(".json.gz"):
            continue
        with gzip.open(os.path.join(source, file), "rt", encoding="utf-8") as opened:
            trace = json.load(opened)
        for event in trace["traceEvents"]:
            if event.get("cat") == "kernel":
                event["name"] = re.sub(r"kernel|Kernel", "krnl2", event["name"]) + "_v2"
        with gzip.open(os.path.join(target, file), "wt", encoding="utf-8") as opened:
            json.dump(trace, opened)


class Pairs(unittest.TestCase):
    """A job, the same with a cause, and the same with another seed."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.paths, cls.truths = {}, {}
        for name, seed, plant in (("base", "3", ()), ("slow", "3", ("--plant", "slow-gpu:rank=1")), ("noise", "4", ())):
            path = os.path.join(cls.folder.name, name)
            cls.paths[name], cls.truths[name] = simulate(
                path, "--job", "ddp", "--ranks", "2", *SMALL, "--seed", seed, *plant
            )

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def sums_are_exact(self, made):
        job = rows_of(made, "diff_job")[0]
        for name in TABLES:
            for column in ("base_ns", "test_ns", "change_ns"):
                self.assertEqual(sum(row[column] for row in rows_of(made, name)), job[column], f"{column} of {name}")
        tree = rows_of(made, "diff_call_tree")
        self.assertEqual((tree[0]["base_ns"], tree[0]["test_ns"]), (job["base_ns"], job["test_ns"]))
        inside = {row["frame"]: 0 for row in tree}
        for row in tree[1:]:
            inside[row["parent"]] += row["test_ns"]
        for row in tree:
            self.assertTrue(inside[row["frame"]] in (0, row["test_ns"]) or row["kind"] == "op", row)

    def test_a_job_against_itself(self):
        made = diff(self.paths["base"], self.paths["base"])
        self.assertEqual(made["schema"], "rankscope.diff/1")
        self.assertEqual(made["job"]["step_time_change_pct"], 0)
        self.assertFalse(made["job"]["significant"])
        self.assertEqual(made["findings"], {"appeared": [], "gone": [], "changed": []})
        for name in TABLES:
            for row in rows_of(made, name):
                self.assertEqual(row["change_ns"], 0)
                self.assertFalse(row["significant"])
        self.sums_are_exact(made)
        headline, reasons = first_lines(self.paths["base"], self.paths["base"])
        self.assertTrue(headline.startswith("No difference"))
        self.assertEqual(reasons, [])

    def test_noise_is_not_reported(self):
        made = diff(self.paths["base"], self.paths["noise"])
        self.assertEqual(made["findings"], {"appeared": [], "gone": [], "changed": []})
        for name in TABLES:
            for row in rows_of(made, name):
                self.assertFalse(row["significant"] and abs(row["of_step_pct"]) >= 1, row)
        self.sums_are_exact(made)
        headline, reasons = first_lines(self.paths["base"], self.paths["noise"])
        self.assertTrue(headline.startswith("No change"), headline)
        self.assertEqual(reasons, [])
        program.run("diff", self.paths["base"], self.paths["noise"], "--fail-on", "1%")

    def test_a_planted_change_comes_first_and_has_its_size(self):
        made = diff(self.paths["base"], self.paths["slow"])
        true = 100 * (self.truths["slow"]["step_ns"] / self.truths["base"]["step_ns"] - 1)
        self.assertAlmostEqual(made["job"]["step_time_change_pct"], true, delta=0.1 * true)
        self.assertTrue(made["job"]["significant"])
        # One of two ranks is half of them: that the device is the reason is not known.
        self.assertEqual([finding["id"] for finding in made["findings"]["appeared"]], ["slow-kernels"])
        self.assertEqual(made["findings"]["appeared"][0]["ranks"], [1])
        self.sums_are_exact(made)
        headline, reasons = first_lines(self.paths["base"], self.paths["slow"])
        self.assertRegex(
            headline, rf"^TEST is {made['job']['step_time_change_pct']:.1f}% slower: a step takes [\d.]+ ms"
        )
        self.assertIn("computing", reasons[0])
        self.assertTrue(reasons[-1].startswith("slow-kernels appeared"), reasons)
        # Rank 1 computes longer, rank 0 waits for it.
        changes = {(row["rank"], row["part"]): row["of_step_pct"] for row in rows_of(made, "diff_ranks")}
        self.assertGreater(changes[1, "compute"], 20)
        self.assertLess(abs(changes[0, "compute"]), 1)
        self.assertGreater(changes[0, "exposed_communication"], 20)
        back = diff(self.paths["slow"], self.paths["base"])
        self.assertLess(back["job"]["step_time_change_pct"], 0)
        self.assertEqual([finding["id"] for finding in back["findings"]["gone"]], ["slow-kernels"])

    def test_the_gate(self):
        base, slow = self.paths["base"], self.paths["slow"]
        _, error = program.run("diff", base, slow, "--fail-on", "3%", expect=3)
        self.assertRegex(error, r"\Arankscope: TEST is [\d.]+% slower, --fail-on allows less than 3\.0%\n\Z")
        program.run("diff", base, slow, "--fail-on", "300%")
        program.run("diff", slow, base, "--fail-on", "3")
        for wrong in ("fast", "-3%", "3%%"):
            _, error = program.run("diff", base, slow, f"--fail-on={wrong}", expect=2)
            self.assertIn("such as 3%", error)

    def test_renamed_kernels_change_nothing(self):
        renamed = os.path.join(self.folder.name, "renamed")
        rename_kernels(self.paths["slow"], renamed)
        before, after = first_lines(self.paths["base"], self.paths["slow"]), first_lines(self.paths["base"], renamed)
        self.assertEqual(before[0], after[0])
        self.assertEqual(before[1][0], after[1][0])
        made = diff(self.paths["slow"], renamed)
        self.assertEqual(made["job"]["step_time_change_pct"], 0)
        states = {
            row["state"]
            for row in rows_of(made, "diff_places")
            if row["test_name"] and not row["test_name"].startswith("Mem")
        }
        self.assertEqual(states, {"renamed"})
        for row in rows_of(made, "diff_ops"):
            self.assertEqual(row["change_ns"], 0)

    def test_two_ranks_of_one_job(self):
        slow = self.paths["slow"]
        made = diff(slow, slow, "--base-ranks", "0", "--test-ranks", "1")
        self.assertEqual((made["job"]["base"]["ranks"], made["job"]["test"]["ranks"]), ([0], [1]))
        parts = {row["part"]: row["of_step_pct"] for row in rows_of(made, "diff_parts")}
        self.assertGreater(parts["compute"], 20)
        self.assertLess(parts["exposed_communication"], -20)
        self.sums_are_exact(made)

    def test_one_step_of_one_rank_says_that_nothing_is_known(self):
        made = diff(
            self.paths["base"],
            self.paths["slow"],
            "--base-ranks",
            "0",
            "--test-ranks",
            "0",
            "--base-steps",
            "12",
            "--test-steps",
            "12",
        )
        self.assertIsNone(made["job"]["significant"])
        self.assertIsNone(made["job"]["p"])
        self.assertEqual({row["significant"] for name in TABLES for row in rows_of(made, name)}, {None})
        self.assertEqual([row["about"] for row in rows_of(made, "diff_notes")], ["spread"])

    def test_other_numbers_of_ranks_and_steps_are_said(self):
        more, _ = simulate(
            os.path.join(self.folder.name, "more"), "--job", "ddp", "--ranks", "4", "--steps", "3", "--events", "4800"
        )
        made = diff(self.paths["base"], more)
        self.assertEqual([row["about"] for row in rows_of(made, "diff_notes")], ["steps", "ranks", "layout"])
        compute = next(row for row in rows_of(made, "diff_parts") if row["part"] == "compute")
        self.assertLess(abs(compute["change_pct"]), 2)
        self.sums_are_exact(made)

    def test_tables_alone_and_files(self):
        base, slow = self.paths["base"], self.paths["slow"]
        out, _ = program.run("diff", base, slow, "--table", "diff_parts", "--format", "csv")
        self.assertTrue(out.startswith("part,base_ns,test_ns,change_ns"), out[:100])
        page = os.path.join(self.folder.name, "diff.html")
        program.run("diff", base, slow, "--format", "html", "-o", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        self.assertNotIn("http://", re.sub(r"http://www\.w3\.org/[\w/]+", "", text))

    def test_what_cannot_be_compared(self):
        base = self.paths["base"]
        for words, said in (
            (("diff", base), "TEST"),
            (("diff", base, os.path.join(self.folder.name, "none")), "none"),
            (("diff", base, base, "--table", "diff_nothing"), "there is no table 'diff_nothing'"),
            (("diff", base, base, "--test-steps", "99"), "step"),
            (("diff", base, base, "--format", "csv"), "--table"),
            (("diff", base, base, "--table", "diff_ops", "--format", "html"), "--format html"),
            (("diff", base, base, "--table", "hta.trace_diff", "--set", "control_rank=9"), "BASE has no rank 9"),
            (("diff", base, base, "--table", "hta.trace_diff", "--set", "colour=red"), "colour"),
        ):
            out, error = program.run(*words, expect=(1, 2))
            self.assertEqual(out, "")
            self.assertIn(said, error)

    def test_two_runs_in_one_folder_are_not_mixed(self):
        """One path is one run: two end with a sentence that says how to choose, and that diff compares them."""
        both = os.path.join(self.folder.name, "both")
        for name in ("base", "slow"):
            shutil.copytree(self.paths[name], os.path.join(both, name))
        runs = r"\Arankscope: these are recordings of 2 runs, .* rankscope diff BASE TEST compares two\n"
        for paths in ((both,), (self.paths["base"], self.paths["slow"])):
            _, error = program.run("analyze", *paths, expect=2)
            self.assertRegex(error, runs + r"(  rankscope analyze .*\n){2}\Z")
        _, error = program.run("table", "step_times", both, expect=1)
        self.assertRegex(error, runs + r"\Z")
        _, error = program.run("diff", both, self.paths["base"], expect=1)
        self.assertIn("--base-capture", error)


@unittest.skipUnless(os.path.isdir(program.REAL_TRACES), "there are no traces in ../shared")
class RealTraces(unittest.TestCase):
    def test_one_model_on_two_devices(self):
        """H100 against MI300: other kernels, other names, the same ops with the same shapes."""
        name = "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
        h100, mi300 = (os.path.join(program.REAL_TRACES, "tracelens", device, name) for device in ("h100", "mi300"))
        made = diff(h100, mi300)
        self.assertIn("devices", [row["about"] for row in rows_of(made, "diff_notes")])
        ops = {
            row["op"]: row
            for row in rows_of(made, "diff_ops")
            if row["part"] == "compute" and row["phase"] == "forward"
        }
        both = [row for row in ops.values() if row["base_ns"] > 0 and row["test_ns"] > 0]
        matched = sum(row["base_ns"] + row["test_ns"] for row in both)
        self.assertGreater(matched, 0.95 * sum(row["base_ns"] + row["test_ns"] for row in ops.values()))
        # The device time of an op is what ops_by_name says of the step.
        for path, column in ((h100, "base_ns"), (mi300, "test_ns")):
            step = program.table("step_times", path)[0]["step"]
            ours = sum(
                row[column] for row in rows_of(made, "diff_ops") if row["op"] == "aten::mm" and row["part"] == "compute"
            )
            theirs = next(
                row
                for row in program.table("ops_by_name", path, options=("--steps", str(step)))
                if row["name"] == "aten::mm"
            )
            self.assertAlmostEqual(ours, theirs["device_self_ns"], delta=0.15 * ours)
        renamed = [row for row in rows_of(made, "diff_kernels") if row["state"] == "renamed"]
        self.assertTrue(any("gemm" in row["base_name"] and "Cijk" in row["test_name"] for row in renamed))


if __name__ == "__main__":
    unittest.main(argv=["diff_test"])
