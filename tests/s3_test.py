"""Blobs in S3, end to end: against OpenStack Swift, which checks signatures, and against a store in memory that misbehaves as it is told."""

import concurrent.futures
import contextlib
import glob
import hashlib
import json
import os
import random
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import fake_s3
import program
import swift
from server import Server
from waiting import LIMIT_S, until


def content(path):
    with open(path, "rb") as file:
        return file.read()


def environment(endpoint, key_id, secret, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    kept.update(AWS_ACCESS_KEY_ID=key_id, AWS_SECRET_ACCESS_KEY=secret, AWS_ENDPOINT_URL=endpoint, **more)
    return kept


class Bucket:
    """What a test needs of a store: its environment, and what is in it behind the program's back."""

    place = "s3://traces/team/a"
    prefix = "team/a/blobs/"

    def blobs(self):
        raise NotImplementedError

    def remove(self, key):
        raise NotImplementedError

    def uploads(self):
        """Keys of what was sent directly and is not taken."""
        raise NotImplementedError


def put(address, body):
    """The status of the store of contents."""
    headers = {one["name"]: one["value"] for one in address["headers"]}
    request = urllib.request.Request(address["url"], data=body, headers=headers, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


class OfFake(Bucket):
    def __init__(self):
        self.store = fake_s3.FakeS3("traces")
        self.environment = environment(self.store.endpoint, fake_s3.KEY_ID, fake_s3.SECRET)

    def blobs(self):
        return [key.rsplit("/", 1)[1] for key in self.store.keys("traces", self.prefix)]

    def uploads(self):
        return self.store.keys("traces", self.prefix.replace("/blobs/", "/uploads/"))

    def remove(self, sha256):
        self.store.buckets["traces"].pop(f"{self.prefix}{sha256[:2]}/{sha256}")

    def forget_refusals(self):
        self.store.refused.clear()

    def stop(self):
        self.store.stop()


class OfSwift(Bucket):
    """Its own account of boto3, a client that others wrote, checks what the program left there."""

    def __init__(self):
        self.store = swift.Swift()
        self.environment = environment(self.store.endpoint, swift.KEY_ID, swift.SECRET)
        self.boto("client.create_bucket(Bucket='traces')")

    def boto(self, code):
        script = (
            "import boto3, json, botocore.config\n"
            "config = botocore.config.Config(signature_version='s3v4', s3={'addressing_style': 'path'})\n"
            f"client = boto3.client('s3', endpoint_url='{self.store.endpoint}', region_name='us-east-1', config=config)\n{code}"
        )
        done = subprocess.run(
            [program.DEBIAN_PYTHON, "-c", script], env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:] + self.store.logs()
        return done.stdout

    def keys(self, prefix):
        keys = self.boto(
            "pages = client.get_paginator('list_objects_v2').paginate(Bucket='traces')\n"
            "print(json.dumps([one['Key'] for page in pages for one in page.get('Contents', [])]))"
        )
        return sorted(key for key in json.loads(keys) if key.startswith(prefix))

    def blobs(self):
        return [key.rsplit("/", 1)[1] for key in self.keys(self.prefix)]

    def uploads(self):
        return self.keys(self.prefix.replace("/blobs/", "/uploads/"))

    def remove(self, sha256):
        self.boto(f"client.delete_object(Bucket='traces', Key='{self.prefix}{sha256[:2]}/{sha256}')")

    def forget_refusals(self):
        """Nobody counts them."""

    def stop(self):
        self.store.stop()


class WithBucket(unittest.TestCase):
    """Tests of one bucket and one simulated job; each has a prefix and a store of its own."""

    Kind = None
    number = 0

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rankscope_s3_")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", cls.job, "--ranks", "2", "--steps", "3", "--events", "3000")
        cls.traces = sorted(glob.glob(os.path.join(cls.job, "*.json.gz")))
        cls.bucket = cls.Kind()
        cls.addClassCleanup(cls.bucket.stop)

    def setUp(self):
        WithBucket.number += 1
        self.bucket.place = f"s3://traces/{self.Kind.__name__.lower()}/{WithBucket.number}"
        self.bucket.prefix = f"{self.bucket.place[len('s3://traces/'):]}/blobs/"
        self.data = os.path.join(self.temporary.name, f"data{WithBucket.number}")

    def run_store(self, what, *arguments, expect=0):
        return program.run(
            "store", what, *arguments, "--data", self.data, expect=expect, environment=self.bucket.environment
        )

    def serve(self, *arguments):
        server = Server(self.data, "--blobs", self.bucket.place, *arguments, environment=self.bucket.environment)
        self.addCleanup(server.stop)
        return server

    def send(self, server):
        """A job as a user sends it; the run's id when its report is there."""
        run = self.push(server)
        told = server.wait(run)
        self.assertEqual(told["state"], "ready", told)
        return run

    def push(self, server, job=None, *arguments):
        out, _ = program.run("push", job or self.job, "--server", server.address, *arguments)
        return re.search(r"[0-9a-f]{16}", out)[0]

    def check_run(self, server, run):
        """What a reader sees of it: report, a table, the traces byte by byte, SQL."""
        report = server.get(f"/api/v1/runs/{run}/report")
        self.assertEqual(report["job"]["world_size"], 2)
        rows = server.get(f"/api/v1/runs/{run}/tables/step_times?format=json")["rows"]
        self.assertEqual(len(rows), len(program.table("step_times", self.job)))
        for path in self.traces:
            got = server.get(f"/api/v1/runs/{run}/files/{os.path.basename(path)}")
            self.assertEqual(hashlib.sha256(got).digest(), hashlib.sha256(content(path)).digest())
        sql = server.ask("POST", f"/api/v1/runs/{run}/query", {"sql": "SELECT count(*) FROM steps"}, expect=200)[2]
        self.assertGreater(sql["rows"][0][0], 0)

    def forget_copies(self):
        subprocess.run(["rm", "-rf", os.path.join(self.data, "blob-cache")], check=True)


class EndToEnd(WithBucket):
    def test_a_job_comes_back_from_the_bucket(self):
        server = self.serve()
        run = self.send(server)
        self.check_run(server, run)
        # Nothing of it lies in the store's folder but records and copies.
        self.assertEqual(glob.glob(os.path.join(self.data, "blobs", "*", "*")), [])
        blobs = self.bucket.blobs()
        for path in self.traces:
            self.assertIn(hashlib.sha256(content(path)).hexdigest(), blobs)
        server.stop()
        # Without a copy, and without being told where the blobs lie.
        self.forget_copies()
        server = Server(self.data, environment=self.bucket.environment)
        self.addCleanup(server.stop)
        self.check_run(server, run)
        server.stop()
        out, _ = self.run_store("check", "--contents")
        self.assertIn(f"1 runs, {len(blobs)} contents", out)
        back = os.path.join(self.temporary.name, f"back{WithBucket.number}")
        self.forget_copies()
        self.run_store("get", run, "-o", back)
        for path in self.traces:
            self.assertEqual(content(path), content(os.path.join(back, "traces", os.path.basename(path))))

    def test_what_is_gone_from_the_bucket_is_told(self):
        server = self.serve()
        run = self.send(server)
        server.stop()
        gone = hashlib.sha256(content(self.traces[0])).hexdigest()
        self.bucket.remove(gone)
        out, _ = self.run_store("check", expect=1)
        self.assertIn(f"run {run}, {os.path.basename(self.traces[0])}: its content {gone} is gone", out)
        # A job that is sent again mends it.
        server = self.serve()
        self.push(server, self.job, "--name", "again")
        until(lambda: gone in self.bucket.blobs(), "the content came back")
        server.stop()
        self.run_store("check", "--contents")

    def test_garbage_goes_and_nothing_else(self):
        server = self.serve()
        kept = self.send(server)
        other = os.path.join(self.temporary.name, f"other{WithBucket.number}")
        program.run("simulate", other, "--ranks", "1", "--steps", "2", "--seed", "7")
        run = self.push(server, other)
        server.wait(run)
        of_both = set(self.bucket.blobs())
        server.ask("DELETE", f"/api/v1/runs/{run}")
        server.stop()
        self.run_store("gc")
        self.assertEqual(set(self.bucket.blobs()), of_both)  # it is young: a run may be about to name it
        self.age(2 * 3600)
        self.assertRegex(self.run_store("gc")[0], r"removed 0 runs and [1-9]\d* contents")
        self.assertLess(len(self.bucket.blobs()), len(of_both))
        out, _ = self.run_store("check", "--contents")
        self.assertIn("0 of them unused", out)
        server = self.serve()
        self.check_run(server, kept)

    def age(self, seconds):
        """Everything in the bucket was stored so much earlier."""
        raise unittest.SkipTest("the times of this store cannot be set back")

    def test_a_folder_moves_there(self):
        program.run("store", "add", self.job, "--data", self.data)
        before = {os.path.basename(path) for path in glob.glob(os.path.join(self.data, "blobs", "*", "*"))}
        _, error = self.run_store("check", "--blobs", self.bucket.place, expect=2)
        self.assertIn("rankscope store blobs --to", error)
        out, _ = self.run_store("blobs", "--to", self.bucket.place)
        self.assertIn(f"{len(before)} contents of", out)
        self.assertEqual(set(self.bucket.blobs()), before)
        self.assertEqual(glob.glob(os.path.join(self.data, "blobs", "*", "*")), [])
        self.assertIn("0 contents of", self.run_store("blobs", "--to", self.bucket.place)[0])
        # A job that is added now goes there.
        other = os.path.join(self.temporary.name, f"added{WithBucket.number}")
        program.run("simulate", other, "--ranks", "1", "--steps", "2", "--seed", "7")
        self.run_store("add", other)
        self.assertGreater(len(self.bucket.blobs()), len(before))
        self.assertEqual(glob.glob(os.path.join(self.data, "blobs", "*", "*")), [])
        self.forget_copies()
        self.run_store("check", "--contents")
        server = Server(self.data, environment=self.bucket.environment)
        self.addCleanup(server.stop)
        run = server.get("/api/v1/runs")["runs"][1]["id"]
        self.check_run(server, run)

    def test_a_backup_has_all(self):
        server = self.serve()
        run = self.send(server)
        backup = os.path.join(self.temporary.name, f"backup{WithBucket.number}")
        self.forget_copies()
        self.run_store("backup", backup)
        server.stop()
        out, _ = program.run("store", "check", "--contents", "--data", backup)
        self.assertIn("1 runs, ", out)
        self.assertEqual(len(glob.glob(os.path.join(backup, "blobs", "*", "*"))), len(self.bucket.blobs()))
        server = Server(backup)
        self.addCleanup(server.stop)
        self.check_run(server, run)

    def test_files_may_go_to_the_bucket_directly(self):
        server = self.serve()
        out, told = program.run("push", self.job, "--server", server.address, "--direct", "--wait")
        run = re.search(r"[0-9a-f]{16}", out)[0]
        self.assertNotIn("through the server", told)
        self.assertEqual(self.bucket.uploads(), [])
        self.check_run(server, run)
        self.assertIn(
            "has these files already", program.run("push", self.job, "--server", server.address, "--direct")[1]
        )
        # What the bucket has is what a reader gets who has no copy.
        server.stop()
        self.forget_copies()
        server = Server(self.data, environment=self.bucket.environment)
        self.addCleanup(server.stop)
        self.check_run(server, run)
        self.assertIn("1 runs, ", self.run_store_beside(server, "check", "--contents"))

    def run_store_beside(self, server, *words):
        server.stop()
        return self.run_store(*words)[0]

    def test_what_is_sent_directly_is_what_was_said(self):
        tokens = os.path.join(self.temporary.name, f"tokens{self.number}")
        by_team = {
            team: {
                "Authorization": "Bearer "
                + program.run("token", "upload", "--name", team, "--team", team, "--file", tokens)[0].strip()
            }
            for team in ("red", "blue")
        }
        server = self.serve("--token-file", tokens)
        red, blue = by_team["red"], by_team["blue"]
        good, bad = b"what was said", b"what was sent"
        stated = {"sha256": hashlib.sha256(good).hexdigest(), "bytes": len(good)}
        run, other = (
            server.ask("POST", "/api/v1/runs", {"name": name}, red, expect=201)[2]["id"] for name in ("one", "two")
        )

        def ask(what, of=run, name="rank0.json", who=None, expect=None, **changes):
            path = f"/api/v1/runs/{of}/{what}/{name}"

            def answer():
                # "Ask again": a request before this one has been answered, and is not over.
                status, _, content = server.ask("POST", path, {**stated, **changes}, who or red)
                return None if status == 423 else (status, content)

            status, content = until(answer, f"{path} is free")
            self.assertEqual(status, expect, content)
            return content

        # Nothing was sent yet.
        self.assertEqual(ask("sent", expect=404)["error"]["code"], "not_sent")
        address = ask("direct", expect=200)
        # As many bytes as were said, and other bytes: the store refuses them where it knows checksums, else we do.
        if put(address, bad) == 200:
            self.assertEqual(ask("sent", expect=422)["error"]["code"], "wrong_content")
        self.assertEqual(ask("sent", expect=404)["error"]["code"], "not_sent")
        self.assertEqual(self.bucket.uploads(), [])
        self.assertEqual(self.bucket.blobs(), [])
        # More or fewer bytes are not what was signed, and nor is another key.
        self.assertEqual(put(address, good + b"!"), 403)
        self.assertEqual(put({**address, "url": address["url"].replace("/uploads/", "/blobs/")}, good), 403)
        # Others see neither the run nor what was sent for it.
        self.assertEqual(put(address, good), 200)
        ask("direct", who=blue, expect=404)
        ask("sent", who=blue, expect=404)
        self.assertEqual(ask("sent", of=other, expect=404)["error"]["code"], "not_sent")
        self.assertEqual(ask("sent", name="rank1.json", expect=404)["error"]["code"], "not_sent")
        # Once, and whoever asks again gets the same answer.
        for expected in (201, 200):
            told = ask("sent", expect=expected)
            self.assertEqual(told, {"name": "rank0.json", **stated})
        self.assertEqual(self.bucket.blobs(), [stated["sha256"]])
        self.assertEqual(self.bucket.uploads(), [])
        self.assertEqual(server.ask("GET", f"/api/v1/runs/{run}/files/rank0.json", headers=red, expect=200)[2], good)
        # What cannot be.
        ask("direct", name="rank2.json", bytes=5 * 2**30 + 1, expect=413)
        ask("direct", name="rank2.json", bytes=2**62, expect=413)
        ask("direct", bytes=-1, expect=400)
        ask("direct", sha256="../../blobs.json", expect=400)
        ask("direct", sha256="A" * 64, expect=400)
        ask("direct", name="a/../b", expect=400)
        # It may be sent again after it was taken, and is garbage then; of a run that is finished nothing is taken.
        self.assertEqual(put(address, good), 200)
        self.assertEqual(len(self.bucket.uploads()), 1)
        server.ask("POST", f"/api/v1/runs/{run}/finish", headers=red, expect=202)
        self.assertEqual(ask("direct", name="rank3.json", expect=409)["error"]["code"], "finished")
        self.assertEqual(ask("sent", name="rank3.json", expect=409)["error"]["code"], "finished")
        self.bucket.forget_refusals()

    def test_a_big_file_goes_in_parts(self):
        # Noise in a file that is no trace: what is stored is bytes.
        path = os.path.join(self.temporary.name, "big.bin")
        noise = random.Random(1).randbytes(1 << 20)
        with open(path, "wb") as file:
            for _ in range(150):
                file.write(noise)
        server = self.serve()
        run = server.new_run(name="big")
        told = server.upload(run, path, "rank0.json")
        server.stop()
        self.forget_copies()
        server = Server(self.data, environment=self.bucket.environment)
        self.addCleanup(server.stop)
        got = server.get(f"/api/v1/runs/{run}/files/rank0.json")
        self.assertEqual(hashlib.sha256(got).hexdigest(), told["sha256"])
        self.assertEqual(told["sha256"], hashlib.sha256(content(path)).hexdigest())


class Swift(EndToEnd):
    Kind = OfSwift

    @classmethod
    def setUpClass(cls):
        why = swift.missing()
        if why:
            raise unittest.SkipTest(f"not run against Swift: {why}")
        super().setUpClass()


class Fake(EndToEnd):
    Kind = OfFake

    def age(self, seconds):
        objects = self.bucket.store.buckets["traces"]
        for key, (blob, stored) in list(objects.items()):
            objects[key] = (blob, stored - seconds)

    def test_a_store_that_knows_checksums_sends_nothing_through_the_server(self):
        server = self.serve()
        before = self.bucket.store.count("GET")
        self.addCleanup(setattr, self.bucket.store, "knows_checksums", True)
        for knows_checksums in (True, False):
            self.bucket.store.knows_checksums = knows_checksums
            run = server.new_run(name="one")
            body = b"known" if knows_checksums else b"unknown"
            stated = {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}
            address = server.ask("POST", f"/api/v1/runs/{run}/direct/rank0.json", stated, expect=200)[2]
            self.assertEqual(put(address, body), 200)
            server.ask("POST", f"/api/v1/runs/{run}/sent/rank0.json", stated, expect=201)
            self.assertEqual(self.bucket.store.count("GET"), before + (0 if knows_checksums else 1))

    def test_addresses_end_and_what_nobody_takes_is_collected(self):
        server = self.serve()
        run = server.new_run(name="one")
        stated = {"sha256": hashlib.sha256(b"late").hexdigest(), "bytes": 4}
        address = server.ask("POST", f"/api/v1/runs/{run}/direct/rank0.json", stated, expect=200)[2]
        self.assertEqual(address["valid_s"], 3600)
        self.assertEqual(put(address, b"late"), 200)
        self.bucket.store.skew_s = 3601
        self.assertEqual(put(address, b"late"), 403)
        self.bucket.store.skew_s = 0
        self.bucket.forget_refusals()
        server.stop()
        self.run_store("gc")
        self.assertEqual(len(self.bucket.uploads()), 1, "it may still be taken")
        self.age(2 * 24 * 3600)
        self.run_store("gc")
        self.assertEqual(self.bucket.uploads(), [])

    def test_a_folder_gives_no_addresses(self):
        server = Server(self.data)
        self.addCleanup(server.stop)
        run = server.new_run(name="one")
        stated = {"sha256": hashlib.sha256(b"abc").hexdigest(), "bytes": 3}
        for what in ("direct", "sent"):
            told = server.ask("POST", f"/api/v1/runs/{run}/{what}/rank0.json", stated, expect=409)[2]
            self.assertEqual(told["error"]["code"], "not_direct")
        out, told = program.run("push", self.job, "--server", server.address, "--direct", "--wait")
        self.assertIn("files that went through the server: 2", told)
        self.check_run(server, re.search(r"[0-9a-f]{16}", out)[0])

    def tearDown(self):
        self.bucket.store.faults.clear()
        self.bucket.store.hidden = lambda key: False
        self.assertEqual(self.bucket.store.refused, [])
        self.assertEqual(self.bucket.store.uploads, {})


class Misbehaving(WithBucket):
    Kind = OfFake

    def setUp(self):
        super().setUp()
        self.store = self.bucket.store
        self.store.faults.clear()

    def test_what_passes_is_not_noticed(self):
        server = self.serve()
        puts = {"matches": lambda method, path, query: method == "PUT"}
        gets = {"matches": lambda method, path, query: method == "GET" and "/blobs/" in path}
        self.store.fail("status", status=503, code="SlowDown", count=3, **puts)
        self.store.fail("status", status=500, code="InternalError", count=1, **puts)
        self.store.fail("reset", after=100, count=2, **puts)
        self.store.fail("lost answer", count=2, **puts)
        self.store.fail("status", status=409, code="OperationAborted", count=1, **puts)
        run = self.send(server)
        server.stop()
        self.forget_copies()
        self.store.fail("truncate", count=3, **gets)
        self.store.fail("wrong bytes", count=1, **gets)
        self.store.fail("reset", after=0, count=2, **gets)
        server = self.serve()
        self.check_run(server, run)
        self.assertEqual([fault.kind for fault in self.store.faults if fault.left > 0], [])

    def test_a_store_that_is_away_costs_the_request_alone(self):
        server = self.serve()
        kept = self.send(server)
        run = server.new_run(name="second")
        self.store.stop()
        self.addCleanup(lambda: self.store.is_up or self.store.start(self.store.port))
        status, fields, body = server.ask("PUT", f"/api/v1/runs/{run}/files/a.json", b"{}")
        self.assertEqual((status, body["error"]["code"]), (503, "store_away"))
        self.assertIn("retry-after", fields)
        # What has a copy is served on, and records are.
        self.check_run(server, kept)
        self.assertEqual(server.get("/healthz")["status"], "ok")
        self.store.start(self.store.port)
        server.ask("PUT", f"/api/v1/runs/{run}/files/a.json", b"{}", expect=201)
        server.stop()
        self.assertNotIn(fake_s3.SECRET, "".join(server.lines))

    def test_uploads_and_analyses_wait_for_a_store_that_is_away(self):
        server = self.serve()
        self.store.fail("status", status=503, code="SlowDown", count=40)
        run = self.push(server)
        self.store.fail("status", status=503, code="SlowDown", count=60)
        self.assertEqual(server.wait(run)["state"], "ready")
        self.assertEqual(server.get(f"/api/v1/runs/{run}")["set_aside"], [])
        self.check_run(server, run)

    def test_a_server_without_its_store_says_so_and_ends(self):
        def start(**changes):
            command = [
                program.BINARY,
                "serve",
                "--data",
                self.data,
                "--listen",
                "127.0.0.1:0",
                "--blobs",
                self.bucket.place,
            ]
            done = subprocess.run(
                command,
                env={**self.bucket.environment, **changes},
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertNotIn(fake_s3.SECRET, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            return done.stderr

        (port,) = swift.free_ports(1)
        self.assertIn("does not answer", start(AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}"))
        self.assertIn("SignatureDoesNotMatch", start(AWS_SECRET_ACCESS_KEY="wrong"))
        self.assertIn("check AWS_ACCESS_KEY_ID", start(AWS_ACCESS_KEY_ID="nobody"))
        self.assertIn("set AWS_ACCESS_KEY_ID", start(AWS_ACCESS_KEY_ID=""))
        self.assertIn("is http://HOST", start(AWS_ENDPOINT_URL="127.0.0.1:9000"))
        self.assertIn("--s3-region", start(AWS_REGION="mars"))
        self.store.refused.clear()
        place = self.bucket.place
        self.bucket.place = "s3://nobody/x"
        self.assertIn("make the bucket", start())
        self.bucket.place = "s3://UPPER/x"
        self.assertIn("no name of a bucket", start())
        self.bucket.place = place
        self.serve().stop()
        self.bucket.place = "s3://traces/elsewhere"
        self.assertIn("lie in " + place, start())

    def test_a_prefix_belongs_to_one_store(self):
        self.serve().stop()
        self.data += "-other"
        _, error = self.run_store("gc", "--blobs", self.bucket.place, expect=(1, 2))
        self.assertIn("there is no store", error)
        program.run("store", "add", self.job, "--data", self.data)
        _, error = self.run_store("blobs", "--to", self.bucket.place, expect=(1, 2))
        self.assertIn("has the contents of another store", error)

    def test_a_clock_that_is_wrong_is_borne(self):
        self.addCleanup(setattr, self.store, "skew_s", 0)
        self.store.skew_s = 7200
        server = self.serve()
        self.check_run(server, self.send(server))
        self.assertEqual(self.store.refused, ["RequestTimeTooSkewed"])
        self.store.refused.clear()
        # Its contents are as young as they are, whatever its clock says.
        server.stop()
        self.assertIn("removed 0 runs and 0 contents", self.run_store("gc")[0])
        self.store.refused.clear()

    def test_listings_that_lag_find_no_fault(self):
        server = self.serve()
        run = self.send(server)
        server.stop()
        self.addCleanup(setattr, self.store, "hidden", lambda key: False)
        self.store.hidden = lambda key: True
        self.run_store("check", "--contents")
        self.assertIn("removed 0 runs and 0 contents", self.run_store("gc")[0])
        server = self.serve()
        self.check_run(server, run)

    def test_damage_is_never_served(self):
        server = self.serve()
        run = self.send(server)
        server.stop()
        sha256 = hashlib.sha256(content(self.traces[0])).hexdigest()
        key = f"{self.bucket.prefix}{sha256[:2]}/{sha256}"
        objects = self.store.buckets["traces"]
        objects[key] = (b"\0" + objects[key][0][1:], objects[key][1])
        self.forget_copies()
        server = self.serve()
        name = os.path.basename(self.traces[0])
        status, _, body = server.ask("GET", f"/api/v1/runs/{run}/files/{name}")
        self.assertEqual((status, body["error"]["code"]), (500, "damaged"))
        server.stop()
        out, _ = self.run_store("check", "--contents", expect=1)
        self.assertIn(f"its content {sha256} is damaged", out)

    def test_kills_lose_nothing_and_leave_nothing_half(self):
        server = self.serve()
        chance = random.Random(5)
        acknowledged = {}  # (run, name) -> SHA-256
        runs = []
        for number in range(12):
            run = server.new_run(name=f"run {number}")
            runs.append(run)
            killer = threading.Timer(chance.uniform(0, 0.3), server.process.kill)
            killer.start()

            def send(name, run=run):
                blob = random.Random(f"{run} {name}").randbytes(200_000)
                with contextlib.suppress(OSError, Exception):
                    status, _, told = server.ask("PUT", f"/api/v1/runs/{run}/files/{name}", blob)
                    if status in (200, 201):
                        acknowledged[run, name] = hashlib.sha256(blob).hexdigest()
                        self.assertEqual(told["sha256"], acknowledged[run, name])

            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(send, [f"{i}.json" for i in range(8)]))
            killer.join()
            server.kill()
            server.restart()
        for run in runs:
            files = {one["name"]: one["sha256"] for one in server.get(f"/api/v1/runs/{run}/files")["files"]}
            for (of, name), sha256 in acknowledged.items():
                if of == run:
                    self.assertEqual(files.get(name), sha256)
            for name, sha256 in files.items():
                got = server.get(f"/api/v1/runs/{run}/files/{name}")
                self.assertEqual(hashlib.sha256(got).hexdigest(), sha256)
        server.stop()
        self.forget_copies()
        self.run_store("check", "--contents")
        for key, (blob, _) in self.store.buckets["traces"].items():
            if key.startswith(self.bucket.prefix):
                self.assertEqual(hashlib.sha256(blob).hexdigest(), key.rsplit("/", 1)[1])

    def test_certificates_are_checked(self):
        folder = self.temporary.name
        key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
        words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "3650"]
        names = ["-subj", "/CN=store", "-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run(["openssl", *words, *names], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        store = fake_s3.FakeS3("traces", tls=context)
        self.addCleanup(store.stop)
        program.run("store", "add", self.job, "--data", self.data)
        trusted = environment(store.endpoint, fake_s3.KEY_ID, fake_s3.SECRET, AWS_CA_BUNDLE=certificate)
        words = ["store", "blobs", "--to", self.bucket.place, "--data", self.data]
        strange = environment(store.endpoint, fake_s3.KEY_ID, fake_s3.SECRET)
        _, error = program.run(*words, environment=strange, expect=1)
        self.assertIn("certificate", error)
        self.assertEqual(store.requests, [])  # nothing was said to a stranger
        program.run(*words, environment=trusted)
        self.assertEqual(store.refused, [])
        program.run("store", "check", "--contents", "--data", self.data, environment=trusted)

    def test_a_cache_that_cannot_be_made_is_told(self):
        server = self.serve()
        self.send(server)
        server.stop()
        self.forget_copies()
        with open(os.path.join(self.data, "blob-cache"), "wb"):
            pass
        _, error = self.run_store("check", "--contents", expect=1)
        self.assertIn("blob-cache", error)
        self.forget_copies()
        self.run_store("check", "--contents")

    def test_lists_need_no_store(self):
        program.run("store", "add", self.job, "--data", self.data)
        self.run_store("blobs", "--to", self.bucket.place)
        out, _ = program.run("store", "list", "--data", self.data, "--format", "json")  # no keys, no network
        self.assertEqual(len(json.loads(out)["rows"]), 1)

    def test_the_fleet_reads_tables_there(self):
        server = self.serve()
        self.send(server)
        overview = server.get("/api/v1/fleet/overview")
        self.assertTrue(overview)
        server.stop()
        self.forget_copies()
        subprocess.run(["rm", "-rf", os.path.join(self.data, "fleet")], check=True)
        out, _ = program.run("fleet", "overview", self.data, environment=self.bucket.environment)
        self.assertIn("1", out)


if __name__ == "__main__":
    unittest.main(argv=["s3_test", *sys.argv[2:]], defaultTest=["Swift", "Fake", "Misbehaving"])
