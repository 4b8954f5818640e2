"""What the program does grows in proportion to what it is given: more steps, ranks, process groups, streams or names.

Work is counted and not timed: valgrind counts the instructions of every function, whatever the machine does beside. Each job is made in
three sizes, each twice the one before. The exponent of a function is the logarithm (of base 2) of how many times more it does in the
largest than in the middle one: 1 is linear, 2 quadratic. No function that has 0.4 % of the work may have one of more than 1.5, and the
whole none of more than 1.1. So what is quadratic is seen long before it is felt: at ten times the size it would have 4 % of the work."""


import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import program
from waiting import LIMIT_S

MOST = 1.5
MOST_OF_ALL = 1.1
LEAST_SHARE = 0.004
# Whole numbers are packed by blocks of 4,096: in these sizes one block becomes three.
BY_BLOCKS = ("rankscope::PackedInts::BlockOf(", "rankscope::PackedInts::Block::At(")
COST = re.compile(r"^[+\-*0-9]\S* (\d+)$")
FUNCTION = re.compile(r"^(c?)fn=\((\d+)\)(?: (.*))?$")


def work_by_function(*arguments):
    """Instructions of each function by itself, as callgrind counts them."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program.BINARY, *arguments]
        done = subprocess.run(command, capture_output=True, check=False, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        return parse(out)


def parse(path):
    names, counts = {}, {}
    current, is_call = None, False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if found := FUNCTION.match(line.rstrip("\n")):
                is_called, number, name = found.groups()
                if name:
                    names[number] = name
                if not is_called:
                    current = number
            elif line.startswith("calls="):
                is_call = True
            elif found := COST.match(line):
                # Behind a call stands what was called, which has its own lines.
                if not is_call:
                    counts[current] = counts.get(current, 0) + int(found[1])
                is_call = False
    by_name = {}
    for number, count in counts.items():
        name = names.get(number, number)
        by_name[name] = by_name.get(name, 0) + count
    return by_name


def exponents(counts):
    """{function: exponent} of those with a share of the work in the largest of three counts, and the exponent of all."""
    total = [sum(count.values()) for count in counts]
    found = {}
    for name, most in counts[2].items():
        before = counts[1].get(name, 0)
        # One that the smaller job does not have is not on its way; the whole tells of it.
        if any(one in name for one in BY_BLOCKS):
            continue
        if most >= LEAST_SHARE * total[2] and before > 0:
            found[name] = math.log2(most / before)
    return found, math.log2(total[2] / total[1])


def simulated(folder, *arguments):
    program.run("simulate", folder, *arguments)
    return folder


def by_hand(folder, streams, names, kernels):
    """A rank with four steps, each of so many kernels, which go round over streams and names."""
    os.makedirs(folder)
    events, ts = [], 0

    def add(cat, name, tid, begin, dur, **args):
        pid = 0 if cat == "kernel" else 1
        events.append(
            {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": begin, "dur": dur, "args": args}
        )

    number = 0
    for step in range(4):
        begin = ts
        for i in range(kernels):
            number += 1
            stream = 7 + i % streams
            add("cpu_op", f"aten::op{i % names}", 1, ts, 4, **{"External id": number})
            add("cuda_runtime", "cudaLaunchKernel", 1, ts + 1, 2, correlation=number, **{"External id": number})
            add("kernel", f"kernel_{i % names}", stream, ts + 6, 3, correlation=number, stream=stream, device=0)
            ts += 5
        add("user_annotation", f"ProfilerStep#{step}", 1, begin, ts - begin)
    with open(os.path.join(folder, "rank0.json"), "w", encoding="utf-8") as file:
        json.dump({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": events}, file)
    return folder


@unittest.skipUnless(shutil.which("valgrind"), "valgrind, which counts instructions, is not here")
class Work(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def expect_linear(self, make, sizes, *command):
        counts = []
        for i, arguments in enumerate(sizes):
            job = make(os.path.join(self.folder, str(i)), *arguments)
            counts.append(work_by_function(*command, job, "--no-cache", "--format", "json", "--jobs", "1"))
        found, of_all = exponents(counts)
        self.assertGreater(len(found), 5, "the functions of the program are known")
        self.assertEqual({name: round(one, 2) for name, one in found.items() if one > MOST}, {})
        self.assertLess(of_all, MOST_OF_ALL)

    def test_steps(self):
        sizes = [("--ranks", "2", "--steps", str(n), "--events", str(550 * n)) for n in (8, 16, 32)]
        self.expect_linear(simulated, sizes, "analyze")

    def test_ranks(self):
        sizes = [("--ranks", str(n), "--steps", "2", "--events", "1500") for n in (4, 8, 16)]
        self.expect_linear(simulated, sizes, "analyze")

    def test_process_groups(self):
        sizes = [("--job", "3d", "--ranks", str(n), "--steps", "2", "--events", "2500") for n in (8, 16, 32)]
        self.expect_linear(simulated, sizes, "analyze")

    def test_streams(self):
        self.expect_linear(by_hand, [(n, 8, 8 * n) for n in (16, 32, 64)], "analyze")

    def test_names(self):
        self.expect_linear(by_hand, [(2, n, 2 * n) for n in (100, 200, 400)], "analyze")

    def test_the_queue_of_each_stream(self):
        self.expect_linear(by_hand, [(n, 8, 8 * n) for n in (16, 32, 64)], "table", "queue_length_series")


class Counting(unittest.TestCase):
    def test_what_is_quadratic_is_found(self):
        counts = [{"linear": 1000 * n, "quadratic": n * n, "sort": int(300 * n * math.log2(n))} for n in (16, 32, 64)]
        found, of_all = exponents(counts)
        self.assertEqual([name for name, one in found.items() if one > MOST], ["quadratic"])
        self.assertAlmostEqual(found["linear"], 1)
        self.assertLess(of_all, MOST_OF_ALL + 0.1)

    def test_costs_of_what_is_called_are_not_the_callers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "counts")
            with open(path, "w", encoding="utf-8") as file:
                file.write(
                    "events: Ir\n\nfn=(1) main\n0 5\ncfn=(2) work\ncalls=1 0\n0 700\n+3 6\n\nfn=(2)\n0 600\n* 100\n\nfn=(1)\n-1 1\n"
                )
            self.assertEqual(parse(path), {"main": 12, "work": 700})


if __name__ == "__main__":
    unittest.main(argv=["work_test"])
