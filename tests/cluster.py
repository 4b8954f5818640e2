"""Servers and workers of a cluster for tests, and a soak that kills them: what was acknowledged is there afterwards, once."""

import collections
import http.client
import os
import random
import signal
import subprocess
import threading
import time

import program
from postgres import Postgres
from server import Server
from waiting import LIMIT_S, until

LEASE = "3s"  # so that what a killed worker had is soon another's


class Worker:
    def __init__(self, data, catalogue, *arguments, environment=None):
        self.environment = environment
        self.command = [
            program.BINARY,
            "worker",
            "--catalogue",
            catalogue,
            "--data",
            data,
            "--lease",
            LEASE,
            *arguments,
        ]
        self.lines = []
        self.start()

    def start(self):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment
        )
        self.line = self.process.stdout.readline().decode().strip()
        if not self.line:
            raise AssertionError(f"the worker did not start: {self.process.communicate()[1].decode()}")
        self.reader = threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True)
        self.reader.start()

    def _read(self, stream):
        for line in stream:
            self.lines.append(line.decode("utf-8", "replace"))

    def kill(self):
        self.process.kill()
        return self._ended()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self):
        code = self.process.wait(timeout=LIMIT_S)
        self.reader.join(timeout=LIMIT_S)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def server(data, catalogue, *arguments, environment=None):
    return Server(data, "--catalogue", catalogue, *arguments, environment=environment)


def again_until_it_starts(start):
    """Also where the database is away for a moment."""

    def started():
        try:
            start()
            return True
        except AssertionError:
            return False

    until(started, "a process of the cluster")


class Soak:
    """Uploads at two servers and analyses by two workers, while all of them and PostgreSQL are killed at random moments."""

    def __init__(self, folder, traces, seed):
        self.traces = [
            (os.path.basename(path), open(path, "rb").read()) for path in traces
        ]  # pylint: disable=consider-using-with
        self.random = random.Random(seed)
        self.data = os.path.join(folder, "data")
        self.postgres = Postgres()
        self.catalogue = self.postgres.new_database()
        self.servers = [server(self.data, self.catalogue) for _ in range(2)]
        # Whichever takes a run decides whether it is read in shards.
        self.workers = [Worker(self.data, self.catalogue, "--shard-size", size) for size in ("100K", "2G")]
        self.kills = collections.Counter()
        self.shards = 0  # that were read
        self.runs = {}  # by what it is called: its id, as the server that made it said
        self.mutex = threading.Lock()

    def stop(self):
        for one in [*self.servers, *self.workers]:
            one.stop()
        self.postgres.stop()

    def ask(self, chance, method, path, body=None, headers=None):
        """The answer of whichever server gives one that is no trouble of its own."""

        def answer():
            try:
                told = chance.choice(self.servers).ask(method, path, body, headers)
                # Somebody else may hold a file's lock for the moment in which he dies.
                return told if told[0] < 500 and told[0] not in (423, 429) else None
            except (OSError, http.client.HTTPException, ValueError):
                return None

        return until(answer, f"an answer to {method} {path}", pause_s=0.1)

    def upload(self, name, seed):
        chance = random.Random(seed)
        key = {"Idempotency-Key": f"key of {name}"}
        status, _, run = self.ask(chance, "POST", "/api/v1/runs", {"name": name, "team": f"team{seed % 3}"}, key)
        assert status == 201, (status, run)
        for file, content in self.traces:
            path = f"/api/v1/runs/{run['id']}/files/{file}"
            if chance.random() < 0.5:
                status, _, told = self.ask(chance, "PUT", path, content)
            else:
                status, told = self.in_parts(chance, path, content)
            # Where the answer to the last attempt was lost, it is there already.
            assert status in (200, 201, 204), (status, told)
        status, _, told = self.ask(chance, "POST", f"/api/v1/runs/{run['id']}/finish")
        assert status == 202, (status, told)
        with self.mutex:
            self.runs[name] = run["id"]

    def in_parts(self, chance, path, content):
        offset = 0
        while True:
            piece = content[offset : offset + 20_000]
            last = offset + len(piece) == len(content)
            headers = {"Upload-Offset": str(offset), "Upload-Complete": "?1" if last else "?0"}
            status, fields, told = self.ask(chance, "PATCH", path, piece, headers)
            if status in (200, 201):
                return status, told
            # 409: the answer to an earlier attempt was lost, and this is how much has come; 0 once all is there.
            assert status in (204, 409), (status, told)
            offset = int(fields["upload-offset"])
            if status == 409 and any(
                one["name"] == os.path.basename(path) for one in self.files_of(chance, path.split("/")[4])
            ):
                return 200, told

    def files_of(self, chance, run):
        return self.ask(chance, "GET", f"/api/v1/runs/{run}/files")[2]["files"]

    def kill_one(self):
        what = self.random.choice(["worker", "worker", "server", "server", "postgres"])
        self.kills[what] += 1
        if what == "postgres":
            self.postgres.kill()
            self.postgres.start()
            return
        one = self.random.choice(self.workers if what == "worker" else self.servers)
        one.kill()
        again_until_it_starts(one.start)

    def run(self, uploads, kills, clients=4):
        """What is wrong afterwards, as sentences; empty is good."""
        names = [f"upload {number}" for number in range(uploads)]
        failed = []

        def client(first):
            for number in range(first, uploads, clients):
                try:
                    self.upload(names[number], self.seeds[number])
                except AssertionError as error:
                    failed.append(f"{names[number]}: {error}")

        self.seeds = [self.random.randrange(1 << 30) for _ in names]
        threads = [threading.Thread(target=client, args=(first,)) for first in range(clients)]
        for thread in threads:
            thread.start()
        for _ in range(kills):
            time.sleep(self.random.uniform(0.05, 1.0))  # a random moment
            self.kill_one()
        for thread in threads:
            thread.join()
        return failed + self.faults()

    def faults(self):
        """Every run that was acknowledged is there once, and has one report."""
        chance = random.Random(0)
        for name, run in sorted(self.runs.items()):
            until(
                lambda run=run: self.ask(chance, "GET", f"/api/v1/runs/{run}")[2].get("state") in ("ready", "failed"),
                lambda run=run: f"the end of {self.ask(chance, 'GET', f'/api/v1/runs/{run}')[2]}",
                pause_s=0.2,
            )
        found = []
        listed = self.ask(chance, "GET", "/api/v1/runs?limit=1000")[2]["runs"]
        counts = collections.Counter(one["name"] for one in listed)
        found += [f"{name} is there {count} times" for name, count in counts.items() if count != 1]
        found += [f"{name} is lost" for name in self.runs if counts[name] == 0]
        for one in listed:
            told = self.ask(chance, "GET", f"/api/v1/runs/{one['id']}")[2]
            if told["state"] != "ready":
                found.append(f"{one['name']} is {told['state']}: {told.get('reason')}")
            if self.ask(chance, "GET", f"/api/v1/runs/{one['id']}/report")[0] != 200:
                found.append(f"{one['name']} has no report")
        reports = self.postgres.sql(
            "SELECT count(*), coalesce(max(json_array_length(record::json->'reports')), 0), "
            "coalesce(min(json_array_length(record::json->'reports')), 0) FROM rankscope.run"
        )
        if reports != f"{len(self.runs)}|1|1":
            found.append(f"runs, most and fewest reports of one: {reports}")
        done = self.postgres.sql("SELECT count(*), count(DISTINCT run) FROM rankscope.history WHERE outcome = 'done'")
        if done != f"{len(self.runs)}|{len(self.runs)}":
            found.append(f"work that was done, and runs of it: {done}")
        twice = self.postgres.sql(
            "SELECT count(*) FROM (SELECT run, shard FROM rankscope.history WHERE outcome <> 'divided' "
            "GROUP BY run, shard HAVING count(*) > 1) AS again"
        )
        if twice != "0":
            found.append(f"{twice} units ended twice")
        self.shards = int(self.postgres.sql("SELECT count(*) FROM rankscope.history WHERE shard >= 0"))
        left = self.postgres.sql("SELECT count(*) FROM rankscope.work")
        if left != "0":
            found.append(f"{left} rows of work are left")
        place = ("--data", self.data, "--catalogue", self.catalogue)
        program.run("store", "gc", *place)
        folders = os.path.join(self.data, "shards")
        if os.path.exists(folders) and os.listdir(folders):
            found.append(f"what shards have read is left: {os.listdir(folders)}")
        out, _ = program.run("store", "check", "--contents", *place, expect=(0, 1))
        if len(out.splitlines()) != 1:
            found.append(out)
        return found
