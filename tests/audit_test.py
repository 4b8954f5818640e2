"""The audit log of a server: who did what is in it, secrets are not, and what was changed in it is found."""

import glob
import json
import os
import shutil
import tempfile
import unittest

import program
from cluster import server as cluster_server
from postgres import Postgres
from server import Server
from sign_in import RULES, Browser, FakeProvider


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class WithTokens(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.data = os.path.join(self.folder.name, "data")
        self.tokens = os.path.join(self.folder.name, "tokens")
        self.token = {
            name: program.run("token", role, "--team", team, "--name", name, "--file", self.tokens)[0].strip()
            for name, role, team in (("root", "admin", "*"), ("ann", "upload", "search"), ("chief", "admin", "search"))
        }

    def bearer(self, name):
        return {"Authorization": f"Bearer {self.token[name]}"}

    def entries(self, *arguments, data=None):
        text = program.run("audit", "show", data or self.data, "--format", "jsonl", *arguments)[0]
        return [json.loads(line) for line in text.splitlines()]

    def acts(self, *arguments):
        return [(one["who"], one["act"], one["outcome"]) for one in self.entries(*arguments)]


class OneServer(WithTokens):
    def setUp(self):
        super().setUp()
        self.server = Server(self.data, "--token-file", self.tokens)
        self.addCleanup(self.server.stop)

    def test_says_who_did_what(self):
        ask, ann = self.server.ask, self.bearer("ann")
        run = ask("POST", "/api/v1/runs", {"name": "secret name"}, headers=ann, expect=201)[2]["id"]
        ask("PATCH", f"/api/v1/runs/{run}", {"tags": {"a": "b"}}, headers=ann, expect=200)
        note = ask("POST", f"/api/v1/runs/{run}/notes", {"text": "secret text"}, headers=ann, expect=201)[2]["id"]
        ask("DELETE", f"/api/v1/runs/{run}/notes/{note}", headers=ann, expect=204)
        ask("POST", f"/api/v1/runs/{run}/finish", headers=ann, expect=409)
        share = ask("POST", "/api/v1/shares", {"state": {"page": "/"}}, headers=ann, expect=201)[2]["hash"]
        ask("POST", "/api/v1/captures", {"job": "llama", "hosts": ["n1"]}, headers=ann)
        ask("DELETE", f"/api/v1/runs/{run}", headers=ann, expect=204)
        # What reads is no act.
        ask("GET", "/api/v1/runs?q=secret-query", headers=ann, expect=200)
        told = self.acts("--who", "ann")
        self.assertEqual(
            [act for _, act, _ in told],
            [
                "run.create",
                "run.change",
                "note.add",
                "note.remove",
                "run.finish",
                "share.add",
                "capture.start",
                "run.remove",
            ],
        )
        self.assertEqual({outcome for _, act, outcome in told if act in ("run.finish", "capture.start")}, {"failed"})
        created, removed = (self.entries("--act", act)[0] for act in ("run.create", "run.remove"))
        self.assertEqual((created["run"], removed["run"]), (run, run))
        self.assertEqual((created["from"], created["role"], created["team"]), ("127.0.0.1", "upload", "search"))
        self.assertEqual((created["status"], removed["status"]), (201, 204))
        self.assertEqual(self.entries("--act", "note.remove")[0]["target"], str(note))
        capture = self.entries("--act", "capture.start")[0]
        self.assertEqual((capture["target"], capture["detail"]), ("llama", "hosts n1"))
        self.assertEqual(len(self.entries("--run", run)), 6)
        self.assertEqual(self.entries()[0]["act"], "server.start")
        self.assertEqual(self.entries("--since", "2200-01-01"), [])
        self.assertEqual(len(self.entries("--since", "1h", "--last", "2")), 2)
        text = self.content()
        for secret in (*self.token.values(), share, "secret name", "secret text", "secret-query"):
            self.assertNotIn(secret, text)
        csv = program.run("audit", "show", self.data, "--format", "csv", "--act", "run.")[0]
        self.assertTrue(csv.startswith("number,time,who,role,team,from,act,run,target,outcome,status,detail\r\n"), csv)
        self.assertEqual(csv.count("\n"), 5)

    def content(self):
        return "".join(read(path) for path in sorted(glob.glob(f"{self.data}/audit/*.jsonl")))

    def test_sessions_and_refusals(self):
        ask = self.server.ask
        ask("POST", "/api/v1/session", {"token": "rs_wrong-token"}, expect=401)
        fields = ask("POST", "/api/v1/session", {"token": self.token["ann"]}, expect=201)[1]
        cookie = {"Cookie": fields["set-cookie"].split(";")[0]}
        ask("DELETE", "/api/v1/session", headers=cookie, expect=204)
        ask("DELETE", "/api/v1/session", expect=204)  # ends nothing
        ask("GET", "/api/v1/runs", headers={"Authorization": "Bearer rs_guessed"}, expect=401)
        ask("GET", "/api/v1/audit", headers=self.bearer("ann"), expect=403)
        ask("POST", "/api/v1/runs", {}, headers={**self.bearer("ann"), "Origin": "https://evil.test"}, expect=403)
        self.assertEqual(
            self.acts("--last", "6"),
            [
                (None, "session.begin", "refused"),
                ("ann", "session.begin", "ok"),
                ("ann", "session.end", "ok"),
                ("(unknown)", "request", "refused"),
                ("ann", "request", "refused"),
                ("(unknown)", "request", "refused"),
            ],
        )
        self.assertEqual(self.entries("--who", "ann")[-1]["target"], "GET /api/v1/audit")
        text = self.content()
        for secret in ("rs_wrong-token", "rs_guessed", cookie["Cookie"].split("=")[1], "evil.test"):
            self.assertNotIn(secret, text)

    def test_refusals_do_not_fill_the_disk(self):
        for _ in range(300):
            self.server.ask("GET", "/api/v1/runs", expect=401)
        kept = [one for one in self.entries() if one["act"] == "request"]
        # Sixty a minute, and a minute may have ended meanwhile.
        self.assertGreaterEqual(len(kept), 60)
        self.assertLess(len(kept), 300)
        # Who says who he is has a bound of his own.
        self.server.ask("GET", "/api/v1/runs", headers={"Authorization": "Bearer x"}, expect=401)
        last = self.entries("--last", "2")
        self.assertEqual((last[1]["who"], last[0]["act"]), ("(unknown)", "refused.more"))
        self.assertRegex(last[0]["detail"], r"^\d+ more were refused")

    def test_admins_of_all_teams_read_it(self):
        for name in ("ann", "chief"):
            self.assertEqual(self.server.ask("GET", "/api/v1/audit", headers=self.bearer(name))[0], 403)
        for number in range(3):
            self.server.ask("POST", "/api/v1/runs", {"name": str(number)}, headers=self.bearer("ann"), expect=201)
        root = self.bearer("root")
        page = self.server.get("/api/v1/audit?act=run.create&limit=2", headers=root)
        rest = self.server.get(f"/api/v1/audit?act=run.create&limit=2&cursor={page['cursor']}", headers=root)
        numbers = [one["number"] for one in page["entries"] + rest["entries"]]
        self.assertEqual(len(numbers), 3)
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertEqual(rest["cursor"], "")
        self.assertEqual(self.server.ask("GET", "/api/v1/audit?cursor=zz", headers=root)[0], 400)
        self.assertEqual(self.server.ask("GET", "/api/v1/audit?limit=0", headers=root)[0], 400)

    def test_what_was_changed_is_found(self):
        for number in range(3):
            self.server.ask("POST", "/api/v1/runs", {"name": str(number)}, headers=self.bearer("ann"), expect=201)
        told = program.run("audit", "verify", self.data)[0]
        self.assertIn("4 lines, from number 1 on; the last is 4:", told)
        noted = self.server.events("audit")[0]  # of when it started
        self.assertTrue(noted.startswith("1:"))
        program.run("audit", "verify", self.data, "--expect", noted)
        # Killed and started again it goes on in the same chain.
        self.server.kill()
        self.server.restart()
        self.assertIn("5 lines", program.run("audit", "verify", self.data)[0])
        self.server.stop()
        self.assertEqual([act for _, act, _ in self.acts("--last", "1")], ["server.stop"])
        (path,) = glob.glob(f"{self.data}/audit/*.jsonl")
        self.assertNotIn("audit", program.run("store", "check", "--data", self.data)[0])
        whole = read(path)
        with open(path, "a", encoding="utf-8") as file:
            file.write('{"n": 99}\n')
        self.assertIn("audit", program.run("store", "check", "--data", self.data, expect=1)[0])
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)
        sound = read(path)

        def verified(text, *arguments, expect=1):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return program.run("audit", "verify", self.data, *arguments, expect=expect)

        lines = sound.splitlines(keepends=True)
        self.assertIn("behind number 1 comes 3", verified(lines[0] + "".join(lines[2:]))[0])
        self.assertIn("its hash is not that", verified(sound.replace('"who":"ann"', '"who":"eve"', 1))[0])
        self.assertIn("the last 2 lines are missing", verified("".join(lines[:-2]))[0])
        self.assertIn("whose hash was noted", verified(sound, "--expect", "1:" + "0" * 64)[0])
        verified(sound, expect=0)
        self.assertIn("NUMBER:HASH", verified(sound, "--expect", "x", expect=2)[1])

    def test_a_folder_without_one_says_so(self):
        error = program.run("audit", "show", self.folder.name, expect=1)[1]
        self.assertIn("no server has kept an audit log there", error)
        self.assertIn("--since takes", program.run("audit", "show", self.data, "--since", "soon", expect=2)[1])

    def test_without_a_place_for_it_no_server_starts(self):
        self.server.stop()
        shutil.rmtree(f"{self.data}/audit")
        with open(f"{self.data}/audit", "w", encoding="utf-8"):
            pass
        with self.assertRaisesRegex(AssertionError, "data/audit"):
            self.server.restart()


class OfPeople(WithTokens):
    def test_sign_ins(self):
        provider = FakeProvider()
        self.addCleanup(provider.stop)
        rules = os.path.join(self.folder.name, "rules.toml")
        with open(rules, "w", encoding="utf-8") as file:
            file.write(RULES)
        server = Server(
            self.data,
            *("--oidc-issuer", provider.issuer, "--oidc-client-id", "rankscope-public", "--oidc-rules", rules),
        )
        self.addCleanup(server.stop)
        browser = Browser()
        back = provider.through(browser.begin(server))
        browser.ask(back)
        browser.ask(back)
        begun, refused = self.entries("--act", "session.begin")
        self.assertEqual((begun["who"], begun["role"], begun["team"]), ("ada@example.org", "admin", "*"))
        self.assertEqual(begun["detail"], "at the provider: sub 7")
        self.assertEqual((refused["who"], refused["outcome"]), (None, "refused"))
        self.assertIn("not under way", refused["detail"])


class OfAClusters(WithTokens):
    def test_is_one(self):
        postgres = Postgres()
        self.addCleanup(postgres.stop)
        catalogue = postgres.new_database()
        servers = [cluster_server(self.data, catalogue, "--token-file", self.tokens) for _ in range(2)]
        for one in servers:
            self.addCleanup(one.stop)
        for number in range(4):
            servers[number % 2].ask(
                "POST", "/api/v1/runs", {"name": str(number)}, headers=self.bearer("ann"), expect=201
            )
        servers[0].ask("GET", "/api/v1/runs", expect=401)
        page = servers[1].get("/api/v1/audit?act=run.create", headers=self.bearer("root"))
        self.assertEqual([one["who"] for one in page["entries"]], ["ann"] * 4)
        at = (self.data, "--catalogue", catalogue)
        self.assertIn("7 lines, from number 1 on", program.run("audit", "verify", *at)[0])
        rows = self.entries("--catalogue", catalogue)
        self.assertEqual([one["act"] for one in rows], ["server.start"] * 2 + ["run.create"] * 4 + ["request"])
        self.assertFalse(os.path.exists(f"{self.data}/audit"))


if __name__ == "__main__":
    unittest.main(argv=["audit_test"])
