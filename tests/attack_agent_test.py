"""A user of a shared node against an agent of root: what he names to it, and what he asks it for. Takes root."""

import ctypes
import json
import os
import re
import resource
import signal
import socket
import stat
import struct
import subprocess
import sys
import unittest

import agent
import kineto_process
import program
import server
from agent import WithAgent
from waiting import LIMIT_S, until

NOBODY = 65534
OTHER = 65533


class AsUser:
    """What a function does as another user, in a process of its own; `result()` is what it returned. The interpreter may lie where
    others may not look, so it is not started anew."""

    def __init__(self, uid, function):
        self.end, writes = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.end)
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                os.write(writes, json.dumps(function()).encode())
            finally:
                os._exit(0)  # pylint: disable=protected-access
        os.close(writes)

    def result(self):
        data = b""
        while piece := os.read(self.end, 65536):
            data += piece
        self._ended()
        return json.loads(data)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self._ended()

    def _ended(self):
        os.waitpid(self.pid, 0)
        os.close(self.end)


def ask_as(uid, one, request):
    """What agent `one` answers that user."""
    return AsUser(uid, lambda: one.ask(request)).result()


def exchange_for_ever(first, second):
    """Each has the other's name, as fast as that goes."""
    libc = ctypes.CDLL(None)
    while True:
        libc.renameat2(-100, first.encode(), -100, second.encode(), 2)


class Attacker(kineto_process.KinetoSocket):
    """Sends as user `uid` with the pid of a process of his: the kernel lets root say so, and tells the agent what it would tell it of
    him."""

    def __init__(self, folder, uid):
        super().__init__(folder)
        self.process = subprocess.Popen(["sleep", "1000"], user=uid, group=uid, extra_groups=[])
        self.pid = self.process.pid
        self.uid = uid

    def send(self, kind, payload):
        credentials = struct.pack("=iII", self.pid, self.uid, self.uid)
        self.socket.sendmsg(
            [struct.pack("<Q32s", len(payload), kind) + payload],
            [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, credentials)],
            0,
            self.daemon,
        )

    def polls(self):
        return self.poll(2, 0, [self.pid])

    def end(self):
        self.process.kill()
        self.process.wait(timeout=LIMIT_S)
        self.socket.close()


@unittest.skipIf(os.geteuid() != 0, "takes root")
class AUserOfTheNode(WithAgent):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.attackers = []
        self.server = server.Server(self.path("store"))
        self.theirs = self.path("theirs")
        os.mkdir(self.theirs)
        os.chown(self.theirs, NOBODY, NOBODY)
        self.roots = self.path("roots")
        os.mkdir(self.roots, 0o700)
        self.secret = os.path.join(self.roots, "secret")
        self.one = self.start(server__url=self.server.address, capture__spool_dir=self.path("spool"))

    def tearDown(self):
        for attacker in self.attackers:
            attacker.end()
        self.server.stop()
        super().tearDown()

    def attacker(self, uid=NOBODY):
        made = Attacker(self.folder, uid)
        self.attackers.append(made)
        self.assertEqual(made.polls(), "")
        return made

    def ask_as(self, uid, request):
        return ask_as(uid, self.one, request)

    def led_to(self, attacker, log_file):
        """What becomes of a capture whose file the attacker's process was told to write to."""
        answer = self.one.ask({"fn": "startCapture", "log_file": log_file, "duration_ms": 50, "pids": [attacker.pid]})
        self.assertEqual(answer["activityProfilersTriggered"], [attacker.pid])
        self.assertIn("ACTIVITIES_LOG_FILE", attacker.polls())
        return answer["id"]

    def put_secret(self, name):
        """A file of root's, made just now, as the trace would be called."""
        path = os.path.join(self.roots, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"traceEvents": ["secret"]}')
        os.chmod(path, 0o600)
        return path

    def looks(self, count=8):
        """Until the agent has looked for files so many times: an own process that writes is found by looks alone."""
        for _ in range(count // 4):
            witness = self.attacker(0)
            identity = self.led_to(witness, self.path("witness.json"))
            with open(self.path(f"witness_{witness.pid}.json"), "w", encoding="utf-8") as file:
                file.write('{"traceEvents": []}')
            until(lambda i=identity: self.one.capture(i)["members"][0]["state"] == "written")

    def assert_kept(self, identity, secret):
        self.looks()
        self.assertTrue(os.path.exists(secret), "root's file is gone")
        member = self.one.capture(identity)["members"][0]
        self.assertNotEqual(member["state"], "written", member)
        runs = self.server.get("/api/v1/runs")["runs"]
        for run in runs:
            for file in self.server.get(f"/api/v1/runs/{run['id']}/files")["files"]:
                self.assertNotIn(str(member["pid"]), file["name"])

    def test_a_folder_of_roots_is_not_opened(self):
        one = self.attacker()
        secret = self.put_secret(f"t_{one.pid}.json")
        self.assert_kept(self.led_to(one, self.roots + "/t.json"), secret)

    def test_a_link_to_a_folder_of_roots_leads_nowhere(self):
        one = self.attacker()
        secret = self.put_secret(f"t_{one.pid}.json")
        os.symlink(self.roots, self.theirs + "/link")
        self.assert_kept(self.led_to(one, self.theirs + "/link/t.json"), secret)

    def test_links_to_files_of_roots_are_no_traces(self):
        one = self.attacker()
        secret = self.put_secret("secret")
        os.symlink(secret, self.theirs + f"/t_{one.pid}.json")
        self.assert_kept(self.led_to(one, self.theirs + "/t.json"), secret)

    def test_a_second_name_of_roots_file_is_no_trace(self):
        one = self.attacker()
        secret = self.put_secret("secret")
        os.link(secret, self.theirs + f"/t_{one.pid}.json")
        self.assert_kept(self.led_to(one, self.theirs + "/t.json"), secret)
        self.assertTrue(os.path.exists(self.theirs + f"/t_{one.pid}.json"))

    def test_a_file_of_another_user_is_no_trace(self):
        one = self.attacker()
        path = self.theirs + f"/t_{one.pid}.json"
        identity = self.led_to(one, self.theirs + "/t.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"traceEvents": []}')
        os.chmod(path, 0o666)
        self.assert_kept(identity, path)

    def test_folders_that_are_exchanged_all_the_time(self):
        """A race: the folder is now theirs, now a link to root's."""
        one = self.attacker()
        secret = self.put_secret(f"t_{one.pid}.json")
        os.mkdir(self.theirs + "/a")
        os.chown(self.theirs + "/a", NOBODY, NOBODY)
        os.symlink(self.roots, self.theirs + "/b")
        racer = AsUser(NOBODY, lambda: exchange_for_ever(self.theirs + "/a", self.theirs + "/b"))
        try:
            for _ in range(3):
                self.assert_kept(self.led_to(one, self.theirs + "/a/t.json"), secret)
                for capture in self.one.ask({"fn": "listCaptures"})["captures"]:
                    self.one.ask({"fn": "cancelCapture", "id": capture["id"]})
                self.looks(4)
                self.assertTrue(os.path.exists(secret), "removed as what a capture left behind")
                one = self.attacker()
                secret = self.put_secret(f"t_{one.pid}.json")
        finally:
            racer.kill()

    def test_their_own_file_is_brought_and_removed(self):
        """The same way, and nothing wrong."""
        one = self.attacker()
        identity = self.led_to(one, self.theirs + "/t.json")
        path = self.theirs + f"/t_{one.pid}.json"
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            file.write('{"traceEvents": []}')
        os.chown(path + ".tmp", NOBODY, NOBODY)
        os.rename(path + ".tmp", path)
        until(lambda: self.one.capture(identity)["members"][0]["state"] == "written")
        until(lambda: not os.path.exists(path))
        run = until(lambda: self.server.get("/api/v1/runs")["runs"])[0]
        files = self.server.get(f"/api/v1/runs/{run['id']}/files")["files"]
        self.assertTrue(any(str(one.pid) in file["name"] for file in files), files)
        spool = os.stat(self.path("spool"))
        self.assertEqual((stat.S_IMODE(spool.st_mode), spool.st_uid), (0o700, 0))
        self.assertEqual(os.listdir(self.path("spool")), [])

    def test_nobody_asks_for_processes_of_others(self):
        mine, other = self.attacker(NOBODY), self.attacker(OTHER)
        config = f"ACTIVITIES_LOG_FILE={self.theirs}/x.json"
        ask = {"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, "pids": [0]}
        self.assertEqual(self.ask_as(NOBODY, ask)["processesMatched"], [mine.pid])
        self.assertEqual(self.ask_as(OTHER, {**ask, "pids": [mine.pid]})["processesMatched"], [])
        self.assertEqual([one["pid"] for one in self.ask_as(OTHER, {"fn": "listProcesses"})["processes"]], [other.pid])
        self.assertEqual(len(self.one.ask({"fn": "listProcesses"})["processes"]), 2, "root sees all")
        self.one.wait_for_lines(f"user {NOBODY}", "asks for setKinetOnDemandRequest", str(mine.pid))
        # And names no run.
        self.assertIn(
            "takes the agent's token",
            self.ask_as(
                NOBODY, {"fn": "startCapture", "log_file": self.theirs + "/y.json", "id": "0123456789abcdef:1"}
            )["error"],
        )

    def test_who_closes_before_he_is_known_is_nobody(self):
        """The kernel tells a closed end as user 0, and of one that was reset no address."""
        frame = lambda **words: struct.pack("<i", len(json.dumps(words))) + json.dumps(words).encode()
        start = frame(fn="startCapture", log_file="/tmp/z.json", id="0123456789abcdef:1")
        # Keeps the loop busy, so that others are gone by the time it looks.
        busy = frame(fn="startCapture", log_file="/tmp/z.json", pids=[1] * 60_000)

        def attack():
            for resets in (False, True):
                for _ in range(10):
                    with self.one.connect() as first:
                        first.sendall(busy)
                        for _ in range(10):
                            with self.one.connect() as second:
                                second.sendall(start)
                                if resets:
                                    second.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return True

        victim = self.attacker(OTHER)
        self.assertTrue(AsUser(NOBODY, attack).result())
        self.assertEqual(self.one.ask({"fn": "getStatus"}), {"status": 1})
        self.assertEqual(self.one.ask({"fn": "listCaptures"}), {"captures": []})
        self.assertEqual(victim.polls(), "", "it was told to record")
        self.assertEqual([line for line in self.one.lines if "asks for" in line and f"user {NOBODY}" not in line], [])

    def memory(self):
        with open(f"/proc/{self.one.process.pid}/status", encoding="utf-8") as file:
            return 1024 * int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def flood(self, count, data):
        """How much the agent's memory grows while NOBODY has so many connections open that said that; others are answered."""
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
        says, hears = os.pipe(), os.pipe()

        def attack():
            os.close(hears[1])
            kept = []
            for _ in range(count):
                try:
                    kept.append(self.one.connect())
                    kept[-1].sendall(data)
                except OSError:
                    pass
            os.write(says[1], b"x")
            os.read(hears[0], 1)
            for one in kept:
                one.close()
            return True

        self.one.ask({"fn": "getStatus"})  # loads what another user may not read
        before = self.memory()
        attacker = AsUser(NOBODY, attack)
        try:
            os.read(says[0], 1)
            grown = self.memory() - before
            self.assertEqual(self.one.ask({"fn": "getStatus"}), {"status": 1})
            self.assertIn("ok", self.one.get("/healthz"))
        finally:
            os.close(hears[1])
            attacker.result()
            for end in (*says, hears[0]):
                os.close(end)
        return grown

    def test_frames_that_never_end_take_no_memory(self):
        grown = self.flood(400, struct.pack("<i", 1 << 20) + b"x" * ((1 << 20) - 1))
        self.assertLess(grown, 40e6)

    def test_idle_connections_take_no_descriptors(self):
        resource.prlimit(self.one.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
        self.flood(1020, b"")

    def test_a_file_that_somebody_named_stays(self):
        one = self.attacker()
        config = f"ACTIVITIES_LOG_FILE={self.theirs}/named.json"
        answer = self.ask_as(NOBODY, {"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, "pids": []})
        self.assertIn("named.json", one.polls())
        path = self.theirs + f"/named_{one.pid}.json"
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            file.write('{"traceEvents": []}')
        os.chown(path + ".tmp", NOBODY, NOBODY)
        os.rename(path + ".tmp", path)
        until(lambda: self.one.capture(answer["id"])["members"][0]["state"] == "written")
        until(lambda: [d for d in json.loads(self.one.get("/api/v1/deliveries"))["deliveries"] if d["state"] == "sent"])
        self.assertTrue(os.path.exists(path))


@unittest.skipIf(os.geteuid() != 0, "takes root")
class Spool(WithAgent):
    def test_a_folder_of_somebody_else_is_refused(self):
        spool = self.path("spool")
        os.mkdir(spool, 0o700)
        os.chown(spool, NOBODY, NOBODY)
        done = subprocess.run(
            [agent.BINARY, "--kineto.socket_dir", self.folder, "--capture.spool_dir", spool],
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"belongs to user 65534", done.stderr)

    def test_everybody_is_trusted_where_the_settings_say_so(self):
        os.chmod(self.folder, 0o755)
        one = self.start(rpc__trust_loopback="true")
        attacker = Attacker(self.folder, NOBODY)
        try:
            attacker.polls()
            self.assertEqual(len(ask_as(OTHER, one, {"fn": "listProcesses"})["processes"]), 1)
        finally:
            attacker.end()


if __name__ == "__main__":
    unittest.main(argv=["attack_agent_test"])
