"""Many hosts in one process: each reports to a server as an agent does, records when it is asked, and brings a trace."""

import asyncio
import json
import time


class Connection:
    """Requests of one host, one after the other."""

    def __init__(self, port):
        self.port = port
        self.reader = self.writer = None

    async def ask(self, method, path, body=b""):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )
        await self.writer.drain()
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        status = int(head.split(" ", 2)[1])
        length = next(
            int(line.split(":")[1]) for line in head.lower().split("\r\n") if line.startswith("content-length")
        )
        return status, json.loads(await self.reader.readexactly(length) or b"null")

    def close(self):
        if self.writer is not None:
            self.writer.close()


class Host:
    def __init__(self, port, rank, ranks, trace, job):
        self.name = f"node{rank:04d}"
        self.rank, self.ranks, self.trace, self.job = rank, ranks, trace, job
        self.link, self.delivery = Connection(port), Connection(port)
        self.started = None  # when, by its clock
        self.told_at = None
        self.capture = None
        self.is_sent = False
        self.answers_after_s = 0.0  # a host that is slow
        self.is_deaf = False  # it reports, and answers nothing
        self.falls_silent = False  # it is gone when it was told
        self.keeps_trace = False  # it writes, and brings nothing

    def state(self):
        if self.capture is None:
            return "waiting"
        return "written" if time.time() > self.started + 0.1 else "delivered"

    def answer(self, request):
        if request["fn"] == "startCapture":
            self.capture, self.told_at = request["id"], time.time()
            self.started = request["start_unix_ms"] / 1000
            return {"id": self.capture, "warnings": [], "activityProfilersTriggered": [100 + self.rank]}
        if request["fn"] == "getCapture":
            state = self.state()
            member = {
                "pid": 100 + self.rank,
                "inside": 100 + self.rank,
                "rank": self.rank,
                "world_size": self.ranks,
                "state": state,
                "reason": "",
            }
            return {"id": self.capture, "over": state == "written", "members": [member]}
        return {"cancelled": True}

    async def run(self, stop):
        answers = []
        sending = None
        told_before = False
        while not stop.is_set():
            if self.falls_silent and told_before:
                self.link.close()
                await stop.wait()
                break
            report = {
                "host": self.name,
                "instance": self.name,
                "version": "0",
                "wait_ms": 5000,
                "ahead_us": 0,
                "rtt_us": 500,
                "devices": [],
                "processes": [
                    {
                        "pid": 100 + self.rank,
                        "rank": self.rank,
                        "world_size": self.ranks,
                        "job_id": self.job,
                        "user": "ada",
                        "command": "python train.py",
                    }
                ],
                "answers": answers,
            }
            told_before = self.capture is not None
            status, reply = await self.link.ask("POST", "/api/v1/hosts", json.dumps(report).encode())
            assert status == 200, reply
            requests = [] if self.is_deaf else reply["requests"]
            answers = [
                {"id": one["id"], "answer": json.dumps(self.answer(json.loads(one["request"])))} for one in requests
            ]
            if answers and self.answers_after_s:
                await asyncio.sleep(self.answers_after_s)
            if self.capture and sending is None and not self.keeps_trace and self.state() == "written":
                sending = asyncio.ensure_future(self.send())
        if sending is not None:
            await sending
        self.link.close()
        self.delivery.close()

    async def send(self):
        with open(self.trace, "rb") as file:
            body = file.read()
        run = self.capture.split(":")[0]
        status, reply = await self.delivery.ask("PUT", f"/api/v1/runs/{run}/files/rank{self.rank}.json.gz", body)
        assert status == 201, reply
        self.is_sent = True


def while_hosts_run(port, traces, job, work, arrange=lambda hosts: None):
    """What work() gives while there is a host for each trace, arranged by arrange(hosts); and the hosts."""

    async def both():
        stop = asyncio.Event()
        hosts = [Host(port, rank, len(traces), trace, job) for rank, trace in enumerate(traces)]
        arrange(hosts)
        running = [asyncio.ensure_future(host.run(stop)) for host in hosts]
        try:
            done = await asyncio.get_running_loop().run_in_executor(None, work)
        finally:
            stop.set()
        await asyncio.gather(*running)
        return done, hosts

    return asyncio.run(both())
