"""Formats other than Kineto's, as a user meets them: a folder of each is analysed like any other, its kernels are those of an
independent reader (reference/read_formats.py), and what a format does not say is unknown, never zero."""

import gzip
import json
import os
import sqlite3
import tempfile
import unittest

import program
import read_formats

STEPS = 6
STEP_NS = 10_000_000

# Columns of which nothing can be known in a format: null in every row.
UNKNOWN = {
    "rocprofv3 JSON": ["kernels.occupancy_pct", "kernels.external_id", "kernels.step"],
    "Nsight Systems SQLite": ["kernels.occupancy_pct", "kernels.external_id"],
    "XPlane": ["kernels.external_id"],
}


def kernels_of_step(step):
    """Begin and end of a launch, of a kernel and of a copy, in a step of a simple program; the kernel and the copy overlap."""
    begin = step * STEP_NS
    return (begin + 1_000_000, begin + 1_020_000), (begin + 1_050_000, begin + 7_000_000 + 1000 * step), (begin + 6_000_000, begin + 7_500_000)


def write_rocprofv3(path):
    records = {"kernel_dispatch": [], "hip_api": [], "memory_copy": []}
    for step in range(STEPS):
        call, kernel, copy = kernels_of_step(step)
        records["hip_api"].append({"kind": 1, "operation": 0, "thread_id": 5, "correlation_id": {"internal": step}, "start_timestamp": call[0], "end_timestamp": call[1]})
        records["kernel_dispatch"].append(
            {
                "thread_id": 5,
                "correlation_id": {"internal": step},
                "start_timestamp": kernel[0],
                "end_timestamp": kernel[1],
                "stream_id": {"handle": 2},
                "dispatch_info": {"agent_id": {"handle": 9}, "kernel_id": 1, "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 640, "y": 1, "z": 1}},
            }
        )
        records["memory_copy"].append(
            {
                "kind": 2,
                "operation": 0,
                "correlation_id": {"internal": 100 + step},
                "start_timestamp": copy[0],
                "end_timestamp": copy[1],
                "dst_agent_id": {"handle": 9},
                "src_agent_id": {"handle": 1},
                "stream_id": {"handle": 3},
                "bytes": 4096,
            }
        )
    tool = {
        "metadata": {"pid": 4},
        "agents": [{"id": {"handle": 9}, "type": 2, "gpu_index": 0, "product_name": "AMD Instinct MI300X"}],
        "strings": {"buffer_records": [{"kind": "NONE", "operations": []}, {"kind": "HIP", "operations": ["hipLaunchKernel"]}, {"kind": "COPY", "operations": ["MEMORY_COPY_HOST_TO_DEVICE"]}]},
        "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "Cijk_Ailk_Bljk"}],
        "buffer_records": records,
    }
    with gzip.open(path, "wt") as file:
        json.dump({"rocprofiler-sdk-tool": [tool]}, file)


def write_nsys(path, rank):
    database = sqlite3.connect(path)
    database.executescript(
        """CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'ampere_sgemm_128x64_nn'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaMemcpyAsync_v3020');
        CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);
        INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
        CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId, correlationId, globalPid, demangledName);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId);
        CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid);"""
    )
    database.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', ?)", (f"RANK={rank}\0WORLD_SIZE=2\0",))
    process = 7 << 24
    for step in range(STEPS):
        call, kernel, copy = kernels_of_step(step)
        database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?)", (step * STEP_NS, (step + 1) * STEP_NS - 1, f"ProfilerStep#{step}", process + 7))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 2)", (*call, process + 7, step))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 3)", (call[1], call[1] + 9000, process + 7, 100 + step))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, 1)", (*kernel, step, process))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 8, ?, ?, 4096, 1, 1, 2)", (*copy, 100 + step, process))
    database.commit()
    database.close()


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def write_xplane(path):
    events = host = b""
    for step in range(STEPS):
        call, kernel, _ = kernels_of_step(step)
        correlation = text(4, number(1, 1) + number(3, step))
        events += text(4, number(1, 1) + number(2, 1000 * kernel[0] + 1) + number(3, 1000 * (kernel[1] - kernel[0]) + 998) + correlation)
        host += text(4, number(1, 1) + number(2, 1000 * call[0]) + number(3, 1000 * (call[1] - call[0])) + correlation)
        host += text(4, number(1, 2) + number(2, 1000 * step * STEP_NS) + number(3, 1000 * STEP_NS - 1000) + text(4, number(1, 2) + number(4, step)))
    names = text(5, number(1, 1) + text(2, number(1, 1) + text(2, "correlation_id"))) + text(5, number(1, 2) + text(2, number(1, 2) + text(2, "step_num")))
    device = text(2, "/device:GPU:0") + text(3, number(1, 4) + text(2, "Stream #4(Kernel)") + number(3, 500) + events) + text(4, number(1, 1) + text(2, number(1, 1) + text(2, "gemm_fusion"))) + names
    calls = text(4, number(1, 1) + text(2, number(1, 1) + text(2, "cuLaunchKernel"))) + text(4, number(1, 2) + text(2, number(1, 2) + text(2, "train")))
    with open(path, "wb") as file:
        file.write(text(1, device) + text(1, text(2, "/host:CPU") + text(3, number(1, 1) + text(2, "main") + number(3, 500) + host) + calls + names))


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
        write_rocprofv3(path)
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

    def test_xplane(self):
        path = self.file("jax", "host.xplane.pb")
        write_xplane(path)
        self.check(path, "XPlane", read_formats.xplane(path))
        self.assertEqual(self.query(path, "SELECT count(*) FROM steps WHERE NOT inferred")[0][0], STEPS)

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
