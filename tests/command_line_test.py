"""The command line as a user meets it: exit codes, where output goes, sentences instead of stack traces, the cache, Ctrl-C."""

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import program
from waiting import LIMIT_S, until

DOCS = os.path.join(program.HERE, "..", "docs")


EXCHANGE = "void our::exchange<4>(float*)"


def write_trace(path, rank, exchange=EXCHANGE):
    """Four steps: a product of 300 us, then 400 us of a kernel that may be an exchange, for which the host waits."""
    events = []
    for step in range(4):
        begin = 1000 * step
        launches = (
            (begin + 20, "aten::mm", "ampere_sgemm_128x64_tn", begin + 40, 300),
            (begin + 50, "our::exchange", exchange, begin + 340, 400),
        )
        events.append(
            {
                "ph": "X",
                "cat": "user_annotation",
                "name": f"ProfilerStep#{step}",
                "pid": 1,
                "tid": 1,
                "ts": begin,
                "dur": 990,
            }
        )
        for number, (at, name, kernel, start, dur) in enumerate(launches):
            correlation = 10 * step + number + 1
            events += [
                {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 15},
                {
                    "ph": "X",
                    "cat": "cuda_runtime",
                    "name": "cudaLaunchKernel",
                    "pid": 1,
                    "tid": 1,
                    "ts": at + 5,
                    "dur": 8,
                    "args": {"correlation": correlation},
                },
                {
                    "ph": "X",
                    "cat": "kernel",
                    "name": kernel,
                    "pid": 0,
                    "tid": 7,
                    "ts": start,
                    "dur": dur,
                    "args": {"device": 0, "stream": 7, "correlation": correlation},
                },
            ]
        events.append(
            {
                "ph": "X",
                "cat": "cuda_runtime",
                "name": "cudaDeviceSynchronize",
                "pid": 1,
                "tid": 1,
                "ts": begin + 70,
                "dur": 675,
                "args": {"correlation": 10 * step + 9},
            }
        )
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}, file)


class KernelClasses(unittest.TestCase):
    """--kernel-classes FILE, and what is said without it, on a job of two ranks that spends 4/7 of its device time in kernels of its own."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.job = os.path.join(cls.folder, "job")
        os.mkdir(cls.job)
        for rank in range(2):
            write_trace(os.path.join(cls.job, f"rank{rank}.json"), rank)
        cls.classes = cls.write("classes.txt", "# Ours.\nother_communication our::EXCHANGE  # over NVLink\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def class_of_exchange(self, *options):
        rows = program.table("kernels_by_name", self.job, options=options)
        return next((row["class"], row["work"]) for row in rows if row["name"] == EXCHANGE)

    def test_a_class_changes_and_the_cache_keeps_both_apart(self):
        cache = ("--cache-dir", os.path.join(self.folder, "cache"))
        ours = ("--kernel-classes", self.classes)
        tables = (
            "kernels_by_name",
            "kernel_classes",
            "time_breakdown",
            "job_breakdown",
            "overlap",
            "critical_path",
            "collectives",
            "gains",
        )
        fresh = {
            options: [program.run("table", name, self.job, "--no-cache", *options)[0] for name in tables]
            for options in ((), ours)
        }
        for before, after, name in zip(fresh[()], fresh[ours], tables):
            self.assertNotEqual(before, after, name)
        for options in ((), ours, (), ours):
            self.assertEqual(
                [program.run("table", name, self.job, *cache, *options)[0] for name in tables], fresh[options]
            )
        self.assertEqual(self.class_of_exchange(*cache), ("other", "compute"))
        self.assertEqual(self.class_of_exchange(*cache, *ours), ("other_communication", "communication"))
        with open(self.classes, "a", encoding="utf-8") as file:
            file.write("# The same rules.\n")
        self.assertEqual(self.class_of_exchange(*cache, *ours), ("other_communication", "communication"))
        other = self.write("others.txt", "attention ^our::exch\n")
        self.assertEqual(self.class_of_exchange(*cache, "--kernel-classes", other), ("attention", "compute"))

    def test_every_command_takes_it(self):
        sql = "SELECT DISTINCT class FROM kernels ORDER BY 1"
        self.assertEqual(program.run("query", self.job, sql, "--format", "csv")[0].split(), ["class", "gemm", "other"])
        ours = ("--kernel-classes", self.classes)
        self.assertEqual(
            program.run("query", self.job, sql, "--format", "csv", *ours)[0].split(),
            ["class", "gemm", "other_communication"],
        )
        sql = "SELECT DISTINCT class FROM analysis.kernel_classes ORDER BY 1"
        self.assertEqual(
            program.run("query", self.job, sql, "--format", "csv", *ours)[0].split(),
            ["class", "gemm", "other_communication"],
        )
        # Twice as fast: 200 of the 1,000 us of a step where it is communication.
        gains = []
        for options in ((), ours):
            out, _ = program.run(
                "whatif",
                os.path.join(self.job, "rank0.json"),
                "--change",
                "scale:kind=communication,factor=0.5",
                "--format",
                "json",
                *options,
            )
            parsed = json.loads(out)
            gains.append(dict(zip((column["name"] for column in parsed["columns"]), parsed["rows"][0]))["changed_ns"])
        self.assertEqual(gains, [1_000_000, 800_000])
        marked = []
        for options in ((), ours):
            path = os.path.join(self.folder, "marked.json")
            program.run(
                "trace",
                "convert",
                os.path.join(self.job, "rank0.json"),
                "--overlay",
                "critical-path",
                "-o",
                path,
                *options,
            )
            with open(path, encoding="utf-8") as file:
                marked.append(file.read())
        self.assertNotEqual(*marked)

    def test_much_of_no_known_class_is_said(self):
        said = (
            "57.1% of the time of computing kernels is of no known class: our::exchange<4> 57.1%; --kernel-classes FILE says what they are, in "
            "lines such as: gemm our::exchange (all classes: rankscope list kernel_classes)"
        )
        for options in ((), ("--full",)):
            out, _ = program.run("analyze", self.job, *options)
            self.assertIn(said, " ".join(out.split()))
            out, _ = program.run("analyze", self.job, "--kernel-classes", self.classes, *options)
            self.assertNotIn("no known class", out)

    def test_exchanges_past_nccl_are_communication(self):
        job = os.path.join(self.folder, "deep_ep")
        os.mkdir(job)
        for rank in range(2):
            write_trace(
                os.path.join(job, f"rank{rank}.json"), rank, "void deep_ep::intranode::dispatch<8, 768>(int4*, float*)"
            )
        parts = {row["part"]: row["duration_ns"] for row in program.table("job_breakdown", job)}
        self.assertEqual(parts["exposed_communication"], parts["compute"] * 4 // 3)
        self.assertEqual({row["op"] for row in program.table("collectives", job)}, {"all_to_all"})
        self.assertEqual(
            next(row["gain_ns"] for row in program.table("gains", job) if row["name"] == "communication"), 400_000
        )
        # Of one rank alone nobody knows how much of it is waiting.
        findings = {row["id"]: row for row in program.table("findings", os.path.join(job, "rank0.json"))}
        self.assertEqual(findings["exposed-communication"]["gain_ns"], 400_000)
        self.assertNotIn("no known class", program.run("analyze", job, "--full")[0])

    def test_a_bad_file_is_said_with_its_remedy(self):
        def error_of(text):
            path = self.write("bad.txt", text)
            _, error = program.run("table", "kernel_classes", self.job, "--kernel-classes", path, expect=2)
            self.assertEqual(error.count("\n"), 1)
            return error.removeprefix(f"rankscope: {path}, ")

        self.assertRegex(
            error_of("gemm a\natention b\n"),
            r"\Aline 2: there is no kernel class 'atention'; did you mean attention\? a line is CLASS PATTERN",
        )
        self.assertRegex(
            error_of("gemm\n"), r"\Aline 1: class gemm has no pattern; a line is CLASS PATTERN\.\.\., such as: gemm "
        )
        self.assertRegex(error_of("gemm ^\n"), r"\Aline 1: \^ alone fits every kernel")
        missing = os.path.join(self.folder, "missing.txt")
        _, error = program.run("table", "kernel_classes", self.job, "--kernel-classes", missing, expect=1)
        self.assertIn(missing, error)


class CommandLine(program.WithJob):
    def test_help_of_every_command_has_an_example(self):
        for command in (
            [],
            ["analyze"],
            ["table"],
            ["list"],
            ["explain"],
            ["query"],
            ["trace", "info"],
            ["trace", "stacks"],
            ["simulate"],
            ["simulate-server"],
            ["completion"],
            ["manual"],
        ):
            out, error = program.run(*command, "--help")
            self.assertIn("Example", out, command)
            self.assertEqual(error, "")

    def test_help_lists_commands_in_groups_and_bounds_once(self):
        out, _ = program.run("--help")
        self.assertIn("\nServer and fleet:\n", out)
        out, _ = program.run("store", "--help")
        self.assertIn("\nSubcommands:\n", out)
        self.assertNotIn("Server and fleet", out)
        out, _ = program.run("capture", "--help")
        self.assertIn("--round-up INT:1..1000000=10", out)

    def test_bad_usage_is_exit_code_2(self):
        for arguments in (
            ["analyse"],
            ["--nonsense"],
            ["table"],
            ["table", "nothing", self.job],
            ["table", "kernels_by_name", self.job, "--set", "x=1"],
            ["table", "kernels_by_name", self.job, "--set", "top=many"],
            ["analyze", self.job, "--ranks", "a"],
            ["analyze", self.job, "--format", "xml"],
            ["completion"],
            ["completion", "csh"],
            ["analyze", self.job, "--fail-on", "nonsense"],
            ["explain", "nonsense"],
            ["query", self.job, "SELEC 1"],
        ):
            out, error = program.run(*arguments, expect=2)
            self.assertEqual(out, "", arguments)
            self.assertTrue(error, arguments)

    def test_without_a_command(self):
        out, error = program.run()
        self.assertIn("Example", out)
        self.assertEqual(error, "")
        with_command, _ = program.run("analyze", self.job)
        out, _ = program.run(self.job)
        self.assertEqual(out, with_command)
        out, _ = program.run(os.path.join(self.job, "rank*.json.gz"), "--ranks", "0")
        self.assertIn("1 rank", out)
        # Options of analyze may stand before the path; before a command it is said where they belong.
        for options in (["--full"], ["--format", "json"], ["--color", "never", "--ranks", "0"]):
            self.assertEqual(program.run(*options, self.job), program.run("analyze", *options, self.job))
        _, error = program.run("--limit", "5", "table", "kernels_by_name", self.job, expect=2)
        self.assertEqual(
            error,
            "rankscope: --limit stands before the command: options follow it, rankscope table ... --limit\n",
        )

    def test_slips_are_told_with_what_may_be_meant(self):
        for arguments, meant in (
            (["analyse", self.job], "did you mean analyze?"),
            (["qeury", self.job, "SELECT 1"], "did you mean query?"),
            (["table", "kernel_by_name", self.job], "did you mean kernels_by_name?"),
            (["table", "kernelss", self.job], "did you mean kernels_by_name?"),
            (["kernelss"], "did you mean rankscope table kernels_by_name TRACES?"),
            (["explain", "host-sink"], "did you mean host-sync?"),
            (["explain", "profiler-overheat"], "did you mean profiler-overhead?"),
            (["analyze", self.job, "--fail-on", "slow-gpus"], "did you mean slow-gpu?"),
            (["help", "analize"], "did you mean analyze?"),
            (["table", "events", self.job], "rankscope query TRACES 'SELECT * FROM events"),
        ):
            _, error = program.run(*arguments, expect=2)
            self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z", arguments)
            self.assertIn(meant, error)
            self.assertLess(len(error), 200)
        _, error = program.run("nothing-like-it", expect=2)
        self.assertNotIn("did you mean", error)

    def test_help_and_version_as_words(self):
        for words, option in ((["help"], ["--help"]), (["help", "trace", "info"], ["trace", "info", "--help"])):
            self.assertEqual(program.run(*words), program.run(*option))
        for words in (["version"], ["-V"]):
            self.assertEqual(program.run(*words), program.run("--version"))

    def test_a_folder_of_memory_snapshots_says_what_reads_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "step3", "snapshot.pickle.gz")
            os.makedirs(os.path.dirname(path))
            with open(path, "wb"):
                pass
            _, error = program.run(folder, expect=1)
            self.assertIn(f"a memory snapshot is there: rankscope memory {path}", error)

    def test_colour_is_wished(self):
        plain, _ = program.run(self.job)
        self.assertNotIn("\033[", plain)
        for words in (
            ["--color", "always", self.job],
            ["--color=always", "analyze", self.job],
            [self.job, "--color", "always"],
        ):
            coloured, _ = program.run(*words)
            self.assertIn("\033[", coloured)
            self.assertEqual(re.sub(r"\033\[[0-9;]*m", "", coloured), plain)
        _, error = program.run("--color", "green", self.job, expect=2)
        self.assertIn("--color", error)

    def test_explain(self):
        out, error = program.run("explain")
        self.assertEqual(error, "")
        ids = re.findall(r"^[ -] ([a-z-]+)  +\S", out, re.MULTILINE)
        pages = [
            name.removesuffix(".md")
            for kind in ("findings", "verdicts")
            for name in os.listdir(os.path.join(DOCS, kind))
        ]
        self.assertEqual(sorted(ids), sorted(pages))
        listed, _ = program.run("list")
        tables = set(re.findall(r"^  ([\w.]+)  +\S", listed, re.MULTILINE))
        for finding in ids:
            page, error = program.run("explain", finding)
            self.assertEqual(error, "")
            self.assertTrue(page.startswith(finding + "\n"), finding)
            self.assertRegex(page, "What to (change|do)")
            # Pages name tables that there are.
            for name in re.findall(r"rankscope\s+table\s+(\w+)", page):
                self.assertIn(name, tables, finding)

    def test_what_cannot_be_done_is_exit_code_1_and_one_line(self):
        empty = os.path.join(self.temporary.name, "empty")
        os.makedirs(empty, exist_ok=True)
        for arguments in (
            ["analyze", "/no/such/folder"],
            ["analyze", empty],
            ["analyze", self.job, "--ranks", "99"],
            ["analyze", self.job, "--steps", "99"],
            ["analyze", self.job, "--fail-on", "power-throttle"],
            ["trace", "info", "/no/such/file"],
            ["trace", "stacks", "/no/such/file"],
            ["analyze", self.job, "-o", "/no/such/folder/report"],
        ):
            out, error = program.run(*arguments, expect=1)
            self.assertEqual(out, "", arguments)
            self.assertRegex(error, r"\Arankscope: [^\n]+\n\Z", arguments)

    def test_a_wrong_value_is_said_before_anything_is_read(self):
        for setting in ("include_last_profiler_step=yes", "num_kernels=-1", "duration_ratio=2"):
            _, error = program.run("table", "hta.gpu_kernel_breakdown", "/no/such/folder", "--set", setting, expect=2)
            self.assertRegex(error, r"\Arankscope: option \w+ must be [^\n]+\n\Z")

    def test_tables_of_other_tools(self):
        out, _ = program.run("list")
        self.assertLess(out.index("time_breakdown "), out.index("Tables of Holistic Trace Analysis"))
        self.assertLess(out.index("Tables of Holistic Trace Analysis"), out.index("hta.temporal_breakdown "))
        rows = program.table("hta.temporal_breakdown", self.job)
        steps = program.table("hta.temporal_breakdown", self.job, options=("--steps", "1"))
        self.assertEqual(([row["rank"] for row in rows], rows), ([0, 1], steps), "--steps is not for them")
        out, _ = program.run(
            "query", self.job, 'SELECT count(*) FROM analysis."hta.temporal_breakdown"', "--format", "csv"
        )
        self.assertEqual(out.split(), ["count_star()", "2"])
        _, error = program.run("query", self.job, 'SELECT * FROM "hta.temporal_brakdown"', expect=2)
        self.assertIn('did you mean "hta.temporal_breakdown"?', error)

    def test_folders_links_and_pipes(self):
        parent = os.path.dirname(self.job)
        pattern = parent + "/jo*"
        by_pattern = program.run("analyze", pattern, "--no-cache")[0]
        self.assertIn(f"'{pattern}'", by_pattern, "a command to copy has the pattern in quotes")
        by_name = program.run("analyze", self.job, "--no-cache")[0]
        self.assertEqual(by_pattern.replace(f"'{pattern}'", self.job).split(), by_name.split())
        program.run("analyze", parent + "/nothing*", expect=1)
        trace = os.path.join(self.job, "rank0.pt.trace.json.gz")
        rows = program.table("captures", trace, os.path.join(self.job, ".", "rank0.pt.trace.json.gz"))
        self.assertEqual(len(rows), 1)
        links = os.path.join(self.temporary.name, "links")
        os.mkdir(links)
        os.symlink(self.job, os.path.join(links, "day1"))
        os.symlink(links, os.path.join(links, "circle"))
        self.assertEqual(len(program.table("captures", links, options=("--no-cache",))), 2)
        pipe = os.path.join(self.temporary.name, "pipe.json")
        os.mkfifo(pipe)
        program.run("analyze", pipe, expect=1)
        target, link = (os.path.join(self.temporary.name, name) for name in ("target.txt", "link.txt"))
        with open(target, "w", encoding="utf-8") as file:
            file.write("old")
        os.chmod(target, 0o600)
        os.symlink(target, link)
        program.run("list", expect=0)
        program.run("table", "step_times", trace, "-o", link)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o600)
        with open(target, encoding="utf-8") as file:
            self.assertIn("duration", file.read())

    def test_a_file_that_is_no_trace_is_set_aside(self):
        stray = os.path.join(self.job, "notes.json")
        with open(stray, "w", encoding="utf-8") as file:
            file.write('{"hello": 1}')
        try:
            rows = program.table("data_quality", self.job)
            self.assertEqual([row["code"] for row in rows], ["not_a_trace"])
            self.assertEqual(len(program.table("step_times", self.job)), 6)
        finally:
            os.remove(stray)

    def test_report_json_has_its_schema(self):
        out, _ = program.run("analyze", self.job, "--format", "json")
        report = json.loads(out)
        self.assertEqual(report["schema"], "rankscope.report/1")
        self.assertEqual(report["job"]["ranks"], [0, 1])
        self.assertEqual(report["job"]["world_size"], 2)
        self.assertEqual(len(report["job"]["steps"]), 3)
        self.assertEqual(report["quality"], [])
        for finding in report["findings"]:
            self.assertGreater(
                {*finding},
                {
                    "id",
                    "severity",
                    "confidence",
                    "ranks",
                    "steps",
                    "gain_pct",
                    "gain_unprofiled_pct",
                    "gain_method",
                    "title",
                    "where",
                    "evidence",
                },
            )
        for key in ("bottleneck", "combined_gain_pct", "replay"):
            self.assertIn(key, report["job"])
        causes = [cause["id"] for cause in report["not_evaluated"]]
        self.assertIn("power-throttle", causes)
        self.assertNotIn("queueing", causes)  # of serving programs
        for name in ("captures", "step_times", "time_breakdown", "host_breakdown", "kernels_by_name", "data_quality"):
            table = report["tables"][name]
            for row in table["rows"]:
                self.assertEqual(len(row), len(table["columns"]))

    def test_text_report_fits_80_columns_without_colour(self):
        out, _ = program.run("analyze", self.job)
        self.assertNotIn("\x1b", out)
        for line in out.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_text_report_on_the_shape_of_a_job(self):
        kinds = (
            (
                "pipeline",
                ("--job", "3d", "--layout", "tp=1,pp=4,dp=2", "--missing-ranks", "7"),
                "pp 4 x dp 2, from names of process groups",
                "PIPELINE",
            ),
            (
                "experts",
                ("--job", "moe", "--layout", "ep=4,dp=8", "--plant", "expert-imbalance"),
                "dp 8 with ep 4, from",
                "EXPERTS",
            ),
        )
        for name, options, layout, heading in kinds:
            job = os.path.join(self.temporary.name, name)
            program.run("simulate", job, "--ranks", "8", "--steps", "3", "--events", "8000", *options)
            out, _ = program.run("analyze", job, "--full")
            lines = out.splitlines()
            self.assertTrue(any(line.startswith(layout) for line in lines), out)
            self.assertTrue(any(line.startswith(heading) for line in lines), out)
            self.assertEqual("warning: partial: 7 of 8 ranks were recorded" in lines, name == "pipeline")
            for line in lines:
                self.assertLessEqual(len(line), 80, line)

    def test_ranks_and_steps_bound_the_tables(self):
        rows = program.table("step_times", self.job, options=("--ranks", "1", "--steps", "11-12"))
        self.assertEqual([(row["rank"], row["step"]) for row in rows], [(1, 11), (1, 12)])
        for words in (["table", "idle_gaps"], ["top", "kernels"], ["analyze"]):
            out, error = program.run(*words, self.job, "--steps", "99", expect=1)
            self.assertEqual(out, "")
            self.assertIn("no recording has a step that --steps names", error)

    def test_columns_order_and_rows_of_a_table_are_chosen(self):
        whole, _ = program.run("table", "kernels_by_name", self.job, "--format", "json")
        whole = json.loads(whole)
        names = [column["name"] for column in whole["columns"]]
        of = {name: [row[names.index(name)] for row in whole["rows"]] for name in ("name", "total_ns", "class")}
        chosen, _ = program.run(
            "table",
            "kernels_by_name",
            self.job,
            "--columns",
            "total_ns,name",
            "--sort",
            "-class,total_ns",
            "--limit",
            "3",
            "--format",
            "json",
        )
        chosen = json.loads(chosen)
        self.assertEqual([column["name"] for column in chosen["columns"]], ["total_ns", "name"])
        rows = sorted(zip(of["class"], of["total_ns"], of["name"]), key=lambda row: row[1])
        rows.sort(key=lambda row: row[0], reverse=True)
        self.assertEqual(chosen["rows"], [[total, name] for _, total, name in rows[:3]])
        _, error = program.run("table", "kernels_by_name", self.job, "--sort", "totl_ns", expect=2)
        self.assertIn("kernels_by_name has no column 'totl_ns'; did you mean 'total_ns'?", error)

    def test_rows_of_a_query_are_chosen(self):
        sql = "SELECT name, dur_ns, step FROM kernels"
        ordered = sql + " ORDER BY dur_ns DESC, step LIMIT 3"
        chosen = ["--sort", "-dur_ns,step", "--limit", "3"]
        self.assertEqual(program.run("query", self.job, sql, *chosen), program.run("query", self.job, ordered))
        only, _ = program.run("query", self.job, sql, "--columns", "step", "--limit", "1", "--format", "jsonl")
        self.assertEqual(list(json.loads(only)), ["step"])
        _, error = program.run("query", self.job, sql, "--columns", "stepp", expect=2)
        self.assertIn("did you mean 'step'?", error)

    def test_top(self):
        for what, table, measure in (
            ("kernels", "kernel_places", "total_ns"),
            ("ops", "ops_by_shape", "device_self_ns"),
            ("modules", "modules", "device_total_ns"),
            ("lines", "lines", "device_ns"),
        ):
            out, error = program.run("top", what, self.job, "--limit", "3", "--format", "jsonl")
            rows = [json.loads(line) for line in out.splitlines()]
            if not rows:
                self.assertIn("were recorded: record with with_stack=True", error)
                continue
            whole, _ = program.run(
                "table", table, self.job, "--sort", "-" + measure, "--limit", "3", "--format", "jsonl"
            )
            whole = [json.loads(line) for line in whole.splitlines()]
            self.assertEqual([row[measure] for row in rows], [row[measure] for row in whole])
        out, _ = program.run("top", "ops", self.job, "--format", "jsonl")
        efficiencies = [json.loads(line)["roofline_pct"] for line in out.splitlines()]
        self.assertTrue(any(value and 0 < value <= 100 for value in efficiencies))
        out, _ = program.run("top", "kernels", self.job, "--columns", "name,phase", "--limit", "1", "--format", "csv")
        self.assertEqual(out.splitlines()[0], "name,phase")
        _, error = program.run("top", "kernel", self.job, expect=2)
        self.assertIn("there is no 'kernel'; did you mean kernels? (kernels, ops, modules, lines)", error)

    def several_runs(self):
        folder = os.path.join(self.temporary.name, "several")
        for name, job in (("a", "ddp"), ("b", "fsdp")):
            program.run(
                "simulate", os.path.join(folder, name), "--job", job, "--ranks", "2", "--steps", "3", "--events", "2000"
            )
        return folder

    def test_several_runs_are_listed_with_their_commands(self):
        folder = self.several_runs()
        out, error = program.run(folder, expect=2)
        self.assertEqual(out, "")
        self.assertIn("2 runs, which make no job together", error)
        commands = [
            line.split("#")[0].split() for line in error.splitlines() if line.startswith("  rankscope analyze ")
        ]
        self.assertEqual([words[2] for words in commands], [os.path.join(folder, name) for name in "ab"])
        for words in commands:
            self.assertIn("2 ranks on", program.run(*words[1:])[0])
        out, error = program.run("top", "kernels", folder, expect=1)
        self.assertEqual(out, "")
        self.assertIn(f"  rankscope top kernels {os.path.join(folder, 'a')}  # 2 ranks", error)

    def test_several_runs_are_analysed_each(self):
        folder = self.several_runs()
        out, _ = program.run(folder, "--all")
        for name in "ab":
            alone, _ = program.run("analyze", os.path.join(folder, name))
            self.assertIn(f"=== {os.path.join(folder, name)}\n\n{alone}", out)
        out, _ = program.run(folder, "--all", "--format", "json")
        reports = json.loads(out)
        self.assertEqual([one["schema"] for one in reports], ["rankscope.report/1"] * 2)
        self.assertIn("--all takes", program.run(folder, "--all", "--format", "html", expect=2)[1])
        # Of one run it is that one.
        one = os.path.join(folder, "a")
        self.assertEqual(program.run("analyze", one, "--all"), program.run("analyze", one))

    def test_on_a_terminal_it_is_asked_which_run(self):
        folder = self.several_runs()
        terminal, ours = os.openpty()
        with subprocess.Popen([program.BINARY, folder], stdin=ours, stdout=ours, stderr=ours) as process:
            os.close(ours)
            said = b""
            while b"Which one?" not in said:
                said += os.read(terminal, 4096)
            os.write(terminal, b"2\n")
            try:
                while part := os.read(terminal, 4096):
                    said += part
            except OSError:
                pass  # the other end is closed
            self.assertEqual(process.wait(LIMIT_S), 0)
        os.close(terminal)
        self.assertIn(b"--full", said)
        self.assertIn(os.path.join(folder, "b").encode(), said)

    def without_browser(self):
        kept = {key: value for key, value in os.environ.items() if key not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
        return {**kept, "TMPDIR": self.temporary.name}

    def test_open_page_says_where_without_a_browser(self):
        out, _ = program.run("analyze", self.job, "--open", "page", environment=self.without_browser())
        self.assertTrue(out.startswith(f"file://{self.temporary.name}/rankscope-"), out)
        with open(out.strip()[len("file://") :], encoding="utf-8") as file:
            self.assertIn("<html", file.read(1000))
        # With one it is shown there.
        shown = os.path.join(self.temporary.name, "shown")
        browser = os.path.join(self.temporary.name, "browser")
        with open(browser, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$1" > {shown}\n')
        os.chmod(browser, 0o755)
        page = os.path.join(self.temporary.name, "my page.html")
        out, _ = program.run(
            "analyze", self.job, "--open", "page", "-o", page, environment={**os.environ, "BROWSER": browser}
        )
        self.assertEqual(out, "")
        with open(shown, encoding="utf-8") as file:
            self.assertEqual(file.read().strip(), "file://" + page.replace(" ", "%20"))

    def test_open_perfetto_gives_the_trace_to_that_site(self):
        with socket.socket() as taken:
            if taken.connect_ex(("127.0.0.1", 9001)) == 0:
                self.skipTest("somebody listens on the one port that Perfetto's page may fetch from")
        cut = os.path.join(self.temporary.name, "step.json")
        trace = next(os.path.join(self.job, name) for name in sorted(os.listdir(self.job)) if name.endswith(".json.gz"))
        words = [program.BINARY, "trace", "filter", trace, "--step", "10", "-o", cut, "--open", "perfetto"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, env=self.without_browser()) as process:
            address = process.stdout.readline().decode().strip()
            self.assertEqual(address, "https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/step.json")
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen("http://127.0.0.1:9001/other.json", timeout=LIMIT_S)
            with urllib.request.urlopen(address.split("url=")[1], timeout=LIMIT_S) as reply:
                self.assertEqual(reply.headers["Access-Control-Allow-Origin"], "https://ui.perfetto.dev")
                with open(cut, "rb") as file:
                    self.assertEqual(reply.read(), file.read())
            self.assertEqual(process.wait(LIMIT_S), 0)

    def test_a_trace_from_standard_input(self):
        trace = next(os.path.join(self.job, name) for name in sorted(os.listdir(self.job)) if name.endswith(".json.gz"))
        with open(trace, "rb") as file:
            packed = file.read()

        def piped(*words):
            done = subprocess.run(
                [program.BINARY, *words], input=packed, capture_output=True, check=True, timeout=LIMIT_S
            )
            return done.stdout.decode()

        named, _ = program.run("table", "kernels_by_name", trace, "--format", "csv")
        self.assertEqual(piped("table", "kernels_by_name", "-", "--format", "csv"), named)
        said = piped("analyze", "-")
        self.assertTrue(said.startswith("1 rank"), said)
        self.assertIn("rankscope top kernels -", said)
        self.assertIn("rankscope - --format html", said)
        self.assertEqual(piped("-"), said)
        self.assertIn("Kineto JSON", piped("trace", "info", "-"))
        # A file behind < is read where it is.
        with open(trace, "rb") as file:
            done = subprocess.run(
                [program.BINARY, "table", "kernels_by_name", "-", "--format", "csv"],
                stdin=file,
                capture_output=True,
                check=True,
            )
        self.assertEqual(done.stdout.decode(), named)

    def test_markdown(self):
        out, _ = program.run("analyze", self.job, "--format", "markdown")
        self.assertTrue(out.startswith("**"), out[:80])
        self.assertIn("<details><summary>Where device time goes</summary>", out)

    def test_formats_agree(self):
        rows = program.table("kernels_by_name", self.job, options=("--set", "top=3"))
        self.assertEqual(len(rows), 3)
        csv, _ = program.run("table", "kernels_by_name", self.job, "--set", "top=3", "--format", "csv")
        self.assertEqual(len(csv.splitlines()), 4)
        path = os.path.join(self.temporary.name, "kernels.parquet")
        program.run("table", "kernels_by_name", self.job, "--set", "top=3", "--format", "parquet", "-o", path)
        out, _ = program.run(
            "query", self.job, f"SELECT name, total_ns FROM read_parquet('{path}')", "--format", "json", "--allow-files"
        )
        self.assertEqual(json.loads(out)["rows"], [[row["name"], row["total_ns"]] for row in rows])

    def test_second_look_comes_from_the_cache_and_survives_damage(self):
        cache = os.path.join(self.temporary.name, "cache")
        first, _ = program.run("analyze", self.job, "--cache-dir", cache)
        # Hashes of traces are kept from the first look at them that comes two seconds after they were written.
        kept = lambda: sorted(name for name in os.listdir(cache) if name != "known-files.v1")
        files = kept()
        self.assertEqual(sum(name.endswith(".columns") for name in files), 2)
        self.assertEqual(program.run("analyze", self.job, "--cache-dir", cache)[0], first)
        for name in files:
            with open(os.path.join(cache, name), "r+b") as file:
                file.seek(os.path.getsize(file.name) // 2)
                file.write(b"damage")
        self.assertEqual(program.run("analyze", self.job, "--cache-dir", cache)[0], first)
        self.assertEqual(program.run("analyze", self.job, "--no-cache")[0], first)
        self.assertEqual(kept(), files)

    def test_the_default_cache_is_the_users_own(self):
        home = os.path.join(self.temporary.name, "home")
        os.mkdir(home)
        environment = {"HOME": home}
        planted = os.path.join(self.job, ".rankscope")
        first, error = program.run("analyze", self.job, environment=environment)
        self.assertEqual(error, "")
        folder = os.path.join(home, ".cache", "rankscope")
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        names = sorted(os.listdir(folder))
        self.assertEqual(sum(name.endswith(".columns") for name in names), 2)
        self.assertFalse(os.path.exists(planted), "nothing is written beside traces")

        # Nor read: what lies there is somebody else's.
        os.mkdir(planted)
        for name in names:
            with open(os.path.join(planted, name), "wb") as file:
                file.write(b"planted")
        self.assertEqual(program.run("analyze", self.job, environment=environment), (first, ""))
        self.assertEqual(sorted(os.listdir(planted)), names)
        for name in names:
            os.remove(os.path.join(planted, name))
        os.rmdir(planted)

        elsewhere = os.path.join(self.temporary.name, "xdg")
        program.run("analyze", self.job, environment={"HOME": home, "XDG_CACHE_HOME": elsewhere})
        self.assertEqual(sorted(os.listdir(os.path.join(elsewhere, "rankscope"))), names)
        named = os.path.join(self.temporary.name, "named")
        program.run("analyze", self.job, environment={"HOME": home, "RANKSCOPE_CACHE_DIR": named})
        self.assertEqual(sorted(os.listdir(named)), names)

    def test_without_a_usable_home_there_is_one_warning(self):
        expected, _ = program.run("analyze", self.job, "--no-cache")
        home = os.path.join(self.temporary.name, "shared_home")
        folder = os.path.join(home, ".cache", "rankscope")
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        for environment in ({}, {"HOME": "/no/such/home"}, {"HOME": home}):
            out, error = program.run("analyze", self.job, environment=environment)
            self.assertEqual(out, expected)
            self.assertRegex(error, r"\Arankscope: results are not cached: [^\n]+--cache-dir[^\n]+\n\Z")
            _, error = program.run("analyze", self.job, "--no-cache", environment=environment)
            self.assertEqual(error, "")
        self.assertEqual(os.listdir(folder), [])
        _, error = program.run("analyze", self.job, "--cache-dir", "/proc/none", expect=1)
        self.assertRegex(error, r"\Arankscope: results are not cached: /proc/none [^\n]+\n\Z")

    def test_two_processes_share_a_cache(self):
        cache = os.path.join(self.temporary.name, "shared")
        command = [program.BINARY, "analyze", self.job, "--cache-dir", cache]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
        outputs = {process.communicate(timeout=LIMIT_S)[0] for process in running}
        self.assertEqual([process.returncode for process in running], [0] * 4)
        self.assertEqual(len(outputs), 1)

    def test_cache_size_is_bounded(self):
        cache = os.path.join(self.temporary.name, "small")
        program.run("analyze", self.job, "--cache-dir", cache, "--cache-size", "100K")
        self.assertLessEqual(sum(os.path.getsize(os.path.join(cache, name)) for name in os.listdir(cache)), 100 * 1024)

    def test_interrupt_leaves_nothing_half_written(self):
        folder = os.path.join(self.temporary.name, "interrupted")
        process = subprocess.Popen(
            [program.BINARY, "simulate", folder, "--ranks", "4", "--events", "2000000", "--plain"],
            stderr=subprocess.DEVNULL,
        )
        until(lambda: os.path.isdir(folder) and os.listdir(folder) or process.poll() is not None)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.wait(timeout=LIMIT_S)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual([name for name in os.listdir(folder) if ".tmp." in name], [])

    def test_stacks_hold_all_device_work(self):
        trace = os.path.join(
            self.job, sorted(name for name in os.listdir(self.job) if ".json" in name and "rank0" in name)[0]
        )
        out, _ = program.run("query", trace, "SELECT sum(dur_ns) AS ns FROM kernels", "--format", "json")
        expected = json.loads(out)["rows"][0][0]
        collapsed, _ = program.run("trace", "stacks", trace)
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in collapsed.splitlines()), expected)
        few, _ = program.run("trace", "stacks", trace, "--top", "3")
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in few.splitlines()), expected)
        self.assertEqual(len(few.splitlines()), 4)
        path = os.path.join(self.temporary.name, "stacks.speedscope.json")
        program.run("trace", "stacks", trace, "--format", "speedscope", "-o", path)
        with open(path, encoding="utf-8") as file:
            parsed = json.load(file)
        profile = parsed["profiles"][0]
        lines = [
            ";".join(parsed["shared"]["frames"][frame]["name"] for frame in sample) + f" {weight}"
            for sample, weight in zip(profile["samples"], profile["weights"], strict=True)
        ]
        self.assertEqual(lines, collapsed.splitlines())
        self.assertEqual(profile["endValue"], expected)

    def test_stacks_of_a_job_are_added_up(self):
        def stacks(*arguments):
            out, _ = program.run("trace", "stacks", self.job, *arguments)
            return {stack: int(weight) for stack, weight in (line.rsplit(" ", 1) for line in out.splitlines())}

        def device_time(where):
            out, _ = program.run(
                "query", self.job, f"SELECT sum(dur_ns) AS ns FROM kernels WHERE {where}", "--format", "json"
            )
            return json.loads(out)["rows"][0][0]

        whole, first = stacks(), stacks("--ranks", "0")
        self.assertEqual(sum(whole.values()), device_time("true"))
        self.assertEqual(sum(first.values()), device_time("rank = 0"))
        self.assertEqual(sum(stacks("--steps", "10,12").values()), device_time("step IN (10, 12)"))
        self.assertEqual(stacks("--no-cache"), whole)
        by_rank = stacks("--by-rank")
        self.assertEqual({stack.split(";")[0] for stack in by_rank}, {"rank 0", "rank 1"})
        self.assertEqual(
            {stack.removeprefix("rank 0;"): weight for stack, weight in by_rank.items() if stack.startswith("rank 0;")},
            first,
        )
        self.assertEqual(sum(by_rank.values()), sum(whole.values()))
        program.run("trace", "stacks", self.job, "--steps", "99", expect=1)
        for arguments, title in (
            ((), "device time of 2 ranks"),
            (("--ranks", "1", "--weight", "host"), "host time of rank 1"),
        ):
            out, _ = program.run("trace", "stacks", self.job, "--format", "speedscope", *arguments)
            self.assertEqual(json.loads(out)["name"], title)

    def test_documentation_of_tables_is_current(self):
        out, _ = program.run("list", "--markdown")
        with open(os.path.join(DOCS, "tables.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), out, "run: build/bin/rankscope list --markdown > docs/tables.md")


if __name__ == "__main__":
    unittest.main(argv=["command_line_test"])
