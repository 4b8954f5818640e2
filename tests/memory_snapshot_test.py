"""`rankscope memory` as a user meets it: generated snapshots and real ones (../shared, where there are any) against an
independent reader, what goes wrong, and the page's data."""

import contextlib
import glob
import gzip
import json
import os
import pickle
import re
import sqlite3
import tempfile
import unittest

import program
import read_snapshot
import write_snapshot
from write_snapshot import MIB, Allocator, frame

REAL = sorted(glob.glob(os.path.join(program.REAL_TRACES, "memory", "*.pickle.gz")))
TIMELINE = os.path.join(program.REAL_TRACES, "hta", "memory_analysis", "memory_timeline.raw.gz")


def table(name, *paths, options=()):
    out, _ = program.run("memory", *paths, "--table", name, "--format", "json", *options)
    made = json.loads(out)
    names = [column["name"] for column in made["columns"]]
    return [dict(zip(names, row)) for row in made["rows"]]


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.temporary.name, name)

    def write(self, name, data):
        if not isinstance(data, bytes):
            data = pickle.dumps(data)
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def check(self, path, device=0):
        """All tables of a device are the reference's sums."""
        expected = read_snapshot.describe(path, device)
        chosen = ("--device", str(device))
        rows = table("snapshot_timeline", path, options=chosen)
        changing = (
            "alloc",
            "free_requested",
            "free_completed",
            "segment_alloc",
            "segment_free",
            "segment_map",
            "segment_unmap",
            "oom",
        )
        wanted = [
            level for level in expected["levels"] if level[0] < 0 or expected["events"][level[0]]["action"] in changing
        ]
        self.assertEqual(
            [(row["event"], row["allocated_bytes"], row["active_bytes"], row["reserved_bytes"]) for row in rows], wanted
        )
        (summary,) = table("snapshot_summary", path, options=chosen)
        self.assertEqual(summary["peak_active_bytes"], expected["peak_bytes"])
        self.assertEqual(summary["disagreeing_bytes"], 0)
        self.assertEqual(summary["reserved_bytes"], sum(one["total_size"] for one in expected["segments"]))
        blocks = [block for one in expected["segments"] for block in one["blocks"]]
        self.assertEqual(
            summary["rounding_bytes"],
            sum(block["size"] - block["requested_size"] for block in blocks if block["state"] == "active_allocated"),
        )
        idle = [one for one in expected["segments"] if all(block["state"] == "inactive" for block in one["blocks"])]
        self.assertEqual(summary["idle_segment_bytes"], sum(one["total_size"] for one in idle))
        unused = [block["size"] for block in blocks if block["state"] == "inactive"]
        self.assertEqual(summary["split_bytes"], sum(unused) - summary["idle_segment_bytes"])
        self.assertEqual(summary["largest_free_bytes"], max(unused, default=0))
        names = ("peak_bytes", "peak_count", "end_bytes", "end_count", "allocated_bytes", "allocations", "before_bytes")
        by_stack = {}
        for row in table("snapshot_stacks", path, options=chosen):
            # Stacks that differ in folders alone have one text.
            sums = by_stack.setdefault(row["stack"] or "", dict.fromkeys(names, 0))
            for name in names:
                sums[name] += row[name]
        self.assertEqual(
            by_stack, {key: {name: sums[name] for name in names} for key, sums in expected["by_stack"].items()}
        )
        for name in ("snapshot_categories", "snapshot_stacks"):
            self.assertEqual(
                sum(row["peak_bytes"] for row in table(name, path, options=chosen)), expected["peak_bytes"]
            )
        self.assertEqual(
            sum(row["bytes"] for row in table("snapshot_peak", path, options=chosen)), expected["peak_bytes"]
        )
        segments = table("snapshot_segments", path, options=chosen)
        self.assertEqual(len(segments), len(expected["segments"]))
        for row in segments:
            self.assertEqual(
                row["bytes"], row["requested_bytes"] + row["rounding_bytes"] + row["pending_bytes"] + row["free_bytes"]
            )
        self.assertEqual(
            sum(row["bytes"] for row in table("snapshot_blocks", path, options=chosen)), summary["reserved_bytes"]
        )

    def test_every_protocol_and_both_writers_say_the_same(self):
        made = write_snapshot.small_program()
        texts = []
        for name, data in [(f"protocol{protocol}", pickle.dumps(made, protocol)) for protocol in range(2, 6)] + [
            ("cpp", write_snapshot.cpp_pickle(made))
        ]:
            path = self.write(name, data)
            for device in (0, 1):
                self.check(path, device)
            texts.append(
                [
                    table(one, path)
                    for one in ("snapshot_allocations", "snapshot_oom", "snapshot_blocks", "snapshot_fragmentation")
                ]
            )
        for text in texts[1:]:
            self.assertEqual(text, texts[0])

    def test_a_full_ring_buffer_begins_with_what_was_before(self):
        for keep in range(1, 12):
            self.check(self.write(f"kept{keep}", write_snapshot.small_program(keep=keep)))

    def test_odd_orders_of_a_pickle(self):
        made = write_snapshot.small_program()
        expected = [
            table(name, self.write("plain", made))
            for name in ("snapshot_timeline", "snapshot_allocations", "snapshot_blocks")
        ]
        # Events, blocks and segments that are first written elsewhere, the last first; traces before segments.
        odd = {
            "elsewhere": [made["device_traces"][0][::-1], made["segments"][::-1]],
            "device_traces": made["device_traces"],
            "segments": made["segments"],
        }
        path = self.write("odd", odd)
        self.assertEqual(
            [table(name, path) for name in ("snapshot_timeline", "snapshot_allocations", "snapshot_blocks")], expected
        )
        twice = dict(made, device_traces=[made["device_traces"][0]] * 2)
        _, error = program.run("memory", self.write("twice", twice), expect=1)
        self.assertIn("an event is listed twice", error)
        shared = dict(made, segments=[dict(one) for one in made["segments"]])
        for one in shared["segments"]:
            one["blocks"] = made["segments"][0]["blocks"]
        _, error = program.run("memory", self.write("shared", shared), expect=1)
        self.assertIn("a block is in two segments", error)
        # A frame that gets its line later.
        late = b"\x80\x02}q\x00(X\x04\0\0\0nameX\x01\0\0\0fX\x08\0\0\0filenameX\x01\0\0\0guX\x04\0\0\0lineK\x01s."
        _, error = program.run("memory", self.write("late_line", late), expect=1)
        self.assertIn("byte 52: a dict or list is added to after it was complete", error)

    def test_a_large_history(self):
        path = self.path("large")
        write_snapshot.write_large(path, 30_000, 7)
        self.check(path)

    def test_a_history_that_fits_is_not_doubted(self):
        allocator = Allocator()
        held = [allocator.alloc(2 * MIB, [frame("f", "/home/user/train.py", 1)]) for _ in range(10)]
        for address in held:
            allocator.free(address)
        path = self.write("all_freed", write_snapshot.snapshot([allocator]))
        (summary,) = table("snapshot_summary", path)
        self.assertEqual(
            (summary["peak_active_bytes"], summary["active_bytes"], summary["disagreeing_bytes"]), (20 * MIB, 0, 0)
        )
        self.assertNotIn("does not fit", program.run("memory", path)[0])

    def test_expandable_segments_are_advised_where_there_are_none(self):
        allocator = Allocator()
        held = [allocator.alloc(MIB, [frame("f", "/home/user/train.py", 1)]) for _ in range(20)]
        for address in held[::2]:
            allocator.free(address)
        made = write_snapshot.snapshot([allocator])
        self.assertIn(
            "expandable_segments:True", re.sub(r"\s+", "", program.run("memory", self.write("split", made))[0])
        )
        for one in made["segments"]:
            one["is_expandable"] = True
        for settings in ("with", "without"):
            if settings == "without":
                del made["allocator_settings"]
            path = self.write(f"expandable_{settings}", made)
            self.assertTrue(table("snapshot_summary", path)[0]["expandable_segments"])
            text = re.sub(r"\s+", " ", program.run("memory", path)[0])
            self.assertIn("lie between blocks in use", text)
            self.assertNotIn("expandable_segments:True", text)

    def test_timelines_of_levels(self):
        """What export_memory_timeline writes to FILE.json: times in us, and what each category holds then."""
        levels = [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 0, 20, 0, 0, 0, 0, 0], [0, 100, 0, 0, 0, 0, 0, 0, 0]]
        data = json.dumps([[1000, 1000, 1005], levels]).encode()
        for path in (self.write("levels.json", data), self.write("levels.json.gz", gzip.compress(data))):
            rows = {row["category"]: row for row in table("timeline_categories", path)}
            self.assertEqual((rows["parameter"]["before_bytes"], rows["parameter"]["peak_bytes"]), (100, 100))
            self.assertEqual(
                (rows["input"]["before_bytes"], rows["input"]["peak_bytes"], rows["input"]["end_bytes"]), (0, 20, 0)
            )
            self.assertEqual(sum(list(table("hta.memory_timeline", path)[-1].values())[1:]), 100)
            _, error = program.run("analyze", path, expect=1)
            self.assertIn("rankscope memory FILE", error)

    def test_databases_are_told(self):
        for name, statement, sentence in (
            (
                "torch.db",
                "CREATE TABLE device_traces (id INTEGER, time_us INTEGER)",
                "torch.cuda.memory._dump_snapshot(FILE)",
            ),
            ("leaks.db", "CREATE TABLE leaks_dump (id INTEGER)", "MindStudio"),
            ("other.db", "CREATE TABLE t (id INTEGER)", "a SQLite database"),
        ):
            with contextlib.closing(sqlite3.connect(self.path(name))) as database:
                database.execute(statement)
                database.commit()
            _, error = program.run("memory", self.path(name), expect=1)
            self.assertIn(sentence, error)
            if name != "other.db":
                _, error = program.run("analyze", self.path(name), expect=1)
                self.assertIn(sentence, error)

    def test_packed_and_the_list_of_segments_alone(self):
        made = write_snapshot.small_program()
        packed = self.write("small.pickle.gz", gzip.compress(pickle.dumps(made)))
        self.check(packed)
        out, _ = program.run("memory", self.write("segments", made["segments"]))
        self.assertIn("the snapshot has no history", re.sub(r"\s+", " ", out))

    def test_real_snapshots(self):
        if not REAL:
            self.skipTest("no real snapshots beside the checkout")
        for path in REAL:
            self.check(path)

    def test_real_memory_timeline(self):
        if not os.path.exists(TIMELINE):
            self.skipTest("no real memory timeline beside the checkout")
        rows = table("hta.memory_timeline", TIMELINE)
        self.assertEqual([tuple(row.values()) for row in rows], read_snapshot.timeline(TIMELINE))
        self.assertEqual(list(rows[0])[1:], list(read_snapshot.CATEGORIES))
        out, _ = program.run("memory", TIMELINE)
        self.assertRegex(
            out, r"\Aat most [\d.]+ GB are held at once; \d+ MB existed before the profile\n  - at the peak: activation"
        )

    def test_out_of_memory_says_why(self):
        place = [frame("attention", "model.py", 7)]
        # 20 MiB in five pieces of 4, of which every other is freed: 12 unused, 4 in one piece.
        allocator = Allocator()
        pieces = [allocator.alloc(4 * MIB, [frame("keep", "model.py", 3)]) for _ in range(5)]
        for piece in pieces[::2]:
            allocator.free(piece)
        allocator.oom(8 * MIB, MIB, place)
        path = self.write("fragmented", write_snapshot.snapshot([allocator]))
        (row,) = table("snapshot_oom", path)
        self.assertEqual(
            (row["cause"], row["cached_bytes"], row["largest_gap_bytes"], row["missing_bytes"]),
            ("fragmentation", 12 * MIB, 4 * MIB, 0),
        )
        out, _ = program.run("memory", path)
        self.assertIn("set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", re.sub(r"\s+", " ", out))
        # The setting is on already.
        out, _ = program.run("memory", self.write("expandable", write_snapshot.snapshot([allocator], expandable=True)))
        self.assertIn("though segments are expandable", re.sub(r"\s+", " ", out))
        allocator.events[-1]["size"] = 80 * MIB
        path = self.write("full", write_snapshot.snapshot([allocator]))
        (row,) = table("snapshot_oom", path)
        self.assertEqual(
            (row["cause"], row["missing_bytes"], row["holder"], row["holder_bytes"]),
            ("held", 67 * MIB, "keep (model.py:3)", 8 * MIB),
        )
        out, _ = program.run("memory", path, "--device-memory", "100M")
        self.assertIn("most of the device is held by others than this process", re.sub(r"\s+", " ", out))

    def test_what_grew(self):
        allocator = Allocator()
        leak, steady = [frame("append", "log.py", 5)], [frame("weights", "model.py", 2)]
        allocator.alloc(MIB, steady)
        allocator.alloc(MIB, leak)
        early = self.write("early", write_snapshot.snapshot([allocator]))
        temporary = allocator.alloc(2 * MIB, steady)
        for _ in range(3):
            allocator.alloc(MIB, leak)
        allocator.free(temporary)
        late = self.write("late", write_snapshot.snapshot([allocator], keep=4))
        first, second = table("snapshot_leaks", early, late)
        self.assertEqual(
            (first["place"], first["growth_bytes"], first["new_count"], first["kept_bytes"]),
            ("append (log.py:5)", 3 * MIB, 3, MIB),
        )
        self.assertEqual((second["growth_bytes"], second["kept_bytes"], second["new_bytes"]), (0, MIB, 0))
        out, _ = program.run("memory", early, late)
        self.assertIn(
            "the later snapshot holds 3.15 MB more; append (log.py:5) grew most: by 3.15 MB to 4.19 MB, 3 allocations of them new",
            re.sub(r"\s+", " ", out),
        )
        _, error = program.run("memory", late, early, expect=2)
        self.assertIn("is older than", error)
        out, _ = program.run("memory", early, early)
        self.assertIn("holds as much as the first", out)

    def test_bad_files_get_one_sentence(self):
        whole = pickle.dumps(write_snapshot.small_program())

        class Evil:
            def __reduce__(self):
                return os.system, ("echo harm",)

        cases = {
            "evil": (
                pickle.dumps({"segments": [Evil()]}),
                r"byte \d+: the pickle asks to make an object or to call a function \(opcode STACK_GLOBAL\), and rankscope carries nothing out: a memory snapshot is plain data",
            ),
            "cut": (whole[:1000], r"byte 1000: the pickle ends before its end mark: the file was cut off"),
            "cut.gz": (gzip.compress(whole)[:-40], r"byte \d+: the pickle ends early: .*; write it again"),
            "other": (pickle.dumps({"a": 1}), r"a pickle, but no memory snapshot"),
            "empty": (pickle.dumps({"segments": [], "device_traces": [[], []]}), r"an empty snapshot"),
            "text": (b"hello", r"no memory snapshot \(a pickle"),
            "json": (b'{"segments": [], "device_traces": []}', r"a memory snapshot as JSON"),
            "raw": (
                b"[[-1, 1, 5, 7], [3, 2, 5",
                r"byte 23: the memory timeline is cut off|byte 24: the memory timeline is cut off",
            ),
            "raw2": (b"[[-1, 1, 5, 7], [3, 2, 5, 9]]", r"byte 28: not a row .* no category"),
        }
        for name, (data, sentence) in cases.items():
            with self.subTest(name):
                path = self.write(name, data)
                out, error = program.run("memory", path, expect=1)
                self.assertEqual(out, "")
                self.assertRegex(error, rf"\Arankscope: {re.escape(path)}: ({sentence})[^\n]*\n\Z")

    def test_misuse_is_told(self):
        path = self.write("fine", write_snapshot.small_program())
        for arguments, sentence in (
            (("--table", "snapshot_peaks"), "did you mean snapshot_peak?"),
            (("--table", "snapshot_leaks"), "is of two snapshots"),
            (("--table", "hta.memory_timeline"), "is of a memory timeline"),
            (("--format", "csv"), "needs --table"),
            (("--device", "5"), "nothing of device 5"),
        ):
            _, error = program.run("memory", path, *arguments, expect=(1, 2))
            self.assertIn(sentence, error)
        for command in (("analyze",), ("trace", "info")):
            _, error = program.run(*command, path, expect=1)
            self.assertIn("rankscope memory FILE", error)
        out, _ = program.run("table", "snapshot_peak", path, "--format", "csv")
        self.assertTrue(out.startswith("device,category,place,bytes"))
        out, _ = program.run("list", "snapshot_oom")
        self.assertIn("rankscope memory snapshot.pickle --table snapshot_oom", out)

    def test_names_are_data_in_the_page_and_in_the_terminal(self):
        allocator = Allocator()
        allocator.alloc(MIB, [frame("</script><script>alert(1)</script>", "\x1b[31m<b>x.py", 1)])
        path = self.write("hostile", write_snapshot.snapshot([allocator]))
        page = self.path("page.html")
        program.run("memory", path, "--format", "html", "-o", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("</script>"), 2)
        self.assertNotIn("alert(1)</script>", text)
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
        self.assertEqual(data["tables"]["snapshot_summary"]["rows"], 1)
        self.assertLess(len(text) - len(json.dumps(data)), 400_000)
        out, _ = program.run("memory", path)
        self.assertNotIn("\x1b[31m", out)

    def test_json_is_what_the_text_says(self):
        path = self.write("small", write_snapshot.small_program())
        made = json.loads(program.run("memory", path, "--format", "json")[0])
        text = re.sub(r"\s+", " ", program.run("memory", path)[0])
        self.assertEqual(made["schema"], "rankscope.memory/1")
        self.assertEqual(len(made["devices"]), 2)
        for device in made["devices"]:
            for line in (device["headline"], *device["reasons"]):
                self.assertIn(line, text)
        self.assertEqual(len(made["tables"]["snapshot_summary"]["rows"]), 2)


if __name__ == "__main__":
    unittest.main(argv=["memory_snapshot_test.py"])
