"""Findings as a user gets them: of simulated jobs whose causes are known, of healthy ones, and of a trace with hostile names."""

import json
import os
import shlex
import tempfile
import unittest

import program

# Kind of job, causes, layout, seed; whether the replay can know the gain. Where the cause sits on some ranks they must be named.
PLANTED = [
    ("ddp", ["slow-gpu:rank=6,severity=0.4"], "", 11, True),
    ("fsdp", ["slow-gpu:rank=1+4,severity=0.25"], "", 12, True),
    ("3d", ["slow-gpu:rank=5,severity=0.5"], "tp=2,pp=2,dp=2", 13, True),
    ("ddp", ["slow-host:rank=3,severity=6"], "", 14, True),
    ("ddp", ["data-starvation:severity=0.4"], "", 15, True),
    ("fsdp", ["data-straggler:rank=7,severity=0.35"], "", 16, True),
    ("ddp", ["gc-pause:severity=0.8"], "", 17, True),
    ("fsdp", ["checkpoint-stall:severity=2"], "", 18, True),
    ("ddp", ["recompilation:severity=2"], "", 19, True),
    ("ddp", ["pageable-copy"], "", 20, True),
    ("fsdp", ["network-jitter:severity=25"], "", 225, True),
    ("ddp", ["no-tensor-cores:severity=0.3"], "", 22, True),
    ("ddp", ["allocator-thrash:severity=1"], "", 23, True),
    ("dlrm", ["sharding-imbalance:rank=2,severity=1"], "", 24, False),
    ("ddp", ["memory-leak:severity=0.01"], "", 25, False),
    ("ddp", ["power-throttle:rank=6,severity=0.4"], "", 27, True),
    ("fsdp", ["cpu-contention:severity=4"], "", 28, True),
    ("ddp", ["cpu-contention:rank=3,severity=6"], "", 29, True),
    ("ddp", ["slow-gpu:rank=2,severity=0.4", "data-straggler:rank=2,severity=0.4"], "", 26, False),
]
# Under which general ids causes are told whose evidence a recording may lack.
GENERAL = {"gc-pause": ("rank-host-work", "host-work", "outlier-step")}
HEALTHY = [("ddp", "", 31), ("fsdp", "", 32), ("3d", "tp=2,pp=2,dp=2", 33), ("dlrm", "", 34), ("moe", "ep=4,dp=8", 35)]
SEVERITIES = ["high", "medium", "low"]


def simulate(folder, kind, causes, layout, seed, *more):
    words = [
        "simulate",
        folder,
        *more,
        "--job",
        kind,
        "--ranks",
        "8",
        "--steps",
        "5",
        "--events",
        "8000",
        "--seed",
        str(seed),
    ]
    if layout:
        words += ["--layout", layout]
    for cause in causes:
        words += ["--plant", cause]
    program.run(*words)
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return json.load(file)


def report(path):
    out, _ = program.run("analyze", path, "--format", "json")
    return json.loads(out)


class Findings(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.temporary.cleanup)
        self.job = os.path.join(self.temporary.name, "job")

    def check_report(self, made):
        findings = made["findings"]

        def weight(one):
            unprofiled = one["gain_unprofiled_pct"]
            return (one["gain_pct"] or 0) if unprofiled is None else unprofiled

        order = [(SEVERITIES.index(one["severity"]), -weight(one), one["id"]) for one in findings]
        self.assertEqual(order, sorted(order))
        ids = [one["id"] for one in findings]
        self.assertEqual(len(ids), len(set(ids)))
        combined = made["job"]["combined_gain_pct"]
        for one in findings:
            self.assertTrue(0 <= one["confidence"] <= 1)
            self.assertTrue(
                one["ranks"] and one["title"] and one["why"] and one["recommendation"] and one["command"], one["id"]
            )
            self.assertEqual(one["ranks"], sorted(set(one["ranks"])))
            self.assertIn(one["gain_method"], ("replay", "bound", "estimate"))
            self.assertTrue(0 <= (one["gain_pct"] or 0) <= 100)
            self.assertGreaterEqual(combined + 1e-9, one["gain_pct"] or 0, one["id"])

    def check_contributions(self, made):
        """They and the step at its best sum to the step, to the nanosecond; each is a finding, each finding with a gain is one."""
        times = [one["time_ns"] for one in made["contributions"]]
        self.assertEqual(made["base"]["ns"], made["best_ns"] + sum(times))
        self.assertEqual(made["base"]["kind"], "step")
        self.assertAlmostEqual(made["base"]["ns"], made["job"]["step_time_ns"]["mean"], delta=0.01 * made["base"]["ns"])
        self.assertTrue(all(time >= 0 for time in times), times)
        self.assertEqual(
            [one["finding"] for one in made["contributions"]],
            [one["id"] for one in made["findings"] if one["gain_pct"] is not None],
        )
        self.assertAlmostEqual(
            sum(one["marginal_gain_pct"] for one in made["contributions"]),
            made["job"]["combined_gain_pct"] or 0,
            places=6,
        )

    def test_planted_causes_are_found(self):
        for kind, causes, layout, seed, knows_gain in PLANTED:
            with self.subTest(kind=kind, causes=causes), tempfile.TemporaryDirectory() as folder:
                truth = simulate(folder, kind, causes, layout, seed)
                made = report(folder)
                self.check_report(made)
                self.check_contributions(made)
                # The command that a finding names is one that runs.
                for one in made["findings"]:
                    program.run(*one["command"].replace("TRACES", folder).split()[1:])
                self.assertIsNone(made["job"]["replay"]["refused_reason"])
                found = {one["id"]: one for one in made["findings"]}
                for cause in truth["causes"]:
                    told = next((name for name in (cause["id"], *GENERAL.get(cause["id"], ())) if name in found), None)
                    self.assertIsNotNone(told, f"{cause['id']} among {list(found)}")
                    one = found[told]
                    if told != cause["id"]:
                        continue
                    if len(cause["ranks"]) < len(truth["ranks"]):
                        self.assertEqual(one["ranks"], cause["ranks"])
                    if not knows_gain:
                        continue
                    true = cause["gain_pct"]
                    self.assertGreater(true, 2, "the job does not show its cause")
                    self.assertLessEqual(abs(one["gain_pct"] - true), max(3, true / 4), f"{one['gain_pct']} for {true}")
                    # What is true is told first.
                    self.assertEqual(made["findings"][0]["id"], cause["id"])

    def test_a_slow_gpu_beside_a_rank_that_was_not_recorded(self):
        """Rank 0 waits for rank 4, which waits for rank 6: without rank 4's recording no replay lets rank 0 go on earlier."""
        for missing in ("1", "4"):
            with self.subTest(missing=missing), tempfile.TemporaryDirectory() as folder:
                truth = simulate(folder, "hsdp", ["slow-gpu:rank=6,severity=0.4"], "", 36, "--missing-ranks", missing)
                made = report(folder)
                self.check_report(made)
                first = made["findings"][0]
                self.assertEqual((first["id"], first["ranks"]), ("slow-gpu", [6]))
                self.assertEqual(first["gain_method"], "bound" if missing == "4" else "replay")
                self.assertAlmostEqual(first["gain_pct"], truth["causes"][0]["gain_pct"], delta=2)
                out, _ = program.run("whatif", folder, "--change", "idealise:rank=6", "--format", "json")
                if missing == "4":
                    self.assertIn("some ranks were not recorded", out)

    def test_healthy_jobs_give_no_alarm(self):
        for kind, layout, seed in HEALTHY:
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                # What telemetry tells of a healthy job is no alarm, either.
                simulate(folder, kind, [], layout, seed, "--telemetry")
                made = report(folder)
                self.check_report(made)
                self.assertEqual(
                    {one["id"] for one in made["not_evaluated"]}
                    & {"power-throttle", "cpu-contention", "underused-gpu"},
                    set(),
                )
                # A pipeline has its bubble.
                alarms = [
                    (one["id"], one["gain_pct"])
                    for one in made["findings"]
                    if one["severity"] != "low" and one["id"] != "pipeline-bubble"
                ]
                self.assertEqual(alarms, [])
                if kind != "3d":
                    program.run("analyze", folder, "--fail-on", "medium")

    def test_the_gate(self):
        simulate(self.job, "ddp", ["slow-gpu:rank=4,severity=0.5"], "", 41)
        for gate in ("high", "medium", "low", "slow-gpu"):
            out, error = program.run("analyze", self.job, "--fail-on", gate, expect=3)
            self.assertIn("rank 4", out)
            self.assertIn(f"--fail-on {gate}: slow-gpu (high): the device of rank 4", error)
        program.run("analyze", self.job, "--fail-on", "host-sync")

    def test_shown_commands_see_the_same_job(self):
        simulate(self.job, "ddp", ["slow-gpu:rank=4,severity=0.5"], "", 41)
        names = os.path.join(self.temporary.name, "my kernels.txt")
        with open(names, "w", encoding="utf-8") as file:
            file.write("gemm my_gemm\n")
        out, _ = program.run("analyze", self.job, "--ranks", "0-4", "--kernel-classes", names)
        shown = next(line for line in out.splitlines() if "rankscope top" in line and self.job in line)
        shown = shown[shown.index("rankscope top") :]
        self.assertIn(f"--ranks 0-4 --kernel-classes '{names}'", shown)
        program.run(*shlex.split(shown)[1:])

    def test_what_was_not_recorded_is_not_evaluated(self):
        program.run("simulate", self.job, "--job", "single", "--ranks", "1", "--steps", "3", "--events", "8000")
        made = report(self.job)
        reasons = {one["id"]: one["reason"] for one in made["not_evaluated"]}
        self.assertEqual(reasons["slow-gpu"], "one rank was recorded: there is none to compare it with")
        self.assertNotIn("host-sync", reasons)
        program.run("analyze", self.job, "--fail-on", "slow-gpu", expect=(1, 2))
        self.assertIn("needs telemetry", reasons["power-throttle"])
        # Telemetry that is none is named, and costs the report nothing.
        with open(os.path.join(self.job, "bad.telemetry.json"), "w", encoding="utf-8") as file:
            file.write('[{"time": 1, "name": "device_power"}]')
        with_bad = report(self.job)
        self.assertEqual(with_bad["findings"], made["findings"])
        self.assertEqual(
            [one["message"] for one in with_bad["quality"] if one["file"].endswith("bad.telemetry.json")],
            ["metric 0: it has no time, name or value"],
        )

    def test_hostile_names(self):
        name = 'aten::"mm\\\n\t\u0001</script><b>\u2028\U0001f600'
        for rank in range(4):
            events = []
            for step in range(4):
                start, gemm = 10000 * step, 6000 if rank == 2 else 4000
                call = 10 * step

                def add(category, title, at, length, track, args=None):
                    events.append(
                        {
                            "ph": "X",
                            "cat": category,
                            "name": title,
                            "pid": 0 if category == "kernel" else 9,
                            "tid": track,
                            "ts": at,
                            "dur": length,
                            "args": args or {},
                        }
                    )

                add("user_annotation", f"ProfilerStep#{step}", start, 10000, 1)
                add("cpu_op", name, start + 10, 50, 1, {"Input Dims": [[8, 8], [8, 8]], "Input type": [name, name]})
                add("cuda_runtime", "cudaLaunchKernel", start + 20, 5, 1, {"correlation": call + 1})
                add("cuda_runtime", "cudaLaunchKernel", start + 40, 5, 1, {"correlation": call + 2})
                add("cuda_runtime", "cudaDeviceSynchronize", start + 70, 6945, 1, {"correlation": call + 3})
                add("kernel", name, start + 30, gemm, 7, {"correlation": call + 1, "device": 0, "stream": 7})
                add(
                    "kernel",
                    "ncclDevKernel_AllReduce",
                    start + 30 + gemm,
                    7000 - 30 - gemm,
                    7,
                    {
                        "correlation": call + 2,
                        "device": 0,
                        "stream": 7,
                        "Collective name": "allreduce",
                        "In msg nelems": 1000,
                        "Out msg nelems": 1000,
                        "dtype": "Float",
                        "Group size": 4,
                        "Process Group Name": name,
                        "Process Group Description": name,
                        "Process Group Ranks": "[0, 1, 2, 3]",
                    },
                )
            os.makedirs(self.job, exist_ok=True)
            with open(os.path.join(self.job, f"rank{rank}.json"), "w", encoding="utf-8") as file:
                json.dump(
                    {
                        "schemaVersion": 1,
                        "distributedInfo": {"rank": rank, "world_size": 4, "backend": "nccl"},
                        "traceEvents": events,
                    },
                    file,
                )
        made = report(self.job)
        self.check_report(made)
        # The host's 3 ms at the end of each step are the larger one.
        self.assertEqual([found["id"] for found in made["findings"]], ["host-work", "slow-gpu"])
        self.assertEqual(made["findings"][1]["ranks"], [2])
        self.assertEqual(made["findings"][1]["where"][0]["op"], name)
        row = program.table("findings", self.job)[1]
        self.assertEqual(json.loads(row["places"])[0]["op"], name)

    def test_a_slow_gpu_in_the_stage_with_most_layers(self):
        with tempfile.TemporaryDirectory() as folder:
            program.run(
                "simulate",
                folder,
                "--job",
                "3d",
                "--layout",
                "tp=1,pp=4,dp=4",
                "--ranks",
                "16",
                "--events",
                "12000",
                "--plant",
                "pipeline-stage-imbalance:severity=0.6",
                "--plant",
                "slow-gpu:rank=9",
            )
            with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
                causes = {cause["id"]: cause for cause in json.load(file)["causes"]}
            self.assertIn(9, causes["pipeline-stage-imbalance"]["ranks"])
            found = {row["id"]: row for row in program.table("findings", folder)}
            self.assertEqual(found["slow-gpu"]["ranks"], "9")
            self.assertAlmostEqual(found["slow-gpu"]["gain_pct"], causes["slow-gpu"]["gain_pct"], delta=1.5)
            # The truth is the job without the layers that were added; evened out they are still there.
            stage, truth = found["pipeline-stage-imbalance"], causes["pipeline-stage-imbalance"]
            self.assertEqual(stage["ranks"], "8-11")
            self.assertTrue(3 < stage["gain_pct"] < truth["gain_pct"], (stage["gain_pct"], truth["gain_pct"]))

    def test_places_name_modules_and_lines_where_stacks_were_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            program.run(
                "simulate",
                folder,
                "--job",
                "ddp",
                "--ranks",
                "2",
                "--steps",
                "4",
                "--events",
                "12000",
                "--stacks",
                "--plant",
                "host-sync",
            )
            row = next(row for row in program.table("findings", folder) if row["id"] == "host-sync")
            places = json.loads(row["places"])
            self.assertTrue(
                any(
                    place.get("module") and place.get("file", "").endswith(".py") and place.get("line", 0) > 0
                    for place in places
                ),
                places,
            )
            said, _ = program.run("analyze", folder)
            self.assertRegex(said, r"\.py:\d+")
            json.loads(row["evidence"])


if __name__ == "__main__":
    unittest.main(argv=["findings_test"])
