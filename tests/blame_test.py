"""Who is blamed for waiting, of simulated jobs whose causes are known: the first row of blame names rank and cause."""

import os
import tempfile
import unittest

import program

STAGES = "tp=2,pp=2,dp=2"
# Kind of job, layout, what is planted; cause and rank of the first row, and its pattern. A rank of None: it moves from step to step.
ONE_CAUSE = [
    ("ddp", "", "slow-gpu:rank=6,severity=0.4", "slower kernels", 6, "fixed"),
    ("3d", STAGES, "slow-gpu:rank=5,severity=0.5", "slower kernels", 5, "fixed"),
    ("ddp", "", "slow-host:rank=3,severity=6", "host", 3, "fixed"),
    ("fsdp", "", "data-straggler:rank=7,severity=0.35", "input", 7, "fixed"),
    ("ddp", "", "gc-pause:severity=0.8", "pause", None, "rotating"),
    ("ddp", "", "sequence-imbalance", "more work", None, "rotating"),
    ("dlrm", "", "sharding-imbalance:rank=2,severity=1", "more work", 2, "fixed"),
    ("fsdp", "", "allocator-thrash:rank=4", "allocator", 4, "fixed"),
    ("ddp", "", "recompilation:rank=3,steps=2", "compiling", 3, "random"),
    ("ddp", "", "checkpoint-stall:rank=3,steps=2", "checkpoint", 3, "random"),
]


class Blame(unittest.TestCase):
    def blame(self, kind, layout, *causes):
        """Rows of blame of such a job, whose sums are checked."""
        with tempfile.TemporaryDirectory() as folder:
            job = os.path.join(folder, "job")
            words = ["simulate", job, "--job", kind, "--ranks", "8", "--steps", "5", "--events", "8000", "--seed", "11"]
            words += ["--layout", layout] if layout else []
            for cause in causes:
                words += ["--plant", cause]
            program.run(*words)
            rows = program.table("blame", job)
            late = program.table("late_arrivals", job)
            self.assertEqual(sum(int(row["blamed_ns"]) for row in rows), sum(int(row["skew_ns"]) for row in late))
            self.assertAlmostEqual(sum(row["share_pct"] for row in rows), 100, places=6)
            for row in late:
                self.assertTrue(0 < int(row["root_ns"]) <= int(row["skew_ns"]) <= int(row["wait_ns"]), row)
                self.assertTrue(0 <= int(row["marginal_ns"]) <= int(row["skew_ns"]), row)
            self.check_slack(job)
            return rows

    def check_slack(self, job):
        rows = program.table("slack_over_ranks", job)
        for step in {row["step"] for row in rows}:
            of_step = [row for row in rows if row["step"] == step]
            self.assertEqual([row["rank"] for row in of_step], list(range(8)))
            # Something decides every step: a rank's computing, or what all of them transfer.
            self.assertTrue(any(int(row["least_slack_ns"]) == 0 or int(row["communication_ns"]) > 0 for row in of_step))
            self.assertTrue(all(int(row["least_slack_ns"]) >= 0 for row in of_step))

    def test_planted_causes_are_blamed(self):
        for kind, layout, planted, cause, rank, pattern in ONE_CAUSE:
            with self.subTest(planted=planted, kind=kind):
                rows = self.blame(kind, layout, planted)
                first = rows[0]
                self.assertEqual((first["cause"], first["pattern"]), (cause, pattern))
                self.assertGreater(first["step_pct"], 5)
                others = [
                    row["blamed_ns"] for row in rows[1:] if row["cause"] not in (cause, "usual work", "unexplained")
                ]
                if rank is None:
                    self.assertGreater(
                        len({row["rank"] for row in rows if row["cause"] == cause and row["steps"] > 0}), 2
                    )
                else:
                    self.assertEqual(first["rank"], rank)
                # A checkpoint is also copied.
                self.assertGreater(int(first["blamed_ns"]), 2 * max(map(int, others), default=0))

    def test_a_slow_link_makes_no_rank_late(self):
        # All wait for the same transfers.
        for kind in ("ddp", "fsdp"):
            for row in self.blame(kind, "", "slow-link:rank=2,severity=3"):
                self.assertLess(row["step_pct"], 1, row)
        # A transfer of one group makes its members late to another group's: it is the group's fault.
        for kind, layout in (("hsdp", ""), ("3d", STAGES)):
            rows = self.blame(kind, layout, "slow-link:rank=2,severity=3")
            self.assertEqual(rows[0]["cause"], "transfer")
            self.assertIsNone(rows[0]["rank"])
            self.assertGreater(rows[0]["step_pct"], 5)
            for row in rows:
                if row["rank"] is not None and row["cause"] not in ("usual work", "unexplained"):
                    self.assertLess(row["step_pct"], 3, row)

    def test_two_causes_at_once(self):
        rows = self.blame(
            "ddp", "", "slow-gpu:rank=2,severity=0.3,steps=0-2", "recompilation:rank=5,severity=0.8,steps=4"
        )
        self.assertEqual([(row["rank"], row["cause"]) for row in rows[:2]], [(2, "slower kernels"), (5, "compiling")])
        # Rank 5 lets the pipeline wait for its input, behind which rank 2's device is slow.
        rows = self.blame("3d", STAGES, "slow-gpu:rank=2,severity=0.3", "data-straggler:rank=5,severity=0.6")
        self.assertEqual([(row["rank"], row["cause"]) for row in rows[:2]], [(5, "input"), (2, "slower kernels")])

    def test_a_healthy_job_blames_nobody(self):
        for kind, layout in (("ddp", ""), ("fsdp", ""), ("3d", STAGES)):
            for row in self.blame(kind, layout):
                if row["cause"] not in ("usual work", "unexplained"):
                    self.assertLess(row["step_pct"], 2, row)


if __name__ == "__main__":
    unittest.main(argv=["blame_test"])
