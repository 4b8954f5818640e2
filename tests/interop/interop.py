"""libkineto's client and dynolog's command line, built from sources that the user has, against our agent: `./dev interop`.

    PYTORCH_KINETO=FOLDER DYNOLOG=FOLDER ./dev interop

FOLDER is a checkout of pytorch/kineto, and one of facebookincubator/dynolog. Either may be missing: then the tests' own process, or the
agent's own requests, take its place, and it says so. Without both nothing is run, and that is no failure. interop.py RANKSCOPE [OUT]"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import agent  # pylint: disable=wrong-import-position
import server  # pylint: disable=wrong-import-position
from waiting import LIMIT_S, until  # pylint: disable=wrong-import-position

# What a build with packages from a registry may take.
BUILD_LIMIT_S = 3600


class CannotBuild(Exception):
    pass


def find(folder, name):
    """The file of that name, the one nearest to the top."""
    found = [os.path.join(where, name) for where, _, names in os.walk(folder) if name in names]
    return min(found, key=lambda path: (path.count("/"), path)) if found else None


def build(words, what, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=BUILD_LIMIT_S, check=False, **options)
    if done.returncode != 0:
        raise CannotBuild(f"{what} does not build:\n{(done.stdout + done.stderr)[-4000:]}")


def build_client(kineto, dynolog, out):
    """libkineto's client with the fabric of its own third_party folder, or else dynolog's."""
    source = find(kineto, "IpcFabricConfigClient.cpp")
    if source is None:
        raise CannotBuild(f"{kineto}: there is no IpcFabricConfigClient.cpp: it is no checkout of pytorch/kineto")
    fabric = find(kineto, "FabricManager.h") or (dynolog and find(dynolog, "FabricManager.h"))
    if not fabric:
        raise CannotBuild(
            f"{kineto}: there is no FabricManager.h: git submodule update --init libkineto/third_party/dynolog, or DYNOLOG=FOLDER"
        )
    folder = os.path.join(out, "kineto")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "glog"))
    # Beside our logger, so that theirs, with all that it needs, is not taken.
    for name in ("IpcFabricConfigClient.cpp", "IpcFabricConfigClient.h", "ThreadUtil.cpp"):
        shutil.copy(os.path.join(os.path.dirname(source), name), folder)
    shutil.copy(os.path.join(HERE, "Logger.h"), folder)
    shutil.copy(os.path.join(HERE, "Logger.h"), os.path.join(folder, "glog", "logging.h"))
    shutil.copy(os.path.join(HERE, "client.cc"), folder)
    thread_util = find(kineto, "ThreadUtil.h")
    fabric_folder = os.path.dirname(fabric)
    program = os.path.join(folder, "client")
    includes = [folder, fabric_folder, os.path.normpath(os.path.join(fabric_folder, "../../.."))]
    includes += [os.path.dirname(thread_util)] if thread_util else []
    build(
        ["g++", "-std=c++20", "-O1", "-w", "-DENABLE_IPC_FABRIC", "-DKINETO_NAMESPACE=libkineto"]
        + [f"-I{path}" for path in includes]
        + [os.path.join(folder, name) for name in ("client.cc", "IpcFabricConfigClient.cpp", "ThreadUtil.cpp")]
        + ["-o", program, "-lfmt"],
        "libkineto's client",
    )
    return program


def build_dyno(dynolog, out):
    manifest = os.path.join(dynolog, "cli", "Cargo.toml")
    if not os.path.exists(manifest):
        raise CannotBuild(f"{manifest}: there is none: it is no checkout of facebookincubator/dynolog")
    if shutil.which("cargo") is None:
        raise CannotBuild("dynolog's command line is written in Rust: cargo is not installed")
    # Of a copy: cargo writes beside the manifest.
    folder = os.path.join(out, "dyno")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.dirname(manifest), folder, ignore=shutil.ignore_patterns("target"))
    target = os.path.join(out, "target")
    build(["cargo", "build", "--quiet", "--target-dir", target], "dynolog's command line", cwd=folder)
    return os.path.join(target, "debug", "dyno")


class Client:
    """libkineto's client as a process; its lines as they come."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program], stdout=subprocess.PIPE, env={**os.environ, "KINETO_IPC_SOCKET_DIR": folder, "RANK": "0"}
        )
        self.pid = self.process.pid
        self.lines = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.decode("utf-8", "replace").rstrip("\n"))

    def said(self, beginning):
        return [line for line in self.lines if line.startswith(beginning)]

    def end(self):
        self.process.kill()
        self.process.wait(timeout=LIMIT_S)
        self.reader.join(timeout=LIMIT_S)
        self.process.stdout.close()


class Chain:
    def __init__(self, client, dyno, folder):
        self.client, self.dyno, self.folder = client, dyno, folder
        self.wrong = 0

    def tell(self, is_right, what):
        self.wrong += not is_right
        print(("ok      " if is_right else "NOT OK  ") + what, flush=True)

    def ask_dyno(self, *words):
        done = subprocess.run(
            [self.dyno, "--hostname", self.rpc[0], "--port", str(self.rpc[1]), *words],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def run(self):
        serving = server.Server(os.path.join(self.folder, "data"))
        one = agent.Agent(
            self.folder,
            server__url=serving.address,
            capture__spool_dir=os.path.join(self.folder, "spool"),
        )
        self.rpc = one.rpc
        process = (
            Client(self.client, self.folder)
            if self.client
            else agent.Training(folder=self.folder, environment={"RANK": "0"})
        )
        try:
            self.register(one, process)
            self.capture(one, process)
            if self.dyno:
                self.others()
        finally:
            process.end()
            one.stop()
            serving.stop()

    def register(self, one, process):
        (found,) = one.wait_for_processes(1)
        self.tell(found["pid"] == process.pid and found["rank"] == 0, "the agent sees the process, and its rank")
        if self.client:
            until(lambda: process.said("registered"))
            self.tell(
                process.lines[0] == "registered 1", f"libkineto's client: {process.lines[0]} (1 of its job and device)"
            )

    def capture(self, one, process):
        path = os.path.join(self.folder, "asked.pt.trace.json")
        trace = path.replace("asked", f"asked_{process.pid}")
        if self.dyno:
            code, said = self.ask_dyno(
                "gputrace", "--log-file", path, "--duration-ms", "100", "--pids", str(process.pid)
            )
            self.tell(code == 0 and str(process.pid) in said, f"dyno gputrace: exit code {code}, names the process")
        else:
            config = f"ACTIVITIES_LOG_FILE={path}\nPROFILE_START_TIME=0\nACTIVITIES_DURATION_MSECS=100"
            request = {"fn": "setKinetOnDemandRequest", "config": config, "job_id": 0, "pids": [process.pid]}
            reply = one.ask({**request, "process_limit": 3})
            self.tell(
                reply["activityProfilersTriggered"] == [process.pid], "a request as dynolog's is answered as it does"
            )
        until(lambda: '"sent"' in one.get("/api/v1/deliveries"), lambda: one.lines)
        self.tell(os.path.exists(trace), "the trace is where it was asked for, and stays")
        self.tell(True, "the trace was brought to the server")
        if self.client:
            (config,) = process.said("config")
            self.tell(f"ACTIVITIES_LOG_FILE={path}|" in config, "libkineto's client was given the configuration, once")
        captures = json.loads(one.get("/api/v1/captures"))["captures"]
        states = [member["state"] for each in captures for member in each["members"]]
        self.tell(states == ["written"], f"the capture's states: {states}")

    def others(self):
        for words, part in (
            (["status"], "1"),
            (["version"], ""),
            (["dcgm-pause"], "false"),
            (["dcgm-resume"], "false"),
        ):
            code, said = self.ask_dyno(*words)
            self.tell(code == 0 and part in said, f"dyno {words[0]}: exit code {code}: {' '.join(said.split())[:120]}")
        code, said = self.ask_dyno("gputrace", "--log-file", os.path.join(self.folder, "x.json"), "--pids", "999999")
        self.tell("panicked" not in said, f"dyno gputrace of a process that is none: exit code {code}, no panic")


def main():
    kineto, dynolog = (os.environ.get(name, "") for name in ("PYTORCH_KINETO", "DYNOLOG"))
    if not kineto and not dynolog:
        print("not run: no sources (PYTORCH_KINETO=FOLDER, DYNOLOG=FOLDER)")
        return 0
    out = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/interop")
    os.makedirs(out, exist_ok=True)
    failed = 0

    def made(name, given, make):
        """The program; None where there are no sources, or they do not build."""
        nonlocal failed
        if not given:
            print(f"not run: {name}: no sources")
            return None
        try:
            program = make()
        except CannotBuild as error:
            print(f"not run: {name}: {error}")
            # A tool that is not here is no fault of the sources; those that do not build are to be looked at.
            failed += "is not installed" not in str(error)
            return None
        print(f"built   {name}", flush=True)
        return program

    client = made("libkineto's client", kineto, lambda: build_client(kineto, dynolog, out))
    dyno = made("dynolog's command line", dynolog, lambda: build_dyno(dynolog, out))
    if client is None and dyno is None:
        return 1 if failed else 0
    folder = tempfile.mkdtemp(prefix="rs_interop_")
    try:
        chain = Chain(client, dyno, folder)
        chain.run()
    finally:
        shutil.rmtree(folder)
    return 1 if failed or chain.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
