"""What stragglers cost, from plain tables of operations: against the published result for a real job (../shared/expected/whatif-AR.json)
and as a user meets it."""

import json
import os
import tempfile
import unittest

import program

TRACE = os.path.join(program.REAL_TRACES, "whatif", "trace-AR.csv.gz")
EXPECTED = os.path.join(program.REAL_TRACES, "..", "expected", "whatif-AR.json")
HEADER = "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n"


def slowdowns(*paths):
    """{(scope, key): slowdown}."""
    return {(row["scope"], row["key"]): row["slowdown"] for row in program.table("straggler_slowdown", *paths)}


class Stragglers(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(TRACE), "no real traces beside the checkout")
    def test_a_real_job_as_published(self):
        with open(EXPECTED, encoding="utf-8") as file:
            published = json.load(file)
        expected = {("job", None): published["blocking_slowdown"]}
        for scope, name in (
            ("step", "blocking_step_slowdown"),
            ("dp_rank", "blocking_decompose_by_dp_rank"),
            ("stage", "blocking_decompose_by_stage"),
            ("optype", "blocking_decompose_by_optype"),
        ):
            expected.update({(scope, key): value for key, value in published[name].items()})
        found = slowdowns(TRACE)
        self.assertEqual(set(found), set(expected))
        for key, value in expected.items():
            # Published from 32-bit times.
            self.assertAlmostEqual(found[key], value, delta=1e-6, msg=key)

    def test_csv_and_parquet(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "operations.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(
                    HEADER + "0,0,0,7,forward-compute,0.0,1.0,0,0,0,0\n0,0,0,7,grads-reduce-scatter,1.0,3.0,0,0,-1,0\n"
                    "1,0,1,7,forward-compute,0.0,3.0,0,0,0,0\n1,0,1,7,grads-reduce-scatter,3.0,1.0,0,0,-1,0\n"
                )
            found = slowdowns(path)
            self.assertAlmostEqual(found["job", None], 4 / 3)
            self.assertAlmostEqual(found["dp_rank", "0"], 1)
            parquet = os.path.join(folder, "operations.parquet")
            job = os.path.join(folder, "job")
            program.run("simulate", job, "--ranks", "1", "--steps", "2", "--events", "2000")
            program.run(
                "query", job, f"COPY (FROM read_csv('{path}')) TO '{parquet}' (FORMAT parquet)", "--allow-files"
            )
            self.assertEqual(slowdowns(parquet), found)

    def test_the_traces_of_a_job(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, plants, scope, key in (
                ("healthy", [], None, None),
                ("slow", ["slow-gpu:rank=5"], "dp_rank", "2"),
                ("pause", ["gc-pause:rank=2"], "optype", "host"),
            ):
                job = os.path.join(folder, name)
                program.run(
                    "simulate",
                    job,
                    "--job",
                    "3d",
                    "--layout",
                    "tp=2,pp=2,dp=4",
                    "--ranks",
                    "16",
                    "--events",
                    "8000",
                    *[word for plant in plants for word in ("--plant", plant)],
                )
                found = slowdowns(job)
                with open(os.path.join(job, "truth.json"), encoding="utf-8") as file:
                    causes = json.load(file)["causes"]
                if not plants:
                    # The output layer makes the last stage slower than the first.
                    healthy = found["job", None]
                    self.assertLess(healthy, 1.03)
                    self.assertEqual(max((row for row in found if row[0] == "stage"), key=found.get), ("stage", "1"))
                    continue
                # With the uneven stages beside it, which a straggler may hide.
                alone = 1 / (1 - causes[0]["gain_pct"] / 100)
                self.assertGreater(found["job", None], alone - 0.01)
                self.assertLess(found["job", None], alone * healthy + 0.01)
                others = [slowdown for row, slowdown in found.items() if row[0] == scope and row[1] != key]
                self.assertGreater(found[scope, key], 1.05)
                self.assertLess(max(others), found[scope, key])

    def test_what_cannot_be_read_is_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text, said in (
                ("lacking.csv", "step,stage\n1,2\n", "has no column dp_rank"),
                ("empty.csv", HEADER, "is empty"),
                ("words.csv", HEADER + "a,0,0,7,gc,0,1,0,0,0,0\n", "words.csv: "),
            ):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                out, error = program.run("table", "straggler_slowdown", path, expect=1)
                self.assertEqual(out, "")
                self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z")
                self.assertIn(said, error)


if __name__ == "__main__":
    unittest.main(argv=["straggler_test"])
