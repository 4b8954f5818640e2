#!/usr/bin/env python3
"""A cluster whose servers, workers and PostgreSQL are killed at random moments while runs are uploaded: is any lost, doubled or half there?

    bench/cluster.py RANKSCOPE [--kills 50] [--uploads 200] [--seed 1]

Two servers, two workers, one PostgreSQL with fsync on, one folder. Clients go on at the other server where one does not answer, as
`rankscope push` does. Exit code 1 when anything is wrong."""

import argparse
import glob
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))

import program  # pylint: disable=wrong-import-position
from cluster import Soak  # pylint: disable=wrong-import-position


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--uploads", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rankscope_soak_") as folder:
        job = os.path.join(folder, "job")
        program.run("simulate", job, "--ranks", "2", "--steps", "3", "--events", "2000")
        soak = Soak(folder, sorted(glob.glob(job + "/*.gz")), arguments.seed)
        begin = time.monotonic()
        try:
            faults = soak.run(arguments.uploads, arguments.kills)
            counts = soak.postgres.sql("SELECT done, failed, attempts_failed FROM rankscope.cluster")
        finally:
            soak.stop()
    took = time.monotonic() - begin
    done, failed, attempts_failed = counts.split("|")
    kills = ", ".join(f"{count} of a {what}" for what, count in sorted(soak.kills.items()))
    print(
        f"{arguments.uploads} uploads and {sum(soak.kills.values())} kills ({kills}) in {took:.0f} s, seed {arguments.seed}: "
        f"{done} reports, {soak.shards} shards, {failed} runs failed, {attempts_failed} attempts failed, {len(faults)} faults"
    )
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
