"""rankscope-agent as training processes, dynolog's clients, Prometheus and an operator meet it."""

import glob
import gzip
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import agent
import kineto_process
import program
import server
from agent import Agent, Training, until

ON_DEMAND = ("ACTIVITIES_LOG_FILE={path}\nPROFILE_START_TIME=0\nACTIVITIES_DURATION_MSECS=50\nPROFILE_REPORT_INPUT_SHAPES=true\n"
             "PROFILE_WITH_STACK=false\nPROFILE_WITH_FLOPS=false\nPROFILE_WITH_MODULES=false\n")


class WithAgent(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rs_agent_")
        self.agents = []
        self.trainings = []

    def tearDown(self):
        for training in self.trainings:
            training.end()
        for one in self.agents:
            one.stop()
        shutil.rmtree(self.folder)

    def start(self, folder=None, **settings):
        one = Agent(self.folder if folder is None else folder, **settings)
        self.agents.append(one)
        return one

    def train(self, *words, folder=None, **environment):
        training = Training(*words, folder=self.folder if folder is None else folder, environment=environment)
        self.trainings.append(training)
        return training

    def path(self, name):
        return os.path.join(self.folder, name)


class Kineto(WithAgent):
    def test_a_process_is_told_what_dynologs_client_asks_for(self):
        for folder in (self.folder, ""):
            with self.subTest(folder=folder):
                one = self.start(folder)
                self.assertEqual(one.addresses["kineto"], self.path("dynolog") if folder else "@dynolog")
                training = self.train(folder=folder, RANK="3", WORLD_SIZE="8", LOCAL_RANK="3")
                seen = one.wait_for_processes(1)[0]
                self.assertEqual((seen["pid"], seen["inside"], seen["rank"], seen["world_size"], seen["user"]), (training.pid, [training.pid, os.getpid()], 3, 8, "ada"))
                config = ON_DEMAND.format(path=self.path("out.json"))
                answer = one.ask({"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, "pids": [0], "process_limit": 3})
                self.assertEqual(answer["activityProfilersTriggered"], [training.pid])
                self.assertEqual(answer["processesMatched"], [training.pid])
                self.assertEqual((answer["activityProfilersBusy"], answer["eventProfilersBusy"], answer["eventProfilersTriggered"]), (0, 0, []))
                # What was asked for, as it was, and the trace's id behind it.
                self.assertEqual(training.line(), (config + f"REQUEST_TRACE_ID={answer['id']}\n").replace("\n", "|"))
                written = self.path(f"out_{training.pid}.json")
                self.assertEqual(training.line(), "wrote " + written)
                member = until(lambda: [m for m in one.capture(answer["id"])["members"] if m["state"] == "written"])[0]
                self.assertEqual((member["path"], member["bytes"], member["rank"]), (written, os.path.getsize(written), 3))
                # Without a server the trace stays, with what is known beside it.
                sidecar = json.loads(until(lambda: glob.glob(written + ".rankscope.json") and open(written + ".rankscope.json", encoding="utf-8").read()))
                self.assertEqual((sidecar["rank"], sidecar["world_size"], sidecar["inside"], sidecar["capture"]), (3, 8, training.pid, answer["id"]))
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
        self.assertEqual(one.ask({"fn": "setKinetOnDemandRequest", "config": ON_DEMAND.format(path="/tmp/x.json"), "job_id": 4242, "pids": []})["processesMatched"], [])
        self.assertEqual(client.poll(2, 4242, [os.getpid(), os.getppid()]), "")
        self.assertEqual(one.processes()[0]["job"], 4242)

    def test_jobs_pids_limits_and_who_is_busy(self):
        one = self.start()
        first, second, third = self.train("--every", "0.3"), self.train("--every", "0.3"), self.train(SLURM_JOB_ID="77")
        one.wait_for_processes(3)
        config = ON_DEMAND.format(path=self.path("a.json")).replace("=50", "=1500")
        ask = lambda **words: one.ask({"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, **words})
        self.assertEqual(ask(pids=[1])["processesMatched"], [])
        self.assertEqual(ask(pids=[third.pid])["processesMatched"], [], "another job's")
        self.assertEqual(sorted(ask(pids=[os.getpid()], process_limit=0)["processesMatched"]), sorted([first.pid, second.pid]), "by an ancestor")
        limited = ask(process_limit=1)
        self.assertEqual((len(limited["activityProfilersTriggered"]), len(limited["processesMatched"])), (1, 2))
        again = ask()
        self.assertEqual((again["activityProfilersBusy"], len(again["activityProfilersTriggered"])), (1, 1))
        self.assertEqual(ask(job_id=77)["activityProfilersTriggered"], [third.pid])
        states = lambda identity: sorted(m["state"] for m in one.capture(identity)["members"])
        until(lambda: states(limited["id"]) == ["written"])
        until(lambda: states(again["id"]) == ["busy", "written"])

    def test_what_becomes_of_those_that_do_not_record(self):
        one = self.start()
        dies, cancelled = self.train("--dies"), self.train("--every", "3")
        one.wait_for_processes(2)
        ask = lambda pid: one.ask({"fn": "startCapture", "log_file": self.path("b.json"), "duration_ms": 50, "pids": [pid]})["id"]
        identity = ask(dies.pid)
        member = until(lambda: [m for m in one.capture(identity)["members"] if m["state"] != "waiting" and m["state"] != "delivered"])[0] if dies.process.wait(10) is not None else None
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
        answer = one.ask({"fn": "startCapture", "log_file": "/var/nowhere/c.json", "duration_ms": 50, "pids": [fallback.pid]})
        self.assertIn("KINETO_ONDEMAND_TRACE_DIR", answer["warnings"][0])
        member = until(lambda: [m for m in one.capture(answer["id"])["members"] if m["state"] == "written"])[0]
        self.assertEqual(member["path"], f"/tmp/libkineto_activities_{fallback.pid}.json")
        for left in glob.glob(member["path"] + "*"):
            os.remove(left)

    def test_a_process_that_does_not_listen_has_refused(self):
        one = self.start()
        deaf = self.train("--deaf", "--every", "0.5")
        one.wait_for_processes(1)
        identity = one.ask({"fn": "startCapture", "log_file": self.path("d.json"), "pids": [deaf.pid]})["id"]
        member = until(lambda: [m for m in one.capture(identity)["members"] if m["state"] == "refused"], seconds=25)[0]
        self.assertIn("did not record", member["reason"])

    def test_every_process_is_profiled_once_at_an_iteration(self):
        one = self.start(triggers__iteration=7, triggers__settle_s=0, triggers__iterations=2, capture__folder=self.folder)
        training = self.train(SLURM_JOB_ID="12", SLURM_JOB_NAME="llama", RANK="0")
        line = training.line()
        self.assertIn("|PROFILE_START_ITERATION=7|ACTIVITIES_ITERATIONS=2|", "|" + line)
        self.assertIn("ACTIVITIES_DURATION_MSECS=", line)
        written = training.line()
        self.assertTrue(written.startswith(f"wrote {self.folder}/rankscope-iteration-7_{training.pid}.pt.trace.json"), written)
        until(lambda: [c for c in json.loads(one.get("/api/v1/captures"))["captures"] if c["over"] and c["source"] == "iteration"])
        time.sleep(1)
        self.assertEqual(len(json.loads(one.get("/api/v1/captures"))["captures"]), 1)
        self.assertTrue(any("trigger iteration" in text and "job '12'" in text for text in one.lines), one.lines)


class Hostile(WithAgent):
    def test_no_datagram_harms_it(self):
        one = self.start()
        client = kineto_process.KinetoSocket(self.folder)
        head = lambda size, kind: struct.pack("<Q32s", size, kind)
        poll = struct.pack("<iiqi", 2, 1, 0, os.getpid())
        bad = [b"", b"x", head(0, b""), head(20, b"req") + poll[:-1], head(2 ** 63, b"req") + poll, head(20, b"reqq") + poll, head(20, b"x" * 32) + poll,
               head(20, b"req") + struct.pack("<iiqi", 2, 2 ** 31 - 1, 0, 1), head(20, b"req") + struct.pack("<iiqi", 2, -1, 0, 1),
               head(20, b"req") + struct.pack("<iiqi", 2, 1, 0, -5), head(16, b"req") + struct.pack("<iiq", 2, 0, 0), os.urandom(60000)]
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
        for data in (struct.pack("<i", -1), struct.pack("<i", 2 ** 31 - 1), struct.pack("<i", 2 ** 20 + 1)):
            with one.connect() as connection:
                connection.sendall(data)
                self.assertEqual(connection.recv(100), b"", "closed at once")
        with one.connect() as connection:
            connection.sendall(struct.pack("<i", 100) + b"half")
        for text in (b"", b"{", b"[]", b"null", b"{}", b'{"fn":1}', b'{"fn":"unknown"}', b"\xff\xfe", b'{"fn":"setKinetOnDemandRequest"}',
                     b'{"fn":"setKinetOnDemandRequest","config":"A=B=C"}', b'{"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/tmp/a","pids":["x"]}',
                     b'{"fn":"setKinetOnDemandRequest","config":"ACTIVITIES_LOG_FILE=/tmp/a","pids":5}', b'{"fn":"startCapture","log_file":"/tmp/a=b.json"}',
                     b'{"fn":"startCapture","log_file":"/tmp/a.json","duration_ms":-5}', b'{"fn":"startCapture","log_file":"/tmp/a.json","start_unix_ms":5}',
                     b'{"fn":"startCapture","log_file":"/tmp/a.json","shapes":"yes"}', b'{"fn":"getCapture","id":7}', b"[" * 100000):
            with one.connect() as connection:
                self.assertIn("error", agent.exchange(connection, text), text[:60])
        self.assertEqual(one.ask({"fn": "getStatus"}), {"status": 1})
        self.assertRegex(one.ask({"fn": "getVersion"})["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(one.ask({"fn": "dcgmProfPause", "duration_s": 300}), {"status": True})
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
        done = subprocess.run([agent.BINARY, "--config", self.path("agent.toml"), "--check-config", *words], capture_output=True, check=False, timeout=20)
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def test_a_file_is_checked_with_line_and_reason(self):
        self.assertEqual(self.check('[kineto]\nsocket_dir = "/run/x"\n[triggers]\niteration = 0\n[host]\nroot = ""\n')[0], 0)
        for text, said in (('[kineto]\nsocketdir = ""\n', "line 2: there is no setting 'kineto.socketdir'; did you mean kineto.socket_dir?"), ("[kineto\n", "line 1"),
                           ("[triggers]\niteration = -5\n", "line 2: triggers.iteration is a whole number"), ("[triggers]\niteration = 1.5\n", "line 2"),
                           ('[rpc]\nlisten = "0.0.0.0:1778"\n', "rpc.token_file"), ('[rpc]\nlisten = "nonsense"\n', "no HOST:PORT"),
                           ('[metrics]\nlisten = "0.0.0.0:1"\n', "metrics.insecure"), ('[capture]\nfolder = "relative"\n', "absolute")):
            with self.subTest(text=text):
                code, told = self.check(text)
                self.assertEqual(code, 2, told)
                self.assertIn(said, told)
        self.assertEqual(self.check("[triggers]\niteration = 3\n", "--triggers.iteration", "no")[0], 2, "options go before the file")
        self.assertEqual(self.check('[rpc]\nlisten = "0.0.0.0:1778"\n', "--rpc.listen", "127.0.0.1:0")[0], 0)

    def test_an_address_that_is_taken_is_said(self):
        one = self.start()
        done = subprocess.run([agent.BINARY, "--kineto.socket_dir", self.folder, "--rpc.listen", "127.0.0.1:0", "--metrics.listen", ""], capture_output=True, check=False, timeout=20)
        self.assertEqual(done.returncode, 1)
        self.assertIn("another daemon", done.stderr.decode())
        done = subprocess.run([agent.BINARY, "--kineto.enabled", "false", "--rpc.listen", one.addresses["rpc"], "--metrics.listen", ""], capture_output=True, check=False, timeout=20)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be listened on", done.stderr.decode())


class Telemetry(WithAgent):
    def write(self, path, text):
        path = os.path.join(self.folder, "root", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_numbers_of_a_host_that_is_made_up(self):
        self.write("proc/stat", "cpu  1 2 3\ncpu0 100 0 50 1000 7 0 3 0 0 0\ncpu1 bad 0 1 2 3 4 5 6 7 8\nctxt 1234\nprocesses 99\nprocs_running 2\nprocs_blocked 0\n")
        self.write("proc/loadavg", "0.50 1.25 2.00 3/400 999\n")
        self.write("proc/meminfo", "MemTotal:       16384 kB\nMemFree:  oops kB\nHugePages_Total:       7\n")
        self.write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n")
        self.write("proc/net/dev", "Inter-|\n face |\n  eth0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n    lo: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n")
        self.write("sys/class/net/eth0/speed", "100000\n")
        self.write("sys/class/net/lo/speed", "-1\n")
        self.write("proc/diskstats", " 259 0 nvme0n1 10 0 8 1 20 0 16 2 0 1500 3\n   7 0 loop0 1 0 8 1 0 0 0 0 0 1 1\n")
        for name, value in (("port_xmit_data", "250"), ("port_rcv_data", "500"), ("port_xmit_discards", "3")):
            self.write(f"sys/class/infiniband/mlx5_0/ports/1/counters/{name}", value + "\n")
        self.write("sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent", "42\n")
        self.write("sys/class/thermal/thermal_zone0/temp", "45500\n")
        self.write("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
        one = self.start(host__root=self.path("root"))
        found = until(lambda: one.metrics() if ("rankscope_temperature_celsius", '{zone="thermal_zone0",type="x86_pkg_temp"}') in one.metrics() else None)
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
        self.assertEqual(sum("vmstat" in line for line in one.lines), 1, one.lines)
        self.assertFalse([name for name, _ in found if "oom" in name])

    def test_devices_of_a_driver_that_is_none(self):
        self.write("fake", "count 2\nbusy 37\nmemory_used 1000\nmemory_total 80000\npower_mw 312500\ncelsius 61\nslowdown 64\nuncorrected 0\n")
        os.environ["FAKE_NVML"] = self.path("root/fake")
        library = os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so")
        one = self.start(device__nvml_library=library, device__interval_s=1)
        training = self.train(RANK="5", SLURM_JOB_ID="77")
        one.wait_for_processes(1)
        self.write("fake", f"count 2\nbusy 37\nmemory_used 1000\npower_mw 312500\ncelsius 61\nslowdown 64\nuncorrected 0\nprocesses 1\npid {training.pid}\n")
        devices = until(lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["processes"]])
        self.assertEqual((devices[0]["name"], devices[0]["busy"], devices[0]["power_watts"], devices[0]["tensor_active"]), ("NVIDIA Fake", 0.37, 312.5, None))
        self.assertEqual((devices[0]["verdict"], devices[0]["reasons"]), ("degraded", ["its clocks are held down: hardware_thermal"]))
        self.assertEqual(devices[0]["processes"], [{"pid": training.pid, "memory_bytes": 1 << 20, "rank": 5, "job": "77"}])
        found = one.metrics()
        self.assertEqual(found["rankscope_device_busy_ratio", '{device="1",name="NVIDIA Fake",uuid="GPU-1"}'], 0.37)
        self.assertEqual(found["rankscope_device_slowed", '{device="0",name="NVIDIA Fake",uuid="GPU-0",reason="hardware_thermal"}'], 1)
        self.assertFalse([name for name, _ in found if name == "rankscope_device_energy_joules_total"], "unknown is not 0")
        # A slow driver holds up nobody who asks, a lost device is said, and a driver that is gone leaves no numbers.
        self.write("fake", "slow_ms 20\ncount 2\nbusy !15\n")
        begin = time.time()
        one.metrics()
        self.assertLess(time.time() - begin, 1)
        until(lambda: [d for d in json.loads(one.get("/api/v1/devices"))["devices"] if d["verdict"] == "failed"])
        self.write("fake", "count !15\n")
        until(lambda: not [name for name, _ in one.metrics() if name.startswith("rankscope_device_")])
        self.assertIn(("rankscope_agent_source_up", '{source="device"}'), one.metrics())

    def test_the_numbers_of_this_host(self):
        one = self.start()
        until(lambda: ("rankscope_agent_source_up", '{source="cpu"}') in one.metrics())
        first = one.metrics()
        with open("/proc/meminfo", encoding="utf-8") as file:
            total = int(file.readline().split()[1]) * 1024
        self.assertEqual(first["rankscope_memory_bytes", '{kind="MemTotal"}'], total)
        self.assertEqual(len([1 for name, labels in first if name == "rankscope_cpu_seconds_total" and 'mode="idle"' in labels]), os.cpu_count())
        self.assertEqual(json.loads(one.get("/healthz")), {"status": "ok"})
        self.assertEqual(one.stop(), 0)


class OnAllHosts(WithAgent):
    """`rankscope capture`: agents, training processes, a server, and a report of all ranks."""

    RANKS = 8

    def setUp(self):
        super().setUp()
        job = self.path("job")
        program.run("simulate", job, "--ranks", str(self.RANKS), "--steps", "4", "--events", "8000", "--slow-rank", "3", "--slow-factor", "1.4")
        self.traces = []
        for rank in range(self.RANKS):
            with gzip.open(os.path.join(job, f"rank{rank}.pt.trace.json.gz")) as file:
                trace = json.load(file)
            # As on-demand traces are: whose they are is the agent's to say.
            trace.pop("distributedInfo")
            self.traces.append(self.path(f"rank{rank}.json"))
            with open(self.traces[-1], "w", encoding="utf-8") as file:
                json.dump(trace, file)
        self.server = server.Server(self.path("runs"))
        self.addCleanup(self.server.stop)
        self.out = self.path("out")
        os.mkdir(self.out)
        with open(self.path("devices"), "w", encoding="utf-8") as file:
            file.write("count 8\nbusy 75\npower_mw 412500\n")
        os.environ["FAKE_NVML"] = self.path("devices")
        library = os.path.join(os.path.dirname(agent.BINARY), "libfake_nvml.so")
        for name in "abc":
            os.mkdir(self.path(name))
            self.start(self.path(name), device__nvml_library=library, device__interval_s=1, server__url=self.server.address, host__name="host-" + name, capture__spool_dir=self.path("spool"))
        for rank, trace in enumerate(self.traces):
            self.train("--trace", trace, folder=self.path("abc"[rank % 3]), RANK=str(rank), WORLD_SIZE=str(self.RANKS), LOCAL_RANK=str(rank))
        for one, count in zip(self.agents, (3, 3, 2)):
            one.wait_for_processes(count)

    def capture(self, *words, expect=0):
        hosts = ",".join(one.addresses["rpc"] for one in self.agents)
        return program.run("capture", "--server", self.server.address, "--hosts", hosts, "--folder", self.out, "--start-in", "1", *words, expect=expect)

    def test_one_command_and_a_report_with_all_ranks(self):
        out, error = self.capture("--duration", "100ms", "--name", "on demand", "--shapes")
        run = out.strip().rsplit("/", 1)[1]
        self.assertIn("8 processes on 3 hosts", error)
        report = self.server.get(f"/api/v1/runs/{run}/report")
        self.assertEqual(report["job"]["ranks"], list(range(self.RANKS)))
        self.assertEqual(report["findings"][0]["id"], "slow-gpu")
        self.assertEqual(report["findings"][0]["ranks"], [3])
        # As when the traces are pushed by hand.
        by_hand, _ = program.run("table", "findings", self.path("job"), "--format", "json")
        self.assertEqual([row[0] for row in json.loads(by_hand)["rows"]], [one["id"] for one in report["findings"]])
        names = sorted(one["name"] for one in self.server.get(f"/api/v1/runs/{run}/files")["files"])
        self.assertTrue(names[0].startswith("rank0-host-a-"), names)
        # What their devices did at the time is told by rank.
        samples = self.server.get(f"/api/v1/runs/{run}/metrics")["metrics"]
        self.assertEqual({(one["rank"], one["value"]) for one in samples if one["name"] == "device_power"}, {(rank, 412.5) for rank in range(self.RANKS)})
        self.assertEqual({one["unit"] for one in samples if one["name"] == "device_busy"}, {"ratio"})
        # Nothing is left on the hosts.
        self.assertEqual(os.listdir(self.out) + os.listdir(self.path("spool")), [])
        # All began at the same moment by their own clocks.
        lines = [training.line() for training in self.trainings]
        self.assertEqual(len({kineto_process.settings_of(line.replace("|", "\n"))["PROFILE_START_TIME"] for line in lines}), 1)

    def test_what_is_missing_is_named(self):
        self.agents[2].kill()
        self.trainings[0].end()
        self.train("--dies", folder=self.path("a"), RANK="0", WORLD_SIZE=str(self.RANKS))
        until(lambda: sorted(one["rank"] for one in self.agents[0].processes()) == [0, 3, 6])
        out, error = self.capture("--steps", "2", "--wait", "30")
        run = out.strip().rsplit("/", 1)[1]
        report = self.server.get(f"/api/v1/runs/{run}/report")
        self.assertEqual(report["job"]["ranks"], [1, 3, 4, 6, 7])
        self.assertRegex(error, r"missing: 127.0.0.1:\d+: ")
        self.assertRegex(error, r"missing: \S+: pid \d+ \(rank 0\): died")
        self.agents.pop()

    def test_a_capture_that_gets_nothing_leaves_nothing(self):
        out, error = self.capture("--pids", "1", "--duration", "1s", expect=1)
        self.assertEqual(out, "")
        self.assertIn("no process of the job asks for work", error)
        self.assertEqual(self.server.get("/api/v1/runs")["runs"], [])
        for words, said in ((("--duration", "soon"), "such as 500ms"), (("--steps", "1", "--duration", "5s"), "excludes")):
            _, error = self.capture(*words, expect=2)
            self.assertIn(said, error)
        _, error = program.run("capture", "--server", self.server.address, "--hosts", "127.0.0.1:9", expect=1)
        self.assertIn("no agent answers", error)

    def test_a_trigger_makes_one_run_of_all_hosts(self):
        for one in self.agents:
            one.stop()
        self.agents.clear()
        for training in self.trainings:
            training.end()
        self.trainings.clear()
        for name in "ab":
            self.start(self.path(name), server__url=self.server.address, host__name="host-" + name, triggers__iteration=5, triggers__settle_s=0, capture__folder=self.out, capture__spool_dir=self.path("spool"))
        for rank in range(4):
            self.train("--trace", self.traces[rank], folder=self.path("ab"[rank % 2]), RANK=str(rank), WORLD_SIZE="4", SLURM_JOB_ID="9", SLURM_JOB_NAME="llama")
        def whole():
            runs = self.server.get("/api/v1/runs")["runs"]
            return runs if runs and runs[0]["state"] == "ready" and runs[0]["files"] == 4 else None
        try:
            runs = until(whole, seconds=30)
        except AssertionError as error:
            raise AssertionError(f"{self.server.get('/api/v1/runs')} {[one.lines for one in self.agents]} {[one.get('/api/v1/deliveries') for one in self.agents]}") from error
        self.assertEqual([one["name"] for one in runs], ["llama 9"])
        self.assertEqual(self.server.get(f"/api/v1/runs/{runs[0]['id']}/report")["job"]["ranks"], [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main(argv=["agent_test"])
