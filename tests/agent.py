"""A running rankscope-agent for tests, and training processes for it (kineto_process.py)."""

import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

import program
from waiting import LIMIT_S, until

BINARY = os.path.join(os.path.dirname(os.path.abspath(program.BINARY)), "rankscope-agent")
HERE = os.path.dirname(os.path.abspath(__file__))


class Agent:
    def __init__(self, folder="", environment=None, command=None, **settings):
        self.folder = folder
        words = [*(command or [BINARY])]
        given = {
            "kineto.socket_dir": folder,
            "rpc.listen": "127.0.0.1:0",
            "metrics.listen": "127.0.0.1:0",
            "triggers.iteration": "0",
            **{key.replace("__", "."): str(value) for key, value in settings.items()},
        }
        for key, value in given.items():
            words += ["--" + key, value]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}
        )  # pylint: disable=consider-using-with
        line = self.process.stdout.readline().decode()
        if not line:
            raise AssertionError(f"the agent did not start: {self.process.communicate()[1].decode()}")
        self.addresses = json.loads(line)
        self.lines = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode("utf-8", "replace"))

    @property
    def rpc(self):
        host, port = self.addresses["rpc"].rsplit(":", 1)
        return host, int(port)

    def connect(self):
        return socket.create_connection(self.rpc, timeout=LIMIT_S)

    def ask(self, request):
        with self.connect() as connection:
            return exchange(connection, json.dumps(request).encode())

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.addresses['metrics']}{path}", timeout=LIMIT_S) as reply:
            return reply.read().decode()

    def metrics(self):
        """{(name, labels): value}, every line checked to be one of Prometheus's text format."""
        found = {}
        for line in self.get("/metrics").splitlines():
            if line.startswith("#"):
                assert re.fullmatch(r"# (HELP|TYPE) rankscope_[a-z0-9_]+ .+", line), line
                continue
            name, labels, value = re.fullmatch(r"(rankscope_[a-z0-9_]+)(\{[^}]*\})? (\S+)", line).groups()
            assert (name, labels or "") not in found, line
            found[name, labels or ""] = float(value)
        return found

    def processes(self):
        return self.ask({"fn": "listProcesses"})["processes"]

    def wait_for_processes(self, count):
        return until(lambda: len(self.processes()) == count and self.processes())

    def wait_for_polls(self, count):
        """Until processes have asked for work so many times more."""
        polls = lambda: self.metrics()["rankscope_agent_datagrams_total", '{result="taken"}']
        before = polls()
        until(lambda: polls() >= before + count)

    def wait_for_readings(self, name, count):
        """Until metric `name` was read so many times anew, by readings that began behind this call."""
        age = lambda: min(one["age_ms"] for one in json.loads(self.get("/api/v1/metrics?name=" + name))["metrics"])
        before = age()
        for _ in range(count + 1):

            def is_younger():
                nonlocal before
                was, before = before, age()
                return before < was

            until(is_younger)

    def wait_for_sources(self, *names):
        """The metrics, as soon as each of these sources was read."""

        def read():
            found = self.metrics()
            return (
                found if all(("rankscope_agent_source_up", f'{{source="{name}"}}') in found for name in names) else None
            )

        return until(read)

    def wait_for_lines(self, *parts):
        """Lines of the log with all these parts, as soon as there is one: a thread reads it."""
        return until(
            lambda: [line for line in self.lines if all(part in line for part in parts)],
            lambda: f"a line with {parts} in {self.lines}",
        )

    def capture(self, identity):
        return self.ask({"fn": "getCapture", "id": identity})

    def kill(self):
        self.process.kill()
        self._ended()

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


def exchange(connection, text):
    """A frame and its answer; None when the other end closed."""
    connection.sendall(struct.pack("<i", len(text)) + text)
    data = b""
    while len(data) < 4 or len(data) < 4 + struct.unpack("<i", data[:4])[0]:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    return json.loads(data[4:])


class Training:
    """A process that trains."""

    def __init__(self, *words, folder="", environment=None):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, os.path.join(HERE, "kineto_process.py"), "--folder", folder, *words],
            stdout=subprocess.PIPE,
            env={**os.environ, "USER": "ada", **(environment or {})},
        )
        self.pid = self.process.pid
        assert self.process.stdout.readline() == b"ready\n"

    def line(self):
        return self.process.stdout.readline().decode().rstrip("\n")

    def end(self):
        self.process.kill()
        self.process.wait(timeout=LIMIT_S)
        self.process.stdout.close()


class WithAgent(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rs_agent_")
        self.agents = []
        self.trainings = []

    def tearDown(self):
        for training in self.trainings:
            training.end()
        for one in self.agents:
            one.stop()
        shutil.rmtree(self.folder)

    def start(self, folder=None, **settings):
        one = Agent(self.folder if folder is None else folder, **settings)
        self.agents.append(one)
        return one

    def train(self, *words, folder=None, **environment):
        training = Training(*words, folder=self.folder if folder is None else folder, environment=environment)
        self.trainings.append(training)
        return training

    def replace(self, name, text):
        """Whole or not at all, below the test's folder."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def path(self, name):
        return os.path.join(self.folder, name)
