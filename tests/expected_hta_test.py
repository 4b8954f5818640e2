"""Busy time of kernels against what Holistic Trace Analysis recorded (../shared/expected/hta), on the sets where both mean the
same: whole microseconds, and no more than one ProfilerStep, since HTA leaves out the last of several.

HTA's compute_time is the united time of its computing kernels, and so is the sum of compute_ns over all windows. Left out on
purpose: triton_example, where HTA takes a CPU op that carries a stream argument for device work (94 us against 1.76 us of
kernel)."""

import json
import os
import tempfile

import program

EXPECTED = os.path.join(program.REAL_TRACES, "..", "expected", "hta")
SETS = {
    "call_stack": "call_stack/backward_thread.json",
    "critical_path__alexnet": "critical_path/alexnet",
    "critical_path__cuda_event_sync": "critical_path/cuda_event_sync",
    "critical_path__simple_add": "critical_path/simple_add",
    "execution_trace": "execution_trace/benchmark_simple_add_trace.json.gz",
}


def main():
    if not os.path.isdir(EXPECTED):
        print("skipped: there are no recorded results in ../shared/expected")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as cache:
        for name, trace in SETS.items():
            with open(os.path.join(EXPECTED, name, "temporal_breakdown.json"), encoding="utf-8") as file:
                result = json.load(file)["result"]
            expected = dict(zip(result["columns"], result["rows"][0]))["compute_time(us)"]
            rows = program.table("time_breakdown", os.path.join(program.REAL_TRACES, "hta", trace), options=("--cache-dir", cache))
            found = sum(int(row["compute_ns"]) for row in rows) / 1000
            if not rows or found != expected:
                failed += 1
                print(f"{name}: computing takes {found} us, HTA says {expected}")
    print(f"{len(SETS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
