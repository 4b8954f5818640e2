"""A cluster: servers without a state of their own, workers, PostgreSQL, one shared folder; any of them may die at any time."""

import glob
import gzip
import json
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import fake_s3
import program
from cluster import Soak, Worker, server
from postgres import Postgres
from server import Server
from waiting import LIMIT_S, until


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()
        cls.jobs = tempfile.TemporaryDirectory()
        cls.job = os.path.join(cls.jobs.name, "job")
        program.run("simulate", cls.job, "--ranks", "2", "--steps", "3", "--events", "2000")
        cls.traces = sorted(glob.glob(cls.job + "/*.gz"))
        cls.number = 0

    @classmethod
    def tearDownClass(cls):
        cls.postgres.stop()
        cls.jobs.cleanup()

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.data = os.path.join(self.folder, "data")
        type(self).number += 1
        self.database = f"test{self.number}"
        self.catalogue = self.postgres.new_database(self.database)
        self.started = []

    def tearDown(self):
        for one in self.started:
            if one.process.poll() is None:
                self.assertEqual(one.stop(), 0)
        shutil.rmtree(self.folder)

    def server(self, *arguments, environment=None):
        self.started.append(server(self.data, self.catalogue, *arguments, environment=environment))
        return self.started[-1]

    def worker(self, *arguments, environment=None):
        self.started.append(Worker(self.data, self.catalogue, *arguments, environment=environment))
        return self.started[-1]

    def sql(self, statement):
        return self.postgres.sql(statement, self.database)

    def finished_run(self, at, **fields):
        run = at.new_run(**fields)
        for path in self.traces:
            at.upload(run, path)
        at.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        return run

    def test_contents_may_lie_in_s3(self):
        """Two servers and a worker, each with copies of its own; what one has stored the others read, and the folder has no content."""
        store = fake_s3.FakeS3("traces")
        self.addCleanup(store.stop)
        names = {
            "AWS_ACCESS_KEY_ID": fake_s3.KEY_ID,
            "AWS_SECRET_ACCESS_KEY": fake_s3.SECRET,
            "AWS_ENDPOINT_URL": store.endpoint,
        }
        environment = {**os.environ, **names}
        place = ["--blobs", "s3://traces/cluster"]

        def own(name):
            return [*place, "--blob-cache-dir", os.path.join(self.folder, name)]

        # Without a folder for its copies a process would take those of others.
        out, told = program.run(
            "worker", "--catalogue", self.catalogue, "--data", self.data, *place, expect=2, environment=environment
        )
        self.assertEqual(out, "")
        self.assertIn("--blob-cache-dir", told)
        one = self.server(*own("one"), environment=environment)
        two = self.server(*own("two"), environment=environment)
        # Nor are two processes at one.
        words = ["worker", "--catalogue", self.catalogue, "--data", self.data, *own("two")]
        self.assertIn("another process has its copies", program.run(*words, expect=1, environment=environment)[1])
        run = self.finished_run(one, name="first")
        self.worker(*own("three"), environment=environment)
        self.assertEqual(two.wait(run)["state"], "ready")
        self.assertEqual(two.get(f"/api/v1/runs/{run}/report")["schema"], "rankscope.report/1")
        keys = [key for key in store.keys("traces", "cluster/blobs/")]
        self.assertGreater(len(keys), len(self.traces))
        self.assertFalse(glob.glob(os.path.join(self.data, "blobs", "*", "*")))
        name = os.path.basename(self.traces[0])
        with open(self.traces[0], "rb") as file:
            self.assertEqual(two.get(f"/api/v1/runs/{run}/files/{name}"), file.read())
        checked, _ = program.run(
            *["store", "check", "--contents", "--data", self.data, "--catalogue", self.catalogue],
            *["--blob-cache-dir", os.path.join(self.folder, "four")],
            environment=environment,
        )
        self.assertIn("1 runs", checked)
        # Nobody has the tables of this run in the folder: the command takes them out of the bucket.
        self.assertTrue(two.get("/api/v1/fleet/kernels"))
        with open(os.path.join(self.data, "fleet", "manifest.json"), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["days"]), 1)

    def test_servers_queue_and_workers_analyse(self):
        one = self.server()
        run = self.finished_run(one, name="first")
        self.assertEqual(one.get(f"/api/v1/runs/{run}")["state"], "queued")
        worker = self.worker()
        self.assertRegex(worker.line, r"^worker \S+-\d+ takes work from postgresql://.*/test\d+, 1 at a time$")
        self.assertEqual(one.wait(run)["state"], "ready")
        self.assertEqual(one.get(f"/api/v1/runs/{run}/report")["schema"], "rankscope.report/1")
        self.assertEqual(self.sql("SELECT count(*) FROM rankscope.work"), "0")
        metrics = one.get("/metrics").decode()
        self.assertIn("\nrankscope_runs 1\n", metrics)
        self.assertIn("\nrankscope_analyses_total 1\n", metrics)
        self.assertEqual(one.get("/healthz"), {"status": "ok"})
        # A server may do both.
        self.assertEqual(worker.stop(), 0)
        both = self.server("--workers", "1")
        self.assertEqual(both.wait(self.finished_run(one, name="second"))["state"], "ready")
        # Questions over all runs, from a server and from a command line that shows no address.
        self.assertTrue(one.get("/api/v1/fleet/overview"))
        environment = {**os.environ, "RANKSCOPE_CATALOGUE": self.catalogue}
        of_sql = ["fleet", "query", self.data, "SELECT count(*) AS runs FROM fleet_run", "--format", "csv"]
        self.assertEqual(program.run(*of_sql, environment=environment)[0], "runs\r\n2\r\n")
        self.assertIn("--catalogue", program.run(*of_sql, expect=2)[1])

    def test_a_worker_that_ends_hands_its_work_back(self):
        one = self.server()
        run = self.finished_run(one, name="first")
        # Whoever takes it is stopped at once, however far it is.
        worker = self.worker()
        until(lambda: one.get(f"/api/v1/runs/{run}")["state"] != "queued", "a worker")
        self.assertEqual(worker.stop(), 0)
        if self.sql("SELECT count(*) FROM rankscope.work") == "1":
            self.assertEqual(self.sql("SELECT state, failed, lost FROM rankscope.work"), "ready|0|0")
        self.worker()
        self.assertEqual(one.wait(run)["state"], "ready")
        # Nothing of those that ended is left.
        self.assertEqual(len(os.listdir(os.path.join(self.data, "work"))), 2)

    def test_what_a_killed_worker_had_is_anothers(self):
        one = self.server()
        dead = self.worker()
        run = self.finished_run(one, name="first")
        until(lambda: self.sql("SELECT count(*) FROM rankscope.work WHERE state = 'ready'") == "0", "a worker")
        dead.kill()
        self.worker()
        self.assertEqual(one.wait(run)["state"], "ready")
        self.assertEqual(self.sql("SELECT count(*) FROM rankscope.history"), "1")

    def listen(self, at, last=None):
        connection = socket.create_connection(("127.0.0.1", at.port), timeout=LIMIT_S)
        connection.sendall(
            b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n"
            + (f"Last-Event-ID: {last}\r\n".encode() if last else b"")
            + b"\r\n"
        )
        return connection

    def read_until(self, connection, pattern):
        text = ""
        while not re.search(pattern, text, re.S):
            piece = connection.recv(65536)
            self.assertTrue(piece, text)
            text += piece.decode()
        return text

    def test_two_servers_are_one(self):
        tokens = os.path.join(self.folder, "tokens")
        token = program.run("token", "admin", "--name", "ann", "--file", tokens)[0].strip()
        first = self.server("--token-file", tokens)
        second = self.server("--token-file", tokens)
        # A session of one is one of the other, and its end is, too.
        _, fields, _ = first.ask("POST", "/api/v1/session", {"token": token}, expect=201)
        cookie = {"Cookie": fields["set-cookie"].split(";")[0]}
        self.assertEqual(second.get("/api/v1/session", headers=cookie)["name"], "ann")
        # A share, a note, a run.
        run = first.ask("POST", "/api/v1/runs", {"name": "one"}, cookie, expect=201)[2]["id"]
        share = first.ask("POST", "/api/v1/shares", {"state": {"a": 1}}, cookie, expect=201)[2]
        self.assertEqual(second.get(f"/api/v1/shares/{share['hash']}", headers=cookie), {"a": 1})
        second.ask("POST", f"/api/v1/runs/{run}/notes", {"text": "look"}, cookie, expect=201)
        self.assertEqual(first.get(f"/api/v1/runs/{run}/notes", headers=cookie)["notes"][0]["text"], "look")
        # An upload goes on at the other server.
        path = f"/api/v1/runs/{run}/files/x"
        first.ask("PATCH", path, b"abc", {**cookie, "Upload-Offset": "0"}, expect=204)
        self.assertEqual(second.ask("HEAD", path, headers=cookie)[1]["upload-offset"], "3")
        second.ask("PATCH", path, b"def", {**cookie, "Upload-Offset": "3", "Upload-Complete": "?1"}, expect=201)
        self.assertEqual(first.ask("GET", path, headers=cookie)[2], b"abcdef")
        # One dies; the other has the same list, and the session's end at it is one for all.
        first.kill()
        self.assertEqual(second.get("/api/v1/runs", headers=cookie)["runs"][0]["id"], run)
        second.ask("DELETE", "/api/v1/session", headers=cookie, expect=204)
        first.restart()
        first.ask("GET", "/api/v1/runs", headers=cookie, expect=401)

    def test_one_writer_of_a_file_whichever_server_he_asks(self):
        first, second = self.server(), self.server()
        run = first.new_run(name="one")
        path = f"/api/v1/runs/{run}/files/x"
        first.ask("PUT", path, b"before", expect=201)  # the file of locks is there
        with socket.create_connection(("127.0.0.1", first.port), timeout=LIMIT_S) as connection:
            connection.sendall(f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc".encode())
            lock = f":{os.stat(os.path.join(self.data, 'uploads.lock')).st_ino} "
            until(
                lambda: any("OFDLCK" in one and lock in one for one in open("/proc/locks", encoding="ascii")),
                "the lock",
            )
            self.assertEqual(second.ask("PUT", path, b"other")[0], 423)
            self.assertEqual(first.ask("PUT", path, b"other")[0], 423)
        until(lambda: second.ask("PUT", path, b"other")[0] in (200, 201), "the end of the lock")

    def test_events_go_on_at_the_other_server(self):
        first, second = self.server(), self.server()
        with self.listen(first) as connection:
            self.read_until(connection, "retry")
            run = second.new_run(name="told by the other")
            text = self.read_until(connection, "told by the other.*\n\n")
        last = re.findall(r"id: (\S+)", text)[-1]
        first.kill()
        second.ask("PATCH", f"/api/v1/runs/{run}", {"name": "while it was dead"}, expect=200)
        with self.listen(second, last) as connection:
            text = self.read_until(connection, "while it was dead.*\n\n")
            self.assertNotIn("resync", text)
        # And at one that began later.
        first.restart()
        with self.listen(first, last) as connection:
            text = self.read_until(connection, "while it was dead.*\n\n")
            self.assertNotIn("resync", text)
            second.ask("DELETE", f"/api/v1/runs/{run}", expect=204)
            self.read_until(connection, 'event: removed\ndata: {"id":"' + run)

    def test_a_folder_is_carried_over(self):
        alone = Server(self.data)
        run = self.finished_run(alone, name="old", tags={"branch": "main"})
        self.assertEqual(alone.wait(run)["state"], "ready")
        before = alone.get(f"/api/v1/runs/{run}")
        share = alone.ask("POST", "/api/v1/shares", {"state": {"a": 1}}, expect=201)[2]
        migrate = ("store", "migrate", "--to", self.catalogue, "--data", self.data)
        _, error = program.run(*migrate, expect=1)
        self.assertIn("another process writes", error)
        alone.stop()
        # A database that has not these runs would take their contents for garbage.
        serve = ("serve", "--data", self.data, "--quiet")
        _, error = program.run(*serve, "--catalogue", self.catalogue, expect=2)
        self.assertIn("1 runs that the database", error)
        self.assertRegex(
            program.run(*migrate)[0],
            r"^1 runs, 1 of them new in \S+, with 1 shared states, 0 gains and [1-9]\d* lines of the audit log\n$",
        )
        self.assertRegex(
            program.run(*migrate)[0],
            r"^1 runs, 0 of them new in \S+, with 0 shared states, 0 gains and 0 lines of the audit log\n$",
        )
        # The cluster has the folder before a server has started, and who has no catalogue is told where it is.
        place = ("--data", self.data, "--catalogue", self.catalogue)
        self.assertIn("old", program.run("store", "list", *place)[0])
        for command in (serve, ("store", "list", "--data", self.data), ("store", "gc", "--data", self.data)):
            error = program.run(*command, expect=2)[1]
            self.assertIn("its runs are in a database, which was postgresql://", error)
            self.assertIn(f"/{self.database}", error)
        self.assertIn("run.create", program.run("audit", "show", *place[1:])[0])
        # Nor can it become another database's, or this one have another folder.
        migrate_to = ("store", "migrate", "--to")
        elsewhere = self.postgres.new_database("other")
        error = program.run(*migrate_to, elsewhere, "--data", self.data, expect=2)[1]
        self.assertIn("it is not the folder", error)
        other = os.path.join(self.folder, "other")
        program.run("store", "add", self.job, "--data", other)
        error = program.run(*migrate_to, self.catalogue, "--data", other, expect=2)[1]
        self.assertIn("it is not the folder", error)
        program.run("store", "list", "--data", other)
        one = self.server()
        self.assertEqual(one.get(f"/api/v1/runs/{run}"), before)
        self.assertEqual(one.get("/api/v1/runs?tag=branch=main")["total"], 1)
        self.assertEqual(one.get(f"/api/v1/shares/{share['hash']}"), {"a": 1})
        self.assertIn("1 runs, 0 of them new", program.run(*migrate)[0])
        verified = program.run("audit", "verify", *place[1:])[0]
        self.assertIn("from number 1 on", verified)
        # The commands for stores, beside servers.
        self.assertIn("old", program.run("store", "list", *place)[0])
        self.assertRegex(program.run("store", "check", "--contents", *place)[0], r"^1 runs, \d+ contents of .*\n$")
        copy = os.path.join(self.folder, "copy")
        program.run("store", "get", run, "-o", copy, *place)
        self.assertTrue(glob.glob(copy + "/*"))
        added = program.run("store", "add", self.job, "--name", "added", *place)[0].strip()
        self.assertEqual(one.get(f"/api/v1/runs/{added}")["state"], "ready")
        backup = os.path.join(self.folder, "backup")
        self.assertIn("2 runs, 2 of them new", program.run("store", "backup", backup, *place)[0])
        self.assertIn("added", program.run("store", "list", "--data", backup)[0])
        program.run("store", "remove", added, *place)
        one.ask("GET", f"/api/v1/runs/{added}", expect=404)
        self.assertIn("removed 0 runs", program.run("store", "gc", *place)[0])
        self.assertEqual(one.get(f"/api/v1/runs/{run}/report")["schema"], "rankscope.report/1")

    def test_what_cannot_be_used_is_said_without_secrets(self):
        def refused(address, *also):
            out, error = program.run("serve", "--data", self.data, "--catalogue", address, "--quiet", expect=(1, 2))
            self.assertEqual(out, "")
            self.assertNotIn("geheim", error)
            self.assertEqual(len(error.splitlines()), 1, error)
            for word in also:
                self.assertIn(word, error)

        refused("postgresql://ann:geheim@127.0.0.1:1/none", "postgresql://127.0.0.1:1/none", "cannot be reached")
        refused("mysql://ann:geheim@127.0.0.1/none", "postgresql://USER@HOST")
        refused(self.postgres.address("none").replace("rankscope@", "rankscope:geheim@"), '"none" does not exist')
        self.assertFalse(os.path.exists(self.data))
        self.server().stop()
        # A folder that is not mounted.
        shared, self.data = self.data, self.data + "2"
        refused(self.catalogue, "is it mounted?")
        self.data = shared
        # Tables that only extend these are used; those that need a newer program are not.
        self.sql("UPDATE rankscope.version SET number = 999")
        self.server().stop()
        self.sql("UPDATE rankscope.version SET least = 999")
        refused(self.catalogue, "version 999", "take a newer one")

    def test_a_database_that_is_away_costs_requests_and_no_server(self):
        one = self.server()
        run = one.new_run(name="kept")
        self.postgres.kill()
        try:
            # A backend answers what it was asked before it learns that it is alone.
            until(lambda: one.ask("GET", f"/api/v1/runs/{run}")[0] == 503, "that the database is missed")
            told = one.ask("GET", f"/api/v1/runs/{run}")[2]
            self.assertEqual(told["error"]["code"], "unavailable")
            self.assertEqual(one.ask("GET", "/healthz")[0], 503)
            self.assertEqual(one.ask("GET", "/api/v1/version")[0], 200)
        finally:
            self.postgres.start()
        until(lambda: one.ask("GET", f"/api/v1/runs/{run}")[0] == 200, "the database")

    def kill_readers(self, bad, is_over):
        """As the kernel does where memory runs out: whatever reads this file of a run is killed."""
        while not is_over.is_set():
            for folder in glob.glob("/proc/[0-9]*"):
                try:
                    with open(f"{folder}/cmdline", "rb") as file:
                        words = file.read().decode().split("\0")
                    is_ours = os.readlink(f"{folder}/cwd").startswith(self.data)
                    of_words = {"analyze": 2, "shard": 4}
                    reads = is_ours and words[of_words[words[1]]] in ("TRACES", f"TRACES/{bad}")
                    if reads and os.path.exists(f"{folder}/cwd/TRACES/{bad}"):
                        os.kill(int(os.path.basename(folder)), signal.SIGKILL)
                except (OSError, IndexError, KeyError):
                    pass  # it has ended

    def kill_children(self, worker, is_over):
        """As on a machine that cannot analyse anything."""
        while not is_over.is_set():
            for path in glob.glob(f"/proc/{worker.process.pid}/task/*/children"):
                try:
                    with open(path, encoding="utf-8") as file:
                        for child in file.read().split():
                            os.kill(int(child), signal.SIGKILL)
                except OSError:
                    pass  # it has ended

    def test_what_fails_on_one_worker_is_anothers(self):
        """A worker on which everything fails costs no run while another one lives."""
        one = self.server()
        self.worker()
        bad = self.worker("--workers", "2")
        until(lambda: self.sql("SELECT count(*) FROM rankscope.worker") == "2", "both workers")
        is_over = threading.Event()
        killer = threading.Thread(target=self.kill_children, args=(bad, is_over))
        killer.start()
        try:
            runs = [self.finished_run(one, name=f"run {number}") for number in range(6)]
            for run in runs:
                self.is_ready(one.wait(run))
        finally:
            is_over.set()
            killer.join()
        self.assertGreater(int(self.sql("SELECT attempts_failed FROM rankscope.cluster")), 0)
        self.assertEqual(self.sql("SELECT done, failed, set_aside FROM rankscope.cluster"), "6|0|0")
        # One that ends is known to be gone.
        self.assertEqual(bad.stop(), 0)
        self.assertEqual(self.sql("SELECT count(*) FROM rankscope.worker"), "1")

    def test_one_worker_serves_teams_in_turn(self):
        one = self.server()
        flood = [self.finished_run(one, name="flood", team="flood") for _ in range(6)]
        small = [self.finished_run(one, name="small", team="small") for _ in range(2)]
        metrics = one.get("/metrics").decode()
        self.assertIn('\nrankscope_team_units_waiting{team="flood"} 6\n', metrics)
        self.assertIn('\nrankscope_team_units_waiting{team="small"} 2\n', metrics)
        self.assertRegex(metrics, r"\nrankscope_oldest_wait_seconds (0\.\d|[1-9])")
        self.assertNotIn("rankscope_backlog_cpu_seconds", metrics)
        self.worker("--workers", "1")
        for run in flood + small:
            self.is_ready(one.wait(run))
        metrics = one.get("/metrics").decode()
        self.assertIn("\nrankscope_oldest_wait_seconds 0\n", metrics)
        self.assertIn("\nrankscope_backlog_cpu_seconds 0\n", metrics)
        # What a byte costs is known now.
        self.assertEqual(
            self.sql("SELECT count(*) FROM rankscope.history WHERE cpu_ms > 0 AND input_bytes > 0 AND kind = 'run'"),
            "8",
        )
        order = self.sql("SELECT team FROM rankscope.history ORDER BY ended").splitlines()
        self.assertEqual(order, ["flood", "small", "flood", "small", *["flood"] * 4])

    def test_a_run_that_failed_is_queued_again_by_a_command(self):
        one = self.server()
        worker = self.worker()
        is_over = threading.Event()
        killer = threading.Thread(target=self.kill_children, args=(worker, is_over))
        killer.start()
        try:
            run = self.finished_run(one, name="unlucky")
            self.assertEqual(one.wait(run)["state"], "failed")
        finally:
            is_over.set()
            killer.join()
        requeue = ("store", "requeue", run, "--data", self.data, "--catalogue", self.catalogue)
        self.assertEqual(program.run(*requeue)[0], f"run {run} is queued\n")
        told = one.wait(run)
        self.is_ready(told)
        self.assertEqual((told["reason"], told["set_aside"]), (None, []))
        # A ready one gets another report.
        program.run(*requeue)
        self.is_ready(one.wait(run))
        self.assertEqual(one.get(f"/api/v1/runs/{run}")["version"], 2)
        self.assertIn("no run", program.run("store", "requeue", "0123456789abcdef", *requeue[3:], expect=1)[1])

    def poisoned(self, *options):
        """A run after an analysis in which one of three files ended whoever read it."""
        one = self.server()
        self.worker("--workers", "2", *options)
        big = os.path.join(self.folder, "big")
        program.run("simulate", big, "--ranks", "1", "--steps", "3", "--events", "300000")
        run = one.new_run(name="poison")
        for path in self.traces:
            one.upload(run, path)
        bad = "bad.json.gz"
        one.upload(run, glob.glob(big + "/*.gz")[0], bad)
        is_over = threading.Event()
        killer = threading.Thread(target=self.kill_readers, args=(bad, is_over))
        killer.start()
        try:
            one.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
            told = one.wait(run)
        finally:
            is_over.set()
            killer.join()
        self.assertEqual(told["state"], "ready", told)
        self.assertEqual([aside["file"] for aside in told["set_aside"]], [bad])
        self.assertIn("SIGKILL", told["set_aside"][0]["reason"])
        self.assertEqual(self.sql("SELECT done, attempts_failed, set_aside FROM rankscope.cluster"), "1|2|1")
        self.assertEqual(one.get(f"/api/v1/runs/{run}/report")["job"]["ranks"], [0, 1])
        return run

    def test_what_kills_its_readers_is_set_aside(self):
        self.poisoned()

    def parts_of_report(self, run):
        """Name and SHA-256 of each part of the last report, but for the timeline: threads add ranks to it as they end."""
        return self.sql(
            "SELECT string_agg(part->>'name' || ' ' || (part->>'sha256'), ',' ORDER BY part->>'name') FROM rankscope.run, "
            f"json_array_elements(record::json->'reports'->-1->'tables') AS part WHERE id = '{run}' AND part->>'name' <> 'timeline'"
        )

    def is_ready(self, told):
        self.assertEqual(told["state"], "ready", told)

    def ended(self, run):
        """How often each outcome was that of a shard of this run."""
        rows = self.sql(
            "SELECT outcome, count(*) FROM rankscope.history "
            f"WHERE run = '{run}' AND shard >= 0 GROUP BY outcome ORDER BY outcome"
        )
        return dict(row.split("|") for row in rows.splitlines())

    def test_a_large_run_is_read_in_shards_by_several_workers(self):
        """The report is, byte for byte, the one that one worker makes of the whole run."""
        job = os.path.join(self.folder, "job")
        program.run("simulate", job, "--ranks", "8", "--steps", "3", "--events", "2000", "--slow-rank", "5")
        self.traces = sorted(glob.glob(job + "/*.gz"))
        one = self.server()
        alone = self.worker()
        whole = self.finished_run(one, name="job")
        self.is_ready(one.wait(whole))
        self.assertEqual(self.ended(whole), {})
        alone.stop()
        shutil.rmtree(os.path.join(self.data, "cache"))
        # The first of two ends when it has read something, however much that is.
        first = self.worker("--shard-size", "100K")
        by_two = self.finished_run(one, name="job")
        until(lambda: self.ended(by_two), "a shard")
        first.stop()
        self.worker("--shard-size", "100K")
        self.is_ready(one.wait(by_two))
        self.assertEqual(self.ended(by_two), {"read": "8"})
        self.assertEqual(self.parts_of_report(by_two), self.parts_of_report(whole))
        shutil.rmtree(os.path.join(self.data, "cache"))
        for _ in range(3):
            self.worker("--shard-size", "100K")
        by_four = self.finished_run(one, name="job")
        self.is_ready(one.wait(by_four))
        self.assertEqual(self.ended(by_four), {"read": "8"})
        self.assertEqual(self.parts_of_report(by_four), self.parts_of_report(whole))
        # What was read serves later questions, and is nowhere else.
        until(lambda: not os.listdir(os.path.join(self.data, "shards")), "the end of the shards' folders")
        self.assertGreaterEqual(len(glob.glob(os.path.join(self.data, "cache", "*.partials"))), 8)
        # Another report is made of shards of its own.
        one.ask("POST", f"/api/v1/runs/{by_two}/reopen", expect=200)
        one.ask("POST", f"/api/v1/runs/{by_two}/finish", expect=202)
        self.is_ready(one.wait(by_two))
        self.assertEqual(self.ended(by_two), {"read": "16"})

    def test_tables_of_the_version_before_are_brought_up_to_date(self):
        """Those without shards, with a run that waits in them."""
        one = self.server()
        run = self.finished_run(one, name="old")
        self.assertEqual(one.stop(), 0)
        self.sql(
            "ALTER TABLE rankscope.work DROP CONSTRAINT work_run_shard_key, DROP CONSTRAINT work_state_check, "
            "DROP COLUMN shard, DROP COLUMN first_file, DROP COLUMN behind_file, DROP COLUMN bytes, "
            "ADD CONSTRAINT work_run_key UNIQUE (run), "
            "ADD CONSTRAINT work_state_check CHECK (state IN ('ready', 'leased'))"
        )
        self.sql("ALTER TABLE rankscope.history DROP COLUMN shard")
        self.sql("ALTER TABLE rankscope.work DROP COLUMN failed_by, DROP COLUMN input_bytes")
        self.sql("ALTER TABLE rankscope.history DROP COLUMN kind, DROP COLUMN input_bytes, DROP COLUMN cpu_ms")
        self.sql("DROP TABLE rankscope.worker, rankscope.team")
        self.sql("DROP SEQUENCE rankscope.turn")
        self.sql("UPDATE rankscope.version SET number = 3")
        one = self.server()
        self.worker("--shard-size", "100K")
        self.assertEqual(one.wait(run)["state"], "ready")
        self.assertEqual(self.ended(run), {"read": "2"})

    def test_a_worker_tells_its_numbers(self):
        one = self.server()
        worker = self.worker("--shard-size", "100K", "--metrics", "127.0.0.1:0")
        address = re.search(r"1 at a time; (http://127\.0\.0\.1:\d+/metrics)$", worker.line).group(1)
        run = self.finished_run(one, name="first")
        self.assertEqual(one.wait(run)["state"], "ready")

        def numbers():
            with urllib.request.urlopen(address, timeout=LIMIT_S) as told:
                lines = told.read().decode().splitlines()
            return {line.split()[0]: float(line.split()[1]) for line in lines if not line.startswith("#")}

        told = until(
            lambda: numbers() if numbers()["rankscope_worker_units_running"] == 0 else None, "the end of its work"
        )
        self.assertEqual(told["rankscope_worker_units_taken_total"], 4, "to divide it, twice to read, once to report")
        self.assertEqual(told["rankscope_worker_shards_total"], 2)
        self.assertEqual(told["rankscope_worker_reports_total"], 1)
        self.assertEqual(told["rankscope_worker_attempts_failed_total"], 0)
        self.assertEqual(told["rankscope_worker_read_bytes_total"], sum(os.path.getsize(path) for path in self.traces))
        self.assertGreater(told["rankscope_worker_busy_seconds_total"], 0)
        self.assertGreater(told["rankscope_worker_child_peak_bytes"], 1 << 20)
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(address.replace("/metrics", "/"), timeout=LIMIT_S)
        # It tells them, too, while the database is away.
        self.postgres.kill()
        try:
            self.assertEqual(numbers()["rankscope_worker_reports_total"], 1)
        finally:
            self.postgres.start()
        # An address that is somebody else's is said at once.
        port = address.split(":")[2].split("/")[0]
        place = ["--catalogue", self.catalogue, "--data", self.data]
        _, error = program.run("worker", *place, "--metrics", f"127.0.0.1:{port}", expect=1)
        self.assertIn(port, error)
        _, error = program.run("worker", *place, "--memory", "40M", expect=2)
        self.assertIn("--memory takes at least 1G, not '40M'", error)
        _, error = program.run("serve", *place, "--worker-memory", "40M", expect=2)
        self.assertIn("--worker-memory takes at least 1G, not '40M'", error)
        _, error = program.run("worker", *place, "--metrics", "here", expect=2)
        self.assertIn("--metrics takes ADDRESS:PORT, not 'here'", error)

    def test_what_kills_the_readers_of_its_shard_is_set_aside(self):
        run = self.poisoned("--shard-size", "100K")
        self.assertEqual(self.ended(run), {"read": "3"})

    def test_what_needs_too_much_memory_is_left_out(self):
        one = self.server()
        self.worker("--memory", "1G")
        run = one.new_run(name="too much")
        for path in self.traces[:-1]:
            one.upload(run, path)
        bad = os.path.join(self.folder, os.path.basename(self.traces[-1]))
        with gzip.open(self.traces[-1]) as file, gzip.open(bad, "wb", compresslevel=1) as grown:
            text = file.read().rstrip()
            end = text.rindex(b"]")
            grown.write(text[:end])
            # Half a gigabyte of names, none of which comes twice.
            for first in range(0, 1_600_000, 5000):
                rows = (
                    f',{{"ph":"X","cat":"cpu_op","name":"{n} {"x" * 320}","pid":9,"tid":9,"ts":{n},"dur":1}}'
                    for n in range(first, first + 5000)
                )
                grown.write("".join(rows).encode())
            grown.write(text[end:])
        one.upload(run, bad)
        one.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        told = one.wait(run)
        self.assertEqual(told["state"], "ready", told)
        quality = one.get(f"/api/v1/runs/{run}/report")["quality"]
        told = [fault["message"] for fault in quality if "memory" in fault["message"]]
        self.assertTrue(told and all("raise --memory of rankscope worker" in one for one in told), quality)

    def test_killed_at_random_moments_nothing_is_lost_or_doubled(self):
        soak = Soak(self.folder, self.traces, seed=33)
        try:
            self.assertEqual(soak.run(uploads=12, kills=8), [])
            self.assertGreater(soak.shards, 0)
        finally:
            soak.stop()


if __name__ == "__main__":
    unittest.main(argv=["cluster_test", *sys.argv[2:]])
