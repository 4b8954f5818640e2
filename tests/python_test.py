"""The Python package as its users meet it: what it says against what the program prints, its errors, and its tables through the
Arrow PyCapsule interface. Blocks ```pycon of docs/python.md are what Python prints.

python3 python_test.py BINARY --update writes these blocks anew."""

import ast
import contextlib
import csv
import ctypes
import doctest
import gc
import glob
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings

UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")

import program  # pylint: disable=wrong-import-position
from waiting import LIMIT_S

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..")
program.BINARY = os.path.abspath(program.BINARY)  # the pages' examples run in a folder of their own
PACKAGE = os.path.join(os.path.dirname(program.BINARY), "..", "python")
sys.path.insert(0, PACKAGE)

import rankscope  # pylint: disable=wrong-import-position
from rankscope._library import TEXT_AS_DICTIONARY  # pylint: disable=wrong-import-position
from rankscope._arrow import ArrowArray, ArrowArrayStream, ArrowSchema  # pylint: disable=wrong-import-position

try:
    import pandas
except ImportError:
    pandas = None
try:
    os.environ["MPLBACKEND"] = "Agg"
    import matplotlib.pyplot
except ImportError:
    matplotlib = None

_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def values_of(printed):
    """The rows of the program's JSON as Python has them: integers beyond 2^53 are texts there."""
    kinds = [column["type"] for column in printed["columns"]]
    return [
        tuple(int(value) if kind == "int64" and isinstance(value, str) else value for kind, value in zip(kinds, row))
        for row in printed["rows"]
    ]


class Consumer:
    """Takes a stream out of its capsule, as pyarrow and others do, and reads it by its pointers alone."""

    def __init__(self, capsule):
        inside = ArrowArrayStream.from_address(_pointer(capsule, b"arrow_array_stream"))
        self.stream = ArrowArrayStream()
        ctypes.pointer(self.stream)[0] = inside
        inside.release = ctypes.cast(0, type(inside.release))  # moved
        self.schema, self.batch, self.end = ArrowSchema(), ArrowArray(), ArrowArray()
        assert self.stream.get_schema(self.stream, self.schema) == 0
        assert self.stream.get_next(self.stream, self.batch) == 0
        assert self.stream.get_next(self.stream, self.end) == 0

    def release(self):
        for struct in (self.stream, self.schema, self.batch):
            if struct.release:
                struct.release(struct)
            assert not struct.release

    def column(self, index):
        """Format, and the values with None where a bit says so."""
        kind = self.schema.children[index].contents.format
        array = self.batch.children[index].contents
        assert array.offset == 0 and array.length == self.batch.length

        def buffer(number, item, count):
            return (item * count).from_address(array.buffers[number])

        def bit(number, row):
            return buffer(number, ctypes.c_uint8, array.length // 8 + 1)[row // 8] >> (row % 8) & 1

        def cell(row):
            if kind == b"b":
                return bool(bit(1, row))
            if kind == b"U":
                offsets = buffer(1, ctypes.c_int64, array.length + 1)
                return ctypes.string_at(array.buffers[2] + offsets[row], offsets[row + 1] - offsets[row]).decode()
            return buffer(1, {b"l": ctypes.c_int64, b"g": ctypes.c_double}[kind], array.length)[row]

        known = [array.buffers[0] is None or bit(0, row) for row in range(array.length)]
        assert known.count(0) == array.null_count
        return kind, [cell(row) if known[row] else None for row in range(array.length)]


class Package(program.WithJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.opened = rankscope.open(cls.job)

    @classmethod
    def tearDownClass(cls):
        cls.opened.close()
        super().tearDownClass()

    def printed(self, *words):
        return json.loads(program.run(*words, "--format", "json")[0])

    def assert_same_table(self, table, printed):
        self.assertEqual(
            [(column.name, column.type, column.unit) for column in table.columns],
            [(column["name"], column["type"], column["unit"]) for column in printed["columns"]],
        )
        self.assertEqual(table.tuples(), values_of(printed))
        self.assertEqual(len(table), len(printed["rows"]))

    def test_versions(self):
        self.assertEqual(program.run("--version")[0].split()[-1], rankscope.__version__)

    def test_tables_are_those_of_the_program(self):
        names = [
            name for name, table in rankscope.tables().items() if table.subject == "job" and not name.startswith("hta.")
        ]
        self.assertGreater(len(names), 50)
        # Every table has the program's columns; the cells are compared for some of each sort.
        for name in (
            "step_times",
            "kernels_by_name",
            "time_breakdown",
            "findings",
            "captures",
            "data_quality",
            "hta.gpu_kernels",
        ):
            if name not in rankscope.tables():
                continue
            with self.subTest(table=name):
                table = self.opened.table(name)
                self.assertEqual(table.name, name)
                self.assert_same_table(table, self.printed("table", name, self.job))

    def test_options(self):
        table = self.opened.table("kernels_by_name", top=2)
        self.assert_same_table(table, self.printed("table", "kernels_by_name", self.job, "--set", "top=2"))
        self.assertLess(len(table), len(self.opened.table("kernels_by_name")))

    def test_selection(self):
        expected = self.printed("table", "step_times", self.job, "--ranks", "1")
        for ranks in (1, "1", [1], {1}):
            with rankscope.open(self.job, ranks=ranks) as job:
                self.assertEqual(job.ranks, [1])
                self.assertEqual(job.recordings, 1)
                self.assert_same_table(job.table("step_times"), expected)
        with rankscope.open([os.path.join(self.job, "rank0*.json.gz")], jobs=1, no_cache=True) as job:
            self.assertEqual(job.ranks, [0])

    def test_rows(self):
        table = self.opened.table("step_times")
        names = [column.name for column in table.columns]
        self.assertEqual(table.rows(), [dict(zip(names, row)) for row in table.tuples()])
        self.assertEqual(list(table), table.rows())
        self.assertEqual(table.column("rank"), [row["rank"] for row in table.rows()])
        with self.assertRaisesRegex(rankscope.InvalidArgumentError, "no column 'rnak': it has .*rank"):
            table.column("rnak")
        self.assertEqual(repr(table), f"<rankscope.Table step_times: {len(table)} rows x {len(names)} columns>")
        self.assertEqual(table._repr_html_().count("<tr>"), 1 + len(table))
        self.assertEqual(table._repr_html_(most=2).count("<tr>"), 3)

    def test_csv_says_the_same(self):
        out, _ = program.run("table", "kernels_by_name", self.job, "--format", "csv")
        lines = list(csv.DictReader(io.StringIO(out)))
        rows = self.opened.table("kernels_by_name").rows()
        self.assertEqual([line["name"] for line in lines], [row["name"] for row in rows])
        self.assertEqual([int(line["total_ns"]) for line in lines], [row["total_ns"] for row in rows])

    def test_query(self):
        sql = "SELECT rank, name, count(*) AS n, sum(dur_ns) AS t FROM kernels GROUP BY ALL ORDER BY ALL"
        self.assert_same_table(self.opened.query(sql), self.printed("query", self.job, sql))
        # Unknown cells of every type, texts that are not ASCII, and a column without a value.
        odd = (
            "SELECT * FROM (VALUES (1, 'ä\u2603', true, 0.5, NULL), (NULL, NULL, NULL, NULL, NULL), "
            "(9007199254740995, '', false, -1e300, NULL)) AS t(i, s, b, d, none)"
        )
        table = self.opened.query(odd)
        self.assertEqual(
            [row[:4] for row in table.tuples()],
            [(1, "ä\u2603", True, 0.5), (None,) * 4, (9007199254740995, "", False, -1e300)],
        )
        self.assertEqual(table.column("none"), [None] * 3)
        self.assertEqual(len(self.opened.query("SELECT 1 AS one WHERE false")), 0)
        self.opened.query("CREATE TABLE kept AS SELECT 7 AS seven")
        self.assertEqual(self.opened.query("SELECT * FROM kept").tuples(), [(7,)])
        with self.assertRaises(rankscope.InvalidArgumentError):
            self.opened.query("CREATE TABLE t (a INT)", select_only=True)

    def test_report(self):
        report = self.opened.report()
        self.assertEqual(report.json, self.printed("analyze", self.job))
        self.assertEqual(report.text, program.run("analyze", self.job)[0])
        self.assertEqual(str(report), report.text)
        self.assertEqual(report.full, program.run("analyze", self.job, "--full")[0])
        self.assertEqual(report.markdown, program.run("analyze", self.job, "--format", "markdown")[0])
        self.assertEqual(report.html, program.run("analyze", self.job, "--format", "html")[0])
        path = os.path.join(self.temporary.name, "report.html")
        report.save(path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), report.html)
        self.assertIn("<iframe srcdoc=", report._repr_html_())

    def test_what_if(self):
        change = "scale:kind=compute,factor=0.5"
        self.assert_same_table(self.opened.whatif([change]), self.printed("whatif", self.job, "--change", change))
        self.assertEqual(self.opened.whatif(change).tuples(), self.opened.whatif([change]).tuples())
        with self.assertRaisesRegex(rankscope.InvalidArgumentError, "no change 'idealize'"):
            self.opened.whatif(["idealize:rank=1"])

    def test_catalog(self):
        listed = json.loads(program.run("list", "--json")[0])["tables"]
        tables = rankscope.tables()
        self.assertEqual(list(tables), list(dict.fromkeys(one["name"] for one in listed)))
        steps = tables["step_times"]
        self.assertIn("rank", [column.name for column in steps.columns])
        self.assertTrue(steps.summary)
        self.assertIn("host-sync", rankscope.explain("host-sync"))
        with self.assertRaises(rankscope.InvalidArgumentError):
            rankscope.explain("host-sink")

    def test_errors_are_the_programs_sentences(self):
        _, error = program.run("table", "step_tims", self.job, expect=2)
        with self.assertRaises(rankscope.InvalidArgumentError) as raised:
            self.opened.table("step_tims")
        self.assertEqual(error, f"rankscope: {raised.exception}\n")
        _, error = program.run("analyze", "/no/such/folder", expect=1)
        with self.assertRaises(rankscope.NotFoundError) as raised:
            rankscope.open("/no/such/folder")
        self.assertEqual(error, f"rankscope: {raised.exception}\n")
        self.assertIsInstance(raised.exception, rankscope.Error)
        self.assertIsInstance(raised.exception, LookupError)
        with self.assertRaisesRegex(rankscope.InvalidArgumentError, "there is no option 'tpo'|tpo"):
            self.opened.table("kernels_by_name", tpo=1)
        with self.assertRaises(rankscope.InvalidArgumentError):
            rankscope.open([])
        with self.assertRaises(rankscope.InvalidArgumentError):
            self.opened.table("a\0b")

    def test_what_was_left_out_is_a_warning(self):
        folder = os.path.join(self.temporary.name, "damaged")
        os.makedirs(folder)
        for path in glob.glob(os.path.join(self.job, "*rank*")):
            os.link(path, os.path.join(folder, os.path.basename(path)))
        with open(os.path.join(folder, "rank9.pt.trace.json.gz"), "wb") as file:
            file.write(b"\x1f\x8bnothing")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            rankscope.open(folder).close()
        self.assertEqual([one.category for one in told], [rankscope.Notice])
        self.assertIn("rank9.pt.trace.json.gz", str(told[0].message))
        # As told by the line that asked.
        self.assertEqual(os.path.basename(told[0].filename), os.path.basename(__file__))

    def test_closed(self):
        job = rankscope.open(self.job)
        table = job.table("step_times")
        expected = table.tuples()
        stream = table.__arrow_c_stream__()
        self.assertIn("2 ranks", repr(job))
        job.close()
        job.close()
        self.assertIn("closed", repr(job))
        with self.assertRaisesRegex(rankscope.InvalidArgumentError, "the job was closed"):
            job.table("step_times")
        self.assertEqual(table.tuples(), expected)
        del job, table
        gc.collect()
        consumer = Consumer(stream)
        self.assertEqual(consumer.batch.length, len(expected))
        consumer.release()

    def test_progress(self):
        heard = []
        job = rankscope.open(self.job, no_cache=True, progress=heard.append)
        job.close()
        self.assertTrue(heard)
        self.assertEqual(heard[-1].files_done, heard[-1].files)
        self.assertEqual(heard[-1].bytes_done, heard[-1].bytes)

    def test_an_error_of_the_users_function_ends_the_call(self):
        def fail(_progress):
            raise ZeroDivisionError("of the user")

        with self.assertRaisesRegex(ZeroDivisionError, "of the user"):
            rankscope.open(self.job, no_cache=True, progress=fail)

    def test_threads(self):
        expected = self.opened.table("step_times").tuples()
        seen = []
        threads = [
            threading.Thread(target=lambda: seen.append(self.opened.table("step_times").tuples())) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [expected] * 4)

    def test_other_threads_run_meanwhile(self):
        # A query that ends when this thread, which needs the lock of the interpreter, has counted.
        count = 0
        asking = threading.Thread(
            target=lambda: self.opened.query("SELECT sum(a.range % 7) FROM range(3000) a, range(3000) b")
        )
        asking.start()
        while asking.is_alive():
            count += 1
        self.assertGreater(count, 0)


class Interrupted(program.WithJob):
    def test_ctrl_c(self):
        script = textwrap.dedent(
            """
            import sys
            import rankscope
            job = rankscope.open(sys.argv[1])
            try:
                print("ready", flush=True)
                job.query("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b")
            except KeyboardInterrupt:
                # The job can be asked again.
                print("stopped", len(job.table("step_times")), flush=True)
            """
        )
        environment = {**os.environ, "PYTHONPATH": PACKAGE}
        with subprocess.Popen(
            [sys.executable, "-c", script, self.job], stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(out, "stopped 6\n")


class Findings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.slow = os.path.join(cls.folder.name, "slow")
        cls.even = os.path.join(cls.folder.name, "even")
        for folder, words in ((cls.slow, ["--plant", "slow-gpu:rank=3"]), (cls.even, [])):
            program.run("simulate", folder, "--ranks", "4", "--events", "8000", *words)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_findings_are_those_of_the_report(self):
        report = json.loads(program.run("analyze", self.slow, "--format", "json")[0])
        with rankscope.open(self.slow) as job:
            found = job.findings
            self.assertEqual([finding.raw for finding in found], report["findings"])
            self.assertEqual(
                [(one.id, one.reason) for one in job.not_evaluated],
                [(one["id"], one["reason"]) for one in report["not_evaluated"]],
            )
        slow = next(finding for finding in found if finding.id == "slow-gpu")
        self.assertEqual(slow.ranks, [3])
        self.assertIn(slow.severity, ("high", "medium", "low"))
        self.assertGreater(slow.gain_pct, 1)
        self.assertTrue(slow.title and slow.recommendation)

    def test_two_jobs(self):
        expected = json.loads(program.run("diff", self.even, self.slow, "--format", "json")[0])
        with rankscope.open(self.even) as base, rankscope.open(self.slow) as test:
            compared = rankscope.diff(base, test)
            self.assertEqual(compared.json, expected)
            self.assertEqual(compared.text, program.run("diff", self.even, self.slow)[0])
            table = compared.table("diff_steps" if "diff_steps" in expected["tables"] else "diff_ops")
            self.assertEqual(table.tuples(), values_of(expected["tables"][table.name]))
            with self.assertRaises(rankscope.InvalidArgumentError):
                compared.table("diff_opps")
            self.assertEqual(rankscope.diff(base, base).json["job"]["step_time_change_pct"], 0)
        self.assertEqual(rankscope.diff(self.even, self.slow).json, expected)


class ArrowCapsules(program.WithJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.opened = rankscope.open(cls.job)

    def test_layout_and_nulls(self):
        for table in (
            self.opened.table("kernels_by_name"),
            self.opened.query(
                "SELECT * FROM (VALUES (1, 'ab', true, 0.5), (NULL, NULL, NULL, NULL), (-1, 'c', false, 2)) t(i, s, b, d)"
            ),
            self.opened.query("SELECT 1 AS i, 'a' AS s WHERE false"),
        ):
            consumer = Consumer(table.__arrow_c_stream__())
            self.assertEqual(consumer.schema.format, b"+s")
            self.assertFalse(consumer.end.release)
            columns = [consumer.column(index) for index in range(consumer.schema.n_children)]
            formats = {"int64": b"l", "double": b"g", "string": b"U", "bool": b"b"}
            self.assertEqual([kind for kind, _ in columns], [formats[column.type] for column in table.columns])
            self.assertEqual(list(zip(*[values for _, values in columns])), table.tuples())
            consumer.release()

    def test_each_stream_is_of_its_own(self):
        table = self.opened.table("step_times")
        one, other = (Consumer(table.__arrow_c_stream__(None)) for _ in range(2))
        # The memory of numbers is the same.
        self.assertEqual(
            *[each.batch.children[0].contents.buffers[1] for each in (one, other)],
        )
        one.release()
        expected = table.column(table.columns[0].name)
        del table
        gc.collect()
        self.assertEqual(other.column(0)[1], expected)
        other.release()

    def test_a_capsule_that_nobody_takes_is_released(self):
        from rankscope import _capsule  # pylint: disable=import-outside-toplevel

        table = self.opened.table("step_times")
        before = len(_capsule._held)
        capsules = [table.__arrow_c_stream__() for _ in range(10)] + [table.__arrow_c_schema__() for _ in range(10)]
        self.assertEqual(len(_capsule._held), before + 20)
        del capsules
        gc.collect()
        self.assertEqual(len(_capsule._held), before)

    def test_memory_is_given_back(self):
        table = self.opened.query("SELECT range AS i FROM range(200000)")

        def resident_kb():
            with open("/proc/self/status", encoding="ascii") as file:
                return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

        Consumer(table.__arrow_c_stream__()).release()
        before = resident_kb()
        for _ in range(200):  # 320 MB, were each a copy that stays
            Consumer(table.__arrow_c_stream__()).release()
        self.assertLess(resident_kb() - before, 100_000)

    def test_at_the_end_of_the_interpreter(self):
        script = (
            "import sys, rankscope; job = rankscope.open(sys.argv[1]); table = job.table('step_times'); "
            "capsule = table.__arrow_c_stream__(); import builtins; builtins.kept = [capsule, table, job]"
        )
        subprocess.run([sys.executable, "-c", script, self.job], check=True, env={**os.environ, "PYTHONPATH": PACKAGE})


class DuckDb:
    """DuckDB's C API, which reads streams by an implementation of its own."""

    class _Result(ctypes.Structure):
        _fields_ = [("counts", ctypes.c_uint64 * 3), ("pointers", ctypes.c_void_p * 3)]

    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(os.path.dirname(program.BINARY), "libduckdb.so"))
        self.library.duckdb_arrow_scan.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.library.duckdb_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.library.duckdb_value_varchar.restype = ctypes.c_void_p
        self.library.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        self.library.duckdb_free.argtypes = [ctypes.c_void_p]
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(self.database)) == 0
        assert self.library.duckdb_connect(self.database, ctypes.byref(self.connection)) == 0

    def close(self):
        self.library.duckdb_disconnect(ctypes.byref(self.connection))
        self.library.duckdb_close(ctypes.byref(self.database))

    def ask(self, stream, sql):
        """The one cell of a query of `t`, the stream's rows, as text."""
        assert self.library.duckdb_arrow_scan(self.connection, b"t", ctypes.addressof(stream)) == 0
        result = self._Result()
        assert self.library.duckdb_query(self.connection, sql.encode(), ctypes.byref(result)) == 0
        text = self.library.duckdb_value_varchar(ctypes.byref(result), 0, 0)
        said = ctypes.string_at(text).decode()
        self.library.duckdb_free(text)
        self.library.duckdb_destroy_result(ctypes.byref(result))
        if stream.release:
            stream.release(stream)
        return said


class ArrowInDuckDb(program.WithJob):
    def setUp(self):
        self.opened = rankscope.open(self.job)
        self.duckdb = DuckDb()

    def tearDown(self):
        self.duckdb.close()
        self.opened.close()

    def test_types_nulls_and_both_forms_of_texts(self):
        table = self.opened.query(
            "SELECT * FROM (VALUES (1, 'ab', true, 0.5), (NULL, NULL, NULL, NULL), (-1, 'c', false, 2)) t(i, s, b, d)"
        )
        for flags in (0, TEXT_AS_DICTIONARY):
            said = self.duckdb.ask(
                table._stream(flags), "SELECT string_agg(concat_ws('|', i, s, b, d, i IS NULL, s IS NULL), ';') FROM t"
            )
            self.assertEqual(said, "1|ab|true|0.5|false|false;true|true;-1|c|false|2.0|false|false")

    def test_a_table_of_many_rows(self):
        table = self.opened.query("SELECT range AS i, 'n' || (range % 7) AS s FROM range(100000) WHERE range % 3 != 0")
        said = self.duckdb.ask(table._stream(0), "SELECT count(*) || ' ' || sum(i) || ' ' || count(DISTINCT s) FROM t")
        self.assertEqual(said, f"{len(table)} {sum(table.column('i'))} 7")


class Pandas(program.WithJob):
    SQL = (
        "SELECT * FROM (VALUES (1, 5, 'ab', true, false, 0.5, 1.5), (NULL, 6, NULL, NULL, true, NULL, 2.5), "
        "(-1, 7, 'ab', false, false, 2, 3.5)) t(i, known, s, b, flag, d, real)"
    )

    @unittest.skipIf(pandas is None, "pandas is not installed: apt install python3-pandas")
    def test_types_and_values(self):
        table = rankscope.open(self.job).query(self.SQL)
        frame = table.to_pandas()
        self.assertEqual(
            {name: str(kind) for name, kind in frame.dtypes.items()},
            {
                "i": "Int64",
                "known": "int64",
                "s": "category",
                "b": "boolean",
                "flag": "bool",
                "d": "float64",
                "real": "float64",
            },
        )
        rows = [tuple(None if pandas.isna(cell) else cell for cell in row) for row in frame.itertuples(index=False)]
        self.assertEqual(rows, table.tuples())
        self.assertEqual(list(frame["s"].cat.categories), ["ab"])

    @unittest.skipIf(pandas is None, "pandas is not installed: apt install python3-pandas")
    def test_numbers_are_the_tables_memory(self):
        table = rankscope.open(self.job).query(self.SQL)
        one, other = table.to_pandas(), table.to_pandas()
        for name in ("known", "real"):
            addresses = {frame[name].to_numpy().__array_interface__["data"] for frame in (one, other)}
            self.assertEqual(len(addresses), 1)
            self.assertTrue(addresses.pop()[1])  # read-only
        own = table.to_pandas(copy=True)
        own.loc[0, "known"] = 99
        self.assertEqual(one.loc[0, "known"], 5)
        del table
        gc.collect()
        self.assertEqual(list(one["known"]), [5, 6, 7])

    @unittest.skipIf(pandas is None, "pandas is not installed: apt install python3-pandas")
    def test_tables_of_a_job(self):
        job = rankscope.open(self.job)
        for name in ("step_times", "kernels_by_name", "findings", "captures"):
            table = job.table(name)
            frame = table.to_pandas()
            self.assertEqual(list(frame.columns), [column.name for column in table.columns])
            self.assertEqual(len(frame), len(table))
            self.assertEqual(frame.attrs["name"], name)
        steps = job.table("step_times").to_pandas()
        self.assertEqual(steps.attrs["units"]["duration_ns" if "duration_ns" in steps else "dur_ns"], "ns")
        self.assertGreater(steps.groupby("rank").size().min(), 0)

    @unittest.skipIf(pandas is not None, "pandas is installed")
    def test_without_pandas_it_says_so(self):
        with self.assertRaisesRegex(ImportError, "to_pandas needs pandas, which is not installed"):
            rankscope.open(self.job).query("SELECT 1 AS one").to_pandas()


def printed_by(block, names):
    """A block of examples with what Python prints now."""
    lines = ""
    for example in doctest.DocTestParser().get_examples(block):
        first, *more = example.source.splitlines()
        lines += "\n".join([">>> " + first] + ["... " + line for line in more]) + "\n"
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(example.source, "docs", "single"), names)  # pylint: disable=exec-used
        lines += said.getvalue()
    return lines


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.before = os.getcwd()
        os.chdir(cls.temporary.name)
        program.run(
            *["simulate", "traces", "--ranks", "8", "--events", "20000", "--stacks"],
            *["--plant", "slow-gpu:rank=3", "--plant", "host-sync"],
        )
        program.run("simulate", "even", "--ranks", "8", "--events", "20000", "--stacks")

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.temporary.cleanup()

    def test_blocks_are_what_python_prints(self):
        path = os.path.join(SOURCE, "docs", "python.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names = {}
        anew = re.sub(
            r"```pycon\n(.*?)```", lambda block: f"```pycon\n{printed_by(block[1], names)}```", text, flags=re.DOTALL
        )
        if UPDATE:
            with open(path, "w", encoding="utf-8") as file:
                file.write(anew)
        self.assertEqual(anew, text, "python_test.py BINARY --update writes it anew")

    def test_the_readme_runs(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            block = next(
                one for one in re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL) if "rankscope" in one
            )
        for name in ("before", "after"):
            os.symlink("traces", name)
        if pandas is None:
            block = block.replace(".to_pandas()", "")
        exec(compile(block, "README.md", "exec"), {})  # pylint: disable=exec-used


@unittest.skipIf(matplotlib is None, "matplotlib is not installed: apt install python3-matplotlib")
class Plots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", job, "--ranks", "4", "--events", "8000")
        cls.opened = rankscope.open(job)

    @classmethod
    def tearDownClass(cls):
        cls.opened.close()
        cls.temporary.cleanup()

    def tearDown(self):
        matplotlib.pyplot.close("all")

    def draw(self, axes):
        axes.figure.canvas.draw()
        self.assertTrue(axes.get_title())
        return axes

    def test_step_times(self):
        axes = self.draw(self.opened.plot.step_times())
        rows = [row for row in self.opened.table("step_spread") if row["step"] is not None]
        lines = {line.get_label(): line for line in axes.get_lines()}
        self.assertEqual(set(lines), {"median"} | {f"rank {rank}" for rank in range(4)})
        self.assertEqual(list(lines["median"].get_xdata()), [row["step"] for row in rows])
        self.assertEqual(list(lines["median"].get_ydata()), [row["median_ns"] / 1e6 for row in rows])
        one = [
            row["duration_ns"] / 1e6 for row in self.opened.table("step_times") if row["rank"] == 2 and row["complete"]
        ]
        self.assertEqual(list(lines["rank 2"].get_ydata()), one)

    def test_where_time_goes(self):
        axes = self.draw(self.opened.plot.time())
        shares = [row["share_pct"] for row in self.opened.table("job_breakdown") if row["max_pct"] >= 0.1]
        self.assertEqual([bar.get_width() for bar in axes.patches], shares)

    def test_ranks(self):
        axes = self.draw(self.opened.plot.ranks())
        tops = {}
        for bar in axes.patches:
            rank = round(bar.get_x() + bar.get_width() / 2)
            tops[rank] = max(tops.get(rank, 0), bar.get_y() + bar.get_height())
        for rank in range(4):
            rows = [
                row
                for row in self.opened.table("time_breakdown")
                if row["rank"] == rank and row["complete"] and row["step"] is not None
            ]
            # The parts sum to the window; what is too small to see is not drawn.
            mean = sum(row["duration_ns"] for row in rows) / len(rows) / 1e6
            self.assertAlmostEqual(tops[rank], mean, delta=0.01 * mean)

    def test_collectives(self):
        axes = self.draw(self.opened.plot.collectives())
        rows = [row for row in self.opened.table("collectives") if row["bytes"] and row["bus_bandwidth"]]
        self.assertEqual(sum(len(points.get_offsets()) for points in axes.collections), len(rows))
        self.assertEqual(
            {text.get_text() for text in axes.get_legend().get_texts()}, {row["op"].replace("_", " ") for row in rows}
        )

    def test_into_axes_of_the_caller(self):
        _, given = matplotlib.pyplot.subplots(2, 2)
        for axes, draw in zip(given.flat, ("step_times", "time", "ranks", "collectives")):
            self.assertIs(getattr(self.opened.plot, draw)(axes), axes)


class WithoutMatplotlib(program.WithJob):
    @unittest.skipIf(matplotlib is not None, "matplotlib is installed")
    def test_it_says_so(self):
        with self.assertRaisesRegex(ImportError, "job.plot needs matplotlib, which is not installed"):
            rankscope.open(self.job).plot.time()


class Sources(unittest.TestCase):
    def test_python_3_9_reads_them(self):
        paths = glob.glob(os.path.join(PACKAGE, "rankscope", "*.py"))
        self.assertGreater(len(paths), 10)
        for path in paths:
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read(), path, feature_version=(3, 9))
            self.assertTrue(ast.get_docstring(tree), path)

    def test_everything_public_has_hints_and_a_docstring(self):
        for name in rankscope.__all__:
            thing = getattr(rankscope, name)
            self.assertTrue(thing.__doc__, name)
            for member, value in vars(thing).items() if isinstance(thing, type) else ():
                value = value.fget if isinstance(value, property) else value
                if member.startswith("_") or not callable(value) or isinstance(value, type):
                    continue
                self.assertTrue(value.__doc__, f"{name}.{member}")
                self.assertIn("return", value.__annotations__, f"{name}.{member}")

    def test_importing_it_loads_no_pandas(self):
        script = "import sys, rankscope; print(sorted({'pandas', 'numpy', 'matplotlib'} & set(sys.modules)))"
        out = subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": PACKAGE},
        ).stdout
        self.assertEqual(out, "[]\n")

    def test_without_its_library_it_says_so(self):
        environment = {**os.environ, "PYTHONPATH": PACKAGE, "RANKSCOPE_LIBRARY": "/no/such/library.so"}
        ended = subprocess.run(
            [sys.executable, "-c", "import rankscope"], capture_output=True, text=True, env=environment, check=False
        )
        self.assertIn("ImportError: rankscope needs its library librankscope.so.1", ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=["python_test"])
