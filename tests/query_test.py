"""`rankscope query` by every way in: argument, file, standard input, shell; what a query may touch, and what it leaves when it is stopped."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import termios
import time
import unittest

import program
from waiting import LIMIT_S, until

ENDLESS = "SELECT count(*) FROM range(100000000000) a(i) WHERE hash(i) = 7"


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *arguments, home):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            environment = dict(os.environ, HOME=home, TERM="xterm", NO_COLOR="1")
            environment.pop("XDG_STATE_HOME", None)
            os.execve(program.BINARY, [program.BINARY, *arguments], environment)
        self.seen = ""

    def wait_for(self, text):
        """What came since the last call, up to `text`."""
        end = time.monotonic() + LIMIT_S
        while text not in self.seen:
            ready, _, _ = select.select([self.descriptor], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"ended without {text!r}: {self.seen!r}")
            self.seen += data.decode(errors="replace")
        at = self.seen.index(text) + len(text)
        before, self.seen = self.seen[:at], self.seen[at:]
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", before)

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def ask(self, text):
        """Types a line and returns what is printed until the next prompt."""
        self.type(text + "\n")
        self.wait_for("\n")
        return self.wait_for("rankscope> ")

    def is_edited(self):
        """Whether the terminal is set for editing a line."""
        return not termios.tcgetattr(self.descriptor)[3] & termios.ICANON

    def ticks(self):
        """What it has computed."""
        with open(f"/proc/{self.process}/stat", encoding="utf-8") as file:
            return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))

    def end(self):
        """Its exit code; it must have been told to leave."""
        end = time.monotonic() + LIMIT_S
        while (ended := os.waitpid(self.process, os.WNOHANG)) == (0, 0):
            if time.monotonic() > end:
                os.kill(self.process, signal.SIGKILL)
                raise AssertionError(f"does not leave: {self.seen!r}")
            time.sleep(0.02)
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(ended[1])


class Query(program.WithJob):
    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def by_file(self, sql, *options):
        with open(self.path("q.sql"), "w", encoding="utf-8") as file:
            file.write(sql)
        return [program.BINARY, "query", self.job, "-f", self.path("q.sql"), *options], None

    def ways_in(self, sql, *options):
        """By name, the command and its standard input."""
        return {
            "argument": ([program.BINARY, "query", self.job, sql, *options], None),
            "file": self.by_file(sql, *options),
            "standard input": ([program.BINARY, "query", self.job, *options], sql),
            "-f -": ([program.BINARY, "query", self.job, "-f", "-", *options], sql),
        }

    def memory_of(self, sql, *arguments):
        """(exit code, most memory in MB) of a query, and nothing else's: a process of its own waits for it."""
        command = [program.BINARY, "query", self.job, sql, *arguments]
        code = (
            "import resource, subprocess, sys;"
            "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
            "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)"
        )
        out = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, check=True, timeout=LIMIT_S)
        return tuple(map(int, out.stdout.split()))

    def test_memory_bounds_the_process(self):
        """Database, result and text together: whatever the result, within --memory, or refused."""
        _, idle = self.memory_of("SELECT 1", "--format", "json")
        codes = []
        for rows in (300_000, 900_000, 1_900_000):
            sql = (
                f"SELECT i, md5(i::VARCHAR) AS a, concat(md5(i::VARCHAR), '0123456789') AS b FROM range({rows}) AS t(i)"
            )
            for form in ("json", "text"):
                code, most = self.memory_of(f"{sql} ORDER BY a", "--memory", "256M", "--format", form)
                self.assertLess(most - idle, 256 + 32, f"{rows} rows as {form}: exit code {code}")
                codes.append(code)
            code, most = self.memory_of(f"{sql} ORDER BY a", "--memory", "256M", "--format", "csv")
            self.assertEqual(code, 0)
            self.assertLess(most - idle, 256 + 32, f"{rows} rows as csv")
        self.assertEqual((codes[0], codes[-1]), (0, 1))

    def test_what_duckdb_does_not_count_is_bounded(self):
        """Functions and aggregates that hold much and tell DuckDB nothing of it: refused with a sentence, and no signal ends the process."""
        _, idle = self.memory_of("SELECT 1")
        # What the program takes beside a query, as src/cli/job/query.cc has it.
        most = 256 + 256 + 32 * os.cpu_count()
        for sql in (
            "SELECT quantile_cont(i, 0.5) FROM range(100000000) t(i)",
            "SELECT length(histogram(i)::VARCHAR) FROM range(10000000) t(i)",
            "SELECT max(length(repeat('x', 100000000 + i))) FROM range(40) t(i)",
            "SELECT length(repeat('x', 3000000000))",
        ):
            code, taken = self.memory_of(sql, "--memory", "256M")
            self.assertEqual(code, 1, sql)
            self.assertLess(taken - idle, most, sql)
            _, error = program.run("query", self.job, sql, "--memory", "256M", expect=1)
            self.assertRegex(error, r"\Arankscope: [^\n]+; more may be allowed with --memory 8G\n\Z", sql)

    def test_only_sql_needs_duckdb(self):
        alone = shutil.copy(program.BINARY, os.path.join(self.temporary.name, "alone"))
        analysis = subprocess.run([alone, "analyze", self.job, "--no-cache"], capture_output=True, check=False)
        self.assertEqual(analysis.returncode, 0, analysis.stderr)
        query = subprocess.run([alone, "query", self.job, "SELECT 1"], capture_output=True, text=True, check=False)
        self.assertEqual(query.returncode, 1)
        self.assertIn("SQL needs libduckdb.so", query.stderr)

    def test_every_way_in_gives_the_same(self):
        sql = "SELECT 1; SELECT rank, count(*) AS steps FROM steps GROUP BY 1 ORDER BY 1;"
        for name, (command, text) in self.ways_in(sql, "--format", "csv").items():
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "rank,steps\n0,3\n1,3\n", ""), name)

    def test_no_way_in_reaches_files(self):
        secret = self.path("secret.csv")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("a\n1\n")
        for sql in (
            f"FROM read_csv('{secret}')",
            f"COPY (SELECT 1) TO '{self.path('written')}'",
            "SET enable_external_access = true",
        ):
            for name, (command, text) in self.ways_in(sql).items():
                done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2, (name, sql, done.stdout))
                self.assertRegex(done.stderr, r"\Arankscope: [^\n]+\n\Z")
        self.assertFalse(os.path.exists(self.path("written")))
        for name, (command, text) in self.ways_in(f"FROM read_csv('{secret}')", "--allow-files").items():
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, (name, done.stderr))

    def test_formats(self):
        sql = "SELECT rank, 'a\"b' AS name, NULL AS nothing, 1 AS x, 2 AS x FROM steps WHERE step = (SELECT min(step) FROM steps) ORDER BY 1"
        lines = program.run("query", self.job, sql, "--format", "jsonl")[0].splitlines()
        self.assertEqual(
            [json.loads(line) for line in lines],
            [{"rank": rank, "name": 'a"b', "nothing": None, "x": 1, "x_1": 2} for rank in (0, 1)],
        )
        table = json.loads(program.run("query", self.job, sql, "--format", "json")[0])
        self.assertEqual(len(table["rows"]), 2)
        out, _ = program.run("table", "step_times", self.job, "--format", "jsonl")
        self.assertEqual(len(out.splitlines()), 6)
        self.assertIn("duration_ns", json.loads(out.splitlines()[0]))

    def test_results_are_streamed(self):
        """500 MB of CSV under a memory limit that they do not fit in."""
        command = [
            program.BINARY,
            "query",
            self.job,
            "SELECT i, i + 1, i + 2 FROM range(20000000) t(i)",
            "--format",
            "csv",
            "--memory",
            "64M",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            size = 0
            while data := process.stdout.read(1 << 20):
                size += len(data)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertGreater(size, 400 << 20)
        self.assertLess(usage.ru_maxrss * 1024, 400 << 20)
        _, error = program.run(
            "query", self.job, "SELECT i, i + 1, i + 2 FROM range(20000000) t(i)", "--memory", "64M", expect=1
        )
        self.assertIn("--format csv or jsonl", error)

    def test_interrupted_copy_leaves_nothing(self):
        for name, target in (("new", "much.csv"), ("there before", "old.csv")):
            folder = self.path(name)
            os.mkdir(folder)
            if target == "old.csv":
                with open(os.path.join(folder, target), "w", encoding="utf-8") as file:
                    file.write("as before")
            before = os.listdir(folder)
            sql = f"COPY (SELECT i FROM range(100000000000) t(i)) TO '{os.path.join(folder, target)}'"
            with subprocess.Popen(
                [program.BINARY, "query", self.job, sql, "--allow-files"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            ) as process:
                is_written = lambda: any(
                    os.path.getsize(os.path.join(folder, one)) > 0 for one in set(os.listdir(folder)) - set(before)
                )
                until(lambda: is_written() or process.poll() is not None)
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=LIMIT_S)
            self.assertEqual(process.returncode, -signal.SIGINT)
            self.assertEqual(os.listdir(folder), before, name)

    def test_end_of_input_leaves_the_shell(self):
        shell = Terminal("query", self.job, home=self.temporary.name)
        shell.wait_for("rankscope> ")
        until(shell.is_edited)
        shell.type("\x04")
        self.assertEqual(shell.end(), 0)

    def test_shell(self):
        home = self.path("home")
        os.mkdir(home)
        shell = Terminal("query", self.job, home=home)
        self.assertIn(".tables", shell.wait_for("rankscope> "))
        self.assertIn("4", shell.ask("SELECT 2 + 2 AS four;"))
        shell.type("SELECT rank FROM\n")
        shell.wait_for("...> ")
        self.assertRegex(shell.ask("steps GROUP BY 1 ORDER BY 1;"), r"rank\s+-+\s+0\s+1\s")
        self.assertIn("what occupies a device", shell.ask(".tables kernel"))
        self.assertIn("the call that launched it", shell.ask(".schema kernels"))
        self.assertIn("more rows", shell.ask("FROM events;"))
        self.assertNotIn("more rows", shell.ask(".rows 5"))
        self.assertRegex(shell.ask("FROM events;"), r"\.\.\. [\d,]+ more rows")
        shell.ask(".timing on")
        self.assertIn("took ", shell.ask("SELECT 1;"))
        shell.ask(".format jsonl")
        self.assertIn('{"a":1}', shell.ask("SELECT 1 AS a;"))
        self.assertIn("syntax error", shell.ask("SELEC 1;"))
        self.assertIn("--allow-files", shell.ask("FROM '/etc/passwd';"))
        self.assertIn("is no command", shell.ask(".nothing"))
        shell.type(ENDLESS + ";\n")
        shell.wait_for("\n")
        until(lambda: not shell.is_edited())
        begun = shell.ticks()
        until(lambda: shell.ticks() > begun + 10)  # the query computes
        shell.type("\x03")
        self.assertIn("stopped", shell.wait_for("rankscope> "))
        shell.type("SELECT half a")
        shell.wait_for("half a")
        shell.type("\x03")
        shell.wait_for("rankscope> ")
        self.assertIn('{"b":2}', shell.ask("SELECT 2 AS b;"))
        shell.type("SELECT 1 FROM kern\t")
        shell.wait_for("el")  # of kernels, kernel_steps, ...
        shell.type("\x03")
        shell.wait_for("rankscope> ")
        shell.type(".quit\n")
        self.assertEqual(shell.end(), 0)
        history = os.path.join(home, ".local/state/rankscope/query_history")
        self.assertEqual(os.stat(history).st_mode & 0o777, 0o600)
        with open(history, encoding="utf-8") as file:
            self.assertIn("four", file.read())


if __name__ == "__main__":
    unittest.main(argv=["query_test"])
