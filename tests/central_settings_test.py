"""Settings that a server has for its hosts, as agents take them: over the wire of both, by token and by certificate."""

import json
import os
import unittest

import server
from agent import WithAgent
from waiting import LIMIT_S, until


class CentralSettings(WithAgent):
    def serve(self, text, *arguments):
        self.replace("settings.toml", text)
        serving = server.Server(self.path("data"), "--agent-settings", self.path("settings.toml"), *arguments)
        self.addCleanup(serving.stop)
        return serving

    def begin(self, serving, **settings):
        return self.start(
            server__url=serving.address,
            server__interval_s=1,
            capture__spool_dir=self.path("spool"),
            host__name="gpu-1",
            **settings,
        )

    def in_force(self, one):
        return {name: value for (name, _), value in one.metrics().items() if "_central_settings" in name}

    def test_a_trigger_of_the_server_fires_on_the_host(self):
        """A rule, of which nothing stands on the host."""
        serving = self.serve("[triggers]\nmost_per_hour = 7\n")
        one = self.begin(serving)
        self.train()
        one.wait_for_processes(1)
        one.wait_for_lines("settings of", "triggers.most_per_hour")
        # A number that every host has, and that is more than that at every reading.
        rule = 'load{minutes=\\"1\\"} > -1 for 1ms'
        self.replace("settings.toml", f'[triggers]\nrules = ["{rule}"]\niterations = 2\n[capture]\nshapes = false\n')
        one.wait_for_lines("settings of", "triggers.rules")
        taken = until(
            lambda: [
                each for each in json.loads(one.get("/api/v1/triggers"))["triggers"] if each["decision"] == "taken"
            ]
        )
        self.assertEqual(taken[0]["trigger"], "rule")
        line = self.trainings[0].line()
        self.assertIn("PROFILE_START_ITERATION_ROUNDUP", line)
        self.assertIn("ACTIVITIES_ITERATIONS=2", line)
        self.assertEqual(
            self.in_force(one),
            {"rankscope_agent_central_settings": 3, "rankscope_agent_central_settings_refused": 0},
        )
        (host,) = serving.ask("GET", "/api/v1/hosts", expect=200)[2]["hosts"]
        self.assertTrue(host["settings"])
        self.assertIsNone(host["settings_problem"])

    def test_what_the_host_says_stays_and_what_is_wrong_is_refused(self):
        serving = self.serve('[triggers]\niteration = 7\n[[only]]\nhosts = ["other-*"]\ntriggers.round_up = 3\n')
        one = self.begin(serving, triggers__most_per_hour=0)  # the iteration is given by the test's own agent
        one.wait_for_lines("settings of", "this host's own stay for triggers.iteration")
        # The server knows the key, and the agent that the value is none: it says so to both.
        self.replace("settings.toml", "[triggers]\nround_up = 0\n")
        one.wait_for_lines("are refused, those before stay", "triggers.round_up")
        problem = lambda: serving.ask("GET", "/api/v1/hosts", expect=200)[2]["hosts"][0]["settings_problem"]
        self.assertIn("triggers.round_up is 1 to", until(problem))
        self.assertEqual(self.in_force(one)["rankscope_agent_central_settings_refused"], 1)
        # A file that is broken changes nothing, and the log of the server says so.
        self.replace("settings.toml", "[rpc]\ntrust_loopback = true\n")
        until(lambda: [line for line in serving.events("agent-settings") if "rpc.trust_loopback is no setting" in line])
        # Good ones are taken again.
        self.replace("settings.toml", "[triggers]\nround_up = 20\n")
        until(lambda: not problem())
        until(lambda: self.in_force(one)["rankscope_agent_central_settings"] == 1)
        # They are there again without the server.
        one.stop()
        serving.stop()
        again = self.begin(serving)
        self.assertEqual(self.in_force(again)["rankscope_agent_central_settings"], 1)
        self.assertTrue(os.path.exists(self.path("spool/settings-of-the-server.json")))
        self.assertEqual(os.stat(self.path("spool")).st_mode & 0o077, 0)

    def test_an_agent_that_wants_none_is_given_none(self):
        serving = self.serve("[triggers]\nround_up = 20\n")
        one = self.begin(serving, server__settings="false")
        (host,) = until(lambda: serving.ask("GET", "/api/v1/hosts", expect=200)[2]["hosts"])
        self.assertIsNone(host["settings"])
        self.assertEqual(self.in_force(one), {})
        # Nor one of before there were any, whose report has no such member.
        report = {"host": "old", "instance": "1", "version": "0.0.9", "wait_ms": 0}
        reply = serving.ask("POST", "/api/v1/hosts", report, expect=200)[2]
        self.assertEqual(set(reply), {"received_us", "requests", "replied_us"})

    def test_they_are_given_to_who_may_report_alone(self):
        tokens = self.path("tokens")
        lines = {}
        for role in ("read", "upload"):
            done = server.subprocess.run(
                [server.program.BINARY, "token", role, "--team", "blue", "--file", tokens],
                capture_output=True,
                check=True,
                timeout=LIMIT_S,
            )
            lines[role] = done.stdout.decode().strip()
        serving = self.serve('[[only]]\nteam = "blue"\ntriggers.round_up = 20\n', "--token-file", tokens)
        report = {"host": "a", "instance": "1", "wait_ms": 0, "settings": {"id": "", "refused": "", "problem": ""}}
        for role, status in (("", 401), ("read", 403), ("upload", 200)):
            headers = {"Authorization": "Bearer " + lines[role]} if role else {}
            reply = serving.ask("POST", "/api/v1/hosts", report, headers, expect=status)[2]
            self.assertEqual("settings" in reply, role == "upload", reply)
        self.assertEqual(reply["settings"]["values"], {"triggers.round_up": ["20"]})

    def test_a_server_does_not_start_with_a_file_that_is_wrong(self):
        with self.assertRaisesRegex(AssertionError, "line 2: triggers.iteratoin .*did you mean triggers.iteration"):
            self.serve("[triggers]\niteratoin = 0\n")


if __name__ == "__main__":
    unittest.main(argv=["central_settings_test"])
