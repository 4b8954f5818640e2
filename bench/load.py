"""`./dev bench load`: how exactly the load generator keeps its schedule, and what it costs, against a server that answers at once.

python3 bench/load.py RANKSCOPE [--rates 1000,5000,10000] [--seconds 10]

Where there are two cores or more the generator has the first alone, and the server the others. Target: at 5,000 requests a second 99 of 100 are begun within 1 ms."""

import argparse
import json
import os
import subprocess


def measure(program, url, rate, seconds, cores):
    command = [
        program,
        "load",
        url,
        "--rate",
        rate,
        "--duration",
        f"{seconds}s",
        "--prompt-tokens",
        "16",
        "--output-tokens",
        "1",
    ]
    before = (lambda: os.sched_setaffinity(0, {cores[0]})) if len(cores) > 1 else None
    # An invalid run (exit code 1) is what this looks for.
    out = subprocess.run(
        [*command, "--no-scrape", "--format", "json"], capture_output=True, preexec_fn=before, check=False
    ).stdout
    table = json.loads(out)["tables"]["serving_levels"]
    return dict(zip((column["name"] for column in table["columns"]), table["rows"][0]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rates", default="1000,5000,10000")
    parser.add_argument("--seconds", type=int, default=10)
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    server = subprocess.Popen(
        [arguments.program, "simulate-server", "--shape", "null", "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = server.stdout.readline().split()[-1]
        if len(cores) > 1:
            for thread in os.listdir(f"/proc/{server.pid}/task"):
                os.sched_setaffinity(int(thread), set(cores[1:]))
        print(f"{'asked':>9} {'served':>9} {'begun late, p99':>16} {'core busy':>10} {'e2e p50':>9} {'p99':>9}")
        for rate in arguments.rates.split(","):
            level = measure(arguments.program, url, rate, arguments.seconds, cores)
            print(
                f"{rate + '/s':>9} {level['served_per_s']:>7.0f}/s {level['lag_p99_ns'] / 1e6:>13.3f} ms {level['client_busy_pct']:>9.1f}%"
                f" {level['e2e_p50_ns'] / 1e6:>6.2f} ms {level['e2e_p99_ns'] / 1e6:>6.2f} ms  {level['invalid'] or ''}"
            )
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
