"""Runs the lab's programs: mistake and twin in turns without a recording, then each once recorded. `compare.py` says what came of it.

    python3 lab/run.py OUT [NAME...] [--rounds N] [--fork]

OUT/NAME/SIDE/time-K and OUT/NAME/SIDE/recorded hold what the hooks write (python/rankscope_hooks). --fork starts each run as a copy of one
process that has imported torch, which saves the time of importing it; else each run is a process of its own, as a user starts it.
"""

import argparse
import atexit
import os
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
HOOKS = os.path.join(os.path.dirname(HERE), "python")
LIMIT_S = 120  # of one run, for one that hangs

from catalogue import PROGRAMS


def has_cuda():
    """Asked of another process: one that has asked CUDA cannot be forked."""
    code = "import torch; raise SystemExit(0 if torch.cuda.is_available() else 1)"
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode == 0


def import_torch():
    """What forked processes share: torch, and what its optimizers import when the first one is made."""
    import torch

    if hasattr(torch, "compile"):
        import torch._dynamo  # noqa: F401


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment_of(program, rank, port, out, record):
    variables = {
        "RANKSCOPE_HOOKS_OUT": out,
        "RANKSCOPE_HOOKS_RECORD": "1" if record else "0",
        "RANKSCOPE_HOOKS_WARMUP": str(program.warmup),
        "RANKSCOPE_HOOKS_STEPS": str(program.recorded if record else program.steps),
        "RANKSCOPE_HOOKS_STOP": "1",
    }
    if program.ranks:
        variables.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks_of(program)))
        variables.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    return variables


def ranks_of(program):
    return min(program.ranks, max(2, (os.cpu_count() or 2) // 2))


def start(script, steps, variables, folder, log, fork):
    """Starts one process of a run in a process group of its own; its pid."""
    arguments = [script, str(steps)]
    if not fork:
        paths = [os.path.join(HOOKS, "rankscope_hooks", "inject"), os.environ.get("PYTHONPATH", "")]
        variables = dict(os.environ, **variables, PYTHONPATH=os.pathsep.join(path for path in paths if path))
        command = [sys.executable] + arguments
        return subprocess.Popen(command, env=variables, cwd=folder, stdout=log, stderr=log, start_new_session=True).pid
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            os.chdir(folder)
            os.environ.update(variables)
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            sys.argv = arguments
            sys.path.insert(0, HOOKS)
            import rankscope_hooks

            rankscope_hooks.start_from_environment()
            runpy.run_path(script, run_name="__main__")
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            atexit._run_exitfuncs()
            os._exit(code)
    return pid


def run_once(program, side, out, record, fork):
    """One run of all ranks; whether all ended well."""
    script = os.path.join(HERE, "programs", program.name, side, "train.py")
    steps = program.warmup + (program.recorded if record else program.steps) + 2
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    port = free_port()
    waited = {}
    with tempfile.TemporaryDirectory() as folder, open(out + ".log", "ab") as log:
        for rank in range(ranks_of(program) if program.ranks else 1):
            waited[start(script, steps, environment_of(program, rank, port, out, record), folder, log, fork)] = None
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until and None in waited.values():
            for pid, code in waited.items():
                if code is None:
                    ended, status = os.waitpid(pid, os.WNOHANG)
                    if ended:
                        waited[pid] = os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        for pid in waited:  # what hangs, and helpers that a program leaves behind
            try:
                os.killpg(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    return all(code == 0 for code in waited.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("out")
    parser.add_argument("names", nargs="*", help="programs; without any all that this machine can run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side that are timed (default 3)")
    parser.add_argument(
        "--fork", action="store_true", help="start runs as copies of one process that has imported torch"
    )
    options = parser.parse_args()
    unknown = set(options.names) - {program.name for program in PROGRAMS}
    if unknown:
        parser.error("no program of the lab is called " + ", ".join(sorted(unknown)))
    cuda = has_cuda()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.fork:
        import_torch()
    failed = 0
    for program in PROGRAMS:
        if options.names and program.name not in options.names:
            continue
        if program.needs == "cuda" and not cuda:
            print("%-24s skipped: needs a CUDA device" % program.name)
            continue
        begun = time.monotonic()
        good = True
        for run in [*range(1, options.rounds + 1), None]:
            for side in ("mistake", "twin"):
                out = os.path.join(
                    os.path.abspath(options.out), program.name, side, "time-%d" % run if run else "recorded"
                )
                good = run_once(program, side, out, run is None, options.fork) and good
        failed += not good
        print("%-24s %s, %.0f s" % (program.name, "done" if good else "FAILED", time.monotonic() - begun), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
