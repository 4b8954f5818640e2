"""snapshot.py: two snapshots of the same traces in other folders are equal, also when one comes from a warm cache; a changed
cell, a row more and a table less are named; no path of this machine gets in."""

import contextlib
import io
import os
import shutil
import stat
import tempfile
import unittest

import program
import snapshot

TRACE = "traces/rank0.pt.trace.json.gz"
# Seconds, not minutes: all tables of one trace once, some of them again.
ALL = ["--only", TRACE, "--only", "traces/broken.json/captures"]
SOME = ["--only", "traces/*/[ct]*"]


class Snapshot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        traces = os.path.join(cls.temporary.name, "one", "traces")
        os.makedirs(traces)
        job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", job, "--ranks", "1", "--steps", "3", "--events", "4000", "--seed", "3")
        shutil.move(os.path.join(job, os.path.basename(TRACE)), traces)
        with open(os.path.join(traces, "broken.json"), "w", encoding="utf-8") as file:
            file.write("{")
        shutil.copytree(os.path.dirname(traces), os.path.join(cls.temporary.name, "two"))
        code, _ = cls.take("a", "one", program.BINARY, *ALL)
        assert code == 0

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, *parts):
        return os.path.join(cls.temporary.name, *parts)

    @classmethod
    def take(cls, out, shared, binary, *options):
        return cls.main("take", binary, cls.path(out), "--shared", cls.path(shared), *options)

    @staticmethod
    def main(*arguments):
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(io.StringIO()):
            code = snapshot.main(list(arguments))
        return code, printed.getvalue()

    def changed(self, out, table, edit):
        """A snapshot of `table` alone, by a rankscope whose answer goes through sed; what compare then says."""
        binary = self.path(f"{out}.sh")
        with open(binary, "w", encoding="utf-8") as file:
            file.write(
                f'#!/bin/sh\nif [ "$2" = {table} ]; then "{os.path.abspath(program.BINARY)}" "$@" | sed "{edit}"\n'
                f'else exec "{os.path.abspath(program.BINARY)}" "$@"; fi\n'
            )
        os.chmod(binary, stat.S_IRWXU)
        only = ["--only", f"{TRACE}/{table}"]
        self.assertEqual(self.take(out, "one", binary, *only)[0], 0)
        return self.main("compare", self.path("a"), self.path(out), *only)

    def test_same_traces_elsewhere_with_a_warm_cache_are_equal(self):
        self.assertEqual(self.take("b", "two", program.BINARY, "--warm", "--jobs", "1", *SOME)[0], 0)
        only = [*SOME[:1], f"{TRACE}/[ct]*", "--only", "traces/broken.json/captures"]
        code, printed = self.main("compare", self.path("a"), self.path("b"), *only)
        self.assertEqual(code, 0, printed)
        self.assertRegex(printed, r"\A0 of \d\d tables differ\n")

    def test_every_table_is_there_or_says_why_not(self):
        index = snapshot.read_index(self.path("a"))
        for table in [
            *snapshot.tables_of(program.BINARY, program.sql_views()),
            "analyze.json",
            "analyze.txt",
            "analyze.page.json",
            "sql.events",
        ]:
            self.assertEqual(index[TRACE, table]["exit"], "0", table)
        self.assertGreater(int(index[TRACE, "kernels_by_name"]["rows"]), 5)
        self.assertGreater(int(index[TRACE, "analyze.page.json"]["rows"]), 5)
        refused = index["traces/broken.json", "captures"]
        self.assertEqual((refused["exit"], refused["rows"]), ("1", "0"))
        self.assertRegex(refused["said"], r"\Arankscope: .*traces/broken.json")

    def test_no_path_of_this_machine(self):
        seen = 0
        for (name, table), row in snapshot.read_index(self.path("a")).items():
            text = snapshot.read_text(self.path("a"), name, table)
            for place in (self.temporary.name, tempfile.gettempdir() + "/", snapshot.HERE):
                self.assertNotIn(place, text + row["said"], (name, table))
            seen += TRACE in text
        self.assertGreater(seen, 0)

    def test_one_changed_cell_is_named(self):
        old = program.table("step_times", self.path("one", TRACE), options=("--no-cache",))[1]["duration_ns"]
        code, printed = self.changed("cell", "step_times", f"s/{old}/{old + 1}/")
        self.assertEqual(code, 1)
        self.assertRegex(printed, rf"step_times: 3 rows\n  row 2 \(.*step \d+.*\): duration_ns: {old} -> {old + 1}\n")
        self.assertIn("1 of 1 tables differ", printed)

    def test_a_row_less_and_another_column_are_named(self):
        code, printed = self.changed("row", "step_times", "4d")
        self.assertEqual(code, 1)
        self.assertRegex(printed, r"step_times: 3 rows -> 2\n  row 3 - 0,")
        code, printed = self.changed("column", "captures", "1s/host/machine/")
        self.assertEqual(code, 1)
        self.assertIn("columns: gone ['host'], new ['machine']", printed)

    def test_what_only_one_has_is_a_difference(self):
        only = ["--only", f"{TRACE}/step_*"]
        self.assertEqual(self.take("fewer", "one", program.BINARY, "--only", f"{TRACE}/step_times")[0], 0)
        code, printed = self.main("compare", self.path("a"), self.path("fewer"), *only)
        self.assertEqual(code, 1)
        self.assertIn("step_spread: only in", printed)
        self.assertEqual(self.main("compare", self.path("a"), self.path("fewer"), "--only", "nothing")[0], 2)

    def test_rows_are_told_apart_by_quotes(self):
        rows = list(snapshot.rows_of([b"a,b\r\n", b'1,"two\r\n', b'lines ""quoted"""\r\n', b"2,c\r\n"], "csv"))
        self.assertEqual(rows, [b"a,b\r\n", b'1,"two\r\nlines ""quoted"""\r\n', b"2,c\r\n"])


if __name__ == "__main__":
    unittest.main(argv=["snapshot_test"])
