#!/usr/bin/env python3
"""Many clients of one server at a time: how long they wait, what the server takes, and that nothing acknowledged is lost.

    bench/service.py RANKSCOPE FOLDER [--clients 200] [--seconds 60] [--runs 20] [--think-ms 100] [--kills 50]

A server of its own on a new store in FOLDER with runs of one simulated job. Every client keeps a connection and asks, thinks, asks: lists
of runs, one run, the data of its pages (whole, and with the ETag that it has), tables, uploads whole and in parts of which it reads the
SHA-256 back, notes, metrics, a few queries; one client in twenty listens to events. Times are as the clients see them, on the same cores.
At the end the server is stopped and started, and all that it had acknowledged is read back. Then servers are killed at random moments (tests/kill_server.py), with and without the loss of what was
not synced (tests/lost_writes.py). Exit code 1 when anything is lost, a 5xx came,
or an answer was not what it should be; a query may be told to come again later (429), which is counted apart."""

import argparse
import collections
import glob
import hashlib
import http.client
import json
import multiprocessing
import os
import platform
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))

import program  # pylint: disable=wrong-import-position
from kill_server import Killed  # pylint: disable=wrong-import-position
from lost_writes import LostWrites  # pylint: disable=wrong-import-position
from server import Server  # pylint: disable=wrong-import-position
from waiting import LIMIT_S, until  # pylint: disable=wrong-import-position

MIX = {
    "list of runs": 15,
    "one run": 20,
    "view": 8,
    "view, unchanged": 15,
    "table": 15,
    "upload": 10,
    "upload in parts": 4,
    "read back": 4,
    "note": 5,
    "metrics": 3,
    "query": 0.3,
}
TABLES = [
    "step_times?filter=rank=1",
    "step_times?sort=-step&limit=5",
    "time_breakdown?format=csv",
    "kernels_by_name?limit=20",
    "step_times?filter=step>=1&columns=rank,step",
]
CLIENTS_OF_A_PROCESS = 50


class Acknowledged:
    """What the server said it has."""

    def __init__(self):
        self.files = {}  # path: SHA-256
        self.parts = {}  # path: bytes
        self.notes = collections.defaultdict(set)
        self.samples = collections.Counter()

    def add(self, other):
        self.files.update(other.files)
        self.parts.update(other.parts)
        self.samples.update(other.samples)
        for run, notes in other.notes.items():
            self.notes[run] |= notes


class Client:
    def __init__(self, port, runs, tables, seed, think_s):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_S)
        self.runs = runs
        self.tables = tables
        self.generator = random.Random(seed)
        self.think_s = think_s
        self.times = collections.defaultdict(list)
        self.faults = []
        self.busy = 0
        self.events = 0
        self.tags = {}
        self.known = Acknowledged()
        self.number = 0
        self.seed = seed
        self.run = None
        self.is_over = False

    def ask(self, kind, method, path, body=None, headers=None, expect=(200,)):
        """(status, fields, content); a status that was not expected is a fault."""
        started = time.perf_counter()
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        try:
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.faults.append(f"{method} {path}: {error!r}")
            return 0, {}, b""
        self.times[kind].append(time.perf_counter() - started)
        if answer.status == 429 and kind == "query":
            self.busy += 1
        elif answer.status not in expect:
            self.faults.append(f"{method} {path}: {answer.status}: {content[:300]!r}")
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    def work(self, end, least):
        """Until `end`, and `least` requests at least."""
        status, _, content = self.ask("new run", "POST", "/api/v1/runs", {"name": f"client {self.seed}"}, expect=(201,))
        if status != 201:
            return
        self.run = json.loads(content)["id"]
        kinds, weights = list(MIX), list(MIX.values())
        while (time.monotonic() < end or self.number < least) and len(self.faults) < 20:
            self.once(self.generator.choices(kinds, weights)[0])
            time.sleep(self.generator.uniform(0, 2 * self.think_s))
        self.connection.close()

    def once(self, kind):
        run = self.generator.choice(self.runs)
        self.number += 1
        if kind == "list of runs":
            self.ask(
                kind,
                "GET",
                self.generator.choice(
                    ["/api/v1/runs?limit=50", "/api/v1/runs?state=ready&sort=name", "/api/v1/runs?q=run%201"]
                ),
            )
        elif kind == "one run":
            _, _, content = self.ask(kind, "GET", f"/api/v1/runs/{run}")
            if content and json.loads(content).get("id") != run:
                self.faults.append(f"another run than {run}: {content[:200]!r}")
        elif kind == "view":
            self.tags[run] = self.ask(kind, "GET", f"/api/v1/runs/{run}/view")[1].get("etag")
        elif kind == "view, unchanged" and self.tags:
            run = self.generator.choice(sorted(self.tags))
            self.ask(
                kind, "GET", f"/api/v1/runs/{run}/view", headers={"If-None-Match": self.tags[run] or ""}, expect=(304,)
            )
        elif kind == "table":
            self.ask(kind, "GET", f"/api/v1/runs/{run}/tables/{self.generator.choice(self.tables)}")
        elif kind == "query":
            sql = {"sql": "SELECT rank, count(*) AS n FROM kernels GROUP BY rank"}
            self.ask(kind, "POST", f"/api/v1/runs/{run}/query", sql)
        elif kind == "note":
            status, _, content = self.ask(
                kind, "POST", f"/api/v1/runs/{self.run}/notes", {"text": f"note {self.number}"}, expect=(201,)
            )
            if status == 201:
                self.known.notes[self.run].add(json.loads(content)["id"])
        elif kind == "metrics":
            samples = [
                {"time": 1_500_000_000 + self.number, "name": "loss", "value": 1 / self.number, "step": self.number}
            ]
            if self.ask(kind, "POST", f"/api/v1/runs/{self.run}/metrics", samples, expect=(201,))[0] == 201:
                self.known.samples[self.run] += 1
        elif kind == "read back" and self.known.files:
            path = self.generator.choice(sorted(self.known.files))
            self.same(path, self.ask(kind, "GET", path)[2])
        elif kind == "upload":
            self.upload()
        elif kind == "upload in parts":
            self.upload_in_parts()

    def same(self, path, content):
        found = hashlib.sha256(content).hexdigest()
        if found != self.known.files[path]:
            self.faults.append(f"lost: {path} has the SHA-256 {found}, not {self.known.files[path]}")

    def upload(self):
        content = self.generator.randbytes(self.generator.choice([100, 4_000, 60_000]))
        path = f"/api/v1/runs/{self.run}/files/file{self.number}"
        wanted = hashlib.sha256(content).hexdigest()
        if self.ask("upload", "PUT", path, content, {"X-Content-SHA256": wanted}, expect=(201,))[0] == 201:
            self.known.files[path] = wanted

    def upload_in_parts(self):
        """Three parts, each where the server says that the last one ended; some are never ended."""
        content = self.generator.randbytes(30_000)
        path = f"/api/v1/runs/{self.run}/files/part{self.number}"
        ends = (10_000, 20_000) if self.generator.random() < 0.2 else (10_000, 20_000, 30_000)
        for begin, end in zip((0, *ends), ends):
            if begin:
                offset = self.ask("offset of an upload", "HEAD", path, expect=(204,))[1].get("upload-offset")
                if offset != str(begin):
                    self.faults.append(f"lost: {path} has {offset} bytes after {begin} were acknowledged")
                    return
            is_last = end == len(content)
            fields = {"Upload-Offset": str(begin), "Upload-Complete": "?1" if is_last else "?0"}
            status = self.ask(
                "part of an upload", "PATCH", path, content[begin:end], fields, expect=(201 if is_last else 204,)
            )[0]
            if status not in (201, 204):
                return
            self.known.parts[path] = end
        if ends[-1] == len(content):
            del self.known.parts[path]
            self.known.files[path] = hashlib.sha256(content).hexdigest()

    def listen(self):
        """To events, until leave()."""
        started = time.perf_counter()
        try:
            self.connection.request("GET", "/api/v1/events")
            answer = self.connection.getresponse()
            self.times["first word of events"].append(time.perf_counter() - started)
            if answer.status != 200:
                self.faults.append(f"GET /api/v1/events: {answer.status}: {answer.read()[:300]!r}")
                return
            while not self.is_over:
                line = answer.readline()
                if not line and not self.is_over:
                    self.faults.append("GET /api/v1/events: it ended")
                    return
                self.events += line.startswith(b"data:")
        except (OSError, http.client.HTTPException) as error:
            if not self.is_over:
                self.faults.append(f"GET /api/v1/events: {error!r}")
        finally:
            self.connection.close()

    def leave(self):
        self.is_over = True
        if self.connection.sock is not None:
            self.connection.sock.shutdown(socket.SHUT_RDWR)


def work_of_a_process(port, runs, tables, seeds, options, pipe):
    clients = [Client(port, runs, tables, seed, options["think_s"]) for seed in seeds]
    end = time.monotonic() + options["seconds"]
    # At least one listens, and one in twenty, for as long as the others work.
    listeners = [client for client in clients if client.seed % 20 == 0]
    listening = [threading.Thread(target=client.listen) for client in listeners]
    working = [
        threading.Thread(target=client.work, args=(end, options["least"]))
        for client in clients
        if client not in listeners
    ]
    for thread in listening:
        thread.start()
    for client in listeners:
        until(lambda client=client: "first word of events" in client.times or client.faults)
    for thread in working:
        thread.start()
    for thread in working:
        thread.join()
    for client in listeners:
        client.leave()
    for thread in listening:
        thread.join()
    known = Acknowledged()
    times = collections.defaultdict(list)
    for client in clients:
        known.add(client.known)
        for kind, list_of_times in client.times.items():
            times[kind] += list_of_times
    pipe.send(
        {
            "known": known,
            "times": dict(times),
            "faults": [fault for client in clients for fault in client.faults],
            "busy": sum(client.busy for client in clients),
            "events": sum(client.events for client in clients),
        }
    )
    pipe.close()


def read_back(server, known):
    """What is lost of what was acknowledged."""
    client = Client(server.port, [], [], 0, 0)
    client.known = known
    for path in known.files:
        client.same(path, client.ask("read", "GET", path)[2])
    for path, size in known.parts.items():
        offset = client.ask("read", "HEAD", path, expect=(204,))[1].get("upload-offset")
        if offset != str(size):
            client.faults.append(f"lost: {path} has {offset} bytes of {size} acknowledged")
    for run, notes in known.notes.items():
        found = {
            note["id"]
            for note in json.loads(client.ask("read", "GET", f"/api/v1/runs/{run}/notes")[2] or b'{"notes":[]}')[
                "notes"
            ]
        }
        if not notes <= found:
            client.faults.append(f"lost: {len(notes - found)} notes of {run}")
    for run, count in known.samples.items():
        found = len(
            json.loads(client.ask("read", "GET", f"/api/v1/runs/{run}/metrics")[2] or b'{"metrics":[]}')["metrics"]
        )
        if found != count:
            client.faults.append(f"lost: {run} has {found} metrics of {count} acknowledged")
    client.connection.close()
    return client.faults


def resources(pid):
    """Peak of memory in MB and CPU seconds, its ended children's beside."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        peak_mb = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM:"))
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return peak_mb, (int(fields[11]) + int(fields[12])) / ticks, (int(fields[13]) + int(fields[14])) / ticks


def fill(server, folder, count):
    """Runs of one simulated job under several names; their ids, when all are ready."""
    job = os.path.join(folder, "job")
    if not os.path.exists(job):
        program.run("simulate", job, "--ranks", "2", "--steps", "3", "--events", "4000")
    runs = [server.new_run(name=f"run {number}", team="search" if number % 2 else "ads") for number in range(count)]
    for run in runs:
        for name in sorted(os.listdir(job)):
            if name.endswith(".json.gz"):
                server.upload(run, os.path.join(job, name))
        server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
    for run in runs:
        state = server.wait(run)
        assert state["state"] == "ready", state
    return runs


def load(folder, clients, seconds, runs=20, think_s=0.1, least=0):
    """Loads a server of its own, for so many seconds and until each client has asked `least` times; what was seen, with `faults`."""
    data = os.path.join(folder, "data")
    shutil.rmtree(data, ignore_errors=True)
    server = Server(data)
    try:
        ids = fill(server, folder, runs)
        stored = {one["name"] for one in server.get(f"/api/v1/runs/{ids[0]}/tables")["tables"]}
        tables = [table for table in TABLES if table.split("?")[0] in stored]
        assert tables
        pid = server.process.pid
        before = resources(pid)
        context = multiprocessing.get_context("fork")
        results, processes = [], []
        started = time.monotonic()
        for first in range(0, clients, CLIENTS_OF_A_PROCESS):
            ours, theirs = context.Pipe(duplex=False)
            seeds = range(first, min(first + CLIENTS_OF_A_PROCESS, clients))
            process = context.Process(
                target=work_of_a_process,
                args=(
                    server.port,
                    ids,
                    tables,
                    seeds,
                    {"seconds": seconds, "think_s": think_s, "least": least},
                    theirs,
                ),
            )
            process.start()
            theirs.close()
            processes.append((process, ours))
        for process, ours in processes:
            results.append(ours.recv())
            process.join()
        took = time.monotonic() - started
        after = resources(pid)
        known = Acknowledged()
        told = {"times": collections.defaultdict(list), "faults": [], "busy": 0, "events": 0}
        for result in results:
            known.add(result["known"])
            for kind, times in result["times"].items():
                told["times"][kind] += times
            for name in ("faults", "busy", "events"):
                told[name] += result[name]
        code = server.stop()
        if code != 0:
            told["faults"].append(f"the server stopped with {code}")
        server.restart()
        told["faults"] += read_back(server, known)
    finally:
        if server.process.poll() is None:
            server.stop()
    program.run("store", "check", "--contents", "--data", data)
    told.update(
        known=known,
        seconds=took,
        clients=clients,
        peak_mb=after[0],
        cpu_s=after[1] - before[1],
        children_cpu_s=after[2] - before[2],
    )
    return told


def kill(folder, traces, count):
    """Kills servers of their own at `count` random moments each, one of which loses what it did not sync; what they lost."""
    for name in ("killed", "cut"):
        place = os.path.join(folder, name)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        data = os.path.join(place, "data")
        lost = LostWrites(data, place) if name == "cut" else None
        server = Server(data, environment=lost.environment() if lost else None)
        try:
            killed = Killed(server, traces, 1, (lambda lost=lost: lost.drop("cache", "work")) if lost else None)
            killed.rounds(count)
            killed.settle()
        finally:
            if server.process.poll() is None:
                server.stop()
        told = (
            f", after each of which {lost.bytes / 1e6:.1f} MB and {lost.names} names in all were lost" if lost else ""
        )
        print(
            f"killed at {count} random moments of {killed.moments['files']} uploads, {killed.moments['parts']} in parts and {killed.moments['finished']} analyses{told}: nothing acknowledged was lost"
        )


def quantile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(share * len(times)))] * 1000


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next(
            (line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine()
        )
    return f"{len(os.sched_getaffinity(0))} cores of {model}, Linux {platform.release().split('-')[0]}, {os.getloadavg()[0]:.1f} load at the end"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--think-ms", type=float, default=100)
    parser.add_argument("--kills", type=int, default=50)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    told = load(options.folder, options.clients, options.seconds, options.runs, options.think_ms / 1000)
    everything = [one for times in told["times"].values() for one in times]
    print(
        f"{machine()}\n{told['clients']} clients, {told['seconds']:.0f} s, {options.think_ms:g} ms of thought between requests, {options.runs} runs"
    )
    print(f"{'':24}{'requests':>10}{'p50 ms':>10}{'p99 ms':>10}{'max ms':>10}")
    for kind, times in sorted(told["times"].items()):
        print(
            f"{kind:24}{len(times):>10}{quantile(times, 0.5):>10.1f}{quantile(times, 0.99):>10.1f}{max(times) * 1000:>10.1f}"
        )
    print(
        f"{'all':24}{len(everything):>10}{quantile(everything, 0.5):>10.1f}{quantile(everything, 0.99):>10.1f}{max(everything) * 1000:>10.1f}"
    )
    known = told["known"]
    print(
        f"{len(everything) / told['seconds']:.0f} requests a second; {told['events']} events heard; {told['busy']} queries told to come later"
    )
    print(
        f"acknowledged: {len(known.files)} files, {len(known.parts)} begun, {sum(map(len, known.notes.values()))} notes, {sum(known.samples.values())} metrics"
    )
    print(
        f"server: {told['peak_mb']:.0f} MB at the peak, {told['cpu_s']:.1f} s of CPU, and {told['children_cpu_s']:.1f} s of its children"
    )
    for fault in told["faults"][:20]:
        print(fault)
    kill(options.folder, sorted(glob.glob(os.path.join(options.folder, "job", "*.json.gz"))), options.kills)
    print(f"faults and losses: {len(told['faults'])}")
    return 1 if told["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
