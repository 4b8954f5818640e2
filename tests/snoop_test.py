"""rankscope-agent snoop on programs whose libraries write down themselves how they were called."""

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import program
from waiting import LIMIT_S, until

BIN = os.path.dirname(os.path.abspath(program.BINARY))
AGENT = os.path.join(BIN, "rankscope-agent")
FAKES = os.path.join(BIN, "fake_gpu")
# What the kernel, or the build, may lack: all else is a failure.
ABSENT = ("BPF is not permitted here", "has no BPF programs", "this kernel cannot do what snoop needs")
# Its threads' stacks and names of code are known.
PYTHON = program.DEBIAN_PYTHON

PRELUDE = """
import ctypes, threading
def load(name):
    return ctypes.CDLL("FAKES/" + name)
def begin():
    print("ready", flush=True)
    input()
def end():
    print("done", flush=True)
    input()
"""


class Snooped:
    """A program under snoop: it is started, the window opens, it works, the window ends, it writes its truth."""

    def __init__(self, test, words, *options):
        self.test = test
        self.folder = test.folder
        self.program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        test.addCleanup(self.stop)
        self.says("ready")
        self.words = [AGENT, "snoop", "--pid", str(self.program.pid), "--seconds", str(LIMIT_S)]
        # A probe that others push off its core takes long by the clock: no reason to end a test's window.
        self.words += ["--max-overhead", "10000", *options]
        self.snoop = None

    def stop(self):
        for process in (self.program, self.snoop):
            if process is None:
                continue
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()

    def says(self, word):
        self.test.assertEqual(self.program.stdout.readline().strip(), word)

    def open(self):
        self.snoop = subprocess.Popen(
            self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )
        line = self.snoop.stderr.readline()
        if any(reason in line for reason in ABSENT):
            self.test.skipTest(line.strip())
        self.test.assertIn("begins", line, line + ("" if "begins" in line else self.snoop.stderr.read()))

    def goes_on(self):
        self.program.stdin.write("\n")
        self.program.stdin.flush()

    def close(self):
        """Ends the window, if it has not ended; what was printed."""
        if self.snoop.poll() is None:
            self.snoop.send_signal(signal.SIGINT)
        text, errors = self.snoop.communicate(timeout=LIMIT_S)
        self.test.assertEqual(self.snoop.returncode, 0, errors)
        return text

    def whole(self):
        """What the window showed of all that the program did."""
        self.open()
        self.goes_on()
        self.says("done")
        text = self.close()
        self.goes_on()
        self.test.assertEqual(self.program.wait(LIMIT_S), 0)
        return text

    def truth(self, name):
        with open(os.path.join(self.folder, name + ".json"), encoding="utf-8") as file:
            return json.load(file)


def names(row):
    """The functions of a stack, outermost first, Python's with their lines."""
    return [f["function"] + (f":{f['line']}" if f["line"] else "") for f in row["stack"]]


class WithPrograms(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rankscope_snoop_")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def work(self, name, *options):
        return Snooped(self, [os.path.join(FAKES, "gpu_program"), name, self.folder], "--format", "json", *options)

    def python(self, text, *options, interpreter=PYTHON):
        path = os.path.join(self.folder, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PRELUDE.replace("FAKES", FAKES) + textwrap.dedent(text))
        return Snooped(self, [interpreter, path], "--format", "json", *options)

    def line_of(self, text):
        """The line of train.py that has this text, counted from 1."""
        with open(os.path.join(self.folder, "train.py"), encoding="utf-8") as file:
            return next(i for i, line in enumerate(file, 1) if text in line)


class Snoop(WithPrograms):
    def assert_calls(self, found, level, truth, less=()):
        """Counts, failures and bytes of a level are those of its library. `less`: calls that were before the window or inside others."""
        rows = {row["call"]: row for row in found["calls"] if row["level"] == level}
        expected = {name: dict(count) for name, count in truth["calls"].items()}
        for name, calls, size in less:
            expected[name]["calls"] -= calls
            expected[name]["bytes"] -= size
        self.assertEqual(set(rows), {name for name, count in expected.items() if count["calls"] > 0})
        for name, row in rows.items():
            self.assertEqual(row["calls"], expected[name]["calls"], name)
            self.assertIn(row["unfinished"], (0, None), name)
            if row["failed"] is not None:
                self.assertEqual(row["failed"], expected[name]["failed"], name)
            if row["bytes"] is not None:
                self.assertEqual(row["bytes"], expected[name]["bytes"], name)

    def memory(self, found, level, where="device"):
        return next(row for row in found["memory"] if row["level"] == level and row["memory"] == where)

    def assert_nothing_lost(self, found):
        for name in ("lost_events", "lost_stacks", "lost_sums", "abandoned_calls"):
            self.assertEqual(found["probes"][name], 0, name)

    def test_counts_and_live_memory_are_the_truth(self):
        one = self.work("all")
        found = json.loads(one.whole())
        runtime, driver = one.truth("runtime"), one.truth("driver")
        self.assert_nothing_lost(found)
        # One allocation was before the window; cudaMallocManaged calls cudaMalloc, which is counted at its level once.
        self.assert_calls(found, "CUDA runtime", runtime, [("cudaMalloc", 2, 64 + 5000)])
        self.assert_calls(found, "CUDA driver", driver, [("cuMemAlloc_v2", 1, 64)])
        self.assertEqual(found["probes"]["nested_calls"], 1)
        memory = [row for row in found["memory"] if row["level"] == "CUDA runtime"]
        self.assertEqual(sum(row["live"] for row in memory), runtime["live"])
        self.assertEqual(sum(row["live_bytes"] for row in memory), runtime["live_bytes"])
        self.assertEqual(self.memory(found, "CUDA runtime")["frees_of_earlier"], 1)
        self.assertEqual(self.memory(found, "CUDA runtime", "pinned host")["live_bytes"], 888)
        of_driver = self.memory(found, "CUDA driver")
        self.assertEqual((of_driver["live"], of_driver["live_bytes"]), (driver["live"], driver["live_bytes"]))
        timeline = next(
            row for row in found["timelines"] if row["level"] == "CUDA driver" and row["memory"] == "device"
        )
        self.assertEqual(timeline["last_bytes"][-1], driver["live_bytes"])
        self.assertEqual(max(timeline["highest_bytes"]), of_driver["peak_bytes"])

    def test_stacks_of_leaks_failures_and_launches(self):
        found = json.loads(self.work("all").whole())
        leak = next(row for row in found["never_freed"] if "LeakyLoader()" in names(row))
        self.assertEqual((leak["call"], leak["count"], leak["bytes"]), ("cudaMalloc", 7, 7 * 4096))
        # The program has no frame pointers.
        self.assertEqual(names(leak)[-4:], ["main", "LeakyLoader()", "Keep(unsigned long)", "cudaMalloc"])
        inner = [
            row for row in found["never_freed"] if row["call"] == "cuMemAlloc_v2" and "LeakyLoader()" in names(row)
        ]
        # The probe at cudaMalloc's return has put an address of its own on the stack.
        self.assertEqual(names(inner[0])[-4:], ["LeakyLoader()", "Keep(unsigned long)", "cudaMalloc", "cuMemAlloc_v2"])
        self.assertTrue(inner[0]["inside_a_level_above"])
        self.assertFalse(leak["inside_a_level_above"])
        self.assertFalse(any("Balanced()" in names(row) for row in found["never_freed"]))
        failure = next(row for row in found["failures"] if row["call"] == "cudaMalloc")
        self.assertEqual((failure["count"], failure["asked_bytes"]), (3, 3 << 41))
        self.assertEqual(failure["errors"], [{"status": 2, "count": 3}])
        self.assertIn("AsksForTooMuch()", names(failure))
        launches = [row for row in found["uses"] if row["call"] == "cudaLaunchKernel"]
        self.assertEqual([row["count"] for row in launches], [300, 5])
        self.assertEqual(names(launches[0])[-2:], ["LaunchOften()", "cudaLaunchKernel"])
        self.assertEqual({row["function"] for row in launches}, {"ScaleKernel()"})
        wait = next(row for row in found["uses"] if row["call"] == "cudaDeviceSynchronize")
        of_driver = next(row for row in found["uses"] if row["call"] == "cuCtxSynchronize")
        self.assertEqual((wait["count"], of_driver["count"]), (4, 4))
        self.assertGreaterEqual(wait["time_ns"], of_driver["time_ns"])
        self.assertGreaterEqual(of_driver["time_ns"], 4 * 200_000)
        rates = sum(row["calls"] for row in found["rates"] if (row["level"], row["kind"]) == ("CUDA runtime", "launch"))
        self.assertEqual(rates, 306)

    def test_threads_are_given_each_others_addresses(self):
        one = self.work("threads", "--max-events-per-second", "1000000")
        found = json.loads(one.whole())
        self.assert_nothing_lost(found)
        self.assert_calls(found, "CUDA runtime", one.truth("runtime"))
        self.assert_calls(found, "CUDA driver", one.truth("driver"))
        self.assertEqual(self.memory(found, "CUDA driver")["live"], 8)
        self.assertEqual(self.memory(found, "CUDA driver")["replaced"], 0)

    def test_the_document_says_whose_it_is_and_what_came_late(self):
        one = self.python(
            """
            load("libcudart.so.12")
            begin()
            load("libamdhip64.so.6")
            end()
            """
        )
        # It is the same process behind env.
        one.program.kill()
        one.program.wait()
        one.program.stdin.close()
        one.program.stdout.close()
        words = ["env", "RANK=3", "WORLD_SIZE=8", "SLURM_JOB_ID=77", PYTHON, os.path.join(self.folder, "train.py")]
        one.program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        one.says("ready")
        one.words[one.words.index("--pid") + 1] = str(one.program.pid)
        before = time.time_ns()
        found = json.loads(one.whole())
        self.assertEqual(found["format"], "rankscope-snoop-1")
        self.assertEqual((found["pid"], found["host"]), (one.program.pid, socket.gethostname()))
        self.assertEqual((found["rank"], found["world_size"], found["job"]), (3, 8, "77"))
        self.assertIn(found["begin_unix_ns"], range(before, time.time_ns()))
        self.assertEqual([os.path.basename(path) for path in found["late_libraries"]], ["libamdhip64.so.6"])
        self.assertTrue(any("was loaded after the window began" in note for note in found["notes"]), found["notes"])

    def test_a_fork_is_another_process(self):
        one = self.work("fork")
        found = json.loads(one.whole())
        self.assertEqual(one.truth("runtime")["live"], 20)
        self.assertEqual(self.memory(found, "CUDA runtime")["live"], 20)
        self.assertEqual(sum(row["calls"] for row in found["calls"]), 40)

    def test_a_process_that_ends_in_the_window(self):
        one = self.work("end")
        one.open()
        one.goes_on()
        text, errors = one.snoop.communicate(timeout=LIMIT_S)
        self.assertEqual(one.snoop.returncode, 0, errors)
        found = json.loads(text)
        self.assertIn("the process ended", found["cut"])
        self.assertLess(found["window_ns"], found["asked_ns"])
        leak = next(row for row in found["never_freed"] if row["call"] == "cudaMalloc")
        self.assertEqual(leak["count"], 12)
        # Its files are there yet.
        self.assertIn("LeakyLoader()", names(leak))

    def test_too_many_events_end_the_window(self):
        one = self.work("storm", "--max-events-per-second", "1000")
        one.open()
        one.goes_on()
        text, _ = one.snoop.communicate(timeout=LIMIT_S)
        found = json.loads(text)
        self.assertIn("more than 1000 events within a second", found["cut"])
        self.assertIn("--max-events-per-second", found["cut"])
        launches = sum(row["calls"] for row in found["calls"])
        self.assertGreaterEqual(launches, 900)
        # The program goes on as if nothing had been.
        one.says("done")
        one.goes_on()
        self.assertEqual(one.program.wait(LIMIT_S), 0)
        self.assertEqual(one.truth("runtime")["calls"]["cudaLaunchKernel"]["calls"], 200_000)

    def stacks_of_python(self, interpreter):
        one = self.python(
            """
            runtime = load("libcudart.so.12")
            runtime.cudaMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
            runtime.cudaFree.argtypes = [ctypes.c_void_p]
            def malloc(size):
                pointer = ctypes.c_void_p()
                runtime.cudaMalloc(ctypes.byref(pointer), size)  # asks
                return pointer
            def cache_batch(i):
                return malloc(4096)  # the leak
            def forward(i):
                runtime.cudaFree(malloc(100))
                for _ in range(3):
                    runtime.cudaLaunchKernel(None, 0, 0, 0, 0, 0)  # launches
            class Trainer:
                def step(self, i):
                    forward(i)  # goes forward
                    if i % 10 == 0:
                        cache_batch(i)  # leaks
            def train(steps):
                for i in range(steps):
                    Trainer().step(i)  # steps
            begin()
            train(100)  # trains
            thread = threading.Thread(target=train, args=(30,))
            thread.start()
            thread.join()
            end()
            """,
            interpreter=interpreter,
        )
        found = json.loads(one.whole())
        self.assert_nothing_lost(found)
        stacks = {}
        for row in found["never_freed"]:
            if row["call"] == "cudaMalloc":
                stack = tuple(n for n, f in zip(names(row), row["stack"]) if f["language"] == "python")
                stacks.setdefault(stack, []).append(row)
        inner = (
            f"train:{self.line_of('# steps')}",
            f"Trainer.step:{self.line_of('# leaks')}",
            f"cache_batch:{self.line_of('# the leak')}",
            f"malloc:{self.line_of('# asks')}",
        )
        main = stacks.pop((f"<module>:{self.line_of('# trains')}", *inner))
        self.assertEqual((sum(r["count"] for r in main), sum(r["bytes"] for r in main)), (10, 40960))
        self.assertEqual(main[0]["stack"][-1]["function"], "cudaMalloc")
        self.assertEqual(os.path.basename(main[0]["stack"][0]["file"]), "train.py")
        ((of_thread, rows),) = stacks.items()
        self.assertEqual(of_thread[-4:], inner)
        self.assertEqual(sum(row["count"] for row in rows), 3)
        self.assertEqual(rows[0]["stack"][0]["function"], "Thread._bootstrap")
        launches = [row for row in found["uses"] if row["call"] == "cudaLaunchKernel"]
        self.assertEqual(sum(row["count"] for row in launches), 390)
        for row in launches:
            self.assertIn(f"forward:{self.line_of('# launches')}", names(row))
            self.assertIn(f"Trainer.step:{self.line_of('# goes forward')}", names(row))
        of_main = [row for row in launches if f"<module>:{self.line_of('# trains')}" in names(row)]
        self.assertEqual(sum(row["count"] for row in of_main), 300)

    def test_stacks_of_python(self):
        self.stacks_of_python(PYTHON)

    def test_stacks_of_other_pythons(self):
        """3.12 has other structures, and 3.13 describes its own."""
        seen = []
        for version in ("3.12", "3.13"):
            for path in (
                shutil.which("python" + version),
                *glob.glob(f"{os.path.expanduser('~')}/.pyenv/versions/{version}.*/bin/python3"),
            ):
                if (
                    path
                    and subprocess.run([path, "-c", "import ctypes"], capture_output=True, check=False).returncode == 0
                ):
                    with self.subTest(version):
                        self.stacks_of_python(path)
                    seen.append(version)
                    break
        if not seen:
            self.skipTest("there is neither Python 3.12 nor 3.13 here")

    def test_hip_whose_symbols_have_versions(self):
        one = self.python(
            f"""
            hip = load("libamdhip64.so.6")
            begin()
            pointer = ctypes.c_void_p()
            for i in range(9):
                hip.hipMalloc(ctypes.byref(pointer), 256)
            hip.hipFree(pointer)
            hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(1 << 41))
            hip.hipModuleLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None)
            hip.hipStreamSynchronize(None)
            end()
            hip.FakeHipTruth(b"{self.folder}/hip.json")
            """
        )
        found = json.loads(one.whole())
        truth = one.truth("hip")
        self.assert_calls(found, "HIP", truth)
        memory = self.memory(found, "HIP")
        self.assertEqual((memory["live"], memory["live_bytes"]), (truth["live"], truth["live_bytes"]))

    def allocator(self, library):
        return self.python(
            f"""
            torch = load("{library}")
            pointer = ctypes.c_void_p()
            begin()
            def tensor(size):
                return torch.FakeTensor(ctypes.byref(pointer), ctypes.c_size_t(size))  # asks
            for i in range(5):
                tensor(512)
            torch.FakeDelete(pointer)
            assert tensor(1 << 41) == 1, "it did not throw"
            end()
            torch.FakeAllocatorTruth(b"{self.folder}/allocator.json")
            """
        )

    def test_an_allocator_that_throws(self):
        one = self.allocator("libc10_cuda.so")
        found = json.loads(one.whole())
        truth = one.truth("allocator")["calls"]
        calls = {row["call"].rpartition(":")[2]: row["calls"] for row in found["calls"]}
        self.assertEqual(calls, {"malloc": truth["malloc"]["calls"], "free": truth["free"]["calls"]})
        asked = [row for row in found["uses"] if row["kind"] == "allocate"]
        self.assertEqual(sum(row["count"] for row in asked), 6)
        self.assertTrue(all(f"tensor:{self.line_of('# asks')}" in names(row) for row in asked))

    def test_static_probes_of_the_allocator(self):
        one = self.allocator("libc10_cuda_sites.so")
        found = json.loads(one.whole())
        truth = one.truth("allocator")
        self.assertEqual(
            {row["call"]: row["calls"] for row in found["calls"]}, {"pytorch:malloc": 5, "pytorch:free": 1}
        )
        memory = self.memory(found, "PyTorch's allocator")
        self.assertEqual((memory["live"], memory["live_bytes"]), (truth["live"], truth["live_bytes"]))
        leak = found["never_freed"][0]
        self.assertIn(f"tensor:{self.line_of('# asks')}", names(leak))
        self.assertTrue(any("NativeCachingAllocator::malloc" in name for name in names(leak)), names(leak))

    def test_what_is_printed(self):
        one = self.work("all")
        one.words[one.words.index("json")] = "text"
        text = one.whole()
        self.assertRegex(text, r"28\.0 KiB in 7 of 7 by cudaMalloc \(CUDA runtime, device\)")
        self.assertIn("LeakyLoader() (gpu_program)", text)
        self.assertIn("3 of cudaMalloc (6.0 TiB asked for): error 2", text)
        self.assertIn("the window was cut: it was interrupted after", text)
        one = self.work("all", "--what", "memory", "-o", "leaks.folded")
        one.words[one.words.index("json")] = "folded"
        self.assertEqual(one.whole(), "")
        with open(os.path.join(self.folder, "leaks.folded"), encoding="utf-8") as file:
            lines = dict(line.rsplit(" ", 1) for line in file.read().splitlines())
        stack = next(line for line in lines if "LeakyLoader()" in line)
        self.assertEqual(lines[stack], str(7 * 4096))
        self.assertTrue(stack.endswith(";Keep(unsigned long) (gpu_program);cudaMalloc (libcudart.so.12)"), stack)

    def test_nothing_but_the_helper_has_privileges(self):
        one = self.work("all")
        one.open()
        with open(f"/proc/{one.snoop.pid}/status", encoding="utf-8") as file:
            status = dict(line.strip().partition(":")[::2] for line in file)
        # CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH at most: to read names.
        for name in ("CapEff", "CapPrm"):
            self.assertEqual(int(status[name], 16) & ~((1 << 19) | (1 << 2)), 0, name)
        # The helper has gone.
        with open(f"/proc/{one.snoop.pid}/task/{one.snoop.pid}/children", encoding="utf-8") as file:
            self.assertEqual(file.read().strip(), "")
        one.close()

    def test_one_that_is_killed_leaves_no_probe(self):
        one = self.work("all")
        one.open()
        one.snoop.kill()
        one.snoop.communicate()
        # Probes stand in memory as a breakpoint: this is the first byte of cudaMalloc as the file has it, or not.
        with open(f"/proc/{one.program.pid}/maps", encoding="utf-8") as file:
            mapped = [line.split() for line in file if "libcudart.so.12" in line and "r-xp" in line]
        begin, end = (int(part, 16) for part in mapped[0][0].split("-"))
        offset, path = int(mapped[0][2], 16), mapped[0][-1]
        with open(path, "rb") as file:
            file.seek(offset)
            code = file.read(end - begin)

        def in_memory():
            with open(f"/proc/{one.program.pid}/mem", "rb") as file:
                file.seek(begin)
                return file.read(len(code))

        until(lambda: in_memory() == code, "the code as it was")
        one.goes_on()
        one.says("done")
        one.goes_on()
        self.assertEqual(one.program.wait(LIMIT_S), 0)

    def refused(self, *words, **options):
        ran = subprocess.run([AGENT, "snoop", *words], capture_output=True, text=True, check=False, **options)
        self.assertEqual(ran.stdout, "")
        return ran.returncode, ran.stderr.strip()

    def test_where_bpf_is_not_permitted(self):
        without = [] if os.geteuid() else ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
        process = subprocess.Popen(
            [*without, os.path.join(FAKES, "gpu_program"), "all", self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            ran = subprocess.run(
                [*without, AGENT, "snoop", "--pid", str(process.pid), "--seconds", "1"],
                capture_output=True,
                text=True,
                check=False,
            )
            process.kill()
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
        if "has no BPF programs" not in ran.stderr:
            self.assertIn("BPF is not permitted here", ran.stderr)
            self.assertIn("CAP_BPF and CAP_PERFMON", ran.stderr)

    def test_what_cannot_be_snooped(self):
        code, said = self.refused("--pid", "4194300")
        self.assertEqual(code, 1)
        self.assertIn("there is no process 4194300", said)
        with subprocess.Popen(["sleep", "1000"]) as sleeper:
            until(lambda: os.path.basename(os.readlink(f"/proc/{sleeper.pid}/exe")) == "sleep")
            code, said = self.refused("--pid", str(sleeper.pid))
            sleeper.kill()
        self.assertEqual(code, 1)
        self.assertIn("it has mapped none of libcudart, libcuda, libamdhip64 and libc10_cuda (yet)", said)
        stripped = self.python('load("libcudart.so.11")\nbegin()\n')
        code, said = self.refused("--pid", str(stripped.program.pid))
        self.assertEqual(code, 1)
        self.assertIn("libcudart.so.11 exports none of the calls that are known", said)

    def test_bad_usage(self):
        for words, what in (
            ([], "--pid is required"),
            (["--pid", "0"], "--pid"),
            (["--pid", "1", "--seconds", "0"], "--seconds"),
            (["--pid", "1", "--what", "everything"], "--what"),
            (["--pid", "1", "--format", "folded"], "--what memory or --what launches"),
        ):
            code, said = self.refused(*words)
            self.assertEqual(code, 2, said)
            self.assertIn(what, said)
        code, said = self.refused("--pid", "1", "-o", os.path.join(self.folder, "no/such/folder"))
        self.assertEqual(code, 1)
        self.assertIn("cannot be written", said)


class OffCpu(WithPrograms):
    def watched(self, text, *options):
        one = self.python(text, *options)
        one.words[1] = "offcpu"
        return one

    def test_times_of_threads_sum_to_the_time_that_they_lived(self):
        one = self.watched(
            """
            import time
            lock = threading.Lock()
            lock.acquire()
            def naps():
                for i in range(40):
                    time.sleep(0.005)  # naps
                lock.release()
            def waits():
                lock.acquire()  # waits
            def counts():
                for i in range(3_000_000):
                    pass
            def never():
                threading.Event().wait()
            threading.Thread(target=never, daemon=True, name="never").start()
            begin()
            threads = [threading.Thread(target=f) for f in (naps, waits, counts)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            end()
            """
        )
        found = json.loads(one.whole())
        self.assertEqual(found["probes"]["lost_stacks"], 0)
        self.assertEqual(found["probes"]["lost_sums"], 0)
        self.assertEqual(len(found["threads"]), 5)
        for thread in found["threads"]:
            parts = [thread[name + "_ns"] for name in ("on_cpu", "sleeping", "disk", "runnable", "other")]
            self.assertEqual(sum(parts), thread["lived_ns"], thread)
            self.assertTrue(all(part >= 0 for part in parts), thread)
            self.assertLessEqual(thread["lived_ns"], found["window_ns"] + 1_000_000_000)
        main = next(thread for thread in found["threads"] if thread["thread"] == one.program.pid)
        whole = [thread for thread in found["threads"] if thread["lived_ns"] >= found["window_ns"]]
        # What began and ended in the window lived for less.
        self.assertEqual(len(whole), 2)
        self.assertIn(main, whole)
        never = next(thread for thread in whole if thread is not main)
        self.assertEqual((never["on_cpu_ns"], never["sleeping_ns"]), (0, never["lived_ns"]))
        # Waits of all threads are what threads did not run.
        off = sum(thread["lived_ns"] - thread["on_cpu_ns"] for thread in found["threads"])
        self.assertEqual(sum(row["total_ns"] for row in found["waits"]), off)
        # The interpreter calls a function in other ways when it has got to know it: several stacks, one line.
        sleeps = [
            row
            for row in found["waits"]
            if f"naps:{self.line_of('# naps')}" in names(row)
            and row["for"].startswith("time to pass")
            and row["reason"] == "sleeping"
        ]
        # One that lost its core before it slept, and was to wake by then, did not sleep.
        self.assertIn(sum(row["count"] for row in sleeps), range(1, 41))
        naps = [row for row in found["waits"] if f"naps:{self.line_of('# naps')}" in names(row)]
        self.assertGreaterEqual(sum(row["total_ns"] for row in naps), 40 * 4_000_000)
        waits = next(
            row
            for row in found["waits"]
            if f"waits:{self.line_of('# waits')}" in names(row) and row["for"] == "a lock or another thread (futex)"
        )
        self.assertEqual(waits["reason"], "sleeping")
        self.assertGreater(waits["total_ns"], sum(row["total_ns"] for row in sleeps) // 4)

    def test_the_job_is_told_by_the_device_it_waits_for(self):
        one = self.work("all")
        one.words[1] = "offcpu"
        found = json.loads(one.whole())
        waits = [row for row in found["waits"] if row["for"] == "the device (cuCtxSynchronize)"]
        self.assertIn(sum(row["count"] for row in waits if row["reason"] == "sleeping"), range(1, 5))

    def test_what_is_printed(self):
        one = self.work("all")
        one.words[1] = "offcpu"
        one.words[one.words.index("json")] = "text"
        text = one.whole()
        self.assertIn("threads: on a core and the waits sum to the time that a thread lived", text)
        self.assertIn("for the device (cuCtxSynchronize) (sleeping)", text)
        one = self.work("all")
        one.words[1] = "offcpu"
        one.words[one.words.index("json")] = "folded"
        self.assertRegex(one.whole(), r"(?m)^.*_start .*;main \(gpu_program\);.*\[sleeping: the device .*\] \d+$")

    def test_bad_usage(self):
        for words, code, what in (
            (["--pid", "4194300"], 1, "there is no process 4194300"),
            ([], 2, "--pid is required"),
            (["--pid", "1", "--seconds", "-1"], 2, "--seconds"),
        ):
            ran = subprocess.run([AGENT, "offcpu", *words], capture_output=True, text=True, check=False)
            self.assertEqual((ran.returncode, ran.stdout), (code, ""))
            self.assertIn(what, ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=["snoop_test", *sys.argv[2:]])
