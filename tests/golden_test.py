"""Golden tests: golden/CASE holds traces and, per table NAME.csv, the rows that they must give, each checked by hand (README.md of the case). Tables of two
jobs are those of CASE/base and CASE/test, tables of hangs of dumps; views are those of SQL."""

import glob
import os

import program

FOLDER = os.path.join(program.HERE, "golden")
VIEWS = {"events", "kernels", "ops", "steps"}


def rows_of(case, name):
    if name in VIEWS:
        command = ["query", case, f"FROM {name}", "--no-cache"]
    elif name.startswith("flight_"):
        command = ["hang", case, "--table", name]
    elif os.path.isdir(os.path.join(case, "base")):
        command = ["table", name, os.path.join(case, "base"), os.path.join(case, "test"), "--no-cache"]
    else:
        command = ["table", name, case, "--no-cache"]
    out, _ = program.run(*command, "--format", "csv")
    return out.replace("\r\n", "\n")


def main():
    program.BINARY = os.path.abspath(program.BINARY)
    os.chdir(FOLDER)
    passed = failed = 0
    for expected_path in sorted(glob.glob("*/*.csv")):
        case, name = os.path.split(expected_path[: -len(".csv")])
        out = rows_of(case, name)
        with open(expected_path, encoding="utf-8", newline="") as file:
            expected = file.read()
        if out == expected:
            passed += 1
        else:
            failed += 1
            print(f"{expected_path}: expected\n{expected}\nbut rankscope says\n{out}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
