"""Formats other than Kineto's, as a user meets them: a folder of each is analysed like any other, its kernels are those of an
independent reader (reference/read_formats.py), and what a format does not say is unknown, never zero."""

import gzip
import json
import os
import tempfile
import unittest

import program
import read_formats
from write_formats import STEP_NS, STEPS, write_nsys, write_rocprofv3, write_xplane

# Columns of which nothing can be known in a format: null in every row.
UNKNOWN = {
    "rocprofv3 JSON": ["kernels.occupancy_pct", "kernels.external_id"],
    "Nsight Systems SQLite": ["kernels.occupancy_pct", "kernels.external_id"],
    "XPlane": ["kernels.external_id"],
}


class Formats(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)

    def file(self, *names):
        path = os.path.join(self.temporary.name, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def query(self, path, sql):
        out, _ = program.run("query", path, sql, "--format", "json")
        return json.loads(out)["rows"]

    def check(self, path, name, works):
        """Every kernel and copy, the time in which devices compute, and what is unknown, of one file."""
        out, _ = program.run("trace", "info", path, "--format", "json")
        info = json.loads(out)["files"][0]
        self.assertEqual(info["format"], name)
        self.assertEqual(info["text_bytes"] is None, name == "Nsight Systems SQLite", "a database has no text")
        out, _ = program.run("trace", "info", path)
        self.assertIn("  unknown ", out)

        origin = min(work.begin for work in works)
        expected = sorted((work.device, work.stream, work.name, work.begin - origin, work.duration) for work in works)
        rows = self.query(path, "SELECT device, stream, name, ts_ns - (SELECT min(ts_ns) FROM kernels), dur_ns FROM kernels")
        self.assertEqual(sorted(tuple(row) for row in rows), expected)

        # Computing and communicating; where a copy lies beside them it is not exposed.
        out, _ = program.run("table", "time_breakdown", path, "--format", "json")
        table = json.loads(out)
        columns = [column["name"] for column in table["columns"]]
        for device in {work.device for work in works}:
            kernels = [(work.begin, work.begin + work.duration) for work in works if work.device == device and not work.is_copy]
            all_work = [(work.begin, work.begin + work.duration) for work in works if work.device == device]
            rows = [dict(zip(columns, row)) for row in table["rows"] if row[columns.index("device")] == device]
            busy = sum(row["compute_ns"] + row["exposed_communication_ns"] for row in rows)
            self.assertEqual(busy, read_formats.covered(kernels))
            self.assertEqual(busy + sum(row["exposed_copy_ns"] for row in rows), read_formats.covered(all_work))

        for column in UNKNOWN[name]:
            view, column = column.split(".")
            rows = self.query(path, f"SELECT count(*), count({column}) FROM {view}")
            self.assertGreater(rows[0][0], 0)
            self.assertEqual(rows[0][1], 0, f"{column} is known")
        self.assertEqual(self.query(path, "SELECT count(*) FROM ops WHERE shapes IS NOT NULL")[0][0], 0)

    def test_rocprofv3(self):
        path = self.file("rocm", "1_results.json.gz")
        plain = self.file("plain.json")
        write_rocprofv3(plain)
        with open(plain, "rb") as file, gzip.open(path, "wb") as packed:
            packed.write(file.read())
        self.check(path, "rocprofv3 JSON", read_formats.rocprofv3(path))
        self.assertEqual(self.query(path, "SELECT DISTINCT grid, class FROM kernels WHERE work = 'compute'"), [["[10,1,1]", "gemm"]])

    def test_nsys(self):
        folder = os.path.dirname(self.file("nsys", "rank0.sqlite"))
        for rank in range(2):
            write_nsys(os.path.join(folder, f"rank{rank}.sqlite"), rank)
        path = os.path.join(folder, "rank1.sqlite")
        self.check(path, "Nsight Systems SQLite", read_formats.nsys(path))
        # Both are one job, in which steps are those of the NVTX ranges.
        out, _ = program.run("analyze", folder, "--format", "json")
        report = json.loads(out)
        self.assertEqual(report["job"]["ranks"], [0, 1])
        self.assertEqual(report["job"]["world_size"], 2)
        self.assertEqual(report["job"]["step_time_ns"]["median"], STEP_NS + 1000)
        self.assertEqual([name for name in os.listdir(folder) if not name.endswith(".sqlite")], [], "nothing is written beside them")

    def test_processes_of_one_report_are_ranks(self):
        path = self.file("both.sqlite")
        write_nsys(path, 0, processes=2)
        rows = self.query(path, "SELECT rank, count(*) FROM kernels GROUP BY rank ORDER BY rank")
        self.assertEqual(rows, [[0, 2 * STEPS], [1, 2 * STEPS]])

    def test_xplane(self):
        path = self.file("jax", "host.xplane.pb")
        write_xplane(path)
        self.check(path, "XPlane", read_formats.xplane(path))
        self.assertEqual(self.query(path, "SELECT count(*) FROM steps WHERE NOT inferred")[0][0], STEPS)

    def test_tools_that_change_text_refuse_them(self):
        path = self.file("host.xplane.pb")
        write_xplane(path)
        copy = self.file("copy.json")
        for command in (["filter", "--category=kernel"], ["split"], ["scrub"], ["convert", "--overlay", "critical-path"]):
            _, error = program.run("trace", command[0], path, *command[1:], "-o", copy, expect=2)
            self.assertIn("format XPlane", error, command)
        self.assertFalse(os.path.exists(copy))
        # Of such a file Parquet is made all the same.
        parquet = self.file("events.parquet")
        program.run("trace", "convert", path, "-o", parquet)
        self.assertGreater(os.path.getsize(parquet), 0)

    def test_reports_of_nsight_systems_are_named(self):
        path = self.file("run.nsys-rep")
        with open(path, "wb") as file:
            file.write(b"\x00\x01binary")
        _, error = program.run("analyze", path, expect=1)
        self.assertIn("nsys export --type sqlite", error)

    def test_real_files(self):
        real = (
            ("tracelens/rocprofv3/908_results.json.gz", "rocprofv3 JSON", read_formats.rocprofv3),
            ("nsys/saxpy-mpi-cuda_nsys_perlmutter0.sqlite.gz", "Nsight Systems SQLite", read_formats.nsys),
            ("xplane/tw003.xplane.pb", "XPlane", read_formats.xplane),
        )
        for name, kind, read in real:
            path = os.path.join(program.REAL_TRACES, name)
            if not os.path.exists(path):
                self.skipTest("the real files are not beside the checkout")
            with self.subTest(name=name):
                self.check(path, kind, read(path))


if __name__ == "__main__":
    unittest.main(argv=["formats_test"])
