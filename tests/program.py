"""Running rankscope from tests, and comparing what it says of a trace with the independent reader in reference/."""

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from waiting import LIMIT_S

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "reference"))

BINARY = sys.argv[1] if len(sys.argv) > 1 else "build/bin/rankscope"
# A cache of the test's own: the user's stays as it is.
CACHE = tempfile.TemporaryDirectory(prefix="rankscope_cache_")  # pylint: disable=consider-using-with
os.environ["RANKSCOPE_CACHE_DIR"] = CACHE.name
# Real traces beside the checkout; tests that need them say so when they are not there.
REAL_TRACES = os.path.normpath(os.path.join(HERE, "..", "..", "shared", "traces"))


# Where the packages that `./dev setup` installs are.
DEBIAN_PYTHON = "/usr/bin/python3"


def by_a_python_that_has(module):
    """Goes on with Debian's Python where this one lacks a module that Debian's has. The caller says so where neither has it."""
    if importlib.util.find_spec(module) or os.path.realpath(sys.executable) == os.path.realpath(DEBIAN_PYTHON):
        return
    probe = [DEBIAN_PYTHON, "-c", f"import {module}"]
    if os.path.exists(DEBIAN_PYTHON) and subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        CACHE.cleanup()
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])


NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


@functools.cache
def for_nobody(program):
    """The path of `program` for somebody without rights: a copy where a folder on the way to it is closed to others (/root)."""
    program = os.path.abspath(program)
    try:
        subprocess.run([program, "--version"], capture_output=True, check=True, **NOBODY)
        return program
    except (PermissionError, subprocess.CalledProcessError):
        pass
    folder = os.path.join(CACHE.name, "for_nobody")
    for path in (CACHE.name, folder):
        os.makedirs(path, exist_ok=True)
        os.chmod(path, 0o755)
    for path in (program, os.path.join(os.path.dirname(program), "libduckdb.so")):
        shutil.copy(path, folder)
    return os.path.join(folder, os.path.basename(program))


def run(*arguments, expect=0, environment=None, standard_input=None):
    """Runs rankscope; returns (stdout, stderr) as text. Any exit code but `expect` fails, and so does a signal."""
    given = None if standard_input is None else standard_input.encode()
    result = subprocess.run(
        [BINARY, *arguments], capture_output=True, timeout=LIMIT_S, check=False, env=environment, input=given
    )
    out = result.stdout.decode("utf-8", "replace")
    error = result.stderr.decode("utf-8", "replace")
    codes = expect if isinstance(expect, tuple) else (expect,)
    assert result.returncode in codes, f"{arguments}: exit code {result.returncode}, expected {codes}\n{error[-2000:]}"
    return out, error


@functools.cache
def sql_views():
    """Names of the views of SQL over traces, which are no tables."""
    tables = json.loads(run("list", "--json")[0])["tables"]
    return [table["name"] for table in tables if table["subject"] == "events"]


class WithJob(unittest.TestCase):
    """Tests of one simulated job, `self.job`, in a folder of their own, `self.temporary`."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.job = os.path.join(cls.temporary.name, "job")
        run("simulate", cls.job, "--ranks", "2", "--steps", "3", "--events", "8000")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()


def trace_info(path, jobs=1, expect=(0, 1)):
    """What `trace info` says of one file, as a dict; {"error": ...} when it is no trace."""
    out, error = run("trace", "info", path, "--format", "json", "--jobs", str(jobs), expect=expect)
    return json.loads(out)["files"][0] if out else {"error": error}


def table(name, *paths, options=()):
    """Rows of an analysis as dicts."""
    out, _ = run("table", name, *paths, "--format", "json", *options)
    parsed = json.loads(out)
    names = [column["name"] for column in parsed["columns"]]
    return [dict(zip(names, row)) for row in parsed["rows"]]


def differences(info, facts):
    """Where `trace info` and the reference disagree, as sentences."""
    found = []
    pairs = {
        "events": "event_count",
        "rows": "row_count",
        "flows": "flow_count",
        "metadata": "metadata_count",
        "rank": "rank",
        "world_size": "world_size",
        "begin_ns": "begin_ns",
        "end_ns": "end_ns",
    }
    for ours, theirs in pairs.items():
        mine, reference = info.get(ours), facts[theirs]
        if ours.endswith("_ns"):
            mine = int(mine)
            if reference is None:
                continue
        if mine != reference:
            found.append(f"{ours} is {mine}, the reference says {reference}")
    categories = {name: (sums["rows"], int(sums["dur_ns"])) for name, sums in info["categories"].items()}
    expected = {name: (sums["rows"], sums["dur_ns"]) for name, sums in facts["categories"].items()}
    if categories != expected:
        found.append(f"categories are {categories}, the reference says {expected}")
    kernels = {name: (count, int(total)) for name, (count, total) in info["kernels"].items()}
    expected = {name: tuple(sums) for name, sums in facts["kernels"].items()}
    if kernels != expected:
        changed = {n for n in set(kernels) | set(expected) if kernels.get(n) != expected.get(n)}
        found.append(f"kernels differ: {sorted(changed)[:3]}")
    return found
