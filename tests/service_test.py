"""`rankscope serve` and `push`: what is uploaded is analysed and told as the command line tells it; nothing acknowledged is lost."""

import glob
import hashlib
import http.client
import json
import os
import pickle
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import program
import write_snapshot
from kill_server import Killed
from lost_writes import LostWrites
from server import Server
from waiting import LIMIT_S, until


def content(path):
    with open(path, "rb") as file:
        return file.read()


def workers(server):
    """Processes that the server started, by their command lines."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = content(path).decode().rsplit(")", 1)[1].split()
            if int(fields[1]) == server.process.pid and fields[0] != "Z":
                pid = int(path.split("/")[2])
                found[pid] = content(f"/proc/{pid}/cmdline").decode().split("\0")
        except (OSError, IndexError):
            continue
    return found


def flip(path, at):
    """Changes a bit of a file, as a disk does."""
    os.chmod(path, 0o600)
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 4]))


class WithServer(unittest.TestCase):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.job = os.path.join(cls.temporary.name, "job")
        program.run("simulate", cls.job, "--ranks", "2", "--steps", "3", "--events", "4000")
        cls.traces = sorted(glob.glob(os.path.join(cls.job, "*.json.gz")))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.data = os.path.join(self.folder.name, "data")
        self.server = Server(self.data, *self.arguments)
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.poll() is None:
            self.assertEqual(self.server.stop(), 0)

    def ready_run(self, name="one"):
        run = self.server.new_run(name=name)
        for trace in self.traces:
            self.server.upload(run, trace)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        self.assertEqual(self.server.wait(run)["state"], "ready")
        return run

    def blob(self, sha256):
        return os.path.join(self.data, "blobs", sha256[:2], sha256)

    def push(self, *arguments, expect=0, **environment):
        return program.run(
            "push",
            *arguments,
            "--server",
            self.server.address,
            expect=expect,
            environment={**os.environ, **environment},
        )


class Told(WithServer):
    """What the API says is what the command line says."""

    def test_report_and_tables(self):
        run = self.ready_run()
        told = self.server.get(f"/api/v1/runs/{run}/report")
        printed = json.loads(program.run("analyze", self.job, "--format", "json")[0])
        self.assertEqual(told["job"], printed["job"])
        self.assertEqual([one["id"] for one in told["findings"]], [one["id"] for one in printed["findings"]])
        self.assertEqual(set(told["tables"]), set(printed["tables"]))
        listed = {one["name"] for one in self.server.get(f"/api/v1/runs/{run}/tables")["tables"]}
        self.assertEqual(listed, set(printed["tables"]))
        for name in sorted(listed):
            rows = self.server.get(f"/api/v1/runs/{run}/tables/{name}?limit=100000")
            self.assertEqual(rows["row_count"], len(printed["tables"][name]["rows"]), name)
            if name in ("captures", "data_quality"):  # name files, which have other folders here
                continue
            self.assertEqual(rows["columns"], printed["tables"][name]["columns"], name)
            for told_row, printed_row in zip(rows["rows"], printed["tables"][name]["rows"]):
                for a, b in zip(told_row, printed_row):
                    if not (isinstance(b, str) and self.job in b):
                        self.assertEqual(a, b, name)
        summary = self.server.get(f"/api/v1/runs/{run}")["summary"]
        self.assertEqual(summary["step_time_ns"], printed["job"]["step_time_ns"])
        self.assertEqual(summary["bottleneck"], printed["job"]["bottleneck"])

    def test_names_that_look_like_options(self):
        run = self.ready_run()
        for name in ("-h", "--help", "-"):
            answer = self.server.ask("GET", f"/api/v1/runs/{run}/tables/{name}?set=top=3", expect=404)[2]
            self.assertIn("no table", answer["error"]["message"])

    def test_words_that_look_like_placeholders(self):
        run = self.ready_run()
        for word in ("{run}", "{other}", "{out}", "{run}/../..", "{}", "{0}"):
            rows = self.server.ask(
                "POST", f"/api/v1/runs/{run}/query", {"sql": f"select '{word}' as word"}, expect=200
            )[2]
            self.assertEqual(rows["rows"], [[word]])
            status, _, answer = self.server.ask("POST", f"/api/v1/runs/{run}/query", {"sql": word})
            self.assertEqual((status, answer["error"]["code"]), (400, "bad_request"), word)
            name = word.replace("/", "%2F").replace("{", "%7B").replace("}", "%7D")
            status, _, answer = self.server.ask("GET", f"/api/v1/runs/{run}/tables/{name}?set=top=3")
            self.assertIn(status, (400, 404), answer)
            status, _, answer = self.server.ask("POST", f"/api/v1/runs/{run}/whatif", {"changes": [word]})
            self.assertEqual(status, 400, answer)
            self.assertNotIn(self.data, json.dumps(answer))

    def test_names_of_runs_that_are_names_of_files(self):
        runs = [self.ready_run(name) for name in ("errors", "diff.json")]
        told = self.server.get(f"/api/v1/diff?base={runs[0]}&test={runs[1]}")
        self.assertEqual(told["schema"], "rankscope.diff/1")

    def test_sql_over_one_file(self):
        run = self.ready_run()
        sql = "select distinct rank from events order by rank"
        ask = lambda body, expect=200: self.server.ask("POST", f"/api/v1/runs/{run}/query", body, expect=expect)[2]
        self.assertEqual(ask({"sql": sql})["rows"], [[0], [1]])
        self.assertEqual(ask({"sql": sql, "file": os.path.basename(self.traces[1])})["rows"], [[1]])
        self.assertIn("no file", ask({"sql": sql, "file": "../../etc/passwd"}, 404)["error"]["message"])

    def test_table_by_filter_order_page_and_form(self):
        run = self.ready_run()
        base = f"/api/v1/runs/{run}/tables/step_times"
        everything = program.table("step_times", self.job)
        one = self.server.get(base + "?filter=rank=1&sort=-step&columns=rank,step")
        self.assertEqual(
            one["rows"],
            sorted(([row["rank"], row["step"]] for row in everything if row["rank"] == 1), key=lambda row: -row[1]),
        )
        pages, cursor = [], ""
        while cursor is not None:
            page = self.server.get(f"{base}?limit=2&columns=rank,step&cursor={cursor}")
            self.assertLessEqual(len(page["rows"]), 2)
            pages += page["rows"]
            cursor = page["cursor"]
        self.assertEqual(pages, [[row["rank"], row["step"]] for row in everything])
        csv = self.server.ask("GET", base + "?format=csv", expect=200)[2].decode()
        self.assertEqual(len(csv.splitlines()), len(everything) + 1)
        self.assertEqual(self.server.ask("GET", base + "?format=parquet", expect=200)[2][:4], b"PAR1")
        for wrong in (
            "?filter=nothing=1",
            "?filter=rank",
            "?filter=rank=x",
            "?limit=0",
            "?limit=x",
            "?cursor=zz",
            "?format=xml",
            "?sort=nothing",
        ):
            self.server.ask("GET", base + wrong, expect=400)
        # Computed now: an option, and a table that no report has.
        with_option = self.server.get(f"/api/v1/runs/{run}/tables/hta.gpu_kernel_breakdown?limit=5")
        self.assertGreater(with_option["row_count"], 0)
        self.server.ask("GET", f"/api/v1/runs/{run}/tables/nothing", expect=400)

    def test_computed_answers(self):
        run = self.ready_run()
        other = self.ready_run("other")
        answer = self.server.ask(
            "POST",
            f"/api/v1/runs/{run}/query",
            {"sql": "SELECT rank, count(*) AS n FROM kernels GROUP BY rank ORDER BY rank"},
            expect=200,
        )[2]
        out = program.run(
            "query", self.job, "SELECT rank, count(*) AS n FROM kernels GROUP BY rank ORDER BY rank", "--format", "json"
        )[0]
        self.assertEqual(answer["rows"], json.loads(out)["rows"])
        whatif = self.server.ask("POST", f"/api/v1/runs/{run}/whatif", {"changes": ["idealise:rank=1"]}, expect=200)[2]
        printed = json.loads(program.run("whatif", self.job, "--change", "idealise:rank=1", "--format", "json")[0])
        self.assertEqual(whatif["rows"], printed["rows"])
        diff = self.server.get(f"/api/v1/diff?base={run}&test={other}")
        self.assertEqual((diff["schema"], diff["job"]["step_time_change_pct"]), ("rankscope.diff/1", 0))
        self.assertEqual((diff["job"]["base"]["traces"], diff["job"]["test"]["traces"]), ("one", "other"))
        self.assertTrue(self.server.get(f"/api/v1/diff?base={run}&test={other}&view=1")["compares"])
        self.server.ask("POST", f"/api/v1/runs/{run}/whatif", {"changes": ["nonsense"]}, expect=400)
        window = self.server.ask(
            "GET", f"/api/v1/runs/{run}/files/{os.path.basename(self.traces[0])}?from_ns=0&to_ns=5000000", expect=200
        )
        self.assertEqual(window[1]["content-disposition"].split(";")[0], "attachment")
        path = os.path.join(self.folder.name, "window.json.gz")
        with open(path, "wb") as file:
            file.write(window[2])
        self.assertGreater(program.trace_info(path)["events"], 0)

    def test_view_is_the_data_of_the_page(self):
        run = self.ready_run()
        view = self.server.get(f"/api/v1/runs/{run}/view")
        printed = json.loads(program.run("analyze", self.job, "--format", "view")[0])
        self.assertEqual(set(view["tables"]), set(printed["tables"]))
        tag = self.server.ask("GET", f"/api/v1/runs/{run}/view")[1]["etag"]
        self.server.ask("GET", f"/api/v1/runs/{run}/view", headers={"If-None-Match": tag}, expect=304)
        _, fields, page = self.server.ask("GET", f"/api/v1/runs/{run}/page", expect=200)
        self.assertIn(b"<title>rankscope report</title>", page)
        self.assertIn("sandbox allow-scripts", fields["content-security-policy"])
        # Nobody who sees the pages learns folders of the server.
        self.assertNotIn(self.data, json.dumps(view))

    def test_runs_are_listed_filtered_and_paged(self):
        for number in range(5):
            self.server.new_run(
                name=f"run {number}", team="search" if number % 2 else "ads", tags={"number": str(number)}
            )
        listed = self.server.get("/api/v1/runs?sort=name&limit=3")
        self.assertEqual([run["name"] for run in listed["runs"]], ["run 0", "run 1", "run 2"])
        more = self.server.get(f"/api/v1/runs?sort=name&limit=3&cursor={listed['cursor']}")
        self.assertEqual(
            ([run["name"] for run in more["runs"]], more["cursor"], more["total"]), (["run 3", "run 4"], None, 5)
        )
        self.assertEqual(self.server.get("/api/v1/runs?team=search")["total"], 2)
        self.assertEqual(self.server.get("/api/v1/runs?team=search&team=ads")["total"], 5)
        self.assertEqual(self.server.get("/api/v1/runs?tag=number=3")["total"], 1)
        self.assertEqual(self.server.get("/api/v1/runs?q=RUN%204")["total"], 1)
        for wrong in ("?sort=colour", "?limit=1001", "?nothing=1", "?cursor=xyz"):
            self.server.ask("GET", "/api/v1/runs" + wrong, expect=400)

    def test_what_people_add(self):
        run = self.server.new_run(name="one")
        base = f"/api/v1/runs/{run}"
        note = self.server.ask(
            "POST", base + "/notes", {"text": "the <b>fan</b> failed", "rank": 3, "time_ns": 17}, expect=201
        )[2]
        self.assertEqual(self.server.get(base + "/notes")["notes"], [note])
        self.assertIsNone(note["end_ns"])
        span = {"text": "throttled", "time_ns": 17, "end_ns": 40}
        made = self.server.ask("POST", base + "/notes", span, expect=201)[2]
        self.assertEqual(self.server.get(base + "/notes")["notes"], [note, made])
        self.assertEqual((made["time_ns"], made["end_ns"], made["rank"]), (17, 40, None))
        self.server.ask("DELETE", f"{base}/notes/{made['id']}", expect=204)
        for wrong in ({"text": "a", "end_ns": 4}, {"text": "a", "time_ns": 4, "end_ns": 4}):
            self.server.ask("POST", base + "/notes", wrong, expect=400)
        self.server.ask("DELETE", f"{base}/notes/{note['id']}", expect=204)
        self.server.ask("DELETE", f"{base}/notes/{note['id']}", expect=404)
        self.server.ask("POST", base + "/queries", {"name": "slow", "sql": "SELECT 1"}, expect=201)
        self.server.ask("POST", base + "/queries", {"name": "", "sql": "SELECT 1"}, expect=400)
        self.server.ask(
            "POST", base + "/metrics", [{"time": 2_000_000_000, "name": "loss", "value": 2.5, "step": 7}], expect=201
        )
        self.server.ask(
            "POST", base + "/metrics", [{"time": "1970-01-01T00:00:01.5Z", "name": "loss", "value": 3}], expect=201
        )
        self.assertTrue(self.server.get(base)["has_metrics"])
        self.assertEqual(len(self.server.get(base + "/metrics?points=2")["metrics"]), 2)
        self.server.ask("GET", base + "/metrics?points=no", expect=400)
        told = self.server.get(base + "/metrics?name=loss")["metrics"]
        self.assertEqual([(one["time"], one["value"]) for one in told], [("1500000000", 3), ("2000000000", 2.5)])
        self.server.ask("POST", base + "/metrics", [{"name": "loss", "value": 3}], expect=400)
        share = self.server.ask("POST", "/api/v1/shares", {"state": {"ranks": "0-3", "n": [1, None]}}, expect=201)[2]
        self.server.kill()
        self.server.restart()
        self.assertEqual(self.server.get(f"/api/v1/shares/{share['hash']}"), {"ranks": "0-3", "n": [1, None]})
        self.assertEqual(len(self.server.get(base + "/metrics")["metrics"]), 2)
        self.assertEqual(self.server.get(base + "/queries")["queries"][0]["sql"], "SELECT 1")
        changed = self.server.ask("PATCH", base, {"name": "two", "tags": {"a": "b"}}, expect=200)[2]
        self.assertEqual((changed["name"], changed["tags"]), ("two", {"a": "b"}))
        self.server.ask("DELETE", base, expect=204)
        self.server.ask("GET", base, expect=404)

    def test_state_of_the_server(self):
        self.assertEqual(self.server.get("/healthz"), {"status": "ok"})
        text = self.server.ask("GET", "/metrics", expect=200)[2].decode()
        self.assertIn('rankscope_http_requests_total{route="/healthz",status="200"} 1', text)
        self.assertIn('rankscope_admissions_refused_total{status="429"} 0', text)
        self.assertIn("rankscope_queue_waiting 0", text)
        for line in text.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+.\deInf]+)$")
        document = self.server.get("/api/v1/openapi.json")
        self.assertEqual(document["openapi"], "3.1.0")
        self.assertIn("patch", document["paths"]["/api/v1/runs/{id}/files/{name}"])
        for path, name in (
            ("/api/v1/runs/{id}/files", "RunFileList"),
            ("/api/v1/runs/{id}/patch", "Patch"),
            ("/api/v1/hosts/{host}/metrics", "HostMetrics"),
            ("/api/v1/tables", "TableDefinitionList"),
            ("/api/v1/runs/{id}/metrics", "SampleList"),
            ("/api/v1/version", "Version"),
            ("/healthz", "Health"),
        ):
            answer = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            self.assertEqual(answer, {"$ref": f"#/components/schemas/{name}"})
            self.assertIn(name, document["components"]["schemas"])
        taken = {
            path: document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
            for path in ("/api/v1/hosts", "/api/v1/mcp", "/api/v1/runs/{id}/metrics")
        }
        self.assertEqual(taken["/api/v1/hosts"], {"$ref": "#/components/schemas/HostReport"})
        self.assertEqual(taken["/api/v1/mcp"], {"$ref": "#/components/schemas/AssistantMessage"})
        self.assertEqual(
            taken["/api/v1/runs/{id}/metrics"], {"type": "array", "items": {"$ref": "#/components/schemas/Sample"}}
        )
        schemas = document["components"]["schemas"]
        self.assertEqual(schemas["HostReport"]["required"], ["host", "instance"])
        self.assertEqual(schemas["Sample"]["required"], ["time", "name", "value"])
        tables = {one["name"]: one for one in self.server.get("/api/v1/tables")["tables"]}
        self.assertEqual(
            (tables["step_times"]["subject"], tables["diff_ops"]["subject"], tables["snapshot_peak"]["subject"]),
            ("job", "pair", "snapshot"),
        )


class Uploads(WithServer):
    def test_in_parts(self):
        run = self.server.new_run(name="parts")
        whole = content(self.traces[0])
        path = f"/api/v1/runs/{run}/files/a%20b/rank0.json.gz"
        fields = self.server.ask("HEAD", path, expect=204)[1]
        self.assertEqual((fields["upload-offset"], fields["upload-complete"]), ("0", "?0"))
        for begin, end, last in ((0, 1000, "?0"), (1000, 5000, "?0"), (5000, len(whole), "?1")):
            status, fields, answer = self.server.ask(
                "PATCH", path, whole[begin:end], {"Upload-Offset": str(begin), "Upload-Complete": last}
            )
            self.assertEqual((status, fields["upload-offset"]), (201 if last == "?1" else 204, str(end)))
            if last == "?0":
                self.server.ask("PATCH", path, b"x", {"Upload-Offset": "17"}, expect=409)
                self.assertEqual(self.server.ask("HEAD", path, expect=204)[1]["upload-offset"], str(end))
        self.assertEqual(answer["sha256"], hashlib.sha256(whole).hexdigest())
        self.assertEqual(
            self.server.get(f"/api/v1/runs/{run}/files")["files"][0],
            {"name": "a b/rank0.json.gz", "bytes": len(whole), "sha256": answer["sha256"]},
        )
        self.assertEqual(self.server.ask("GET", path, expect=200)[2], whole)
        self.assertEqual(self.server.ask("GET", path, headers={"Range": "bytes=10-19"}, expect=206)[2], whole[10:20])
        self.server.ask("PATCH", path, b"x", {}, expect=400)

    def test_what_is_refused(self):
        run = self.server.new_run(name="refused")
        for name in ("../x", "a/../x", "%2e%2e/x", "a//b", "a%00b", "a%5Cb", ".", "%", "x" * 2000):
            status = self.server.ask("PUT", f"/api/v1/runs/{run}/files/{name}", b"x")[0]
            self.assertIn(status, (400, 404), name)
        self.server.ask("PUT", f"/api/v1/runs/{run}/files/x", b"abc", {"X-Content-SHA256": "0" * 64}, expect=422)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=409)
        self.server.ask("PUT", "/api/v1/runs/0123456789abcdef/files/x", b"abc", expect=404)
        self.assertEqual(glob.glob(os.path.join(self.folder.name, "*")), [self.data])

    def test_a_file_cut_off_is_not_there(self):
        run = self.server.new_run(name="cut")
        received = lambda: int(
            re.search(r"received_bytes_total (\d+)", self.server.ask("GET", "/metrics")[2].decode()).group(1)
        )
        before = received()
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.sendall(
                f"PUT /api/v1/runs/{run}/files/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n".encode()
                + b"x" * 500
            )
        until(lambda: received() >= before + 500)  # it has seen the end
        self.assertEqual(self.server.get(f"/api/v1/runs/{run}/files")["files"], [])
        # Of a part, what came is kept.
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.sendall(
                f"PATCH /api/v1/runs/{run}/files/x HTTP/1.1\r\nHost: localhost\r\nUpload-Offset: 0\r\nContent-Length: 1000\r\n\r\n".encode()
                + b"x" * 500
            )
        until(lambda: self.server.ask("HEAD", f"/api/v1/runs/{run}/files/x")[1].get("upload-offset") == "500")

    def test_one_writer_a_file(self):
        run = self.server.new_run(name="locked")
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.sendall(
                f"PUT /api/v1/runs/{run}/files/x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n".encode()
            )
            self.assertIn(b" 100 ", connection.recv(1000))  # it has begun
            connection.sendall(b"abc")
            self.server.ask("PUT", f"/api/v1/runs/{run}/files/x", b"other", expect=423)
            self.server.ask("PUT", f"/api/v1/runs/{run}/files/y", b"other", expect=201)
            connection.sendall(b"defghij")
            self.assertIn(b" 20", connection.recv(1000)[:14])

    def test_late_files_make_another_report(self):
        run = self.server.new_run(name="late")
        self.server.upload(run, self.traces[0])
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        self.assertEqual(self.server.wait(run)["summary"]["ranks"], 1)
        self.server.ask("PUT", f"/api/v1/runs/{run}/files/x", b"x", expect=409)
        self.server.ask("POST", f"/api/v1/runs/{run}/reopen", expect=200)
        self.server.upload(run, self.traces[1])
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        told = self.server.wait(run)
        self.assertEqual((told["version"], told["summary"]["ranks"]), (2, 2))
        self.assertEqual(len(self.server.get(f"/api/v1/runs/{run}/report?version=1")["job"]["ranks"]), 1)
        self.server.ask("GET", f"/api/v1/runs/{run}/report?version=3", expect=404)

    def test_what_is_no_trace_fails_with_its_reason(self):
        run = self.server.new_run(name="bad")
        self.server.ask("PUT", f"/api/v1/runs/{run}/files/rank0.json", b'{"no": "trace"}', expect=201)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        told = self.server.wait(run)
        self.assertEqual(told["state"], "failed")
        self.assertIn("rank0.json", told["reason"])
        self.assertNotIn(self.data, told["reason"])

    def test_a_run_without_an_event_fails(self):
        run = self.server.new_run(name="empty")
        empty = b'{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": []}'
        self.server.ask("PUT", f"/api/v1/runs/{run}/files/rank0.json", empty, expect=201)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        told = self.server.wait(run)
        self.assertEqual(told["state"], "failed")
        self.assertIn("no recording has an event", told["reason"])

    def test_files_that_cannot_be_read_are_said_first(self):
        run = self.server.new_run(name="partly")
        for name in sorted(os.listdir(self.job)):
            if "trace" in name:
                with open(os.path.join(self.job, name), "rb") as file:
                    self.server.ask("PUT", f"/api/v1/runs/{run}/files/{name}", file.read(), expect=201)
        self.server.ask("PUT", f"/api/v1/runs/{run}/files/rank9.json", b"garbage", expect=201)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        headline = self.server.wait(run)["summary"]["headline"]
        self.assertRegex(headline, r"^1 of \d+ files cannot be read\. ")

    def test_an_unknown_address_is_a_page_for_people(self):
        page = self.server.ask("GET", "/foo", headers={"Accept": "text/html,*/*;q=0.8"}, expect=404)
        self.assertIn("<!DOCTYPE html>", str(page[2]))
        for path, accept in (("/foo", "*/*"), ("/api/v1/foo", "text/html")):
            told = self.server.ask("GET", path, headers={"Accept": accept}, expect=404)[2]
            self.assertEqual(told["error"]["code"], "not_found")

    def test_the_same_key_is_the_same_run(self):
        first = self.server.ask("POST", "/api/v1/runs", {"name": "a"}, {"Idempotency-Key": "k"}, expect=201)[2]["id"]
        self.assertEqual(
            self.server.ask("POST", "/api/v1/runs", {"name": "a"}, {"Idempotency-Key": "k"}, expect=201)[2]["id"], first
        )
        self.assertNotEqual(
            self.server.ask("POST", "/api/v1/runs", {"name": "a"}, {"Idempotency-Key": "l"}, expect=201)[2]["id"], first
        )

    def test_push_of_several_runs_sends_each(self):
        folder = os.path.join(self.temporary.name, "several")
        for name, job in (("a", "ddp"), ("deep/b", "fsdp")):
            program.run(
                "simulate", os.path.join(folder, name), "--job", job, "--ranks", "2", "--steps", "3", "--events", "2000"
            )
        out, _ = program.run(
            "push", folder, "--server", self.server.address, "--name", "sweep", "--all", "--wait", "--tag", "lr=3"
        )
        runs = [self.server.get(f"/api/v1/runs/{line.rsplit('/', 1)[1]}") for line in out.splitlines()]
        self.assertEqual(
            [(one["name"], one["state"], one["tags"]) for one in runs],
            [(name, "ready", {"lr": "3", "set": "sweep"}) for name in ("sweep/a", "sweep/deep/b")],
        )

    def test_push_takes_what_lies_beside_the_traces(self):
        folder = os.path.join(self.folder.name, "whole")
        os.mkdir(folder)
        for trace in self.traces:
            shutil.copy(trace, folder)
        with open(os.path.join(folder, "node.telemetry.json"), "w", encoding="utf-8") as file:
            json.dump(
                [{"time": "1712345678901234567", "rank": 0, "name": "device_power", "value": 400, "unit": "W"}], file
            )
        with open(os.path.join(folder, "rank0.pickle"), "wb") as file:
            pickle.dump(write_snapshot.small_program(), file)
        out, _ = self.push(folder, "--name", "whole", "--wait")
        run = out.strip().rsplit("/", 1)[1]
        names = [one["name"] for one in self.server.get(f"/api/v1/runs/{run}/files")["files"]]
        self.assertEqual(
            sorted(names),
            sorted([os.path.basename(trace) for trace in self.traces] + ["node.telemetry.json", "rank0.pickle"]),
        )
        self.assertEqual(self.server.get("/api/v1/runs/" + run)["snapshots"], 1)
        self.assertEqual(self.server.get(f"/api/v1/runs/{run}/report")["quality"], [])
        self.assertEqual(
            self.server.get(f"/api/v1/runs/{run}/memory?file=rank0.pickle")["schema"], "rankscope.memory/1"
        )

    def test_push(self):
        out, _ = self.push(self.job, "--name", "pushed", "--team", "search", "--tag", "commit=1f3a", "--wait")
        run = out.strip().rsplit("/", 1)[1]
        told = self.server.get(f"/api/v1/runs/{run}")
        self.assertEqual(
            (told["state"], told["name"], told["team"], told["tags"]), ("ready", "pushed", "search", {"commit": "1f3a"})
        )
        again, said = self.push(self.job, "--name", "pushed", "--team", "search")
        self.assertEqual(again, out)
        self.assertIn("already", said)
        got = os.path.join(self.folder.name, "back")
        self.server.stop()
        program.run("store", "get", run, "--data", self.data, "-o", got)
        for trace in self.traces:
            self.assertEqual(content(os.path.join(got, "traces", os.path.basename(trace))), content(trace))
        _, said = self.push(self.job, "--patience", "0", expect=1)
        self.assertIn("cannot connect", said)
        _, said = program.run("push", self.job, "--server", "ftp://x", expect=2)
        self.assertIn("such as http://127.0.0.1:8723", said)


class Faults(WithServer):
    def test_killed_while_uploading(self):
        # A killed server loses no byte that it acknowledged.
        generator = random.Random(7)
        run = self.server.new_run(name="killed")
        whole = generator.randbytes(3_000_000)
        path = f"/api/v1/runs/{run}/files/big"
        offset = 0
        for _ in range(15):
            killer = threading.Timer(generator.uniform(0, 0.03), self.server.process.kill)
            killer.start()
            try:
                while offset < len(whole):
                    end = min(len(whole), offset + 20_000)
                    status, fields, _ = self.server.ask(
                        "PATCH", path, whole[offset:end], {"Upload-Offset": str(offset)}
                    )
                    self.assertEqual(status, 204)
                    offset = int(fields["upload-offset"])
            except (OSError, ConnectionError, __import__("http").client.HTTPException):
                pass
            killer.join()
            self.server.kill()
            self.server.restart()
            come = int(self.server.ask("HEAD", path, expect=204)[1]["upload-offset"])
            self.assertGreaterEqual(come, offset)
            offset = come
        answer = self.server.ask(
            "PATCH", path, whole[offset:], {"Upload-Offset": str(offset), "Upload-Complete": "?1"}, expect=201
        )[2]
        self.assertEqual(answer["sha256"], hashlib.sha256(whole).hexdigest())

    def test_killed_at_random_moments(self):
        # Ten times as many in bench/service.py.
        killed = Killed(self.server, self.traces, seed=3)
        killed.rounds(6)
        killed.settle()

    def test_what_was_not_synced_is_lost(self):
        self.server.stop()
        lost = LostWrites(self.data, self.folder.name)
        self.server = Server(self.data, environment=lost.environment())
        killed = Killed(self.server, self.traces, seed=5, drop=lambda: lost.drop("cache", "work"))
        killed.rounds(6)
        killed.settle()
        self.assertGreater(lost.bytes + lost.names, 0)  # there was something to lose

    def test_push_goes_on_after_the_server_was_away(self):
        big = os.path.join(self.folder.name, "job")
        program.run("simulate", big, "--ranks", "3", "--steps", "3", "--events", "30000")
        port = self.server.port
        said = os.path.join(self.folder.name, "said")
        with open(said, "wb") as errors:
            process = subprocess.Popen(
                [program.BINARY, "push", big, "--server", self.server.address, "--name", "big", "--wait"],
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        until(lambda: self.server.get("/api/v1/runs")["runs"])
        self.server.kill()
        self.server.listen = f"127.0.0.1:{port}"
        until(lambda: b"trying again" in content(said))
        self.server.restart()
        out, _ = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 0, content(said))
        run = out.decode().strip().rsplit("/", 1)[1]
        self.assertEqual(self.server.wait(run)["summary"]["ranks"], 3)

    def test_killed_while_analysing(self):
        generator = random.Random(11)
        run = self.server.new_run(name="killed")
        for trace in self.traces:
            self.server.upload(run, trace)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        for _ in range(4):
            time.sleep(generator.uniform(0.02, 0.25))
            self.server.kill()
            self.server.restart()
        self.assertEqual(self.server.wait(run)["state"], "ready")
        checked, _ = program.run("store", "check", "--data", self.data, "--contents")
        self.assertIn("1 runs", checked)

    def test_a_killed_worker_costs_an_attempt(self):
        big = os.path.join(self.folder.name, "job")
        program.run("simulate", big, "--ranks", "2", "--steps", "3", "--events", "200000")
        run = self.server.new_run(name="worker")
        for trace in sorted(glob.glob(os.path.join(big, "*.json.gz"))):
            self.server.upload(run, trace)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        found = until(lambda: [pid for pid, words in workers(self.server).items() if "analyze" in words])
        os.kill(found[0], signal.SIGKILL)
        self.assertEqual(self.server.wait(run)["state"], "ready")
        self.assertIn(
            "attempt 1 of 3 failed: the analysis broke off: it was ended by SIGKILL",
            " ".join(self.server.wait_for_event("queue")),
        )
        self.assertIn("rankscope_attempts_failed_total 1", self.server.ask("GET", "/metrics")[2].decode())

    def test_damaged_journal(self):
        journal = os.path.join(self.data, "queue.journal")
        run = self.ready_run()
        self.server.kill()
        with open(journal, "ab") as file:
            file.write(b"0123456789abcdef begun 01")  # what a killed process leaves
        self.server.restart()
        self.assertEqual(self.server.events("queue"), [])
        self.server.kill()
        with open(journal, "wb") as file:
            file.write(b"nonsense\n0123456789abcdef begun 0123456789abcdef\n")
        self.server.restart()
        self.assertEqual(self.server.get(f"/api/v1/runs/{run}")["state"], "ready")
        self.assertIn("damaged; set aside as", self.server.wait_for_event("queue")[0])
        self.assertEqual(self.ready_run("two") != run, True)

    def test_damaged_contents(self):
        """A flipped bit anywhere in what a report keeps is a 500, never another number."""
        run = self.ready_run()
        parts = [f"tables/{one['name']}" for one in self.server.get(f"/api/v1/runs/{run}/tables")["tables"]]
        parts += ["report", "view"]
        for blob in glob.glob(os.path.join(self.data, "blobs", "*", "*")):
            os.chmod(blob, 0o600)
            with open(blob, "r+b") as file:
                at = random.Random(blob).randrange(os.path.getsize(blob))
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 1 << at % 8]))
        for part in parts:
            status, _, answer = self.server.ask("GET", f"/api/v1/runs/{run}/{part}")
            self.assertEqual((status, answer["error"]["code"]), (500, "damaged"), part)
            self.assertNotIn(self.data, answer["error"]["message"])
        self.server.get("/healthz")
        out, said = program.run("store", "check", "--data", self.data, "--contents", expect=1)
        self.assertIn("damaged", out + said)

    def test_damaged_traces(self):
        """One is not sent to its end, and costs its rank in an analysis."""
        run = self.server.new_run(name="damaged")
        for trace in self.traces[:2]:
            self.server.upload(run, trace)
        one, other = self.server.get(f"/api/v1/runs/{run}/files")["files"]
        flip(self.blob(one["sha256"]), 50)
        with self.assertRaises(http.client.IncompleteRead):
            self.server.ask("GET", f"/api/v1/runs/{run}/files/{one['name']}")
        part = {"Range": "bytes=0-99"}
        self.server.ask("GET", f"/api/v1/runs/{run}/files/{one['name']}", headers=part, expect=500)
        self.server.ask("GET", f"/api/v1/runs/{run}/files/{other['name']}", headers=part, expect=206)
        self.assertEqual(len(self.server.ask("GET", f"/api/v1/runs/{run}/files/{other['name']}")[2]), other["bytes"])
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        told = self.server.wait(run)
        self.assertEqual((told["state"], told["summary"]["ranks"]), ("ready", 1))
        self.assertEqual([aside["file"] for aside in told["set_aside"]], [one["name"]])
        self.assertIn("damaged", told["set_aside"][0]["reason"])

    def test_a_query_that_needs_too_much_memory_is_too_large(self):
        run = self.ready_run()
        asked = {"sql": "SELECT repeat('x', 2000000000)"}
        _, _, answer = self.server.ask("POST", f"/api/v1/runs/{run}/query", asked, expect=422)
        self.assertEqual(answer["error"]["code"], "too_much")
        self.assertIn("add a LIMIT", answer["error"]["message"])

    def test_traces_damaged_after_they_were_read(self):
        """What is computed later is not computed from them."""
        run = self.ready_run()
        question = {"sql": "SELECT count(*) FROM events"}
        self.server.ask("POST", f"/api/v1/runs/{run}/query", question, expect=200)
        trace = self.server.get(f"/api/v1/runs/{run}/files")["files"][0]
        flip(self.blob(trace["sha256"]), trace["bytes"] // 2)
        asked = [
            ("POST", f"/api/v1/runs/{run}/query", question),
            ("POST", f"/api/v1/runs/{run}/whatif", {"changes": ["idealise:rank=0"]}),
            ("GET", f"/api/v1/runs/{run}/tables/ops_summary?set=top=3", None),
            ("GET", f"/api/v1/runs/{run}/files/{trace['name']}?from_ns=0&to_ns=1000000", None),
        ]
        for method, path, body in asked:
            status, _, answer = self.server.ask(method, path, body)
            self.assertEqual((status, answer["error"]["code"]), (500, "damaged"), path)
        notes = lambda: [line for line in self.server.lines if '"note":"damaged: ' in line]
        until(lambda: len(notes()) == len(asked), lambda: str(self.server.lines))
        self.server.raw(f"GET /api/v1/runs/{run}/files/{trace['name']} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        until(lambda: len(notes()) == len(asked) + 1, lambda: str(self.server.lines))
        self.assertIn(f"rankscope_damage_met_total {len(asked) + 1}", str(self.server.ask("GET", "/metrics")[2]))
        os.unlink(self.blob(trace["sha256"]))
        for method, path, body in asked:
            status, _, answer = self.server.ask(method, path, body)
            self.assertEqual((status, answer["error"]["code"]), (500, "damaged"), path)

    def test_damaged_numbers_of_hosts(self):
        """They cost themselves, in the report and in what is computed later."""
        run = self.server.new_run(name="numbers")
        for trace in self.traces:
            self.server.upload(run, trace)
        sample = {"time": "1712345678901234567", "rank": 0, "name": "loss", "value": 2.5, "unit": ""}
        self.server.ask("POST", f"/api/v1/runs/{run}/metrics", [sample], expect=201)
        known = {trace["sha256"] for trace in self.server.get(f"/api/v1/runs/{run}/files")["files"]}
        (blob,) = (
            path
            for path in glob.glob(os.path.join(self.data, "blobs", "*", "*"))
            if os.path.basename(path) not in known
        )
        flip(blob, 3)
        self.server.ask("POST", f"/api/v1/runs/{run}/finish", expect=202)
        told = self.server.wait(run)
        self.assertEqual((told["state"], told["summary"]["ranks"]), ("ready", 2))
        self.assertIn("damaged", told["set_aside"][0]["reason"])
        self.server.ask("POST", f"/api/v1/runs/{run}/query", {"sql": "SELECT 1"}, expect=200)
        self.server.ask("GET", f"/api/v1/runs/{run}/metrics", expect=500)

    def test_damaged_timeline(self):
        """It is the store's fault, and no address that is not there."""
        run = self.ready_run()
        with open(os.path.join(self.data, "runs", f"{run}.json"), "rb") as file:
            tables = json.loads(file.read())["reports"][0]["tables"]
        (timeline,) = (table for table in tables if table["name"] == "timeline")
        path = f"/api/v1/runs/{run}/timeline"
        blob = self.blob(timeline["sha256"])
        flip(blob, timeline["bytes"] - 20)
        self.assertEqual(self.server.ask("GET", path, expect=500)[2]["error"]["code"], "damaged")
        os.unlink(blob)
        self.assertEqual(self.server.ask("GET", path, expect=500)[2]["error"]["code"], "damaged")

    def test_a_damaged_record_is_no_run(self):
        """A flipped bit in a name, a number or a state would read as well as what was there."""
        run = self.ready_run("llama")
        other = self.ready_run("other")
        self.server.stop()
        path = os.path.join(self.data, "runs", f"{run}.json")
        flip(path, content(path).index(b"llama"))
        self.server.restart()
        self.assertIn(run, self.server.wait_for_event("unreadable")[0])
        self.server.ask("GET", f"/api/v1/runs/{run}", expect=404)
        self.assertEqual([one["id"] for one in self.server.get("/api/v1/runs")["runs"]], [other])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "a small disk takes root")
    def test_full_disk(self):
        small = os.path.join(self.folder.name, "small")
        os.mkdir(small)
        if (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small], check=False, capture_output=True
            ).returncode
            != 0
        ):
            self.skipTest("this machine mounts nothing")
        try:
            server = Server(os.path.join(small, "data"))
            run = server.new_run(name="full")
            kept = server.upload(run, self.traces[0])
            status, _, answer = server.ask("PUT", f"/api/v1/runs/{run}/files/big", b"x" * 4_000_000)
            self.assertEqual((status, answer["error"]["code"]), (507, "no_room"))
            status, _, answer = server.ask(
                "PATCH", f"/api/v1/runs/{run}/files/big", b"x" * 4_000_000, {"Upload-Offset": "0"}
            )
            self.assertEqual(status, 507)
            self.assertEqual(server.get(f"/api/v1/runs/{run}/files")["files"], [kept])
            server.ask("DELETE", f"/api/v1/runs/{run}", expect=204)
            self.assertEqual(server.stop(), 0)
        finally:
            subprocess.run(["umount", small], check=True)

    def test_nothing_is_left_running(self):
        run = self.ready_run()
        # Who leaves ends what was computed for them.
        slow = {"sql": "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7"}
        body = json.dumps(slow)
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            connection.sendall(
                f"POST /api/v1/runs/{run}/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            until(lambda: workers(self.server))
        until(lambda: not workers(self.server))
        thread = threading.Thread(
            target=lambda: self.assertRaises(Exception, self.server.ask, "POST", f"/api/v1/runs/{run}/query", slow)
        )
        thread.start()
        running = list(until(lambda: workers(self.server)))
        self.server.kill()
        thread.join()

        def is_there(pid):
            try:
                return content(f"/proc/{pid}/stat").decode().rsplit(")", 1)[1].split()[0] != "Z"
            except OSError:
                return False

        until(lambda: not any(is_there(pid) for pid in running))


class BigAnswers(WithServer):
    """The server's memory does not follow what it is asked for."""

    rows = 60_000

    def with_big_table(self):
        """A run whose report has a table of 60,000 rows and 36 MB, and nothing that could be packed."""
        run = self.ready_run()
        self.server.stop()
        path = os.path.join(self.folder.name, "big.parquet")
        text = ", ".join(f"md5((i * 20 + {n})::VARCHAR)" for n in range(18))
        columns = '[{"name":"i","unit":"","doc":""},{"name":"text","unit":"","doc":""}]'
        sql = (
            f"COPY (SELECT i, concat({text}) AS text FROM range({self.rows}) AS t(i)) TO '{path}' "
            f"(FORMAT parquet, KV_METADATA {{'rankscope.columns': '{columns}'}})"
        )
        program.run("query", self.job, sql, "--allow-files")
        table = content(path)
        sha256 = hashlib.sha256(table).hexdigest()
        os.makedirs(os.path.dirname(self.blob(sha256)), exist_ok=True)
        shutil.copy(path, self.blob(sha256))
        record_path = os.path.join(self.data, "runs", f"{run}.json")
        record = json.loads(content(record_path))
        record["reports"][0]["tables"].append({"name": "big.parquet", "sha256": sha256, "bytes": len(table)})
        sealed = record.pop("record_sha256", None)
        text = json.dumps(record, separators=(",", ":"))
        if sealed:
            text = f'{text[:-1]},"record_sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}'
        with open(record_path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        self.server.restart()
        return run

    def most_memory(self):
        status = content(f"/proc/{self.server.process.pid}/status").decode()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) << 10

    def test_twelve_at_once(self):
        run = self.with_big_table()
        path = f"/api/v1/runs/{run}/tables/big?limit=100000"
        self.server.get(f"/api/v1/runs/{run}/tables/big?limit=1")
        before = self.most_memory()
        sizes = []

        def ask(form):
            status, _, answer = self.server.ask("GET", f"{path}&format={form}")
            rows = len(answer["rows"]) if form == "json" else answer.count(b"\n")
            sizes.append((status, rows))

        for forms in (["csv"] * 12, ["jsonl"] * 4, ["json"] * 2):
            askers = [threading.Thread(target=ask, args=(form,)) for form in forms]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
        self.assertEqual(sorted(sizes), [(200, self.rows)] * 6 + [(200, self.rows + 1)] * 12)
        # One answer has 36 MB, as a table in memory and as text twice that; twelve took 2 GB.
        self.assertLess((self.most_memory() - before) >> 20, 500)
        self.assertEqual(os.listdir(os.path.join(self.data, "temporary")), [])

    def test_tables_that_are_computed_are_read_in_turn(self):
        """They wait for each other behind their commands, and come whole; lists come meanwhile."""
        run = self.ready_run()
        path = f"/api/v1/runs/{run}/tables/hta.events?limit=100000"
        truth = self.server.get(path)
        self.assertGreater(len(truth["rows"]), 100)
        answers = []
        askers = [threading.Thread(target=lambda: answers.append(self.server.get(path))) for _ in range(10)]
        for asker in askers:
            asker.start()
        while any(asker.is_alive() for asker in askers):
            self.server.get("/api/v1/runs")
        self.assertEqual([answer["rows"] == truth["rows"] for answer in answers], [True] * 10)
        until(lambda: os.listdir(os.path.join(self.data, "temporary")) == [])
        until(lambda: os.listdir(os.path.join(self.data, "work", "commands", "answers")) == [])

    def test_the_forms_of_a_big_table_agree(self):
        run = self.with_big_table()
        path = f"/api/v1/runs/{run}/tables/big?limit=5000&sort=-i&filter=i<50000"
        whole = self.server.get(path)
        self.assertEqual((len(whole["rows"]), whole["row_count"]), (5000, 50_000))
        self.assertEqual([row[0] for row in whole["rows"]], list(range(49_999, 44_999, -1)))
        after = self.server.get(f"{path}&cursor={whole['cursor']}")
        self.assertEqual(after["rows"][0][0], 44_999)
        lines = self.server.get(f"{path}&format=jsonl").decode().splitlines()
        self.assertEqual([list(json.loads(line).values()) for line in lines], whole["rows"])
        back = os.path.join(self.folder.name, "back.parquet")
        with open(back, "wb") as file:
            file.write(self.server.get(f"{path}&format=parquet"))
        sql = f"SELECT count(*), min(i), max(i) FROM '{back}'"
        out, _ = program.run("query", self.job, sql, "--allow-files", "--format", "csv")
        self.assertEqual(out.split()[1], "5000,45000,49999")
        part = self.server.ask("GET", f"{path}&format=parquet", headers={"Range": "bytes=0-3"})
        self.assertEqual(part[2][:4], b"PAR1")


class Hostile(WithServer):
    def test_sql_sees_the_run_alone(self):
        run = self.ready_run()
        secret = os.path.join(self.folder.name, "never.csv")
        # What analyses worked on goes soon after they ended.
        before = {
            path: content(path)
            for path in glob.glob(os.path.join(self.data, "**"), recursive=True)
            if "/work/" not in path and os.path.isfile(path)
        }
        for sql in (
            f"COPY (SELECT 1) TO '{secret}'",
            f"ATTACH '{secret}'",
            f"EXPORT DATABASE '{secret}'",
            "PRAGMA database_list; SELECT 1",
            "DROP VIEW kernels",
            "SELECT * FROM read_text('/etc/passwd')",
            "SELECT 1; SELECT 2",
            "INSTALL httpfs",
            "SET memory_limit='1TB'",
            f"EXPLAIN ANALYZE COPY (SELECT 1) TO '{secret}'",
            "CREATE TABLE t AS SELECT 1",
            "",
            "'",
            "SELECT",
            "--",
            "\0",
        ):
            status, _, answer = self.server.ask("POST", f"/api/v1/runs/{run}/query", {"sql": sql})
            self.assertEqual(status, 400, (sql, answer))
        self.assertFalse(os.path.exists(secret))
        big = self.server.ask(
            "POST", f"/api/v1/runs/{run}/query", {"sql": "SELECT repeat('x', 1000000) FROM range(10000)"}
        )
        self.assertEqual(big[0], 422)
        after = {path: content(path) for path in before if os.path.isfile(path)}
        self.assertEqual({path for path in before if before[path] != after.get(path)}, set())

    def test_heads_and_bodies(self):
        def status(data):
            answer = self.server.raw(data)
            return int(answer.split()[1]) if answer else 0

        self.assertEqual(
            status(b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 501
        )
        self.assertEqual(status(b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"), 411)
        self.assertIn(
            status(
                b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"
            ),
            (400,),
        )
        self.assertEqual(status(b"GET /healthz HTTP/1.1\r\n\r\n"), 400)
        self.assertEqual(status(b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421)
        self.assertEqual(status(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n"), 400)
        self.assertEqual(status(b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"), 431)
        self.assertEqual(status(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 400)
        self.assertEqual(status(b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400)
        self.assertEqual(status(b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400)
        self.assertEqual(self.server.ask("POST", "/api/v1/runs", b"x" * 100_000)[0], 413)
        self.assertEqual(self.server.ask("POST", "/api/v1/runs", b'{"name": 1}')[0], 400)
        self.assertEqual(self.server.ask("POST", "/api/v1/runs", b"[" * 20000)[0], 400)
        self.assertEqual(self.server.ask("DELETE", "/api/v1/events")[0], 405)
        for fields in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
            self.assertEqual(self.server.ask("POST", "/api/v1/runs", {}, fields)[0], 403)
        self.assertEqual(self.server.ask("POST", "/api/v1/runs", {}, {"Origin": self.server.address})[0], 201)
        fields = self.server.ask("GET", "/api/v1/runs")[1]
        self.assertIn("default-src 'none'", fields["content-security-policy"])
        self.assertEqual(fields["x-content-type-options"], "nosniff")

    def test_many_slow_clients_hold_nobody_up(self):
        held = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(300)]
        try:
            for one in held:
                one.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
            self.server.get("/healthz")
            # It was not their end that it waited for.
            self.assertLess(len(select.select(held, [], [], 0)[0]), len(held))
        finally:
            for one in held:
                one.close()

    def test_events(self):
        def listen(last=None):
            connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=LIMIT_S)
            connection.sendall(
                b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n"
                + (f"Last-Event-ID: {last}\r\n".encode() if last else b"")
                + b"\r\n"
            )
            return connection

        def read_until(connection, pattern):
            text = ""
            while not re.search(pattern, text, re.S):
                piece = connection.recv(65536)
                self.assertTrue(piece, text)
                text += piece.decode()
            return text

        with listen() as one:
            read_until(one, "retry: 3000")
            run = self.ready_run()
            text = read_until(one, '"state":"ready"')
        states = re.findall(r'"state":"(\w+)"', text)
        self.assertEqual(
            [state for at, state in enumerate(states) if at == 0 or states[at - 1] != state],
            ["uploading", "queued", "analysing", "ready"],
        )
        ids = re.findall(r"id: (\S+)", text)
        with listen(ids[0]) as one:
            self.assertEqual(re.findall(r"id: (\S+)", read_until(one, '"state":"ready"')), ids[1:])
        with listen("1-99") as one:
            read_until(one, "event: resync")
        self.server.ask("DELETE", f"/api/v1/runs/{run}", expect=204)
        with listen(ids[-1]) as one:
            self.assertIn(run, read_until(one, "event: removed\ndata: .*\n"))


class Tokens(WithServer):
    def setUp(self):
        self.keys = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.keys.cleanup)
        self.file = os.path.join(self.keys.name, "tokens")
        self.token = {}
        for name, role, team in (
            ("reader", "read", "search"),
            ("sender", "upload", "search"),
            ("other", "upload", "ads"),
            ("admin", "admin", "*"),
        ):
            out, _ = program.run("token", role, "--team", team, "--name", name, "--file", self.file)
            self.token[name] = out.strip()
        self.arguments = ("--token-file", self.file)
        super().setUp()

    def of(self, name, method, path, body=None, expect=None, **fields):
        return self.server.ask(
            method, path, body, {"Authorization": f"Bearer {self.token[name]}", **fields}, expect=expect
        )

    def test_roles_and_teams(self):
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        for token in self.token.values():
            self.assertNotIn(token.encode(), content(self.file))
        self.server.ask("GET", "/healthz", expect=200)
        self.server.ask("GET", "/api/v1/runs", expect=401)
        self.server.ask("GET", "/api/v1/runs", headers={"Authorization": "Bearer rs_wrong"}, expect=401)
        self.server.ask("GET", f"/api/v1/runs?token={self.token['admin']}", expect=401)
        self.of("reader", "POST", "/api/v1/runs", {}, expect=403)
        run = self.of("sender", "POST", "/api/v1/runs", {"name": "a"}, expect=201)[2]
        self.assertEqual(run["team"], "search")
        self.of("sender", "POST", "/api/v1/runs", {"name": "a", "team": "ads"}, expect=400)
        self.of("reader", "GET", f"/api/v1/runs/{run['id']}", expect=200)
        self.of("other", "GET", f"/api/v1/runs/{run['id']}", expect=404)
        self.of("other", "PUT", f"/api/v1/runs/{run['id']}/files/x", b"x", expect=404)
        self.assertEqual(self.of("other", "GET", "/api/v1/runs", expect=200)[2]["total"], 0)
        self.assertEqual(self.of("admin", "GET", "/api/v1/runs", expect=200)[2]["total"], 1)
        note = self.of(
            "sender", "POST", f"/api/v1/runs/{run['id']}/notes", {"text": "x", "user": "somebody else"}, expect=201
        )[2]
        self.assertEqual(note["user"], "sender")

    def test_sessions_of_browsers(self):
        self.server.ask("POST", "/api/v1/session", {"token": "rs_wrong"}, expect=401)
        fields = self.server.ask("POST", "/api/v1/session", {"token": self.token["reader"]}, expect=201)[1]
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, fields["set-cookie"])
        cookie = {"Cookie": "a=b; " + fields["set-cookie"].split(";")[0]}
        told = self.server.ask("GET", "/api/v1/session", headers=cookie, expect=200)[2]
        self.assertEqual((told["name"], told["role"], told["team"]), ("reader", "read", "search"))
        self.server.ask("DELETE", "/api/v1/session", headers=cookie, expect=204)
        self.server.ask("GET", "/api/v1/session", headers=cookie, expect=401)

    def test_push_with_a_token(self):
        _, said = self.push(self.job, "--patience", "0", expect=2)
        self.assertIn("401", said)
        self.push(self.job, RANKSCOPE_TOKEN=self.token["sender"])

    def test_others_must_not_write_the_file(self):
        self.server.stop()
        os.chmod(self.file, 0o622)
        _, said = program.run("serve", "--data", self.data, "--token-file", self.file, "--quiet", expect=1)
        self.assertIn("chmod 600", said)
        os.chmod(self.file, 0o600)
        with open(self.file, "a", encoding="utf-8") as file:
            file.write("sha256:12 read * x\n")
        _, said = program.run("serve", "--data", self.data, "--token-file", self.file, "--quiet", expect=1)
        self.assertIn("line 5", said)


class Starting(unittest.TestCase):
    def test_what_is_open_to_the_network(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data")
            _, said = program.run("serve", "--data", data, "--listen", "0.0.0.0:0", "--quiet", expect=2)
            self.assertIn("--insecure", said)
            for wrong in ("nonsense", "127.0.0.1", "127.0.0.1:99999", "name.example:80"):
                program.run("serve", "--data", data, "--listen", wrong, "--quiet", expect=2)
            server = Server(data, "--quiet")
            _, said = program.run("serve", "--data", data, "--listen", "127.0.0.1:0", "--quiet", expect=1)
            self.assertIn("another process", said)
            _, said = program.run(
                "serve", "--data", data + "2", "--listen", f"127.0.0.1:{server.port}", "--quiet", expect=1
            )
            self.assertIn("cannot listen", said)
            self.assertEqual(server.stop(), 0)

    def test_tls(self):
        if not shutil.which("openssl"):
            self.skipTest("there is no openssl to make a certificate")
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
            subprocess.run(
                [
                    "openssl",
                    "req",
                    "-x509",
                    "-newkey",
                    "rsa:2048",
                    "-nodes",
                    "-keyout",
                    key,
                    "-out",
                    certificate,
                    "-days",
                    "2",
                    "-subj",
                    "/CN=localhost",
                    "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1",
                ],
                check=True,
                capture_output=True,
            )
            job = os.path.join(folder, "job")
            program.run("simulate", job, "--ranks", "1", "--steps", "2", "--events", "2000")
            server = Server(os.path.join(folder, "data"), "--tls-cert", certificate, "--tls-key", key)
            try:
                self.assertTrue(server.address.startswith("https://"))
                out, _ = program.run("push", job, "--server", server.address, "--tls-ca", certificate, "--wait")
                self.assertTrue(out.startswith("https://127.0.0.1:"))
                _, said = program.run("push", job, "--server", server.address, "--patience", "0", expect=1)
                self.assertIn("agree on TLS", said)
                self.assertIn(
                    server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")[:4],
                    (b"", b"\x15\x03\x03\x00", b"\x15\x03\x01\x00"),
                )
            finally:
                self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=["service_test"])
