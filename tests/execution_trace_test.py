"""Execution traces beside Kineto traces: what both say together is what the whole trace said (reference/write_execution_trace.py), ops
join as HTA joins them, and times are those of a few lines of Python over the same files."""

import collections
import json
import os
import shutil
import tempfile
import unittest

import program
import read_formats
from write_execution_trace import read_json, split

PAIRS = {
    "et": ("linear_kineto.json.gz", "linear_et.json.gz"),
    "hta/execution_trace": ("benchmark_simple_add_trace.json.gz", "benchmark_simple_add_et.json.gz"),
}


def query(path, sql, *options):
    out, _ = program.run("query", path, sql, "--format", "json", *options)
    return json.loads(out)["rows"]


class SplitJob(unittest.TestCase):
    """A simulated job of two tensor groups, whose traces say everything, and the same in two files for each rank."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.whole = os.path.join(cls.temporary.name, "whole")
        program.run(
            "simulate",
            cls.whole,
            "--job",
            "3d",
            "--ranks",
            "4",
            "--layout",
            "tp=2,pp=1,dp=2",
            "--steps",
            "2",
            "--events",
            "6000",
        )

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def split(self, name, **how):
        folder = os.path.join(self.temporary.name, name)
        os.makedirs(folder)
        for rank in range(4):
            moved = split(
                os.path.join(self.whole, f"rank{rank}.pt.trace.json.gz"),
                os.path.join(folder, f"rank{rank}.pt.trace.json.gz"),
                os.path.join(folder, f"execution_{rank}.json"),
                **how,
            )
            self.assertGreater(moved, 100)
        return folder

    def test_both_say_what_the_whole_trace_says(self):
        for name, how in (("list", {}), ("flat", {"flat": True}), ("order", {"other_ids": 1})):
            with self.subTest(name):
                folder = self.split(name, **how)
                for sql in (
                    "SELECT rank, event, name, shapes, dtypes FROM ops ORDER BY ALL",
                    "SELECT ranks, op, family, shapes, dtype, flops, count FROM analysis.roofline ORDER BY ALL",
                ):
                    whole = query(self.whole, sql)
                    self.assertGreater(sum(row[3] is not None for row in whole), 20)
                    self.assertEqual(query(folder, sql), whole)
                ranks = query(folder, "SELECT count(DISTINCT rank) FROM ops")
                self.assertEqual(ranks, [[4]], "an execution trace is no rank")
                if name == "list":
                    layout = "SELECT dimension, degree, source FROM analysis.layout ORDER BY ALL"
                    self.assertEqual(query(folder, layout), query(self.whole, layout))

    def test_without_it_shapes_are_unknown_and_not_zero(self):
        folder = self.split("alone")
        for rank in range(4):
            os.remove(os.path.join(folder, f"execution_{rank}.json"))
        self.assertEqual(
            query(folder, "SELECT count(*) FROM ops WHERE shapes IS NOT NULL OR dtypes IS NOT NULL"), [[0]]
        )

    def test_the_cache_tells_pairs_from_single_traces(self):
        folder = self.split("cache")
        path = os.path.join(folder, "rank0.pt.trace.json.gz")
        execution = os.path.join(folder, "execution_0.json")
        known = "SELECT count(*) FROM ops WHERE shapes IS NOT NULL"
        self.assertEqual(query(path, known), [[0]])
        with_both = query(folder, known, "--ranks", "0")
        self.assertGreater(with_both[0][0], 100)
        self.assertEqual(query(path, known), [[0]])
        # Another content of the execution trace is another key.
        with open(execution, encoding="utf-8") as file:
            content = json.load(file)
        content["nodes"] = content["nodes"][: len(content["nodes"]) // 2]
        with open(execution, "w", encoding="utf-8") as file:
            json.dump(content, file)
        self.assertLess(query(folder, known, "--ranks", "0")[0][0], with_both[0][0])

    def test_another_run_is_refused(self):
        folder = self.split("wrong", wrong_names=True)
        self.assertEqual(query(folder, "SELECT count(*) FROM ops WHERE shapes IS NOT NULL"), [[0]])
        out, _ = program.run("trace", "info", folder)
        self.assertEqual(out.count("is of another run and was left out"), 4)

    def test_of_another_process_it_stands_alone(self):
        folder = self.split("process")
        shutil.move(
            os.path.join(folder, "rank0.pt.trace.json.gz"), os.path.join(self.temporary.name, "rank0.pt.trace.json.gz")
        )
        out, error = program.run("table", "time_breakdown", folder, "--format", "json")
        self.assertEqual({row[0] for row in json.loads(out)["rows"]}, {1, 2, 3})
        self.assertIn("execution_0.json: not a trace: this is an execution trace", error)

    def test_it_may_be_cut_off(self):
        folder = self.split("cut")
        for rank in range(4):
            path = os.path.join(folder, f"execution_{rank}.json")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[: len(text) * rank // 3])
        known = dict(query(folder, "SELECT rank, count(shapes) FROM ops GROUP BY rank"))
        self.assertEqual(known[0], 0)
        self.assertTrue(0 < known[1] < known[2] < known[3], known)

    def test_alone(self):
        path = os.path.join(self.split("single"), "execution_0.json")
        _, error = program.run("analyze", path, expect=1)
        self.assertEqual(error.count("\n"), 1)
        self.assertIn("which has no times: these come from the Kineto trace of the same process and run", error)
        out, _ = program.run("trace", "info", path)
        for words in ("PyTorch execution trace, schema 1.1.1-chakra.0.0.4", "unknown      times", "process"):
            self.assertIn(words, out)


@unittest.skipUnless(os.path.isdir(os.path.join(program.REAL_TRACES, "et")), "no real traces beside the checkout")
class RealPairs(unittest.TestCase):
    def test_time_breakdown(self):
        """Kernels, copies and their union, of the pair and of an independent reader."""
        for folder, (kineto, _) in PAIRS.items():
            with self.subTest(folder):
                path = os.path.join(program.REAL_TRACES, folder)
                events = read_json(os.path.join(path, kineto))["traceEvents"]
                work = collections.defaultdict(list)
                for event in events:
                    if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
                        begin = round(event["ts"] * 1000)
                        work[event["args"]["device"], event["cat"] == "kernel"].append(
                            (begin, begin + round(event["dur"] * 1000))
                        )
                out, _ = program.run("table", "time_breakdown", path, "--format", "json")
                table = json.loads(out)
                rows = [dict(zip([column["name"] for column in table["columns"]], row)) for row in table["rows"]]
                for device in {device for device, _ in work}:
                    ours = [row for row in rows if row["device"] == device]
                    busy = sum(row["compute_ns"] + row["exposed_communication_ns"] for row in ours)
                    self.assertEqual(busy, read_formats.covered(work[device, True]))
                    self.assertEqual(
                        busy + sum(row["exposed_copy_ns"] for row in ours),
                        read_formats.covered(work[device, True] + work[device, False]),
                    )

    def test_device_time_by_shape(self):
        """Device time of addmm of each shape: nodes of the file and kernels below their ops, by hand."""
        path = os.path.join(program.REAL_TRACES, "et")
        rows = query(
            path, "SELECT shapes, count FROM analysis.roofline WHERE op = 'aten::addmm' AND shapes IS NOT NULL"
        )
        nodes = read_json(os.path.join(path, "linear_et.json.gz"))["nodes"]
        shapes = collections.Counter(
            json.dumps(node["input_shapes"], separators=(",", ":")) for node in nodes if node["name"] == "aten::addmm"
        )
        self.assertEqual({shape: count for shape, count in rows}, dict(shapes))

    def test_joined_as_hta_joins(self):
        """HTA's correlate_execution_trace: the node of each op by its external id."""
        recorded = os.path.join(
            program.REAL_TRACES, "..", "expected", "hta", "execution_trace", "execution_trace_correlation.json"
        )
        with open(recorded, encoding="utf-8") as file:
            result = json.load(file)["result"]

        def of_tensors(shapes, types):
            return [
                shape if kind.startswith(("Tensor", "GenericList[Tensor")) else [] for shape, kind in zip(shapes, types)
            ]

        folder = os.path.join(program.REAL_TRACES, "hta", "execution_trace")
        nodes = {node["id"]: node for node in read_json(os.path.join(folder, PAIRS["hta/execution_trace"][1]))["nodes"]}
        theirs = {}
        for row in result["rows"]:
            row = dict(zip(result["columns"], row))
            node = nodes[int(row["et_node"])]
            theirs[row["external_id"]] = (row["et_node_name"], of_tensors(row["input_shapes"], node["input_types"]))
        ours = {
            number: (name, json.loads(shapes))
            for number, name, shapes in query(folder, "SELECT external_id, name, shapes FROM ops")
        }
        self.assertEqual(len(ours), 28)
        self.assertEqual(ours, {number: theirs[number] for number in ours})
        # The table of the same has nodes and schemas too.
        table = program.table("hta.correlate_execution_trace", folder)
        found = {
            row["external_id"]: (row["index"], row["et_node"], row["et_node_name"], row["op_schema"]) for row in table
        }
        recorded = [dict(zip(result["columns"], row)) for row in result["rows"]]
        self.assertEqual(len(table), 36)
        self.assertEqual(
            found,
            {
                row["external_id"]: (row["index"], int(row["et_node"]), row["et_node_name"], row["op_schema"])
                for row in recorded
            },
        )
        # The rest are annotations, which have no inputs.
        self.assertEqual([shapes for number, (_, shapes) in theirs.items() if number not in ours], [[]] * 8)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
