"""A team of a shared server against another team: what it can see, answer, block and fill."""

import json
import os
import tempfile
import threading
import unittest

import program
import server
from waiting import until


class TwoTeams(unittest.TestCase):
    ARGUMENTS = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rs_teams_")
        self.addCleanup(folder.cleanup)
        self.tokens = {}
        tokens = os.path.join(folder.name, "tokens")
        for name, role, team in (
            ("blue", "upload", "blue"),
            ("blue_reader", "read", "blue"),
            ("red", "upload", "red"),
            ("red_reader", "read", "red"),
            ("all", "admin", "*"),
        ):
            out, _ = program.run("token", role, "--team", team, "--name", name, "--file", tokens)
            self.tokens[name] = out.strip()
        self.data = os.path.join(folder.name, "data")
        self.server = server.Server(self.data, "--token-file", tokens, *self.ARGUMENTS)
        self.addCleanup(self.server.stop)

    def ask(self, who, method, path, body=None, expect=200):
        return self.server.ask(method, path, body, {"Authorization": "Bearer " + self.tokens[who]}, expect=expect)[2]

    def report(self, who, host, instance="1", wait_ms=0, expect=200, **more):
        """What an agent says; what it is asked."""
        processes = [{"pid": 7, "inside": [7], "job_id": "job-1", "polls": 3}]
        body = {"host": host, "instance": instance, "wait_ms": wait_ms, "rtt_us": 100, "processes": processes, **more}
        return self.ask(who, "POST", "/api/v1/hosts", body, expect=expect)

    def names(self, who):
        return [one["host"] for one in self.ask(who, "GET", "/api/v1/hosts")["hosts"]]


class Hosts(TwoTeams):
    def test_a_hosts_name_is_its_teams(self):
        self.report("blue", "node1")
        # Another agent of the team is refused while the first is there; another team's is another host.
        self.report("blue", "node1", instance="2", expect=409)
        self.report("red", "node1", instance="3")
        self.report("red", "node2", instance="4")
        self.assertEqual(self.names("blue_reader"), ["node1"])
        self.assertEqual(self.names("red_reader"), ["node1", "node2"])
        self.assertEqual(sorted(self.names("all")), ["node1", "node1", "node2"])
        self.report("blue", "node1", samples=[[0, 0, "device_busy", 0.5]])
        self.ask("red", "GET", "/api/v1/hosts/node1/metrics")
        self.ask("blue", "GET", "/api/v1/hosts/node2/metrics", expect=404)

    def test_jobs_captures_and_answers_are_their_teams(self):
        self.report("blue", "node1")
        self.report("red", "node1", instance="r")
        started = {}

        def capture(who):
            started[who] = self.ask(
                who, "POST", "/api/v1/captures", {"job": "job-1", "name": who, "wait_ms": 2000, "start_in_ms": 0}, 201
            )

        for who in ("blue", "red"):
            # A job that is called the same does not hold the other's up.
            capture(who)
        self.assertNotEqual(started["blue"]["id"], started["red"]["id"])
        for who in ("blue", "red"):
            self.assertRegex(started[who]["id"], r"^[0-9a-f]{16}$", "it can be guessed")
        path = "/api/v1/captures/" + started["blue"]["id"]
        self.ask("blue_reader", "GET", path)
        self.ask("red", "GET", path, expect=404)
        self.ask("red", "DELETE", path, expect=404)
        self.assertEqual([one["name"] for one in self.ask("red", "GET", "/api/v1/captures")["captures"]], ["red"])
        # What blue's host is asked for is not told to red's, and red's answer to it is none.
        asked = until(lambda: self.report("blue", "node1", wait_ms=100)["requests"])
        identity = asked[0]["id"]
        self.assertGreater(identity, 1 << 20, "it can be guessed")
        lie = {"id": identity, "answer": json.dumps({"id": "x", "warnings": ["a lie"]})}
        self.assertNotIn(
            identity, [one["id"] for one in self.report("red", "node1", instance="r", answers=[lie])["requests"]]
        )
        self.assertNotIn("a lie", json.dumps(self.ask("blue", "GET", path)))
        truth = {"id": identity, "answer": json.dumps({"id": "", "warnings": ["the truth"]})}
        self.report("blue", "node1", answers=[truth])
        until(lambda: "the truth" in json.dumps(self.ask("blue", "GET", path)))

    def test_who_sees_all_says_whose_job_is_meant(self):
        self.report("blue", "node1")
        self.report("red", "node2", instance="r")
        error = self.ask("all", "POST", "/api/v1/captures", {"job": "job-1"}, 400)["error"]["message"]
        self.assertIn("2 teams", error)
        made = self.ask("all", "POST", "/api/v1/captures", {"job": "job-1", "team": "red", "wait_ms": 1000}, 201)
        self.ask("red", "GET", "/api/v1/captures/" + made["id"])
        self.ask("blue", "GET", "/api/v1/captures/" + made["id"], expect=404)

    def test_one_team_does_not_use_up_anothers_captures(self):
        for number in range(9):
            self.report(
                "red", f"node{number}", instance="r", processes=[{"pid": 7, "inside": [7], "job_id": f"j{number}"}]
            )
        for number in range(8):
            self.ask("red", "POST", "/api/v1/captures", {"job": f"j{number}", "wait_ms": 5000}, 201)
        self.ask("red", "POST", "/api/v1/captures", {"job": "j8"}, 429)
        self.report("blue", "node1")
        self.ask("blue", "POST", "/api/v1/captures", {"job": "job-1", "wait_ms": 1000}, 201)


class Quotas(TwoTeams):
    ARGUMENTS = (
        "--most-share-bytes",
        "2K",
        "--most-notes",
        "3",
        "--most-queries",
        "2",
        "--most-hosts",
        "4",
        "--most-runs",
        "5",
    )

    def test_what_people_and_agents_add_is_bounded_as_it_is_set(self):
        run = self.ask("blue", "POST", "/api/v1/runs", {"name": "one"}, 201)["id"]
        for part, body, most in (
            ("notes", {"text": "look"}, 3),
            ("queries", {"name": "q", "sql": "SELECT 1"}, 2),
        ):
            path = f"/api/v1/runs/{run}/{part}"
            made = [self.ask("blue", "POST", path, body, 201) for _ in range(most)]
            said = self.ask("blue", "POST", path, body, 429)["error"]["message"]
            self.assertIn(f"up to {most} ", said)
            self.ask("blue", "DELETE", f"{path}/{made[0]['id']}", expect=204)
            self.ask("blue", "POST", path, body, 201)
        for number in range(4):
            self.report("blue", f"node{number}")
        self.assertIn("knows 4 hosts", self.report("blue", "node4", expect=429)["error"]["message"])
        self.report("red", "node4")
        self.ask("blue_reader", "POST", "/api/v1/shares", {"state": {"text": "x" * 1500}}, 201)
        self.ask("blue_reader", "POST", "/api/v1/shares", {"state": {"text": "x" * 1500}}, 429)
        self.ask("blue", "POST", "/api/v1/shares", {"state": {"text": "x" * 1500}}, 201)
        for number in range(4):
            last = self.ask("blue", "POST", "/api/v1/runs", {"name": str(number)}, 201)["id"]
        self.assertIn("has 5 runs", self.ask("blue", "POST", "/api/v1/runs", {"name": "x"}, 429)["error"]["message"])
        self.ask("red", "POST", "/api/v1/runs", {"name": "x"}, 201)
        self.ask("blue", "DELETE", f"/api/v1/runs/{last}", expect=204)
        self.ask("blue", "POST", "/api/v1/runs", {"name": "x"}, 201)


class Shares(TwoTeams):
    ARGUMENTS = ("--most-shares", "5", "--most-team-shares", "7")

    def share(self, who, state, expect=201):
        return self.ask(who, "POST", "/api/v1/shares", {"state": state}, expect)

    def test_a_share_is_its_makers_teams_and_bounded(self):
        made = self.share("blue_reader", {"path": "/", "n": 1})
        again = self.share("blue_reader", {"path": "/", "n": 1})
        self.assertNotEqual(made["hash"], again["hash"], "who guesses the state knows its name")
        path = "/api/v1/shares/" + made["hash"]
        self.assertEqual(self.ask("blue", "GET", path), {"path": "/", "n": 1})
        self.assertEqual(self.ask("all", "GET", path), {"path": "/", "n": 1})
        self.ask("red", "GET", path, expect=404)
        for _ in range(3):
            self.share("blue_reader", {})
        self.share("blue_reader", {}, expect=429)
        self.share("blue", {})
        self.share("blue", {})
        self.assertIn("the team", self.share("blue", {}, expect=429)["error"]["message"])
        self.share("red_reader", {})

    def test_readers_at_once_keep_no_more_than_they_may(self):
        statuses = []

        def keep():
            status, _, _ = self.server.ask(
                "POST",
                "/api/v1/shares",
                {"state": {}},
                {"Authorization": "Bearer " + self.tokens["red_reader"]},
            )
            statuses.append(status)

        threads = [threading.Thread(target=keep) for _ in range(20)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(sorted(statuses), [201] * 5 + [429] * 15)


if __name__ == "__main__":
    unittest.main(argv=["attack_server_test"])
