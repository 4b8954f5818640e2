"""Requests made from the OpenAPI document of a server, good and bad ones, and what every answer to them has to be.

Request I of seed S is the same every time but for the ids of runs: `request_fuzz.py BINARY --seed S --first I --requests 1` sends it again.
Runs that requests may change or remove are the fuzzer's own (`Scratch`), each used for a while; the kept run is read only."""

import glob
import http.client
import json
import os
import random
import socket
import tempfile
import threading
import time
import urllib.parse

import program
from server import Server
from waiting import LIMIT_S

METHODS = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "get",
    "G\u00e9T",
    "X" * 300,
]
NUMBERS = [
    "0",
    "1",
    "-1",
    "-0",
    "+1",
    "1000",
    "1001",
    "100000",
    "100001",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1" + "0" * 400,
    "1e400",
    "1.5",
    "0x10",
    "NaN",
    " 1",
    "1 ",
    "",
]
HOSTILE = [
    "",
    " ",
    "\0",
    "a\0b",
    "\r\nX-Injected: 1",
    "\x1b[31m",
    "\x7f",
    "\x01\x02\x1f",
    "..",
    "../..",
    "../../../../etc/passwd",
    "..\\..",
    "/",
    "//",
    "/etc/passwd",
    ".",
    "~",
    "*",
    "%",
    "%00",
    "%2e%2e%2f",
    "' OR 1=1 --",
    "'; DROP TABLE runs; --",
    '"',
    "\\",
    "a'b\"c`d",
    "$(id)",
    "${HOME}",
    "-",
    "=",
    "==",
    "rank=",
    "rank=1=2",
    "rank<>1",
    "rank~",
    "=1",
    ",",
    ",,,",
    "a,b,a",
    "-rank",
    "--rank",
    "rank,rank",
    "\u00fc",
    "\u65e5\u672c\u8a9e",
    "\U0001f600",
    "\u202e\u0000",
    "e\u0301" * 20,
    "\ufeff",
    "\ufffe",
    "<script>alert(1)</script>",
    "x" * 10_000,
    "\u00fc" * 5_000,
    "a/" * 3_000,
    "null",
    "true",
    "[]",
    "{}",
    "{{7*7}}",
    "%s%n",
]
# Parameters that mean something: what a good client would send.
GOOD = {
    "q": ["one", "ready", ""],
    "sort": ["created", "-changed", "name", "state", "rank", "-rank,step"],
    "limit": ["1", "10", "1000"],
    "state": ["ready", "uploading", "failed"],
    "tag": ["a", "a=b"],
    "filter": ["rank=1", "rank>=0", "step!=1", "rank<1"],
    "columns": ["rank", "rank,step"],
    "format": ["json", "jsonl", "csv", "parquet"],
    "version": ["1"],
    "from_ns": ["0", "1000"],
    "to_ns": ["5000000", "2000"],
    "Upload-Offset": ["0"],
    "Upload-Complete": ["?0", "?1"],
    "Last-Event-ID": ["1", "0-1"],
    "set": ["top=3"],
    "view": ["1"],
    "Idempotency-Key": ["key"],
    "cursor": [""],
}
SQL = [
    "SELECT 1",
    "SELECT rank, count(*) AS n FROM kernels GROUP BY rank",
    "EXPLAIN SELECT 1",
    "DROP TABLE kernels",
    "COPY (SELECT 1) TO 'x.parquet'",
    "ATTACH 'x.db'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT 1; SELECT 2",
    "PRAGMA version",
    "SELECT '\u0000'",
    "",
    "(" * 5000,
    "SELECT repeat('x', 100000)",
]
# Words that a command line would take for its own.
OPTIONS = [
    "--help",
    "-h",
    "-o",
    "-o/tmp/x",
    "--version",
    "--format",
    "--format=html",
    "--output=x",
    "--no-cache",
    "--",
    "@x",
    "--set",
    "--set=top=3",
]
PROCESS_ROUTES = ("/query", "/whatif", "/diff", "/finish")
RUN_CHANGES = ("DELETE", "PATCH", "PUT", "POST")
GROWTH_MB = 32  # of the server's memory over the second half: caches of readers that threads share, and no more with more requests


class Fault(Exception):
    """What the server did and may not."""


def text(generator):
    """A text of any sort."""
    kind = generator.random()
    if kind < 0.2:
        return generator.choice(NUMBERS)
    if kind < 0.3:
        return generator.choice(OPTIONS)
    if generator.random() < 0.3:
        return "".join(
            chr(
                generator.choice(
                    (generator.randrange(0x80), generator.randrange(0x300), generator.randrange(0xE000, 0x11000))
                )
            )
            for _ in range(generator.randrange(30))
        )
    return generator.choice(HOSTILE)


def percent(generator, word, safe=""):
    """In a URL: encoded as it should be, wholly, or cut off in the middle of an escape."""
    data = word.encode("utf-8", "replace")
    kind = generator.random()
    if kind < 0.1:
        return "".join(f"%{byte:02x}" for byte in data)
    encoded = urllib.parse.quote_from_bytes(data, safe)
    if kind < 0.13:
        return encoded + generator.choice(["%", "%4", "%zz", "%ff", "%c0%af", "%ed%a0%80"])
    return encoded


def resolved(schema, components):
    """The schema with what it refers to in place of references."""
    if isinstance(schema, list):
        return [resolved(one, components) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return resolved(components[schema["$ref"].rsplit("/", 1)[1]], components)
    return {name: resolved(one, components) for name, one in schema.items()}


def of_schema(generator, schema):
    """A value that the schema allows."""
    kind = schema.get("type")
    if kind == "object":
        value = {}
        for name, member in schema.get("properties", {}).items():
            if name in schema.get("required", ()) or generator.random() < 0.5:
                value[name] = generator.choice(SQL) if name == "sql" else of_schema(generator, member)
                if name == "time":
                    value[name] = generator.choice(
                        ["2026-01-02T03:04:05Z", "1500000000", 2_000_000_000, "1970-01-01T00:00:01.5Z"]
                    )
        if schema.get("additionalProperties"):
            value.update(
                {
                    text(generator)[:20]: of_schema(generator, schema["additionalProperties"])
                    for _ in range(generator.randrange(3))
                }
            )
        return value
    if kind == "array":
        return [of_schema(generator, schema["items"]) for _ in range(generator.randrange(4))]
    if kind == "integer":
        return generator.choice([0, 1, 7, -1, 2**31, 2**63 - 1])
    if kind == "number":
        return generator.choice([0, 1.5, -2.25, 1e300])
    if kind == "string":
        return generator.choice(["one", "a b", "loss", "idealise:rank=1", "\u00fc", text(generator)[:150]])
    return generator.choice([None, True, 1, "x", [1, [2]], {"a": {"b": None}}])


def wrong_value(generator):
    return generator.choice(
        [
            None,
            True,
            -1,
            2**64,
            2**70,
            1.5,
            -1e308,
            "",
            "1",
            [],
            {},
            [[]],
            [None],
            {"a": 1},
            text(generator),
            {text(generator): text(generator)},
        ]
    )


def mutated(generator, value):
    """The value with one thing wrong, at any depth."""
    if isinstance(value, dict) and value and generator.random() < 0.8:
        name = generator.choice(sorted(value))
        kind = generator.randrange(4)
        value = dict(value)
        if kind == 0:
            del value[name]
        elif kind == 1:
            value[name] = wrong_value(generator)
        elif kind == 2:
            value[text(generator)] = wrong_value(generator)
        else:
            value[name] = mutated(generator, value[name])
        return value
    if isinstance(value, list) and value and generator.random() < 0.8:
        value = list(value)
        place = generator.randrange(len(value))
        value[place] = mutated(generator, value[place])
        return value
    return wrong_value(generator)


def body_of(generator, schema):
    """Bytes for a body: by the schema, beside it, or no JSON at all."""
    value = of_schema(generator, schema)
    kind = generator.randrange(20)
    if kind < 8:
        return json.dumps(value, ensure_ascii=generator.random() < 0.5).encode("utf-8", "replace")
    if kind < 14:
        return json.dumps(mutated(generator, value)).encode()
    data = json.dumps(value).encode()
    if kind == 14:
        return data[: generator.randrange(len(data))]
    if kind == 15:
        depth = generator.choice([10, 500, 1023, 1024, 1025, 20_000])
        opening, closing = generator.choice([("[", "]"), ('{"a":', "}"), ('{"state":', "}"), ('{"tags":', "}")])
        return (opening * depth + "1" + closing * generator.choice([depth, 0])).encode()
    if kind == 16:  # bytes that are no UTF-8, or a half of a pair
        place = generator.randrange(len(data))
        return (
            data[:place]
            + generator.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\0", b"\\ud800", b"\\u0000"])
            + data[place:]
        )
    if kind == 17:
        members = list(schema.get("properties", {})) or ["x"]
        return json.dumps(
            {generator.choice(members): "x" * generator.choice([200, 201, 10_000, 70_000, 300_000])}
        ).encode()
    if kind == 18:
        return generator.choice(
            [
                b"",
                b" ",
                b"null",
                b"{}",
                b"[]",
                b"1",
                b'""',
                b"\xef\xbb\xbf{}",
                b"{}{}",
                b"{'a':1}",
                b'{"name":"a","name":"b"}',
                b"NaN",
                b"[" + b"0," * 5000 + b"0]",
            ]
        )
    return generator.randbytes(generator.randrange(200))


class Request:
    """What is sent, and how its answers are read."""

    def __init__(self, data, method="GET", answers=1, is_framed=True, ending="keep", pause=0):
        self.data = data
        self.method = method
        self.answers = answers
        self.is_framed = is_framed  # a server has to answer it
        self.ending = ending  # keep the connection, "half": no more will come, "leave": gone before the answer
        self.pause = pause  # bytes, after which it waits


class Maker:
    """Makes requests of the operations of an OpenAPI document."""

    def __init__(self, document, kept, files, tables, computing):
        self.components = document["components"]["schemas"]
        self.operations = []
        for path, methods in sorted(document["paths"].items()):
            for method, operation in sorted(methods.items()):
                self.operations.append((method.upper(), path, operation))
        self.kept = kept
        self.files = files
        self.tables = tables
        self.computing = computing

    def make(self, generator, scratch):
        kind = generator.random()
        if kind < 0.86:
            return self.of_operation(generator, scratch)
        if kind < 0.91:
            return self.with_other_method(generator, scratch)
        if kind < 0.93:
            return self.pipelined(generator)
        return self.badly_framed(generator, scratch)

    def is_computed(self, method, path, table, query):
        """Whether a child process would answer."""
        if path.endswith(PROCESS_ROUTES):
            return True
        if path.endswith("/tables/{name}"):
            return table not in self.tables or any(name == "set" for name, _ in query)
        return (
            method == "GET"
            and path.endswith("/files/{name}")
            and any(name in ("from_ns", "to_ns") for name, _ in query)
        )

    def of_operation(self, generator, scratch):
        """One of `computing` is what a process may answer, all others what none does."""
        may_compute = generator.random() < self.computing
        while True:
            method, path, operation = generator.choice(self.operations)
            arguments, query, fields = self.parameters(generator, method, path, operation, scratch)
            if may_compute == self.is_computed(method, path, arguments.get("name"), query):
                break
        target = path
        for name, value in arguments.items():
            is_id = value in (self.kept, *scratch)
            target = target.replace(
                "{" + name + "}",
                value if is_id else percent(generator, value, "/" if path.endswith("/files/{name}") else ""),
            )
        if query:
            target += "?" + "&".join(f"{name}={percent(generator, value)}" for name, value in query)
        content = operation.get("requestBody", {}).get("content", {})
        body = None
        if "application/json" in content:
            body = body_of(generator, resolved(content["application/json"]["schema"], self.components))
            if path.endswith("/query") and generator.random() < 0.7:
                body = json.dumps({"sql": generator.choice(SQL)}).encode()
        elif content:
            body = generator.randbytes(generator.choice([0, 1, 100, 5000, 100_000]))
        elif method in ("POST", "PUT", "PATCH"):
            body = b""
        return Request(self.framed(generator, method, target, fields, body), method)

    def parameters(self, generator, method, path, operation, scratch):
        arguments, query, fields = {}, [], []
        # What is refused for one reason shows nothing of what comes after: many have no fault, or one.
        share = generator.choice([0, 0.1, 0.5])
        for parameter in operation["parameters"]:
            name, place = parameter["name"], parameter["in"]
            if place == "path":
                arguments[name] = self.argument(generator, method, path, name, scratch)
                continue
            if generator.random() < 0.5 + 0.4 * (share == 0 and name != "base" and name != "test"):
                continue
            for _ in range(generator.choice([1, 1, 1, 2, 5]) if share else 1):
                if name in ("base", "test"):
                    good = [self.kept]
                else:
                    good = GOOD.get(name, ["1", "a"])
                value = text(generator) if generator.random() < share else generator.choice(good)
                if parameter["schema"]["type"] == "integer" and generator.random() < share:
                    value = generator.choice(NUMBERS)
                (fields if place == "header" else query).append((name, value))
        if generator.random() < share / 5:
            query.append((percent(generator, text(generator)), text(generator)))
        return arguments, query, fields

    def argument(self, generator, method, path, name, scratch):
        if name == "id":
            if generator.random() < 0.1:
                return text(generator)[:2000] or "x"
            is_change = method in RUN_CHANGES and not path.endswith(PROCESS_ROUTES[:2])
            return generator.choice(scratch) if is_change or generator.random() < 0.3 else self.kept
        if generator.random() < 0.3:
            return text(generator)[:2000]
        if path.endswith("/tables/{name}"):
            return generator.choice(self.tables if generator.random() < 0.8 else OPTIONS + ["hta.gpu_kernel_breakdown"])
        if path.endswith("/files/{name}"):
            return generator.choice(self.files + ["x", "a/b", "y.json.gz"])
        return "0123456789abcdef"

    def framed(self, generator, method, target, fields, body):
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        for name, value in fields:
            plain = "".join(c for c in value if c not in "\r\n\0")[:8000]
            lines.append(f"{name}: {plain}")
        if generator.random() < 0.1:
            lines.append(
                generator.choice(
                    [
                        "Range: bytes=0-0",
                        "Range: bytes=-1",
                        "Range: bytes=5-1",
                        "Range: bytes=18446744073709551615-",
                        "Range: bytes=0-1,3-4",
                        "Range: x",
                        "If-None-Match: *",
                        'If-None-Match: "',
                        "Origin: null",
                        "Origin: http://evil.example",
                        "Authorization: Bearer x",
                        "Authorization: \u00fc",
                        "Cookie: rankscope=x; rankscope=y",
                        "Cookie: " + "a=b;" * 500,
                        "Accept-Encoding: gzip",
                        "Content-Type: text/html",
                        "Expect: 100-continue",
                        "Expect: x",
                        "Upgrade: websocket",
                        "Connection: close",
                    ]
                )
            )
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + (body or b"")

    def with_other_method(self, generator, scratch):
        path = generator.choice(self.operations)[1]
        method = generator.choice(METHODS)
        while path.endswith(PROCESS_ROUTES) or path.endswith("/events"):
            path = generator.choice(self.operations)[1]
        target = path.replace("{id}", generator.choice(scratch)).replace("{name}", "step_times")
        if generator.random() < 0.2:
            target = generator.choice(
                [
                    "/",
                    "//",
                    "/x",
                    "/api",
                    "/api/v1",
                    "/api/v2/runs",
                    target + "/",
                    target + "/x",
                    "/" + target,
                    target.upper(),
                    "*",
                    "http://localhost" + target,
                    "http://evil.example/",
                    "x",
                    "/%",
                    "/%00",
                    "/..",
                    "/../healthz",
                    "/api/v1/../../healthz",
                    "/?" + "a=b&" * 2000,
                    "/" + "a/" * 4000,
                    "/#x",
                ]
            )
        body = b"{}" if method in ("POST", "PUT", "PATCH", "PROPFIND") or generator.random() < 0.2 else None
        return Request(
            self.framed(generator, method, target, [], body), method, is_framed=method.isalpha() and method.isascii()
        )

    def pipelined(self, generator):
        paths = [
            "/healthz",
            "/api/v1/version",
            "/api/v1/runs?limit=1",
            f"/api/v1/runs/{self.kept}",
            "/nothing",
            f"/api/v1/runs/{self.kept}/tables",
        ]
        count = generator.randrange(2, 7)
        return Request(
            b"".join(
                f"GET {generator.choice(paths)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for _ in range(count)
            ),
            answers=count,
        )

    def badly_framed(self, generator, scratch):
        run = generator.choice(scratch)
        target = generator.choice(
            ["/api/v1/runs", f"/api/v1/runs/{run}/notes", f"/api/v1/runs/{run}/files/x", "/api/v1/shares"]
        )
        method = generator.choice(["POST", "PUT", "PATCH"])
        body = generator.choice([b'{"text":"x"}', b"x" * 3000, b""])
        start = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n".encode()
        kind = generator.randrange(8)
        ending = generator.choice(["half", "leave"])
        if kind == 0:
            length = generator.choice(
                [
                    str(len(body) + 10),
                    str(max(0, len(body) - 5)),
                    "-1",
                    "+5",
                    "1e3",
                    " ",
                    "x",
                    "18446744073709551616",
                    "18446744073709551615",
                    "99999999999999999999999",
                    "5, 5",
                    "0x5",
                    "5\r\nContent-Length: 6",
                ]
            )
            return Request(start + f"Content-Length: {length}\r\n\r\n".encode() + body, is_framed=False, ending=ending)
        if kind == 1:
            coding = generator.choice(
                [
                    "Transfer-Encoding: chunked",
                    "Transfer-Encoding: gzip, chunked",
                    "Transfer-Encoding: chunked\r\nContent-Length: 5",
                    "Transfer-Encoding: x",
                    "X: 1",
                ]
            )
            return Request(start + coding.encode() + b"\r\n\r\n5\r\nhello\r\n0\r\n\r\n", is_framed=False, ending=ending)
        if kind == 2:
            data = generator.choice(
                [
                    generator.randbytes(generator.randrange(1, 2000)),
                    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + generator.randbytes(200),
                    b"GET /\r\n",
                    b"\r\n" * 50,
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                    b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
                    b"GET / HTTP/1.0\r\n\r\n",
                    b"GET / HTTP/1.1\n\n",
                    b"GET /healthz HTTP/1.1\r\n\r\n",
                    b"GET  /healthz  HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                    b"\0" * 500,
                    b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
                    b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
                ]
            )
            return Request(data, is_framed=False, ending=ending)
        if kind == 3:
            field = generator.choice(
                [
                    b"X: " + b"a" * 20_000,
                    b"\r\n".join(b"X%d: y" % i for i in range(1500)),
                    b": x",
                    b"X",
                    b"X : y",
                    b" folded",
                    b"X: \0",
                    b"X\0: y",
                    b"X: \xff\xfe",
                    b"\xff: y",
                    b"X" * 17_000 + b": y",
                ]
            )
            return Request(
                b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n\r\n", is_framed=False, ending="half"
            )
        whole = start + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
        if kind == 4:
            return Request(whole, method, is_framed=False, ending="leave")
        if kind == 5:
            return Request(whole[: generator.randrange(1, len(whole))], method, is_framed=False, ending=ending)
        if kind == 6:
            return Request(whole, method, pause=generator.randrange(1, len(whole)))
        return Request(whole, method, is_framed=False, ending="half")


class Connection:
    """A connection that stays open as long as the server lets it."""

    def __init__(self, port):
        self.port = port
        self.socket = None
        self.rest = b""
        self.before = b""

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None
        self.rest = b""

    def _open(self):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT_S)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _more(self):
        piece = self.socket.recv(1 << 18)
        self.rest += piece
        return bool(piece)

    def send(self, request):
        """Answers as (status, fields, body); fewer than there should be only where that is allowed."""
        if not request.is_framed or request.ending != "keep":
            self.close()
        is_old = self.socket is not None
        self._open()
        answers = []
        try:
            if request.pause:
                self.socket.sendall(request.data[: request.pause])
                time.sleep(0.005)
            self.socket.sendall(request.data[request.pause :])
            if request.ending == "leave":
                self.close()
                return []
            if request.ending == "half":
                self.socket.shutdown(socket.SHUT_WR)
            while len(answers) < request.answers or not request.is_framed:
                answer = self._answer(request.method)
                if answer is None:
                    break
                answers.append(answer)
                if self.socket is None:
                    break
        except TimeoutError as error:
            raise Fault("no answer within 60 s") from error
        except OSError:  # it was cut off: what came before counts
            self.close()
            if is_old and not answers:
                return self.send(request)  # the server had closed it meanwhile
            if len(request.data) > 60_000 and not answers:
                return [(413, {}, None)]  # too large: the answer was lost with the connection
        if self.socket is not None and self.rest and request.is_framed:
            raise Fault(f"bytes after the last answer: {self.rest[:200]!r}")
        if not request.is_framed:
            self.close()
        elif not answers:
            before = f"; the request before it on this connection was {self.before!r}" if is_old else ""
            raise Fault(f"the connection was closed without an answer{before}")
        self.before = request.data[:1000]
        return answers

    def _answer(self, method):
        while b"\r\n\r\n" not in self.rest:
            if not self._more():
                if self.rest:
                    raise Fault(f"an answer cut off in its head: {self.rest[:200]!r}")
                self.close()
                return None
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        if not lines[0].startswith("HTTP/1.") or not lines[0][9:12].isdigit():
            raise Fault(f"no status line: {lines[0][:200]!r}")
        status = int(lines[0][9:12])
        fields = {}
        for line in lines[1:]:
            name, colon, value = line.partition(": ")
            if not colon or any(ord(c) < 32 for c in line):
                raise Fault(f"no field: {line[:200]!r}")
            fields[name.lower()] = value
        if "x-injected" in fields:
            raise Fault("a request wrote a field of its answer")
        if status == 100:
            return self._answer(method)
        if fields.get("content-type") == "text/event-stream":
            self.close()
            return status, fields, None
        body = b""
        if method != "HEAD" and status not in (204, 304):
            if "content-length" not in fields:
                raise Fault("an answer without Content-Length")
            length = int(fields["content-length"])
            while len(self.rest) < length:
                if not self._more():
                    raise Fault("an answer cut off in its body")
            body, self.rest = self.rest[:length], self.rest[length:]
        if fields.get("connection") == "close":
            self.close()
        return status, fields, None if method == "HEAD" else body


def check(request, answer):
    """Raises Fault for an answer that no server may give."""
    status, fields, body = answer
    if status >= 500:
        is_refused_coding = status == 501 and b"transfer-encoding" in request.data.lower()
        is_other_version = status == 505 and b"HTTP/1.1\r\n" not in request.data
        if not (is_refused_coding or is_other_version):
            raise Fault(f"status {status}: {body[:500] if body else body!r}")
    if b"\r\nConnection: close\r\n" in request.data and fields.get("connection") != "close":
        raise Fault(f"it was asked to close the connection and says Connection: {fields.get('connection')}")
    if body is None:
        return
    if status not in (204, 304) and "nosniff" not in fields.get("x-content-type-options", "nosniff"):
        raise Fault("without nosniff")
    if status >= 400:
        try:
            error = json.loads(body)["error"]
            is_whole = (
                # A number of JSON-RPC, of an address that speaks that.
                isinstance(error["code"], (str, int))
                and error["code"]
                and isinstance(error["message"], str)
                and error["message"]
            )
        except (ValueError, TypeError, KeyError) as problem:
            raise Fault(f"status {status} without the form of an error: {body[:300]!r}") from problem
        if not is_whole:
            raise Fault(f"status {status} does not say why: {body[:300]!r}")
    elif fields.get("content-type") == "application/json" and status == 200 and len(body) < 100_000:
        try:
            json.loads(body)
        except ValueError as problem:
            raise Fault(f"no JSON: {problem}: {body[:300]!r}") from problem


class Scratch:
    """Runs of one thread that its requests may do anything to."""

    def __init__(self, server, count=4):
        self.server = server
        self.ids = [server.new_run(name="scratch", tags={"a": "b"}) for _ in range(count)]
        self.made = []

    def renew(self):
        """Another run in place of the oldest; those that requests made are removed."""
        for run in [self.ids.pop(0), *self.made]:
            self.server.ask("DELETE", f"/api/v1/runs/{run}")
        self.made = []
        self.ids.append(self.server.new_run(name="scratch", tags={"a": "b"}))


def memory_mb(pid, name="VmRSS"):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":")) / 1024


def children(pid):
    """Command lines of the processes that it started."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid:
                with open(path.replace("/stat", "/cmdline"), encoding="utf-8", errors="replace") as file:
                    found.append(f"{fields[0]} {file.read()}".replace("\0", " "))
        except (OSError, IndexError):
            continue
    return found


class Fuzzer:
    def __init__(self, data, seed=1, computing=0.01, threads=4, growth_mb=GROWTH_MB):
        self.seed = seed
        self.growth_mb = growth_mb
        self.threads = threads
        self.server = Server(data)
        self.faults = []
        self.statuses = {}
        self.lock = threading.Lock()
        self.done = 0
        self.next = 0
        self.computing = computing

    def prepare(self):
        """A run that is ready, and the maker of requests."""
        with tempfile.TemporaryDirectory() as folder:
            job = os.path.join(folder, "job")
            program.run("simulate", job, "--ranks", "2", "--steps", "3", "--events", "4000")
            self.kept = self.server.new_run(name="one", tags={"a": "b"})
            files = sorted(glob.glob(os.path.join(job, "*.json.gz")))
            for file in files:
                self.server.upload(self.kept, file)
        self.server.ask("POST", f"/api/v1/runs/{self.kept}/finish", expect=202)
        assert self.server.wait(self.kept)["state"] == "ready"
        tables = [one["name"] for one in self.server.get(f"/api/v1/runs/{self.kept}/tables")["tables"]]
        self.maker = Maker(
            self.server.get("/api/v1/openapi.json"),
            self.kept,
            [os.path.basename(file) for file in files],
            tables,
            self.computing,
        )
        self.report = self._report()

    def _report(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=LIMIT_S)
        connection.request("GET", f"/api/v1/runs/{self.kept}/report")
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        assert answer.status == 200, answer.status
        return content

    def _take(self, last):
        with self.lock:
            if self.next >= last or len(self.faults) >= 20:
                return None
            self.next += 1
            return self.next - 1

    def _work(self, last):
        connection = Connection(self.server.port)
        scratch = Scratch(self.server)
        number = 0
        try:
            while (index := self._take(last)) is not None:
                request = self.maker.make(random.Random(f"{self.seed}:{index}"), scratch.ids)
                answers = []
                try:
                    answers = connection.send(request)
                    for answer in answers:
                        check(request, answer)
                        if answer[0] == 201 and request.data.startswith(b"POST /api/v1/runs HTTP"):
                            scratch.made.append(json.loads(answer[2])["id"])
                except (Fault, OSError, ValueError) as fault:
                    self._fault(index, request, fault)
                    connection.close()
                    if self.server.process.poll() is not None:
                        return
                with self.lock:
                    self.done += 1
                    for answer in answers:
                        self.statuses[answer[0]] = self.statuses.get(answer[0], 0) + 1
                number += 1
                if number % 25 == 0:
                    scratch.renew()
        except Exception as error:  # pylint: disable=broad-exception-caught
            self._fault(self.next, None, f"between requests: {error!r}")
        finally:
            connection.close()

    def _fault(self, index, request, fault):
        sent = request.data if request else b""
        shown = repr(sent) if len(sent) < 3000 else f"{sent[:3000]!r}... ({len(sent)} bytes)"
        with self.lock:
            self.faults.append(
                f"seed {self.seed}, request {index}: {fault}\n  again: tests/request_fuzz.py RANKSCOPE --seed {self.seed} --first {index} --requests 1"
                f" --computing {self.maker.computing}\n  sent: {shown}"
            )

    def run(self, count, first=0):
        """Sends them; what was wrong is in `faults`, numbers in what is returned."""
        self.next = first
        workers = [threading.Thread(target=self._work, args=(first + count,)) for _ in range(self.threads)]
        started = time.monotonic()
        for worker in workers:
            worker.start()
        half_mb = None
        while any(worker.is_alive() for worker in workers):
            if half_mb is None and self.done >= count // 2 and self.server.process.poll() is None:
                half_mb = memory_mb(self.server.process.pid)
            time.sleep(0.05)
        seconds = time.monotonic() - started
        end_mb = 0
        if self.server.process.poll() is not None:
            self.faults.append(
                f"seed {self.seed}: the server ended with {self.server.process.returncode}: {''.join(self.server.lines[-5:])}"
            )
        else:
            end_mb = memory_mb(self.server.process.pid)
            self._check_end(half_mb or end_mb, end_mb)
        return {
            "requests": self.done,
            "seconds": seconds,
            "half_mb": half_mb or end_mb,
            "end_mb": end_mb,
            "statuses": dict(sorted(self.statuses.items())),
        }

    def _check_end(self, half_mb, end_mb):
        if end_mb > half_mb + self.growth_mb:
            self.faults.append(
                f"seed {self.seed}: memory grew from {half_mb:.0f} MB at half to {end_mb:.0f} MB, more than {self.growth_mb} MB"
            )
        end = time.monotonic() + LIMIT_S
        while (left := children(self.server.process.pid)) and time.monotonic() < end:
            time.sleep(0.1)
        if left:
            self.faults.append(f"seed {self.seed}: processes are left: {left[:5]}")
        if self.server.get("/healthz") != {"status": "ok"}:
            self.faults.append(f"seed {self.seed}: /healthz is not well")
        if self._report() != self.report:
            self.faults.append(f"seed {self.seed}: the report of the kept run changed")
        code = self.server.stop()
        if code != 0:
            self.faults.append(f"seed {self.seed}: the server stopped with {code}")
