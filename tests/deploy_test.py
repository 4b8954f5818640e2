"""What examples/deploy says of metrics, settings and the agent's rights is true."""

import json
import os
import re
import shutil
import subprocess
import unittest

import agent
import server
from agent import WithAgent
from waiting import LIMIT_S, until

DEPLOY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "deploy"))


def text_of(name):
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
        return file.read()


class Deploy(WithAgent):
    def test_alerts_and_the_dashboard_ask_for_metrics_that_there_are(self):
        self.replace("devices", "count 2\nbusy 75\npower_mw 412500\n")
        os.environ["FAKE_NVML"] = self.path("devices")
        one = self.start(
            device__nvml_library=os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so"), device__interval_s=1
        )
        told = until(
            lambda: {name for name, _ in one.metrics()} | {"rankscope_device_busy_ratio"}
            if "rankscope_device_busy_ratio" in one.get("/metrics")
            else None
        )
        serving = server.Server(self.path("data"))
        self.addCleanup(serving.stop)
        told |= set(re.findall(r"^(rankscope_\w+)", serving.ask("GET", "/metrics", expect=200)[2].decode(), re.M))
        for name in ("alerts.yaml", "dashboard.json"):
            asked = set(re.findall(r"\brankscope_\w+", text_of(name)))
            self.assertGreater(len(asked), 5)
            # What this host lacks (NFS, memory that is watched) is known to the agent all the same: rules may name it.
            rules = [f"{metric} > 1 for 1s" for metric in sorted(asked - told)]
            config = self.path("rules.toml")
            with open(config, "w", encoding="utf-8") as file:
                file.write(
                    f"[triggers]\nrules = {json.dumps(rules)}\n[capture]\nspool_dir = {json.dumps(self.path('spool2'))}\n"
                )
            done = subprocess.run(
                [agent.BINARY, "--config", config, "--check-config"], capture_output=True, check=False, timeout=LIMIT_S
            )
            self.assertNotIn("triggers.rules", done.stdout.decode() + done.stderr.decode(), name)
        panels = json.loads(text_of("dashboard.json"))["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        self.assertTrue(all(panel["targets"][0]["expr"] for panel in panels))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd here")
    def test_the_unit_is_one_and_gives_little_away(self):
        unit = self.path("rankscope-agent.service")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text_of("rankscope-agent.service").replace("/usr/bin/rankscope-agent", agent.BINARY))
        done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, check=False, timeout=LIMIT_S)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=27", unit],
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        self.assertEqual(done.returncode, 0, "exposure over 2.7:\n" + done.stdout.decode()[-300:])

    def test_settings_of_the_daemon_set_are_settings(self):
        words = re.findall(r"--([a-z_]+\.[a-z_]+)=", text_of("daemonset.yaml"))
        self.assertGreater(len(words), 4)
        done = subprocess.run([agent.BINARY, "--help"], capture_output=True, check=True, timeout=LIMIT_S)
        for word in words:
            self.assertIn("--" + word, done.stdout.decode())


if __name__ == "__main__":
    unittest.main(argv=["deploy_test"])
