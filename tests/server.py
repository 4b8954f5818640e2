"""A running `rankscope serve` for tests: started on a free port, asked by HTTP, killed and started again."""

import http.client
import json
import os
import signal
import socket
import subprocess
import threading

import program
from waiting import LIMIT_S, until


class Server:
    def __init__(self, data, *arguments, environment=None):
        self.data = data
        self.listen = "127.0.0.1:0"
        self.arguments = arguments
        self.environment = environment
        self.process = None
        self.lines = []
        self.start()

    def start(self):
        # Its cache is in its own folder, whatever the user's is.
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program.BINARY, "serve", "--data", self.data, "--listen", self.listen, *self.arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )
        self.address = self.process.stdout.readline().decode().strip()
        if not self.address:
            raise AssertionError(f"the server did not start: {self.process.communicate()[1].decode()}")
        self.port = int(self.address.rsplit(":", 1)[1])
        self.reader = threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True)
        self.reader.start()

    def _read(self, stream):
        for line in stream:
            self.lines.append(line.decode("utf-8", "replace"))

    def kill(self):
        self.process.kill()
        self._ended()

    def stop(self):
        """As systemd does; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._ended()

    def _ended(self):
        code = self.process.wait(timeout=LIMIT_S)
        self.reader.join(timeout=LIMIT_S)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def restart(self):
        self.start()

    def events(self, name):
        """Messages of the log of that kind."""
        found = [json.loads(line) for line in self.lines if line.startswith("{")]
        return [one["message"] for one in found if one["event"] == name]

    def raw(self, data, timeout=LIMIT_S):
        """What comes back to these bytes until the server closes or has answered."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            answer = b""
            try:
                while True:
                    piece = connection.recv(65536)
                    if not piece:
                        return answer
                    answer += piece
                    if b"\r\n\r\n" in answer and b"keep-alive" in answer:
                        return answer
            except (TimeoutError, ConnectionResetError):
                return answer

    def ask(self, method, path, body=None, headers=None, expect=None, timeout=LIMIT_S):
        """(status, fields, body); the body as JSON when it is."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
            if body is None and method in ("POST", "PUT", "PATCH"):
                body = ""
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        if fields.get("content-type") == "application/json" and content:
            content = json.loads(content)
        if expect is not None:
            assert answer.status == expect, f"{method} {path}: {answer.status}, expected {expect}: {str(content)[:500]}"
        return answer.status, fields, content

    def get(self, path, **options):
        return self.ask("GET", path, expect=200, **options)[2]

    def new_run(self, **fields):
        return self.ask("POST", "/api/v1/runs", fields, expect=201)[2]["id"]

    def upload(self, run, path, name=None):
        with open(path, "rb") as file:
            return self.ask(
                "PUT", f"/api/v1/runs/{run}/files/{name or os.path.basename(path)}", file.read(), expect=201
            )[2]

    def wait(self, run, states=("ready", "failed")):
        def now():
            return self.get(f"/api/v1/runs/{run}")

        return until(lambda: (state := now())["state"] in states and state, lambda: f"run {run} stays {now()['state']}")

    def wait_for_event(self, name):
        """Messages of the log of that kind, as soon as there is one."""
        return until(lambda: self.events(name), f"a line of {name} in the log")
