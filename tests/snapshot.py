"""Snapshots of all that rankscope says of many jobs, to prove that a refactoring changes no number.

    snapshot.py take RANKSCOPE OUT [--shared DIR] [--simulated DIR] [--jobs N] [--only PATTERN] [--warm | --no-cache]
    snapshot.py compare A B [--only PATTERN]

`take` asks RANKSCOPE for every table of `rankscope list`, for the reports and for the SQL views of every input: the traces
and jobs in --shared, jobs that it simulates, and the traces of golden/. OUT/index.csv has a row per input and table: exit
code, rows, SHA-256 and what was said on standard error; OUT/text/INPUT/TABLE.gz has the first 10,000 rows. Order is part of
it: nothing is sorted. Paths are relative, so that snapshots from different folders and machines can be compared. `compare`
prints what differs and exits with 1 when anything does. Python's standard library only.
"""

import argparse
import base64
import concurrent.futures
import csv
import fnmatch
import glob
import gzip
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.path.normpath(os.path.join(HERE, "..", "..", "shared"))
KEPT_ROWS = 10_000
# Seconds that one answer may take: what hangs is ended, and said to have crashed.
PATIENCE = 600
INDEX_COLUMNS = ["input", "table", "exit", "rows", "sha256", "said"]

# Folders below traces/ whose files belong together; the files of those marked "whole" are not inputs of their own.
TRACE_JOBS = {
    "dlrm-8rank": "whole",
    "et": "also alone",
    "hta/critical_path": "also alone",
    "hta/execution_trace": "also alone",
    "hta/trace_diff": "also alone",
    "tracelens/h100": "also alone",
    "tracelens/inference/sglang_decode": "also alone",
    "tracelens/inference/vllm_prefilldecode_piecewise": "also alone",
}

# Jobs of every kind, with what only some traces have: several clocks, missing ranks, no names of groups, Python stacks,
# CUDA graphs, memory. Seeds are fixed; small enough to be read and mapped by all analyses in a second or two.
SIMULATED_JOBS = {
    "ddp": "--ranks 4 --steps 4 --events 6000 --seed 11 --plant slow-gpu:rank=2 --clock-offset-us 500 --clock-drift-ppm 20",
    "fsdp": "--job fsdp --ranks 4 --steps 3 --events 6000 --seed 12 --missing-ranks 3 --plant host-sync",
    "hsdp": "--job hsdp --ranks 4 --steps 3 --events 5000 --seed 13 --plant network-jitter --no-group-names",
    "pipeline": "--job 3d --layout tp=2,pp=2,dp=2 --steps 3 --events 6000 --seed 14 --plant pipeline-stage-imbalance",
    "context": "--job 3d --layout cp=2,pp=2,dp=2 --steps 3 --events 6000 --seed 15 --plain-group-names",
    "moe": "--job moe --layout ep=4,dp=4 --steps 3 --events 6000 --seed 16 --plant expert-imbalance",
    "dlrm": "--job dlrm --ranks 4 --steps 3 --events 6000 --seed 17 --plant sharding-imbalance --plant data-starvation",
    "graphs": "--job single --steps 4 --events 12000 --seed 18 --cuda-graphs --stacks",
    "stacks": "--ranks 2 --steps 3 --events 12000 --seed 19 --stacks --plant memory-leak --plant allocator-thrash",
    "post-training": "--job post-training --ranks 4 --steps 3 --events 5000 --seed 20 --cuda-graphs",
}
# The same jobs in part: name of the input, job, options of the command line. Traces of the simulator begin at step 10.
PARTS = {
    "ddp:ranks=1-2": ("ddp", ["--ranks", "1-2"]),
    "pipeline:steps=11": ("pipeline", ["--steps", "11"]),
    "stacks:rank=0,steps=11-12": ("stacks", ["--ranks", "0", "--steps", "11-12"]),
}
# Options whose values are words: worth more than the numbers that are tried of the others.
OPTION_VALUES = {
    ("by_layout", "rows"): "pp",
    ("by_layout", "columns"): "dp",
    ("by_layout", "metric"): "time_breakdown.compute_ns",
    ("collective_sizes", "link"): "50",
    ("copy_bandwidth", "per_rank"): "1",
    ("kernel_sequences", "op"): "mm",
}

# Events are too many to keep: sums of hashes per column, which any order of the rows gives.
VIEW_QUERY = (
    "SELECT count(*) AS rows, (sum(hash({0}) % 1000003))::BIGINT AS whole_rows, "
    "(sum(hash(COLUMNS(*)) % 1000003))::BIGINT FROM {0}"
)


class Input:
    """What is given to rankscope: a path as it is seen from `folder`, and options."""

    def __init__(self, name, folder, path, options=(), with_options_of_tables=False):
        self.name = name
        self.folder = folder
        self.path = path
        self.options = list(options)
        self.with_options_of_tables = with_options_of_tables

    def size(self):
        full = os.path.join(self.folder, self.path)
        if os.path.isfile(full):
            return os.path.getsize(full)
        return sum(
            os.path.getsize(path)
            for path in glob.glob(os.path.join(full, "**"), recursive=True)
            if os.path.isfile(path)
        )


def shared_inputs(shared):
    traces = os.path.join(shared, "traces")
    for folder, files in TRACE_JOBS.items():
        if os.path.isdir(os.path.join(traces, folder)):
            yield Input(f"traces/{folder}", shared, f"traces/{folder}")
    whole = tuple(f"{folder}/" for folder, files in TRACE_JOBS.items() if files == "whole")
    for path in sorted(glob.glob(os.path.join(traces, "**"), recursive=True)):
        relative = os.path.relpath(path, traces)
        if os.path.isfile(path) and not path.endswith(".md") and not relative.startswith(whole):
            yield Input(f"traces/{relative}", shared, f"traces/{relative}")
    for path in sorted(glob.glob(os.path.join(shared, "jobs", "*", ""))):
        name = f"jobs/{os.path.basename(os.path.dirname(path))}"
        yield Input(name, shared, name)


def simulated_inputs(folder):
    for name in SIMULATED_JOBS:
        yield Input(f"simulated/{name}", folder, name, with_options_of_tables=True)
    for name, (job, options) in PARTS.items():
        yield Input(f"simulated/{name}", folder, job, options)
    yield Input("simulated/all-captures", folder, ".", ["--capture", "all"])


def golden_inputs():
    for path in sorted(glob.glob(os.path.join(HERE, "golden", "*", ""))):
        name = f"golden/{os.path.basename(os.path.dirname(path))}"
        yield Input(name, HERE, name)


def simulate(rankscope, folder):
    """Makes the jobs that are not there yet."""
    for name, options in SIMULATED_JOBS.items():
        path = os.path.join(folder, name)
        if not os.path.isdir(path):
            # Not below `folder` under its name before it is complete.
            unfinished = tempfile.mkdtemp(prefix=".", dir=folder)
            subprocess.run([rankscope, "simulate", unfinished, *options.split()], check=True, stderr=subprocess.DEVNULL)
            os.rename(unfinished, path)


def views_of(rankscope):
    """Names of the views of SQL over traces."""
    listed = subprocess.run([rankscope, "list", "--json"], check=True, capture_output=True, text=True).stdout
    return [table["name"] for table in json.loads(listed)["tables"] if table["subject"] == "events"]


def tables_of(rankscope, views):
    """Names of all tables but the views with the options of each: {name: {option: default}}."""
    markdown = subprocess.run([rankscope, "list", "--markdown"], check=True, capture_output=True, text=True).stdout
    tables, options = {}, None
    for line in markdown.splitlines():
        if line.startswith("## "):
            options = None if line[3:] in views else tables.setdefault(line[3:], {})
            in_options = False
        elif line.startswith("| option |"):
            in_options = True
        elif not line:
            in_options = False
        elif options is not None and in_options and not line.startswith("|---"):
            name, default = (cell.strip() for cell in line.split("|")[1:3])
            options[name] = default
    return tables


def other_value(table, option, default):
    """A value of an option that is not its default; None where there is none to think of."""
    if (table, option) in OPTION_VALUES:
        return OPTION_VALUES[table, option]
    if default in ("true", "false"):
        return "false" if default == "true" else "true"
    if default.isdigit():
        return "1" if default == "3" else "3"
    return None


def questions_of(one, tables, views):
    """(name of the table, arguments of rankscope, form of the answer) for everything to ask of an input. The report comes
    first: it maps most of what the tables need in one pass."""
    job = [one.path, *one.options]
    yield "analyze.json", ["analyze", *job, "--format", "json"], "lines"
    yield "analyze.txt", ["analyze", *job], "lines"
    yield "analyze.page.json", ["analyze", *job, "--format", "html"], "page"
    for table, options in tables.items():
        command = ["table", table, *job, "--format", "csv"]
        yield table, command, "csv"
        for option, default in options.items() if one.with_options_of_tables else ():
            value = other_value(table, option, default)
            if value is not None:
                yield f"{table}:{option}={value}", [*command, "--set", f"{option}={value}"], "csv"
    for view in views:
        yield f"sql.{view}", ["query", *job, VIEW_QUERY.format(view), "--format", "csv"], "csv"
    yield "trace.stacks", ["trace", "stacks", *job], "lines"


def page_data(lines):
    """The data of the HTML report, without scripts and styles."""
    page = b"".join(lines)
    form, data = re.search(rb'<script type="application/(json|gzip)" id="data">(.*?)</script>', page, re.S).groups()
    return (gzip.decompress(base64.b64decode(data)) if form == b"gzip" else data).splitlines(keepends=True)


def rows_of(lines, form):
    """Joins the lines of a CSV into rows, which may hold ends of lines in quotes."""
    if form != "csv":
        yield from lines
        return
    row = b""
    for line in lines:
        row += line
        if row.count(b'"') % 2 == 0:
            yield row
            row = b""
    if row:
        yield row


class Asker:
    """Runs rankscope on one input; hashes the answers as they come."""

    def __init__(self, rankscope, one, cache_options, jobs, forgotten):
        self.command = [rankscope]
        self.one = one
        self.options = [*cache_options, "--jobs", str(jobs)]
        # No answer may say where the inputs or the cache lie.
        folder = os.path.abspath(one.folder)
        prefixes = {folder, os.path.realpath(folder)}
        self.prefixes = sorted((prefix.encode() + b"/" for prefix in prefixes | set(forgotten)), key=len, reverse=True)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("RANKSCOPE_")}
        self.environment.update(LC_ALL="C", NO_COLOR="1")

    def relative(self, text):
        for prefix in self.prefixes:
            if prefix in text:
                text = text.replace(prefix, b"")
        return text

    def ask(self, arguments, form):
        """(exit code, rows, SHA-256, what was said on standard error, the first rows)"""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [*self.command, *arguments, *self.options],
                cwd=self.one.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
            )
            limit = threading.Timer(PATIENCE, process.kill)
            limit.start()
            lines = page_data(process.stdout) if form == "page" else process.stdout
            digest, count, kept = hashlib.sha256(), 0, []
            for row in rows_of(lines, form):
                row = self.relative(row)
                digest.update(row)
                # The first row of a CSV are the names of the columns.
                if count < KEPT_ROWS + (form == "csv"):
                    kept.append(row)
                count += 1
            process.stdout.close()
            code = process.wait()
            limit.cancel()
            said.seek(0)
            message = self.relative(said.read()).decode("utf-8", "replace").strip()
        if form == "csv" and count > 0:
            count -= 1
        return code, count, digest.hexdigest(), message, kept


def is_wanted(name, table, patterns):
    return not patterns or any(
        fnmatch.fnmatchcase(name, p) or fnmatch.fnmatchcase(f"{name}/{table}", p) for p in patterns
    )


def write_text(path, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # No name and time inside: equal text gives equal files.
    with open(path, "wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=3, mtime=0) as file:
        file.writelines(rows)


def text_path(folder, name, table):
    return os.path.join(folder, "text", *name.split("/"), table.replace("/", "_") + ".gz")


def take_one(one, tables, views, arguments):
    """Asks everything of one input; rows of the index."""
    questions = [
        question for question in questions_of(one, tables, views) if is_wanted(one.name, question[0], arguments.only)
    ]
    index = []
    with tempfile.TemporaryDirectory(prefix="rankscope-snapshot-") as cache:
        cache_options = ["--no-cache"] if arguments.no_cache else ["--cache-dir", cache]
        asker = Asker(arguments.rankscope, one, cache_options, arguments.jobs, [cache])
        if arguments.warm:
            for _, command, form in questions:
                asker.ask(command, form)
        for table, command, form in questions:
            code, rows, digest, said, kept = asker.ask(command, form)
            write_text(text_path(arguments.out, one.name, table), kept)
            index.append([one.name, table, code, rows, digest, said])
    return index


def take(arguments):
    begin = time.monotonic()
    arguments.rankscope = os.path.abspath(arguments.rankscope)
    if os.path.exists(arguments.out) and (not os.path.isdir(arguments.out) or os.listdir(arguments.out)):
        print(f"snapshot: {arguments.out} exists and is no empty folder", file=sys.stderr)
        return 2
    views = views_of(arguments.rankscope)
    tables = tables_of(arguments.rankscope, views)
    with tempfile.TemporaryDirectory(prefix="rankscope-snapshot-") as temporary:
        simulated = os.path.abspath(arguments.simulated or temporary)
        inputs = [*shared_inputs(os.path.abspath(arguments.shared)), *simulated_inputs(simulated), *golden_inputs()]
        inputs = [
            one
            for one in inputs
            if any(is_wanted(one.name, q[0], arguments.only) for q in questions_of(one, tables, views))
        ]
        if any(one.folder == simulated for one in inputs):
            os.makedirs(simulated, exist_ok=True)
            simulate(arguments.rankscope, simulated)
        order = {one.name: number for number, one in enumerate(inputs)}
        index = []
        # The largest first: none is left over for one core at the end.
        with concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool:
            running = [
                pool.submit(take_one, one, tables, views, arguments)
                for one in sorted(inputs, key=Input.size, reverse=True)
            ]
            for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                index.append(future.result())
                print(f"[{done}/{len(inputs)}] {index[-1][0][0]}: {len(index[-1])} tables", file=sys.stderr)
    index.sort(key=lambda rows: order[rows[0][0]])
    rows = [row for rows in index for row in rows]
    os.makedirs(arguments.out, exist_ok=True)
    with open(os.path.join(arguments.out, "index.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(INDEX_COLUMNS)
        writer.writerows(rows)
    failed = sum(row[2] != 0 for row in rows)
    crashed = [row for row in rows if row[2] not in (0, 1, 2)]
    print(
        f"{arguments.out}: {len(inputs)} inputs, {len(rows)} tables, of which {failed} say why there are none, "
        f"in {time.monotonic() - begin:.0f} s"
    )
    for row in crashed:
        print(f"{row[0]}: {row[1]}: exit code {row[2]}")
    return 0 if rows and not crashed else 1


def read_index(folder):
    with open(os.path.join(folder, "index.csv"), encoding="utf-8", newline="") as file:
        return {(row["input"], row["table"]): row for row in csv.DictReader(file)}


def read_text(folder, name, table):
    with gzip.open(text_path(folder, name, table), "rb") as file:
        return file.read().decode("utf-8", "replace")


def records(text, table):
    """(header or None, rows) of a kept text."""
    if table.startswith(("analyze.", "trace.stacks")):
        return None, [[line] for line in text.splitlines()]
    rows = list(csv.reader(text.splitlines(keepends=True)))
    return (rows[0], rows[1:]) if rows else ([], [])


def around_difference(a, b, width=60):
    """The two texts from shortly before they part."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    begin = max(0, at - width // 2)
    return tuple(
        ("..." if begin else "") + text[begin : at + width] + ("..." if at + width < len(text) else "")
        for text in (a, b)
    )


def row_difference(number, header, a, b):
    if a is None or b is None:
        row, which = (b, "+") if a is None else (a, "-")
        yield f"  row {number} {which} {','.join(row)[:200]}"
    elif header is None or len(a) != len(b):
        old, new = around_difference(",".join(a), ",".join(b))
        yield f"  row {number} - {old}"
        yield f"  row {number} + {new}"
    else:
        known = [
            f"{name} {x}" for name, x, y in zip(header, a, b) if x == y and name in ("rank", "step", "device", "name")
        ]
        place = f" ({', '.join(known)[:100]})" if known else ""
        for name, x, y in zip(header, a, b):
            if x != y:
                x, y = around_difference(x, y)
                yield f"  row {number}{place}: {name}: {x or 'null'} -> {y or 'null'}"


def text_differences(a, b, name, table, most):
    """The first `most` rows that differ, as lines to print."""
    (old_header, old), (new_header, new) = (records(read_text(folder, name, table), table) for folder in (a, b))
    header = old_header
    if old_header != new_header:
        gone = [column for column in old_header if column not in new_header]
        come = [column for column in new_header if column not in old_header]
        yield f"  columns: gone {gone}, new {come}" if gone or come else "  columns: in another order"
        header = None
    shown = 0
    for number, (x, y) in enumerate(itertools.zip_longest(old, new), 1):
        if x != y:
            shown += 1
            if shown > most:
                break
            yield from row_difference(number, header, x, y)
    if shown == 0 and old_header == new_header:
        yield f"  the kept rows are equal: what differs lies beyond row {KEPT_ROWS}, or is how cells are quoted"


def compare(arguments):
    a, b = read_index(arguments.a), read_index(arguments.b)
    keys = [key for key in [*a, *(key for key in b if key not in a)] if is_wanted(*key, arguments.only)]
    differing = {}
    for key in keys:
        name, table = key
        old, new = a.get(key), b.get(key)
        if old == new:
            continue
        differing.setdefault(table, []).append(name)
        if old is None or new is None:
            print(f"{name}: {table}: only in {arguments.a if new is None else arguments.b}")
            continue
        rows = f"{old['rows']} rows" if old["rows"] == new["rows"] else f"{old['rows']} rows -> {new['rows']}"
        print(f"{name}: {table}: {rows}")
        if old["exit"] != new["exit"]:
            print(f"  exit code {old['exit']} -> {new['exit']}")
        if old["said"] != new["said"]:
            print(f"  said: {old['said'][:300]!r} -> {new['said'][:300]!r}")
        if old["sha256"] != new["sha256"]:
            print("\n".join(text_differences(arguments.a, arguments.b, name, table, arguments.rows)))
    if not keys:
        print("snapshot: there is nothing to compare", file=sys.stderr)
        return 2
    for table, names in sorted(differing.items()):
        print(f"{table}: differs for {len(names)} of the inputs")
    print(f"{sum(map(len, differing.values()))} of {len(keys)} tables differ")
    return 1 if differing else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("take", help="write a snapshot")
    command.add_argument("rankscope")
    command.add_argument("out", help="a folder that is new or empty")
    command.add_argument(
        "--shared", default=SHARED, help="folder with traces/ and jobs/ (default: ../shared, if it is there)"
    )
    command.add_argument("--simulated", help="folder for the simulated jobs; those that it holds are used as they are")
    command.add_argument("--jobs", type=int, default=2, help="threads of each process (default: 2)")
    command.add_argument(
        "--processes", type=int, default=os.cpu_count(), help="processes at a time (default: one per core)"
    )
    command.add_argument(
        "--only", action="append", help="only inputs, or INPUT/TABLE, that match this pattern; repeatable"
    )
    cache = command.add_mutually_exclusive_group()
    cache.add_argument("--warm", action="store_true", help="ask everything twice, and keep what the cache then gives")
    cache.add_argument("--no-cache", action="store_true", help="compute every table by itself; slow")
    command = commands.add_parser("compare", help="print how two snapshots differ")
    command.add_argument("a")
    command.add_argument("b")
    command.add_argument(
        "--only", action="append", help="only inputs, or INPUT/TABLE, that match this pattern; repeatable"
    )
    command.add_argument("--rows", type=int, default=3, help="rows shown per table (default: 3)")
    arguments = parser.parse_args(argv)
    return take(arguments) if arguments.command == "take" else compare(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
