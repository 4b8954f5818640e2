"""`rankscope store`: what is added comes back byte for byte, once; garbage goes, damage is told and mended; two writers do not meet."""

import fcntl
import glob
import hashlib
import json
import os
import subprocess
import tempfile
import time
import unittest

import program
from waiting import until


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Store(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", cls.job, "--ranks", "2", "--steps", "3", "--events", "3000")
        cls.traces = sorted(glob.glob(os.path.join(cls.job, "*.json.gz")))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.data = os.path.join(self.folder.name, "data")

    def store(self, what, *arguments, expect=0):
        return program.run("store", what, *arguments, "--data", self.data, expect=expect)

    def runs(self):
        table = json.loads(self.store("list", "--format", "json")[0])
        return [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]

    def add(self, *arguments):
        return self.store("add", *arguments)[0].strip()

    def blobs(self):
        return sorted(glob.glob(os.path.join(self.data, "blobs", "*", "*")))

    def age(self, seconds):
        for blob in self.blobs():
            os.utime(blob, (time.time() - seconds,) * 2)

    def test_what_is_added_comes_back(self):
        run = self.add(self.job, "--name", "one", "--team", "search", "--tag", "commit=1f3a", "--tag", "keep")
        (listed,) = self.runs()
        self.assertEqual(
            (listed["id"], listed["name"], listed["state"], listed["world_size"], listed["files"]),
            (run, "one", "ready", 2, 2),
        )
        self.assertEqual((listed["team"], listed["tags"], listed["user"]), ("search", "commit=1f3a, keep", None))
        self.assertEqual(listed["bytes"], sum(os.path.getsize(path) for path in self.traces))
        back = os.path.join(self.folder.name, "back")
        self.store("get", run, "-o", back)
        for path in self.traces:
            self.assertEqual(content(path), content(os.path.join(back, "traces", os.path.basename(path))))
        report = json.loads(content(os.path.join(back, "report", "report.json")))
        fresh = json.loads(program.run("analyze", self.job, "--format", "json")[0])
        self.assertEqual(report["findings"], fresh["findings"])
        sql = f"SELECT count(*) AS rows FROM '{back}/report/step_times.parquet'"
        rows = program.run("query", self.job, sql, "--allow-files", "--format", "csv")[0].split()[1]
        self.assertEqual(int(rows), len(program.table("step_times", self.job)))
        sql = f"SELECT decode(value) AS schema FROM parquet_kv_metadata('{back}/report/step_times.parquet') WHERE decode(key) = 'rankscope.schema'"
        self.assertRegex(
            program.run("query", self.job, sql, "--allow-files", "--format", "csv")[0].split()[1], "^[0-9a-f]{16}$"
        )
        for blob in self.blobs():
            self.assertEqual(hashlib.sha256(content(blob)).hexdigest(), os.path.basename(blob))
        self.store("get", run, "-o", back, expect=2)

    def test_the_same_is_there_once(self):
        run = self.add(self.job, "--name", "one")
        before = self.blobs()
        self.assertEqual(self.add(self.job, "--name", "one"), run)
        self.assertEqual(self.blobs(), before)
        other = self.add(self.job, "--name", "two")
        self.assertNotEqual(other, run)
        traces = [blob for blob in self.blobs() if content(blob) in [content(path) for path in self.traces]]
        self.assertEqual(len(traces), 2)

    def test_garbage_goes_and_what_is_named_stays(self):
        first = self.add(self.job, "--name", "one")
        second = self.add(self.traces[0], "--name", "half")
        self.store("remove", first)
        self.assertEqual(self.store("gc")[0], "removed 0 runs and 0 contents of 0 B\n")
        self.age(7200)
        self.assertRegex(self.store("gc")[0], r"removed 0 runs and \d+ contents")
        self.assertEqual([run["id"] for run in self.runs()], [second])
        self.store("check", "--contents")
        self.store("get", second, "-o", os.path.join(self.folder.name, "half"))
        out, _ = self.store("gc", "--max-size", "1")
        self.assertIn("removed 1 runs", out)
        self.assertEqual((self.runs(), self.blobs()), ([], []))
        self.store("gc", "--older-than", "soon", expect=2)

    def test_damage_is_told_and_mended(self):
        self.add(self.job, "--name", "one")
        blob = next(path for path in self.blobs() if content(path) == content(self.traces[1]))
        damaged = bytearray(content(blob))
        damaged[100] ^= 1
        with open(blob, "wb") as file:
            file.write(damaged)
        self.store("check")
        out, _ = self.store("check", "--contents", expect=1)
        self.assertIn(os.path.basename(self.traces[1]), out)
        self.store("check", "--repair", expect=1)
        self.store("check", expect=1)
        self.add(self.job, "--name", "again")
        self.store("check", "--contents")

    def test_damage_beside_runs_is_told(self):
        self.add(self.job, "--name", "one")
        gains = os.path.join(self.data, "gains")
        os.mkdir(gains)
        with open(os.path.join(gains, "m-0.gain"), "w", encoding="utf-8") as file:
            file.write('{"finding"')
        out, said = self.store("check", expect=1)
        self.assertIn(f"{gains}/m-0.gain: no measured gain is kept in it", out)
        self.assertIn("1 problem", said)

    def test_what_is_damaged_is_not_given_back(self):
        run = self.add(self.job, "--name", "one")
        blob = next(path for path in self.blobs() if content(path) == content(self.traces[1]))
        damaged = bytearray(content(blob))
        damaged[100] ^= 1
        with open(blob, "wb") as file:
            file.write(damaged)
        back = os.path.join(self.folder.name, "back")
        _, error = self.store("get", run, "-o", back, expect=1)
        self.assertIn(os.path.basename(self.traces[1]), error)
        self.assertIn("damaged", error)
        self.assertEqual(os.listdir(os.path.join(back, "traces")), [os.path.basename(self.traces[0])])
        self.assertTrue(os.path.exists(os.path.join(back, "report", "report.json")))

    def test_records_of_older_stores_are_sealed(self):
        runs = [self.add(self.job, "--name", "one"), self.add(self.traces[0], "--name", "two")]
        for run in runs:
            path = os.path.join(self.data, "runs", f"{run}.json")
            record = json.loads(content(path))
            del record["sealed_s"], record["record_sha256"]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(record, file)
        with open(os.path.join(self.data, "store.json"), "w", encoding="utf-8") as file:
            file.write('{"format": 2}')
        # Who only reads changes nothing, and sees all.
        out, _ = self.store("check", "--contents")
        self.assertIn("2 runs have not been verified", out)
        self.assertEqual(len(self.runs()), 2)
        self.assertEqual(content(os.path.join(self.data, "store.json")), b'{"format": 2}')
        trace = os.path.join(self.data, "blobs", "*", hashlib.sha256(content(self.traces[1])).hexdigest())
        with open(glob.glob(trace)[0], "r+b") as file:
            file.write(b"other")
        out, _ = self.store("check", "--seal", expect=1)
        self.assertIn(f"run {runs[0]}", out)
        self.assertIn("1 runs have not been verified", out)
        self.assertIn("1 runs were not verified before", out)
        out, _ = self.store("check")
        self.assertIn("1 runs have not been verified", out)
        self.assertIn("store check --seal", out)
        self.assertEqual(len(self.runs()), 2)
        path = os.path.join(self.data, "runs", f"{runs[1]}.json")
        with open(path, "r+b") as file:
            file.seek(content(path).index(b'"two"') + 1)
            file.write(b"s")
        self.assertIn("checksum", self.store("check", expect=1)[0])

    def test_two_writers_do_not_meet(self):
        self.add(self.job, "--name", "one")
        with open(os.path.join(self.data, "lock"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _, error = self.store("add", self.job, "--name", "two", expect=1)
            self.assertIn("another process writes", error)
            self.assertEqual(len(self.runs()), 1)
            _, error = self.store("check", "--seal", expect=1)
            self.assertIn("cannot be sealed now: end it, run this again, and start it anew", error)
            self.assertIn("0 of them unused", self.store("check", "--contents")[0])

    def test_killed_while_adding(self):
        """Nothing half is left, and the same can be added."""
        there = lambda: sum(len(files) for _, _, files in os.walk(self.data))
        for count in range(10):
            before = there()
            with subprocess.Popen(
                [program.BINARY, "store", "add", self.job, "--name", "one", "--data", self.data], stdout=subprocess.PIPE
            ) as child:
                until(lambda: there() >= before + count or child.poll() is not None, pause_s=0)
                child.kill()
                told = child.stdout.read().decode().strip()
            if os.path.exists(os.path.join(self.data, "store.json")):
                self.store("check", "--contents")
                runs = self.runs()
                self.assertTrue(not told or [told] == [run["id"] for run in runs])
                self.assertEqual(
                    [(run["state"], run["files"], run["reports"]) for run in runs], [("ready", 2, 1)] * len(runs)
                )
                for run in runs:
                    self.store("remove", run["id"])
        run = self.add(self.job, "--name", "one")
        self.assertEqual([(one["id"], one["state"]) for one in self.runs()], [(run, "ready")])

    def test_what_is_no_store_or_run(self):
        _, error = self.store("list", expect=1)
        self.assertIn("there is no store", error)
        os.mkdir(self.data)
        with open(os.path.join(self.data, "thesis.tex"), "w", encoding="utf-8"):
            pass
        _, error = self.store("add", self.job, expect=2)
        self.assertIn("thesis.tex", error)
        os.remove(os.path.join(self.data, "thesis.tex"))
        self.add(self.job)
        _, error = self.store("get", "../../etc", "-o", os.path.join(self.folder.name, "x"), expect=1)
        self.assertIn("no run", error)
        _, error = self.store("add", self.folder.name, expect=1)
        self.assertEqual(len(self.runs()), 1)
        with open(os.path.join(self.data, "store.json"), "w", encoding="utf-8") as file:
            file.write('{"format": 99}')
        _, error = self.store("list", expect=1)
        self.assertIn("format 99", error)


if __name__ == "__main__":
    unittest.main(argv=["store_test"])
