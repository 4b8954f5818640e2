#!/usr/bin/env python3
"""Writes small traces that are damaged or strange, each with what a reader must make of it.

    odd_files.py OUTDIR

For each case NAME there is OUTDIR/NAME.json or OUTDIR/NAME.json.gz (for some: what claims to be one), and beside it
OUTDIR/NAME.expect.json:

    what                one sentence: what is odd
    rows_min, rows_max  how many rows must survive; equal where only one answer is right. Rows are all events but flow
                        points (ph s, t, f) and metadata records (ph M); a B and its E are one
    quality             codes that must be reported, those of QualityCode in src/trace/trace.h in snake_case
    quality_forbidden   codes that must not be reported: healthy data must not be blamed; codes in neither list may be
    begin_ns, end_ns    in some: first start and last end over X and matched B/E, absolute nanoseconds

There are at least 8 good rows on either side of a defect, and no reader may crash or hang on any file. Prints the
paths of the traces, one per line, in a fixed order. The files are the same on every run.
"""

import json
import os
import sys

import odd_damage
import odd_values


def all_cases():
    cases = odd_damage.cases() + odd_values.cases()
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), "two cases of one name"
    return cases


def write(case, folder):
    path = os.path.join(folder, case.name + case.suffix)
    with open(path, "wb") as file:
        file.write(case.data)
    with open(os.path.join(folder, case.name + ".expect.json"), "w", encoding="utf-8") as file:
        json.dump(case.expect, file, indent=1)
        file.write("\n")
    return path


def main(arguments):
    if len(arguments) != 1:
        print("usage: odd_files.py OUTDIR", file=sys.stderr)
        return 2
    folder = arguments[0]
    os.makedirs(folder, exist_ok=True)
    for case in all_cases():
        print(write(case, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
