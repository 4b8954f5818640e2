"""`rankscope fleet hours`: device hours by owner, from what Slurm and Kubernetes say, against hours worked out by hand."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

import program
from waiting import LIMIT_S

HOUR_MS = 3_600_000

SACCT = """JobIDRaw|JobName|User|Account|Partition|QOS|State|Start|End|NodeList|AllocTRES
1|train|ada|nlp-base|gpu|high|COMPLETED|2026-11-01T00:30:00|2026-11-01T02:30:00|n[1-2]|billing=8,gres/gpu=8
1.batch|batch|ada|nlp-base|||COMPLETED|2026-11-01T00:30:00|2026-11-01T02:30:00|n1|gres/gpu=4
2|tune|bob|vision|gpu|low|FAILED|2026-11-01T02:30:00|2026-11-01T03:00:00|n1|gres/gpu=2
3|test|eve|misc|gpu|low|CANCELLED by 1001|2026-11-01T02:30:00|2026-11-01T02:45:00|n1|gres/gpu:1g.10gb=7
4|long|ada|nlp-base|gpu|low|RUNNING|2026-11-01T03:00:00|Unknown|n2|gres/gpu=4
5|odd|ada|nlp-base|gpu|low|COMPLETED|2026-11-01T00:00:00|2026-11-01T01:00:00|n9|gres/gpu=1
"""
DEVICES = "node,devices,from,until\nn[1-2],4,,\nn3,2,2026-11-01T02:00:00,\n"
OWNERS = "field,pattern,team,product,model\naccount,^nlp,language,assistant,\naccount,^vision$,vision,,\n"
ABSENCES = "node,from,until,state\nn3,2026-11-01T02:00:00,2026-11-01T03:00:00,down\nn1,2026-11-01T03:00:00,2026-11-01T04:00:00,reserved\n"


class FleetHours(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rankscope_hours_")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        for name, text in (("sacct", SACCT), ("devices", DEVICES), ("owners", OWNERS), ("absences", ABSENCES)):
            self.write(name, text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def ask(self, *words, code=0):
        usual = ["--devices", "devices", "--since", "2026-11-01", "--until", "2026-11-01T04:00:00"]
        done = subprocess.run(
            [os.path.abspath(program.BINARY), "fleet", "hours", *usual, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self, *words, table="fleet_hours"):
        text = self.ask(*words, "--format", "csv", "--table", table).stdout
        return list(csv.DictReader(io.StringIO(text)))

    def of_slurm(self, *words, **settings):
        return self.rows("--sacct", "sacct", "--owners", "owners", "--absences", "absences", *words, **settings)

    def test_teams(self):
        """language: 8 devices for 2 h, 4 for the last hour; vision 2 for half an hour; 7 slices of a seventh for a quarter of an hour, of
        an account of which no rule says whose it is."""
        got = {row["value"]: (int(row["allocated_ms"]) / HOUR_MS, row["jobs"]) for row in self.of_slurm()}
        self.assertEqual(got, {"language": (20.0, "2"), "vision": (1.0, "1"), "": (0.25, "1")})
        [capacity] = self.of_slurm(table="fleet_capacity")
        hours = {name: int(capacity[name]) / HOUR_MS for name in capacity if name.endswith("_ms") and capacity[name]}
        # 8 devices for 4 h, 2 more for the last two; 2 down for an hour, 4 reserved for one.
        self.assertEqual(
            hours,
            {
                "capacity_ms": 36.0,
                "allocated_ms": 21.25,
                "reserved_ms": 4.0,
                "down_ms": 2.0,
                "unallocated_ms": 8.75,
                "unattributed_ms": 0.25,
            },
        )

    def test_a_table_as_text_is_the_one_that_was_named(self):
        def head(*words):
            return self.ask("--sacct", "sacct", "--owners", "owners", *words).stdout.split()

        self.assertIn("capacity_ms", head("--table", "fleet_capacity"))
        self.assertNotIn("device_hours", head("--table", "fleet_capacity"))
        self.assertIn("device_hours", head("--table", "fleet_hours"))
        self.assertNotIn("capacity_ms", head("--table", "fleet_hours"))

    def test_hours_are_clipped_and_sum_to_the_capacity(self):
        capacity = self.of_slurm("--every", "hour", table="fleet_capacity")
        self.assertEqual([int(row["capacity_ms"]) / HOUR_MS for row in capacity], [8.0, 8.0, 10.0, 10.0])
        rows = self.of_slurm("--every", "hour", "--by", "user")
        ada = [int(row["allocated_ms"]) / HOUR_MS for row in rows if row["value"] == "ada"]
        self.assertEqual(ada, [4.0, 8.0, 4.0, 4.0])
        for period in capacity:
            parts = [int(row["allocated_ms"]) for row in rows if row["from"] == period["from"]]
            rest = [int(period[name]) for name in ("reserved_ms", "down_ms", "unallocated_ms")]
            self.assertEqual(sum(parts + rest), int(period["capacity_ms"]))

    def test_outcomes(self):
        got = {row["value"]: int(row["allocated_ms"]) / HOUR_MS for row in self.of_slurm("--by", "outcome")}
        self.assertEqual(got, {"completed": 16.0, "running": 4.0, "failed": 1.0, "cancelled": 0.25})

    def test_a_node_that_nobody_named_is_told(self):
        told = self.ask("--sacct", "sacct").stderr
        self.assertIn("1.00 device hours are on nodes at times for which devices names no devices (n9)", told)

    def test_pods(self):
        pod = {
            "metadata": {"name": "p-0", "namespace": "research", "labels": {"job-name": "p", "team": "x"}},
            "spec": {"nodeName": "n1", "containers": [{"resources": {"limits": {"nvidia.com/gpu": "3"}}}]},
            "status": {"phase": "Running", "startTime": "2026-11-01T02:00:00Z"},
        }
        self.write("pods", json.dumps({"items": [pod]}))
        got = {
            row["value"]: int(row["allocated_ms"]) / HOUR_MS
            for row in self.rows("--pods", "pods", "--by", "label:team")
        }
        self.assertEqual(got, {"x": 6.0})

    def test_what_is_busy(self):
        """n1's devices are half busy all the time, and n2's of the last hour are known alone."""
        start = 1_793_491_200  # 2026-11-01
        series = [
            {"metric": {"Hostname": "n1.cluster"}, "values": [[start + 60 * i, "0.5"] for i in range(1, 241)]},
            {"metric": {"Hostname": "n2"}, "values": [[start + 60 * i, "1"] for i in range(181, 241)]},
        ]
        self.write("use", json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}}))
        use = ["--use", "use", "--use-unit", "ratio"]
        got = {row["value"]: row for row in self.of_slurm(*use, "--by", "job")}
        # Job 1 has n1 and n2 for two hours: of n2 nothing is known. Half of n1's devices are busy: 2 of 4.
        self.assertEqual(int(got["1"]["use_known_ms"]) / HOUR_MS, 8.0)
        self.assertEqual(int(got["1"]["busy_ms"]) / HOUR_MS, 4.0)
        self.assertEqual(int(got["4"]["busy_ms"]) / HOUR_MS, 4.0)
        # Jobs 2 and 3 share n1 for a quarter of an hour: two devices are busy, and they have three.
        self.assertEqual(int(got["3"]["mixed_ms"]), int(got["3"]["use_known_ms"]))
        [capacity] = self.of_slurm(*use, table="fleet_capacity")
        self.assertLessEqual(int(capacity["busy_ms"]), int(capacity["use_known_ms"]))
        self.assertGreater(int(capacity["busy_unclaimed_ms"]), 0)
        text = self.ask("--sacct", "sacct", *use).stdout
        self.assertRegex(text, r"busy \S+% of what was allocated \(known of \S+% of it\)")
        self.assertEqual(self.of_slurm()[0]["busy_ms"], "")
        self.assertIn("--use-unit", self.ask("--sacct", "sacct", "--use", "use", code=1).stderr)

    def test_devices_that_are_shared(self):
        self.write(
            "more",
            SACCT.split("\n", maxsplit=1)[0]
            + "\n7|again|zoe|z|||COMPLETED|2026-11-01T00:30:00|2026-11-01T01:30:00|n1|gres/gpu=4\n",
        )
        rows = {row["value"]: row for row in self.rows("--sacct", "sacct", "--sacct", "more", "--by", "user")}
        # Two jobs want the four devices of n1 for an hour: each has half.
        self.assertEqual(int(rows["zoe"]["allocated_ms"]), 2 * HOUR_MS)
        self.assertEqual(int(rows["zoe"]["shared_ms"]), 2 * HOUR_MS)
        self.assertEqual(int(rows["ada"]["shared_ms"]), 2 * HOUR_MS)

    def test_text(self):
        text = self.ask("--sacct", "sacct", "--owners", "owners", "--absences", "absences").stdout
        self.assertTrue(
            text.startswith(
                "2026-11-01T00:00:00Z to 2026-11-01T04:00:00Z: 36.0 device hours, 59.0% allocated, 11.1% reserved, 5.6% down, 24.3% unallocated\n"
            ),
            text,
        )
        self.assertIn("unattributed", text)

    def test_gpu_time_of_published_jobs(self):
        """117 s x 8, 2693 s x 8 and 18 s x 64 devices, as a published trace of a cluster has their GPU time."""
        self.write("big", "node,devices\nk[1-8],8\n")
        head = SACCT.split("\n", maxsplit=1)[0]
        rows = [
            f"{i}|j|u{i}|a|||COMPLETED|1761955200|{1761955200 + seconds}|{nodes}|gres/gpu={devices}"
            for i, (seconds, nodes, devices) in enumerate([(117, "k1", 8), (2693, "k2", 8), (18, "k[1-8]", 64)])
        ]
        self.write("jobs", head + "\n" + "\n".join(rows) + "\n")
        words = [
            "--devices",
            "big",
            "--since",
            "2025-11-01",
            "--until",
            "2025-11-02",
            "--sacct",
            "jobs",
            "--by",
            "user",
        ]
        done = subprocess.run(
            [os.path.abspath(program.BINARY), "fleet", "hours", *words, "--format", "csv"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=True,
        )
        got = {row["value"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
        # The third wants devices that the first two have: its 18 s on k1 and k2 are shared.
        self.assertEqual(int(got["u2"]["allocated_ms"]), 18 * 6 * 8000 + 2 * 18 * 4000)
        self.assertEqual(int(got["u0"]["allocated_ms"]) + 18 * 4000, 936_000)
        self.assertEqual(int(got["u1"]["allocated_ms"]) + 18 * 4000, 21_544_000)

    def test_what_is_wrong_is_named(self):
        self.write("bad", SACCT.replace("gres/gpu=2", "gres/gpu=two"))
        self.assertIn("bad: line 4: 'gres/gpu=two'", self.ask("--sacct", "bad", code=1).stderr)
        self.write("rules", "field,pattern,team\nuser,[,x\n")
        self.assertIn("rules: line 2", self.ask("--owners", "rules", code=1).stderr)
        self.assertIn("no column Start", self.ask("--sacct", self.write("empty", "JobIDRaw|State\n"), code=1).stderr)
        self.assertIn("nowhere", self.ask("--sacct", "nowhere", code=1).stderr)
        self.ask("--since", "yesterday", code=2)
        self.assertIn("did you mean team?", self.ask("--by", "teem", code=2).stderr)
        self.ask("--until", "2026-10-01", code=2)
        self.ask("--utc-offset", "noon", code=2)

    def test_times_of_another_zone(self):
        rows = self.rows("--sacct", "sacct", "--by", "user", "--utc-offset", "-08:00")
        # All that is said is of that zone, --since and --until, too.
        self.assertEqual({row["value"]: int(row["allocated_ms"]) / HOUR_MS for row in rows}["bob"], 1.0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
