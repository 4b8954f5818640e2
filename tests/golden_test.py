"""Golden tests: golden/CASE holds traces and, per table NAME.csv, the rows that they must give, each checked by hand (README.md of the case). Tables of two
jobs are those of CASE/base and CASE/test, tables of hangs of dumps, tables of serving of CASE/logs, of post-training of CASE/run, tables of memory of CASE/snapshot.py (and later.py), a snapshot as a literal of
Python, or of CASE/timeline.json; views are those of SQL. golden/arguments.json has what a table of a case is asked with: options, or the columns that
its rows have here where others are sentences. Every table has rows in some case."""

import ast
import glob
import json
import os
import pickle
import tempfile

import program

FOLDER = os.path.join(program.HERE, "golden")
OF_TIMELINES = {"hta.memory_timeline", "timeline_categories"}
# Tables without rows here, and why.
WITHOUT = {
    "device_peaks": "the figures of src/peaks as they stand, whatever the traces",
    "capacity": "a model: capacity_test.cc",
    "finding_run": "of a store: fleet_test.py",
    "fleet_capacity": "of schedulers: fleet_hours_test.py",
    "fleet_classes": "of a store: fleet_test.py",
    "fleet_findings": "of a store: fleet_test.py",
    "fleet_frequent": "of a store: fleet_test.py",
    "fleet_hours": "of schedulers: fleet_hours_test.py",
    "fleet_kernels": "of a store: fleet_test.py",
    "fleet_models": "of a store: fleet_test.py",
    "fleet_movers": "of a store: fleet_test.py",
    "fleet_regressions": "of a store: regressions_test.cc, fleet_test.py",
    "fleet_run": "of a store: run_rows_test.cc, fleet_test.py",
    "fleet_shares": "of a store: fleet_test.py",
    "fleet_unknown": "of a store: fleet_test.py",
    "kernel_day": "of a store: run_rows_test.cc, fleet_test.py",
    "kernel_run": "of a store: run_rows_test.cc, fleet_test.py",
    "kernel_sketches": "encoded distributions: duration_buckets_test.cc, fleet_test.py",
    "post_findings": "sentences: post_training_test.py",
    "post_notes": "sentences: post_training_test.py",
    "serving_findings": "of hundreds of requests: serving_test.py",
    "serving_levels": "of a load run: level_test.cc, load_test.py",
    "serving_little": "of hundreds of requests: serving_test.py",
    "serving_methods": "of a service's requests: recorder_test.py, record_python_test.py",
    "serving_notes": "sentences: serving_test.py",
    "serving_tail": "of hundreds of requests: serving_test.py",
}


def write_snapshot(literal, path):
    with open(literal, encoding="utf-8") as file:
        snapshot = ast.literal_eval(file.read())
    with open(path, "wb") as file:
        pickle.dump(snapshot, file)
    return path


def command_of(case, name, folder):
    if name in program.sql_views():
        return ["query", case, f"FROM {name}", "--no-cache"]
    if name.startswith("flight_"):
        return ["hang", case, "--table", name]
    if name.startswith("serving_"):
        return ["serving", os.path.join(case, "logs"), "--table", name]
    if name.startswith("post_"):
        return ["post-training", os.path.join(case, "run"), "--table", name]
    if name in OF_TIMELINES:
        return ["memory", os.path.join(case, "timeline.json"), "--table", name]
    if name.startswith("snapshot_"):
        states = ["snapshot", "later"] if name == "snapshot_leaks" else ["snapshot"]
        files = [
            write_snapshot(os.path.join(case, f"{state}.py"), os.path.join(folder, f"{state}.pickle"))
            for state in states
        ]
        return ["memory", *files, "--table", name]
    if os.path.isdir(os.path.join(case, "base")):
        return ["table", name, os.path.join(case, "base"), os.path.join(case, "test"), "--no-cache"]
    return ["table", name, case, "--no-cache"]


def rows_of(case, name, arguments):
    with tempfile.TemporaryDirectory() as folder:
        out, _ = program.run(*command_of(case, name, folder), *arguments, "--format", "csv")
    return out.replace("\r\n", "\n")


def known_tables():
    out, _ = program.run("list", "--json")
    return {table["name"] for table in json.loads(out)["tables"]}


def main():
    program.BINARY = os.path.abspath(program.BINARY)
    os.chdir(FOLDER)
    with open("arguments.json", encoding="utf-8") as file:
        arguments = json.load(file)
    passed = failed = 0
    seen = set()
    for expected_path in sorted(glob.glob("*/*.csv")):
        case, name = os.path.split(expected_path[: -len(".csv")])
        seen.add(name)
        out = rows_of(case, name, arguments.pop(f"{case}/{name}", []))
        with open(expected_path, encoding="utf-8", newline="") as file:
            expected = file.read()
        if out == expected:
            passed += 1
        else:
            failed += 1
            print(f"{expected_path}: expected\n{expected}\nbut rankscope says\n{out}")
    if missing := known_tables() - seen - set(WITHOUT):
        failed += 1
        print(f"without golden rows: {', '.join(sorted(missing))}")
    if arguments:
        failed += 1
        print(f"arguments of no table: {', '.join(arguments)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
