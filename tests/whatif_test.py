"""`rankscope whatif` as a user meets it: changes against the truth of simulated jobs, and what it refuses."""

import json
import os
import tempfile
import unittest

import program

JOB = ["--job", "3d", "--layout", "tp=1,pp=4,dp=2", "--ranks", "8"]


def simulate(folder, *arguments):
    """The job's path and its truth."""
    program.run("simulate", folder, *JOB, *arguments)
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return folder, json.load(file)


def gains(job, *changes):
    out, _ = program.run(
        "whatif", job, *[word for change in changes for word in ("--change", change)], "--format", "json"
    )
    made = json.loads(out)
    names = [column["name"] for column in made["columns"]]
    return {row[names.index("change")]: row[names.index("gain_pct")] for row in made["rows"]}


class WhatIf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.slow, cls.slow_truth = simulate(
            os.path.join(cls.folder.name, "slow"), "--events", "8000", "--plant", "slow-gpu:rank=5"
        )

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def refuses(self, said, *words):
        out, error = program.run("whatif", self.slow, *words, expect=(1, 2))
        self.assertEqual(out, "")
        self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z")
        self.assertIn(said, error)

    def test_a_rank_like_its_peers(self):
        gain = gains(self.slow, "idealise:rank=5")["idealise:rank=5"]
        self.assertAlmostEqual(gain, self.slow_truth["causes"][0]["gain_pct"], delta=0.5)

    def test_findings_cured_gain_what_they_say(self):
        out, _ = program.run("table", "findings", self.slow, "--format", "json")
        made = json.loads(out)
        names = [column["name"] for column in made["columns"]]
        rows = [dict(zip(names, row)) for row in made["rows"]]
        self.assertIn("slow-gpu", [row["id"] for row in rows])
        found = gains(self.slow, *[f"cure:finding={row['id']}" for row in rows])
        for row in rows:
            self.assertAlmostEqual(found[f"cure:finding={row['id']}"], row["gain_pct"], delta=1e-6)
        # All of them together: as the last row of the findings says.
        if len(rows) > 1:
            self.assertAlmostEqual(found["all together"], rows[-1]["combined_gain_pct"], delta=1e-6)

    def test_more_micro_batches(self):
        with tempfile.TemporaryDirectory() as folder:
            job, truth = simulate(
                folder, "--events", "40000", "--micro-batches", "16", "--plant", "pipeline-bubble:severity=3"
            )
            # Recorded with 4; what smaller ones lose on the device is not known.
            gain = gains(job, "microbatches:count=16")["microbatches:count=16"]
            true = truth["causes"][0]["gain_pct"]
            self.assertLess(abs(gain - true), 0.1 * true)
            both = gains(job, "microbatches:count=16", "idealise:class=gemm,to=roofline")
            alone = both["idealise:class=gemm,to=roofline"]
            self.assertGreater(alone, 1)
            self.assertAlmostEqual(both["all together"], 100 * (1 - (1 - gain / 100) * (1 - alone / 100)), delta=1e-6)

    def test_the_roof_is_a_bound_for_the_median(self):
        found = gains(self.slow, "idealise:rank=5", "idealise:rank=5,to=roofline", "idealise:stage=2,to=roofline")
        self.assertGreater(found["idealise:rank=5,to=roofline"], 0)
        self.assertGreaterEqual(found["idealise:stage=2,to=roofline"], found["idealise:rank=5,to=roofline"])

    def test_every_change_that_is_listed_is_taken(self):
        out, _ = program.run("whatif", "--list")
        forms = [line for line in out.splitlines() if line and not line.startswith(" ")]
        self.assertGreater(len(forms), 8)
        numbers = {
            "rank": "5",
            "stage": "2",
            "op": "aten::mm",
            "class": "gemm",
            "kind": "compute",
            "factor": "0.5",
            "count": "16",
            "to": "roofline",
            "finding": "slow-gpu",
        }
        for form in forms:
            verb, _, keys = form.replace("[", "").replace("]", "").replace("|", ",").partition(":")
            words = []
            for word in keys.split(",") if keys else []:
                key = word.split("=")[0]
                words.append(f"{key}={'sync' if verb == 'remove' else numbers[key]}")
            if verb == "scale":
                words = ["kind=compute", "factor=0.5", "rank=5", "op=aten::mm", "class=gemm"]
            elif "op=aten::mm" in words and "to=roofline" in words:
                words = ["class=gemm", "to=roofline"]
            change = verb + (":" + ",".join(words) if words else "")
            self.assertIn(change, gains(self.slow, change))

    def test_what_it_refuses(self):
        for said, change in (
            ("no change 'idealize'", "idealize:rank=5"),
            ("no rank 99", "idealise:rank=99"),
            ("no pipeline stage 9", "idealise:stage=9"),
            ("there is no ideal 'median'", "idealise:rank=1,to=median"),
            ("to=roofline is of idealise", "balance:to=roofline"),
            ("microbatches needs count=", "microbatches"),
            ("count takes 1 to", "microbatches:count=0"),
            ("no cost or no peak", "idealise:op=none,to=roofline"),
            ("scale needs factor=", "scale:kind=compute"),
            ("changes nothing", "idealise:op=aten::nothing"),
            ("changes nothing", "scale:kind=communication,factor=0.5,class=gemm"),
            ("cure needs finding=", "cure"),
            ("did you mean slow-gpu?", "cure:finding=slow-gup"),
            ("the job has no finding memory-leak", "cure:finding=memory-leak"),
        ):
            with self.subTest(change=change):
                self.refuses(said, "--change", change)


if __name__ == "__main__":
    unittest.main(argv=["whatif_test"])
