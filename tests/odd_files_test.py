"""Damaged and strange traces: what must survive survives, what must be reported is reported, and nothing crashes."""

import contextlib
import glob
import io
import json
import os
import tempfile

import program

import odd_files


def check(path, expect):
    info = program.trace_info(path)
    codes = {entry["code"] for entry in info.get("quality", [])}
    if "error" in info:
        codes.add("truncated" if "cut off" in info["error"] else "not_a_trace")
    elif info["rank"] is None:
        codes.add("missing_metadata")
    rows = info.get("rows", 0)
    problems = []
    if not expect["rows_min"] <= rows <= expect["rows_max"]:
        problems.append(f"{rows} rows, expected {expect['rows_min']} to {expect['rows_max']}")
    missing = set(expect["quality"]) - codes
    if missing:
        problems.append(f"not reported: {sorted(missing)} (reported: {sorted(codes)})")
    unjust = set(expect["quality_forbidden"]) & codes
    if unjust:
        problems.append(f"reported without reason: {sorted(unjust)}")
    for key in ("begin_ns", "end_ns"):
        if key in expect and int(info.get(key, -1)) != expect[key]:
            problems.append(f"{key} is {info.get(key)}, expected {expect[key]}")
    return problems


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            odd_files.main([folder])
        expectations = sorted(glob.glob(os.path.join(folder, "*.expect.json")))
        for name in expectations:
            with open(name, encoding="utf-8") as file:
                expect = json.load(file)
            trace = next(path for path in glob.glob(name[: -len(".expect.json")] + ".json*") if "expect" not in path)
            problems = check(trace, expect)
            if problems:
                failures += 1
                print(f"{os.path.basename(trace)} ({expect['what']}): " + "; ".join(problems))
    print(f"{len(expectations) - failures} passed, {failures} failed")
    return 1 if failures or not expectations else 0


if __name__ == "__main__":
    raise SystemExit(main())
