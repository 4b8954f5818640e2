"""Golden tests: golden/CASE holds traces and, per table NAME.csv, the rows that they must give, each checked by hand."""

import glob
import os

import program

FOLDER = os.path.join(program.HERE, "golden")


def main():
    program.BINARY = os.path.abspath(program.BINARY)
    os.chdir(FOLDER)
    passed = failed = 0
    for expected_path in sorted(glob.glob("*/*.csv")):
        case, name = os.path.split(expected_path[: -len(".csv")])
        out, _ = program.run("table", name, case, "--format", "csv", "--no-cache")
        with open(expected_path, encoding="utf-8", newline="") as file:
            expected = file.read()
        if out.replace("\r\n", "\n") == expected:
            passed += 1
        else:
            failed += 1
            print(f"{expected_path}: expected\n{expected}\nbut rankscope says\n{out}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
