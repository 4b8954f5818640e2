"""rankscope.hta as somebody who comes from Holistic Trace Analysis meets it: what HTA 0.6.1 recorded (../shared/expected/hta) through its
own calls, by pandas.testing; its signatures; a walk as its notebooks go; jobs of several ranks; errors.

python3 hta_module_test.py BINARY"""

import collections
import contextlib
import doctest
import gzip
import importlib.util
import inspect
import io
import json
import logging
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types as types_of_python
import unittest
import unittest.mock

import program

program.by_a_python_that_has("pandas")
program.BINARY = os.path.abspath(program.BINARY)
PACKAGE = os.path.join(os.path.dirname(program.BINARY), "..", "python")
sys.path.insert(0, PACKAGE)

try:
    import numpy as np
    import pandas as pd
    from pandas.testing import assert_frame_equal, assert_series_equal
except ImportError:
    print("skipped: pandas is not installed")
    raise SystemExit(0)

import rankscope  # pylint: disable=wrong-import-position
from rankscope.hta.analyzers.breakdown_analysis import BreakdownAnalysis  # pylint: disable=wrong-import-position
from rankscope.hta.analyzers.cuda_kernel_analysis import CudaKernelAnalysis  # pylint: disable=wrong-import-position
from rankscope.hta.analyzers.critical_path_analysis import (  # pylint: disable=wrong-import-position
    CPEdge,
    CPEdgeType,
    restore_cpgraph,
)
from rankscope.hta.analyzers.trace_counters import TraceCounters  # pylint: disable=wrong-import-position
from rankscope.hta.analyzers import critical_path_graph, timeline  # pylint: disable=wrong-import-position
from rankscope.hta.trace_analysis import TimeSeriesTypes, TraceAnalysis  # pylint: disable=wrong-import-position
from rankscope.hta.trace_diff import DeviceType, LabeledTrace, TraceDiff  # pylint: disable=wrong-import-position
from rankscope.hta import version  # pylint: disable=wrong-import-position
from rankscope.hta.common import (  # pylint: disable=wrong-import-position
    call_stack,
    execution_trace,
    singletrace,
    trace_call_stack,
    trace_df,
    trace_file,
    trace_filter,
    trace_stack_filter,
    types,
)
from rankscope.hta.common._arguments import with_arguments  # pylint: disable=wrong-import-position
from rankscope.hta.common.trace_collection import TraceCollection  # pylint: disable=wrong-import-position
from rankscope.hta.common.trace_parser import round_down_time_stamps  # pylint: disable=wrong-import-position
from rankscope.hta.configs import env_options, event_args_yaml_parser  # pylint: disable=wrong-import-position
from rankscope.hta.configs.config import HtaConfig  # pylint: disable=wrong-import-position
from rankscope.hta.configs.parser_config import (  # pylint: disable=wrong-import-position
    AVAILABLE_ARGS,
    ParserConfig,
    ValueType,
    YamlVersion,
)
from rankscope.hta.utils.memory_utils import analyze_memory_usage  # pylint: disable=wrong-import-position
from rankscope.hta.utils import checker, test_utils  # pylint: disable=wrong-import-position
from rankscope.hta.common.trace import (  # pylint: disable=wrong-import-position
    Trace,
    add_fwd_bwd_links,
    add_iteration,
    get_cpu_gpu_correlation,
    parse_trace_file,
    trace_event_timestamp_to_unixtime_ns,
    transform_correlation_to_index,
)
from rankscope.hta.memory_analysis import MemoryAnalysis  # pylint: disable=wrong-import-position
from rankscope.hta.common.timeline import (  # pylint: disable=wrong-import-position
    PlotFormat,
    Timeline,
    TimelinePlotSetting,
    align_module_with_kernels,
    plot_events_timeline,
    prepare_timeline_events,
)
from rankscope.hta.common.trace_call_graph import CallGraph  # pylint: disable=wrong-import-position
from rankscope.hta.common.trace_symbol_table import TraceSymbolTable  # pylint: disable=wrong-import-position
from rankscope.hta.utils.validate_trace import (
    get_argument_spec,
    validate_trace_format,
)  # pylint: disable=wrong-import-position
from rankscope.hta.utils import utils  # pylint: disable=wrong-import-position

EXPECTED = os.path.join(program.REAL_TRACES, "..", "expected", "hta")
GOLDEN = os.path.join(program.HERE, "golden")
logging.getLogger("hta").setLevel(logging.CRITICAL)


def frame_of(table):
    """A recorded table as HTA returned it."""
    index = None
    if table.get("index_names") and table.get("index"):
        names = [None if name == "None" else name for name in table["index_names"]]
        index = (
            pd.MultiIndex.from_tuples([tuple(one) for one in table["index"]], names=names)
            if len(names) > 1
            else pd.Index(table["index"], name=names[0])
        )
    frame = pd.DataFrame(table["rows"], columns=table["columns"], index=index)
    if any("/" in column for column in table["columns"]):
        frame.columns = pd.MultiIndex.from_tuples([tuple(column.split("/", 1)) for column in table["columns"]])
    return frame


def in_one_order(frame):
    """Rows in an order of their own: HTA leaves that of equal keys open."""
    named = frame.reset_index() if frame.index.names != [None] else frame.reset_index(drop=True)
    return named.sort_values(by=list(named.columns), ignore_index=True, key=lambda column: column.map(_key))


def _key(value):
    if isinstance(value, (list, tuple)):
        return str(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def assert_same(ours, theirs):
    """The columns in their order, and the rows in any order; numbers to 1e-9. Types as JSON keeps them."""
    theirs = frame_of(theirs)
    if theirs.empty and ours.empty and len(theirs.columns) == 0:
        return
    assert list(ours.columns) == list(theirs.columns), f"{list(ours.columns)} and HTA {list(theirs.columns)}"
    assert len(ours) == len(theirs), f"{len(ours)} rows, HTA has {len(theirs)}"
    if ours.empty:
        return
    ours, theirs = in_one_order(ours), in_one_order(theirs)
    for name in ours.columns:
        if ours[name].dtype.kind == "i" and theirs[name].dtype.kind == "i":
            ours[name], theirs[name] = ours[name].astype("int64"), theirs[name].astype("int64")
        if theirs[name].isna().all():
            theirs[name] = theirs[name].astype(ours[name].dtype)
    assert_frame_equal(ours, theirs, rtol=1e-9, atol=1e-9)


class Recorded:
    """One set of traces that HTA analysed, through rankscope.hta."""

    def __init__(self, name):
        self.name = name
        self.folder = os.path.join(EXPECTED, name)
        self.compared = 0
        self.complaints = []
        first = self.load("temporal_breakdown")
        self.files = [
            os.path.join(program.REAL_TRACES, "hta", file.replace("tests/data/", "", 1))
            for file in first["trace_files"]
            if not file.endswith("_et.json.gz")
        ]
        ranks = {int(rank): os.path.basename(file) for rank, file in self.load("rank_map")["result"].items()}
        by_name = {os.path.basename(file): file for file in self.files}
        self.ranks = {rank: by_name[file] for rank, file in ranks.items() if file in by_name}
        self.analysis = TraceAnalysis(trace_files=self.ranks, trace_dir="")

    def load(self, name):
        with open(os.path.join(self.folder, name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def names(self):
        return sorted(file[: -len(".json")] for file in os.listdir(self.folder))

    def run(self):
        for name in self.names():
            prefix = max((one for one in CHECKS if name == one or name.startswith(one + "_")), key=len, default=None)
            if prefix is None:
                continue
            recorded = self.load(name)
            try:
                if "error" in recorded:
                    CHECKS[prefix](self, recorded["params"], None)
                elif recorded.get("result") is not None or prefix in MAY_BE_NONE:
                    CHECKS[prefix](self, recorded["params"], recorded["result"])
                self.compared += 1
            except Exception as error:  # pylint: disable=broad-except
                self.complaints.append(f"{self.name}, {name}: {type(error).__name__}: {error}")

    # --- checks: `expected` is None where HTA failed or returned nothing

    def temporal_breakdown(self, _params, expected):
        self.table(self.analysis.get_temporal_breakdown(visualize=False), expected)

    def comm_comp_overlap(self, _params, expected):
        self.table(self.analysis.get_comm_comp_overlap(visualize=False), expected)

    def gpu_kernel_breakdown(self, params, expected):
        types, kernels = self.analysis.get_gpu_kernel_breakdown(visualize=False, **python_of(params))
        self.table(types, expected and expected["kernel_type"])
        self.table(kernels, expected and expected["kernel"])

    def idle_time_breakdown(self, params, expected):
        params = python_of(params)
        frame, stats = self.analysis.get_idle_time_breakdown(
            ranks=sorted(self.ranks), visualize=False, **{**params, "show_idle_interval_stats": True}
        )
        if expected is None:
            assert frame.empty and stats.empty
        elif "idle" in expected:
            self.table(frame, expected["idle"])
            self.table(stats, expected["interval_stats"])
        else:
            self.table(frame, expected)

    def cuda_kernel_launch_stats(self, params, expected):
        self.tables(
            self.analysis.get_cuda_kernel_launch_stats(ranks=sorted(self.ranks), visualize=False, **python_of(params)),
            expected,
        )

    def queue_length_time_series(self, _params, expected):
        self.tables(self.analysis.get_queue_length_time_series(sorted(self.ranks)), expected)

    def queue_length_summary(self, _params, expected):
        self.table(self.analysis.get_queue_length_summary(sorted(self.ranks)), expected)
        series = self.analysis.get_queue_length_time_series(sorted(self.ranks))
        self.table(self.analysis.get_queue_length_summary_from_time_series(series), expected)

    def time_blocked_on_full_queue(self, params, expected):
        series = self.analysis.get_queue_length_time_series(sorted(self.ranks))
        self.table(self.analysis.get_time_spent_blocked_on_full_queue(series, **python_of(params)), expected)

    def memory_bw_time_series(self, _params, expected):
        self.tables(self.analysis.get_memory_bw_time_series(sorted(self.ranks)), expected)

    def memory_bw_summary(self, _params, expected):
        self.table(self.analysis.get_memory_bw_summary(sorted(self.ranks)), expected)

    def gpu_user_annotation_breakdown(self, params, expected):
        self.table(self.analysis.get_gpu_user_annotation_breakdown(visualize=False, **python_of(params)), expected)

    def cpu_user_annotation_breakdown(self, params, expected):
        params = {**python_of(params), "use_gpu_annotation": False}
        self.table(self.analysis.get_gpu_user_annotation_breakdown(visualize=False, **params), expected)

    def aten_op_kernels_and_delay(self, _params, expected):
        self.tables(self.analysis.get_aten_op_kernels_and_delay(sorted(self.ranks)), expected)

    def gpu_kernels_with_user_annotations(self, _params, expected):
        for rank in self.ranks:
            ours = self.analysis.get_gpu_kernels_with_user_annotations(rank)
            theirs = expected and expected.get(str(rank))
            if theirs is None:
                assert ours is None, f"HTA has nothing, we have {len(ours)} rows"
            elif "error" not in theirs:
                ours = ours[theirs["columns"]].astype({"ts": "int64"})
                self.table(ours.reset_index(drop=True), theirs)

    def frequent_cuda_kernel_sequences(self, _params, expected):
        with tempfile.TemporaryDirectory() as folder:
            for key, theirs in (expected or {}).items():
                rank, name, shortest = key.split("|")
                ours = self.analysis.get_frequent_cuda_kernel_sequences(
                    name,
                    folder,
                    min_pattern_len=int(shortest.removeprefix("min")),
                    rank=int(rank.removeprefix("rank")),
                )
                self.table(ours, theirs)
                assert ours.empty or os.listdir(folder)

    def cupti_counters(self, _params, expected):
        ours = self.analysis.get_cupti_counter_data_with_operators(sorted(self.ranks))
        assert len(ours) == len(expected or []), f"{len(ours)} ranks"
        for frame, theirs in zip(ours, expected or []):
            theirs = frame_of(theirs)
            columns = [name for name in theirs.columns if name in frame.columns]
            assert set(theirs.columns) - set(columns) == OF_CALL_GRAPH, set(theirs.columns) - set(columns)
            left, right = frame[columns].copy(), theirs[columns].copy()
            for name in columns:
                if right[name].dtype.kind in "if" and left[name].dtype.kind in "if":
                    left[name], right[name] = left[name].astype("float64"), right[name].astype("float64")
            assert_frame_equal(left, right, rtol=1e-9)

    def profiler_steps(self, _params, expected):
        assert self.analysis.get_profiler_steps() == (expected or []), expected

    def potential_stragglers(self, params, expected):
        ours = self.analysis.get_potential_stragglers(**python_of(params))
        assert ours == (expected or []), f"{ours}, HTA {expected}"

    def iterations(self, _params, expected):
        for rank in self.ranks:
            assert self.analysis.t.get_iterations(rank) == expected[str(rank)], rank

    def trace_duration(self, _params, expected):
        for rank in self.ranks:
            assert self.analysis.t.get_trace_duration(rank) == expected[str(rank)], rank

    def trace_start_unixtime_ns(self, _params, expected):
        for rank in self.ranks:
            if expected is None:
                try:
                    self.analysis.t.get_trace_start_unixtime_ns(rank)
                    raise AssertionError("there is no base time")
                except KeyError:
                    continue
            assert self.analysis.t.get_trace_start_unixtime_ns(rank) == expected[str(rank)]

    def rank_map(self, _params, expected):
        ok, found = trace_file.create_rank_to_trace_dict(self.files)
        assert ok
        assert {str(rank): os.path.basename(file) for rank, file in found.items()} == {
            rank: file for rank, file in expected.items() if int(rank) in self.ranks
        }

    def symbol_classes(self, _params, expected):
        symbols = self.analysis.t.symbol_table.sym_table
        ours = sorted(
            [name, utils.get_kernel_type(name), utils.get_memory_kernel_type(name), utils.shorten_name(name)]
            for name in symbols
        )
        theirs = sorted(expected)
        unlike = [(a, b) for a, b in zip(ours, theirs) if a != b]
        assert len(ours) == len(theirs) and not unlike, f"{len(ours)} symbols, HTA {len(theirs)}: {unlike[:2]}"

    def loaded(self, _params, expected):
        self.frames(self.analysis.t, expected)

    def loaded_with_last_step(self, _params, expected):
        self.frames(TraceAnalysis(self.ranks, "", include_last_profiler_step=True).t, expected)

    def parsed(self, _params, expected):
        trace = Trace(self.ranks, "")
        trace.parse_traces()
        self.frames(trace, expected)

    def trace_with_counters(self, _params, expected):
        with tempfile.TemporaryDirectory() as folder:
            files = {rank: shutil.copy(file, folder) for rank, file in self.ranks.items()}
            TraceAnalysis(files, "").generate_trace_with_counters(ranks=sorted(files))
            for name, theirs in expected.items():
                content = trace_file.read_trace(os.path.join(folder, name))
                events = [event for event in content["traceEvents"] if event.get("ph") == "C"]
                events = events[-theirs["n"] :] if theirs["n"] else []
                assert len(events) == theirs["n"], f"{name}: {len(events)} counters, HTA {theirs['n']}"
                assert sorted({event["name"] for event in events}) == sorted(theirs["names"])
                key = lambda event: json.dumps(event, sort_keys=True)  # noqa: E731
                assert sorted(events[: len(theirs["first"])], key=key) == sorted(theirs["first"], key=key)

    def critical_path(self, params, expected):
        params = python_of(params)
        graph, ok = self.analysis.critical_path_analysis(
            params["rank"], str(params["annotation"]), params["instance_id"], None
        )
        assert ok == bool(expected and expected["ok"]), ok
        if not ok:
            return
        assert len(graph.node_list) == expected["n_nodes"], len(graph.node_list)
        assert graph.number_of_nodes() == expected["n_graph_nodes"]
        assert len(graph.edges) == expected["n_edges"]
        ours = collections.Counter(attributes["object"].type.value for attributes in graph.edges.values())
        assert ours == expected["edges_by_type"], ours
        nodes = [graph.node_list[place] for place in graph.critical_path_nodes]
        assert [[node.ev_idx, node.is_start, float(node.ts)] for node in nodes] == expected["cp_nodes"]
        edges = sorted(
            [
                graph.node_list[edge.begin].ev_idx,
                graph.node_list[edge.begin].is_start,
                graph.node_list[edge.end].ev_idx,
                graph.node_list[edge.end].is_start,
                edge.type.value,
                float(edge.weight),
                graph.get_event_attribution_for_edge(edge),
            ]
            for edge in (attributes["object"] for attributes in graph.edges.values())
        )
        assert [str(edge) for edge in edges] == [
            str([*edge[:5], float(edge[5]), edge[6]]) for edge in sorted(expected["edges"])
        ]
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            out, sys.stdout = sys.stdout, nowhere
            try:
                summary = graph.summary()
            finally:
                sys.stdout = out
        theirs = pd.Series(expected["summary_pct"], name="duration").rename_axis("bound_by").sort_index()
        assert_series_equal(summary.sort_index(), theirs, rtol=1e-9)
        # Ids of categories are HTA's own.
        breakdown = graph.get_critical_path_breakdown().drop(columns="cat")
        theirs = expected["breakdown"]
        place = theirs["columns"].index("cat")
        theirs = {
            "columns": [name for name in theirs["columns"] if name != "cat"],
            "rows": [row[:place] + row[place + 1 :] for row in theirs["rows"]],
        }
        if len(theirs["rows"]) == len(breakdown):
            for name in ("duration", "pid", "tid", "stream"):
                breakdown[name] = breakdown[name].astype("float64")
            frame = frame_of(theirs)
            numbers = {name: "float64" for name in ("duration", "pid", "tid", "stream")}
            assert_frame_equal(in_one_order(breakdown), in_one_order(frame.astype(numbers)), check_dtype=False)

    def critical_path_overlay(self, _params, expected):
        params = self.load(next(name for name in self.names() if name.startswith("critical_path_0")))["params"]
        params = python_of(params)
        graph, ok = self.analysis.critical_path_analysis(
            params["rank"], str(params["annotation"]), params["instance_id"]
        )
        assert ok == (expected is not None)
        for key, theirs in (expected or {}).items():
            with tempfile.TemporaryDirectory() as folder:
                path = self.analysis.overlay_critical_path_analysis(
                    params["rank"],
                    graph,
                    folder,
                    only_show_critical_events=key == "critical_only",
                    show_all_edges=key == "all_edges",
                )
                assert os.path.basename(path) == theirs["file"]
                events = trace_file.read_trace(path)["traceEvents"]
            complete = [event for event in events if event.get("ph") == "X"]
            assert len(events) == theirs["n_events"], f"{key}: {len(events)} events, HTA {theirs['n_events']}"
            assert len(complete) == theirs["n_X"], f"{key}: {len(complete)} complete events"
            marked = sum(event.get("args", {}).get("critical", 0) for event in complete)
            assert marked == theirs["n_critical"], marked
            arrows = sorted(
                str([e["ph"], e["pid"], e["tid"], e["ts"], e["args"]["weight"], e["cat"], e["args"]["critical"]])
                for e in events
                if "critical_path" in e.get("cat", "")
            )
            assert arrows == sorted(map(str, theirs["flows"])), f"{key}: arrows differ"

    def filters(self, _params, expected):
        self.analysis = TraceAnalysis(self.ranks, "")
        frame, symbols = self.analysis.t.get_trace(0), self.analysis.t.symbol_table
        steps = self.analysis.t.get_iterations(0)
        chosen = {
            "iteration_first": trace_filter.FirstIterationFilter(),
            "iter_idx_0": trace_filter.IterationIndexFilter(0),
            "gpu_kernels": trace_filter.GPUKernelFilter(),
            "cpu_ops": trace_filter.CPUOperatorFilter(),
            "name_aten": trace_filter.NameFilter("^aten::"),
            "name_nccl": trace_filter.NameFilter("^nccl"),
            "zero_dur": trace_filter.ZeroDurationFilter,
            "memcpy_htod": trace_filter.MemCopyEventFilter("Memcpy HtoD (Pageable -> Device)"),
            "composite": trace_filter.CompositeFilter([trace_filter.GPUKernelFilter()]),
        }
        if steps:
            chosen["iteration"] = trace_filter.IterationFilter(steps[0])
        for name, one in chosen.items():
            found, theirs = one(frame, symbols), expected[f"rank0|{name}"]
            ours = {"n": len(found), "index_sum": int(found["index"].sum()), "dur_sum": float(found["dur"].sum())}
            assert ours == theirs, f"{name}: {ours}, HTA {theirs}"
        if "prepare_timeline_events_gpu" in expected:
            on_device = trace_filter.FirstIterationFilter()(trace_filter.GPUKernelFilter()(frame, symbols))
            ours = prepare_timeline_events(on_device, symbol_table=symbols)
            theirs = frame_of(expected["prepare_timeline_events_gpu"])
            by = ["stream", "ts", "index"]
            assert_frame_equal(
                ours[theirs.columns].sort_values(by).reset_index(drop=True),
                theirs.sort_values(by).reset_index(drop=True),
                check_dtype=False,
            )

    def execution_trace_correlation(self, _params, expected):
        recorded = self.load("execution_trace_correlation")["trace_files"]
        file = next(file for file in recorded if file.endswith("_et.json.gz"))
        et = execution_trace.load_execution_trace(
            os.path.join(program.REAL_TRACES, "hta", file.replace("tests/data/", "", 1))
        )
        trace = TraceAnalysis(self.ranks, "").t
        execution_trace.correlate_execution_trace(trace, 0, et)
        frame = trace.get_trace(0)
        for column in ("et_node_name", "op_schema", "input_shapes"):
            execution_trace.add_et_column(frame, et, column)
        theirs = frame_of(expected)
        ours = frame[frame["et_node"].notna()][list(theirs.columns)].reset_index(drop=True)
        assert_frame_equal(ours, theirs, check_dtype=False)

    def call_graph(self, _params, expected):
        trace = TraceAnalysis(self.ranks, "").t
        graph = CallGraph(trace)
        for key, theirs in (expected or {}).items():
            if key == "mapping":
                assert_same(graph.mapping, theirs)
                continue
            # HTA subtracts times of two clocks for kernel_span.
            wanted = frame_of(theirs["events"]).drop(columns="kernel_span")
            ours = trace.get_trace(int(key))[list(wanted.columns)].reset_index(drop=True)
            assert_frame_equal(ours, wanted, check_dtype=False)

    def validate_trace(self, _params, expected):
        paths = [
            os.path.join(program.REAL_TRACES, "hta", file.replace("tests/data/", "", 1))
            for file in self.load("validate_trace")["trace_files"]
        ]
        for path in paths:
            for level in ("minimal", "standard", "complete"):
                theirs = expected.get(f"{os.path.basename(path)}|{level}")
                if theirs is not None:
                    ok, errors = validate_trace_format(path, level)
                    assert {"ok": ok, "errors": errors} == theirs, f"{level}: {errors}"

    def nccl_args(self, _params, expected):
        theirs = frame_of(expected["rows"])
        trace = Trace(self.ranks, "")
        trace.parse_traces()
        frame = trace.get_trace(0)
        ours = frame[frame["collective_name"] != ""][list(theirs.columns)].sort_values("index").reset_index(drop=True)
        assert_frame_equal(ours, theirs.sort_values("index").reset_index(drop=True), check_dtype=False)

    # --- comparing

    def table(self, ours, theirs):
        if theirs is None:
            assert ours is None or ours.empty, f"HTA has nothing, we have {ours}"
            return
        assert ours is not None, "HTA has a table, we have none"
        assert_same(ours, theirs)

    def tables(self, ours, theirs):
        for rank, table in (theirs or {}).items():
            if table is None or "error" in table:
                continue
            assert int(rank) in ours, f"rank {rank} is missing"
            assert_same(ours[int(rank)], table)
        if theirs is None:
            assert all(frame.empty for frame in ours.values()), f"HTA fails, we have {ours}"

    def frames(self, trace, expected):
        assert trace.min_ts == expected["min_ts"], f"min_ts is {trace.min_ts}, HTA's {expected['min_ts']}"
        symbols = trace.symbol_table.sym_table
        for rank, theirs in expected["ranks"].items():
            frame = trace.get_trace(int(rank))
            assert len(frame) == theirs["n_events"], f"{len(frame)} events, HTA {theirs['n_events']}"
            assert set(theirs["columns"]) == set(frame.columns), set(theirs["columns"]) ^ set(frame.columns)
            for name in ("dur", "ts", "iteration", "correlation", "index_correlation", "memory_bw_gbps"):
                found = str(frame[name].dtype)
                assert found == theirs["dtypes"][name], f"{name} is {found}, HTA's {theirs['dtypes'][name]}"
            assert trace.meta_data[int(rank)]["device_type"] == theirs["device_type"]
            categories = collections.Counter(symbols[place] for place in frame["cat"])
            assert categories == theirs["by_cat"], categories
            for column in ("stream", "iteration"):
                ours = {str(key): int(count) for key, count in frame[column].value_counts(dropna=False).items()}
                ours = {_whole(key): count for key, count in ours.items() if key != "nan"}
                wanted = {_whole(key): count for key, count in theirs[f"by_{column}"].items()}
                assert ours == wanted, f"{column}: {ours}, HTA {wanted}"
            for name, total in theirs["sums"].items():
                if name in ("pid", "tid") or total is None:
                    continue
                ours = float(frame[name].sum())
                assert math.isclose(ours, float(total), rel_tol=1e-12), f"{name} sums up to {ours}, HTA {total}"
            if "events" in theirs:
                self.events(frame, symbols, theirs["events"])

    def events(self, frame, symbols, theirs):
        shown = frame.assign(cat=[symbols[i] for i in frame["cat"]], name=[symbols[i] for i in frame["name"]])
        wanted = frame_of(theirs)
        columns = [name for name in wanted.columns if name not in ("pid", "tid")]
        ours, wanted = shown[columns].reset_index(drop=True), wanted[columns]
        assert_frame_equal(ours.head(len(wanted)), wanted, check_dtype=False, rtol=1e-12)


def _whole(text):
    try:
        return str(int(float(text)))
    except ValueError:
        return text.lower()


def python_of(params):
    """Recorded parameters as values."""
    found = {}
    for name, value in params.items():
        if isinstance(value, str):
            try:
                value = (
                    {"None": None, "True": True, "False": False}[value]
                    if value in ("None", "True", "False")
                    else (
                        float(value)
                        if "." in value
                        else tuple(map(int, value.strip("()").split(",")))
                        if "," in value
                        else int(value)
                    )
                )
            except ValueError:
                pass
        if value is not None:
            found[name] = value
    return found


# Of HTA's CallGraph, which the counters' frame has beside it.
OF_CALL_GRAPH = {
    "depth",
    "height",
    "parent",
    "num_kernels",
    "kernel_dur_sum",
    "kernel_span",
    "first_kernel_start",
    "last_kernel_end",
}
CHECKS = {
    "temporal_breakdown": Recorded.temporal_breakdown,
    "comm_comp_overlap": Recorded.comm_comp_overlap,
    "gpu_kernel_breakdown": Recorded.gpu_kernel_breakdown,
    "idle_time_breakdown": Recorded.idle_time_breakdown,
    "cuda_kernel_launch_stats": Recorded.cuda_kernel_launch_stats,
    "queue_length_time_series": Recorded.queue_length_time_series,
    "queue_length_summary": Recorded.queue_length_summary,
    "time_blocked_on_full_queue": Recorded.time_blocked_on_full_queue,
    "memory_bw_time_series": Recorded.memory_bw_time_series,
    "memory_bw_summary": Recorded.memory_bw_summary,
    "gpu_user_annotation_breakdown": Recorded.gpu_user_annotation_breakdown,
    "cpu_user_annotation_breakdown": Recorded.cpu_user_annotation_breakdown,
    "aten_op_kernels_and_delay": Recorded.aten_op_kernels_and_delay,
    "gpu_kernels_with_user_annotations": Recorded.gpu_kernels_with_user_annotations,
    "frequent_cuda_kernel_sequences": Recorded.frequent_cuda_kernel_sequences,
    "cupti_counters": Recorded.cupti_counters,
    "profiler_steps": Recorded.profiler_steps,
    "potential_stragglers": Recorded.potential_stragglers,
    "iterations": Recorded.iterations,
    "trace_duration": Recorded.trace_duration,
    "trace_start_unixtime_ns": Recorded.trace_start_unixtime_ns,
    "rank_map": Recorded.rank_map,
    "symbol_classes": Recorded.symbol_classes,
    "load": Recorded.loaded,
    "load_include_last_step": Recorded.loaded_with_last_step,
    "parse_only": Recorded.parsed,
    "trace_with_counters": Recorded.trace_with_counters,
    "critical_path": Recorded.critical_path,
    "critical_path_overlay": Recorded.critical_path_overlay,
    "filters": Recorded.filters,
    "nccl_args": Recorded.nccl_args,
    "validate_trace": Recorded.validate_trace,
    "call_graph": Recorded.call_graph,
    "execution_trace_correlation": Recorded.execution_trace_correlation,
}
MAY_BE_NONE = (
    "gpu_user_annotation_breakdown",
    "cpu_user_annotation_breakdown",
    "queue_length_summary",
    "memory_bw_summary",
)


@unittest.skipUnless(os.path.isdir(EXPECTED), "there are no recorded results in ../shared/expected")
class RecordedByHta(unittest.TestCase):
    def test_every_set(self):
        compared, complaints = 0, []
        for name in sorted(os.listdir(EXPECTED)):
            if "_vs_" in name:
                continue
            one = Recorded(name)
            one.run()
            compared += one.compared
            complaints += one.complaints
        print(f"{compared} results compared, {len(complaints)} differ")
        self.assertEqual(len(complaints), 0, "\n".join(complaints))

    def test_comparisons(self):
        """TraceDiff of two sets: by folders, Trace objects and LabeledTrace objects."""
        folder = os.path.join(EXPECTED, "trace_diff__control_vs_test")
        for file in sorted(os.listdir(folder)):
            with open(os.path.join(folder, file), encoding="utf-8") as opened:
                recorded = json.load(opened)
            control, test = [
                os.path.dirname(os.path.join(program.REAL_TRACES, "hta", one.replace("tests/data/", "", 1)))
                for one in recorded["trace_files"]
            ]
            params = python_of(recorded["params"])
            if "device_type" in params:
                params["device_type"] = DeviceType[params["device_type"].split(".")[1]]
            kinds = (
                (control, test),
                (Trace(trace_dir=control), Trace(trace_dir=test)),
                (LabeledTrace("Control", trace_dir=control), LabeledTrace("Test", trace_dir=test)),
            )
            for pair in kinds:
                with self.subTest(file=file, kind=type(pair[0]).__name__):
                    if recorded["analysis"].startswith("ops_diff"):
                        self.assertEqual(TraceDiff.ops_diff(*pair, **params), recorded["result"])
                        continue
                    theirs = frame_of(recorded["result"])
                    assert_frame_equal(TraceDiff.compare_traces(*pair, **params), theirs)


class Small(unittest.TestCase):
    """Jobs of tests/golden and simulated ones, which need nothing beside the checkout."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.two_ranks = os.path.join(GOLDEN, "two_ranks")
        cls.job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", cls.job, "--ranks", "2", "--steps", "4", "--events", "8000")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_a_walk_as_notebooks_go(self):
        analyzer = TraceAnalysis(trace_dir=self.job)
        time_spent = analyzer.get_temporal_breakdown(visualize=False)
        self.assertEqual(list(time_spent["rank"]), [0, 1])
        parts = time_spent[["idle_time(us)", "compute_time(us)", "non_compute_time(us)"]].sum(axis=1)
        assert_series_equal(parts, time_spent["kernel_time(us)"], check_names=False)
        types, kernels = analyzer.get_gpu_kernel_breakdown(visualize=False, num_kernels=5)
        self.assertAlmostEqual(types["percentage"].sum(), 100, delta=1)
        self.assertEqual(set(kernels["rank"]), {0, 1})
        overlap = analyzer.get_comm_comp_overlap(visualize=False)
        self.assertTrue(overlap["comp_comm_overlap_pctg"].between(0, 100).all())
        idle, stats = analyzer.get_idle_time_breakdown(ranks=[0, 1], visualize=False, show_idle_interval_stats=True)
        self.assertTrue(set(idle["idle_category"]) <= {"host_wait", "kernel_wait", "other"})
        self.assertEqual(list(idle.index[idle["rank"] == 1])[0], 0)
        self.assertEqual(stats.index.name, "idle_category")
        self.assertIsNone(analyzer.get_idle_time_breakdown(visualize=False)[1])
        launches = analyzer.get_cuda_kernel_launch_stats(ranks=[1], visualize=False)
        self.assertEqual(list(launches), [1])
        self.assertGreater(len(launches[1]), 0)
        series = analyzer.get_queue_length_time_series()
        self.assertEqual(list(series), [0])
        summary = analyzer.get_queue_length_summary()
        assert_frame_equal(analyzer.get_queue_length_summary_from_time_series(series), summary)
        self.assertEqual(summary.index.names, ["rank", "stream"])
        blocked = analyzer.get_time_spent_blocked_on_full_queue(series, max_queue_length=1)
        self.assertEqual(len(blocked), 1)
        self.assertEqual(analyzer.get_profiler_steps(), analyzer.t.get_iterations())
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            graph, ok = analyzer.critical_path_analysis(0, "ProfilerStep", 1)
            self.assertTrue(ok)
            self.assertAlmostEqual(graph.summary().sum(), 100)
        path = analyzer.overlay_critical_path_analysis(0, graph, os.path.join(self.temporary.name, "overlaid"))
        self.assertTrue(os.path.basename(path).startswith("overlaid_critical_path_"))

    def test_the_data_frame(self):
        """By hand: events of rank 0 of golden/two_ranks, whose file begins at 1000."""
        analyzer = TraceAnalysis(trace_dir=self.two_ranks)
        self.assertEqual(analyzer.t.min_ts, 1000)
        self.assertEqual(analyzer.t.get_ranks(), [0, 1])
        frame = analyzer.t.get_trace(0)
        self.assertEqual(list(frame["ts"]), [0, 8, 10, 18, 20, 15, 40])
        self.assertEqual(list(frame["dur"]), [100, 8, 5, 10, 5, 25, 60])
        self.assertEqual(list(frame["end"]), [1100, 1016, 1015, 1028, 1025, 1040, 1100])
        self.assertEqual(list(frame["index_correlation"]), [-1, -1, 5, -1, 6, 2, 4])
        self.assertEqual(set(frame["iteration"]), {3})
        self.assertEqual(list(frame.index), list(range(7)))
        analyzer.t.decode_symbol_ids()
        self.assertEqual(frame["s_name"][5], "ampere_bf16_gemm")
        self.assertEqual(analyzer.t.symbol_table.sym_table[frame["name"][5]], "ampere_bf16_gemm")
        self.assertEqual(frame["collective_name"][6], "allreduce")
        self.assertEqual(frame["input_dims"][0], "-1")
        self.assertEqual(analyzer.t.get_trace_duration(0), 40)
        self.assertEqual(analyzer.t.get_trace_start_unixtime_ns(0), 1712345678001000000)
        self.assertEqual(analyzer.t.meta_data[1]["distributedInfo"]["rank"], 1)
        self.assertEqual(trace_event_timestamp_to_unixtime_ns(2.5, analyzer.t.meta_data[1]), 1712345678000002500)
        pairs = get_cpu_gpu_correlation(frame)
        self.assertEqual(pairs.to_dict("list"), {"gpu_index": [5, 6], "cpu_index": [2, 4]})
        self.assertEqual(analyzer.t.meta_data[0]["deviceProperties"][0]["numSms"], 132)
        self.assertIs(analyzer.t.get_trace(0), frame)
        frame["mine"] = 1
        self.assertIn("mine", analyzer.t.get_all_traces()[0])

    def test_time_0_is_the_first_event_of_all_ranks(self):
        """Rank 1 begins 500 later than rank 0, and is asked alone."""
        folder = os.path.join(self.temporary.name, "later")
        for rank, begin in ((0, 1000), (1, 1500)):
            common = {"ph": "X", "pid": 1, "tid": 1}
            events = [
                {**common, "cat": "cpu_op", "name": "aten::mm", "ts": begin, "dur": 30},
                {
                    **common,
                    "cat": "cuda_runtime",
                    "name": "cudaLaunchKernel",
                    "ts": begin + 10,
                    "dur": 5,
                    "args": {"correlation": 1},
                },
                {
                    "ph": "X",
                    "pid": 0,
                    "tid": 7,
                    "cat": "kernel",
                    "name": "gemm",
                    "ts": begin + 20,
                    "dur": 5,
                    "args": {"correlation": 1, "stream": 7},
                },
            ]
            content = {"distributedInfo": {"rank": rank}, "traceEvents": events}
            trace_file.write_trace(content, os.path.join(folder, f"rank{rank}.json"))
        analyzer = TraceAnalysis(trace_dir=folder)
        self.assertEqual(analyzer.t.min_ts, 1000)
        self.assertEqual(list(analyzer.t.get_trace(1)["ts"]), [500, 510, 520])
        alone = analyzer.get_queue_length_time_series([1])[1]
        self.assertEqual(list(alone["ts"]), [510, 520])
        assert_frame_equal(analyzer.get_queue_length_time_series([0, 1])[1], alone)
        graph, _ = analyzer.critical_path_analysis(1, "", None)
        self.assertEqual([graph.node_list[node].ts for node in graph.critical_path_nodes], [500, 510, 515, 530])

    def test_the_graph_of_a_critical_path(self):
        """By hand: the gemm (event 5) is launched by event 2 and delays the all-reduce (event 6), which event 4 launches."""
        analyzer = TraceAnalysis(trace_dir=self.two_ranks)
        graph, ok = analyzer.critical_path_analysis(0, "ProfilerStep", None)
        self.assertTrue(ok)
        self.assertTrue(graph._validate_graph())
        self.assertEqual(graph.edges(), list(graph.edges))
        listed = graph.edges(data=True)
        self.assertEqual([(*nodes, graph.edges[nodes]) for nodes in graph.edges], listed)
        overlaid = analyzer.overlay_critical_path_analysis(0, graph, os.path.join(self.temporary.name, "overlaid"))
        arrows = [event for event in trace_file.read_trace(overlaid)["traceEvents"] if event["ph"] in "sf"]
        self.assertEqual({event["args"]["type"] for event in arrows}, {"critical_path_kernel_launch_delay"})
        self.assertEqual([event["cat"] for event in arrows], [event["args"]["type"] for event in arrows])
        path = [(graph.node_list[node].ev_idx, graph.node_list[node].is_start) for node in graph.critical_path_nodes]
        self.assertEqual(path, [(1, True), (2, True), (5, True), (5, False), (6, True), (6, False)])
        launch, gemm = graph.get_nodes_for_event(2)[0], graph.get_nodes_for_event(5)[0]
        edge = graph.edges[launch.idx, gemm.idx]["object"]
        self.assertEqual(edge, CPEdge(launch.idx, gemm.idx, CPEdgeType.KERNEL_LAUNCH_DELAY, 5))
        self.assertIsNone(graph.get_event_attribution_for_edge(edge))
        self.assertEqual(graph.get_events_for_edge(edge), (2, 5))
        self.assertEqual([one.weight for one in graph.get_edges_attributed_to_event(6)], [60])
        later = (graph.get_nodes_for_event(4)[0].idx, graph.get_nodes_for_event(6)[0].idx)
        self.assertNotIn(later, graph.edges)
        with unittest.mock.patch.dict(os.environ, {"CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE": "1"}):
            graph, _ = analyzer.critical_path_analysis(0, "ProfilerStep", (0, 0))
        self.assertEqual(graph.edges[later]["weight"], 0)
        # Were the gemm for free, the all-reduce would be late by its own launch: 2 + 5 + 1 + 2 and its 60 are more than 2 + 5 and 60.
        begin, end = graph.get_nodes_for_event(5)
        graph.edges[begin.idx, end.idx]["weight"] = 0
        self.assertTrue(graph.critical_path())
        path = [(graph.node_list[node].ev_idx, graph.node_list[node].is_start) for node in graph.critical_path_nodes]
        on_host = [(1, True), (2, True), (2, False), (1, False), (3, True), (4, True)]
        self.assertEqual(path, [*on_host, (6, True), (6, False)])
        self.assertEqual(graph.critical_path_events_set, {1, 2, 3, 4, 6})
        self.assertEqual(graph.get_critical_path_breakdown()["duration"].sum(), 70)

    def test_data_loading_on_the_critical_path(self):
        """By hand: a loader from 0 to 30 with an op from 10 to 15 within, then an op from 30 to 50 that launches a kernel at 35.

        The loader's own time is 25; the op is host time of 5, its follower 5 before the launch; the kernel is 10 behind it and takes 40.
        """
        folder = os.path.join(self.temporary.name, "loader")

        def event(category, name, ts, dur, **arguments):
            return {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": 1,
                "tid": 1,
                "ts": ts,
                "dur": dur,
                "args": arguments,
            }

        events = [
            event("user_annotation", "ProfilerStep#1", 0, 100),
            event("user_annotation", "enumerate(DataLoader)#__next__", 0, 30),
            event("cpu_op", "aten::stack", 10, 5),
            event("cpu_op", "aten::mm", 30, 20),
            event("cuda_runtime", "cudaLaunchKernel", 35, 5, correlation=1),
            {**event("kernel", "gemm", 45, 40, stream=7, correlation=1), "pid": 0, "tid": 7},
        ]
        for rank in range(2):
            moved = [{**one, "ts": one["ts"] + 1000 + 7 * rank} for one in events]
            content = {"distributedInfo": {"rank": rank}, "traceEvents": moved}
            trace_file.write_trace(content, os.path.join(folder, f"rank{rank}.json"))
        analyzer = TraceAnalysis(trace_dir=folder)
        for rank in range(2):
            graph, ok = analyzer.critical_path_analysis(rank, "ProfilerStep", 0, data_load_events=["DataLoader"])
            self.assertTrue(ok)
            rows = graph.get_critical_path_breakdown()
            loading = rows[rows["bound_by"].eq("data_loading")]
            self.assertEqual(loading["event_idx"].tolist(), [1, 1])
            self.assertEqual(loading["duration"].tolist(), [10, 15])
            symbols = analyzer.t.symbol_table.sym_table
            self.assertEqual([symbols[int(place)] for place in loading["cat"]], ["user_annotation"] * 2)
            of_bounds = rows.groupby("bound_by")["duration"].sum().to_dict()
            expected = {"cpu_bound": 10, "data_loading": 25, "gpu_compute_bound": 40, "gpu_kernel_launch_overhead": 10}
            self.assertEqual({name: of_bounds[name] for name in expected}, expected)
            self.assertEqual(graph.get_nodes_for_event(1)[0].ts, 7 * rank)
            self.assertEqual((graph._get_node_name(5), graph._get_node_name(-1)), ("gemm", "ROOT"))
            restored = restore_cpgraph(graph.save(os.path.join(folder, "graph")), analyzer.t, rank)
            assert_frame_equal(restored.get_critical_path_breakdown(), rows)
            unnamed, _ = analyzer.critical_path_analysis(rank, "ProfilerStep", 0)
            self.assertNotIn("data_loading", set(unnamed.get_critical_path_breakdown()["bound_by"]))
            self.assertIsNone(unnamed.get_nodes_for_event(1)[0])

    def test_weights_below_zero_can_be_refused(self):
        """Two ops of a thread that overlap, from 100 to 160 and from 110 to 170, give an edge of -10."""
        path = os.path.join(self.temporary.name, "overlap.json")
        event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "dur": 60}
        launch = {
            **event,
            "cat": "cuda_runtime",
            "name": "cudaLaunchKernel",
            "ts": 120,
            "dur": 5,
            "args": {"correlation": 1},
        }
        kernel = {
            **launch,
            "cat": "kernel",
            "name": "gemm",
            "pid": 0,
            "tid": 7,
            "ts": 130,
            "args": {"correlation": 1, "stream": 7},
        }
        events = [{**event, "ts": 100}, {**event, "ts": 110}, launch, kernel]
        trace_file.write_trace({"traceEvents": events}, path)
        analyzer = TraceAnalysis(trace_files={0: path})
        self.assertTrue(analyzer.critical_path_analysis(0, "", None)[1])
        with unittest.mock.patch.dict(os.environ, {"CRITICAL_PATH_STRICT_NEGATIVE_WEIGHT_CHECKS": "1"}):
            graph, ok = analyzer.critical_path_analysis(0, "", None)
        self.assertEqual((ok, graph.critical_path_nodes), (False, []))

    def test_times_are_those_of_the_file_before_ranks_are_aligned(self):
        trace = Trace(trace_dir=self.two_ranks)
        self.assertFalse(trace.is_parsed)
        trace.parse_traces()
        self.assertTrue(trace.is_parsed)
        self.assertEqual(trace.min_ts, 0)
        self.assertEqual(trace.get_trace(0)["ts"].min(), 1000)
        trace.align_and_filter_trace()
        self.assertEqual(trace.get_trace(0)["ts"].min(), 0)
        one = Trace(trace_dir=self.two_ranks)
        one.parse_traces(max_ranks=1)
        self.assertEqual(one.get_ranks(), [0])

    def test_traces_that_the_caller_filled(self):
        """Trace.__new__ with attributes of the caller's, which need no files."""
        trace = Trace.__new__(Trace)
        trace.trace_files, trace.trace_path = {3: "rank3.json", 4: "/abs/rank4.json"}, "/data"
        trace.traces = {
            rank: pd.DataFrame({"ts": [ts, ts + 10], "iteration": [-1, 5]}) for rank, ts in ((3, 7), (4, 5))
        }
        trace.meta_data = {3: {"baseTimeNanoseconds": 100, "device_type": "GPU"}}
        trace.symbol_table = TraceSymbolTable()
        trace.align_and_filter_trace()
        self.assertEqual(
            (trace.min_ts, trace.traces[3]["ts"].tolist(), trace.traces[4]["ts"].tolist()), (5, [2, 12], [0, 10])
        )
        self.assertEqual((trace.get_ranks(), trace._get_first_rank(), trace._get_first_rank(4)), ([3, 4], 3, 4))
        self.assertEqual(
            (trace.get_iterations(), trace.get_trace_duration(4), trace.get_device_type()), ([5], 10, "GPU")
        )
        self.assertEqual(trace.get_trace_start_unixtime_ns(3), 5100)
        with self.assertRaisesRegex(ValueError, "No trace found of rank 9"):
            trace.get_trace_start_unixtime_ns(9)
        trace._normalize_trace_filenames()
        self.assertEqual(trace.trace_files, {3: "/data/rank3.json", 4: "/abs/rank4.json"})
        self.assertFalse(trace._validate_trace_files())
        trace.trace_files = {0: __file__}
        self.assertFalse(trace._validate_trace_files())
        trace.trace_files = {0: os.path.join(self.two_ranks, "rank0.json")}
        self.assertTrue(trace._validate_trace_files())
        trace.trace_files = {}
        trace.parse_traces()
        self.assertFalse(trace.is_parsed)
        trace.trace_files = "rank0.json"
        with self.assertRaisesRegex(ValueError, "Expected trace_files to be a dict"):
            trace._normalize_trace_filenames()
        empty = Trace.__new__(Trace)
        empty.traces = {}
        empty.align_and_filter_trace()
        self.assertEqual((empty.traces, empty._get_first_rank()), ({}, -1))

    def test_frames_are_filtered_in_place(self):
        trace = Trace(trace_dir=self.job)
        trace.parse_traces(max_ranks=1)
        whole = len(trace.get_trace(0))
        with unittest.mock.patch.object(trace.symbol_table, "get_profiler_step_ids", return_value=[1]):
            trace._filter_irrelevant_gpu_kernels()
        self.assertEqual(len(trace.get_trace(0)), whole)
        trace._filter_irrelevant_gpu_kernels()
        filtered = TraceAnalysis(trace_dir=self.job).t.get_trace(0)
        self.assertLess(len(filtered), whole)
        self.assertEqual(trace.get_trace(0)["index"].tolist(), filtered["index"].tolist())
        with self.assertWarns(DeprecationWarning):
            trace._fix_mtia_memory_kernels(filtered)

    def test_fractions_of_microseconds(self):
        """HTA_DISABLE_NS_ROUNDING=1 leaves times in data frames as the file has them; files without fractions are as ever."""
        path = os.path.join(self.temporary.name, "fractions.json")
        event = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1}
        times = ((10.25, 2.5), (13.5, 0.25))
        trace_file.write_trace({"traceEvents": [{**event, "ts": ts, "dur": dur} for ts, dur in times]}, path)
        rounded = TraceAnalysis(trace_files={0: path}).t.get_trace(0)
        self.assertEqual(rounded[["ts", "dur", "end"]].values.tolist(), [[0, 1, 12], [3, -1, 13]])
        with unittest.mock.patch.dict(os.environ, {"HTA_DISABLE_NS_ROUNDING": "1"}):
            self.assertIn("disable_ns_rounding=True, HTA_DISABLE_NS_ROUNDING=1\n", env_options.get_options())
            parsed = parse_trace_file(path)[1]
            loaded = TraceAnalysis(trace_files={0: path}).t
            whole = parse_trace_file(os.path.join(self.two_ranks, "rank0.json"))[1]
        self.assertEqual(parsed[["ts", "dur", "end"]].values.tolist(), [[10.25, 2.5, 12.75], [13.5, 0.25, 13.75]])
        self.assertEqual(loaded.min_ts, 10.25)
        self.assertEqual(
            loaded.get_trace(0)[["ts", "dur", "end"]].values.tolist(), [[0, 2.5, 12.75], [3.25, 0.25, 13.75]]
        )
        assert_frame_equal(whole, parse_trace_file(os.path.join(self.two_ranks, "rank0.json"))[1])
        round_down_time_stamps(parsed)
        self.assertEqual(parsed[["ts", "dur"]].values.tolist(), [[11, 1], [14, -1]])

    def test_the_last_step(self):
        path = os.path.join(self.temporary.name, "three_steps.json")
        events = [
            {
                "ph": "X",
                "cat": "user_annotation",
                "name": f"ProfilerStep#{step}",
                "pid": 1,
                "tid": 1,
                "ts": step * 10,
                "dur": 10,
            }
            for step in (4, 5, 6)
        ]
        trace_file.write_trace({"traceEvents": events}, path)
        self.assertEqual(TraceAnalysis({0: path}).get_profiler_steps(), [4, 5])
        self.assertEqual(TraceAnalysis({0: path}, include_last_profiler_step=True).get_profiler_steps(), [4, 5, 6])
        self.assertEqual(LabeledTrace(t=Trace({0: path})).iterations(), [4, 5, 6])

    def test_traces_of_several_runs(self):
        """HTA takes what it is given, whether the recordings belong together or not."""
        files = {0: os.path.join(self.two_ranks, "rank0.json"), 1: Trace(trace_dir=self.job).trace_files[1]}
        self.assertEqual(TraceAnalysis(files).t.get_ranks(), [0, 1])

    def test_ranks_as_the_caller_names_them(self):
        files = Trace(trace_dir=self.job).trace_files
        analyzer = TraceAnalysis(trace_files={10: files[0], 7: os.path.basename(files[1])}, trace_dir=self.job)
        self.assertEqual(analyzer.t.get_ranks(), [7, 10])
        named = analyzer.get_temporal_breakdown(visualize=False).set_index("rank")
        plain = TraceAnalysis(trace_dir=self.job).get_temporal_breakdown(visualize=False).set_index("rank")
        self.assertEqual(named.loc[10].tolist(), plain.loc[0].tolist())
        self.assertEqual(named.loc[7].tolist(), plain.loc[1].tolist())
        self.assertEqual(list(analyzer.get_cuda_kernel_launch_stats([7], visualize=False)), [7])
        listed = Trace(trace_files=[files[1]])
        self.assertEqual(list(listed.trace_files), [1])

    def test_stragglers_by_hand(self):
        """Rank 1 begins its all-reduce at 80, rank 0 at 40: the later one is the straggler, the other one not."""
        analyzer = TraceAnalysis(trace_dir=self.two_ranks)
        self.assertEqual(analyzer.get_potential_stragglers(num_candidates=1), [1])
        self.assertEqual(sorted(analyzer.get_potential_stragglers()), [0, 1])
        self.assertEqual(analyzer.get_potential_stragglers(profiler_steps=[3], num_candidates=-1), [1])
        with self.assertRaisesRegex(ValueError, r"none of the steps \[99\] is in the traces, which have \[3\]"):
            analyzer.get_potential_stragglers(profiler_steps=[99])
        seen = []

        def mine(events, symbols, most, visualize):
            seen.append((sorted(events["rank"].unique()), type(symbols).__name__, most, visualize))
            return pd.Series({0: 5, 1: 2})

        self.assertEqual(analyzer.get_potential_stragglers(straggler_identification_impl=mine), [0, 1])
        self.assertEqual(seen, [([0, 1], "TraceSymbolTable", 2, False)])

    def test_what_hta_fails_on_has_an_answer(self):
        """A trace without device work, one of one rank, and one without steps."""
        path = os.path.join(self.temporary.name, "host_only.json")
        event = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 5, "dur": 2}
        trace_file.write_trace({"traceEvents": [event]}, path)
        analyzer = TraceAnalysis(trace_files={0: path})
        self.assertTrue(analyzer.get_temporal_breakdown(visualize=False).empty)
        self.assertTrue(analyzer.get_idle_time_breakdown(visualize=False)[0].empty)
        self.assertTrue(analyzer.get_cuda_kernel_launch_stats(visualize=False)[0].empty)
        self.assertEqual(analyzer.get_queue_length_time_series(), {})
        self.assertIsNone(analyzer.get_queue_length_summary())
        self.assertIsNone(analyzer.get_memory_bw_summary())
        self.assertIsNone(analyzer.get_gpu_user_annotation_breakdown(visualize=False))
        self.assertIsNone(analyzer.get_gpu_kernels_with_user_annotations(0))
        self.assertEqual(analyzer.get_potential_stragglers(), [])
        self.assertEqual(analyzer.get_cupti_counter_data_with_operators(), [])
        graph, ok = analyzer.critical_path_analysis(0, "ProfilerStep", None)
        self.assertFalse(ok)
        self.assertIsNone(graph.get_critical_path_breakdown())
        with self.assertRaises(KeyError):
            analyzer.t.get_trace_start_unixtime_ns(0)

    def test_counters_are_written_into_traces(self):
        folder = os.path.join(self.temporary.name, "counted")
        shutil.copytree(self.two_ranks, folder)
        analyzer = TraceAnalysis(trace_dir=folder)
        analyzer.generate_trace_with_counters(TimeSeriesTypes.QUEUE_LENGTH, ranks=[1])
        file = analyzer.t.trace_files[1].replace(".json", "_with_counters.json")
        events = [event for event in trace_file.read_trace(file)["traceEvents"] if event["ph"] == "C"]
        # Two launches at 1010 and 1020, whose work begins at 1015 and 1080.
        self.assertEqual(
            [(event["ts"], event["id"], event["args"]) for event in events],
            [(ts, 7, {"Queue Length": length}) for ts, length in ((1010, 1), (1015, 0), (1020, 1), (1080, 0))],
        )

    def test_sequences_mark_a_trace(self):
        analyzer = TraceAnalysis(trace_dir=self.two_ranks)
        with tempfile.TemporaryDirectory() as folder:
            found = analyzer.get_frequent_cuda_kernel_sequences("aten::mm", folder, min_pattern_len=1)
            self.assertEqual(
                found.to_dict("records"),
                [
                    {
                        "pattern": "aten::mm|ampere_bf16_gemm",
                        "count": 1,
                        "GPU kernel duration (us)": 25.0,
                        "CPU op duration (us)": 8,
                    }
                ],
            )
            (name,) = os.listdir(folder)
            events = trace_file.read_trace(os.path.join(folder, name))["traceEvents"]
        marked = [place for place, event in enumerate(events) if "Patterns" in event.get("args", {})]
        self.assertEqual(marked, [1, 2, 5])
        self.assertTrue(analyzer.get_frequent_cuda_kernel_sequences("", folder).empty)
        self.assertTrue(analyzer.get_frequent_cuda_kernel_sequences("aten::mm", "/no/such/folder").empty)

    def test_two_traces(self):
        base, test = [os.path.join(GOLDEN, "pair", side) for side in ("base", "test")]
        diff = TraceDiff.compare_traces(base, test)
        self.assertEqual(
            list(diff.columns),
            ["Control_counts", "Control_total_duration", "Test_counts", "Test_total_duration"]
            + ["diff_counts", "diff_duration", "counts_change_categories"],
        )
        rows = program.table("hta.trace_diff", base, test)
        self.assertEqual(
            {row["name"]: (row["diff_counts"], row["diff_duration"]) for row in rows},
            {name: (row.diff_counts, row.diff_duration) for name, row in diff.iterrows()},
        )
        ops = TraceDiff.ops_diff(base, test)
        self.assertEqual(set(ops), {"added", "deleted", "increased", "decreased", "unchanged"})
        labelled = LabeledTrace("mine", trace_dir=base)
        self.assertEqual(labelled.ranks(), labelled.t.get_ranks())
        events = labelled.extract_ops(device_type=DeviceType.GPU)
        self.assertTrue(events["stream"].ne(-1).all())
        summary = labelled.get_ops_summary(events)
        self.assertEqual(summary["counts"].sum(), len(events))
        self.assertIn("mine_counts", TraceDiff.compare_traces(labelled, test).columns)
        with self.assertRaisesRegex(ValueError, "mine has no rank 77: it has"):
            labelled.extract_ops(rank=77)
        with self.assertRaisesRegex(ValueError, "mine has no iteration 77: it has"):
            labelled.extract_ops(iteration=[77])
        with self.assertRaisesRegex(ValueError, "there is no folder /no/such"):
            LabeledTrace(trace_dir="/no/such")
        with self.assertRaisesRegex(ValueError, "a folder, a Trace or a LabeledTrace, not 7"):
            TraceDiff.compare_traces(7, test)

    def test_errors_are_sentences(self):
        with self.assertRaisesRegex(LookupError, "/no/such/folder"):
            TraceAnalysis(trace_dir="/no/such/folder")
        for kind in (LookupError, ValueError):
            with self.assertRaisesRegex(kind, "validation failed: there is no trace file /no/such.json"):
                TraceAnalysis(trace_files={0: "/no/such.json"})
        with self.assertLogs("hta", "ERROR") as told:
            self.assertFalse(hasattr(Trace(trace_files=7), "traces"))
        self.assertIn("trace_files is a dict from ranks to files or a list of files, not 7", told.output[0])
        with self.assertRaisesRegex(ValueError, "trace_files is a dict from ranks to files or a list of files"):
            TraceAnalysis(trace_files=7)
        analyzer = TraceAnalysis(trace_dir=self.two_ranks)
        with self.assertRaisesRegex(ValueError, r"there is no trace of rank 9: there are ranks \[0, 1\]"):
            analyzer.get_queue_length_summary([9])
        with self.assertRaisesRegex(ValueError, r"there is no trace of rank 9: there are ranks \[0, 1\]"):
            analyzer.t.get_trace(9)
        with self.assertRaisesRegex(ValueError, "duration_ratio must be a number from 0 to 1"):
            analyzer.get_gpu_kernel_breakdown(visualize=False, duration_ratio=7)

    def test_files_of_one_rank(self):
        """The caller says which rank each is of, as in HTA; only what is over all ranks needs a job."""
        file = os.path.join(self.two_ranks, "rank0.json")
        copied = shutil.copy(file, os.path.join(self.temporary.name, "copied.json"))
        for second in (file, copied):
            analyzer = TraceAnalysis(trace_files={0: file, 1: second})
            self.assertEqual(analyzer.t.get_ranks(), [0, 1])
            self.assertEqual(list(analyzer.t.get_trace(1)["ts"]), [0, 8, 10, 18, 20, 15, 40])
            times = analyzer.get_temporal_breakdown(visualize=False)
            self.assertEqual(
                times.drop(columns="rank").values[0].tolist(), times.drop(columns="rank").values[1].tolist()
            )
            self.assertEqual(list(times["rank"]), [0, 1])
            with self.assertRaisesRegex(ValueError, "these files make no job together: two of them are of one rank"):
                analyzer.get_gpu_kernel_breakdown(visualize=False)

    def test_files_that_are_lists(self):
        """As JAX's and other tools write them, without anything beside the events."""
        path = os.path.join(self.temporary.name, "list.json")
        event = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 5, "dur": 2}
        with open(path, "w", encoding="utf-8") as file:
            json.dump([event], file)
        trace = TraceAnalysis({0: path}).t
        self.assertEqual(dict(trace.meta_data[0]), {"device_type": "UNKNOWN GPU"})
        self.assertEqual(trace.get_raw_trace_for_one_rank(), {"traceEvents": [event]})

    def test_files_say_their_rank(self):
        path = os.path.join(self.temporary.name, "ranked", "trace.json.gz")
        trace_file.write_trace({"traceEvents": []}, path)
        trace_file.update_trace_rank(path, 99)
        self.assertEqual(trace_file.read_trace(path), {"traceEvents": [], "distributedInfo": {"rank": 99}})
        with self.assertRaisesRegex(ValueError, "ends in '.gz' or 'json'"):
            trace_file.write_trace({}, "trace.txt")
        self.assertEqual(trace_file.get_trace_files("/no/such/folder"), {})

    def test_call_graph(self):
        trace = TraceAnalysis(trace_dir=os.path.join(GOLDEN, "two_ranks")).t
        graph = CallGraph(trace, ranks=[0])
        self.assertEqual(graph.mapping.values.tolist(), [[0, 10, 10, "main", 0, -10, 1]])
        frame = trace.get_trace(0)
        self.assertEqual(list(frame["parent"]), [-10, 0, 1, 0, 3, 2, 4])
        self.assertEqual(list(frame["num_kernels"]), [2, 1, 1, 1, 1, 1, 1])
        self.assertEqual(list(frame["kernel_span"]), [85, 25, 25, 60, 60, 25, 60])
        self.assertEqual(list(graph.get_stack_of_node(5).index), [0, 1, 2, 5])
        self.assertEqual(list(graph.get_stack_of_node(1, skip_ancestors=True).index), [1, 2, 5])
        stack = graph.get_csg_of_node(6)
        self.assertEqual(stack.identity, (0, 10, 10))
        self.assertEqual(stack.get_path_to_root(6), [6, 4, 3, 0, -10])
        self.assertEqual(stack.get_leaf_nodes(), [5, 6])
        self.assertEqual(stack.get_paths_to_leaves(1), [[1, 2, 5]])
        with self.assertRaisesRegex(ValueError, "rank 0 has no event 77"):
            graph.get_stack_of_node(77)

    def test_call_graph_of_all_steps(self):
        """What was parsed and not filtered has stacks in the last step, too."""
        trace = TraceCollection(trace_dir=self.job)
        trace.parse_traces(max_ranks=1)
        frame = trace.get_trace(0)
        graph = CallGraph(trace)
        host = frame[frame["pid"].ne(0)]
        self.assertEqual(sorted(host["iteration"].unique())[-4:], [10, 11, 12, 13])
        self.assertTrue(host["depth"].ge(0).all())
        stack = next(graph.get_call_stacks(rank=0))
        self.assertEqual(list(stack.get_depth()), list(frame.loc[stack.get_dataframe()["index"], "depth"]))
        self.assertEqual((stack.get_parent(-77), stack.get_root(-77), stack.get_children(-77)), (-2, -1, []))
        entered, left = [], []
        stack.dfs_traverse(lambda node, _: entered.append(node), lambda node, _: left.append(node))
        self.assertEqual((entered[0], left[-1]), (stack.root_index, stack.root_index))
        self.assertEqual(sorted(entered), sorted(stack.get_descendants(stack.root_index)))

    def test_call_graph_of_a_frame(self):
        """Without the op of golden/two_ranks that is around a launch, the launch is in the step."""
        trace = TraceAnalysis(trace_dir=self.two_ranks).t
        whole = CallGraph.from_dataframe(trace.get_trace(0), trace.symbol_table, rank=4)
        self.assertEqual(list(whole.trace_data.get_trace(4)["parent"]), [-10, 0, 1, 0, 3, 2, 4])
        part = CallGraph.from_dataframe(trace.get_trace(0).drop(index=[1]), trace.symbol_table)
        frame = part.trace_data.get_trace(-1)
        self.assertEqual(frame["parent"].to_dict(), {0: -10, 2: 0, 3: 0, 4: 3, 5: 2, 6: 4})
        self.assertEqual(list(part.get_stack_of_node(5).index), [0, 2, 5])
        with self.assertRaisesRegex(ValueError, "the events have no column pid, tid"):
            CallGraph.from_dataframe(trace.get_trace(0).drop(columns=["pid", "tid"]), trace.symbol_table)

    def test_stacks_of_frames(self):
        """Two calls in an op; an event of no duration at the op's end; an op that begins there; device work."""
        rows = [  # index, ts, dur, tid, stream, index_correlation
            (0, 0, 20, 1, -1, -1),
            (1, 2, 3, 1, -1, 5),
            (2, 8, 4, 1, -1, -1),
            (3, 20, 0, 1, -1, -1),
            (4, 30, 5, 2, -1, -1),
            (5, 9, 9, 7, 7, 1),
        ]
        columns = ["index", "ts", "dur", "tid", "stream", "index_correlation"]
        events = pd.DataFrame(rows, columns=columns, index=[row[0] for row in rows]).assign(pid=1)
        thread = call_stack.CallStackGraph(events[events["tid"].eq(1)], call_stack.CallStackIdentity(0, 1, 1))
        node = call_stack.CallStackNode
        expected = {
            -1: node(-1, -1, [0]),
            0: node(-1, 0, [1, 2, 3]),
            1: node(0, 1, []),
            2: node(0, 1, []),
            3: node(0, 1, []),
        }
        self.assertEqual(thread.get_nodes(), expected)
        self.assertEqual(thread.get_paths_to_leaves(0), [[0, 1], [0, 2], [0, 3]])
        self.assertEqual((thread.get_path_to_root(2), thread.get_path_to_root(9)), ([2, 0, -1], []))
        self.assertEqual((thread.get_parent(9), thread.get_children(9)), (-2, []))
        trace = TraceAnalysis(trace_dir=self.two_ranks).t
        trace.traces[0] = events
        graph = call_stack.CallGraph(trace, ranks=[0], remapped_tids={0: {2: 1}})
        self.assertEqual(graph.mapping["csg_index"].to_dict(), {(0, 1, 1): 0, (0, 1, 7): 1})
        self.assertEqual(list(events["parent"]), [-1, 0, 0, 0, -1, 1])
        self.assertEqual(list(events["depth"]), [0, 1, 1, 1, 0, -1])
        self.assertEqual(list(graph.get_stack_of_node(5, 0).index), [1, 0, 5])
        self.assertEqual(list(graph.get_stack_of_node(0, 0, skip_ancestors=True).index), [1, 2, 3, 5])
        filtered = call_stack.CallGraph(trace, [0], trace_filter.ZeroDurationFilter)
        self.assertNotIn(3, filtered.call_stacks[0].nodes)
        with self.assertRaisesRegex(ValueError, "no call stack of rank 0 has an event 3"):
            filtered.get_stack_of_node(3, 0)

    def test_call_graph_without_some_events(self):
        """What was taken out of the data frames is in no stack, as in HTA."""
        trace = TraceAnalysis(trace_dir=self.two_ranks).t
        trace.get_trace(0).drop(index=[1], inplace=True)
        graph = CallGraph(trace)
        self.assertEqual(trace.get_trace(0)["parent"].to_dict(), {0: -10, 2: 0, 3: 0, 4: 3, 5: 2, 6: 4})
        self.assertEqual(list(trace.get_trace(1)["parent"]), [-10, 0, 1, 0, 3, 2, 4])
        self.assertEqual(list(graph.get_stack_of_node(5, rank=0).index), [0, 2, 5])

    def test_a_graph_with_a_cycle(self):
        edges = critical_path_graph.Edges()
        for begin, end in ((0, 1), (1, 2), (2, 1)):
            edges.add(CPEdge(begin, end, CPEdgeType.DEPENDENCY))
        self.assertFalse(critical_path_graph.is_acyclic(edges))

    def test_the_stack_of_a_thread_s_frame(self):
        """By hand: 0 around 1 and 3, 1 around 2, which has no duration; kernel 4 is launched by 1, kernel 5 by 3."""
        columns = ["index", "ts", "dur", "pid", "tid", "stream"]
        rows = [(0, 0, 100, 1, 20, -1), (1, 10, 20, 1, 20, -1), (2, 15, 0, 1, 20, -1), (3, 30, 20, 1, 20, -1)]
        rows += [(4, 20, 40, 1, 7, 7), (5, 60, 30, 1, 7, 7), (6, 5, 90, 1, 30, -1)]
        full = pd.DataFrame(rows, columns=columns)
        for name in CallGraph.stack_columns:
            full[name] = -1
        pairs = pd.DataFrame({"cpu_index": [1, 3], "gpu_index": [4, 5]})
        nodes = {}

        def stack_of(tid, **options):
            thread = trace_call_stack.CallStackIdentity(0, 1, tid)
            frame = full[full["tid"].eq(tid)]
            return trace_call_stack.CallStackGraph(frame, thread, pairs, full, TraceSymbolTable(), nodes, **options)

        stack = stack_of(20)
        self.assertEqual(stack.get_paths_to_leaves(-20), [[-20, 0, 1, 2], [-20, 0, 1, 4], [-20, 0, 3, 5]])
        self.assertEqual(stack.get_path_to_root(4), [4, 1, 0, -20])
        self.assertEqual(stack.get_depth().to_dict(), {0: 0, 1: 1, 2: 2, 3: 1})
        self.assertEqual([stack.nodes[place].height for place in (-20, 0, 1, 2, 3, 4, 5)], [4, 3, 2, 1, 1, 0, 0])
        self.assertEqual(full["parent"].tolist(), [-20, 0, 1, 0, 1, 3, -1])
        self.assertEqual(full["num_kernels"].tolist(), [2, 1, -1, 1, 1, 1, -1])
        self.assertEqual(full.loc[0, ["kernel_dur_sum", "kernel_span", "first_kernel_start"]].tolist(), [70, 70, 20])
        self.assertIn("CallStackGraph", repr(stack))
        other = stack_of(30, save_call_stack_to_df=False)
        other.update_parent_of_first_layer_nodes(1)
        self.assertEqual((other.root_index, other.get_path_to_root(6)), (-20, [6, 1, 0, -20]))
        self.assertEqual((stack.get_children(1), nodes[6].depth), ([2, 4, 6], 2))
        with self.assertRaisesRegex(ValueError, "the call stack has no event 77"):
            other.update_parent_of_first_layer_nodes(77)
        taken = trace_call_stack.CallStackGraph(
            full[full["tid"].eq(20)], stack.identity, pairs, full, TraceSymbolTable(), use_existing_stack_columns=True
        )
        self.assertEqual(taken.get_paths_to_leaves(0), [[0, 1, 2], [0, 1, 4], [0, 3, 5]])
        self.assertEqual(stack_of(7).device_type, types.DeviceType.GPU)
        # The root of a thread with the id 1 has the index that is around every root.
        first = trace_call_stack.CallStackIdentity(0, 1, 1)
        one = trace_call_stack.CallStackGraph(full[full["tid"].eq(30)], first, pairs, full, TraceSymbolTable())
        self.assertEqual((one.get_path_to_root(6), one.get_leaf_nodes()), ([6, -1], [6]))
        self.assertNotIn(-7, nodes)

    def test_ends_as_a_stack_sees_them(self):
        opened, closed = trace_call_stack.OPEN_END, trace_call_stack.CLOSE_END
        # Index, duration, end, time: what is longer is around, and what has no duration lies within.
        inside = [(1, 9, opened, 0), (2, 5, opened, 0), (3, 0, opened, 0), (3, 0, closed, 0)]
        after = [(5, 0, opened, 5), (6, 0, opened, 5), (6, 0, closed, 5), (5, 0, closed, 5), (2, 5, closed, 5)]
        expected = [*inside, *after, (4, 3, opened, 5), (4, 3, closed, 8), (1, 9, closed, 9)]
        events = np.array(expected[::-1])
        self.assertFalse(trace_call_stack.is_events_sorted(events))
        trace_call_stack.sort_events(events)
        self.assertEqual(events.tolist(), [list(end) for end in expected])
        self.assertTrue(trace_call_stack.is_events_sorted(events))
        with self.assertRaises(ValueError):
            trace_call_stack._cmp_events_with_zero_duration(expected[0], expected[1])

    def test_python_frames_end_with_their_callers(self):
        rows = [(0, 1, -1, 0, 10), (1, 2, 1, 4, 9), (2, 3, 2, 5, 8), (3, 4, 1, 4, 2)]
        frame = pd.DataFrame(rows, columns=["index", "python_id", "python_parent_id", "ts", "dur"])
        frame = frame.assign(pid=1, tid=1, stream=-1, index_correlation=-1)
        trace = TraceAnalysis(trace_dir=self.two_ranks).t
        trace.traces[0] = frame
        call_stack.CallGraph(trace, [0], pre_process_trace_data=True)
        self.assertEqual(list(frame["dur"]), [10, 6, 5, 2])

    def test_arguments_as_columns(self):
        """By hand: what events say, and what stands where one says nothing."""
        path = os.path.join(self.temporary.name, "arguments.json")
        call = {"ph": "X", "cat": "cpu_op", "name": "f", "pid": 1, "tid": 1, "ts": 5, "dur": 2}
        work = {
            **call,
            "cat": "kernel",
            "tid": 7,
            "args": {"stream": 7, "grid": [8, 1, 1], "queued": 3, "own name": 0.5},
        }
        trace_file.write_trace({"traceEvents": [{"ph": "M", "name": "x", "pid": 1}, call, work]}, path)
        config = ParserConfig(ParserConfig.get_minimum_args())
        config.add_args([AVAILABLE_ARGS["threads::grid"], AVAILABLE_ARGS["kernel::queued"]])
        trace = Trace({0: path}, parser_config=config)
        trace.parse_traces()
        frame = trace.get_trace(0)
        self.assertEqual(list(frame["grid"]), ["[]", [8, 1, 1]])
        self.assertEqual((list(frame["queued"]), frame["queued"].dtype), ([-1, 3], "int8"))
        self.assertEqual(list(frame["stream"]), [-1, 7])
        self.assertNotIn("bytes", frame.columns)
        default = ParserConfig.get_default_cfg()
        self.assertEqual([arg.name for arg in default.get_args()][:3], ["stream", "correlation", "bytes"])
        try:
            ParserConfig.set_default_cfg(default.clone().set_parse_all_args(True))
            _, everything, symbols = parse_trace_file(path)
        finally:
            ParserConfig.set_default_cfg(default)
        self.assertEqual(list(everything["own_name"]), [0.0, 0.5])
        self.assertIn("bytes", everything.columns)
        self.assertEqual(symbols.sym_table[everything["cat"].iloc[1]], "kernel")
        other = os.path.join(self.temporary.name, "other.xplane.pb")
        with self.assertRaisesRegex(ValueError, "other.xplane.pb is no JSON"):
            with_arguments(frame, ParserConfig(ParserConfig.ARGS_INFO + ParserConfig.ARGS_COMPLETE), other)
        self.assertEqual(ParserConfig.transform_arg_name("Memory (GB/s) of-it"), "memory_of_it")
        grid = AVAILABLE_ARGS["threads::grid"]
        self.assertEqual(grid, grid._replace(min_supported_version=YamlVersion(2, 0, 0)))
        self.assertNotEqual(grid, grid._replace(name="other"))
        self.assertEqual(YamlVersion.from_string("1.2.0").get_version_str(), "1.2.0")
        with self.assertRaisesRegex(ValueError, "a version is three numbers"):
            YamlVersion.from_string("1.2")
        with self.assertRaisesRegex(ValueError, "ends in '.gz' or 'json'"):
            parse_trace_file("trace.txt")

    def test_graphs_are_saved(self):
        analyzer = TraceAnalysis(trace_dir=self.job)
        graph, _ = analyzer.critical_path_analysis(0, "ProfilerStep", 1)
        path = graph.save(os.path.join(self.temporary.name, "graphs", "step"))
        self.assertTrue(path.endswith("step.zip"))
        again = restore_cpgraph(path, analyzer.t, 0)
        self.assertEqual(again.critical_path_edges_set, graph.critical_path_edges_set)
        assert_frame_equal(again.get_critical_path_breakdown(), graph.get_critical_path_breakdown())
        with self.assertRaisesRegex(ValueError, "is no graph that CPGraph.save wrote"):
            restore_cpgraph(os.path.join(self.two_ranks, "rank0.json"), analyzer.t, 0)

    def test_a_job_without_rank_0(self):
        """HTA looks at rank 0 unless others are named, and fails where there is none."""
        analyzer = TraceAnalysis({5: os.path.join(self.two_ranks, "rank1.json")})
        self.assertEqual(list(analyzer.get_queue_length_time_series()), [5])
        self.assertEqual(set(analyzer.get_idle_time_breakdown(visualize=False)[0]["rank"]), {5})

    def test_classes_of_analyses(self):
        analyzer = TraceAnalysis(trace_dir=self.two_ranks)
        assert_frame_equal(
            BreakdownAnalysis.get_temporal_breakdown(analyzer.t, False), analyzer.get_temporal_breakdown(False)
        )
        assert_frame_equal(TraceCounters.get_queue_length_summary(analyzer.t), analyzer.get_queue_length_summary())

    def test_launches_of_other_objects_than_traces(self):
        """By hand: a launch from 10 to 15 and work at 18, a copy's call from 20 to 25 and the copy at 22; a launch without work."""
        symbols = TraceSymbolTable()
        symbols.add_symbols(["hipLaunchKernel", "hipMemcpyAsync", "kernel"])
        rows = [(0, -1, 1, 10, 5), (2, 3, 1, 18, 9), (1, -1, 2, 20, 5), (2, 4, 2, 22, 6), (0, -1, 3, 30, 5)]
        frame = pd.DataFrame(rows, columns=["name", "stream", "correlation", "ts", "dur"])
        other = types_of_python.SimpleNamespace(
            symbol_table=symbols, get_trace=lambda rank: frame[frame["ts"] > 15 * rank]
        )
        stats = CudaKernelAnalysis.cuda_kernel_launch_stats(other, ranks=[0, 1], visualize=False)
        self.assertEqual(list(stats[0].columns), ["correlation", "cpu_duration", "gpu_duration", "launch_delay"])
        self.assertEqual(stats[0].values.tolist(), [[1, 5, 9, 3], [2, 5, 6, 0]])
        self.assertEqual(stats[1].values.tolist(), [[2, 5, 6, 0]])
        stats = CudaKernelAnalysis.cuda_kernel_launch_stats(other, include_memory_events=False, visualize=False)
        self.assertEqual(stats[0].values.tolist(), [[1, 5, 9, 3]])
        # The launches that the table has, too, have its rows.
        trace = TraceAnalysis(trace_dir=self.two_ranks).t
        alike = types_of_python.SimpleNamespace(symbol_table=trace.symbol_table, get_trace=trace.get_trace)
        expected = CudaKernelAnalysis.cuda_kernel_launch_stats(trace, [1], visualize=False)[1]
        found = CudaKernelAnalysis.cuda_kernel_launch_stats(alike, [1], visualize=False)[1]
        assert_frame_equal(found, expected, check_dtype=False)

    def test_searches_in_frames(self):
        frame = pd.DataFrame(
            {"index": [4, 5, 6], "s_name": ["mm", "add", "mm"], "ts": [9, 1, 3], "iteration": [-1, 2, 1]}
        )
        self.assertEqual(trace_df.get_iterations(frame), [1, 2])
        self.assertEqual(trace_df.find_op_occurrence(frame, "mm", 0)[1]["index"], 6)
        self.assertEqual(trace_df.find_op_occurrence(frame, "mm", -1)[1]["index"], 4)
        self.assertFalse(trace_df.find_op_occurrence(frame, "mm", 2)[0])
        self.assertEqual(list(trace_df.find_events_by_name_patterns_using_decoded_names(frame, ["m", "x"])), [4, 6])
        symbols = TraceSymbolTable.create_from_symbol_id_map({"mm": 0, "add": 2})
        self.assertEqual(symbols.sym_table, ["mm", "Undefined-1", "add"])
        ids = frame.assign(name=[0, 2, 0])
        self.assertEqual(list(trace_df.find_events_by_name_patterns_using_symbol_table(ids, ["a"], symbols)), [5])
        with self.assertRaises(TypeError):
            trace_df.get_iterations(frame.drop(columns="iteration"))
        group = types.to_grouping_pattern(["mm", "conv"], group_name="gemms", inverse_match=True)
        self.assertEqual([name for name in ("mm", "add", "conv2d") if group.match(name)], ["add"])
        self.assertIs(types.to_grouping_pattern(group), group)
        with self.assertRaisesRegex(ValueError, "Unsupported pattern type int: a pattern is a text, a list"):
            types.to_grouping_pattern(7)
        kind = types.DeviceType
        for streams, expected in (([7, 8], kind.GPU), ([-1], kind.CPU), ([-1, 7], kind.UNKNOWN)):
            self.assertEqual(types.infer_device_type(pd.DataFrame({"stream": streams})), expected)

    def test_columns_of_frames_are_those_of_the_library(self):
        """What hta.events says of a job, added to its own columns."""
        trace = Trace(trace_dir=self.job)
        trace.parse_traces(max_ranks=1)
        frame = trace.get_trace(0)
        mine = frame.drop(columns=["index_correlation", "iteration"])
        transform_correlation_to_index(mine, trace.symbol_table)
        steps = add_iteration(mine, trace.symbol_table)
        self.assertEqual(list(mine["index_correlation"]), list(frame["index_correlation"]))
        self.assertEqual(list(mine["iteration"]), list(frame["iteration"]))
        self.assertEqual(sorted(steps["s_name"].unique()), trace.get_iterations(0))
        flows = pd.DataFrame(
            [(0, "cpu_op", "X", 1, None, None), (1, "cpu_op", "X", 9, None, None), (2, "fwdbwd", "s", 1, 7, None)],
            columns=["index", "cat", "ph", "ts", "id", "bp"],
        )
        flows.loc[3] = (3, "fwdbwd", "f", 9, 7, "e")
        flows = flows.assign(tid=1, pid=1)
        add_fwd_bwd_links(flows)
        self.assertEqual(flows[["fwdbwd_index", "fwdbwd"]].values.tolist(), [[1, 0], [0, 1], [-1, -1], [-1, -1]])

    def test_modules_of_few_names(self):
        """version, singletrace, memory_utils and event_args_yaml_parser."""
        self.assertEqual(version.__version_tuple__, (0, 6, 1))
        metadata, frame, symbols = parse_trace_file(os.path.join(self.two_ranks, "rank0.json"))
        one = singletrace.create("NVIDIA GPU", metadata, frame, symbols)
        self.assertEqual((one.device, one.meta, len(one.df)), ("GENERIC", metadata, 7))
        self.assertEqual(one.get_sym_table(), symbols.sym_table)
        self.assertEqual(singletrace.create("INTEL GPU", metadata, frame, symbols).device, "INTEL GPU")
        self.assertIsInstance(singletrace.create_default(), singletrace.Trace)
        rows = analyze_memory_usage(pd.DataFrame({"a": [1] * 1024, "b": [0.5] * 1023 + [None]}))
        self.assertEqual(rows["Memory (MB)"].tolist(), [1 / 128, 1 / 128])
        self.assertEqual((rows["Count"].tolist(), rows["DType"].tolist()), ([1024, 1023], ["int64", "float64"]))
        self.assertEqual(rows["Memory Per Item (B)"].tolist(), [8, 8])

    def test_groups_of_arguments(self):
        available = event_args_yaml_parser.parse_event_args_yaml(YamlVersion(1, 0, 0))
        self.assertEqual(available, AVAILABLE_ARGS)
        self.assertEqual(event_args_yaml_parser.ARGS_MINIMUM_FUNC(available), ParserConfig.ARGS_MINIMUM)
        self.assertEqual(event_args_yaml_parser.ARGS_DEFAULT_FUNC(available), ParserConfig.ARGS_DEFAULT)
        some = {key: available[key] for key in ("index::ev_idx", "cuda::stream")}
        self.assertEqual([one.name for one in event_args_yaml_parser.ARGS_INDEX_FUNC(some)], ["ev_idx"])
        self.assertEqual(event_args_yaml_parser.parse_event_args_yaml(YamlVersion(0, 9, 0)), {})
        self.assertEqual(event_args_yaml_parser.parse_value_type("Float"), ValueType.Float)
        with self.assertRaisesRegex(ValueError, "a type is Int, Float, String, Object, not 'Text'"):
            event_args_yaml_parser.parse_value_type("Text")

    def test_helpers(self):
        frame = pd.DataFrame({"ts": [10, 0, 4, 30], "dur": [5, 6, 6, 1], "stream": ["7", "0x0", 3, None]})
        self.assertEqual(utils.merge_kernel_intervals(frame).values.tolist(), [[0, 15], [30, 31]])
        utils.normalize_gpu_stream_numbers(frame)
        self.assertEqual(list(frame["stream"]), [7, -1, 3, -1])
        self.assertEqual(utils.get_mp_pool_size(1, 1), 1)
        self.assertTrue(checker.is_valid_directory(self.temporary.name, must_be_writable=True).success)
        self.assertRegex(checker.is_valid_directory("/no/such").reason, "does not exist")
        path = os.path.join(self.temporary.name, "own.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"a": {"b": 3}}, file)
        config = HtaConfig(path, load_default_paths=False)
        self.assertEqual((config.get_config("a.b"), config.get_config("a.c", 7)), (3, 7))
        seen = []
        test_utils.data_provider(lambda: [(1, 2), {"b": 4, "a": 3}, [5]])(lambda a, b=0: seen.append((a, b)))()
        self.assertEqual(seen, [(1, 2), (3, 4), ([5], 0)])
        with self.assertRaises(FileNotFoundError):
            test_utils.get_test_data_dir("no_such")

    def test_timelines(self):
        trace = TraceAnalysis(trace_dir=self.two_ranks).t
        frame = trace.get_trace(0)
        events = prepare_timeline_events(frame, TimelinePlotSetting(), trace.symbol_table)
        self.assertEqual(set(events["task"]), {"cpu events", "gpu stream 007"})
        self.assertEqual(list(events["calibrated_end_global"] - events["calibrated_start_global"]), [1000] * 7)
        setting = TimelinePlotSetting(amplify_short_events=False, plot_format=PlotFormat.File)
        drawn = Timeline(frame, trace.symbol_table, trace_filter.GPUKernelFilter(), setting)
        self.assertEqual(
            list(drawn.timeline_events["name"]), ["ampere_bf16_gemm", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"]
        )
        self.assertEqual(list(drawn.timeline_events["calibrated_end_global"]), [25, 85])
        with self.assertRaisesRegex(ValueError, "CallGraph adds those of calls"):
            align_module_with_kernels(frame, ["aten::mm"])
        CallGraph(trace, [0])
        aligned = align_module_with_kernels(frame, ["aten::mm"], trace.symbol_table)
        self.assertEqual(aligned[["ts", "dur", "stream"]].values.tolist(), [[15, 25, 7], [40, 60, 7], [15, 25, 0]])

    def test_what_hta_expects_of_traces(self):
        path = os.path.join(self.temporary.name, "odd.json")
        trace_file.write_trace({"traceEvents": [{"args": {"stream": "0x0", "mine": 1}}]}, path)
        ok, errors = validate_trace_format(path, ignore_missing_arguments=False)
        self.assertFalse(ok)
        self.assertEqual(list(errors["type_violations"]), ["stream"])
        self.assertEqual(errors["skipped_arguments"], {"mine": 1})
        self.assertEqual(validate_trace_format(os.path.join(self.two_ranks, "rank0.json")), (True, {}))
        self.assertEqual(list(validate_trace_format("/no/such.json")[1]), ["trace_read_error"])
        with self.assertRaisesRegex(ValueError, "level is minimal, standard, complete, not 'all'"):
            validate_trace_format(path, "all")

    def test_symbols(self):
        symbols = TraceSymbolTable()
        symbols.add_symbols(["b", "a", "b"])
        self.assertEqual(symbols.get_sym_table(), ["b", "a"])
        self.assertEqual(symbols.get_sym_id_map(), {"b": 0, "a": 1})
        self.assertEqual(symbols.find_matched_symbols(["a"]), ["a"])
        frame = pd.DataFrame({"name": [1, 0, 7, -1]})
        symbols.add_symbols_to_trace_df(frame, "name")
        self.assertEqual(list(frame["name"]), ["a", "b", "", ""])
        with self.assertRaises(ValueError):
            TraceSymbolTable.create_symbol_table_from_df(frame)
        kinds = TraceSymbolTable()
        kinds.add_symbols(["cpu_op", "kernel", "mtia_runtime", "Memcpy DtoH", "hipLaunchKernel"])
        self.assertEqual((kinds.get_cpu_event_cat_ids(), kinds.get_gpu_kernel_cat_ids()), ([0, 2], [1]))
        self.assertEqual((kinds.get_memory_name_ids(), kinds.get_kernel_launch_ids()), ([3], [4]))
        coded = pd.DataFrame({"name": [0, 1], "cat": [1, 0]})
        symbols.update_encoded_df(coded, TraceSymbolTable.create_from_symbol_id_map({"a": 0, "c": 1}))
        self.assertEqual(list(coded["name"]), [1, 2])
        self.assertEqual(list(symbols.get_events_mask(coded, ["c"])), [False, True])

    def test_symbols_in_files(self):
        path = os.path.join(self.temporary.name, "symbols.csv")
        table = TraceSymbolTable()
        table.add_symbols(["aten::mm", "", "None", 'a, "b"'])
        table._to_csv_file(path)
        self.assertEqual(TraceSymbolTable.from_csv_file(path).sym_table, table.sym_table)
        with self.assertRaises(FileNotFoundError):
            TraceSymbolTable.from_csv_file("/no/such.csv")
        pd.DataFrame({"other": ["aten::mm"]}).to_csv(path)
        with self.assertRaisesRegex(ValueError, "expect a column symbol"):
            TraceSymbolTable.from_csv_file(path)
        with self.assertRaisesRegex(ValueError, "name and cat columns"):
            TraceSymbolTable.create_from_df(pd.DataFrame({"name": [1]}))

    def test_errors_of_hta_s_kinds(self):
        with self.assertRaisesRegex(TypeError, "Iterations must be"):
            trace_filter.IterationFilter("3")
        with self.assertRaisesRegex(ValueError, "a tuple of two"):
            trace_filter.TimeRangeFilter([1, 2])
        with self.assertRaisesRegex(ValueError, "less than or equal"):
            trace_filter.TimeRangeFilter((2, 1))
        with self.assertRaisesRegex(TypeError, "instances of Filter"):
            trace_filter.CompositeFilter([7])
        for kind in (KeyError, ValueError):
            with self.assertRaisesRegex(kind, "level is minimal, standard, complete, not 'all'"):
                get_argument_spec("all")

    def test_filters(self):
        frame = TraceAnalysis(trace_dir=self.two_ranks).t.get_trace(0)
        found = trace_filter.TimeRangeFilter((8, 40))(frame)
        self.assertEqual(list(found.index), [1, 2, 3, 4, 5])
        self.assertEqual(list(trace_filter.GPUKernelFilter()(frame).index), [5, 6])
        self.assertEqual(len(trace_filter.IterationFilter(3)(frame)), 7)
        self.assertTrue(trace_filter.IterationIndexFilter(5)(frame).empty)
        with self.assertRaises(TypeError):
            trace_filter.CompositeFilter([7])
        self.assertEqual(len(trace_filter.ZeroDurationFilter(frame.assign(dur=[0, 1, 2, 3, 4, 5, 6]))), 6)
        calls = pd.DataFrame({"index": [2, 3], "s_cat": ["cuda_runtime", "cpu_op"]})
        self.assertEqual(list(trace_stack_filter.get_matching_kernels(calls, frame, "s_cat").index), [5])

    def test_names_of_kernels(self):
        self.assertEqual(utils.get_kernel_type("ncclDevKernel_AllReduce"), "COMMUNICATION")
        self.assertEqual(utils.get_kernel_type("Memcpy DtoH (Device -> Pinned)"), "MEMORY")
        self.assertEqual(utils.get_kernel_type("SyncBatchNorm"), "OTHER")
        self.assertEqual(utils.get_kernel_type("gemm"), "COMPUTATION")
        self.assertEqual(utils.get_memory_kernel_type("Memcpy DtoH (Device -> Pinned)"), "Memcpy DtoH")
        self.assertEqual(utils.shorten_name("void at::gemm<float, (int)2>(float*)"), "at::gemm")

    def test_memory_timelines(self):
        path = os.path.join(self.temporary.name, "timeline.raw.json.gz")
        with gzip.open(path, "wt") as file:
            json.dump([[-1, 0, 100, 0], [5, 1, 50, 3], [5, 1, 10, 3], [9, 2, -60, 3]], file)
        times, sizes = MemoryAnalysis(path)._process_raw_events()
        self.assertEqual(times, [5, 5, 9])
        self.assertEqual([row[0] for row in sizes], [100, 100, 100])
        self.assertEqual([row[3] for row in sizes], [0, 60, 0])

    def test_the_page(self):
        """Blocks ```pycon of docs/hta.md are what Python prints."""
        with open(os.path.join(program.HERE, "..", "docs", "hta.md"), encoding="utf-8") as file:
            blocks = re.findall(r"```pycon\n(.*?)```", file.read(), re.DOTALL)
        examples = [example for block in blocks for example in doctest.DocTestParser().get_examples(block)]
        self.assertGreater(len(examples), 0)
        names = {"analyzer": TraceAnalysis(trace_dir=self.two_ranks)}
        page = doctest.DocTest(examples, names, "docs/hta.md", None, 0, None)
        told = io.StringIO()
        failed, _ = doctest.DocTestRunner().run(page, out=told.write)
        self.assertEqual(failed, 0, told.getvalue())

    def test_signatures(self):
        """Names and defaults of HTA's arguments."""
        expected = {
            "__init__": "trace_files=None, trace_dir='/tmp/trace', include_last_profiler_step=False",
            "get_comm_comp_overlap": "visualize=True",
            "get_temporal_breakdown": "visualize=True",
            "get_gpu_kernel_breakdown": "visualize=True, duration_ratio=0.8, num_kernels=10, include_memory_kernels=True, "
            "image_renderer=''",
            "get_gpu_user_annotation_breakdown": "use_gpu_annotation=True, visualize=True, duration_ratio=0.8, num_kernels=1000, "
            "allowlist_patterns=None, image_renderer=None",
            "get_gpu_kernels_with_user_annotations": "rank, expand_names=True, shortern_names=True",
            "get_idle_time_breakdown": "ranks=None, streams=None, visualize=True, visualize_pctg=True, "
            "show_idle_interval_stats=False, consecutive_kernel_delay=30",
            "get_cuda_kernel_launch_stats": "ranks=None, runtime_cutoff=50, launch_delay_cutoff=100, include_memory_events=True, "
            "visualize=True",
            "get_aten_op_kernels_and_delay": "ranks=None, sort_by=None",
            "get_frequent_cuda_kernel_sequences": "operator_name, output_dir, min_pattern_len=3, rank=0, top_k=5, visualize=False, "
            "compress_other_kernels=True",
            "get_queue_length_time_series": "ranks=None",
            "get_queue_length_summary": "ranks=None",
            "get_queue_length_summary_from_time_series": "queue_length_dict",
            "get_time_spent_blocked_on_full_queue": "queue_length_dict, max_queue_length=1024",
            "get_memory_bw_time_series": "ranks=None",
            "get_memory_bw_summary": "ranks=None",
            "generate_trace_with_counters": "time_series=None, ranks=None, output_suffix='_with_counters'",
            "get_profiler_steps": "",
            "get_cupti_counter_data_with_operators": "ranks=None",
            "critical_path_analysis": "rank, annotation, instance_id, data_load_events=None",
            "overlay_critical_path_analysis": "rank, critical_path_graph, output_dir, only_show_critical_events=True, "
            "show_all_edges=False",
        }
        for name, arguments in expected.items():
            found = [
                one.name if one.default is inspect.Parameter.empty else f"{one.name}={one.default!r}"
                for one in inspect.signature(getattr(TraceAnalysis, name)).parameters.values()
            ]
            self.assertEqual(", ".join(found[1:]), arguments, name)

    def test_plots_are_told_to_be_missing_once(self):
        script = (
            "import sys; sys.path.insert(0, sys.argv[1]); sys.modules['plotly'] = None\n"
            "from rankscope.hta.trace_analysis import TraceAnalysis\n"
            "analyzer = TraceAnalysis(trace_dir=sys.argv[2])\n"
            "print(len(analyzer.get_temporal_breakdown()), len(analyzer.get_comm_comp_overlap()))"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, PACKAGE, self.two_ranks], capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stdout, "2 2\n")
        self.assertEqual(done.stderr.count("plotly is not installed, so no plot is shown"), 1)

    @unittest.skipUnless(importlib.util.find_spec("plotly"), "plotly is not installed")
    def test_plotly_by_the_names_that_callers_replace(self):
        """px, go and to_html of the modules, as tests of HTA's users patch them."""
        frame = TraceAnalysis(trace_dir=self.two_ranks).t
        events = prepare_timeline_events(frame.get_trace(0), TimelinePlotSetting(), frame.symbol_table)
        of_common, of_analyzers = "rankscope.hta.common.timeline", "rankscope.hta.analyzers.timeline"
        with unittest.mock.patch(f"{of_common}.px.timeline") as drawn, unittest.mock.patch(
            f"{of_common}.to_html", return_value="<html>"
        ):
            drawn.return_value.data = []
            setting = TimelinePlotSetting(plot_format=PlotFormat.HTML)
            self.assertEqual(plot_events_timeline("timeline", events, setting), "<html>")
        drawn.assert_called_once()
        with unittest.mock.patch(f"{of_analyzers}.px.timeline") as drawn:
            timeline.plot_timeline_gpu_kernels_from_trace("timeline", frame)
        drawn.assert_called_once()
        diff = TraceDiff.compare_traces(self.two_ranks, self.two_ranks, test_rank=1)
        with unittest.mock.patch("rankscope.hta.trace_diff.go.Figure") as drawn:
            TraceDiff.visualize_counts_diff(diff, show_image=False)
        drawn.assert_called_once()
        self.assertEqual(timeline._get_unique_values(frame.get_trace(0), "stream"), [7])

    @unittest.skipUnless(importlib.util.find_spec("plotly"), "plotly is not installed")
    def test_plots(self):
        import plotly.graph_objects  # pylint: disable=import-outside-toplevel
        import plotly.io  # pylint: disable=import-outside-toplevel

        titles = []
        with unittest.mock.patch.object(
            plotly.graph_objects.Figure, "show", lambda figure, **_: titles.append(figure.layout.title.text)
        ):
            analyzer = TraceAnalysis(trace_dir=self.job)
            analyzer.get_temporal_breakdown()
            analyzer.get_comm_comp_overlap()
            analyzer.get_gpu_kernel_breakdown(num_kernels=2)
            analyzer.get_gpu_user_annotation_breakdown(use_gpu_annotation=False)
            analyzer.get_idle_time_breakdown()
            analyzer.get_idle_time_breakdown(visualize_pctg=False)
            analyzer.get_cuda_kernel_launch_stats()
            TraceAnalysis(trace_dir=self.two_ranks).get_potential_stragglers(visualize=True)
            timeline.plot_timeline_gpu_kernels_from_trace("Timeline", analyzer.t, ranks=[0])
            base, test = [os.path.join(GOLDEN, "pair", side) for side in ("base", "test")]
            diff = TraceDiff.compare_traces(base, test)
            TraceDiff.visualize_counts_diff(diff)
            TraceDiff.visualize_duration_diff(diff)
        for title in (
            "Temporal breakdown across ranks",
            "Computation-Communication Overlap",
            "Kernel Type Percentage Across All Ranks",
            "Idle time breakdown on rank 0 per CUDA stream",
            "Short GPU kernels (gpu op duration < cpu op duration) on rank 0",
            "Potential Stragglers",
            "Timeline",
            "Ops Count Comparison",
            "Ops Duration Comparison (us)",
        ):
            self.assertIn(title, titles)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
