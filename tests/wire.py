"""What crosses between an agent and a server, recorded, so that later versions are tried against it (skew_test.py):

    python3 tests/wire.py BIN/rankscope OUT.json

records one capture with that program and the agent beside it: the agent registers, a process trains, the server asks for a capture, the trace
arrives and is analysed. Done once for each release, with its programs; tests/wire/VERSION.json is kept while that version is
supported."""

import base64
import http.client
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from waiting import LIMIT_S, until

HERE = os.path.dirname(os.path.abspath(__file__))


def encoded(body):
    """As JSON keeps it."""
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def decoded(body):
    return body["text"].encode() if "text" in body else base64.b64decode(body["base64"])


class Between(http.server.ThreadingHTTPServer):
    """Answers requests by a function (method, path, fields, body) -> (status, fields, body)."""

    daemon_threads = True

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                status, fields, reply = answer(self.command, self.path, dict(self.headers.items()), body)
                self.send_response_only(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                try:
                    self.wfile.write(reply)
                except BrokenPipeError:  # the agent ended meanwhile
                    pass

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    def end(self):
        self.shutdown()
        self.server_close()
        self.thread.join()


KEPT_FIELDS = (
    "content-type",
    "content-sha256",
    "x-content-sha256",
    "idempotency-key",
    "upload-offset",
    "upload-complete",
)


class Recorder(Between):
    """Hands requests on to a server and keeps what was said."""

    def __init__(self, port):
        self.exchanges = []
        self.lock = threading.Lock()
        self.port = port
        super().__init__(self.hand_on)

    def hand_on(self, method, path, fields, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)
        kept = {name: value for name, value in fields.items() if name.lower() in KEPT_FIELDS}
        connection.request(method, path, body, kept)
        reply = connection.getresponse()
        answer = reply.read()
        shown = {name: value for name, value in reply.getheaders() if name.lower() in KEPT_FIELDS}
        connection.close()
        with self.lock:
            self.exchanges.append(
                {
                    "method": method,
                    "path": path,
                    "fields": kept,
                    "body": encoded(body),
                    "status": reply.status,
                    "answer": encoded(answer),
                }
            )
        return reply.status, shown, answer


def record(out):
    import agent  # pylint: disable=import-outside-toplevel
    import server  # pylint: disable=import-outside-toplevel

    folder = tempfile.mkdtemp(prefix="rs_wire_")
    trace = os.path.join(folder, "job", "rank0.pt.trace.json")
    subprocess.run(
        [server.program.BINARY, "simulate", folder + "/job", "--ranks", "1", "--steps", "1", "--events", "600"],
        check=True,
        capture_output=True,
    )
    subprocess.run(["gzip", "-d", trace + ".gz"], check=True)
    serving = server.Server(folder + "/data")
    recorder = Recorder(serving.port)
    one = agent.Agent(folder, server__url=recorder.address, host__name="node1", capture__spool_dir=folder + "/spool")
    training = agent.Training("--trace", trace, folder=folder, environment={"RANK": "0", "WORLD_SIZE": "1"})
    try:
        one.wait_for_processes(1)
        until(lambda: any(host["processes"] for host in serving.ask("GET", "/api/v1/hosts")[2]["hosts"]))
        asked = {"job": "", "hosts": ["node1"], "duration_ms": 200}
        made = serving.ask("POST", "/api/v1/captures", asked, expect=201)[2]
        finished = until(
            lambda: next(
                (c for c in [serving.ask("GET", "/api/v1/captures/" + made["id"])[2]] if c["phase"] == "done"), None
            )
        )
        version = (
            subprocess.run([agent.BINARY, "--version"], capture_output=True, check=True).stdout.decode().split()[-1]
        )
    finally:
        training.end()
        one.stop()
        recorder.end()
        serving.stop()
        shutil.rmtree(folder)
    kept = []
    for exchange in recorder.exchanges:
        if not kept or sort_of(exchange) != sort_of(kept[-1]):
            kept.append(exchange)
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"version": version, "run": finished["run"], "exchanges": kept}, file, indent=1)
        file.write("\n")


def sort_of(exchange):
    """What one exchange has that its repetition has, too: while a process records the server asks for the state again and again."""
    if exchange["path"] != "/api/v1/hosts":
        return exchange["path"]
    told, replied = (json.loads(decoded(exchange[part])) for part in ("body", "answer"))
    asked = [json.loads(request["request"])["fn"] for request in replied["requests"]]
    states = [
        member["state"] for answer in told["answers"] for member in json.loads(answer["answer"]).get("members", [])
    ]
    return asked, states, [process["recording"] for process in told["processes"]], "rtt_us" in told


if __name__ == "__main__":
    record(sys.argv[2])
