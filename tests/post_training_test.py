"""`rankscope post-training` on runs whose trouble is known (reference/write_post_training.py): what it says is wasted, that it says nothing of a healthy run, that
times sum up, gains against the run that has the change; folders of traces; and what is no recording."""

import gzip
import json
import os
import sys
import tempfile
import unittest

import program
from write_post_training import Run, sequence_lines

PLANTED = {
    "phase-bubble": ({"layout": "turns", "train": 12}, {"layout": "one_off"}),
    "rollout-tail": ({"samples": 120, "sigma": 0.9, "train": 12}, {"end_at": 0.95}),
    "rollout-imbalance": ({"skew": 0.3, "samples": 512, "slots": 32}, {"skew": 0.0, "even": True}),
    "weight-sync": ({"sync": 4.0}, {"sync": 0.0, "reshard": 0.0}),
    "reward-wait": ({"reward": 5.0}, {"reward_beside": True}),
    "checkpoint-in-loop": ({"checkpoint": 20.0, "save_freq": 3}, {"checkpoint": 0.0}),
}
HEALTHY = [
    {"samples": 768, "slots": 24, "train": 20},
    {"layout": "one_off", "train": 22, "mean": 400, "samples": 768, "slots": 64, "sigma": 0.2},
    {"layout": "fully_async", "train": 10.6},
]


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


class PostTraining(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)

    def path(self, *names):
        return os.path.join(self.temporary.name, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def report(self, *arguments):
        out, error = program.run("post-training", *arguments, "--format", "json")
        self.assertEqual(error, "")
        report = json.loads(out)
        self.assertEqual(report["schema"], "rankscope.post-training/1")
        return report, {name: rows_of(table) for name, table in report["tables"].items()}

    def findings(self, *arguments):
        return {finding["id"]: finding for finding in self.report(*arguments)[0]["findings"]}

    def table(self, name, *arguments):
        out, _ = program.run("post-training", *arguments, "--table", name, "--format", "json")
        return rows_of(json.loads(out))

    def refused(self, *arguments, expect=1):
        out, error = program.run("post-training", *arguments, expect=expect)
        self.assertEqual(out, "")
        self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z")
        return error

    def test_planted_causes_are_named_with_their_gain(self):
        for cause, (with_it, change) in PLANTED.items():
            with self.subTest(cause):
                run = Run(**with_it)
                run.write_record(self.path(cause, "run.jsonl"))
                found = self.findings(self.path(cause))
                self.assertIn(cause, found)
                true = 100 * (1 - Run(**{**with_it, **change}).step_time() / run.step_time())
                self.assertAlmostEqual(found[cause]["gain_pct"], true, delta=max(2.5, true / 5))

    def test_healthy_runs_have_no_finding(self):
        for number, settings in enumerate(HEALTHY):
            with self.subTest(settings):
                run = Run(**settings)
                run.write_record(self.path(f"{number}", "run.jsonl"))
                run.write_log(self.path(f"{number}-log", "verl.log"))
                self.assertEqual(self.findings(self.path(f"{number}")), {})
                self.assertEqual(self.findings(self.path(f"{number}-log")), {})

    def test_log_and_record_agree(self):
        run = Run(checkpoint=9.0)
        run.write_record(self.path("record", "run.jsonl"))
        run.write_log(self.path("log", "verl.log"))
        of_record, of_log = (
            {row["phase"]: row["mean_ns"] for row in self.report(self.path(name))[1]["post_phases"]}
            for name in ("record", "log")
        )
        for phase, mean in of_log.items():  # a log's decimals leave some ns unknown
            self.assertAlmostEqual(of_record.get(phase, 0), mean, delta=1000, msg=phase)
        self.assertAlmostEqual(of_log["total"] / 1e9, sum(line[1]["step"] for line in run.log) / len(run.log), places=6)

    def test_phases_sum_to_the_step(self):
        for layout in ("colocated", "turns", "one_off", "fully_async"):
            run = Run(layout=layout, steps=4, samples=32)
            run.write_log(self.path(layout, "verl.log"))
            run.write_record(self.path(layout, "record.jsonl"))
            for row in self.table("post_steps", self.path(layout)):
                parts = [value for name, value in row.items() if name.endswith("_ns") and name != "wall_ns"]
                self.assertEqual(sum(parts), row["wall_ns"])
                self.assertGreaterEqual(min(parts), 0)

    def test_the_best_split_of_devices(self):
        run = Run(layout="one_off", train=4.0, sync=0.1, samples=256)
        run.write_log(self.path("verl.log"))
        found = self.findings(self.path("verl.log"), "--generate-gpus", "16", "--train-gpus", "16")
        arguments = (self.path("verl.log"), "--generate-gpus", "16", "--train-gpus", "16")
        overlap = self.report(*arguments)[1]["post_overlap"][0]
        steps = [row for row in self.table("post_steps", *arguments) if row["role"] == "trainer"]

        def mean_with(g):
            times = []
            for row in steps:
                train = row["train_ns"] + row["log_prob_ns"]
                fixed = row["wall_ns"] - train - row["wait_ns"] - row["sync_ns"]
                times.append(max(overlap["generate_ns"] * 16 / g, train * 16 / (32 - g) + fixed) + row["sync_ns"])
            return sum(times) / len(times)

        best = min(map(mean_with, range(1, 32)))
        self.assertAlmostEqual(overlap["best_step_ns"], best, delta=1)
        self.assertIn("role-imbalance", found)
        self.assertIn(f"Give {overlap['best_generate_gpus']} devices", found["role-imbalance"]["recommendation"])

    def test_padding_of_supervised_steps(self):
        for grouped, expected in ((False, ["padding-waste"]), (True, [])):
            lines, padding = sequence_lines(512, 8, 500, 0.8, 3, grouped)
            path = self.write(f"{grouped}.jsonl", "".join(lines))
            report, tables = self.report(path)
            self.assertEqual([finding["id"] for finding in report["findings"]], expected)
            self.assertAlmostEqual(tables["post_padding"][0]["padding_pct"], 100 * padding)

    def test_folders_of_traces_are_roles(self):
        for role, seed in (("actor", "3"), ("critic", "4")):
            program.run(
                *[
                    "simulate",
                    self.path("run", role),
                    "--job",
                    "ddp",
                    "--ranks",
                    "2",
                    "--steps",
                    "4",
                    "--events",
                    "4000",
                    "--seed",
                    seed,
                ]
            )
        _, tables = self.report(self.path("run"))
        self.assertEqual([(row["role"], row["ranks"]) for row in tables["post_roles"]], [("actor", 2), ("critic", 2)])
        for row in tables["post_roles"]:
            self.assertEqual(row["kind"], "trainer")
            self.assertEqual(row["from"], "trace")
            self.assertGreater(row["step_ns"], 0)
            self.assertTrue(0 < row["busy_pct"] <= 100)

    def test_texts_are_of_80_columns_and_begin_with_the_answer(self):
        for cause, (settings, _) in PLANTED.items():
            Run(**settings).write_record(self.path(cause, "run.jsonl"))
            lines = program.run("post-training", self.path(cause))[0].splitlines()
            self.assertTrue(all(len(line) <= 80 for line in lines), cause)
            self.assertRegex(lines[0] + lines[1], r"\d", cause)
            markdown = program.run("post-training", self.path(cause), "--format", "markdown")[0]
            self.assertTrue(markdown.startswith("# "))
            self.assertIn(f"### {cause}: ", markdown)

    def test_packed_and_cut_files(self):
        lines = "".join(Run(steps=6, samples=16).log_lines())
        with gzip.open(self.path("verl.log.gz"), "wb") as file:
            file.write(lines.encode())
        self.assertEqual(len(self.table("post_steps", self.path("verl.log.gz"))), 6)
        cut = self.write("cut.log", lines[: len(lines) // 2])
        self.assertTrue(0 < len(self.table("post_steps", cut)) < 6)
        with open(self.path("verl.log.gz"), "rb") as file:
            packed = file.read()
        with open(self.path("cut.log.gz"), "wb") as file:
            file.write(packed[: len(packed) * 3 // 4])
        notes = [row["note"] for row in self.table("post_notes", self.path("cut.log.gz"))]
        self.assertTrue(any("cut.log.gz" in note for note in notes), notes)

    def test_what_is_no_recording_is_one_sentence(self):
        for name, text in (("empty.log", ""), ("other.log", "hello\n"), ("bad.jsonl", '{"phase": "train"}\n')):
            self.assertIn(name, self.refused(self.write(name, text)))
        self.assertIn(
            "nothing of a post-training run", self.refused(os.path.dirname(self.write("folder/notes.md", "# notes")))
        )
        self.assertIn(
            "--train-gpus", self.refused(self.write("a.log", "step:1 - timing_s/step:5"), "--train-gpus", "8", expect=2)
        )
        self.assertIn("--table", self.refused(self.path("a.log"), "--format", "csv", expect=2))

    def test_markup_and_controls_of_names_do_not_get_through(self):
        path = self.write(
            "x.jsonl",
            "".join(
                json.dumps(
                    {
                        "phase": phase,
                        "role": "<script>\x1b[31m",
                        "step": step,
                        "begin": 10 * step + i,
                        "end": 10 * step + i + 1,
                    }
                )
                + "\n"
                for step in range(3)
                for i, phase in enumerate(("generate", "train", "sync"))
            ),
        )
        self.assertNotIn("\x1b", program.run("post-training", path)[0])
        markdown = program.run("post-training", path, "--format", "markdown")[0]
        self.assertNotIn("<script>", markdown)
        self.assertNotIn("\x1b", markdown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
