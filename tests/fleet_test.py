"""`rankscope fleet`: rows of real runs of a store against what their own tables say, that they follow the store, and simulated fleets whose truth is known."""

import glob
import json
import os
import sys
import tempfile
import unittest

import program

NS_PER_HOUR = 3.6e12


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def ask(*arguments):
    out, _ = program.run("fleet", *arguments, "--format", "json")
    report = json.loads(out)
    assert report["schema"] == "rankscope.fleet/1"
    return {name: rows_of(table) for name, table in report["tables"].items()}


def query(data, sql):
    out, _ = program.run("fleet", "query", data, sql, "--format", "json")
    return rows_of(json.loads(out))


def sentence(*arguments, expect):
    out, error = program.run("fleet", *arguments, expect=expect)
    assert not out and error.count("\n") == 1 and error.startswith("rankscope: "), error
    return error


class Store(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.jobs = [os.path.join(cls.temporary.name, name) for name in ("first", "second")]
        for seed, job in enumerate(cls.jobs):
            program.run("simulate", job, "--ranks", "2", "--steps", "3", "--events", "6000", "--seed", str(seed + 1))
        cls.data = os.path.join(cls.temporary.name, "store")
        cls.runs = [cls.add(job, *tags) for job, tags in zip(cls.jobs, ([("--tag", "device_hours=10")], []))]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def add(cls, job, *options):
        options = [word for option in options for word in option]
        out, _ = program.run("store", "add", job, "--data", cls.data, "--model", "llama", "--team", "search", *options)
        return out.strip()

    def test_rows_are_those_of_the_runs(self):
        for run, job in zip(self.runs, self.jobs):
            out, _ = program.run("table", "kernels_by_name", job, "--format", "json")
            expected = rows_of(json.loads(out))
            kept = query(self.data, f"SELECT * FROM kernel_run WHERE run_id = '{run}'")
            for column, kept_as in (("count", "launches"), ("total_ns", "total_ns")):
                self.assertEqual(sum(row[column] for row in expected), sum(row[kept_as] for row in kept))
            by_name = {row["name"]: row for row in expected}
            for row in kept:
                self.assertLessEqual(row["min_ns"], row["p50_ns"])
                self.assertLessEqual(row["p50_ns"], row["p90_ns"])
                self.assertLessEqual(row["p99_ns"], row["max_ns"])
                alone = by_name[row["kernel_name"]]
                if alone["count"] == row["launches"]:
                    self.assertAlmostEqual(row["p50_ns"], alone["p50_ns"], delta=0.019 * alone["p50_ns"] + 1)

    def test_hours_are_recorded_time_times_weight(self):
        (run,) = query(self.data, f"SELECT * FROM fleet_run WHERE run_id = '{self.runs[0]}'")
        self.assertAlmostEqual(run["weight"], 10 * NS_PER_HOUR / run["traced_wall_ns"])
        answers = ask("overview", self.data)
        known = query(
            self.data, f"SELECT CAST(sum(total_ns) AS BIGINT) AS ns FROM kernel_run WHERE run_id = '{self.runs[0]}'"
        )
        hours = sum(row["gpu_hours"] for row in answers["fleet_classes"])
        self.assertAlmostEqual(hours, known[0]["ns"] * run["weight"] / NS_PER_HOUR, delta=1e-3 * hours)
        self.assertAlmostEqual(sum(row["share_pct"] for row in answers["fleet_classes"]), 100)
        (share,) = answers["fleet_shares"]
        self.assertEqual((share["value"], share["runs"], share["device_hours"]), ("search", 2, 10))
        self.assertEqual(share["runs_without_hours"], 1)
        unknown = {row["what"]: row["unknown_pct"] for row in answers["fleet_unknown"]}
        self.assertEqual(unknown["weight"], 50)
        self.assertEqual(unknown["driver"], 100)
        self.assertNotIn("model", unknown)

    def test_a_day_is_the_sum_of_its_runs(self):
        sums = "CAST(sum(launches) AS BIGINT) AS n, CAST(sum(total_ns) AS BIGINT) AS ns, CAST(sum(fleet_ms) AS BIGINT) AS ms"
        runs = query(self.data, f"SELECT {sums} FROM kernel_run")
        days = query(self.data, f"SELECT {sums} FROM kernel_day")
        self.assertEqual(runs, days)

    def test_rows_follow_the_store(self):
        folder = os.path.join(self.data, "fleet")
        query(self.data, "SELECT 1")
        before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
        query(self.data, "SELECT 1")
        self.assertEqual(before, {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)})
        other = self.add(self.jobs[0], ("--name", "again"))
        self.assertEqual(len(query(self.data, "SELECT * FROM fleet_run")), 3)
        # What a killed process leaves counts for nothing.
        stray = os.path.join(folder, "kernel_run.2000-01-01.7.parquet")
        with open(stray, "w", encoding="utf-8") as file:
            file.write("half")
        program.run("store", "remove", other, "--data", self.data)
        runs = {row["run_id"] for row in query(self.data, "SELECT run_id FROM fleet_run")}
        self.assertEqual(runs, set(self.runs))
        self.assertEqual(runs, {row["run_id"] for row in query(self.data, "SELECT DISTINCT run_id FROM kernel_run")})
        self.assertFalse(os.path.exists(stray))

    def test_answers_are_kept_until_rows_change(self):
        def kept():
            return set(glob.glob(os.path.join(self.data, "fleet", "answer.*.json")))

        for old in kept():
            os.remove(old)
        first = ask("kernels", self.data)
        (answer,) = kept()
        # It is what is said again, and of this question alone.
        self.assertEqual(ask("kernels", self.data), first)
        self.assertEqual(kept(), {answer})
        with open(answer, "r+", encoding="utf-8") as file:
            text = file.read().replace('"schema"', '"kept":true,"schema"', 1)
            file.seek(0)
            file.write(text)
        told, _ = program.run("fleet", "kernels", self.data, "--format", "json")
        self.assertTrue(json.loads(told)["kept"])
        ask("kernels", self.data, "--top", "1")
        self.assertEqual(len(kept()), 2, "another question")
        other = self.add(self.jobs[0], ("--name", "again"))
        told, _ = program.run("fleet", "kernels", self.data, "--format", "json")
        self.assertNotIn("kept", json.loads(told))
        program.run("store", "remove", other, "--data", self.data)
        self.assertEqual(ask("kernels", self.data), first)

    def test_rows_are_made_anew_when_they_are_gone(self):
        known = query(self.data, "SELECT * FROM kernel_day ORDER BY ALL")
        for name in os.listdir(os.path.join(self.data, "fleet")):
            os.remove(os.path.join(self.data, "fleet", name))
        self.assertEqual(query(self.data, "SELECT * FROM kernel_day ORDER BY ALL"), known)

    def test_a_damaged_manifest_is_told_with_its_remedy(self):
        query(self.data, "SELECT 1")
        path = os.path.join(self.data, "fleet", "manifest.json")
        with open(path, encoding="utf-8") as file:
            good = file.read()
        for bad in ("{", "{}", good.replace("rankscope.fleet/1", "rankscope.fleet/9")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(bad)
            self.assertIn("remove it", sentence("overview", self.data, expect=1))
        with open(path, "w", encoding="utf-8") as file:
            file.write(good)

    def test_mistakes_are_told(self):
        self.assertIn("YYYY-MM-DD", sentence("overview", self.data, "--since", "tuesday", expect=2))
        self.assertIn("did you mean llama?", sentence("models", self.data, "--model", "lama", expect=1))
        self.assertIn("--table", sentence("overview", self.data, "--format", "csv", expect=2))
        self.assertIn("fleet_classes", sentence("overview", self.data, "--table", "kernel_run", expect=2))
        self.assertIn("store", sentence("overview", self.jobs[0], expect=1))
        sentence("query", self.data, "SELECT nothing FROM fleet_run", expect=2)
        sentence("query", self.data, "CREATE TABLE t (a INTEGER)", expect=2)
        self.assertFalse(os.path.exists(os.path.join(self.jobs[0], "fleet")))

    def test_a_period_has_its_days_alone(self):
        (day,) = {row["day"] for row in query(self.data, "SELECT day FROM fleet_run")}
        self.assertEqual(ask("models", self.data, "--since", day, "--until", day)["fleet_models"][0]["runs"], 2)
        self.assertEqual(ask("models", self.data, "--until", "2001-01-01")["fleet_models"], [])
        for command in ("overview", "kernels", "regressions", "findings", "models"):
            for rows in ask(command, self.data, "--until", "2001-01-01").values():
                self.assertEqual(rows, [])


class Simulated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def simulate(self, name, *plants, seed=1, days=45):
        out = os.path.join(self.temporary.name, name)
        planted = [word for plant in plants for word in ("--plant", plant)]
        size = ["--days", str(days), "--models", "4", "--runs-per-day", "12", "--seed", str(seed)]
        program.run("simulate-fleet", out, *size, *planted)
        with open(os.path.join(out, "truth.json"), encoding="utf-8") as file:
            return out, json.load(file)

    def test_what_was_planted_is_found(self):
        data, truth = self.simulate("all", "regression:driver", "refactoring", "mix-shift", "new-kernel")
        changes = ask("regressions", data)["fleet_regressions"]
        kinds = {"regression": "regression", "refactoring": "cost shift", "new-kernel": "new kernel"}
        for plant in truth["plants"]:
            if plant["kind"] == "mix-shift":
                continue
            rows = [row for row in changes if row["kernel_key"] == plant["kernel_key"]]
            self.assertTrue(rows, plant)
            for row in rows:
                self.assertEqual(row["kind"], kinds[plant["kind"]], row)
                self.assertGreaterEqual(row["since"], plant["since"])
                self.assertEqual(row["cause"], plant["cause"] if plant["kind"] == "regression" else None)
                self.assertIn(row["before_runs"].split()[-1], row["command"])
        planted = {plant["kernel_key"] for plant in truth["plants"]}
        self.assertLessEqual({row["kernel_key"] for row in changes}, planted)

    def test_a_shift_of_the_mixture_is_no_regression(self):
        for seed in range(1, 4):
            data, _ = self.simulate(f"mix{seed}", "mix-shift", seed=seed)
            self.assertEqual(ask("regressions", data)["fleet_regressions"], [], seed)

    def test_mix_duration_and_count_sum_to_the_change(self):
        data, truth = self.simulate("movers", "regression:image", "mix-shift", seed=3)
        # Where one of the two parts has no runs nothing moved, and that is said.
        self.assertEqual(ask("regressions", data, "--split", "2020-01-01")["fleet_movers"], [])
        text, _ = program.run("fleet", "regressions", data, "--split", "2020-01-01")
        self.assertIn("One of the two parts of the time has no runs.", text)
        movers = ask("regressions", data, "--split", truth["plants"][1]["since"])["fleet_movers"]
        self.assertIsNone(movers[0]["kernel_key"])
        for row in movers:
            parts = [int(row[f"{part}_ms"]) for part in ("duration", "count", "mix")]
            self.assertEqual(sum(parts), int(row["after_ms"]) - int(row["before_ms"]))
            self.assertEqual(sum(parts), int(row["change_ms"]))
        self.assertGreater(abs(int(movers[0]["mix_ms"])), abs(int(movers[0]["duration_ms"])))

    def test_percentiles_are_of_all_durations(self):
        data, _ = self.simulate("kernels", days=6)
        kernels = ask("kernels", data, "--top", "100")["fleet_kernels"]
        self.assertEqual(sorted(kernels, key=lambda row: -row["gpu_hours"]), kernels)
        self.assertAlmostEqual(sum(row["gpu_share_pct"] for row in kernels), 100)
        for row in kernels:
            self.assertLess(0, row["p50_ns"])
            self.assertLessEqual(row["p50_ns"], row["p90_ns"])
            self.assertLessEqual(row["p90_ns"], row["p99_ns"])
        frequent = ask("kernels", data, "--by-launches")["fleet_kernels"]
        self.assertEqual(sorted(frequent, key=lambda row: -row["fleet_launches"]), frequent)

    def test_models_and_findings_over_time(self):
        data, _ = self.simulate("models", days=20)
        months = ask("models", data)["fleet_models"]
        self.assertEqual(sum(row["runs"] for row in months), 240)
        days = ask("models", data, "--model", "model-a", "--every", "day")["fleet_models"]
        self.assertEqual({row["model"] for row in days}, {"model-a"})
        weeks = ask("models", data, "--model", "model-a", "--every", "week")["fleet_models"]
        self.assertEqual(sum(row["runs"] for row in weeks), sum(row["runs"] for row in days))
        self.assertIsNone(weeks[0]["change_pct"])
        findings = ask("findings", data)["fleet_findings"]
        self.assertEqual(sorted(findings, key=lambda row: -row["lost_hours"]), findings)
        by_team = ask("findings", data, "--by", "team")["fleet_findings"]
        for row in findings:
            parts = [one["lost_hours"] for one in by_team if one["finding"] == row["finding"]]
            self.assertAlmostEqual(sum(parts), row["lost_hours"])
        for by in ("team", "model", "user", "job", "device", "driver", "host", "framework", "image"):
            shares = ask("overview", data, "--by", by)["fleet_shares"]
            self.assertEqual(sum(row["runs"] for row in shares), 240, by)
            self.assertAlmostEqual(sum(row["share_pct"] or 0 for row in shares), 100)

    def test_text_and_other_formats(self):
        data, _ = self.simulate("text", "regression:driver", seed=2)
        text, _ = program.run("fleet", "regressions", data)
        self.assertIn("cause: driver 550.54.15 -> 560.28.03", text)
        self.assertIn(f"--data {data} -o before", text)
        self.assertIn("What moved the GPU time", text)
        overview, _ = program.run("fleet", "overview", data)
        for heading in ("Whose device hours", "Most costly kernels", "Findings by what they cost", "What is not known"):
            self.assertIn(heading, overview)
        csv, _ = program.run("fleet", "overview", data, "--table", "fleet_classes", "--format", "csv")
        self.assertTrue(csv.startswith("class,work,bound,launches"))
        parquet = os.path.join(self.temporary.name, "kernels.parquet")
        program.run("fleet", "kernels", data, "--format", "parquet", "-o", parquet)
        self.assertGreater(os.path.getsize(parquet), 1000)

    def test_a_fleet_is_not_written_over(self):
        data, _ = self.simulate("twice", days=1)
        out, error = program.run("simulate-fleet", data, expect=2)
        self.assertIn("name a new folder", out + error)
        _, error = program.run("simulate-fleet", data + "2", "--plant", "regresion", expect=2)
        self.assertIn("regression:driver", error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
