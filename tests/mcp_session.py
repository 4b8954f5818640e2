"""`rankscope mcp` as tests drive it: by the protocol's own client (tests/mcp/client.js), and line by line over pipes."""

import contextlib
import json
import os
import subprocess

import program
from waiting import LIMIT_S

CLIENT = os.path.join(program.HERE, "mcp", "client.js")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def with_client(steps, *arguments):
    """What the protocol's client makes of the steps: (server, results)."""
    return with_client_of(steps, program.BINARY, "mcp", *arguments)


def with_client_of(steps, *served):
    """The same of a command, or of an address and a token."""
    done = subprocess.run(
        ["node", CLIENT, *served],
        input=json.dumps(steps).encode(),
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert told["stderr"] == "", told["stderr"]
    return told["server"], told["steps"]


def call(tool, /, **arguments):
    return {"do": "callTool", "with": {"name": tool, "arguments": arguments}}


class Session:
    """The program over pipes, line by line."""

    def __init__(self, *arguments, version="2025-06-18"):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program.BINARY, "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if version:
            self.request(0, "initialize", {**HELLO, "protocolVersion": version})
            assert self.read()["result"]["protocolVersion"] == version
            self.send_json({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send_json(self, message):
        self.send(json.dumps(message).encode())

    def request(self, number, method, params=None):
        self.send_json({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})

    def tool(self, number, tool, /, **arguments):
        self.request(number, "tools/call", {"name": tool, "arguments": arguments})

    def read(self):
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), line
        message = json.loads(line)
        assert isinstance(message, list) or message["jsonrpc"] == "2.0"
        return message

    def asked(self, line):
        """The answer to a line."""
        self.send(line)
        return self.read()

    def end(self):
        """Everything that is still said, after the input's end."""
        self.process.stdin.close()
        rest = self.process.stdout.read()
        error = self.process.stderr.read().decode()
        code = self.process.wait(LIMIT_S)
        self.close()
        assert code == 0, (code, error)
        assert error == "", error
        return [json.loads(line) for line in rest.splitlines()]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


@contextlib.contextmanager
def session(*arguments, **settings):
    one = Session(*arguments, **settings)
    try:
        yield one
        if not one.process.stdin.closed:
            rest = one.end()
            assert rest == [], rest
    finally:
        one.close()


def rows(result):
    """A structured answer as dicts."""
    content = result["structuredContent"]
    names = [column["name"] for column in content["columns"]]
    return [dict(zip(names, row)) for row in content["rows"]]
