"""What the lab's runs show: what the finding of each mistake promised, and what its twin really gained.

    python3 lab/compare.py OUT --program build/bin/rankscope [--markdown]

A run's step is the mean of its timed steps, of the rank that takes longest; the real gain is 100 * (1 - twin / mistake) of the means over
runs, and its range is what the runs of one side and the other give at worst. The promise is the finding's gain in the recording of the
mistake, `unprofiled` where the profiler's own cost is left out of it.
"""

import argparse
import glob
import json
import os
import subprocess
import sys

from catalogue import PROGRAMS


def step_ns(run):
    """The mean step of a run; None where no process of it trained."""
    means = []
    for path in glob.glob(os.path.join(run, "*.times")):
        with open(path, encoding="utf-8") as file:
            ends = json.load(file)["ends_ns"]
        if len(ends) > 1:
            means.append(ends[-1] / (len(ends) - 1))
    return max(means, default=None)


def steps_of(side):
    steps = [step_ns(run) for run in sorted(glob.glob(os.path.join(side, "time-*"))) if os.path.isdir(run)]
    return [step for step in steps if step]


def report_of(program, recorded):
    ran = subprocess.run(
        [program, "analyze", "--format", "json", recorded], capture_output=True, text=True, check=False
    )
    return json.loads(ran.stdout) if ran.returncode == 0 else None


def gain_range(mistake, twin):
    """The gain of the means in percent, and the least and most that a pair of runs shows."""
    mean = 100 * (1 - sum(twin) / len(twin) / (sum(mistake) / len(mistake)))
    return mean, 100 * (1 - max(twin) / min(mistake)), 100 * (1 - min(twin) / max(mistake))


def promised(finding):
    """The gain that counts without the profiler where it is known."""
    unprofiled = finding.get("gain_unprofiled_pct")
    return finding["gain_pct"] if unprofiled is None else unprofiled


def words(finding):
    gain = promised(finding)
    told = "?" if gain is None else "%s%.1f" % ("<= " if finding["gain_method"] == "bound" else "", gain)
    return "%s %s (%s)" % (finding["id"], told, finding["severity"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("out")
    parser.add_argument("--program", required=True, help="the rankscope to ask")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    for program in PROGRAMS:
        folder = os.path.join(options.out, program.name)
        mistake, twin = steps_of(os.path.join(folder, "mistake")), steps_of(os.path.join(folder, "twin"))
        if not mistake or not twin:
            continue
        report = report_of(options.program, os.path.join(folder, "mistake", "recorded"))
        findings = report["findings"] if report else []
        named = [number for number, finding in enumerate(findings) if finding["id"] in program.findings]
        gain, least, most = gain_range(mistake, twin)
        rows.append(
            (
                program.name,
                "%.2f" % (sum(mistake) / len(mistake) / 1e6),
                "%.1f (%.1f to %.1f)" % (gain, least, most),
                words(findings[named[0]]) if named else "-",
                str(named[0] + 1) if named else "-",
                "; ".join(words(finding) for finding in findings[:3]) or "none",
            )
        )
    head = ("program", "step, ms", "twin's gain, %", "told", "place", "first findings")
    if options.markdown:
        print("| " + " | ".join(head) + " |")
        print("|" + "---|" * len(head))
        for row in rows:
            print("| " + " | ".join(row) + " |")
    else:
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        for row in [head, *rows]:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
