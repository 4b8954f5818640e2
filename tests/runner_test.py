"""Jobs that are read elsewhere: `rankscope analyze --runner` with a real Slurm of one node, Kubernetes' manifest, and shards by hand."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import program
from slurm import NEEDED, Slurm
from waiting import LIMIT_S, until

program.by_a_python_that_has("yaml")


def run(*words, environment=None, code=0, **settings):
    done = subprocess.run(
        [os.path.abspath(program.BINARY), *words],
        capture_output=True,
        text=True,
        env=environment,
        timeout=LIMIT_S,
        check=False,
        **settings,
    )
    if done.returncode != code:
        raise AssertionError(f"{words}: exit code {done.returncode}, not {code}: {done.stderr[-2000:]}")
    return done


class Job(unittest.TestCase):
    """A simulated job of six ranks, in a folder with a blank and a quote in its name."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rankscope_runner_")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.traces = os.path.join(cls.temporary.name, "ann's traces")
        run("simulate", cls.traces, "--ranks", "6", "--steps", "4", "--events", "3000", "--slow-rank", "2")
        cls.report = run("analyze", cls.traces, "--format", "json").stdout

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.temporary.name)
        self.shards = os.path.join(self.folder, "shards")

    def same_report(self, text):
        """All of it: findings, tables, what could not be read."""
        self.assertEqual(json.loads(text), json.loads(self.report))


class Shards(Job):
    def kubernetes(self, *words, size="1M"):
        return run(
            "analyze", self.traces, "--runner", "kubernetes", "--runner-dir", self.shards, "--shard-size", size, "--image",
            "registry/rankscope:1", "--claim", "traces", "--mount", self.temporary.name, *words,
        )  # fmt: skip

    def plan(self):
        with open(os.path.join(self.shards, "plan.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_shards_read_the_job_and_the_report_reads_nothing(self):
        self.kubernetes("--format", "json")
        plan = self.plan()
        self.assertGreater(len(plan["shards"]), 1)
        traces = sorted(name for name in os.listdir(self.traces) if name.endswith(".json.gz"))
        files = [os.path.basename(file) for shard in plan["shards"] for file in shard["files"]]
        self.assertEqual(files, traces)
        for number in range(len(plan["shards"])):
            variable = "JOB_COMPLETION_INDEX" if number % 2 else "SLURM_ARRAY_TASK_ID"
            run("shard", self.shards, environment={**os.environ, variable: str(number)})
        # Everything is in the cache: the traces themselves could be anything of the same content.
        before = sorted(os.listdir(os.path.join(self.shards, "cache")))
        made = run("analyze", self.traces, "--shards", self.shards, "--format", "json")
        self.same_report(made.stdout)
        columns = [name for name in before if name.endswith(".columns")]
        after = [name for name in sorted(os.listdir(os.path.join(self.shards, "cache"))) if name.endswith(".columns")]
        self.assertEqual(columns, after)
        self.assertGreater(len(columns), 0)

    def test_a_shard_that_never_ran_costs_its_files_and_that_is_said(self):
        self.kubernetes()
        run("shard", self.shards, "0")
        made = run("analyze", self.traces, "--shards", self.shards, "--format", "json")
        missing = len(self.plan()["shards"]) - 1
        self.assertIn(f"shards without a result: {missing} of {missing + 1}", made.stderr)
        quality = json.dumps(json.loads(made.stdout))
        self.assertIn("ended without a result", quality)

    def test_a_shard_without_a_trace_says_64(self):
        broken = os.path.join(self.folder, "broken")
        os.mkdir(broken)
        for name in ("a.json", "b.json"):
            with open(os.path.join(broken, name), "w", encoding="utf-8") as file:
                file.write("{")
        run(
            "analyze", broken, "--runner", "kubernetes", "--runner-dir", self.shards, "--image", "x", "--claim", "c", "--mount", self.temporary.name
        )  # fmt: skip
        self.assertIn("no file of it is a trace", run("shard", self.shards, "0", code=64).stderr)
        run("analyze", broken, "--shards", self.shards, code=1)

    def test_a_killed_child_costs_an_attempt_and_a_killed_shard_goes_on(self):
        self.kubernetes(size="1G")
        files = self.plan()["shards"][0]["files"]
        # What a shard leaves that was killed while it read the third file alone, for the second time.
        left = {
            "is_done": False,
            "has_begun": True,
            "read": files[:2],
            "ended": [{"file": files[2], "times": 2, "how": ""}],
            "is_all_unusable": False,
        }
        with open(os.path.join(self.shards, "shard-0.json"), "w", encoding="utf-8") as file:
            json.dump(left, file)
        run("shard", self.shards, "0")
        made = run("analyze", self.traces, "--shards", self.shards, "--format", "json")
        self.assertIn("reading it ended 2 processes", made.stdout)
        self.assertEqual(made.stdout.count(os.path.basename(files[1])), made.stdout.count(os.path.basename(files[3])))

    def test_what_cannot_be_meant_is_refused(self):
        for words in (
            ["--runner", "kubernetes"],
            ["--runner", "slurm", "--no-wait"],
            ["--runner", "slurm", "--format", "folder", "-o", "x"],
            ["--runner", "slurm", "--all"],
            ["--runner", "nomad"],
            ["--shard-size", "much", "--runner", "slurm"],
        ):
            run("analyze", self.traces, *words, code=2)
        self.assertIn("no plan", run("analyze", self.traces, "--shards", self.folder, code=1).stderr)
        run("shard", self.folder, "0", code=1)
        self.kubernetes()
        run("shard", self.shards, "99", code=2)
        bare = {
            name: value
            for name, value in os.environ.items()
            if name not in ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX")
        }
        self.assertIn("number of a shard is missing", run("shard", self.shards, code=2, environment=bare).stderr)
        self.assertIn("not empty", self.kubernetes_refused())

    def test_what_others_do_not_see_is_refused(self):
        self.assertIn("not standard input", run("analyze", "-", "--runner", "slurm", code=2).stderr)
        words = ["--runner", "kubernetes", "--image", "x", "--claim", "c", "--mount", os.path.join(self.folder, "m")]
        told = run("analyze", self.traces, *words, "--runner-dir", self.shards, code=2).stderr
        self.assertIn("is not below --mount", told)
        self.assertFalse(os.path.exists(self.shards))

    def kubernetes_refused(self):
        return run(
            "analyze", self.traces, "--runner", "kubernetes", "--runner-dir", self.shards, "--image", "x", "--claim", "c", "--mount", self.temporary.name,
            code=2,
        ).stderr  # fmt: skip

    def test_the_manifest_is_what_kubernetes_takes(self):
        """By a schema of our own: what batch/v1 says of the fields that are used, no others, with their types."""
        import yaml  # pylint: disable=import-outside-toplevel

        made = self.kubernetes("--at-once", "2", "--format", "html", "--pod-memory", "16Gi", "--fail-on", "high")
        shards, report = yaml.safe_load_all(made.stdout)
        count = len(self.plan()["shards"])
        for job in (shards, report):
            check(job, JOB, "job")
        self.assertEqual(shards["spec"]["completionMode"], "Indexed")
        self.assertEqual((shards["spec"]["completions"], shards["spec"]["parallelism"]), (count, 2))
        rules = shards["spec"]["podFailurePolicy"]["rules"]
        self.assertEqual(rules[0]["onExitCodes"]["values"], [64])
        self.assertEqual(rules[1]["action"], "Ignore")
        args = [job["spec"]["template"]["spec"]["containers"][0]["args"] for job in (shards, report)]
        self.assertEqual(args[0], ["shard", self.shards])
        self.assertIn(self.traces, args[1])
        # What pods run, run here: the shards by their index, and the report that waits for them.
        words = [os.path.abspath(program.BINARY), *args[1]]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as waiting:
            for number in range(count):
                run(*args[0], environment={**os.environ, "JOB_COMPLETION_INDEX": str(number)})
            self.assertEqual(waiting.wait(LIMIT_S), 3)
        with open(os.path.join(self.shards, "report"), encoding="utf-8") as file:
            self.assertIn("<!doctype html>", file.read(200).lower())


# Of batch/v1 Job and core/v1 PodSpec: type, or the schema of an object, or [schema of each]; a name with "?" may be missing.
POD = {
    "restartPolicy": {"Never", "OnFailure"},
    "containers": [
        {
            "name": str,
            "image": str,
            "command": [str],
            "args": [str],
            "resources": {"requests": {"cpu": str, "memory": str}, "limits": {"memory": str}},
            "volumeMounts": [{"name": str, "mountPath": str}],
        }
    ],
    "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str}}],
}
JOB = {
    "apiVersion": {"batch/v1"},
    "kind": {"Job"},
    "metadata": {"name": str},
    "spec": {
        "completionMode?": {"Indexed", "NonIndexed"},
        "completions?": int,
        "parallelism?": int,
        "backoffLimit?": int,
        "backoffLimitPerIndex?": int,
        "maxFailedIndexes?": int,
        "podFailurePolicy?": {
            "rules": [
                {
                    "action": {"FailIndex", "FailJob", "Ignore", "Count"},
                    "onExitCodes?": {"containerName": str, "operator": {"In", "NotIn"}, "values": [int]},
                    "onPodConditions?": [{"type": str, "status": str}],
                }
            ]
        },
        "template": {"spec": POD},
    },
}


def check(value, schema, where):
    """Raises where a value is not what its schema says."""
    if isinstance(schema, type):
        assert isinstance(value, schema), f"{where}: {value!r}"
    elif isinstance(schema, set):
        assert value in schema, f"{where}: {value!r}"
    elif isinstance(schema, list):
        assert isinstance(value, list), f"{where}: {value!r}"
        for i, one in enumerate(value):
            check(one, schema[0], f"{where}[{i}]")
    else:
        assert isinstance(value, dict), f"{where}: {value!r}"
        known = {name.rstrip("?"): name for name in schema}
        assert set(value) <= set(known), f"{where}: {set(value) - set(known)}"
        for name, full in known.items():
            if name in value:
                check(value[name], schema[full], f"{where}.{name}")
            else:
                assert full.endswith("?"), f"{where}: no {name}"


@unittest.skipIf(os.geteuid() != 0, "munged and slurmd of a test want to be root's")
class OnSlurm(Job):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        missing = [name for name in NEEDED if shutil.which(name) is None]
        assert not missing, f"./dev setup installs what is missing: {missing}"
        cls.slurm = cls.enterClassContext(Slurm()) if hasattr(cls, "enterClassContext") else Slurm().__enter__()

    def analyze(self, *words, code=0):
        return run(
            "analyze",
            self.traces,
            "--runner",
            "slurm",
            *words,
            code=code,
            environment=self.slurm.environment,
            cwd=self.folder,
        )

    def test_the_report_of_shards_is_that_of_the_job(self):
        done = self.analyze("--shard-size", "1M", "--format", "json")
        self.same_report(done.stdout)
        self.assertIn("shards read: ", done.stderr)
        # Nothing is left of it.
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_gate_and_a_page(self):
        done = self.analyze("--format", "html", "-o", "page.html", "--fail-on", "high", code=3)
        self.assertIn("--fail-on", done.stderr)
        with open(os.path.join(self.folder, "page.html"), encoding="utf-8") as file:
            self.assertIn("<!doctype html>", file.read(200).lower())

    def test_without_waiting_it_says_where_the_report_will_be(self):
        done = self.analyze("--no-wait", "--runner-dir", self.shards, "--at-once", "1", "--shard-size", "1M")
        path = os.path.join(self.shards, "report")
        self.assertIn(path, done.stderr)
        until(lambda: os.path.exists(os.path.join(self.shards, "report.exit")), self.slurm.told)
        with open(path, encoding="utf-8") as file:
            self.assertIn("slow-gpu", file.read())

    def test_stopped_it_leaves_no_job(self):
        # The shards wait for a partition's only node, which is taken.
        hold = self.slurm.ask("sbatch", "--parsable", "--exclusive", "--wrap", "sleep 600", "-o", "/dev/null").strip()
        self.addCleanup(self.slurm.ask, "scancel", hold)
        words = [os.path.abspath(program.BINARY), "analyze", self.traces, "--runner", "slurm"]
        with subprocess.Popen(
            words, env=self.slurm.environment, cwd=self.folder, stderr=subprocess.PIPE, text=True
        ) as waiting:
            # One of a test before may still be completing.
            until(lambda: "rankscope-report PENDING" in self.slurm.ask("squeue", "-h", "-o", "%j %T"))
            waiting.send_signal(signal.SIGINT)
            said = waiting.stderr.read()
            self.assertNotEqual(waiting.wait(LIMIT_S), 0)
        self.assertIn("were cancelled", said)
        until(lambda: "rankscope" not in self.slurm.ask("squeue", "-h", "-o", "%j"))
        self.slurm.ask("scancel", hold)
        self.assertEqual(os.listdir(self.folder), [])
        until(lambda: "idle" in self.slurm.ask("sinfo", "-h", "-o", "%T"))

    def test_what_slurm_refuses_is_told(self):
        done = self.analyze("--sbatch=--partition=nowhere", code=1)
        self.assertIn("sbatch refuses", done.stderr)
        self.assertIn("nowhere", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_slurm_that_is_said(self):
        done = run(
            "analyze",
            self.traces,
            "--runner",
            "slurm",
            code=1,
            environment={**os.environ, "PATH": "/nowhere"},
            cwd=self.folder,
        )
        self.assertIn("sbatch: not here", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
