"""What load balancers ask an agent for, and the hook that takes a host out of service when a device of it fails."""

import json
import os
import unittest
import urllib.error
import urllib.request

import agent
from agent import WithAgent
from waiting import LIMIT_S, until

NVML = os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so")
WELL = "count 2\nbusy 40\n"
FELL_OFF = "count 2\nbusy 40\nxid_serial 1\nxid 79\nxid_device 1\nhandle1 !15\n"


class Drain(WithAgent):
    def setUp(self):
        super().setUp()
        self.replace("devices", WELL)
        os.environ["FAKE_NVML"] = self.path("devices")
        self.replace("drain.sh", '#!/bin/sh\necho "$1 $RANKSCOPE_DEVICE $RANKSCOPE_VERDICT" >> "$2"\n')
        os.chmod(self.path("drain.sh"), 0o755)

    def load(self, one):
        """(status, what it says)."""
        try:
            with urllib.request.urlopen(f"http://{one.addresses['metrics']}/api/v1/load", timeout=LIMIT_S) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.load(refused)

    def begin(self, **settings):
        return self.start(device__nvml_library=NVML, device__interval_s=1, host__name="node7", **settings)

    def test_without_a_hook_a_load_balancer_is_told(self):
        one = self.begin()
        status, load = until(lambda: (told := self.load(one))[1]["devices"] and told)
        self.assertEqual(status, 200)
        self.assertEqual(
            (load["host"], load["status"], load["accepts_work"], load["drain"], load["busy"]),
            ("node7", "ok", True, "off", 0.4),
        )
        self.replace("devices", FELL_OFF)
        until(lambda: self.load(one)[0] == 503)
        status, load = self.load(one)
        self.assertEqual((load["status"], load["accepts_work"]), ("failed", False))
        self.assertIn("Xid 79: it fell off the bus", load["reasons"][0])

    def test_the_hook_runs_once(self):
        settings = (
            f'[drain]\ncommand = ["{self.path("drain.sh")}", "resume later", "{self.path("said")}"]\nafter_s = 1\n'
        )
        self.replace("agent.toml", settings)
        one = self.start(
            config=self.path("agent.toml"), device__nvml_library=NVML, device__interval_s=1, host__name="node7"
        )
        until(lambda: self.load(one)[1]["drain"] == "ready")
        self.replace("devices", FELL_OFF)
        until(lambda: self.load(one)[1]["drain"] == "drained")
        status, load = self.load(one)
        self.assertEqual((status, load["accepts_work"]), (503, False))
        one.wait_for_lines("drain: device 1", "fell off the bus", "runs")
        one.wait_for_lines("the host is out of service")
        one.wait_for_readings("device_busy_ratio", 2)
        with open(self.path("said"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "resume later 1 failed\n")

    def test_a_changed_specification_drains_nobody(self):
        for number in range(2):
            self.replace(f"root/sys/class/accel/accel{number}/serial", f"SN-0{number}\n")
        chip = (
            '@requires("1")\nclass Chip(Device):\n    vendor = "acme"\n'
            '    instances = glob("/sys/class/accel/accel*", where=text("serial") != "SN-02")\n'
            '    serial = text("serial", cache=forever)\n'
        )
        self.replace("chip.probe", chip)
        self.replace(
            "agent.toml",
            f'[drain]\ncommand = ["{self.path("drain.sh")}", "no", "{self.path("said")}"]\nafter_s = 0\n',
        )
        one = self.start(
            config=self.path("agent.toml"),
            host__root=self.path("root"),
            device__nvml_library="",
            device__probes=self.path("chip.probe"),
            device__interval_s=1,
        )
        until(lambda: len(self.load(one)[1]["devices"]) == 2 and self.load(one)[1]["drain"] == "ready")
        self.replace("chip.probe", chip.replace('!= "SN-02"', '== "SN-01"'))
        until(lambda: [d["uuid"] for d in self.load(one)[1]["devices"]] == ["SN-01"])
        self.replace("chip.probe", chip.replace('!= "SN-02"', '== "SN-02"'))
        until(lambda: not self.load(one)[1]["devices"])
        status, load = until(lambda: (told := self.load(one))[1]["status"] == "unknown" and told)
        self.assertEqual((status, load["accepts_work"], load["reasons"], load["drain"]), (200, True, [], "ready"))
        self.assertFalse(os.path.exists(self.path("said")))

    def test_settings_that_cannot_be(self):
        self.replace("agent.toml", '[drain]\ncommand = ["drain.sh"]\nlimit_s = 0\n')
        said = agent.subprocess.run(
            [agent.BINARY, "--config", self.path("agent.toml"), "--check-config"],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("drain.command begins with the absolute path of a program", said.stdout + said.stderr)
        self.assertIn("drain.limit_s is 1 to 3600, not 0", said.stdout + said.stderr)


if __name__ == "__main__":
    unittest.main(argv=["drain_test"])
