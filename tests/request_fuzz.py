#!/usr/bin/env python3
"""Requests of all sorts, made from the OpenAPI document of a server of its own; what it may never answer or become is a fault.

    tests/request_fuzz.py RANKSCOPE [--requests 100000] [--seed 1] [--first 0] [--computing 0.01] [--threads 4]

--computing is the share of requests that may be answered by a process of its own (queries, what-if, tables not in the report). Exit code 1
after a fault; each is printed with what sends its request again."""

import argparse
import os
import sys
import tempfile

from request_fuzzer import Fuzzer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--computing", type=float, default=0.01)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rankscope_fuzz_") as folder:
        fuzzer = Fuzzer(os.path.join(folder, "data"), options.seed, options.computing, options.threads)
        try:
            fuzzer.prepare()
            told = fuzzer.run(options.requests, options.first)
        finally:
            if fuzzer.server.process.poll() is None:
                fuzzer.server.kill()
    print(
        f"{told['requests']} requests in {told['seconds']:.1f} s, {told['requests'] / told['seconds']:.0f} a second; "
        f"memory {told['half_mb']:.0f} MB at half, {told['end_mb']:.0f} MB at the end"
    )
    print("answers: " + ", ".join(f"{status}: {count}" for status, count in told["statuses"].items()))
    for fault in fuzzer.faults:
        print(fault)
    return 1 if fuzzer.faults else 0


if __name__ == "__main__":
    sys.exit(main())
