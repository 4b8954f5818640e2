"""The hta.* analyses against what Holistic Trace Analysis 0.6.1 recorded (../shared/expected/hta): every table of every set, and
busy time of the native analyses where both mean the same.

Rows are compared without order. Numbers agree to 1e-9, which is more than HTA prints; null is NaN. Where HTA returned nothing our
table is empty, and so it is where HTA failed, since it fails on traces without device work.

HTA sorts changes of a queue or bandwidth by time alone with a sort that is not stable; rankscope sorts as numpy does (src/hta/numpy_sort.h),
so that changes at one microsecond are compared as all others, and so are the rounding errors of sums that should be 0."""

import collections
import json
import math
import os
import tempfile

import program

EXPECTED = os.path.join(program.REAL_TRACES, "..", "expected", "hta")

# What a recorded file holds, by the longest prefix of its name: our analyses, the part of the result that is theirs, and how the
# part becomes a table.
TABLE, BY_RANK, INDEXED = "table", "tables by rank", "table with an index"
SUMMARY_OF_PATH, EDGES_OF_PATH = "summary of a critical path", "graph of a critical path"
RECORDED = {
    "temporal_breakdown": [("hta.temporal_breakdown", None, TABLE)],
    "comm_comp_overlap": [("hta.comm_comp_overlap", None, TABLE)],
    "gpu_kernel_breakdown": [
        ("hta.gpu_kernel_type_breakdown", "kernel_type", TABLE),
        ("hta.gpu_kernel_breakdown", "kernel", TABLE),
    ],
    "idle_time_breakdown": [
        ("hta.idle_time_breakdown", "idle", TABLE),
        ("hta.idle_time_interval_stats", "interval_stats", INDEXED),
    ],
    "idle_time_breakdown_delay5": [("hta.idle_time_breakdown", None, TABLE)],
    "cuda_kernel_launch_stats": [("hta.cuda_kernel_launch_stats", None, BY_RANK)],
    "queue_length_time_series": [("hta.queue_length_time_series", None, BY_RANK)],
    "queue_length_summary": [("hta.queue_length_summary", None, INDEXED)],
    "time_blocked_on_full_queue": [("hta.time_blocked_on_full_queue", None, TABLE)],
    "memory_bw_time_series": [("hta.memory_bw_time_series", None, BY_RANK)],
    "memory_bw_summary": [("hta.memory_bw_summary", None, INDEXED)],
    "gpu_user_annotation_breakdown": [("hta.gpu_user_annotation_breakdown", None, TABLE)],
    "cpu_user_annotation_breakdown": [("hta.gpu_user_annotation_breakdown", None, TABLE)],
    "aten_op_kernels_and_delay": [("hta.aten_op_kernels_and_delay", None, BY_RANK)],
    "gpu_kernels_with_user_annotations": [("hta.gpu_kernels_with_user_annotations", None, BY_RANK)],
    "critical_path": [
        ("hta.critical_path_summary", None, SUMMARY_OF_PATH),
        ("hta.critical_path_edges", None, EDGES_OF_PATH),
    ],
    "critical_path_overlay": [],
}


def known_prefix(name):
    """The entry of RECORDED that a recorded file belongs to; None for what rankscope does not offer (yet)."""
    found = [prefix for prefix in RECORDED if name == prefix or name.startswith(prefix + "_")]
    return max(found, key=len) if found else None


def rows_of_table(table):
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


def rows_by_rank(tables):
    rows = []
    for rank, table in tables.items():
        if table is None or "error" in table:
            continue
        for place, row in enumerate(rows_of_table(table)):
            row["rank"] = int(rank)
            if table.get("index_names") == ["index"]:
                row["index"] = table["index"][place]
            rows.append(row)
    return rows


def rows_with_index(table):
    """The index becomes columns; "queue_length/count" is the column count of the value that the table is about."""
    rows = []
    for row, index in zip(rows_of_table(table), table.get("index", [])):
        row = {name.split("/")[-1]: value for name, value in row.items()}
        index = index if isinstance(index, list) else [index]
        row.update(zip(table["index_names"], index))
        rows.append(row)
    return rows


def rows_of_path_summary(result):
    durations = result["duration_by_bound_us"]
    return [
        {"bound_by": bound, "duration_us": durations[bound], "pct": pct} for bound, pct in result["summary_pct"].items()
    ]


def rows_of_path_edges(result):
    """Every edge of HTA's graph with its type, weight and owner; the path is recorded as its nodes, one after the other."""
    points = {True: "start", False: "end"}
    nodes = [(event, is_start) for event, is_start, _ in result["cp_nodes"]]
    path = set(zip(nodes, nodes[1:]))
    return [
        {
            "from_event": begin,
            "from_point": points[begin_is_start],
            "to_event": end,
            "to_point": points[end_is_start],
            "type": kind,
            "weight": weight,
            "event": owner,
            "is_critical": ((begin, begin_is_start), (end, end_is_start)) in path,
        }
        for begin, begin_is_start, end, end_is_start, kind, weight, owner in result["edges"]
    ]


FORMS = {
    TABLE: rows_of_table,
    BY_RANK: rows_by_rank,
    INDEXED: rows_with_index,
    SUMMARY_OF_PATH: rows_of_path_summary,
    EDGES_OF_PATH: rows_of_path_edges,
}
# What the recorded form of a table does not say.
NOT_RECORDED = {SUMMARY_OF_PATH: ("rank",), EDGES_OF_PATH: ("rank", "event_name", "bound_by")}


def expected_rows(result, part, form):
    if result is not None and part is not None:
        result = result[part]
    return FORMS[form](result) if result else []


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def number(value):
    """int64 comes as text where JSON's numbers would not hold it."""
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


def differences(ours, theirs):
    """Rows that only one side has, as sentences. Rows are paired by sorting, so that nearly equal numbers may be neighbours."""
    if theirs and ours and set(ours[0]) != set(theirs[0]):
        return [f"columns are {sorted(ours[0])}, HTA has {sorted(theirs[0])}"]

    def key(row):
        return [
            (
                cell is None,
                isinstance(cell, str),
                float(f"{cell:.6g}") if isinstance(cell, (int, float)) else cell or "",
            )
            for _, cell in sorted(row.items())
        ]

    ours, theirs = sorted(ours, key=key), sorted(theirs, key=key)
    if len(ours) != len(theirs):
        return [f"{len(ours)} rows, HTA has {len(theirs)}"] + only(ours, theirs)
    unlike = [(a, b) for a, b in zip(ours, theirs) if not all(same(a[name], b[name]) for name in b)]
    return [f"{len(unlike)} of {len(ours)} rows differ: {a} and HTA {b}" for a, b in unlike[:3]]


def only(ours, theirs):
    def text(row):
        return tuple(
            sorted((name, f"{cell:.6g}" if isinstance(cell, (int, float)) else str(cell)) for name, cell in row.items())
        )

    left, right = collections.Counter(map(text, ours)), collections.Counter(map(text, theirs))
    return [f"only ours: {dict(row)}" for row in list(left - right)[:2]] + [
        f"only HTA's: {dict(row)}" for row in list(right - left)[:2]
    ]


def settings(params, analysis):
    """HTA's parameters as options, those that the analysis has."""
    options = []
    known, _ = program.run("list", analysis)
    for name, value in params.items():
        if f"  {name} " in known.split("options (--set", 1)[1]:
            options += ["--set", f"{name}={value}"]
    return options


def traces_of(recorded):
    """The files that HTA read: with an execution trace beside, the one that is a profiler trace."""
    files = [file.replace("tests/data/", "", 1) for file in recorded["trace_files"]]
    return [os.path.join(program.REAL_TRACES, "hta", file) for file in files if not file.endswith("_et.json.gz")]


def our_rows(analysis, recorded, cache):
    rows = program.table(
        analysis, *traces_of(recorded), options=["--cache-dir", cache, *settings(recorded["params"], analysis)]
    )
    return [{column: number(cell) for column, cell in row.items()} for row in rows]


def check_table(recorded, analysis, part, form, cache):
    ours = our_rows(analysis, recorded, cache)
    if "error" in recorded:
        return [] if not ours else [f"HTA fails ({recorded['error']['message']}), and we have {ours[:2]}"]
    theirs = expected_rows(recorded["result"], part, form)
    ours = [{name: cell for name, cell in row.items() if name not in NOT_RECORDED.get(form, ())} for row in ours]
    return differences(ours, theirs)


def our_rows_with(analysis, recorded, cache, **values):
    options = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    rows = program.table(analysis, *traces_of(recorded), options=["--cache-dir", cache, *options])
    return [{column: number(cell) for column, cell in row.items()} for row in rows]


def check_call_graph(recorded, cache):
    """Nodes of every rank; HTA's own sums of times mix two clocks and are not ours."""
    count, complaints = 0, []
    for rank, graph in (recorded.get("result") or {}).items():
        if rank == "mapping":
            continue
        theirs = rows_of_table(graph["events"])
        names = ("index", "parent", "depth", "height", "num_kernels", "kernel_dur_sum")
        theirs = [{name: row[name] for name in names} for row in theirs]
        ours = [
            {name: row[name] for name in names} for row in our_rows_with("hta.call_graph", recorded, cache, ranks=rank)
        ]
        count += 1
        complaints += differences(ours, theirs)
    return count, complaints


def check_sequences(recorded, cache):
    """A table for each rank, op and least length: "rank0|aten::linear|min3"."""
    count, complaints = 0, []
    for key, table in (recorded.get("result") or {}).items():
        rank, op, shortest = key.split("|")
        values = {
            "rank": rank.removeprefix("rank"),
            "operator_name": op,
            "min_pattern_len": shortest.removeprefix("min"),
        }
        ours = our_rows_with("hta.frequent_cuda_kernel_sequences", recorded, cache, **values)
        ours = [{name: cell for name, cell in row.items() if name != "rank"} for row in ours]
        count += 1
        complaints += [f"{key}: {text}" for text in differences(ours, rows_of_table(table))]
    return count, complaints


def check_counters(recorded, cache):
    """HTA has a column for each counter, we have a row."""
    theirs = []
    for table in recorded.get("result") or []:
        for row in rows_of_table(table):
            shared = {
                name: row[name]
                for name in ("index", "name", "ts", "dur", "index_runtime", "top_level_op", "bottom_level_op")
            }
            shared["op_stack"] = " -> ".join(row["op_stack"])
            theirs += [
                {**shared, "counter": name, "value": cell} for name, cell in row.items() if name.startswith("smsp__")
            ]
    ours = our_rows_with("hta.cupti_counters", recorded, cache, ranks=0)
    return 1, differences([{name: cell for name, cell in row.items() if name != "rank"} for row in ours], theirs)


# What is recorded in a form of its own.
CHECKED = {
    "call_graph": check_call_graph,
    "frequent_cuda_kernel_sequences": check_sequences,
    "cupti_counters": check_counters,
}


def check_set(name, cache):
    """Number of tables compared, and complaints."""
    count, complaints = 0, []
    for file in sorted(os.listdir(os.path.join(EXPECTED, name))):
        recorded_name = file.removesuffix(".json")
        prefix = known_prefix(recorded_name)
        if prefix is None and recorded_name not in CHECKED:
            continue
        with open(os.path.join(EXPECTED, name, file), encoding="utf-8") as opened:
            recorded = json.load(opened)
        if recorded_name in CHECKED:
            compared, found = CHECKED[recorded_name](recorded, cache)
            count += compared
            complaints += [f"{name}, {recorded_name}: {text}" for text in found]
            continue
        for analysis, part, form in RECORDED[prefix]:
            count += 1
            complaints += [
                f"{name}, {recorded_name}, {analysis}: {text}"
                for text in check_table(recorded, analysis, part, form, cache)
            ]
    return count, complaints


def check_diff(name, cache):
    """hta.trace_diff and hta.ops_diff of `rankscope diff` against compare_traces and ops_diff; number of tables, and complaints."""
    count, complaints = 0, []
    for file in sorted(os.listdir(os.path.join(EXPECTED, name))):
        with open(os.path.join(EXPECTED, name, file), encoding="utf-8") as opened:
            recorded = json.load(opened)
        options = [word for key, value in recorded["params"].items() for word in ("--set", f"{key}={value}")]
        is_ops = recorded["analysis"].startswith("ops_diff")
        table = "hta.ops_diff" if is_ops else "hta.trace_diff"
        out, _ = program.run(
            "diff", *traces_of(recorded), "--cache-dir", cache, "--table", table, "--format", "json", *options
        )
        made = json.loads(out)
        ours = [dict(zip([column["name"] for column in made["columns"]], row)) for row in made["rows"]]
        if is_ops:
            theirs = [{"category": category, "name": op} for category, ops in recorded["result"].items() for op in ops]
        else:
            theirs = [
                {"name": index, **row}
                for index, row in zip(recorded["result"]["index"], rows_of_table(recorded["result"]))
            ]
        count += 1
        complaints += [f"{name}, {recorded['analysis']}: {text}" for text in differences(ours, theirs)]
    return count, complaints


# HTA's compute_time is the united time of its computing kernels, and so is the sum of compute_ns over all windows, where times are
# whole microseconds and there is no more than one ProfilerStep. Left out on purpose: triton_example, where HTA takes a CPU op that
# carries a stream argument for device work (94 us against 1.76 us of kernel).
NATIVE_SETS = {
    "call_stack": "call_stack/backward_thread.json",
    "critical_path__alexnet": "critical_path/alexnet",
    "critical_path__cuda_event_sync": "critical_path/cuda_event_sync",
    "critical_path__simple_add": "critical_path/simple_add",
    "execution_trace": "execution_trace/benchmark_simple_add_trace.json.gz",
}


def check_native(name, trace, cache):
    with open(os.path.join(EXPECTED, name, "temporal_breakdown.json"), encoding="utf-8") as file:
        result = json.load(file)["result"]
    expected = dict(zip(result["columns"], result["rows"][0]))["compute_time(us)"]
    rows = program.table(
        "time_breakdown", os.path.join(program.REAL_TRACES, "hta", trace), options=("--cache-dir", cache)
    )
    found = sum(int(row["compute_ns"]) for row in rows) / 1000
    return [] if rows and found == expected else [f"{name}: computing takes {found} us, HTA says {expected}"]


def main():
    if not os.path.isdir(EXPECTED):
        print("skipped: there are no recorded results in ../shared/expected")
        return 0
    complaints, count = [], 0
    with tempfile.TemporaryDirectory() as cache:
        for name, trace in NATIVE_SETS.items():
            complaints += check_native(name, trace, cache)
        for name in sorted(os.listdir(EXPECTED)):
            compared, found = check_diff(name, cache) if "_vs_" in name else check_set(name, cache)
            count += compared
            complaints += found
    for complaint in complaints:
        print(complaint)
    print(f"{count} tables compared, {len(complaints)} complaints")
    return 1 if complaints or count == 0 else 0


if __name__ == "__main__":
    raise SystemExit(main())
