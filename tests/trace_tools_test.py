"""The trace tools against Python's own json, gzip and the zstd program: what they write reads back equal, tool by tool and composed,
on simulated jobs and on real traces where there are any; hostile files get one sentence; memory stays bounded."""

import collections
import glob
import gzip
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from decimal import Decimal

import program
from waiting import LIMIT_S

# Not traces of Kineto, or no traces at all.
FOREIGN = ("/nsys/", "/xplane/", "/memory/", "/whatif/", "/rocprofv3/", "_et.json")
# Larger ones are compared by hand: ALL_TRACES=1.
LARGEST = 1 << 40 if os.environ.get("ALL_TRACES") else 70_000
# Files of so many bytes have more pieces of 64 KB than split makes.
LARGE = 1_000_000
# Tables that tell of files, not of what is in them.
OF_FILES = {"captures", "data_quality"}


def real_traces():
    found = sorted(glob.glob(os.path.join(program.REAL_TRACES, "**", "*.json*"), recursive=True))
    return [path for path in found if not any(part in path for part in FOREIGN) and os.path.getsize(path) <= LARGEST]


def unpacked(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def load(path):
    """Numbers as they are spelled, repeated keys and order kept."""
    text = unpacked(path).decode("utf-8", "replace")
    spelled = {"parse_float": str, "parse_int": str, "object_pairs_hook": lambda pairs: pairs}
    return json.loads(text, strict=False, **spelled)


def parts(document):
    """(outer keys and values, events) of a trace."""
    if document and isinstance(document[0], tuple):
        outer = [(key, value) for key, value in document if key != "traceEvents"]
        events = [value for key, value in document if key == "traceEvents"]
        return sorted(outer, key=str), sum(events, [])
    return None, document


def tool(name, *arguments, expect=0):
    return program.run("trace", name, *arguments, expect=expect)[1]


def all_tables(*paths):
    """Every table that does not tell of files, as CSV."""
    listed, _ = program.run("list")
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
    tables = {}
    for name in names:
        if name in OF_FILES:
            continue
        done = subprocess.run(
            [program.BINARY, "table", name, *paths, "--format", "csv"],
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        tables[name] = done.stdout if done.returncode == 0 else done.returncode
    assert len(tables) > 80, "the list of tables is not read right"
    return tables


def small_files():
    """For a child: writing beyond 100 KB fails, as it does on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def fields(message):
    """(number, value) of a protobuf message: integers, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
            continue
        size = varint() if kind == 2 else {1: 8, 5: 4}[kind]
        assert at + size <= len(message), "a field reaches beyond its message"
        yield tag >> 3, message[at : at + size]
        at += size


def annotation(message, names):
    """(name, value) of a debug annotation, as JSON."""
    name = value = None
    entries, items = [], []
    for number, field in fields(message):
        if number == 1:
            name = names[field]
        elif number == 2:
            value = bool(field)
        elif number == 3:
            value = field
        elif number == 4:
            value = field - (1 << 64 if field >> 63 else 0)
        elif number == 5:
            value = struct.unpack("<d", field)[0]
        elif number == 6:
            value = field.decode()
        elif number == 11:
            entries.append(annotation(field, names))
        elif number == 12:
            items.append(annotation(field, names)[1])
        else:
            raise AssertionError(f"unknown field {number}")
    if entries:
        value = dict(entries)
    elif items:
        value = items
    return name, value


def read_perfetto(path):
    """Slices and instants of a Perfetto trace as (category, name, begin, duration or None, arguments), its tracks' names, and its flows."""
    names, categories, arguments, tracks = {}, {}, {}, {}
    timed = []
    for order, (number, packet) in enumerate(fields(unpacked(path))):
        assert number == 1
        parts_of = dict(fields(packet))
        assert parts_of[10] == 1
        if 60 in parts_of:
            track = dict(fields(parts_of[60]))
            assert track[1] not in tracks, "a track is described once"
            tracks[track[1]] = track.get(2) or dict(fields(track[3]))[6]
            continue
        for kind, entry in fields(parts_of.get(12, b"")):
            entry = dict(fields(entry))
            {1: categories, 2: names, 3: arguments}[kind][entry[1]] = entry.get(2, b"").decode()
        event = list(fields(parts_of[11]))
        timed.append((parts_of[8], order, event))
    timed.sort(key=lambda one: one[:2])
    events, stacks, flows = [], {}, {}
    for ts, _, event in timed:
        single = dict(event)
        stack = stacks.setdefault(single[11], [])
        if single[9] == 2:
            begun = stack.pop()
            begun["dur"] = ts - begun["ts"]
            continue
        entry = {
            "cat": categories[single[3]] if 3 in single else None,
            "name": names[single[10]],
            "ts": ts,
            "dur": None,
            "track": single[11],
            "args": dict(annotation(field, arguments) for number, field in event if number == 4),
        }
        for number, field in event:
            if number in (47, 48):
                flows.setdefault(field, []).append((number, len(events)))
        events.append(entry)
        if single[9] == 1:
            stack.append(entry)
    assert all(not stack for stack in stacks.values()), "every slice ends"
    return events, tracks, flows


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.job = os.path.join(cls.folder, "job")
        program.run("simulate", cls.job, "--ranks", "3", "--steps", "4", "--events", "6000", "--stacks")
        cls.ranks = sorted(glob.glob(os.path.join(cls.job, "*.json.gz")))
        assert len(cls.ranks) == 3

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def fresh(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        return self.path(name)

    def assert_same(self, a, b):
        self.assertEqual(parts(load(a)), parts(load(b)), (a, b))

    def traces(self):
        return [self.ranks[1], *real_traces()]

    def test_convert_keeps_every_byte(self):
        for trace in self.traces():
            before = unpacked(trace)
            for name in ("c.json.zst", "c.json", "c.json.gz"):
                tool("convert", trace, "-o", self.path(name))
                self.assertEqual(unpacked(self.path(name)), before, (trace, name))

    def test_every_tool_undoes_itself(self):
        for trace in self.traces():
            tool("filter", trace, "-o", self.path("f.json.zst"))
            self.assert_same(trace, self.path("f.json.zst"))
            for number, how in enumerate(([], ["--size", "1M" if os.path.getsize(trace) > LARGE else "64K"])):
                pieces = self.fresh(f"pieces{number}")
                error = tool("split", trace, "-o", pieces, *how, expect=(0, 1))
                if "it has no steps" in error:
                    continue
                tool("merge", pieces, "-o", self.path("whole.json"))
                self.assert_same(trace, self.path("whole.json"))
            tool("merge", trace, "-o", self.path("m.json.gz"))
            tool("filter", self.path("m.json.gz"), "-o", self.path("back.json"))
            self.assert_same(trace, self.path("back.json"))

    def test_merged_ranks_are_told_apart_and_read_back(self):
        merged = self.path("merged.json.gz")
        tool("merge", self.job, "-o", merged)
        document = json.loads(unpacked(merged))
        pids = {event["pid"] for event in document["traceEvents"]}
        part_of = [{pid for pid in pids if pid // 1000 == rank + 1} for rank in range(3)]
        self.assertEqual(set().union(*part_of), pids)
        ids = [
            {event["id"] for event in document["traceEvents"] if event["ph"] == "s" and event["pid"] in part}
            for part in part_of
        ]
        self.assertTrue(all(ids), "every rank has arrows")
        self.assertFalse(ids[0] & ids[1] | ids[1] & ids[2] | ids[0] & ids[2])
        names = {event["args"]["name"] for event in document["traceEvents"] if event["name"] == "process_name"}
        self.assertTrue(all(name.startswith("rank ") for name in names), names)
        # Clocks: collectives of all ranks end together on the merged line.
        self.assertEqual(all_tables(self.job), all_tables(merged))
        for rank, path in enumerate(self.ranks):
            tool("filter", merged, "--rank", str(rank), "-o", self.path("rank.json.gz"))
            self.assert_same(path, self.path("rank.json.gz"))
        info, _ = program.run("trace", "info", merged, "--format", "json")
        self.assertEqual([file["rank"] for file in json.loads(info)["files"]], [0, 1, 2])

    def test_clocks_are_aligned(self):
        """Rank 2's clock is set 5 ms ahead: merging takes that off, but for what single ends leave open."""
        shifted = self.fresh("shifted")
        os.mkdir(shifted)
        for path in self.ranks:
            document = json.loads(unpacked(path), parse_float=Decimal)
            if path == self.ranks[2]:
                document["baseTimeNanoseconds"] += 5_000_000
            with open(os.path.join(shifted, os.path.basename(path)[:-3]), "w", encoding="utf-8") as file:
                json.dump(document, file, default=float)
        tool("merge", shifted, "-o", self.path("a.json"))
        tool("merge", shifted, "--no-align", "-o", self.path("n.json"))
        aligned, raw = (json.loads(unpacked(self.path(name))) for name in ("a.json", "n.json"))
        clocks = program.table("clocks", self.job)
        was = {row["rank"]: row["offset_ns"] for row in clocks}
        for rank in range(3):
            part = aligned[f"rankscope.part.{rank}"]
            self.assertAlmostEqual(part["offset_ns"], was[rank] + (5_000_000 if rank == 2 else 0), delta=3000)
            self.assertEqual(raw[f"rankscope.part.{rank}"]["offset_ns"], 0)

    def test_composed(self):
        merged = self.path("composed.json.gz")
        tool("merge", self.job, "-o", merged)
        step = program.table("step_times", self.job)[1]["step"]
        # Filter the merged trace, or merge the filtered ones.
        tool("filter", merged, "--step", str(step), "--no-python", "-o", self.path("fm.json.gz"))
        filtered = self.fresh("filtered")
        os.mkdir(filtered)
        for path in self.ranks:
            tool(
                "filter", path, "--step", str(step), "--no-python", "-o", os.path.join(filtered, os.path.basename(path))
            )
        for rank, path in enumerate(self.ranks):
            tool("filter", self.path("fm.json.gz"), "--rank", str(rank), "-o", self.path("one.json"))
            self.assert_same(os.path.join(filtered, os.path.basename(path)), self.path("one.json"))
        # Split what was merged, and make it whole.
        pieces = self.fresh("merged_pieces")
        tool("split", merged, "-o", pieces)
        tool("merge", pieces, "-o", self.path("again.json.gz"))
        for rank, path in enumerate(self.ranks):
            tool("filter", self.path("again.json.gz"), "--rank", str(rank), "-o", self.path("one.json"))
            self.assert_same(path, self.path("one.json"))

    def test_composed_on_real_traces(self):
        """Filter, split, merge and convert one after the other: the whole is what it was, text and tables."""

        def filtered(pieces):
            folder = self.fresh(pieces + "_filtered")
            os.mkdir(folder)
            for piece in sorted(os.listdir(self.path(pieces))):
                tool("filter", os.path.join(self.path(pieces), piece), "-o", os.path.join(folder, piece))
            return folder

        for number, trace in enumerate(real_traces()):
            size = "1M" if os.path.getsize(trace) > LARGE else "64K"
            tool("convert", trace, "-o", self.path("c.json.zst"))
            tool("split", self.path("c.json.zst"), "-o", self.fresh("once"), "--size", size)
            tool("merge", filtered("once"), "-o", self.path("w.json"))
            tool("merge", self.path("w.json"), "-o", self.path("m.json.gz"))
            tool("split", self.path("m.json.gz"), "-o", self.fresh("twice"), "--size", size)
            tool("merge", self.path("twice"), "-o", self.path("again.json.gz"))
            tool("filter", self.path("again.json.gz"), "-o", self.path("back.json"))
            self.assert_same(trace, self.path("back.json"))
            if os.environ.get("ALL_TRACES") or number == 0:
                self.assertEqual(all_tables(trace), all_tables(self.path("back.json")), trace)

    def test_a_real_job_is_merged_and_split_again(self):
        ranks = sorted(glob.glob(os.path.join(program.REAL_TRACES, "dlrm-8rank", "*.gz")))
        if not ranks:
            self.skipTest("there are no real traces")
        tool("merge", *ranks, "-o", self.path("dlrm.json.gz"))
        tool("split", self.path("dlrm.json.gz"), "-o", self.fresh("dlrm_pieces"), "--size", "4M")
        tool("merge", self.path("dlrm_pieces"), "-o", self.path("dlrm2.json"))
        for rank, path in enumerate(ranks):
            tool("filter", self.path("dlrm2.json"), "--rank", str(rank), "-o", self.path("rank.json"))
            self.assert_same(path, self.path("rank.json"))

    def test_filtered_steps_have_their_numbers(self):
        """A step on its own has the kernels, times and launches that it has in the whole."""
        step = program.table("step_times", self.ranks[0])[1]["step"]
        tool("filter", self.ranks[0], "--step", str(step), "-o", self.path("step.json.gz"))
        sql = f"SELECT name, dur_ns, stream, launch_event IS NULL AS lost FROM kernels WHERE step = {step} ORDER BY ts_ns, dur_ns, name"
        whole, part = (
            program.run("query", path, sql, "--format", "csv")[0] for path in (self.ranks[0], self.path("step.json.gz"))
        )
        self.assertGreater(len(whole.splitlines()), 10)
        self.assertEqual(whole, part)

    def test_scrubbed_traces_say_the_same(self):
        """Every table has the same rows, but for names; no word that was planted is left."""
        planted = self.fresh("planted")
        os.mkdir(planted)
        for path in self.ranks:
            document = json.loads(unpacked(path))
            document["host_name"] = "gandalf17.moria.example"
            document["traceName"] = "/home/frodo/ring/trace.json"
            document["frodoKey"] = {"mithril": ["galadriel", 5]}
            for event in document["traceEvents"]:
                if event.get("cat") == "python_function":
                    event["name"] = event["name"].replace("train", "sauron")
                if event.get("name") == "process_name":
                    event["args"]["name"] = "frodo_daemon"
                if event.get("cat") == "kernel":
                    event["args"]["balrog"] = "isildur"
            with gzip.open(os.path.join(planted, os.path.basename(path)), "wt", encoding="utf-8") as file:
                json.dump(document, file)
        scrubbed = self.fresh("scrubbed")
        tool("scrub", planted, "-o", scrubbed, "--map", self.path("map.json"))
        with open(self.path("map.json"), encoding="utf-8") as file:
            mapping = json.load(file)
        self.assertIn("frodo", mapping)
        self.assertEqual(len(os.listdir(scrubbed)), 3)
        hosts = set()
        for path in glob.glob(os.path.join(scrubbed, "*")):
            text = unpacked(path).decode().lower()
            for word in ("gandalf", "moria", "frodo", "mithril", "galadriel", "sauron", "balrog", "isildur"):
                self.assertNotIn(word, text)
            hosts.add(json.loads(text)["host_name"])
        self.assertEqual(len(hosts), 1, "one host is one name in all ranks")
        for name in (
            "step_times",
            "time_breakdown",
            "kernel_classes",
            "collectives",
            "clocks",
            "launches",
            "queues",
            "step_phases",
        ):
            try:
                before = program.table(name, planted)
            except AssertionError:
                continue
            after = program.table(name, scrubbed)
            unnamed = [
                [{key: value for key, value in row.items() if not isinstance(value, str)} for row in rows]
                for rows in (before, after)
            ]
            self.assertEqual(unnamed[0], unnamed[1], name)
        reports = [json.loads(program.run("analyze", path, "--format", "json")[0]) for path in (planted, scrubbed)]
        found = [
            [
                (finding["id"], finding["ranks"], finding["time_lost_ns"], finding["gain_pct"])
                for finding in report["findings"]
            ]
            for report in reports
        ]
        self.assertEqual(found[0], found[1])

    def test_scrubbed_real_traces_have_their_numbers(self):
        for trace in real_traces():
            tool("scrub", trace, "-o", self.path("s.json.gz"))
            before, after = program.trace_info(trace), program.trace_info(self.path("s.json.gz"))
            for info in (before, after):
                for key in ("path", "text_bytes", "quality"):
                    info.pop(key)
                info["kernels"] = sorted(info["kernels"].values())
            self.assertEqual(before, after, trace)

    def test_perfetto_holds_every_event_and_argument(self):
        """Decoded by hand: slices with their times, names and arguments are those of the JSON."""

        def plain(value):
            """What JSON's value becomes: larger integers and long decimals are text, an empty list or object has no value."""
            if isinstance(value, dict):
                return {key: plain(one) for key, one in value.items()} or None
            if isinstance(value, list):
                return [plain(one) for one in value] or None
            if isinstance(value, Decimal):
                text = str(value)
                return float(value) if sum(c.isdigit() for c in text) <= 15 and "E" not in text.upper() else text
            if value is None:
                return "null"
            return (
                str(value)
                if isinstance(value, int) and not isinstance(value, bool) and not -(1 << 63) <= value < 1 << 64
                else value
            )

        def spelled(arguments):
            return json.dumps(
                {key: value if not isinstance(value, str) else value.lower() for key, value in arguments.items()},
                sort_keys=True,
            )

        for trace in [self.ranks[1], *real_traces()]:
            if trace.endswith("backward_thread.json"):
                continue
            document = json.loads(unpacked(trace).decode("utf-8", "replace"), parse_float=Decimal, strict=False)
            outer = {} if isinstance(document, list) else document
            base = int(outer.get("baseTimeNanoseconds", 0))
            expected = []
            for event in document if isinstance(document, list) else document["traceEvents"]:
                if event.get("ph") != "X" or float(event.get("dur", 0)) < 0:
                    continue
                rest = {
                    key: plain(value)
                    for key, value in event.items()
                    if key not in ("ph", "cat", "name", "pid", "tid", "ts", "dur", "args")
                }
                arguments = event.get("args")
                rest.update(
                    {key: plain(value) for key, value in arguments.items()} if isinstance(arguments, dict) else {}
                )
                nanos = [int((Decimal(str(event.get(key, 0))) * 1000).quantize(0)) for key in ("ts", "dur")]
                expected.append(
                    (event.get("name", ""), base + nanos[0], nanos[1] if "dur" in event else None, spelled(rest))
                )
            tool("convert", trace, "-o", self.path("t.pftrace.gz"))
            events, tracks, flows = read_perfetto(self.path("t.pftrace.gz"))
            metadata = [event for event in events if event["name"] == "trace metadata"]
            got = [(event["name"], event["ts"], event["dur"], spelled(event["args"])) for event in events]
            lacking = collections.Counter(expected) - collections.Counter(got)
            self.assertFalse(lacking, (trace, list(lacking)[:2]))
            self.assertTrue(all(event["track"] in tracks for event in events))
            self.assertEqual(
                {key: plain(value) for key, value in outer.items() if key != "traceEvents"}, metadata[0]["args"]
            )
            linked = program.trace_info(trace)
            self.assertEqual(len(flows), linked["linked_device_work"] + linked["forward_backward"])
            self.assertTrue(all(sorted(number for number, _ in ends) == [47, 48] for ends in flows.values()))

    def test_parquet_is_the_view_of_events(self):
        tool("convert", self.ranks[0], "-o", self.path("e.parquet"))
        sql = "SELECT count(*), sum(dur_ns), count(DISTINCT name), sum(correlation), sum(length(args)) FROM "
        whole, _ = program.run("query", self.ranks[0], sql + "events", "--format", "csv")
        copy, _ = program.run(
            "query", self.ranks[0], "--allow-files", sql + f"'{self.path('e.parquet')}'", "--format", "csv"
        )
        self.assertEqual(whole.splitlines()[1], copy.splitlines()[1])
        self.assertGreater(int(whole.splitlines()[1].split(",")[0]), 1000)

    def test_hostile_files_get_one_sentence(self):
        whole = unpacked(self.ranks[0])
        with open(self.ranks[0], "rb") as file:
            packed = file.read()
        bad = {
            "empty.json": b"",
            "text.json": b"hello",
            "object.json": b"{}",
            "list.json": b"[1, 2]",
            "cut.json.gz": packed[: len(packed) // 2],
            "cut.json": whole[: len(whole) // 2],
            "merged.json": b'{"rankscope.merged": {"version": 1, "parts": 3}, "traceEvents": []}',
            "piece.json": b'{"rankscope.split": {"id": 5}, "traceEvents": []}',
            "order.json": b'{"rankscope.split": {"id":"a","piece":0,"copied":9,"events":1,"is_array":false}, "traceEvents":[{"ph":"i"}], "rankscope.order": "!!"}',
        }
        for name, content in bad.items():
            path = self.path(name)
            with open(path, "wb") as file:
                file.write(content)
            target = self.path("hostile_out")
            for command in (
                ["filter"],
                ["filter", "--step", "1"],
                ["split"],
                ["split", "--size", "1K"],
                ["merge"],
                ["scrub"],
                ["convert"],
            ):
                self.fresh("hostile_out")
                done = subprocess.run(
                    [program.BINARY, "trace", *command, path, "-o", target],
                    capture_output=True,
                    text=True,
                    timeout=LIMIT_S,
                    check=False,
                )
                self.assertIn(done.returncode, (0, 1), (name, command, done.stderr))
                self.assertLessEqual(len(done.stderr.splitlines()), 2, (name, command, done.stderr))
                if done.returncode == 1:
                    self.assertTrue(done.stderr.startswith("rankscope: "), (name, command))
                    self.assertIn(name, done.stderr, (name, command))
                    self.assertFalse(os.path.isfile(target), (name, command))
                if os.path.isfile(target):
                    os.remove(target)

    def test_random_damage_ends_in_order(self):
        random.seed(5)
        text = unpacked(self.ranks[0])[:200_000]
        for number in range(25):
            damaged = bytearray(text)
            for _ in range(random.randrange(1, 6)):
                at = random.randrange(len(damaged))
                damaged[at : at + random.randrange(4)] = random.choice(
                    [b'"', b"{", b"}", b"\\", b"\x00", b",", b"]", b"\xff"]
                )
            path = self.path("damaged.json")
            with open(path, "wb") as file:
                file.write(damaged)
            command = random.choice([["filter", "--no-python"], ["split", "--size", "20K"], ["merge"], ["scrub"]])
            target = self.fresh(f"damaged_{number}.json")
            done = subprocess.run(
                [program.BINARY, "trace", *command, path, "-o", target],
                capture_output=True,
                timeout=LIMIT_S,
                check=False,
            )
            self.assertIn(done.returncode, (0, 1), (number, command, done.stderr))
            if command[0] in ("filter", "scrub") and done.returncode == 0:
                self.assertNotIn("error", program.trace_info(target), number)

    def test_output_is_whole_or_not_there(self):
        trace = self.ranks[0]
        for command in (["filter"], ["merge"], ["scrub"], ["convert"]):
            error = tool(command[0], trace, "-o", trace, expect=2)
            self.assertIn("which is read", error)
            error = tool(command[0], trace, "-o", "/no/such/folder/x.json", expect=1)
            self.assertIn("/no/such/folder", error)
        # A file may not grow beyond 100 KB: as on a full disk.
        for command in (["filter"], ["merge"], ["scrub"], ["convert"], ["split"]):
            target = self.fresh("full")
            os.mkdir(target)
            out = target if command == ["split"] else os.path.join(target, "x.json")
            done = subprocess.run(
                [program.BINARY, "trace", *command, trace, "-o", out],
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
                preexec_fn=small_files,
            )
            if command != ["split"] or done.returncode != 0:
                self.assertEqual(done.returncode, 1, (command, done.stderr))
                self.assertEqual(os.listdir(target), [], command)

    def test_memory_does_not_follow_the_file(self):
        """200 MB of JSON, of which a third are launches, kernels and their arrows, under a limit of 512 MB of address space and 150 MB in memory."""
        big = self.path("big.json")
        event = '{{"ph":"X","cat":"{0}","name":"{1}","pid":{2},"tid":{3},"ts":{4}.125,"dur":3.5,"args":{{"External id":{5},"correlation":{5},"stream":7,"note":"{6}"}}}},\n'
        note = "x" * 400
        with open(big, "w", encoding="utf-8") as file:
            file.write('{"schemaVersion":1,"traceEvents":[\n')
            for i in range(100_000):
                if i % 5000 == 0:
                    file.write(
                        event.format("user_annotation", f"ProfilerStep#{i // 5000}", 9, 9, i * 10, 0, "").replace(
                            '"dur":3.5', '"dur":50000'
                        )
                    )
                file.write(event.format("cuda_runtime", "cudaLaunchKernel", 9, 9, i * 10 + 1, i + 1, note))
                file.write(
                    f'{{"ph":"s","cat":"ac2g","name":"ac2g","id":{i + 1},"pid":9,"tid":9,"ts":{i * 10 + 1}.125}},\n'
                )
                file.write(event.format("kernel", "gemm", 0, 7, i * 10 + 4, i + 1, note))
                file.write(event.format("cpu_op", "aten::mm", 9, 9, i * 10, i + 1, note))
                file.write(event.format("python_function", "train.py(1): f", 9, 9, i * 10, i + 1, note))
            file.write('{"ph":"M","name":"process_name","pid":9,"tid":0,"args":{"name":"python"}}]}\n')
        self.assertGreater(os.path.getsize(big), 200_000_000)
        limit = 512 << 20
        for command in (
            ["filter", "--step", "3"],
            ["split"],
            ["split", "--size", "50M"],
            ["merge", "--no-align"],
            ["scrub"],
            ["convert"],
        ):
            out = self.fresh("bounded")
            out = out if command[0] == "split" else out + ".json.gz"
            process = subprocess.Popen(
                [program.BINARY, "trace", *command, big, "-o", out, "--jobs", "2"],
                stderr=subprocess.PIPE,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
            )
            error = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.stderr.close()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0, (command, error))
            self.assertLess(usage.ru_maxrss, 150 * 1024, command)
        os.remove(big)


if __name__ == "__main__":
    unittest.main(argv=["trace_tools_test", *os.environ.get("TESTS", "").split()])
