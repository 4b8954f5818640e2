"""What is told of processes in pods: of those that train and those on devices, with names of a kubelet's page and without."""

import json
import os
import socket
import struct
import unittest

import agent
import server
import wire
from agent import WithAgent
from waiting import until

UID = "8c7a5f0e-1b2c-4d3e-9f80-0123456789ab"
SCORED = UID.replace("-", "_")
TRAINS, SERVES = "a" * 64, "b" * 64
LIST = {
    "kind": "PodList",
    "items": [
        {
            "metadata": {"name": "train-0", "namespace": "research", "uid": UID},
            "status": {"containerStatuses": [{"name": "pytorch", "containerID": "containerd://" + TRAINS}]},
        }
    ],
}


class Pods(WithAgent):
    def setUp(self):
        super().setUp()
        # Its first question waits for its answer until its files are there, which the agent reads when it sees it first.
        self.first = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.first.close)
        self.first.bind(self.path("dynolog"))
        self.training = self.train(RANK="3", WORLD_SIZE="4")
        self.training_address = self.first.recvfrom(4096)[1]
        os.unlink(self.path("dynolog"))
        # Its groups as a kubelet with systemd makes them; of a process that nobody asked work for, on the device, as Docker does.
        self.process(
            self.training.pid,
            "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod"
            f"{SCORED}.slice/cri-containerd-{TRAINS}.scope\n",
        )
        self.process(4712, f"4:memory:/docker/{SERVES}\n")
        self.replace("root/proc/self/status", "Name:\tpods_test\n")
        self.replace("devices", f"count 1\nbusy 10\nprocesses 2\npid {self.training.pid}\n")
        os.environ["FAKE_NVML"] = self.path("devices")

    def process(self, pid, cgroup):
        # Of a process that lives, so that it is not taken for one that has ended.
        with open(f"/proc/{self.training.pid}/stat", encoding="utf-8") as file:
            stat = file.read()
        for name, text in {"cgroup": cgroup, "comm": "python3\n", "stat": stat, "environ": "RANK=3\0"}.items():
            self.replace(f"root/proc/{pid}/{name}", text)

    def begin(self, **settings):
        one = self.start(
            host__root=self.path("root"),
            device__nvml_library=os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so"),
            device__interval_s=1,
            telemetry__intervals="process=1",
            **settings,
        )
        self.first.sendto(struct.pack("<Q32s", 0, b"req"), self.training_address)
        one.wait_for_processes(1)
        until(lambda: json.loads(one.get("/api/v1/devices"))["devices"])
        return one

    def labels_of(self, one, pid):
        """Of a metric of that process, without those that every process has."""
        for name, labels in one.metrics():
            if name == "rankscope_process_threads" and f'pid="{pid}"' in labels:
                pairs = dict(pair.split("=", 1) for pair in labels[1:-1].split(","))
                return {key: json.loads(value) for key, value in pairs.items() if key not in ("pid", "command", "job")}
        return None

    def wait_for_labels(self, one, pid, labels):
        """A process that was on its device before it asked for work is told without its rank until the round after."""
        until(lambda: self.labels_of(one, pid) == labels, lambda: f"{self.labels_of(one, pid)} instead of {labels}")

    def test_ids_are_told_without_a_list(self):
        one = self.begin()
        (process,) = one.processes()
        self.assertEqual((process["pod_uid"], process["container"]), (UID, TRAINS))
        self.assertEqual((process["pod"], process["container_name"]), (None, None))
        trains, serves = json.loads(one.get("/api/v1/devices"))["devices"][0]["processes"]
        self.assertEqual((trains["pid"], trains["pod_uid"], trains["rank"]), (self.training.pid, UID, 3))
        self.assertEqual((serves["pid"], serves["pod_uid"], serves["container"]), (4712, None, SERVES))
        self.wait_for_labels(one, self.training.pid, {"rank": "3", "pod_uid": UID, "container_id": TRAINS[:12]})
        self.wait_for_labels(one, 4712, {"container_id": SERVES[:12]})

    def test_names_come_from_the_kubelets_page(self):
        asked = []

        def answer(method, path, _fields, _body):
            asked.append((method, path))
            return 200, {"Content-Type": "application/json"}, json.dumps(LIST).encode()

        kubelet = wire.Between(answer)
        self.addCleanup(kubelet.end)
        serving = server.Server(self.path("data"))
        self.addCleanup(serving.stop)
        one = self.begin(
            kubernetes__pods=kubelet.address + "/pods",
            server__url=serving.address,
            server__interval_s=1,
            capture__spool_dir=self.path("spool"),
        )
        (process,) = until(lambda: [each for each in one.processes() if each["pod"]])
        self.assertEqual((process["pod"], process["container_name"]), ("research/train-0", "pytorch"))
        self.assertEqual(asked, [("GET", "/pods")])
        names = {"namespace": "research", "pod": "train-0", "container": "pytorch"}
        ids = {"rank": "3", "pod_uid": UID, "container_id": TRAINS[:12]}
        self.wait_for_labels(one, self.training.pid, {**ids, **names})
        self.assertEqual(one.metrics()["rankscope_agent_pods_known", ""], 1)
        hosts = lambda: serving.ask("GET", "/api/v1/hosts", expect=200)[2]["hosts"]
        until(lambda: any(each["pod"] == "research/train-0" for host in hosts() for each in host["processes"]))
        # A capture's members, too.
        made = one.ask({"fn": "startCapture", "log_file": self.path("trace.json"), "duration_ms": 100})
        (member,) = one.capture(made["id"])["members"]
        self.assertEqual((member["pod"], member["container"]), ("research/train-0", TRAINS))

    def test_a_list_that_cannot_be_had_is_said_and_ids_stay(self):
        one = self.begin(kubernetes__pods=self.path("pods.json"))
        one.wait_for_lines("pods: ", "No such file")
        (process,) = one.processes()
        self.assertEqual((process["pod_uid"], process["pod"]), (UID, None))
        self.assertEqual(one.metrics()["rankscope_agent_source_up", '{source="pods"}'], 0)


if __name__ == "__main__":
    unittest.main(argv=["pods_test"])
