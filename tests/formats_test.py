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
        rows = self.query(
            path, "SELECT device, stream, name, ts_ns - (SELECT min(ts_ns) FROM kernels), dur_ns FROM kernels"
        )
        self.assertEqual(sorted(tuple(row) for row in rows), expected)

        # Computing and communicating; where a copy lies beside them it is not exposed.
        out, _ = program.run("table", "time_breakdown", path, "--format", "json")
        table = json.loads(out)
        columns = [column["name"] for column in table["columns"]]
        for device in {work.device for work in works}:
            kernels = [
                (work.begin, work.begin + work.duration) for work in works if work.device == device and not work.is_copy
            ]
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
        self.assertEqual(
            self.query(path, "SELECT DISTINCT grid, class FROM kernels WHERE work = 'compute'"), [["[10,1,1]", "gemm"]]
        )

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
        self.assertEqual(
            [name for name in os.listdir(folder) if not name.endswith(".sqlite")], [], "nothing is written beside them"
        )

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
        for command in (
            ["filter", "--category=kernel"],
            ["split"],
            ["scrub"],
            ["convert", "--overlay", "critical-path"],
        ):
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

    def shares(self, path):
        """Computing and exposed communication of each rank, in percent of its counted steps."""
        out, _ = program.run("table", "time_breakdown", path, "--format", "json")
        table = json.loads(out)
        columns = [column["name"] for column in table["columns"]]
        rows = [dict(zip(columns, row)) for row in table["rows"]]
        sums = {}
        for row in rows:
            if not row["complete"] or row["step"] is None:
                continue
            sums.setdefault(row["rank"], []).append(row)
        parts = ("compute_ns", "exposed_communication_ns")
        return {
            rank: tuple(
                round(100 * sum(row[part] for row in of) / sum(row["duration_ns"] for row in of)) for part in parts
            )
            for rank, of in sums.items()
        }

    def test_ranks_of_ascend_are_one_job(self):
        # Per step of 10 ms: 2 ms computing, 3 ms of a collective behind it. Ranks from the file beside the output.
        for rank in (4, 6):
            base = 1 << 20 | rank
            events = [
                {"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}}
                for pid, name in (
                    (7 + rank, "Python"),
                    (base, "CANN"),
                    (base + 64, "Ascend Hardware"),
                    (base + 128, "HCCL"),
                )
            ]

            def add(pid, tid, name, ts, dur, events=events, **members):
                events.append(
                    {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": f"{ts}.000", "dur": dur, **members}
                )

            for step in range(4):
                at = 10_000 * step
                add(7 + rank, 1, f"ProfilerStep#{step}", at, 9_900, cat="cpu_op")
                add(base, 1, "Node@launch", at + 10, 5, args={"connection_id": 2 * step})
                add(base, 1, "Node@launch", at + 20, 5, args={"connection_id": 2 * step + 1})
                add(base + 64, 2, "MatMulV2", at + 30, 2_000, args={"Task Type": "AI_CORE", "connection_id": 2 * step})
                add(
                    base + 128,
                    0,
                    f"hcom_allReduce__1_{step}_1",
                    at + 2_030,
                    3_000,
                    args={"connection_id": 2 * step + 1},
                )
            output = ("run", f"host_{rank}_ascend_pt", "ASCEND_PROFILER_OUTPUT")
            with open(self.file(*output, "trace_view.json"), "w", encoding="utf-8") as file:
                json.dump(events, file)
            for beside in (
                ("run", f"host_{rank}_ascend_pt", f"profiler_info_{rank}.json"),
                (*output, "communication.json"),
            ):
                with open(self.file(*beside), "w", encoding="utf-8") as file:
                    file.write("{}")
        self.assertEqual(self.shares(self.file("run")), {4: (20, 30), 6: (20, 30)})

    def test_ranks_in_words_of_pids(self):
        events = []
        for rank in range(2):
            for step in range(4):
                at = 10_000 * step
                host = {"ph": "X", "pid": f"[TP0{rank}] 77", "tid": 1}
                events.append(
                    {**host, "cat": "user_annotation", "name": f"ProfilerStep#{step}", "ts": at, "dur": 9_900}
                )
                events.append(
                    {
                        **host,
                        "cat": "cuda_runtime",
                        "name": "cudaLaunchKernel",
                        "ts": at + 10,
                        "dur": 5,
                        "args": {"correlation": step + 1},
                    }
                )
                events.append(
                    {
                        "ph": "X",
                        "pid": f"[TP0{rank}] 0",
                        "tid": 7,
                        "cat": "kernel",
                        "name": "gemm",
                        "ts": at + 20,
                        "dur": 4_000 * (rank + 1),
                        "args": {"device": 0, "stream": 7, "correlation": step + 1},
                    }
                )
        path = self.file("merged.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        self.assertEqual(self.shares(path), {0: (40, 0), 1: (80, 0)})
        self.assertEqual(
            self.query(
                path, "SELECT rank, count(*) FROM kernels WHERE launch_event IS NOT NULL GROUP BY rank ORDER BY rank"
            ),
            [[0, 4], [1, 4]],
        )

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
