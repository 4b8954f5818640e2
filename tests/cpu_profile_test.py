"""Captures that sample the stacks of processes: what comes into traces, and what is said when it may not be."""

import glob
import json
import os
import shutil
import time
import unittest

import agent
import program
from agent import WithAgent
from waiting import LIMIT_S, until


class CpuProfile(WithAgent):
    def capture(self, one, training, **words):
        answer = one.ask(
            {
                "fn": "startCapture",
                "log_file": self.path("out.json"),
                "cpu": True,
                "pids": [training.pid],
                **(words or {"start_unix_ms": int(1000 * time.time()) + 500, "duration_ms": 1500}),
            }
        )
        self.assertEqual(answer["activityProfilersTriggered"], [training.pid], answer)
        return answer["id"]

    def sampled(self, one, training, least):
        """What a capture with so many samples came to: one that lasts twice as long, as long as there are fewer."""
        duration_ms = 1500
        while True:
            member = self.written(
                one, self.capture(one, training, start_unix_ms=int(1000 * time.time()) + 500, duration_ms=duration_ms)
            )
            if member["cpu"]["state"] == "off" or member["cpu"]["samples"] >= least or duration_ms > 1000 * LIMIT_S:
                return member
            duration_ms *= 2

    def written(self, one, identity):
        return until(
            lambda: [
                m
                for m in one.capture(identity)["members"]
                if m["state"] == "written" and m.get("cpu", {}).get("state") in ("done", "off")
            ]
        )[0]

    def text_of(self, path):
        until(lambda: os.path.exists(path))
        with open(path, encoding="utf-8") as file:
            return file.read()

    def skip_unless_done(self, member):
        if member["cpu"]["state"] == "off":
            self.skipTest(member["cpu"]["reason"])

    def test_where_a_process_is_busy(self):
        one = self.start()
        training = self.train("--busy")
        one.wait_for_processes(1)
        member = self.sampled(one, training, 40)
        self.skip_unless_done(member)
        self.assertGreaterEqual(member["cpu"]["samples"], 40)
        self.assertLess(member["cpu"]["of_core"], 0.1)
        # Without a server the trace stays as it is, and stacks lie beside it, as flame graphs are made of.
        written = self.path(f"out_{training.pid}.json")
        stacks = {}
        for line in self.text_of(written + ".cpu_stacks.txt").splitlines():
            stack, count = line.rsplit(" ", 1)
            stacks[stack] = int(count)
        of_thread = {
            stack: count
            for stack, count in stacks.items()
            if stack.startswith("rs-busy;") and "kineto_process.py" in stack
        }
        self.assertGreater(sum(of_thread.values()), 10, stacks)
        self.assertGreater(
            sum(count for stack, count in of_thread.items() if "keeps_a_core_busy" in stack),
            0.5 * sum(of_thread.values()),
            of_thread,
        )
        # The thread that waits is seen, too: samples are by the wall's clock.
        self.assertTrue([stack for stack in stacks if "): main" in stack], stacks)
        sidecar = json.loads(self.text_of(written + ".rankscope.json"))
        self.assertEqual((sidecar["cpu"]["state"], sidecar["cpu"]["samples"]), ("done", member["cpu"]["samples"]))

    def test_without_being_asked_nothing_is_sampled(self):
        one = self.start()
        training = self.train("--busy")
        one.wait_for_processes(1)
        identity = one.ask(
            {"fn": "startCapture", "log_file": self.path("out.json"), "duration_ms": 50, "pids": [training.pid]}
        )["id"]
        member = until(lambda: [m for m in one.capture(identity)["members"] if m["state"] == "written"])[0]
        self.assertNotIn("cpu", member)
        self.assertEqual(glob.glob(self.path("*.cpu_stacks.txt")), [])
        refused = one.ask(
            {"fn": "startCapture", "log_file": self.path("out.json"), "memory_snapshot": True, "cpu": True}
        )
        self.assertIn("memory_snapshot", refused["error"])

    def test_a_capture_that_is_cancelled_leaves_no_sampler(self):
        one = self.start()
        training = self.train("--busy")
        one.wait_for_processes(1)
        identity = self.capture(one, training, duration_ms=60_000)
        until(lambda: one.capture(identity)["members"][0].get("cpu", {}).get("state") in ("sampling", "off"))
        count = lambda: len(os.listdir(f"/proc/{one.process.pid}/task"))
        while_sampling = count()
        one.ask({"fn": "cancelCapture", "id": identity})
        until(lambda: count() < while_sampling)

    def test_a_process_that_ends_meanwhile(self):
        one = self.start()
        training = self.train("--busy")
        one.wait_for_processes(1)
        identity = self.capture(one, training, duration_ms=60_000)
        until(lambda: one.capture(identity)["members"][0].get("cpu", {}).get("state") in ("sampling", "off"))
        training.process.kill()
        training.process.wait()
        until(lambda: one.capture(identity)["members"][0]["state"] == "died")
        self.assertIsNone(one.process.poll())
        self.assertEqual(one.ask({"fn": "getStatus"}), {"status": 1})

    def test_an_agent_without_rights_says_why(self):
        """The agent is nobody, and the process is root's."""
        if os.getuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("it takes root to be somebody else")
        binary = program.for_nobody(agent.BINARY)
        os.chmod(self.folder, 0o777)
        wrapper = self.path("agent.sh")
        with open(wrapper, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec setpriv --reuid={program.NOBODY["user"]} --clear-groups {binary} "$@"\n')
        os.chmod(wrapper, 0o755)
        real, agent.BINARY = agent.BINARY, wrapper
        try:
            one = self.start()
        finally:
            agent.BINARY = real
        training = self.train("--busy")
        one.wait_for_processes(1)
        member = self.written(one, self.capture(one, training))
        self.assertEqual((member["cpu"]["state"], member["cpu"]["samples"]), ("off", 0))
        self.assertIn("python: ", member["cpu"]["reason"])
        self.assertIn("native: the kernel does not permit perf_event_open", member["cpu"]["reason"])
        self.assertTrue(os.path.exists(self.path(f"out_{training.pid}.json")), "the trace is there all the same")


if __name__ == "__main__":
    unittest.main(argv=["cpu_profile_test"])
