"""What each column of a table with steps is cut by, written down once and checked against the events of a simulated job whose hosts
run far ahead, so that the windows of hosts, devices and ranks lie apart (docs/accounting.md, "Windows")."""

import bisect
import collections
import gzip
import json
import os
import re
import sys
import tempfile
import unittest
from decimal import Decimal

import program

# Of every analysis whose rows are steps: whose windows, and which columns are
#   cut      time (or what is measured over time) inside of the window of the step
#   begun    what begins in that window, whole
#   launched what the host launched in its window of the step, whole, wherever it ran
# Other columns are keys or say something of the window itself. A new column is to be put in its place here.
KINDS = {
    # windows of the device
    "time_breakdown": (
        "device",
        {
            "cut": "duration_ns compute_ns exposed_communication_ns exposed_copy_ns idle_host_ns idle_data_ns idle_sync_ns idle_launch_ns "
            "idle_gap_ns idle_stream_ns unknown_ns not_observed_ns communication_ns copy_ns",
            "launched": "launched_busy_ns",
        },
    ),
    "overlap": (
        "device",
        {
            "cut": "duration_ns compute_ns communication_ns copy_ns communication_hidden_ns communication_hidden_pct "
            "copy_hidden_ns copy_hidden_pct"
        },
    ),
    "utilisation": (
        "device",
        {"cut": "duration_ns busy_ns busy_pct kernel_ns sm_efficiency_pct occupancy_pct known_pct"},
    ),
    "idle_gaps": ("device", {"cut": "gaps total_ns share_pct longest_ns longest_start_ns"}),
    "class_overlap": ("device", {"cut": "time_ns share_pct"}),
    "kernel_classes": ("device", {"cut": "busy_ns alone_ns share_pct", "launched": "count total_ns"}),
    "queue_length": (
        "device",
        {"cut": "duration_ns mean p50 p90 max empty_ns full_ns", "launched": "issued blocked_ns"},
    ),
    "flop_utilisation": (
        "device",
        {"cut": "duration_ns", "launched": "flops flops_per_s known_pct hfu_pct recomputed_flops mfu_pct"},
    ),
    "exposed_communication": ("device", {"cut": "exposed_ns transfer_ns wait_ns unknown_ns wait_pct"}),
    "device_steps": ("device", {"launched": "works"}),
    "sampled_counters": ("device", {"begun": "samples mean min max"}),
    "step_work": ("device", {"cut": "duration_ns", "launched": "count busy_ns"}),
    # windows of the rank
    "critical_path": (
        "rank",
        {
            "cut": "duration_ns host_ns data_loading_ns launch_ns kernel_gap_ns compute_ns communication_ns copy_ns "
            "unexplained_ns"
        },
    ),
    "critical_path_events": ("rank", {"begun": "dur_ns"}),
    "slack": ("rank", {"begun": "dur_ns slack_ns works"}),
    "step_times": ("rank", {"begun": "device_work", "launched": "launched_work"}),
    "job_steps": ("rank", {}),
    "step_spread": ("rank", {}),
    # windows of the host
    "phases": ("host", {"cut": "duration_ns share_pct", "launched": "works device_ns"}),
    "host_breakdown": (
        "host",
        {"cut": "duration_ns data_ns blocked_ns runtime_ns op_ns annotated_ns python_ns other_ns busy_ns"},
    ),
    "launches": (
        "host",
        {
            "begun": "count works without_work total_ns mean_ns p50_ns p99_ns max_ns slow_calls delay_mean_ns delay_p50_ns "
            "delay_p99_ns delay_max_ns late_starts short_work"
        },
    ),
    "execution_trace_ops": ("host", {"begun": "dur_ns"}),
    "launch_outliers": ("host", {"begun": "works call_ns delay_ns free_delay_ns work_ns"}),
    "annotations": ("host", {"begun": "count total_ns self_ns mean_ns min_ns max_ns", "launched": "works device_ns"}),
    "recomputation": ("host", {"begun": "stretches host_ns", "launched": "works device_ns share_pct"}),
    "allocator_calls": ("host", {"begun": "count total_ns mean_ns max_ns", "cut": "idle_ns"}),
    "memory_peaks": (
        "host",
        {
            "cut": "begin_bytes end_bytes peak_bytes peak_reserved_bytes",
            "begun": "allocations frees allocated_bytes freed_bytes",
        },
    ),
    "memory_outliving": ("host", {"begun": "count bytes kept_count kept_bytes"}),
    # no windows: the step that launched
    "kernels_by_rank": ("launch", {"launched": "count total_ns share_pct mean_ns min_ns p50_ns p90_ns p99_ns max_ns"}),
    "kernel_steps": ("launch", {"launched": "ranks count total_ns mean_per_rank_ns change_pct"}),
    "kernel_outliers": ("launch", {"launched": "dur_ns median_ns times_median"}),
    "stream_gaps": ("launch", {"launched": "count total_ns share_pct min_ns mean_ns p50_ns p90_ns max_ns"}),
    "copies": ("launch", {"launched": "count bytes total_ns busy_ns bandwidth_bytes_per_s"}),
    "memsets": ("launch", {"launched": "count bytes total_ns busy_ns bandwidth_bytes_per_s"}),
    "collectives": (
        "launch",
        {"launched": "bytes members missing skew_ns lead_ns wait_ns transfer_ns algorithm_bandwidth bus_bandwidth"},
    ),
    "collective_members": ("launch", {"launched": "duration_ns wait_ns transfer_ns"}),
    "point_to_point_members": ("launch", {"launched": "duration_ns wait_ns transfer_ns"}),
    "collective_timeline": ("launch", {"launched": "duration_ns wait_ns lead_ns bytes left_out"}),
    "late_arrivals": ("launch", {"launched": "members skew_ns wait_ns marginal_ns root_ns"}),
    "path_pieces": ("launch", {"launched": "duration_ns"}),
    "slack_over_ranks": ("launch", {"launched": "least_slack_ns compute_ns communication_ns copy_ns host_ns near_pct"}),
    "pipeline_steps": (
        "launch",
        {
            "launched": "micro_batches virtual_stages window_ns compute_ns inside_ns warm_up_ns steady_ns "
            "cool_down_ns bubble_pct ideal_pct stages_seen"
        },
    ),
    "pipeline_schedule": ("launch", {"launched": "ordinal duration_ns compute_ns"}),
    "pipeline_passes": ("launch", {"launched": "ordinal duration_ns compute_ns"}),
}
# What names a row, its place, or says something of the window.
KEYS = set(
    """rank source_rank destination_rank message capture device stream step class classes class_count complete inferred aligned group groups description ordinal op dtype
    agrees last_rank is_last event at_ns first_rank root_ranks root_cause root_op root_event
    collective name part thread process call work why side phase start_ns end_ns ts_ns peak_ts_ns
    device_type action steady cause direction memory replica stage pass peak_flops_per_s lag_ns host_duration_ns vs_median_pct marked_by ranks
    steps duration_ns min_ns p25_ns median_ns mean_ns p75_ns max_ns fastest_rank slowest_rank
    phase module path shapes first_ns source counter node op_schema dtypes strides values
    host_op host_range host_call host_line""".split()
)
# How the sentence of the column "step" begins.
SENTENCES = {
    "device": "step of the device's window",
    "rank": "step of the rank's window",
    "host": "step by the host's marks",
    "launch": "step in which the host launched it",
}
# These say it in words of their own.
OWN_WORDS = {
    "device_steps",
    "step_times",
    "job_steps",
    "step_spread",
    "memory_outliving",
    "kernel_steps",
    "collective_timeline",
}
WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def united(pieces):
    """Disjoint intervals in order."""
    result = []
    for begin, end in sorted(pieces):
        if end <= begin:
            continue
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((begin, end))
    return result


def without(pieces, other):
    """What of `pieces` lies outside of `other`; both united."""
    result = []
    for begin, end in pieces:
        for from_, until in other[max(0, bisect.bisect(other, (begin,)) - 1) :]:
            if from_ >= end:
                break
            if until <= begin:
                continue
            result.append((begin, from_))
            begin = until
        result.append((begin, end))
    return united(result)


def inside(pieces, window):
    return sum(max(0, min(end, window[1]) - max(begin, window[0])) for begin, end in pieces)


def total(pieces):
    return sum(end - begin for begin, end in pieces)


def ns(value):
    return int(Decimal(str(value)) * 1000)


class Rank:
    """The events of one rank by their times from the job's origin, and its windows."""

    def __init__(self, path, origin):
        with gzip.open(path) as file:
            trace = json.load(file, parse_float=Decimal)
        info = program.trace_info(path)
        self.whole = [(int(info["begin_ns"]) - origin, int(info["end_ns"]) - origin)]
        self.number = trace["distributedInfo"]["rank"]
        self.events = []
        for event in trace["traceEvents"]:
            if event.get("ph") == "X":
                begin = trace["baseTimeNanoseconds"] + ns(event["ts"]) - origin
                self.events.append({**event, "begin": begin, "end": begin + ns(event["dur"])})
        self.calls = {event["args"]["correlation"]: event for event in self.events if event["cat"] == "cuda_runtime"}
        self.work = [event for event in self.events if event["cat"] in WORK]

    def of(self, *kinds):
        """The united time of device work: of computing, communication, copies."""

        def kind_of(event):
            return (
                "copy"
                if event["cat"] != "kernel"
                else "communication"
                if event["name"].startswith("nccl")
                else "compute"
            )

        return united((event["begin"], event["end"]) for event in self.work if kind_of(event) in kinds)

    def waits(self, stream):
        return [
            (self.calls[event["args"]["correlation"]]["begin"], event["begin"])
            for event in self.work
            if event["args"]["stream"] == stream
        ]

    def on_thread(self, thread):
        """What is recorded of a thread beside the marks of steps."""
        return united(
            (event["begin"], event["end"])
            for event in self.events
            if event["tid"] == thread
            and event["cat"] in ("cpu_op", "user_annotation", "cuda_runtime", "python_function")
            and not event["name"].startswith("ProfilerStep")
        )


def parts(rank, row):
    """Of columns that are cut: the time that they measure, as intervals. Sums of columns stand for all of them."""
    busy = rank.of("compute", "communication", "copy")
    compute, communication = rank.of("compute"), rank.of("communication")
    exposed = without(communication, compute)
    return {
        "time_breakdown": {
            "duration_ns": rank.whole,
            "compute_ns": compute,
            "exposed_communication_ns": exposed,
            "exposed_copy_ns": without(rank.of("copy"), rank.of("compute", "communication")),
            "communication_ns": communication,
            "copy_ns": rank.of("copy"),
            "idle_host_ns idle_data_ns idle_sync_ns idle_launch_ns idle_gap_ns idle_stream_ns unknown_ns not_observed_ns": without(
                rank.whole, busy
            ),
        },
        "overlap": {
            "duration_ns": rank.whole,
            "compute_ns": compute,
            "communication_ns": communication,
            "copy_ns": rank.of("copy"),
            "communication_hidden_ns": without(communication, exposed),
        },
        "utilisation": {"duration_ns": rank.whole, "busy_ns": busy, "kernel_ns": rank.of("compute", "communication")},
        "class_overlap": {"time_ns": busy},
        "exposed_communication": {"exposed_ns": exposed},
        "critical_path": {
            "duration_ns": rank.whole,
            "host_ns data_loading_ns launch_ns kernel_gap_ns compute_ns communication_ns copy_ns "
            "unexplained_ns": rank.whole,
        },
        "phases": {"duration_ns": rank.whole},
        # Windows in which a thread recorded nothing are no rows.
        "host_breakdown": {
            "data_ns blocked_ns runtime_ns op_ns annotated_ns python_ns": rank.on_thread(row.get("thread"))
        },
    }


class WindowKindsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", cls.job, "--ranks", "2", "--steps", "4", "--events", "4000", "--run-ahead")
        files = [os.path.join(cls.job, name) for name in sorted(os.listdir(cls.job)) if name.endswith(".trace.json.gz")]
        origin = min(int(program.trace_info(path)["begin_ns"]) for path in files)
        cls.ranks = {rank.number: rank for rank in (Rank(path, origin) for path in files)}
        cls.windows = collections.defaultdict(dict)
        out, _ = program.run("query", cls.job, "SELECT rank, step, start_ns, end_ns FROM steps", "--format", "json")
        for rank, step, start, end in json.loads(out)["rows"]:
            cls.windows["host", rank][step] = (start, end)
        for row in cls.table("device_steps"):
            cls.windows["device", row["rank"]][row["step"]] = (row["start_ns"], row["end_ns"])
        for row in cls.table("step_times"):
            cls.windows["rank", row["rank"]][row["step"]] = (row["start_ns"], row["start_ns"] + row["duration_ns"])

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def table(cls, name):
        return program.table(name, cls.job)

    def in_window(self, pieces, kind, rank, step):
        windows = self.windows[kind, rank]
        if step is not None:
            return inside(pieces, windows[step])
        return total(pieces) - sum(inside(pieces, window) for window in windows.values())

    def step_at(self, time, rank):
        windows = self.windows["host", rank]
        return next((step for step, (begin, end) in windows.items() if begin <= time < end), None)

    def test_windows_lie_apart(self):
        for rank in self.ranks:
            for step, (_, end) in self.windows["host", rank].items():
                if step != max(self.windows["host", rank]):
                    self.assertGreater(self.windows["device", rank][step][1], end + 1000)

    def test_every_column_has_its_kind(self):
        out, _ = program.run("list", "--markdown")
        found = {}
        for section in re.split(r"\n## ", out)[1:]:
            name = section.split("\n")[0]
            columns = dict(re.findall(r"^\| (\w+) \| \w+ \| [^|]* \| (.*) \|$", section, re.MULTILINE))
            columns.pop("column", None)
            if "step" in columns and name not in program.sql_views() and not name.startswith("hta."):
                found[name] = columns
        self.assertEqual(set(found), set(KINDS))
        for name, columns in found.items():
            kind, listed = KINDS[name]
            known = {column for names in listed.values() for column in names.split()}
            self.assertEqual(known - set(columns), set(), name)
            self.assertEqual(set(columns) - known - KEYS, set(), name)
            self.assertTrue(name in OWN_WORDS or columns["step"].startswith(SENTENCES[kind]), (name, columns["step"]))
            self.assertTrue(kind != "launch" or set(listed) == {"launched"}, name)

    def test_what_is_cut_by_windows_sums_to_the_whole(self):
        checked = set()
        for name, columns_of in parts(next(iter(self.ranks.values())), {}).items():
            kind, listed = KINDS[name]
            rows = self.table(name)
            groups = collections.defaultdict(lambda: collections.defaultdict(int))
            # Over what a row has besides rank, thread and step (classes, phases), and over steps.
            for row in rows:
                for columns in columns_of:
                    key = row["rank"], row.get("thread")
                    groups[columns, key][row["step"]] += sum(row[column] or 0 for column in columns.split())
            for (columns, (number, thread)), by_step in groups.items():
                rank = self.ranks[number]
                pieces = parts(rank, {"thread": thread})[name][columns]
                self.assertEqual(sum(by_step.values()), total(pieces), (name, columns, number))
                for step, value in by_step.items():
                    self.assertEqual(value, self.in_window(pieces, kind, number, step), (name, columns, number, step))
                self.assertTrue(set(columns.split()) <= set(listed["cut"].split()), (name, columns))
                checked.add(name)
        self.assertEqual(len(checked), 8)

    def test_what_waits_in_queues_sums_to_the_whole(self):
        waited = collections.Counter()
        for row in self.table("queue_length"):
            if row["duration_ns"] is None:
                continue
            pieces = self.ranks[row["rank"]].waits(row["stream"])
            here = self.in_window(pieces, "device", row["rank"], row["step"])
            self.assertAlmostEqual(row["mean"] * row["duration_ns"], here, delta=1e-9 * here, msg=row)
            waited[row["rank"], row["stream"]] += here
        for (number, stream), ns_waited in waited.items():
            self.assertEqual(ns_waited, total(self.ranks[number].waits(stream)))
        self.assertGreater(len(waited), 1)

    def test_what_is_launched_or_begun_counts_in_the_host_s_step(self):
        def count(name, column, events):
            """Sums of a column by rank and step against how many events there are of `events(rank)`, by times."""
            expected = collections.Counter()
            for number, rank in self.ranks.items():
                for event in events(rank):
                    expected[number, self.step_at(event["begin"], number)] += 1
            found = collections.Counter()
            for row in self.table(name):
                found[row["rank"], row["step"]] += row[column]
            self.assertEqual(+found, expected, (name, column))

        def launches(*kinds):
            return lambda rank: [
                rank.calls[event["args"]["correlation"]] for event in rank.work if event["cat"] in kinds
            ]

        for name, column in (
            ("kernel_classes", "count"),
            ("kernels_by_rank", "count"),
            ("queue_length", "issued"),
            ("phases", "works"),
            ("device_steps", "works"),
            ("step_times", "launched_work"),
            ("launches", "works"),
        ):
            # Device and rank have no row for what lies outside.
            count(name, column, launches(*WORK))
        count("copies", "count", launches("gpu_memcpy"))
        count("memsets", "count", launches("gpu_memset"))
        count("launches", "count", lambda rank: {id(call): call for call in launches(*WORK)(rank)}.values())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
