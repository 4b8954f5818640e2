"""`./dev bench probes`: what a probe of `rankscope-agent snoop` adds to the processor time of a call, beside calls that do nearly nothing.

python3 bench/probes.py RANKSCOPE-AGENT [--turns 7]

Turns without probes, with probes that count, and with probes that take stacks follow each other in one process. A launch is two hits (runtime and
driver), an allocation with its free six (each allocation is seen to begin and to return).
"""

import argparse
import json
import os
import signal
import statistics
import subprocess

HITS = {"launch": 2, "allocation and free": 6}


class Turns:
    def __init__(self, agent):
        self.agent = agent
        words = [os.path.join(os.path.dirname(agent), "fake_gpu", "gpu_program"), "time", "."]
        self.program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.program.stdout.readline()

    def turn(self):
        """ns of a launch, and of an allocation with its free."""
        self.program.stdin.write("\n")
        self.program.stdin.flush()
        return [int(number) for number in self.program.stdout.readline().split()]

    def snooped(self, *options):
        """The same under snoop, and the ns inside a probe, by its own clock."""
        words = [self.agent, "snoop", "--pid", str(self.program.pid), "--seconds", "3600", "--format", "json"]
        words += ["--max-events-per-second", "1000000000", "--max-overhead", "100", *options]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as snoop:
            line = snoop.stderr.readline()
            if "begins" not in line:
                raise SystemExit(line.strip())
            times = self.turn()
            snoop.send_signal(signal.SIGINT)
            probes = json.loads(snoop.stdout.read())["probes"]
        return times, probes["time_ns"] / probes["hits"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agent")
    parser.add_argument("--turns", type=int, default=7)
    arguments = parser.parse_args()
    turns = Turns(os.path.abspath(arguments.agent))
    kinds = {"probes that count": ["--no-stacks"], "probes with stacks": []}
    without, added, inside = [], {kind: [] for kind in kinds}, {kind: [] for kind in kinds}
    turns.turn()
    for _ in range(arguments.turns):
        before = turns.turn()
        without.append(before)
        for kind, options in kinds.items():
            times, ns = turns.snooped(*options)
            added[kind].append([after - alone for after, alone in zip(times, before)])
            inside[kind].append(ns)
    turns.program.stdin.close()
    turns.program.wait()
    print(f"medians of {arguments.turns} turns, one process")
    for i, (call, hits) in enumerate(HITS.items()):
        print(f"a {call}: {statistics.median(turn[i] for turn in without):.0f} ns without probes")
        for kind in kinds:
            whole = [turn[i] for turn in added[kind]]
            print(
                f"  {kind}: {statistics.median(whole):+.0f} ns ({min(whole):+.0f} to {max(whole):+.0f}), "
                f"{statistics.median(whole) / hits:.0f} ns a hit"
            )
    for kind in kinds:
        print(f"{kind}: {statistics.median(inside[kind]):.0f} ns inside a probe; the rest is the trap to it")
    return 0


if __name__ == "__main__":
    main()
