"""`rankscope capture`: agents, training processes, a server, and a report of all ranks."""

import gzip
import http.client
import json
import os
import pickle
import shutil
import ssl
import subprocess
import sys
import tempfile
import unittest

import agent
import fake_hosts
import kineto_process
import program
import server
import write_snapshot
from agent import WithAgent
from waiting import LIMIT_S, until

FAKES = os.path.dirname(agent.BINARY)


class WithJob(WithAgent):
    """Eight ranks on three hosts, and a server."""

    RANKS = 8

    @classmethod
    def setUpClass(cls):
        cls.job = tempfile.mkdtemp(prefix="rs_job_")
        cls.addClassCleanup(shutil.rmtree, cls.job)
        program.run(
            "simulate",
            os.path.join(cls.job, "whole"),
            "--ranks",
            str(cls.RANKS),
            "--steps",
            "4",
            "--events",
            "8000",
            "--slow-rank",
            "3",
            "--slow-factor",
            "1.4",
        )
        cls.traces = []
        for rank in range(cls.RANKS):
            with gzip.open(os.path.join(cls.job, "whole", f"rank{rank}.pt.trace.json.gz")) as file:
                trace = json.load(file)
            # As on-demand traces are: whose they are is the agent's to say.
            trace.pop("distributedInfo")
            cls.traces.append(os.path.join(cls.job, f"rank{rank}.json"))
            with open(cls.traces[-1], "w", encoding="utf-8") as file:
                json.dump(trace, file)

    def setUp(self):
        super().setUp()
        self.server = server.Server(self.path("runs"))
        # Nobody has made it: the agents do, since Kineto writes into folders that are there.
        self.out = self.path("out/traces")
        with open(self.path("devices"), "w", encoding="utf-8") as file:
            file.write("count 8\nbusy 75\npower_mw 412500\n")
        os.environ["FAKE_NVML"] = self.path("devices")
        for name in "abc":
            os.mkdir(self.path(name))

    def tearDown(self):
        self.server.stop()
        super().tearDown()

    def start_host(self, name, **settings):
        return self.start(
            self.path(name),
            **{
                "device__nvml_library": os.path.join(FAKES, "libfake_nvml.so"),
                "device__interval_s": 1,
                "server__url": self.server.address,
                "server__interval_s": 1,
                "host__name": "host-" + name,
                "capture__spool_dir": self.path("spool"),
                **settings,
            },
        )

    def train_rank(self, rank, name, *words, **environment):
        return self.train(
            *(words or ("--trace", self.traces[rank])),
            folder=self.path(name),
            RANK=str(rank),
            WORLD_SIZE=str(self.RANKS),
            LOCAL_RANK=str(rank),
            **environment,
        )

    def start_all(self, **settings):
        for name in "abc":
            self.start_host(name, **settings)
        for rank in range(self.RANKS):
            self.train_rank(rank, "abc"[rank % 3])


class AskedByTheCommand(WithJob):
    def setUp(self):
        super().setUp()
        self.start_all()
        for one, count in zip(self.agents, (3, 3, 2)):
            one.wait_for_processes(count)

    def capture(self, *words, expect=0):
        hosts = ",".join(one.addresses["rpc"] for one in self.agents)
        return program.run(
            "capture",
            "--server",
            self.server.address,
            "--hosts",
            hosts,
            "--folder",
            self.out,
            "--start-in",
            "1",
            *words,
            expect=expect,
        )

    def test_one_command_and_a_report_with_all_ranks(self):
        out, error = self.capture("--duration", "100ms", "--name", "on demand", "--shapes")
        run = out.strip().rsplit("/", 1)[1]
        self.assertIn("8 processes on 3 hosts", error)
        report = self.server.get(f"/api/v1/runs/{run}/report")
        self.assertEqual(report["job"]["ranks"], list(range(self.RANKS)))
        self.assertEqual(report["findings"][0]["id"], "slow-gpu")
        self.assertEqual(report["findings"][0]["ranks"], [3])
        # As when the traces are pushed by hand.
        by_hand, _ = program.run("table", "findings", os.path.join(self.job, "whole"), "--format", "json")
        self.assertEqual([row[0] for row in json.loads(by_hand)["rows"]], [one["id"] for one in report["findings"]])
        names = sorted(one["name"] for one in self.server.get(f"/api/v1/runs/{run}/files")["files"])
        self.assertTrue(names[0].startswith("rank0-host-a-"), names)
        # What their devices did at the time is told by rank.
        samples = self.server.get(f"/api/v1/runs/{run}/metrics")["metrics"]
        self.assertEqual(
            {(one["rank"], one["value"]) for one in samples if one["name"] == "device_power"},
            {(rank, 412.5) for rank in range(self.RANKS)},
        )
        self.assertEqual({one["unit"] for one in samples if one["name"] == "device_busy"}, {"ratio"})
        # Nothing is left on the hosts.
        self.assertEqual(os.listdir(self.out) + os.listdir(self.path("spool")), [])
        # All began at the same moment by their own clocks.
        lines = [training.line() for training in self.trainings]
        self.assertEqual(
            len({kineto_process.settings_of(line.replace("|", "\n"))["PROFILE_START_TIME"] for line in lines}), 1
        )

    def test_snapshots_of_memory_go_with_the_traces(self):
        self.capture("--memory-snapshot", "soon", expect=2)
        for training in self.trainings:
            training.end()
        self.trainings.clear()
        snapshot = self.path("snapshot.pickle")
        with open(snapshot, "wb") as file:
            pickle.dump(write_snapshot.small_program(), file)
        for rank in range(3):
            self.train(
                "--trace",
                self.traces[rank],
                *([] if rank == 2 else ["--snapshot", snapshot]),
                folder=self.path("abc"[rank]),
                RANK=str(rank),
                WORLD_SIZE="3",
            )
        for one in self.agents:
            one.wait_for_processes(1)
        out, error = self.capture("--duration", "100ms", "--memory-snapshot", "200ms")
        self.assertNotIn("missing", error)
        run = out.strip().rsplit("/", 1)[1]
        names = sorted(one["name"] for one in self.server.get(f"/api/v1/runs/{run}/files")["files"])
        self.assertEqual(
            [name.split("-")[0] + name[name.index(".") :] for name in names],
            [f"rank{rank}.{kind}.gz" for rank in range(3) for kind in ("json", "pickle")],
        )
        # The report is of the traces, and says nothing of the others.
        report = self.server.get(f"/api/v1/runs/{run}/report")
        self.assertEqual((report["job"]["ranks"], report["quality"]), ([0, 1, 2], []))
        self.assertEqual(self.server.get("/api/v1/runs/" + run)["snapshots"], 3)
        # As rankscope memory says it of the same file.
        memory = self.server.get(f"/api/v1/runs/{run}/memory?file={names[1]}")
        by_hand = json.loads(program.run("memory", snapshot, "--format", "json")[0])
        self.assertEqual(
            (memory["schema"], memory["devices"], memory["tables"]),
            (by_hand["schema"], by_hand["devices"], by_hand["tables"]),
        )
        grown = self.server.get(f"/api/v1/runs/{run}/memory?file={names[1]}&later={names[3]}&view=1")
        self.assertIn("snapshot_leaks", grown["tables"])
        for wrong, said in (
            ("", "no memory snapshot ''"),
            ("?file=" + names[0], "no memory snapshot"),
            ("?file=../x.pickle", "no memory snapshot"),
        ):
            self.assertIn(
                said, self.server.ask("GET", f"/api/v1/runs/{run}/memory{wrong}", expect=404)[2]["error"]["message"]
            )
        # One that holds nothing says what it is.
        self.assertIn("error", self.server.ask("GET", f"/api/v1/runs/{run}/memory?file={names[5]}", expect=422)[2])
        left = lambda: os.listdir(self.out) + os.listdir(self.path("spool"))
        until(lambda: not left(), lambda: f"{left()} are left on the hosts")

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
        for words, said in (
            (("--duration", "soon"), "such as 500ms"),
            (("--steps", "1", "--duration", "5s"), "excludes"),
        ):
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
            self.start(
                self.path(name),
                server__url=self.server.address,
                host__name="host-" + name,
                triggers__iteration=5,
                triggers__settle_s=0,
                capture__folder=self.out,
                capture__spool_dir=self.path("spool"),
            )
        for rank in range(4):
            self.train(
                "--trace",
                self.traces[rank],
                folder=self.path("ab"[rank % 2]),
                RANK=str(rank),
                WORLD_SIZE="4",
                SLURM_JOB_ID="9",
                SLURM_JOB_NAME="llama",
            )

        def whole():
            runs = self.server.get("/api/v1/runs")["runs"]
            return runs if runs and runs[0]["state"] == "ready" and runs[0]["files"] == 4 else None

        try:
            runs = until(whole)
        except AssertionError as error:
            raise AssertionError(
                f"{self.server.get('/api/v1/runs')} {[one.lines for one in self.agents]} {[one.get('/api/v1/deliveries') for one in self.agents]}"
            ) from error
        self.assertEqual([one["name"] for one in runs], ["llama 9"])
        self.assertEqual(self.server.get(f"/api/v1/runs/{runs[0]['id']}/report")["job"]["ranks"], [0, 1, 2, 3])


class WithReportingHosts(WithJob):
    """Agents report to the server; nothing of their hosts is open."""

    CLOSED = {"rpc__listen": "", "metrics__listen": ""}

    def hosts(self):
        return {one["host"]: one for one in self.server.get("/api/v1/hosts")["hosts"] if one["here"]}

    def wait_for_hosts(self, processes):
        """Until each host reports so many."""
        return until(
            lambda: {name: len(one["processes"]) for name, one in self.hosts().items()} == processes and self.hosts()
        )

    def start_capture(self, expect=201, **words):
        return self.server.ask(
            "POST",
            "/api/v1/captures",
            {"folder": self.out, "start_in_ms": 500, "duration_ms": 100, **words},
            expect=expect,
        )[2]

    def end_of(self, capture):
        def over():
            now = self.server.get("/api/v1/captures/" + capture["id"])
            return now if now["phase"] in ("done", "failed", "cancelled") else None

        return until(over)


class AskedByTheServer(WithReportingHosts):
    def capture(self, *words, expect=0):
        return program.run(
            "capture", "--server", self.server.address, "--folder", self.out, "--start-in", "1", *words, expect=expect
        )

    def test_one_command_and_a_report_with_all_ranks(self):
        self.start_all(**self.CLOSED)
        seen = self.wait_for_hosts({"host-a": 3, "host-b": 3, "host-c": 2})
        self.assertEqual(sorted(one["rank"] for one in seen["host-a"]["processes"]), [0, 3, 6])
        self.assertEqual(
            (
                len(seen["host-a"]["devices"]),
                seen["host-a"]["devices"][0]["verdict"],
                seen["host-a"]["devices"][0]["power_watts"],
            ),
            (8, "ok", 412.5),
        )
        self.assertEqual(
            self.server.get("/api/v1/hosts")["jobs"],
            [
                {
                    "job": "",
                    "name": None,
                    "user": "ada",
                    "host_count": 3,
                    "processes": 8,
                    "recording": 0,
                    "world_size": 8,
                }
            ],
        )
        until(lambda: all(one["clock_uncertainty_us"] is not None for one in self.hosts().values()))

        # What devices and hosts do comes all the time.
        def last(host):
            series = self.server.get(f"/api/v1/hosts/{host}/metrics?points=1")["series"]
            return {(one["name"], one["device"]): one["high"][-1] for one in series}

        awaited = [
            ("host_cpu_busy", None),
            ("host_memory_used", None),
            *((name, device) for name in ("device_power", "device_busy") for device in range(8)),
        ]

        def all_of_them():
            told = last("host-a")
            return told if all(told.get(one) is not None for one in awaited) else None

        told = until(all_of_them)
        self.assertEqual([told["device_power", device] for device in range(8)], [412.5] * 8)
        self.assertEqual(told["device_busy", 3], 0.75)
        # By the digits that they are kept with: 0.1 is not 0.10000000149011612.
        self.assertEqual([one for one in told.values() if one is not None and one != float(f"{one:.6g}")], [])
        self.assertTrue(0 <= told["host_cpu_busy", None] <= 1 and 0 < told["host_memory_used", None] < 1, told)
        self.assertEqual(
            self.server.ask("GET", "/api/v1/hosts/host-x/metrics", expect=404)[2]["error"]["code"], "not_found"
        )
        self.assertIn(
            "1 to 720",
            self.server.ask("GET", "/api/v1/hosts/host-a/metrics?points=0", expect=400)[2]["error"]["message"],
        )
        out, error = self.capture("--duration", "100ms", "--name", "by the server")
        self.assertIn("8 processes on 3 hosts", error)
        self.assertNotIn("missing", error)
        run = out.strip().rsplit("/", 1)[1]
        report = self.server.get(f"/api/v1/runs/{run}/report")
        self.assertEqual(report["job"]["ranks"], list(range(self.RANKS)))
        self.assertEqual((report["findings"][0]["id"], report["findings"][0]["ranks"]), ("slow-gpu", [3]))
        self.assertEqual(os.listdir(self.out) + os.listdir(self.path("spool")), [])
        about = self.server.get("/api/v1/captures")["captures"][0]
        self.assertEqual(
            (about["phase"], about["asked"], about["written"], about["arrived"], about["run"], about["host_count"]),
            ("done", 8, 8, 8, run, 3),
        )
        # All began at the same moment, but those that heard of it too late, on a machine that is busy; then it is said.
        starts = {
            int(kineto_process.settings_of(training.line().replace("|", "\n"))["PROFILE_START_TIME"])
            for training in self.trainings
        }
        warnings = self.server.get(f"/api/v1/captures/{about['id']}")["warnings"]
        is_moved = any("too late to meet it" in warning for warning in warnings)
        self.assertTrue(len(starts) == 1 or is_moved, (starts, warnings))

    def test_what_is_missing_is_named(self):
        self.start_host("a", **self.CLOSED)
        self.start_host("b", **self.CLOSED)
        # Of eight ranks six are there: one ends when it is to record, one will not, and one of the agents is killed.
        for rank, name, words in (
            (0, "a", ()),
            (1, "a", ("--dies",)),
            (2, "a", ()),
            (4, "a", ()),
            (5, "a", ()),
            (3, "b", ()),
        ):
            self.train_rank(rank, name, *words)
        self.wait_for_hosts({"host-a": 5, "host-b": 1})
        capture = self.start_capture(start_in_ms=1500, wait_ms=30_000)
        self.assertEqual(capture["phase"], "asking")
        until(lambda: self.server.get("/api/v1/captures/" + capture["id"])["phase"] == "recording")
        self.agents[1].kill()
        self.agents.pop()
        ended = self.end_of(capture)
        self.assertEqual((ended["phase"], ended["asked"], ended["written"]), ("done", 6, 4), ended)
        missing = "\n".join(ended["missing"])
        self.assertRegex(missing, r"host-a: pid \d+ \(rank 1\): died: ")
        self.assertRegex(missing, r"host-b: pid \d+ \(rank 3\): ")
        self.assertIn("2 ranks are on no host that was asked: 6, 7", missing)
        until(lambda: self.server.get(f"/api/v1/runs/{ended['run']}")["state"] == "ready")
        self.assertEqual(self.server.get(f"/api/v1/runs/{ended['run']}/report")["job"]["ranks"], [0, 2, 4, 5])

    def test_which_job_is_meant(self):
        said = lambda error: error["error"]["message"]
        self.assertIn("no agent reports", said(self.start_capture(expect=404)))
        self.start_host("a", **self.CLOSED)
        self.wait_for_hosts({"host-a": 0})
        self.assertIn("KINETO_USE_DAEMON=1", said(self.start_capture(expect=404)))
        self.assertIn("'host-x'", said(self.start_capture(expect=404, hosts=["host-x"])))
        self.train_rank(0, "a", SLURM_JOB_ID="11", SLURM_JOB_NAME="llama")
        self.train_rank(1, "a", TORCHELASTIC_RUN_ID="fine tuning")
        self.wait_for_hosts({"host-a": 2})
        self.assertEqual(
            [(one["job"], one["name"]) for one in self.server.get("/api/v1/hosts")["jobs"]],
            [("11", "llama"), ("fine tuning", None)],
        )
        self.assertIn("say which is meant: '11', 'fine tuning'", said(self.start_capture(expect=400)))
        self.assertIn("no process of job '12' asks for work", said(self.start_capture(expect=404, job="12")))
        _, error = self.capture("--job", "12", expect=1)
        self.assertIn("there are '11', 'fine tuning'", error)
        capture = self.start_capture(job="fine tuning", start_in_ms=2500)
        self.assertIn("is being captured already", said(self.start_capture(expect=429, job="fine tuning")))
        ended = self.end_of(capture)
        self.assertEqual((ended["phase"], ended["asked"], ended["hosts"][0]["members"][0]["rank"]), ("done", 1, 1))
        self.assertEqual(
            self.server.get("/api/v1/runs/" + ended["run"])["tags"], {"job": "fine tuning", "made_by": "capture"}
        )
        for wrong in (
            {"steps": -1},
            {"folder": "relative"},
            {"pids": ["x"]},
            {"shapes": 1},
            {"nothing": 1},
            {"duration_ms": 10**9},
        ):
            self.start_capture(expect=400, **wrong)

    def test_a_capture_is_cancelled(self):
        self.start_host("a", metrics__listen="127.0.0.1:0")
        self.train("--every", "50", folder=self.path("a"))
        self.wait_for_hosts({"host-a": 1})
        capture = self.start_capture()
        until(lambda: self.server.get("/api/v1/captures/" + capture["id"])["phase"] == "recording")
        self.server.ask("DELETE", "/api/v1/captures/" + capture["id"], expect=202)
        ended = self.end_of(capture)
        self.assertEqual((ended["phase"], ended["run"]), ("cancelled", None))
        self.assertEqual(self.server.get("/api/v1/runs")["runs"], [])
        self.assertEqual(
            json.loads(self.agents[0].get("/api/v1/captures"))["captures"][0]["members"][0]["state"], "cancelled"
        )
        # One that is over stays as it is.
        self.server.ask("DELETE", "/api/v1/captures/" + capture["id"], expect=202)
        self.assertEqual(self.server.get("/api/v1/captures/" + capture["id"])["phase"], "cancelled")

    def test_a_server_that_stops_leaves_no_capture_behind(self):
        one = self.start_host("a", metrics__listen="127.0.0.1:0")
        self.train("--every", "50", folder=self.path("a"))
        self.wait_for_hosts({"host-a": 1})
        capture = self.start_capture()
        until(lambda: self.server.get("/api/v1/captures/" + capture["id"])["phase"] == "recording")
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(json.loads(one.get("/api/v1/captures"))["captures"][0]["members"][0]["state"], "cancelled")
        # The agent says once that it is gone, and comes back by itself.
        one.wait_for_lines("it is tried again")
        self.server.listen = f"127.0.0.1:{self.server.port}"
        self.server.restart()
        self.wait_for_hosts({"host-a": 1})
        one.wait_for_lines("reports arrive again")
        self.assertEqual(sum("it is tried again" in line for line in one.lines), 1)
        self.assertEqual(self.server.get("/api/v1/runs")["runs"], [])

    def test_a_clock_that_is_wrong(self):
        skewed = {"LD_PRELOAD": os.path.join(FAKES, "libfake_clock.so"), "FAKE_CLOCK_AHEAD_MS": "-7300"}
        self.start_host("a", **self.CLOSED)
        self.start_host("b", environment=skewed, **self.CLOSED)
        self.train_rank(0, "a")
        self.train_rank(1, "b", **skewed)
        self.wait_for_hosts({"host-a": 1, "host-b": 1})

        def whose_clocks_are_known():
            hosts = self.hosts()
            return hosts if all(one["clock_uncertainty_us"] is not None for one in hosts.values()) else None

        seen = until(whose_clocks_are_known)
        self.assertAlmostEqual(
            seen["host-b"]["clock_ahead_us"], -7_300_000, delta=seen["host-b"]["clock_uncertainty_us"]
        )
        self.assertAlmostEqual(seen["host-a"]["clock_ahead_us"], 0, delta=seen["host-a"]["clock_uncertainty_us"])
        ended = self.end_of(self.start_capture(start_in_ms=1500))
        self.assertEqual(
            (ended["phase"], ended["written"], ended["missing"]),
            ("done", 2, ["6 ranks are on no host that was asked: 2, 3, 4, 5, 6, ..."]),
            ended,
        )
        starts = [
            int(kineto_process.settings_of(training.line().replace("|", "\n"))["PROFILE_START_TIME"])
            for training in self.trainings
        ]
        most_us = max(one["clock_uncertainty_us"] for hosts in (seen, self.hosts()) for one in hosts.values())
        self.assertAlmostEqual(starts[1] - starts[0], -7300, delta=2 + 2 * most_us / 1000)

    def test_two_hosts_of_one_name(self):
        self.start_host("a", **self.CLOSED)
        self.wait_for_hosts({"host-a": 0})
        second = self.start_host("b", host__name="host-a", **self.CLOSED)
        second.wait_for_lines("another agent reports as host 'host-a'; give this one another host.name")

    def test_traces_that_cannot_be_packed_stay_where_they_are(self):
        """A disk that is full: the folder for packed traces is on a file system of 64 KiB."""
        small = tempfile.mkdtemp(prefix="rs_small_")
        self.addCleanup(os.rmdir, small)
        if (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "none", small], check=False, capture_output=True
            ).returncode
            != 0
        ):
            self.skipTest("no right to mount a small file system")
        self.addCleanup(subprocess.run, ["umount", small], check=False)
        full = self.start_host("a", capture__spool_dir=small, **self.CLOSED)
        self.start_host("b", **self.CLOSED)
        self.train_rank(0, "a")
        self.train_rank(1, "b")
        self.wait_for_hosts({"host-a": 1, "host-b": 1})
        ended = self.end_of(self.start_capture(wait_ms=20_000))
        self.assertEqual((ended["phase"], ended["written"], ended["arrived"]), ("done", 2, 1))
        self.assertIn("written, and did not reach the server", "\n".join(ended["missing"]))
        full.wait_for_lines("No space left on device")
        self.assertEqual(os.listdir(small), [], "half a file is left on the full disk")
        left = os.listdir(self.out)
        self.assertEqual(len(left), 1)
        with open(os.path.join(self.out, left[0]), encoding="utf-8") as file:
            self.assertIn("traceEvents", json.load(file))

    def test_tokens_and_teams(self):
        self.server.stop()
        tokens = {}
        for name, role, team in (("reader", "read", "blue"), ("agents", "upload", "blue"), ("others", "upload", "red")):
            out, _ = program.run("token", role, "--team", team, "--name", name, "--file", self.path("tokens"))
            tokens[name] = out.strip()
            with open(self.path(name), "w", encoding="utf-8") as one:
                one.write(out)
        self.server = server.Server(self.path("tokened"), "--token-file", self.path("tokens"))
        refused = self.start_host("a", server__token_file=self.path("reader"), **self.CLOSED)
        refused.wait_for_lines("this needs the role upload")
        self.start_host("b", server__token_file=self.path("agents"), **self.CLOSED)
        as_who = lambda name, method, path, body=None, expect=200: self.server.ask(
            method, path, body, {"Authorization": "Bearer " + tokens[name]}, expect=expect
        )[2]
        until(lambda: [one["host"] for one in as_who("reader", "GET", "/api/v1/hosts")["hosts"]] == ["host-b"])
        self.assertEqual(as_who("others", "GET", "/api/v1/hosts"), {"jobs": [], "hosts": []})
        as_who("reader", "POST", "/api/v1/captures", {}, expect=403)
        as_who("others", "POST", "/api/v1/captures", {}, expect=404)

    def test_certificates_of_both_ends(self):
        self.server.stop()
        ours, strangers = self.path("certs"), self.path("other")
        for folder in (ours, strangers):
            out, _ = program.run("certs", folder, "--server-name", "127.0.0.1", "--agent", "host-a", "--team", "blue")
            self.assertEqual(
                [os.path.basename(line) for line in out.splitlines()],
                ["ca.crt", "ca.key", "server.crt", "server.key", "host-a.crt", "host-a.key"],
            )
        self.assertEqual(
            {
                name: os.stat(os.path.join(ours, name)).st_mode & 0o777
                for name in os.listdir(ours)
                if name.endswith(".key")
            },
            {"ca.key": 0o600, "server.key": 0o600, "host-a.key": 0o600},
        )
        _, error = program.run("certs", ours, "--agent", "host-a", expect=2)
        self.assertIn("is there already", error)
        of = lambda folder, name: os.path.join(folder, name)
        self.server = server.Server(
            self.path("secured"),
            "--tls-cert",
            of(ours, "server.crt"),
            "--tls-key",
            of(ours, "server.key"),
            "--tls-client-ca",
            of(ours, "ca.crt"),
        )

        def ask(path, folder=None, host="host-a"):
            context = ssl.create_default_context(cafile=of(ours, "ca.crt"))
            if folder:
                context.load_cert_chain(of(folder, host + ".crt"), of(folder, host + ".key"))
            connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=LIMIT_S, context=context)
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())
            finally:
                connection.close()

        self.assertEqual(ask("/api/v1/runs")[0], 401)
        self.assertEqual(ask("/healthz")[0], 200)
        self.assertEqual(ask("/api/v1/runs", ours)[0], 200)
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            ask("/api/v1/runs", strangers)
        known = {
            "server__ca_file": of(ours, "ca.crt"),
            "server__cert_file": of(ours, "host-a.crt"),
            "server__key_file": of(ours, "host-a.key"),
        }
        self.start_host("a", **known, **self.CLOSED)
        fooled = self.start_host("b", **{**known, "server__ca_file": of(strangers, "ca.crt")}, **self.CLOSED)
        fooled.wait_for_lines("agree on TLS")
        # It speaks for its host alone.
        self.start_host("c", **known, **self.CLOSED).wait_for_lines("the certificate is of host 'host-a'")
        self.train_rank(0, "a")
        words = (
            "--tls-ca",
            of(ours, "ca.crt"),
            "--tls-cert",
            of(ours, "host-a.crt"),
            "--tls-key",
            of(ours, "host-a.key"),
        )
        seen = lambda: program.run(
            "capture",
            "--server",
            self.server.address,
            *words,
            "--folder",
            self.out,
            "--start-in",
            "1",
            "--duration",
            "100ms",
            expect=(0, 1),
        )
        out, error = until(lambda: next((one for one in [seen()] if one[0]), None))
        self.assertIn("1 processes on 1 hosts", error)
        # The run is of the team that the agent's certificate names.
        runs = ask("/api/v1/runs", ours)[1]["runs"]
        self.assertEqual([(one["team"], one["user"]) for one in runs], [("blue", "host-a")])
        # One without a team reports for now, is told of it, and sees nothing.
        program.run("certs", ours, "--agent", "host-d")
        teamless = {
            **known,
            "server__cert_file": of(ours, "host-d.crt"),
            "server__key_file": of(ours, "host-d.key"),
        }
        os.mkdir(self.path("d"))
        self.start_host("d", **teamless, **self.CLOSED).wait_for_lines("names no team")
        until(lambda: any("host-d" in message for message in self.server.events("agents")))
        self.assertEqual(ask("/api/v1/runs", ours, "host-d")[1]["runs"], [])
        self.assertEqual(ask("/api/v1/hosts", ours, "host-d")[1]["hosts"], [])


class ManyHosts(unittest.TestCase):
    COUNT = int(os.environ.get("RANKSCOPE_HOSTS", "50"))

    def test_of_many_hosts_some_are_bad(self):
        """One in twenty hears nothing, falls silent when it was told, or keeps what it wrote; and one is slow."""
        kinds = ("is_deaf", "falls_silent", "keeps_trace")
        bad = {rank: kinds[rank // 20 % 3] for rank in range(9, self.COUNT, 20)}
        with tempfile.TemporaryDirectory(prefix="rs_many_") as folder:
            job = os.path.join(folder, "job")
            program.run("simulate", job, "--ranks", str(self.COUNT), "--steps", "2", "--events", "1200")
            traces = [os.path.join(job, f"rank{rank}.pt.trace.json.gz") for rank in range(self.COUNT)]
            one = server.Server(os.path.join(folder, "runs"))
            try:

                def arrange(hosts):
                    hosts[7].answers_after_s = 1.5
                    for rank, kind in bad.items():
                        setattr(hosts[rank], kind, True)

                def capture():
                    until(lambda: sum(host["here"] for host in one.get("/api/v1/hosts")["hosts"]) == self.COUNT)
                    words = ("--job", "4711", "--duration", "100ms", "--start-in", "12", "--host-wait", "5")
                    return program.run("capture", "--server", one.address, *words, "--analyse-after", "20")

                (out, error), hosts = fake_hosts.while_hosts_run(one.port, traces, "4711", capture, arrange)
                missing = [line for line in error.splitlines() if "missing: " in line]
                for rank, kind in bad.items():
                    named = [line for line in missing if f"node{rank:04}:" in line]
                    said = {
                        "is_deaf": "its agent did not answer within 10 s",
                        "falls_silent": "its agent answers no more",
                        "keeps_trace": "written, and did not reach the server",
                    }[kind]
                    self.assertTrue(any(said in line for line in named), (rank, kind, missing))
                named = {line.split("missing: ")[1].split(":")[0] for line in missing if ": node" in line}
                self.assertEqual(named, {f"node{rank:04}" for rank in bad}, "and nobody else")
                # All were told before the moment at which all begin.
                told = [host for host in hosts if host.capture]
                self.assertEqual(len(told), self.COUNT - sum(kind == "is_deaf" for kind in bad.values()))
                self.assertEqual(len({host.started for host in told}), 1)
                self.assertLess(max(host.told_at - host.started for host in told), 0)
                run = out.strip().rsplit("/", 1)[1]
                self.assertEqual(one.get(f"/api/v1/runs/{run}")["summary"]["ranks"], self.COUNT - len(bad))
                self.assertEqual([capture["phase"] for capture in one.get("/api/v1/captures")["captures"]], ["done"])
            finally:
                self.assertEqual(one.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=["capture_test", *sys.argv[2:]])
