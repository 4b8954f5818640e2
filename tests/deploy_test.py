"""What examples/deploy says of metrics, settings and the agent's rights is true."""

import json
import os
import re
import shutil
import subprocess
import types
import unittest
import urllib.request

import program

program.by_a_python_that_has("yaml")

# pylint: disable=wrong-import-position
import yaml

import agent
import kineto_process
import server
import waiting
from agent import WithAgent
from cluster import Worker
from postgres import Postgres
from waiting import LIMIT_S, until

UNIT, JOB = 65531, 65534  # users who own nothing
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
        database = Postgres()
        self.addCleanup(database.stop)
        catalogue = database.new_database()
        # A server of a cluster tells all that one alone does.
        serving = server.Server(self.path("of cluster"), "--catalogue", catalogue)
        self.addCleanup(serving.stop)
        worker = Worker(self.path("of cluster"), catalogue, "--metrics", "127.0.0.1:0")
        self.addCleanup(worker.stop)
        with urllib.request.urlopen(worker.line.split("; ")[1], timeout=LIMIT_S) as answer:
            of_worker = answer.read().decode()
        # What was not counted yet has its type alone.
        for name, kind in re.findall(
            r"^# TYPE (rankscope_\w+) (\w+)$",
            serving.ask("GET", "/metrics", expect=200)[2].decode() + of_worker,
            re.M,
        ):
            told |= {name + part for part in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))}
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

    def test_each_alarm_has_its_page_in_the_runbook(self):
        alarms = re.findall(r"^ +- alert: (\w+)$", text_of("alerts.yaml"), re.M)
        with open(os.path.join(DEPLOY, "..", "..", "docs", "operations.md"), encoding="utf-8") as file:
            told = re.findall(r"^### (\w+)$", file.read(), re.M)
        self.assertGreater(len(alarms), 15)
        self.assertEqual(told, alarms)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd here")
    def test_the_unit_is_one_and_gives_little_away(self):
        unit = self.path("rankscope-agent.service")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text_of("rankscope-agent.service").replace("/usr/bin/rankscope-agent", agent.BINARY))
        done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, check=False, timeout=LIMIT_S)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", "--threshold=20", unit],
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        self.assertEqual(done.returncode, 0, "exposure over 2.0:\n" + done.stdout.decode()[-300:])

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd here")
    def test_the_unit_of_snoop_is_one_and_has_four_rights(self):
        text = text_of("rankscope-snoop.service")
        unit = self.path("rankscope-snoop.service")
        with open(unit, "w", encoding="utf-8") as file:
            file.write(text.replace("/usr/bin/rankscope-agent", agent.BINARY))
        done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, check=False, timeout=LIMIT_S)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        self.assertEqual(
            re.search(r"^CapabilityBoundingSet=(.+)$", text, re.M).group(1),
            "CAP_BPF CAP_PERFMON CAP_SYS_PTRACE CAP_DAC_READ_SEARCH",
        )
        # The agent asks where it listens.
        folder = re.search(r"^RuntimeDirectory=(.+)$", text, re.M).group(1)
        with open(os.path.join(DEPLOY, "..", "..", "docs", "agent.md"), encoding="utf-8") as file:
            self.assertIn(f"| `snoop.socket` | `/run/{folder}/socket` |", file.read())

    @unittest.skipIf(os.geteuid() != 0 or not shutil.which("setpriv"), "takes root")
    def test_the_rights_of_the_unit_are_enough(self):
        """As a user who owns nothing, with the unit's capabilities and its view of /proc: a job of another user is profiled, its rank
        is known, and what it wrote is brought to the server and removed."""
        rights = re.search(r"^AmbientCapabilities=(.+)$", text_of("rankscope-agent.service"), re.M).group(1)
        self.assertEqual(
            rights, re.search(r"^CapabilityBoundingSet=(.+)$", text_of("rankscope-agent.service"), re.M).group(1)
        )
        self.assertIn("\nProtectProc=invisible\n", text_of("rankscope-agent.service"))
        capabilities = ",".join("+" + name.removeprefix("CAP_").lower() for name in rights.split())
        os.chmod(self.folder, 0o1777)
        for name in ("state", "theirs"):
            os.mkdir(self.path(name))
        os.chmod(self.path("state"), 0o700)
        os.chown(self.path("state"), UNIT, UNIT)
        os.chown(self.path("theirs"), JOB, JOB)
        # The checkout may be out of their reach, as another Python than the system's may be.
        program, job = self.path("rankscope-agent"), self.path("kineto_process.py")
        shutil.copy(agent.BINARY, program)
        shutil.copy(kineto_process.__file__, job)
        shutil.copy(waiting.__file__, self.folder)
        hides = 'mount -t proc -o hidepid=invisible proc /proc && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", hides, "sh"]
        if subprocess.run([*command, "true"], capture_output=True, check=False, timeout=LIMIT_S).returncode != 0:
            self.skipTest("no mounts here")
        command += ["setpriv", f"--reuid={UNIT}", f"--regid={UNIT}", "--clear-groups", "--no-new-privs"]
        command += [f"--inh-caps=-all,{capabilities}", f"--ambient-caps=-all,{capabilities}"]
        command += [f"--bounding-set=-all,{capabilities}", program]
        serving = server.Server(self.path("data"))
        self.addCleanup(serving.stop)
        one = agent.Agent(
            self.folder,
            {"STATE_DIRECTORY": self.path("state")},
            command,
            server__url=serving.address,
            capture__folder=self.path("theirs"),
        )
        self.agents.append(one)
        process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["/usr/bin/python3", job, "--folder", self.folder],
            stdout=subprocess.PIPE,
            user=JOB,
            group=JOB,
            extra_groups=[],
            env={**os.environ, "RANK": "3", "WORLD_SIZE": "4"},
        )
        # Ended before the agent is.
        ends = lambda: (process.kill(), process.wait(), process.stdout.close())
        self.trainings.append(types.SimpleNamespace(end=ends))
        self.assertEqual(process.stdout.readline(), b"ready\n")
        (found,) = one.wait_for_processes(1)
        self.assertEqual((found["rank"], found["world_size"]), (3, 4))
        asked = one.ask({"fn": "startCapture", "log_file": self.path("theirs/trace.json"), "duration_ms": 100})
        until(lambda: one.get("/api/v1/deliveries").count('"sent"') == 1, lambda: one.lines)
        self.assertEqual(os.listdir(self.path("theirs")), [], asked)

    def test_what_the_daemon_set_names_is_there(self):
        parts = {part["kind"]: part for part in yaml.safe_load_all(text_of("daemonset.yaml"))}
        self.assertEqual(set(parts), {"Namespace", "Secret", "DaemonSet"})
        pod = parts["DaemonSet"]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        done = subprocess.run([agent.BINARY, "--help"], capture_output=True, check=True, timeout=LIMIT_S)
        settings = dict(word.removeprefix("--").split("=", 1) for word in container["args"])
        self.assertGreater(len(settings), 4)
        for word in settings:
            self.assertIn(f"--{word} VALUE", done.stdout.decode())
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        self.assertEqual(set(mounts), {volume["name"] for volume in pod["volumes"]})
        (secret,) = [volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume]
        self.assertEqual(secret, parts["Secret"]["metadata"]["name"])
        for setting in ("rpc.token_file", "server.token_file"):
            folder, name = os.path.split(settings[setting])
            self.assertEqual(folder, mounts["tokens"])
            self.assertIn(name, parts["Secret"]["stringData"])
        self.assertEqual(settings["kineto.socket_dir"], mounts["sockets"])
        port = int(settings["metrics.listen"].rsplit(":", 1)[1])
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            self.assertEqual(container[probe]["httpGet"], {"path": "/healthz", "port": port})
        self.assertLessEqual({"cpu", "memory"}, set(container["resources"]["limits"]))
        unit = re.search(r"^CapabilityBoundingSet=(.+)$", text_of("rankscope-agent.service"), re.M).group(1)
        given = set(container["securityContext"]["capabilities"]["add"])
        self.assertEqual(given, {name.removeprefix("CAP_") for name in unit.split()} | {"PERFMON"})
        # It is the agent as that starts it, with files for the secret and the folders.
        replaced = {"/etc/rankscope": self.path("tokens"), "/run/rankscope": self.folder, "0.0.0.0": "127.0.0.1"}
        os.mkdir(self.path("tokens"))
        for name, text in parts["Secret"]["stringData"].items():
            with open(os.path.join(self.path("tokens"), name), "w", encoding="utf-8") as file:
                file.write(text)
        words = container["args"]
        for old, new in replaced.items():
            words = [word.replace(old, new) for word in words]
        done = subprocess.run(
            [agent.BINARY, *words, "--capture.spool_dir", self.path("spool"), "--check-config"],
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_settings_that_the_package_brings_can_be_taken(self):
        text = text_of("agent.toml")
        commented = re.sub(r"^# ([a-z_]+ = )", r"\1", text, flags=re.M)
        self.assertNotEqual(commented, text)
        for words in (text, commented):
            self.replace("agent.toml", words)
            done = subprocess.run(
                [agent.BINARY, "--config", self.path("agent.toml"), "--check-config"],
                capture_output=True,
                check=False,
                timeout=LIMIT_S,
            )
            # Files and folders of a host that runs it are not here.
            wrong = [line for line in done.stderr.decode().splitlines() if "No such file" not in line]
            self.assertEqual(wrong, [])


class Cluster(unittest.TestCase):
    """examples/deploy/cluster: no engine of containers runs here, so what they would start is held against what the program takes."""

    def documents(self, name):
        return [one for one in yaml.safe_load_all(text_of(os.path.join("cluster", name))) if one]

    def options_of(self, command):
        done = subprocess.run(
            [program.BINARY, command, "--help"], capture_output=True, text=True, check=True, timeout=LIMIT_S
        )
        return set(re.findall(r"--[a-z][a-z0-9-]*", done.stdout))

    def check_words(self, words):
        self.assertIn(words[0], ("serve", "worker"))
        known = self.options_of(words[0])
        for word in words[1:]:
            self.assertIn(word.split("=")[0], known, words[0])
        self.assertFalse(any("PASSWORD" in word or "SECRET" in word for word in words))
        return {word.split("=")[0]: word.partition("=")[2] for word in words[1:]}

    def test_compose(self):
        [file] = self.documents("compose.yaml")
        ours = [one for one in file["services"].values() if "rankscope" in one["image"]]
        self.assertEqual(len(ours), 3)
        settings = [self.check_words(one["command"]) for one in ours]
        for option in ("--catalogue", "--data", "--blobs"):
            self.assertEqual(len({one[option] for one in settings}), 1, option)
        for one in file["services"].values():
            for needed in one.get("depends_on", []):
                self.assertIn(needed, file["services"])
            for volume in one.get("volumes", []):
                source, _, place = volume.partition(":")
                if place:
                    self.assertTrue(source.startswith("./") or source in file["volumes"], volume)
        for one, words in zip(ours, settings):
            # Of each container its own.
            self.assertIn(words["--blob-cache-dir"], one["volumes"])
        self.assertIn(settings[0]["--blobs"].split("/")[2], file["services"]["bucket"]["entrypoint"][2])

    def test_kubernetes(self):
        there = {(one["kind"], one["metadata"]["name"]): one for one in self.documents("kubernetes.yaml")}
        deployments = [one for (kind, _), one in there.items() if kind == "Deployment"]
        settings = []
        for deployment in deployments:
            spec = deployment["spec"]["template"]["spec"]
            labels = deployment["spec"]["template"]["metadata"]["labels"]
            self.assertEqual(deployment["spec"]["selector"]["matchLabels"], labels)
            [container] = spec["containers"]
            settings.append(self.check_words(container["args"]))
            for source in container["envFrom"]:
                for kind, name in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                    if kind in source:
                        self.assertIn((name, source[kind]["name"]), there)
            volumes = {volume["name"]: volume for volume in spec["volumes"]}
            mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
            self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, set(volumes))
            self.assertIn(settings[-1]["--data"], mounts)
            copies = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}[
                settings[-1]["--blob-cache-dir"]
            ]
            self.assertIn("emptyDir", volumes[copies])
            for volume in volumes.values():
                if "emptyDir" in volume:
                    continue
                if "persistentVolumeClaim" in volume:
                    self.assertIn(("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]), there)
                else:
                    self.assertIn(("Secret", volume["secret"]["secretName"]), there)
        for option in ("--catalogue", "--data", "--blobs"):
            self.assertEqual(len({one[option] for one in settings}), 1, option)
        service = there[("Service", "rankscope")]["spec"]["selector"]
        self.assertEqual(service, there[("Deployment", "rankscope-server")]["spec"]["template"]["metadata"]["labels"])


if __name__ == "__main__":
    unittest.main(argv=["deploy_test"])
