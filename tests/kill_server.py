"""A server that is killed at random moments while it takes files, finishes runs and analyses: what it acknowledged is there
afterwards, and nothing is half there."""

import concurrent.futures
import hashlib
import http.client
import os
import random
import threading

import program

# A run that was interrupted more often is given up, as docs/server.md says.
ROUNDS_OF_A_RUN = 4
PART = 20_000
CONNECTIONS = 8


class Killed:
    """Rounds of work at `server`, each of which ends with SIGKILL. `drop` is called while it is dead."""

    def __init__(self, server, traces, seed, drop=None):
        self.server = server
        self.traces = [
            (os.path.basename(path), open(path, "rb").read()) for path in traces
        ]  # pylint: disable=consider-using-with
        self.random = random.Random(seed)
        self.drop = drop or (lambda: None)
        self.files = {}  # run -> {name: SHA-256}: acknowledged
        self.offsets = {}  # (run, name) -> bytes that were acknowledged of a file in parts
        self.finished = set()
        self.moments = {"files": 0, "side by side": 0, "parts": 0, "finished": 0}

    def rounds(self, count):
        """Kills the server `count` times."""
        run = small = None
        for number in range(count):
            if number % ROUNDS_OF_A_RUN == 0:
                for one in self.finished:
                    told = self.server.wait(one)
                    assert told["state"] == "ready", told
                run = self.server.new_run(name=f"run {number}")
                small = self.server.new_run(name=f"small files {number}")
                self.files[run] = {}
                self.files[small] = {}
            killer = threading.Timer(self.random.uniform(0, 0.12), self.server.process.kill)
            killer.start()
            try:
                if self.random.random() < 0.4:
                    self.side_by_side(small)
                self.work(run)
            except (OSError, http.client.HTTPException):
                pass  # it was killed meanwhile
            killer.join()
            self.server.kill()
            self.drop()
            self.server.restart()
            self.check()

    def work(self, run):
        for name, content in self.traces:
            if name in self.files[run]:
                continue
            self.moments["files"] += 1
            answer = self.server.ask("PUT", f"/api/v1/runs/{run}/files/{name}", content)
            if answer[0] == 409:
                break  # it was finished, and the answer to that was lost
            assert answer[0] in (200, 201), answer  # 200: it was there, and the answer to that was lost
            self.files[run][name] = answer[2]["sha256"]
        if run not in self.finished and self.random.random() < 0.6:
            self.moments["parts"] += 1
            for number in range(20):  # until it is killed
                self.parts(run, f"notes{number}")
        self.moments["finished"] += 1
        status = self.server.ask("POST", f"/api/v1/runs/{run}/finish")[0]
        assert status in (202, 409), status
        self.finished.add(run)
        while True:  # it analyses; a moment of that is what ends the round
            self.server.get(f"/api/v1/runs/{run}")

    def side_by_side(self, run):
        """Small files over several connections at a time, two each of the same content, until it is killed."""
        self.moments["side by side"] += 1

        def send(first):
            for number in range(first, 10_000, CONNECTIONS):
                name = f"small{number}"
                if name not in self.files[run]:
                    answer = self.server.ask(
                        "PUT", f"/api/v1/runs/{run}/files/{name}", random.Random(number // 2).randbytes(100)
                    )
                    assert answer[0] in (200, 201), answer
                    self.files[run][name] = answer[2]["sha256"]

        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            for sent in [pool.submit(send, first) for first in range(CONNECTIONS)]:
                sent.result()

    def parts(self, run, name):
        """A file in parts, which may go on in a later round; the last part never comes."""
        whole = random.Random(run + name).randbytes(1_500_000)
        path = f"/api/v1/runs/{run}/files/{name}"
        offset = self.offsets.get((run, name), 0)
        while offset < len(whole):
            status, fields, _ = self.server.ask(
                "PATCH", path, whole[offset : offset + PART], {"Upload-Offset": str(offset)}
            )
            if status == 409 and "upload-offset" in fields:
                offset = int(fields["upload-offset"])
                continue
            assert status == 204, status
            offset = int(fields["upload-offset"])
            self.offsets[(run, name)] = offset

    def check(self):
        """Everything acknowledged is there."""
        for run, files in self.files.items():
            told = {one["name"]: one for one in self.server.get(f"/api/v1/runs/{run}/files")["files"]}
            for name, sha256 in files.items():
                assert told[name]["sha256"] == sha256, (run, name)
            if run in self.finished:
                told = self.server.get(f"/api/v1/runs/{run}")
                assert told["state"] in ("queued", "analysing", "ready"), told
        for (run, name), offset in self.offsets.items():
            if run in self.finished:
                continue
            status, fields, _ = self.server.ask("HEAD", f"/api/v1/runs/{run}/files/{name}")
            assert status == 204 and int(fields["upload-offset"]) >= offset, (run, name, offset, fields)

    def settle(self):
        """The end: runs that were finished become ready, contents are what they were, the store is whole."""
        for run in self.finished:
            told = self.server.wait(run)
            assert told["state"] == "ready", told
        for run, files in self.files.items():
            for name, content in self.traces:
                if name not in files:
                    continue
                back = self.server.ask("GET", f"/api/v1/runs/{run}/files/{name}", expect=200)[2]
                assert hashlib.sha256(back).hexdigest() == hashlib.sha256(content).hexdigest()
        self.server.stop()
        checked, _ = program.run("store", "check", "--data", self.server.data, "--contents")
        assert f"{len(self.files)} runs" in checked, checked
        return checked
