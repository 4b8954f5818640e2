"""`rankscope mcp --server`: what a server keeps, as a job of files is answered."""

import json
import os
import tempfile
import unittest

import program
from fix_test import PROGRAM
from mcp_session import call, rows, session, with_client, with_client_of
from server import Server


class OverAServer(program.WithJob):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        slow = os.path.join(cls.temporary.name, "slow")
        program.run("simulate", slow, "--ranks", "2", "--steps", "3", "--events", "8000", "--plant", "host-sync")
        cls.server = Server(os.path.join(cls.temporary.name, "data"))
        cls.slow = slow
        cls.base = cls.pushed(cls.job, "before")
        cls.test = cls.pushed(slow, "after")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        super().tearDownClass()

    @classmethod
    def pushed(cls, job, name):
        out, _ = program.run("push", job, "--server", cls.server.address, "--name", name, "--wait")
        return out.split("/runs/")[1].split()[0]

    def test_answers_are_those_of_the_files(self):
        """But for what the job is called in commands, and the sentence that a list of runs shows."""
        steps = [
            {"do": "listTools"},
            call("findings"),
            call("table", name="step_times", filter=["rank=1"], sort=["-step"], columns=["step", "duration_ns"]),
            call("table", name="kernels_by_name", set={"top": "3"}, columns=["name", "total_ns"]),
            call("query", sql="SELECT rank, count(*) AS n FROM kernels GROUP BY rank ORDER BY rank"),
            call("whatif", changes=["idealise:rank=1"]),
            call("explain", id="host-sync"),
        ]
        _, of_files = with_client(steps, self.slow)
        _, of_server = with_client(steps, "--server", self.server.address, "--run", self.test)
        self.assertEqual(of_files[0], of_server[0])
        found, also_found = (one[1]["result"]["structuredContent"] for one in (of_files, of_server))
        self.assertIn("host-sync", [finding["id"] for finding in found["findings"]])
        for one in (found, also_found):
            one.pop("headline")
            for finding in one["findings"]:
                finding.pop("command")
        self.assertEqual(found, also_found)
        for number in range(2, len(steps)):
            self.assertEqual(of_files[number]["result"], of_server[number]["result"], steps[number])

    def test_runs_are_compared(self):
        with session("--server", self.server.address, "--run", self.test) as one:
            one.tool(1, "diff", base=self.base, table="diff_kernels", limit=2)
            answer = one.read()["result"]["structuredContent"]
            self.assertEqual((answer["base"], answer["test"]), (self.base, self.test))
            expected = json.loads(program.run("diff", self.job, self.slow, "--format", "json")[0])["job"]
            self.assertAlmostEqual(answer["change_pct"], expected["step_time_change_pct"], 3)
            self.assertEqual(answer["base_ns"], expected["step_time_base_ns"])
            self.assertIn(("appeared", "host-sync"), [(each["state"], each["id"]) for each in answer["findings"]])
            self.assertEqual(len(rows({"structuredContent": answer["rows"]})), 2)
            one.request(2, "resources/read", {"uri": "rankscope://report"})
            self.assertIn("### host-sync", one.read()["result"]["contents"][0]["text"])

    def test_the_newest_run_is_taken_and_named(self):
        with session("--server", self.server.address) as one:
            one.tool(1, "findings")
            notices = one.read()["result"]["structuredContent"]["notices"]
            self.assertEqual(len(notices), 1)
            self.assertIn(f"run {self.test}, the newest", notices[0])

    def test_mistakes_are_answers(self):
        with session("--server", self.server.address, "--run", self.test) as one:
            for number, (tool, arguments, words) in enumerate(
                (
                    ("table", {"name": "step_time"}, "did you mean step_times?"),
                    ("table", {"name": "step_times", "filter": ["rank"]}, "is no condition"),
                    ("query", {"sql": "SELECT * FROM read_csv('/etc/passwd')"}, "/etc/passwd"),
                    ("query", {"sql": "DROP VIEW kernels"}, "SELECT"),
                    ("diff", {"base": "../../etc"}, "is no id of a run"),
                    ("diff", {"base": "0123456789abcdef"}, "404"),
                    ("diff", {"base_ranks": "0", "test_ranks": "1"}, "runs as a whole"),
                )
            ):
                one.tool(number, tool, **arguments)
                result = one.read()["result"]
                self.assertTrue(result["isError"], arguments)
                self.assertIn(words, result["content"][0]["text"])

    def test_a_server_that_is_away_is_said(self):
        with session("--server", "http://127.0.0.1:1") as one:
            one.tool(1, "findings")
            result = one.read()["result"]
            self.assertTrue(result["isError"])
            self.assertIn("127.0.0.1:1", result["content"][0]["text"])

    def test_tokens(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = os.path.join(folder, "tokens")
            words = {}
            for team in ("red", "blue"):
                out, _ = program.run("token", "upload", "--team", team, "--name", team, "--file", tokens)
                words[team] = os.path.join(folder, team)
                with open(words[team], "w", encoding="utf-8") as file:
                    file.write(out.split()[-1])
            server = Server(os.path.join(folder, "data"), "--token-file", tokens)
            try:
                access = ("--server", server.address, "--token-file")
                program.run("push", self.job, *access, words["red"], "--name", "a", "--wait")
                with session(*access, words["red"]) as one:
                    one.tool(1, "findings")
                    self.assertFalse(one.read()["result"]["isError"])
                with session(*access, words["blue"]) as one:
                    one.tool(1, "findings")
                    self.assertIn("no run that is ready", json.dumps(one.read()))
                for team, seen in (("red", "headline"), ("blue", "no run that is ready")):
                    with open(words[team], encoding="utf-8") as file:
                        _, told = with_client_of([call("findings")], server.address + "/api/v1/mcp", file.read())
                    self.assertIn(seen, json.dumps(told))
                self.assertEqual(server.ask("POST", "/api/v1/mcp", b"{}")[0], 401)
            finally:
                server.stop()

    def test_http_is_the_same(self):
        """The server's own address, without a program beside the client."""
        steps = [
            {"do": "listTools"},
            {"do": "listResources"},
            call("findings"),
            call("table", name="kernels_by_name", set={"top": "3"}, columns=["name", "total_ns"]),
            call("query", sql="SELECT rank, count(*) AS n FROM kernels GROUP BY rank ORDER BY rank"),
            call("whatif", changes=["idealise:rank=1"]),
            call("explain", id="host-sync"),
            call("diff", base=self.base),
            call("table", name="step_time"),
            {"do": "readResource", "with": {"uri": "rankscope://report"}},
        ]
        server, by_pipes = with_client(steps, "--server", self.server.address, "--run", self.test)
        address = f"{self.server.address}/api/v1/runs/{self.test}/mcp"
        served, by_http = with_client_of(steps, address)
        self.assertEqual(served, server)
        self.assertEqual(by_http, by_pipes)
        _, (newest,) = with_client_of([call("findings")], f"{self.server.address}/api/v1/mcp")
        self.assertIn(f"run {self.test}, the newest", newest["result"]["structuredContent"]["notices"][0])

    def test_code_that_came_with_the_run_is_patched(self):
        code = os.path.join(self.temporary.name, "code")
        os.mkdir(code)
        with open(os.path.join(code, "train.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        hungry = os.path.join(self.temporary.name, "hungry")
        program.run(
            "simulate", hungry, "--ranks", "1", "--steps", "3", "--events", "4000", "--plant", "data-starvation"
        )
        out, _ = program.run(
            "push", hungry, "--server", self.server.address, "--name", "code", "--source", code, "--wait"
        )
        run = out.split("/runs/")[1].split()[0]
        steps = [call("fix", id="data-starvation"), call("fix", source=code), call("fix", id="no-such")]
        _, told = with_client_of(steps, f"{self.server.address}/api/v1/runs/{run}/mcp")
        made = told[0]["result"]["structuredContent"]
        self.assertEqual(made["diff"], program.run("fix", hungry, "--source", code)[0])
        self.assertIn("num_workers", made["changes"][0]["what"])
        for one, words in ((told[1], "leave source away"), (told[2], "there is no finding")):
            self.assertIn(words, one["result"]["content"][0]["text"])
        _, (without,) = with_client_of([call("fix")], f"{self.server.address}/api/v1/runs/{self.test}/mcp")
        self.assertIn("push it with --source", without["result"]["content"][0]["text"])
        # The newest stays the one of the other tests.
        self.server.ask("DELETE", f"/api/v1/runs/{run}", expect=204)

    def posted(self, body, address="/api/v1/mcp", **headers):
        fields = {"Content-Type": "application/json", **headers}
        status, _, answer = self.server.ask("POST", address, body, fields)
        return status, answer or None

    def test_http_by_hand(self):
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        self.assertEqual(self.posted(ping), (200, {"jsonrpc": "2.0", "id": 1, "result": {}}))
        self.assertEqual(self.posted(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'), (202, None))
        status, answer = self.posted(b"[" + ping + b"," + ping.replace(b"1,", b"2,") + b"]")
        self.assertEqual((status, [one["id"] for one in answer]), (200, [1, 2]))
        status, answer = self.posted(b"[" + ping + b"]", **{"MCP-Protocol-Version": "2025-06-18"})
        self.assertEqual((status, answer["error"]["code"]), (400, -32600))
        for body, code in ((b"{", -32700), (b"", -32700), (b"[]", -32600), (b"\xff", -32700)):
            status, answer = self.posted(body)
            self.assertEqual((status, answer["error"]["code"]), (400, code), body)
        status, answer = self.posted(ping, **{"MCP-Protocol-Version": "2099-01-01"})
        self.assertEqual(status, 400)
        self.assertIn("2025-06-18", answer["error"]["message"])
        self.assertEqual(self.posted(ping, "/api/v1/runs/0123456789abcdef/mcp")[0], 404)
        self.assertEqual(self.posted(ping, Origin="http://evil.example")[0], 403)
        self.assertEqual(self.server.ask("GET", "/api/v1/mcp")[0], 405)
        self.assertEqual(self.posted(b" " * (1 << 21))[0], 413)

    def test_command_line(self):
        for arguments in (["mcp"], ["mcp", self.job, "--server", "http://127.0.0.1:1"]):
            _, error = program.run(*arguments, expect=2)
            self.assertIn("mcp needs the PATH of a job, or --server URL", error)
        _, error = program.run("mcp", "--server", "http://127.0.0.1:1", "--ranks", "0", expect=2)
        self.assertIn("asked as a whole", error)
        _, error = program.run("mcp", "--server", "http://127.0.0.1:1", "--run", "../x", expect=2)
        self.assertIn("--run takes the id of a run", error)


if __name__ == "__main__":
    unittest.main(argv=["mcp_server_test"])
