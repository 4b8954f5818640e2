"""`rankscope mcp`: driven by the protocol's own client, and by lines of anybody's making."""

import json
import os
import shutil
import signal
import tempfile
import unittest

import program
from mcp_session import HELLO, Session, call, rows, session, with_client
from waiting import LIMIT_S

# It ends when it is stopped, and needs no memory.
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1::BIGINT UNION ALL SELECT n + 1 FROM r WHERE n > 0) SELECT max(n) FROM r"


class ByItsClient(program.WithJob):
    def test_lists(self):
        server, steps = with_client(
            [{"do": "listTools"}, {"do": "listResources"}, {"do": "listResourceTemplates"}, {"do": "ping"}], self.job
        )
        self.assertEqual(server["version"]["name"], "rankscope")
        self.assertEqual(set(server["capabilities"]), {"tools", "resources"})
        tools = steps[0]["result"]["tools"]
        self.assertEqual(
            [tool["name"] for tool in tools], ["findings", "explain", "table", "query", "whatif", "diff", "fix"]
        )
        for tool in tools:
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            self.assertEqual(tool["inputSchema"]["type"], "object")
            self.assertFalse(tool["inputSchema"]["additionalProperties"])
        limit = tools[2]["inputSchema"]["properties"]["limit"]
        self.assertEqual((limit["minimum"], limit["maximum"], limit["default"]), (1, 1000, 50))
        self.assertEqual(
            [one["uri"] for one in steps[1]["result"]["resources"]],
            ["rankscope://report", "rankscope://definitions"],
        )
        self.assertEqual(len(steps[2]["result"]["resourceTemplates"]), 2)
        self.assertEqual(steps[3]["result"], {})

    def test_tools_say_what_the_command_line_says(self):
        """The client checks every structured answer against the schema that the list has of it."""
        _, steps = with_client(
            [
                {"do": "listTools"},
                call("findings"),
                call("table", name="step_times", filter=["rank=1"], sort=["-step"], columns=["step", "duration_ns"]),
                call("query", sql="SELECT rank, count(*) AS n FROM kernels GROUP BY rank ORDER BY rank"),
                call("whatif", changes=["scale:kind=communication,factor=0.5"]),
                call("diff", base_ranks="0", test_ranks="1", table="diff_kernels", limit=3),
                call("explain", id="host-sync"),
            ],
            self.job,
        )
        results = [step["result"] for step in steps[1:]]
        for result in results:
            self.assertFalse(result["isError"])
            if "structuredContent" in result:
                self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
        report = json.loads(program.run("analyze", self.job, "--format", "json")[0])
        found = results[0]["structuredContent"]
        self.assertEqual([one["id"] for one in found["findings"]], [one["id"] for one in report["findings"]])
        self.assertEqual(found["job"]["ranks"], "0-1")
        self.assertEqual(found["job"]["step_time_ns"], round(report["job"]["step_time_ns"]["mean"]))
        expected = [row for row in program.table("step_times", self.job) if row["rank"] == 1]
        expected.sort(key=lambda row: -row["step"])
        self.assertEqual(rows(results[1]), [{key: row[key] for key in ("step", "duration_ns")} for row in expected])
        self.assertEqual(results[1]["structuredContent"]["row_count"], len(expected))
        query = "SELECT rank, count(*) AS n FROM kernels GROUP BY rank ORDER BY rank"
        self.assertEqual(
            results[2]["structuredContent"]["rows"],
            json.loads(program.run("query", self.job, query, "--format", "json")[0])["rows"],
        )
        self.assertLess(rows(results[3])[-1]["changed_ns"], rows(results[3])[-1]["step_ns"])
        diff = results[4]["structuredContent"]
        self.assertEqual(diff["rows"]["table"], "diff_kernels")
        self.assertEqual(len(diff["rows"]["rows"]), 3)
        self.assertGreater(diff["rows"]["row_count"], 3)
        self.assertEqual(results[5]["content"][0]["text"], program_page("host-sync"))

    def test_resources(self):
        _, steps = with_client(
            [
                {"do": "readResource", "with": {"uri": uri}}
                for uri in (
                    "rankscope://report",
                    "rankscope://definitions",
                    "rankscope://definitions/step_times",
                    "rankscope://findings/slow-gpu",
                    "rankscope://nothing",
                )
            ],
            self.job,
        )
        texts = [step["result"]["contents"][0]["text"] for step in steps[:4]]
        self.assertEqual(texts[0], program.run("analyze", self.job, "--format", "markdown")[0])
        self.assertEqual(json.loads(texts[1]), json.loads(program.run("list", "--json")[0]))
        self.assertIn("duration_ns", texts[2])
        self.assertIn("slow-gpu", texts[3])
        self.assertEqual(steps[4]["error"]["code"], -32002)

    def test_code_is_patched_by_nobody(self):
        code = os.path.join(self.temporary.name, "code")
        os.makedirs(code, exist_ok=True)
        path = os.path.join(code, "train.py")
        text = "from torch.utils.data import DataLoader\nloader = DataLoader(data, shuffle=True)\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        hungry = os.path.join(self.temporary.name, "hungry")
        program.run("simulate", hungry, "--ranks", "2", "--steps", "4", "--events", "8000", "--plant=data-starvation")
        _, steps = with_client(
            [
                {"do": "listTools"},
                call("fix", source=code, id="data-starvation"),
                call("fix", source="/"),
                call("fix", source=code + "/none"),
                call("fix", source=code, id="data-starvatoin"),
            ],
            hungry,
        )
        results = [step["result"] for step in steps[1:]]
        made = results[0]["structuredContent"]
        self.assertEqual(made["diff"], program.run("fix", hungry, "--source", code)[0])
        self.assertIn("num_workers=4", made["changes"][0]["what"])
        self.assertEqual([change["line"] for change in made["changes"]], [2, 2])
        self.assertEqual([result["isError"] for result in results], [False, True, True, True])
        said = [result["content"][0]["text"] for result in results]
        self.assertIn("lies outside of what this server may read", said[1])
        self.assertIn("there is no", said[2])
        self.assertIn("did you mean data-starvation?", said[3])
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)

    def test_mistakes_are_answers(self):
        _, steps = with_client(
            [
                call("table", name="step_time"),
                call("table", name="step_times", filter=["rank=x"]),
                call("query", sql="SELECT nothing FROM kernels"),
                call("whatif", changes=[]),
                call("explain", id="host-snyc"),
                call("table", name="diff_ops"),
                call("table", name="events"),
                call("diff"),
            ],
            self.job,
        )
        said = [step["result"]["content"][0]["text"] for step in steps]
        for step in steps:
            self.assertTrue(step["result"]["isError"])
        self.assertIn("did you mean step_times?", said[0])
        self.assertIn("'x' is none", said[1])
        self.assertIn("nothing", said[2])
        self.assertIn("idealise:rank=3", said[3])
        self.assertIn("did you mean host-sync?", said[4])
        self.assertIn("the tool diff", said[5])
        self.assertIn("the tool query", said[6])
        self.assertIn("base_ranks", said[7])

    def test_progress_and_cancelling(self):
        """A call is cancelled when it first tells how far it is; the session goes on."""
        read = {**call("findings"), "progress": True}
        _, steps = with_client([{**read, "abort": True}, {"do": "ping"}, read], self.job, "--no-cache")
        self.assertIn("enough", steps[0]["error"]["message"])
        self.assertEqual(steps[1]["result"], {})
        self.assertFalse(steps[2]["result"]["isError"])
        for step in (steps[0], steps[2]):
            numbers = [told["progress"] for told in step["progress"]]
            self.assertEqual(numbers, sorted(set(numbers)))
            for told in step["progress"]:
                self.assertLessEqual(told["progress"], told["total"])


def program_page(finding):
    """A finding's page as the repository has it."""
    with open(os.path.join(program.HERE, "..", "docs", "findings", f"{finding}.md"), encoding="utf-8") as file:
        return file.read()


class ByHand(program.WithJob):
    def test_versions(self):
        for version in ("2024-11-05", "2025-03-26", "2025-06-18"):
            with session(self.job, version=version) as one:
                one.request(1, "tools/list")
                tool = one.read()["result"]["tools"][0]
                self.assertEqual("annotations" in tool, version > "2025")
                self.assertEqual("outputSchema" in tool, version > "2025-06")
                one.tool(2, "findings")
                self.assertEqual("structuredContent" in one.read()["result"], version > "2025-06")
        with session(self.job, version=None) as one:
            one.request(0, "initialize", {**HELLO, "protocolVersion": "1.0"})
            self.assertEqual(one.read()["result"]["protocolVersion"], "2025-06-18")

    def test_what_is_no_message(self):
        """Each is answered with its code, and the session goes on."""
        ping = b'{"jsonrpc":"2.0","id":5,"method":"ping"}'
        lines = [
            (b"hello", -32700),
            (b"{", -32700),
            (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
            (ping + ping, -32700),
            (b"\x00\x00", -32700),
            (ping.replace(b"ping", b"pi\xffng"), -32700),
            (ping.replace(b"ping", b"pi\x00ng"), -32700),
            (b"[" * 100000, -32700),
            (b"7", -32600),
            (b'"text"', -32600),
            (b"null", -32600),
            (b"[]", -32600),
            (b"[" + ping + b"]", -32600),
            (ping.replace(b"2.0", b"1.0"), -32600),
            (ping.replace(b'"ping"', b"[]"), -32600),
            (ping.replace(b":5", b":null"), -32600),
            (ping.replace(b":5", b":[5]"), -32600),
            (ping.replace(b'"ping"', b'"ping","params":[]'), -32600),
            (ping.replace(b"ping", b"pong"), -32601),
            (ping.replace(b"ping", b"prompts/list"), -32601),
            (ping.replace(b"ping", b"initialize"), -32600),
            (ping.replace(b'"ping"', b'"tools/call"'), -32602),
            (ping.replace(b'"ping"', b'"tools/call","params":{"name":"query"}'), -32602),
            (ping.replace(b'"ping"', b'"tools/call","params":{"name":["findings"]}'), -32602),
            (ping.replace(b'"ping"', b'"tools/call","params":{"name":"query","arguments":{"sql":5}}'), -32602),
            (ping.replace(b'"ping"', b'"resources/read","params":{"uri":"file:///etc/passwd"}'), -32002),
        ]
        with session(self.job) as one:
            for line, code in lines:
                with self.subTest(line=line[:80]):
                    answer = one.asked(line)
                    self.assertEqual(answer["error"]["code"], code, answer)
                    self.assertEqual(one.asked(ping)["result"], {})
            for line in (b"", b"  \r", b'{"jsonrpc":"2.0","id":9,"result":{}}', b'{"jsonrpc":"2.0","method":"any"}'):
                one.send(line)
            self.assertEqual(one.asked(ping + b"\r")["id"], 5)

    def test_a_huge_line_is_refused(self):
        with session(self.job) as one:
            piece = b"x" * (1 << 16)
            for _ in range(64):
                one.process.stdin.write(piece)
            answer = one.asked(b"")
            self.assertEqual(answer["error"]["code"], -32600)
            self.assertIn("1048576 bytes at most", answer["error"]["message"])
            one.request(1, "ping")
            self.assertEqual(one.read()["id"], 1)

    def test_batches(self):
        with session(self.job, version="2025-03-26") as one:
            asked = [
                {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "findings"}},
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody"}},
                {"jsonrpc": "2.0", "id": "b", "method": "ping"},
                {"jsonrpc": "2.0", "id": "c", "method": "none"},
            ]
            one.send_json(asked)
            answers = {answer["id"]: answer for answer in one.read()}
            self.assertEqual(set(answers), {"a", "b", "c"})
            self.assertFalse(answers["a"]["result"]["isError"])
            self.assertEqual(answers["c"]["error"]["code"], -32601)

    def test_ping_and_cancel_while_a_query_runs(self):
        with session(self.job) as one:
            one.tool(1, "query", sql=ENDLESS)
            one.tool(1, "findings")
            self.assertEqual(one.read()["error"]["code"], -32600)
            one.request(2, "ping")
            self.assertEqual(one.read()["id"], 2)
            for unknown in (77, "1", None, {}):
                one.send_json({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": unknown}})
            one.tool(3, "query", sql="SELECT 42 AS answer")
            one.send_json({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
            answer = one.read()
            self.assertEqual(answer["id"], 3)
            self.assertEqual(rows(answer["result"]), [{"answer": 42}])

    def test_time_is_bounded(self):
        with session(self.job, "--time-limit", "1") as one:
            one.tool(1, "query", sql=ENDLESS)
            answer = one.read()["result"]
            self.assertTrue(answer["isError"])
            self.assertIn("took longer than 1 s", answer["content"][0]["text"])
            one.request(2, "ping")
            self.assertEqual(one.read()["id"], 2)

    def test_the_end_of_input(self):
        """What was asked is answered first, also in a line that does not end."""
        one = Session(self.job)
        one.tool(1, "findings")
        one.process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
        self.assertEqual({answer["id"] for answer in one.end()}, {1, 2})
        one = Session(self.job)
        one.process.stdin.write(b'{"jsonrpc":"2.0","id":2,"met')
        self.assertEqual([answer["error"]["code"] for answer in one.end()], [-32700])
        one = Session(self.job, "--time-limit", "1")
        one.tool(1, "query", sql=ENDLESS)
        self.assertTrue(one.end()[0]["result"]["isError"])

    def test_signals_end_it_quietly(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            for busy in (False, True):
                one = Session(self.job)
                if busy:
                    one.tool(1, "query", sql=ENDLESS)
                    one.request(2, "ping")
                    one.read()
                one.process.send_signal(number)
                self.assertEqual(one.process.wait(LIMIT_S), 0)
                self.assertEqual((one.process.stdout.read(), one.process.stderr.read()), (b"", b""))
                one.close()

    def test_nobody_listens(self):
        one = Session(self.job)
        one.process.stdout.close()
        one.request(1, "ping")
        self.assertEqual(one.process.wait(LIMIT_S), 0)
        self.assertEqual(one.process.stderr.read(), b"")
        one.close()

    def test_the_sandbox_holds(self):
        with tempfile.TemporaryDirectory() as folder, session(self.job) as one:
            secret = os.path.join(folder, "secret.csv")
            with open(secret, "w", encoding="utf-8") as file:
                file.write("a\nhidden\n")
            written = os.path.join(folder, "written.csv")
            for number, sql in enumerate(
                (
                    f"SELECT * FROM read_csv('{secret}')",
                    f"SELECT * FROM '{secret}'",
                    f"COPY (SELECT 1) TO '{written}'",
                    f"ATTACH '{written}'",
                    "INSTALL httpfs",
                    "SET enable_external_access = true",
                    "CREATE TABLE kept AS SELECT 1",
                    "SELECT 1; SELECT 2",
                    f"SELECT content FROM read_text('{secret}')",
                ),
                1,
            ):
                one.tool(number, "query", sql=sql)
                result = one.read()["result"]
                self.assertTrue(result["isError"], sql)
                self.assertNotIn("hidden", result["content"][0]["text"])
            self.assertEqual(os.listdir(folder), ["secret.csv"])

    def test_other_jobs_lie_in_folders_that_were_named(self):
        with tempfile.TemporaryDirectory() as folder:
            served = os.path.join(folder, "runs", "after")
            before = os.path.join(folder, "runs", "before")
            outside = os.path.join(folder, "outside")
            for path in (served, before, outside):
                shutil.copytree(self.job, path)
            os.symlink(outside, os.path.join(folder, "runs", "link"))

            def compared(one, number, path):
                one.tool(number, "diff", base=path)
                return one.read()["result"]

            with session(served) as one:
                self.assertIn("same recordings", compared(one, 1, before)["content"][0]["text"])
                for path in (outside, os.path.join(folder, "runs", "link"), "/etc/passwd", "/proc/self/fd/0"):
                    refused = compared(one, 2, path)
                    self.assertTrue(refused["isError"])
                    self.assertIn("lies outside", refused["content"][0]["text"])
            with session(served, "--within", outside) as one:
                self.assertFalse(compared(one, 1, outside)["isError"])
                self.assertTrue(compared(one, 2, before)["isError"])

    def test_traces_may_come_later_and_change(self):
        with tempfile.TemporaryDirectory() as folder:
            job = os.path.join(folder, "job")
            ranks = sorted(name for name in os.listdir(self.job) if name.endswith(".json.gz"))
            with session(job) as one:
                one.tool(1, "findings")
                self.assertIn("no such file or folder", one.read()["result"]["content"][0]["text"])
                os.mkdir(job)
                for number, name in enumerate(ranks, 2):
                    shutil.copy(os.path.join(self.job, name), job)
                    one.tool(number, "query", sql="SELECT count(DISTINCT rank) AS n FROM steps")
                    self.assertEqual(rows(one.read()["result"]), [{"n": number - 1}])

    def test_what_could_not_be_read_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            job = os.path.join(folder, "job")
            shutil.copytree(self.job, job)
            with open(os.path.join(job, "rank7.json"), "w", encoding="utf-8") as file:
                file.write("no trace")
            with session(job) as one:
                one.tool(1, "table", name="step_times", limit=1)
                notices = one.read()["result"]["structuredContent"]["notices"]
                self.assertEqual(len(notices), 1)
                self.assertIn("left out: ", notices[0])
                self.assertIn("rank7.json", notices[0])

    def test_rows_are_bounded(self):
        with session(self.job) as one:
            one.tool(1, "query", sql="SELECT name FROM events")
            content = one.read()["result"]["structuredContent"]
            self.assertEqual(len(content["rows"]), 50)
            self.assertIn(f"50 of {content['row_count']} rows", content["left_out"])
            one.tool(2, "query", sql="SELECT repeat('x', 900) AS x FROM range(1000)", limit=1000)
            content = one.read()["result"]["structuredContent"]
            self.assertLess(len(content["rows"]), 100)
            self.assertEqual(content["row_count"], 1000)
            one.tool(3, "query", sql="SELECT repeat('x', 100000000) AS x")
            content = one.read()["result"]["structuredContent"]
            self.assertTrue(content["rows"][0][0].endswith("... (100000000 bytes)"))

    def test_command_line(self):
        _, error = program.run("mcp", expect=2)
        self.assertIn("PATH", error)
        _, error = program.run("mcp", "-", expect=2)
        self.assertIn("standard input is for the client's messages", error)
        program.run("mcp", self.job, "--time-limit", "0", expect=2)


class Quietly(unittest.TestCase):
    def test_no_input_is_a_quiet_end(self):
        out, error = program.run("mcp", "/nowhere")
        self.assertEqual((out, error), ("", ""))


if __name__ == "__main__":
    unittest.main(argv=["mcp_test"])
