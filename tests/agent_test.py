"""rankscope-agent as training processes, dynolog's clients, Prometheus and an operator meet it."""

import glob
import gzip
import http.server
import json
import os
import socket
import struct
import subprocess
import threading
import time
import unittest
import urllib.error

import agent
import kineto_process
import program
import server
from agent import WithAgent
from waiting import LIMIT_S, until

ON_DEMAND = (
    "ACTIVITIES_LOG_FILE={path}\nPROFILE_START_TIME=0\nACTIVITIES_DURATION_MSECS=50\nPROFILE_REPORT_INPUT_SHAPES=true\n"
    "PROFILE_WITH_STACK=false\nPROFILE_WITH_FLOPS=false\nPROFILE_WITH_MODULES=false\n"
)


class Kineto(WithAgent):
    def test_a_process_is_told_what_dynologs_client_asks_for(self):
        for folder in (self.folder, ""):
            with self.subTest(folder=folder):
                one = self.start(folder)
                self.assertEqual(one.addresses["kineto"], self.path("dynolog") if folder else "@dynolog")
                training = self.train(folder=folder, RANK="3", WORLD_SIZE="8", LOCAL_RANK="3")
                seen = one.wait_for_processes(1)[0]
                self.assertEqual(
                    (seen["pid"], seen["inside"], seen["rank"], seen["world_size"], seen["user"]),
                    (training.pid, [training.pid, os.getpid()], 3, 8, "ada"),
                )
                config = ON_DEMAND.format(path=self.path("out.json"))
                answer = one.ask(
                    {"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, "pids": [0], "process_limit": 3}
                )
                self.assertEqual(answer["activityProfilersTriggered"], [training.pid])
                self.assertEqual(answer["processesMatched"], [training.pid])
                self.assertEqual(
                    (answer["activityProfilersBusy"], answer["eventProfilersBusy"], answer["eventProfilersTriggered"]),
                    (0, 0, []),
                )
                # What was asked for, as it was, and the trace's id behind it.
                self.assertEqual(training.line(), (config + f"REQUEST_TRACE_ID={answer['id']}\n").replace("\n", "|"))
                written = self.path(f"out_{training.pid}.json")
                self.assertEqual(training.line(), "wrote " + written)
                member = until(lambda: [m for m in one.capture(answer["id"])["members"] if m["state"] == "written"])[0]
                self.assertEqual(
                    (member["path"], member["bytes"], member["rank"]), (written, os.path.getsize(written), 3)
                )
                # Without a server the trace stays, with what is known beside it.
                sidecar = json.loads(
                    until(
                        lambda: glob.glob(written + ".rankscope.json")
                        and open(written + ".rankscope.json", encoding="utf-8").read()
                    )
                )
                self.assertEqual(
                    (sidecar["rank"], sidecar["world_size"], sidecar["inside"], sidecar["capture"]),
                    (3, 8, training.pid, answer["id"]),
                )
                training.end()
                one.stop()
                self.assertFalse(folder and os.path.exists(self.path("dynolog")), "the socket's file stays")

    def test_who_says_who_it_is_and_who_is_never_asked(self):
        one = self.start()
        client = kineto_process.KinetoSocket(self.folder)
        self.assertEqual(client.register(3, 16787, 4242), 1)
        self.assertEqual(client.register(3, 16788, 4242), 2)
        self.assertEqual(client.register(3, 16787, 4242), 2)
        self.assertEqual(client.register(0, 0, 0), -1)
        self.assertEqual(
            one.ask(
                {
                    "fn": "setKinetOnDemandRequest",
                    "config": ON_DEMAND.format(path="/tmp/x.json"),
                    "job_id": 4242,
                    "pids": [],
                }
            )["processesMatched"],
            [],
        )
        self.assertEqual(client.poll(2, 4242, [os.getpid(), os.getppid()]), "")
        self.assertEqual(one.processes()[0]["job"], 4242)

    def test_jobs_pids_limits_and_who_is_busy(self):
        one = self.start()
        holds = ("--holds", self.path("go"))
        first, second, third = self.train(*holds), self.train(*holds), self.train(SLURM_JOB_ID="77")
        one.wait_for_processes(3)
        config = ON_DEMAND.format(path=self.path("a.json"))
        ask = lambda **words: one.ask({"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, **words})
        self.assertEqual(ask(pids=[1])["processesMatched"], [])
        self.assertEqual(ask(pids=[third.pid])["processesMatched"], [], "another job's")
        self.assertEqual(
            sorted(ask(pids=[os.getpid()], process_limit=0)["processesMatched"]),
            sorted([first.pid, second.pid]),
            "by an ancestor",
        )
        limited = ask(process_limit=1)
        self.assertEqual((len(limited["activityProfilersTriggered"]), len(limited["processesMatched"])), (1, 2))
        again = ask()
        self.assertEqual((again["activityProfilersBusy"], len(again["activityProfilersTriggered"])), (1, 1))
        self.assertEqual(ask(job_id=77)["activityProfilersTriggered"], [third.pid])
        states = lambda identity: sorted(m["state"] for m in one.capture(identity)["members"])
        self.replace("go", "")
        until(lambda: states(limited["id"]) == ["written"])
        until(lambda: states(again["id"]) == ["busy", "written"])

    def test_what_becomes_of_those_that_do_not_record(self):
        one = self.start()
        dies, cancelled = self.train("--dies"), self.train("--every", "50")
        one.wait_for_processes(2)
        ask = lambda pid: one.ask(
            {"fn": "startCapture", "log_file": self.path("b.json"), "duration_ms": 50, "pids": [pid]}
        )["id"]
        identity = ask(dies.pid)
        member = (
            until(
                lambda: [
                    m for m in one.capture(identity)["members"] if m["state"] != "waiting" and m["state"] != "delivered"
                ]
            )[0]
            if dies.process.wait(LIMIT_S) is not None
            else None
        )
        self.assertEqual(member["state"], "died")
        self.assertIn("ended before", member["reason"])
        identity = ask(cancelled.pid)
        self.assertEqual(one.ask({"fn": "cancelCapture", "id": identity}), {"cancelled": True})
        self.assertEqual(one.ask({"fn": "cancelCapture", "id": identity}), {"cancelled": False})
        self.assertEqual(one.capture(identity)["members"][0]["state"], "cancelled")
        self.assertIn("no capture", one.capture("none")["error"])
        # What is not allowed to write there writes elsewhere, and is found.
        fallback = self.train("--fallback")
        one.wait_for_processes(2)
        answer = one.ask(
            {"fn": "startCapture", "log_file": "/var/nowhere/c.json", "duration_ms": 50, "pids": [fallback.pid]}
        )
        self.assertIn("KINETO_ONDEMAND_TRACE_DIR", answer["warnings"][0])
        member = until(lambda: [m for m in one.capture(answer["id"])["members"] if m["state"] == "written"])[0]
        self.assertEqual(member["path"], f"/tmp/libkineto_activities_{fallback.pid}.json")
        for left in glob.glob(member["path"] + "*"):
            os.remove(left)

    def test_an_agent_that_is_stopped_takes_away_what_died_processes_left(self):
        """Looked for in rounds of a quarter of a second: the last ones are made at the end."""
        for attempt in range(5):
            one = self.start()
            training, other = self.train(), self.train()
            one.wait_for_processes(2)
            path = self.path(f"left{attempt}.pt.trace.json")
            asked = {"fn": "startCapture", "pids": [training.pid], "log_file": path, "duration_ms": 60_000}
            self.assertIn(str(training.pid), str(one.ask(asked)))
            training.line()
            # A round that finds another's trace has looked at this one, too: its folder is opened while it lives.
            quick = {**asked, "pids": [other.pid], "log_file": self.path(f"other{attempt}.json"), "duration_ms": 100}
            made = one.ask(quick)
            until(lambda: one.capture(made["id"])["members"][0]["state"] == "written")
            begun = path.replace(".pt.", f"_{training.pid}.pt.") + ".tmp"
            with open(begun, "w", encoding="utf-8") as file:
                file.write("{")
            other.end()
            training.end()
            self.trainings.clear()
            self.assertEqual(one.stop(), 0)
            self.assertFalse(os.path.exists(begun))
            self.agents.remove(one)

    def test_a_process_that_does_not_listen_has_refused(self):
        one = self.start()
        deaf = self.train("--deaf", "--every", "0.5")
        one.wait_for_processes(1)
        identity = one.ask({"fn": "startCapture", "log_file": self.path("d.json"), "pids": [deaf.pid]})["id"]
        member = until(lambda: [m for m in one.capture(identity)["members"] if m["state"] == "refused"])[0]
        self.assertIn("did not record", member["reason"])

    def test_every_process_is_profiled_once_at_an_iteration(self):
        one = self.start(
            triggers__iteration=7, triggers__settle_s=0, triggers__iterations=2, capture__folder=self.folder
        )
        training = self.train(SLURM_JOB_ID="12", SLURM_JOB_NAME="llama", RANK="0")
        line = training.line()
        self.assertIn(
            "|PROFILE_START_ITERATION=7|PROFILE_START_ITERATION_ROUNDUP=10|ACTIVITIES_ITERATIONS=2|", "|" + line
        )
        self.assertIn("ACTIVITIES_DURATION_MSECS=", line)
        written = training.line()
        self.assertTrue(
            written.startswith(f"wrote {self.folder}/rankscope-iteration-7_{training.pid}.pt.trace.json"), written
        )
        until(
            lambda: [
                c
                for c in json.loads(one.get("/api/v1/captures"))["captures"]
                if c["over"] and c["source"] == "iteration"
            ]
        )
        one.wait_for_polls(20)
        self.assertEqual(len(json.loads(one.get("/api/v1/captures"))["captures"]), 1)
        one.wait_for_lines("trigger iteration", "job '12'")

    def test_what_triggers_decide_is_told(self):
        os.makedirs(self.path("root/proc"))
        kills = lambda count: self.replace("root/proc/vmstat", f"oom_kill {count}\n")
        kills(3)
        one = self.start(
            host__root=self.path("root"),
            capture__folder=self.folder,
            triggers__events="oom_kill",
            triggers__job_pause_s=3600,
            telemetry__intervals="vmstat=1",
            device__nvml_library="",
        )
        training = self.train("--every", "0.2", SLURM_JOB_ID="12")
        one.wait_for_processes(1)
        until(lambda: one.metrics().get(("rankscope_oom_kills_total", "")) == 3)
        self.assertEqual(one.ask({"fn": "listTriggers"}), {"triggers": []})
        kills(4)
        line = training.line()
        self.assertIn("|PROFILE_START_ITERATION_ROUNDUP=10|", "|" + line)
        self.assertIn("rankscope-event-", line)
        told = until(lambda: json.loads(one.get("/api/v1/triggers"))["triggers"])
        self.assertEqual(
            (told[0]["trigger"], told[0]["job"], told[0]["decision"], told[0]["processes"], told[0]["reason"]),
            ("event", "12", "taken", 1, None),
        )
        self.assertIn("rankscope_oom_kills_total rises by 1", told[0]["cause"])
        self.assertEqual(one.capture(told[0]["capture"])["source"], "event")
        self.assertTrue(training.line().startswith("wrote "))
        # The next one comes too soon, and that is told as well.
        until(lambda: one.capture(told[0]["capture"])["over"])
        one.wait_for_readings("oom_kills_total", 2)  # it rises no longer
        kills(5)
        told = until(lambda: [t for t in one.ask({"fn": "listTriggers"})["triggers"] if t["decision"] == "refused"])
        self.assertIn("triggers.job_pause_s", told[0]["reason"])
        one.wait_for_lines("trigger event: job '12'", "refused")

    def test_a_rule_profiles_once_for_each_crossing(self):
        load = lambda value: self.replace("root/proc/loadavg", f"{value} 1 1 3/400 999\n")
        load(1)
        one = self.start(
            host__root=self.path("root"),
            capture__folder=self.folder,
            triggers__rules='load{minutes="1"} > 5 for 1s',
            triggers__job_pause_s=0,
            telemetry__intervals="load=1",
            device__nvml_library="",
        )
        training = self.train("--every", "0.2", SLURM_JOB_ID="12")
        one.wait_for_processes(1)
        until(lambda: one.metrics().get(("rankscope_load", '{minutes="1"}')) == 1)
        load(9)
        self.assertIn("rankscope-rule-", training.line())
        one.wait_for_readings("load", 3)
        told = json.loads(one.get("/api/v1/triggers"))["triggers"]
        self.assertEqual(
            [(t["trigger"], t["decision"], t["cause"]) for t in told],
            [("rule", "taken", 'rankscope_load{minutes="1"} is 9 (load{minutes="1"} > 5 for 1s)')],
        )
        load(1)
        until(lambda: one.metrics()["rankscope_load", '{minutes="1"}'] == 1)
        one.wait_for_readings("load", 3)
        load(7)
        until(lambda: len(json.loads(one.get("/api/v1/triggers"))["triggers"]) == 2)


class Hostile(WithAgent):
    def test_no_datagram_harms_it(self):
        one = self.start()
        client = kineto_process.KinetoSocket(self.folder)
        head = lambda size, kind: struct.pack("<Q32s", size, kind)
        poll = struct.pack("<iiqi", 2, 1, 0, os.getpid())
        bad = [
            b"",
            b"x",
            head(0, b""),
            head(20, b"req") + poll[:-1],
            head(2**63, b"req") + poll,
            head(20, b"reqq") + poll,
            head(20, b"x" * 32) + poll,
            head(20, b"req") + struct.pack("<iiqi", 2, 2**31 - 1, 0, 1),
            head(20, b"req") + struct.pack("<iiqi", 2, -1, 0, 1),
            head(20, b"req") + struct.pack("<iiqi", 2, 1, 0, -5),
            head(16, b"req") + struct.pack("<iiq", 2, 0, 0),
            os.urandom(60000),
        ]
        for one_bad in bad:
            client.socket.sendto(one_bad, client.daemon)
        # One without an address to reply to.
        nameless = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        nameless.sendto(head(20, b"req") + poll, client.daemon)
        nameless.close()
        self.assertEqual(client.poll(2, 0, [os.getpid()]), "", "and answers who is right")
        metrics = one.metrics()
        self.assertEqual(metrics["rankscope_agent_datagrams_total", '{result="refused"}'], len(bad))
        self.assertEqual(metrics["rankscope_agent_datagrams_total", '{result="unanswered"}'], 1)
        self.assertIsNone(one.process.poll())

    def test_no_request_harms_it(self):
        one = self.start()
        silent = [one.connect() for _ in range(50)]
        for data in (struct.pack("<i", -1), struct.pack("<i", 2**31 - 1), struct.pack("<i", 2**20 + 1)):
            with one.connect() as connection:
                connection.sendall(data)
                self.assertEqual(connection.recv(100), b"", "closed at once")
        with one.connect() as connection:
            connection.sendall(struct.pack("<i", 100) + b"half")
        for text in (
            b"",
            b"{",
            b"[]",
            b"null",
            b"{}",
            b'{"fn":1}',
            b'{"fn":"unknown"}',
            b"\xff\xfe",
            b'{"fn":"setKinetOnDemandRequest"}',
            b'{"fn":"setKinetOnDemandRequest","config":"A=B=C"}',
            b'{"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/tmp/a","pids":["x"]}',
            b'{"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/tmp/a","pids":5}',
            b'{"fn":"startCapture","log_file":"/tmp/a=b.json"}',
            b'{"fn":"startCapture","log_file":"/tmp/a.json","duration_ms":-5}',
            b'{"fn":"startCapture","log_file":"/tmp/a.json","start_unix_ms":5}',
            b'{"fn":"startCapture","log_file":"/tmp/a.json","shapes":"yes"}',
            b'{"fn":"getCapture","id":7}',
            b"[" * 100000,
        ):
            with one.connect() as connection:
                self.assertIn("error", agent.exchange(connection, text), text[:60])
        self.assertEqual(one.ask({"fn": "getStatus"}), {"status": 1})
        self.assertRegex(one.ask({"fn": "getVersion"})["version"], r"^\d+\.\d+\.\d+$")
        # As the original's without a driver.
        self.assertEqual(one.ask({"fn": "dcgmProfPause", "duration_s": 300}), {"status": False})
        # Several requests over one connection.
        with one.connect() as connection:
            for _ in range(3):
                self.assertEqual(agent.exchange(connection, b'{"fn":"getStatus"}'), {"status": 1})
        for connection in silent:
            connection.close()

    def test_a_token_is_asked_for(self):
        with open(self.path("token"), "w", encoding="utf-8") as file:
            file.write("secret\n")
        one = self.start(rpc__token_file=self.path("token"))
        self.assertIn("error", one.ask({"fn": "getStatus"}))
        self.assertIn("error", one.ask({"fn": "getStatus", "token": "secres"}))
        self.assertEqual(one.ask({"fn": "getStatus", "token": "secret"}), {"status": 1})


class Settings(WithAgent):
    def check(self, text, *words):
        with open(self.path("agent.toml"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run(
            [agent.BINARY, "--config", self.path("agent.toml"), "--check-config", *words],
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def test_a_file_is_checked_with_line_and_reason(self):
        self.assertEqual(
            self.check(f'[kineto]\nsocket_dir = "{self.folder}"\n[triggers]\niteration = 0\n[host]\nroot = ""\n')[0], 0
        )
        for text, said in (
            (
                '[kineto]\nsocketdir = ""\n',
                "line 2: there is no setting 'kineto.socketdir'; did you mean kineto.socket_dir?",
            ),
            ("[kineto\n", "line 1"),
            ("[triggers]\niteration = -5\n", "line 2: triggers.iteration is a whole number"),
            ("[triggers]\niteration = 1.5\n", "line 2"),
            ('[rpc]\nlisten = "0.0.0.0:1778"\n', "rpc.token_file"),
            ('[rpc]\nlisten = "nonsense"\n', "no HOST:PORT"),
            (
                '[triggers]\nrules = ["a > 1", "device_power_watts{device=0} < 5"]\n',
                "triggers.rules: 'device_power_watts{device=0} < 5': column 27",
            ),
            ("[triggers]\nrules = [5]\n", "line 2: triggers.rules is to be a list of texts"),
            ('[triggers]\nevents = ["oom"]\n', "there are oom_kill"),
            ('[triggers]\niteration = ["5"]\n', "line 2: triggers.iteration is one value"),
            ('[telemetry]\nintervals = ["cpu=5", "dsk=1"]\n', "did you mean disk?"),
            ('[metrics]\nlisten = "0.0.0.0:1"\n', "metrics.insecure"),
            ('[capture]\nfolder = "relative"\n', "absolute"),
        ):
            with self.subTest(text=text):
                code, told = self.check(text)
                self.assertEqual(code, 2, told)
                self.assertIn(said, told)
        self.assertEqual(
            self.check("[triggers]\niteration = 3\n", "--triggers.iteration", "no")[0], 2, "options go before the file"
        )
        self.assertEqual(self.check('[rpc]\nlisten = "0.0.0.0:1778"\n', "--rpc.listen", "127.0.0.1:0")[0], 0)

    def test_settings_are_tried_and_all_that_is_wrong_is_told(self):
        with open(self.path("empty"), "w", encoding="utf-8"):
            pass
        code, told = self.check(
            f"""
[kineto]
socket_dir = "/no/such/folder"
[rpc]
listen = "192.0.2.1:1778"
token_file = "{self.path('empty')}"
[metrics]
listen = "nonsense"
[server]
url = "ftp://x"
token_file = "/no/such/token"
interval_s = 99
[capture]
folder = "/no/such/out"
[triggers]
rules = ["device_power_wats > 5", "load >", "load < x"]
events = ["oom_kil", "xyz", "xid"]
round_up = 0
iteration = -5
iterations = ["3"]
no_such = 1
[kubernetes]
pods = "/no/such/pods.json"
[device]
nvml_library = "/no/such/libnvidia-ml.so"
"""
        )
        self.assertEqual(code, 2)
        for key, what in (
            ("kineto.socket_dir", "/no/such/folder"),
            ("rpc.listen", "cannot be listened on"),
            ("rpc.token_file", "is empty"),
            ("metrics.listen", "no HOST:PORT"),
            ("server.url", ""),
            ("server.token_file", "/no/such/token"),
            ("server.interval_s", "1 to 20"),
            ("capture.folder", "/no/such/out"),
            ("triggers.rules", "did you mean rankscope_device_power_watts?"),
            ("triggers.rules", "'load >': column"),
            ("triggers.rules", "'load < x': column"),
            ("triggers.events", "did you mean oom_kill?"),
            ("triggers.events", "there is no 'xyz'"),
            ("triggers.round_up", "1 to 1000000"),
            ("triggers.iteration", "line 19: triggers.iteration is a whole number"),
            ("triggers.iterations", "line 20: triggers.iterations is one value"),
            ("triggers.no_such", "line 21: there is no setting"),
            ("kubernetes.pods", "/no/such/pods.json"),
            ("device.nvml_library", "/no/such/libnvidia-ml.so"),
        ):
            with self.subTest(key=key):
                self.assertTrue([line for line in told.splitlines() if key in line and what in line], told)
        # What the agent that runs has taken is no fault.
        one = self.start()
        code, told = self.check(f'[rpc]\nlisten = "{one.addresses["rpc"]}"\n[metrics]\nlisten = "127.0.0.1:0"\n')
        self.assertEqual(code, 0, told)
        self.assertIn("in use now", told)

    def test_an_address_that_is_taken_is_said(self):
        one = self.start()
        done = subprocess.run(
            [agent.BINARY, "--kineto.socket_dir", self.folder, "--rpc.listen", "127.0.0.1:0", "--metrics.listen", ""],
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("another daemon", done.stderr.decode())
        done = subprocess.run(
            [agent.BINARY, "--kineto.enabled", "false", "--rpc.listen", one.addresses["rpc"], "--metrics.listen", ""],
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be listened on", done.stderr.decode())


class Telemetry(WithAgent):
    def write(self, path, text):
        path = os.path.join(self.folder, "root", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_numbers_of_a_host_that_is_made_up(self):
        self.write(
            "proc/stat",
            "cpu  1 2 3\ncpu0 100 0 50 1000 7 0 3 0 0 0\ncpu1 bad 0 1 2 3 4 5 6 7 8\nctxt 1234\nprocesses 99\nprocs_running 2\nprocs_blocked 0\n",
        )
        self.write("proc/loadavg", "0.50 1.25 2.00 3/400 999\n")
        self.write("proc/meminfo", "MemTotal:       16384 kB\nMemFree:  oops kB\nHugePages_Total:       7\n")
        self.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n")
        self.write(
            "proc/net/dev",
            "Inter-|\n face |\n  eth0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n    lo: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n",
        )
        self.write("sys/class/net/eth0/speed", "100000\n")
        self.write("sys/class/net/lo/speed", "-1\n")
        self.write("proc/diskstats", " 259 0 nvme0n1 10 0 8 1 20 0 16 2 0 1500 3\n   7 0 loop0 1 0 8 1 0 0 0 0 0 1 1\n")
        for name, value in (("port_xmit_data", "250"), ("port_rcv_data", "500"), ("port_xmit_discards", "3")):
            self.write(f"sys/class/infiniband/mlx5_0/ports/1/counters/{name}", value + "\n")
        self.write("sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent", "42\n")
        self.write("sys/class/thermal/thermal_zone0/temp", "45500\n")
        self.write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
        one = self.start(host__root=self.path("root"))
        found = one.wait_for_sources(
            "cpu", "load", "memory", "vmstat", "pressure", "disk", "network", "rdma", "thermal"
        )
        value = lambda name, labels="": found["rankscope_" + name, labels]
        tick = 1 / os.sysconf("SC_CLK_TCK")
        self.assertAlmostEqual(value("cpu_seconds_total", '{cpu="0",mode="user"}'), 100 * tick)
        self.assertAlmostEqual(value("cpu_seconds_total", '{cpu="0",mode="idle"}'), 1000 * tick)
        # What is no number is not there, and is counted; it is not 0.
        self.assertNotIn(("rankscope_cpu_seconds_total", '{cpu="1",mode="user"}'), found)
        self.assertNotIn(("rankscope_memory_bytes", '{kind="MemFree"}'), found)
        self.assertEqual(value("agent_source_unreadable_total", '{source="cpu"}'), 1)
        self.assertEqual(value("agent_source_unreadable_total", '{source="memory"}'), 1)
        self.assertEqual(value("context_switches_total"), 1234)
        self.assertEqual(value("load", '{minutes="5"}'), 1.25)
        self.assertEqual(value("memory_bytes", '{kind="MemTotal"}'), 16384 * 1024)
        self.assertEqual(value("huge_pages", '{kind="HugePages_Total"}'), 7)
        self.assertEqual(value("pressure_seconds_total", '{resource="cpu",kind="some"}'), 2.5)
        self.assertEqual(value("network_bytes_total", '{device="eth0",direction="receive"}'), 1000)
        self.assertEqual(value("network_drops_total", '{device="eth0",direction="transmit"}'), 4)
        self.assertEqual(value("network_speed_bytes_per_second", '{device="eth0"}'), 12.5e9)
        self.assertNotIn(("rankscope_network_speed_bytes_per_second", '{device="lo"}'), found)
        self.assertEqual(value("disk_bytes_total", '{disk="nvme0n1",direction="write"}'), 16 * 512)
        self.assertEqual(value("disk_busy_seconds_total", '{disk="nvme0n1"}'), 1.5)
        self.assertEqual(value("rdma_bytes_total", '{device="mlx5_0",port="1",direction="transmit"}'), 1000)
        self.assertEqual(value("rdma_events_total", '{device="mlx5_0",port="1",event="np_cnp_sent"}'), 42)
        self.assertEqual(value("temperature_celsius", '{zone="thermal_zone0",type="x86_pkg_temp"}'), 45.5)
        # Absent: named once, and no number.
        self.assertEqual(value("agent_source_up", '{source="vmstat"}'), 0)
        self.assertEqual(len(one.wait_for_lines("vmstat")), 1)
        self.assertFalse([name for name, _ in found if "oom" in name])

    def test_the_last_values_are_asked_for_by_name_and_label(self):
        self.replace("root/proc/loadavg", "0.50 1.25 2.00 3/400 999\n")
        one = self.start(host__root=self.path("root"), telemetry__intervals="job=1", device__nvml_library="")
        training = self.train(RANK="5", SLURM_JOB_ID="77")
        one.wait_for_processes(1)
        answer = until(lambda: json.loads(one.get("/api/v1/metrics?name=load&label=minutes=5"))["metrics"])
        self.assertEqual(
            (len(answer), answer[0]["name"], answer[0]["kind"], answer[0]["labels"], answer[0]["value"]),
            (1, "rankscope_load", "gauge", {"minutes": "5"}, 1.25),
        )
        self.assertGreaterEqual(answer[0]["age_ms"], 0)
        self.assertEqual(len(one.ask({"fn": "getMetrics", "name": "rankscope_load"})["metrics"]), 3)
        self.assertEqual(one.ask({"fn": "getMetrics", "name": "load", "labels": {"minutes": "7"}}), {"metrics": []})
        for wrong in ("label=x", "what=1"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                one.get("/api/v1/metrics?" + wrong)
            self.assertEqual(refused.exception.code, 400)
            refused.exception.close()
        # What a job tells of itself.
        self.assertEqual(
            one.ask({"fn": "tellMetrics", "pid": training.pid, "values": {"step_time_s": 0.31}}), {"taken": 1}
        )
        told = until(lambda: json.loads(one.get("/api/v1/metrics?name=job_value"))["metrics"])
        self.assertEqual(
            (told[0]["labels"], told[0]["value"]),
            ({"name": "step_time_s", "pid": str(training.pid), "job": "77", "rank": "5"}, 0.31),
        )

    def test_devices_by_a_specification(self):
        device = "root/sys/class/accel/accel0/"
        os.makedirs(self.path(device))
        watts = lambda value: self.replace(device + "power", f"{value}000000\n")
        watts(250)
        spec = self.path("chip.probe")
        text = (
            '@requires("1")\nclass Chip(Device):\n    vendor = "acme"\n'
            '    instances = glob("/sys/class/accel/accel*")\n'
            '    power = gauge(file("power", u64, every=s(1)) / 1000000, unit=watts)\n'
            '    health = "degraded" if power > 300 else "ok"\n'
            '    firmware = "1.2"\n    vendor_watts = gauge(file("power", u64, every=s(1)) / 1000000, unit=watts)\n'
        )
        with open(spec, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(spec, 0o644)
        one = self.start(
            host__root=self.path("root"), device__nvml_library="", device__probes=spec, device__interval_s=1
        )
        told = lambda: json.loads(one.get("/api/v1/devices"))["devices"]
        (chip,) = until(told)
        self.assertEqual((chip["name"], chip["power_watts"], chip["busy"], chip["verdict"]), ("Chip", 250, None, "ok"))
        self.assertEqual((chip["firmware"], chip["serial"]), ("1.2", None))
        metrics = one.metrics()
        labels = 'device="0",name="Chip",uuid=""'
        info = f'{{{labels},id="Chip/accel0",serial="",firmware="1.2",driver=""}}'
        self.assertEqual(metrics["rankscope_device_info", info], 1)
        self.assertEqual(metrics["rankscope_device_vendor_metric", f'{{{labels},metric="vendor_watts",unit="watts"}}'], 250)
        watts(350)
        until(lambda: [d for d in told() if d["verdict"] == "degraded"])
        # A file that is changed is read anew.
        with open(spec, "w", encoding="utf-8") as file:
            file.write(text.replace("> 300", "> 400 and power > 0"))
        until(lambda: [d for d in told() if d["verdict"] == "ok" and d["power_watts"] == 350])

    def test_a_wrong_specification_costs_itself_alone(self):
        self.replace("root/sys/class/accel/accel0/power", "broken\n")
        chip = (
            '@requires("1")\nclass Chip(Device):\n    vendor = "acme"\n'
            '    instances = glob("/sys/class/accel/accel*")\n'
            '    raw = file("power", u64, every=s(1))\n    power = gauge(raw / 1000000, unit=watts)\n'
        )
        self.replace("chip.probe", chip)
        self.replace("wrong.probe", chip.replace("raw /", "rwa /"))
        files = [self.path("wrong.probe"), self.path("chip.probe")]
        self.replace("agent.toml", f"[device]\nprobes = {json.dumps(files)}\n")
        one = self.start(
            config=self.path("agent.toml"), host__root=self.path("root"), device__nvml_library="", device__interval_s=1
        )
        (device,) = until(lambda: json.loads(one.get("/api/v1/devices"))["devices"])
        self.assertEqual((device["name"], device["power_watts"]), ("Chip", None))
        self.assertEqual(len(one.wait_for_lines("wrong.probe:6:19: there is no name `rwa`")), 1)
        one.wait_for_lines("probe: Chip accel0 raw: /sys/class/accel/accel0/power: ")
        found = until(lambda: [m for m in [one.metrics()] if ("rankscope_agent_specs_refused", "") in m])[0]
        self.assertEqual(found["rankscope_agent_specs_refused", ""], 1)
        self.assertGreaterEqual(
            found["rankscope_agent_spec_faults_total", '{class="Chip",fault="unreadable"}'],
            1,
        )
        self.replace("chip.probe", "class")
        one.wait_for_lines("chip.probe:1:6", "the version before stays in use")

    def test_devices_of_a_library_that_crashes_or_hangs(self):
        with open(os.path.join(program.HERE, "..", "examples", "probes", "accel.probe"), encoding="utf-8") as file:
            self.replace("accel.probe", file.read())
        os.chmod(self.path("accel.probe"), 0o644)
        said = self.path("said")
        self.replace("said", "")
        os.environ["FAKE_ACCEL"] = said
        os.environ["LD_LIBRARY_PATH"] = os.path.dirname(os.path.abspath(agent.BINARY))
        self.addCleanup(os.environ.pop, "LD_LIBRARY_PATH")
        one = self.start(device__nvml_library="", device__probes=self.path("accel.probe"), device__interval_s=1)
        load = lambda: json.loads(one.get("/api/v1/load"))
        until(lambda: load()["busy"] is not None and load()["status"] == "ok")
        for line, reason in (("crash 1", "driver-crashed"), ("hang 1", "driver-stuck")):
            self.replace("said", line + "\nonly 1\n")
            until(lambda: [d["reasons"] for d in load()["devices"]] == [[], [reason]])
            told = until(lambda: [one for one in [load()] if one["status"] != "ok"])[0]
            self.assertEqual((told["status"], told["accepts_work"]), ("degraded", True))
            self.assertIsNotNone(told["devices"][0]["busy"])
            self.assertIsNone(told["devices"][1]["busy"])
            self.replace("said", "")
            until(lambda: load()["status"] == "ok")

    def test_devices_of_a_driver_that_is_none(self):
        self.write(
            "fake",
            "count 2\nbusy 37\nmemory_used 1000\nmemory_total 80000\npower_mw 312500\ncelsius 61\nslowdown 64\nuncorrected 0\n",
        )
        os.environ["FAKE_NVML"] = self.path("root/fake")
        library = os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so")
        one = self.start(device__nvml_library=library, device__interval_s=1)
        training = self.train(RANK="5", SLURM_JOB_ID="77")
        one.wait_for_processes(1)
        self.write(
            "fake",
            f"count 2\nbusy 37\nmemory_used 1000\npower_mw 312500\ncelsius 61\nslowdown 64\nuncorrected 0\nprocesses 1\npid {training.pid}\n",
        )
        devices = until(lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["processes"]])
        self.assertEqual(
            (devices[0]["name"], devices[0]["busy"], devices[0]["power_watts"], devices[0]["tensor_active"]),
            ("NVIDIA Fake", 0.37, 312.5, None),
        )
        self.assertEqual(
            (devices[0]["verdict"], devices[0]["reasons"]), ("degraded", ["its clocks are held down: hardware_thermal"])
        )
        (process,) = devices[0]["processes"]
        expected = {"pid": training.pid, "memory_bytes": 1 << 20, "rank": 5, "job": "77"}
        self.assertEqual({name: process[name] for name in expected}, expected)
        # Which container it is in is another test's.
        self.assertLessEqual(set(process) - set(expected), {"container", "container_name", "pod", "pod_uid"})
        found = one.metrics()
        self.assertEqual(found["rankscope_device_busy_ratio", '{device="1",name="NVIDIA Fake",uuid="GPU-1"}'], 0.37)
        self.assertEqual(
            found["rankscope_device_slowed", '{device="0",name="NVIDIA Fake",uuid="GPU-0",reason="hardware_thermal"}'],
            1,
        )
        self.assertFalse(
            [name for name, _ in found if name == "rankscope_device_energy_joules_total"], "unknown is not 0"
        )
        # A lost device is said, and a driver that is gone leaves no numbers.
        self.write("fake", "count 2\nbusy !15\n")
        until(lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["verdict"] == "failed"])
        self.write("fake", "count !15\n")
        until(lambda: not [name for name, _ in one.metrics() if name.startswith("rankscope_device_")])
        self.assertIn(("rankscope_agent_source_up", '{source="device"}'), one.metrics())

    def test_a_driver_that_hangs_holds_up_nobody(self):
        self.write("fake", "count 8\nbusy 37\n")
        os.environ["FAKE_NVML"] = self.path("root/fake")
        one = self.start(
            device__nvml_library=os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so"), device__interval_s=1
        )
        until(lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["busy"] == 0.37])
        # No call comes back from now on: what is answered is answered from memory.
        self.replace("root/fake", "hangs 1\ncount 8\nbusy 99\n")
        until(lambda: os.path.exists(self.path("root/fake.hangs")))
        for path in ("/metrics", "/api/v1/devices", "/api/v1/metrics?name=device_busy_ratio") * 10:
            self.assertIn("0.37", one.get(path), "as it was read last")
        self.assertEqual(one.ask({"fn": "getStatus"}), {"status": 1})
        self.assertEqual(one.stop(), 0, "it ends although the driver hangs")

    def test_xids_and_the_estimate_of_flops(self):
        self.write("fake", "count 2\nh100 1\nsm_mhz 915\ngpm 1\ntick 1\ngpm5 50\nenergy_mj 5000\n")
        os.environ["FAKE_NVML"] = self.path("root/fake")
        one = self.start(
            device__nvml_library=os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so"),
            device__interval_s=1,
            triggers__events="xid",
            capture__folder=self.folder,
        )
        training = self.train("--every", "0.2", SLURM_JOB_ID="12", LOCAL_RANK="1")
        one.wait_for_processes(1)
        device = until(
            lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["flops_per_s_estimate"]]
        )[0]
        # Half of the cycles at half of the clock.
        self.assertAlmostEqual(device["flops_ratio_estimate"], 0.25, places=6)
        self.assertAlmostEqual(device["flops_per_s_estimate"] / 989e12, 0.25, places=6)
        self.assertEqual(
            (
                device["peak"]["flops_per_s"],
                device["peak"]["confidence"],
                device["energy_joules"],
                device["xid_errors"],
                device["last_xid"],
            ),
            (989e12, "halved", 5, 0, None),
        )
        labels = '{device="0",name="NVIDIA H100 80GB HBM3",uuid="GPU-0"}'
        self.assertAlmostEqual(
            one.metrics()["rankscope_device_flops_per_second_estimate", labels] / 989e12, 0.25, places=6
        )
        self.assertEqual(one.metrics()["rankscope_device_xid_errors_total", labels], 0)
        # Counters that a profiler wants are left to it.
        tensor = lambda: json.loads(one.get("/api/v1/devices"))["devices"][0]["tensor_active"]
        self.assertEqual(one.ask({"fn": "dcgmProfPause", "duration_s": 300}), {"status": True})
        until(lambda: tensor() is None)
        self.assertEqual(one.ask({"fn": "dcgmProfResume"}), {"status": True})
        until(lambda: tensor() == 0.5)
        self.replace("root/fake", "count 2\nh100 1\nxid_serial 1\nxid 79\nxid_device 1\nhandle1 !15\n")
        failed = until(
            lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["verdict"] == "failed"]
        )
        self.assertEqual(
            (failed[0]["index"], failed[0]["reasons"], failed[0]["last_xid"]),
            (1, ["the driver does not give it (error 15)", "Xid 79: it fell off the bus"], 79),
        )
        told = until(lambda: json.loads(one.get("/api/v1/triggers"))["triggers"])
        self.assertEqual((told[0]["trigger"], told[0]["decision"], told[0]["job"]), ("event", "taken", "12"))
        self.assertIn("rankscope-event-", training.line())

    def test_what_a_dcgm_exporter_tells(self):
        page = lambda tensor, more="": (
            f'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{gpu="0",UUID="GPU-0",modelName="NVIDIA A100-SXM4-80GB"}} {tensor}\n'
            'DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-0",modelName="NVIDIA A100-SXM4-80GB"} 93\n' + more
        )
        exporter = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        exporter.text, exporter.goes_on = page(0.5), threading.Event()
        exporter.goes_on.set()
        threading.Thread(target=exporter.serve_forever, daemon=True).start()
        self.addCleanup(exporter.server_close)
        self.addCleanup(exporter.shutdown)
        self.addCleanup(exporter.goes_on.set)
        url = f"http://127.0.0.1:{exporter.server_port}/metrics"
        # Alone it is all there is.
        one = self.start(
            device__nvml_library="/no/such.so",
            device__dcgm_exporter=url,
            device__interval_s=1,
            host__root=self.path("root"),
        )
        device = until(lambda: json.loads(one.get("/api/v1/devices"))["devices"])[0]
        self.assertEqual(
            (device["name"], device["busy"], device["tensor_active"], device["power_watts"]),
            ("NVIDIA A100-SXM4-80GB", 0.93, 0.5, None),
        )
        self.assertAlmostEqual(device["flops_per_s_estimate"], 156e12, delta=1e6)
        # It goes, comes back with nonsense, hangs: said once each, and no number stays.
        exporter.text = "nonsense\n"
        until(lambda: not json.loads(one.get("/api/v1/devices"))["devices"])
        self.assertEqual(len(one.wait_for_lines(" dcgm: ")), 1)
        self.assertEqual(one.metrics()["rankscope_agent_source_up", '{source="dcgm"}'], 0)
        exporter.text = page(0.25)
        until(lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["tensor_active"] == 0.25])
        one.stop()
        # With the driver it tells what that does not.
        self.write("fake", "count 2\nbusy 37\n")
        os.environ["FAKE_NVML"] = self.path("root/fake")
        both = self.start(
            device__nvml_library=os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so"),
            device__dcgm_exporter=url,
            device__interval_s=1,
        )
        # Either source may have answered first.
        devices = until(
            lambda: [
                d
                for d in json.loads(both.get("/api/v1/devices"))["devices"]
                if d["tensor_active"] and d["name"] == "NVIDIA Fake"
            ]
        )
        self.assertEqual((len(devices), devices[0]["busy"], devices[0]["tensor_active"]), (1, 0.37, 0.25))
        exporter.goes_on.clear()
        self.write("fake", "count 2\nbusy 38\n")
        until(lambda: [d for d in json.loads(both.get("/api/v1/devices"))["devices"] if d["busy"] == 0.38])
        self.assertEqual(both.stop(), 0, "it ends although the exporter hangs")

    def test_what_dcgms_host_engine_tells(self):
        os.environ["FAKE_DCGM"] = self.path("root/dcgm")
        fakes = os.path.dirname(agent.BINARY)
        dcgm = {
            "device__dcgm_library": os.path.join(fakes, "libfake_dcgm.so"),
            "device__dcgm_host": "127.0.0.1:5555",
            "device__interval_s": 1,
        }
        of = lambda one: json.loads(one.get("/api/v1/devices"))["devices"]
        calls = lambda: open(self.path("root/dcgm.calls"), encoding="utf-8").read().split("\n")
        # Alone it is all there is. It is not there at first, comes, and goes: no number stays.
        self.write("dcgm", "engine 0\n")
        one = self.start(device__nvml_library="/no/such.so", host__root=self.path("root"), **dcgm)
        until(lambda: one.metrics().get(("rankscope_agent_source_up", '{source="dcgm_engine"}')) == 0)
        one.wait_for_lines("the host engine at 127.0.0.1:5555 does not answer")
        self.replace("root/dcgm", "engine 1\nf50 A100-SXM4-80GB\nf203 93\nf1004 0.5\nf155 blank\n")
        # The first reading asks the host engine to watch; what it watches has values later.
        device = until(lambda: [d for d in of(one) if d["tensor_active"] is not None])[0]
        self.assertEqual(
            (device["name"], device["uuid"], device["busy"], device["tensor_active"], device["power_watts"]),
            ("A100-SXM4-80GB", "GPU-0", 0.93, 0.5, None),
        )
        self.replace("root/dcgm", "engine 0\n")
        until(lambda: not of(one))
        one.stop()
        # With the driver it tells what that does not; a pause reaches the host engine and ends with the agent.
        self.write("fake", "count 2\nbusy 37\n")
        os.environ["FAKE_NVML"] = self.path("root/fake")
        self.replace("root/dcgm", "engine 2\nf203 93\nf1004 0.25\n")
        both = self.start(device__nvml_library=os.path.join(fakes, "libfake_nvml.so"), **dcgm)
        devices = until(lambda: [d for d in of(both) if d["tensor_active"] and d["name"] == "NVIDIA Fake"])
        self.assertEqual((len(devices), devices[0]["busy"], devices[0]["tensor_active"]), (1, 0.37, 0.25))
        self.assertEqual(both.ask({"fn": "dcgmProfPause", "duration_s": 300}), {"status": True})
        until(lambda: "pause" in calls() and not [d for d in of(both) if d["tensor_active"]])
        self.assertEqual(both.ask({"fn": "dcgmProfResume"}), {"status": True})
        until(lambda: "resume" in calls() and [d for d in of(both) if d["tensor_active"] == 0.25])
        both.ask({"fn": "dcgmProfPause", "duration_s": 300})
        until(lambda: calls().count("pause") == 2)
        # A host engine that hangs holds up neither the driver's numbers nor who asks.
        self.replace("root/dcgm", "engine 2\nhangs 1\n")
        until(lambda: os.path.exists(self.path("root/dcgm.hangs")))
        self.write("fake", "count 2\nbusy 38\n")
        until(lambda: [d for d in of(both) if d["busy"] == 0.38])
        both.get("/metrics")
        self.replace("root/dcgm", "engine 2\n")
        self.assertEqual(both.stop(), 0)
        self.assertEqual(calls()[-4:], ["resume", "disconnect", "shutdown", ""])

    def test_what_amd_smi_tells(self):
        self.write("fake", "sockets 2\nbusy 73\npower 512\nuncorrected 0\ncorrected 3\n")
        os.environ["FAKE_AMDSMI"] = self.path("root/fake")
        fakes = os.path.dirname(agent.BINARY)
        # The files fill what it does not tell.
        os.makedirs(self.path("root/sys/class/drm/card0"))
        os.makedirs(self.path("root/sys/devices/0000:c2:00.0"))
        os.symlink("../../../devices/0000:c2:00.0", self.path("root/sys/class/drm/card0/device"))
        for name, text in {"vendor": "0x1002", "gpu_busy_percent": "1", "mem_info_vram_used": "4096"}.items():
            self.write("sys/class/drm/card0/device/" + name, text)
        one = self.start(
            device__nvml_library="",
            device__amdsmi_library=os.path.join(fakes, "libfake_amdsmi.so"),
            device__interval_s=1,
            host__root=self.path("root"),
        )
        devices = until(lambda: json.loads(one.get("/api/v1/devices"))["devices"])
        self.assertEqual(
            [(d["name"], d["busy"], d["power_watts"], d["memory_used_bytes"], d["energy_joules"]) for d in devices],
            [("AMD Instinct MI300X", 0.73, 512, None, None), ("AMD Instinct MI300X", 0.73, 512, 4096, None)],
        )
        # One goes: the library is opened anew. Without it the files are left.
        self.replace("root/fake", "sockets 1\nbusy 74\n")
        until(lambda: [d["busy"] for d in json.loads(one.get("/api/v1/devices"))["devices"]] == [0.74])
        self.replace("root/fake", "sockets 0\ninit !34\n")
        until(lambda: [d["busy"] for d in json.loads(one.get("/api/v1/devices"))["devices"]] == [0.01])

    def test_the_numbers_of_this_host(self):
        one = self.start(telemetry__perf="true", telemetry__intervals="process=1")
        training = self.train(RANK="3", SLURM_JOB_ID="9")
        first = one.wait_for_sources("cpu", "memory", "softirq", "ethtool", "powercap", "hwmon", "perf")
        with open("/proc/meminfo", encoding="utf-8") as file:
            total = int(file.readline().split()[1]) * 1024
        self.assertEqual(first["rankscope_memory_bytes", '{kind="MemTotal"}'], total)
        self.assertEqual(
            len([1 for name, labels in first if name == "rankscope_cpu_seconds_total" and 'mode="idle"' in labels]),
            os.cpu_count(),
        )
        self.assertEqual(json.loads(one.get("/healthz")), {"status": "ok"})
        version = one.ask({"fn": "getVersion"})["version"]
        self.assertEqual(first["rankscope_agent_build_info", f'{{version="{version}"}}'], 1)
        self.assertLess(abs(first["rankscope_agent_start_time_seconds", ""] - time.time()), LIMIT_S)
        self.assertGreater(first["rankscope_agent_resident_bytes", ""], 1 << 20)
        self.assertGreater(first["rankscope_agent_open_descriptors", ""], 5)
        self.assertEqual(first["rankscope_agent_spool_bytes", ""], 0)
        self.assertEqual(first["rankscope_agent_deliveries", '{state="sent"}'], 0)
        # A process that trains, with whose it is.
        own = until(
            lambda: {
                name: value
                for (name, labels), value in one.metrics().items()
                if f'pid="{training.pid}"' in labels and 'job="9",rank="3"' in labels
            }
        )
        self.assertGreater(own["rankscope_process_resident_bytes"], 1 << 20)
        self.assertGreaterEqual(own["rankscope_process_threads"], 1)
        self.assertGreaterEqual(own["rankscope_process_cpu_seconds_total"], 0)
        # Sources that this host lacks are named once with the reason; none of them ends it.
        found = one.metrics()
        for source in ("softirq", "ethtool", "powercap", "hwmon", "perf"):
            up = found["rankscope_agent_source_up", f'{{source="{source}"}}']
            lines = [] if up else one.wait_for_lines(f" {source}: ")
            self.assertEqual(sum(f" {source}: " in line for line in one.lines), len(lines[:1]), (source, one.lines))
        if found["rankscope_agent_source_up", '{source="perf"}']:
            self.assertGreater(found["rankscope_perf_events_total", '{event="cpu_clock"}'], 0)
        training.end()
        self.assertEqual(one.stop(), 0)


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes OTLP/HTTP; what it answers is the server's `status`."""

    def do_POST(self):  # pylint: disable=invalid-name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        if self.server.status == 200:
            assert (
                self.headers["Content-Type"] == "application/json" and self.headers["Content-Encoding"] == "gzip"
            ), self.headers
            self.server.bodies.append((self.path, self.headers["Authorization"], json.loads(gzip.decompress(body))))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent ended meanwhile


class Page(http.server.BaseHTTPRequestHandler):
    """The server's `text`, as soon as it `goes_on`."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.goes_on.wait()
        text = self.server.text.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


class Sinks(WithAgent):
    def collector(self):
        collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
        collector.asked, collector.status, collector.bodies = 0, 200, []
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        self.addCleanup(collector.server_close)
        self.addCleanup(collector.shutdown)
        return collector

    def test_telemetry_by_otlp_and_as_json_lines(self):
        collector = self.collector()
        collector.status = 503
        self.replace("root/proc/loadavg", "0.50 1.25 2.00 3/400 999\n")
        self.replace("root/proc/stat", "cpu0 100 0 50 1000 7 0 3 0 0 0\nbtime 1700000000\n")
        self.replace("token", "secret\n")
        began = time.time()
        one = self.start(
            host__root=self.path("root"),
            host__name="node7",
            device__nvml_library="",
            sinks__interval_s=1,
            sinks__json_file=self.path("t.jsonl"),
            sinks__otlp_url=f"http://127.0.0.1:{collector.server_port}",
            sinks__otlp_token_file=self.path("token"),
        )
        # The one that does not take waits, and the other goes on.
        until(lambda: collector.asked >= 2)
        until(lambda: os.path.exists(self.path("t.jsonl")) and os.path.getsize(self.path("t.jsonl")))
        self.assertEqual(len(one.wait_for_lines("sink otlp", "503")), 1)
        collector.status = 200
        metrics = {}

        def have_come(*names):
            for path, authorization, body in list(collector.bodies):
                self.assertEqual((path, authorization), ("/v1/metrics", "Bearer secret"))
                resource = body["resourceMetrics"][0]
                self.assertIn(
                    {"key": "host.name", "value": {"stringValue": "node7"}}, resource["resource"]["attributes"]
                )
                metrics.update((metric["name"], metric) for metric in resource["scopeMetrics"][0]["metrics"])
            return all(name in metrics for name in names)

        until(lambda: have_come("rankscope_load", "rankscope_cpu_seconds_total"))
        point = [
            p
            for p in metrics["rankscope_load"]["gauge"]["dataPoints"]
            if p["attributes"][0]["value"]["stringValue"] == "5"
        ][0]
        self.assertEqual(point["asDouble"], 1.25)
        self.assertTrue(began - 0.001 <= int(point["timeUnixNano"]) / 1e9 <= time.time())
        cpu = metrics["rankscope_cpu_seconds_total"]["sum"]
        self.assertEqual(
            (cpu["aggregationTemporality"], cpu["isMonotonic"], cpu["dataPoints"][0]["startTimeUnixNano"]),
            (2, True, "1700000000000000000"),
        )
        one.wait_for_lines("it takes again; 0 readings were lost")
        found = one.metrics()
        self.assertEqual(found["rankscope_agent_sink_lost_total", '{sink="otlp"}'], 0)
        self.assertGreater(found["rankscope_agent_sink_sent_total", '{sink="otlp"}'], 0)

        def of_load():
            with open(self.path("t.jsonl"), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
            return [line for line in lines if line["name"] == "rankscope_load" and line["labels"] == {"minutes": "5"}]

        line = until(of_load)[0]
        self.assertEqual((line["host"], line["source"], line["kind"], line["value"]), ("node7", "load", "gauge", 1.25))

    def test_a_sink_that_hangs_or_is_full_holds_up_nobody(self):
        silent = socket.socket()
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        self.addCleanup(silent.close)
        one = self.start(
            sinks__interval_s=1,
            sinks__json_file="/dev/full",
            sinks__otlp_url=f"http://127.0.0.1:{silent.getsockname()[1]}",
            device__nvml_library="",
        )
        one.wait_for_lines("sink json: /dev/full")
        first = until(
            lambda: [
                m
                for m in json.loads(one.get("/api/v1/metrics?name=agent_sink_queued_bytes&label=sink=otlp"))["metrics"]
                if m["value"] > 0
            ]
            or one.metrics().get(("rankscope_agent_sink_queued_bytes", '{sink="otlp"}'))
        )
        self.assertTrue(first)
        one.metrics()
        self.assertEqual(one.stop(), 0, "it ends although the sink hangs")


if __name__ == "__main__":
    unittest.main(argv=["agent_test"])
