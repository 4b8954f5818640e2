"""A training process as libkineto makes it look to a daemon: python3 kineto_process.py [options]. It asks for work every so often, and
writes a trace when it is told to, as libkineto does: into NAME.tmp, then under its own name. Written from the protocol, not from the
agent's code."""

import argparse
import ctypes
import os
import pickle
import shutil
import socket
import struct
import sys
import threading
import time
import uuid

from waiting import LIMIT_S


class KinetoSocket:
    """The client's side: datagrams of 40 bytes of head (size, type) and a payload."""

    def __init__(self, folder=""):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = "dynoconfigclient" + str(uuid.uuid4())
        assert len(name) == 52
        self.daemon = os.path.join(folder, "dynolog") if folder else "\0dynolog\0"
        self.socket.bind(os.path.join(folder, name) if folder else f"\0{name}\0")
        if folder:
            os.chmod(os.path.join(folder, name), 0o666)  # as libkineto does: the daemon may be another user
        self.socket.settimeout(LIMIT_S)

    def send(self, kind, payload):
        self.socket.sendto(struct.pack("<Q32s", len(payload), kind) + payload, self.daemon)

    def receive(self, kind):
        reply = self.socket.recv(65536)
        size, name = struct.unpack("<Q32s", reply[:40])
        assert name.rstrip(b"\0") == kind and len(reply) == 40 + size, reply[:60]
        return reply[40:]

    def register(self, gpu, pid, job):
        self.send(b"ctxt", struct.pack("<iiq", gpu, pid, job))
        return struct.unpack("<i", self.receive(b"ctxt"))[0]

    def poll(self, kind, job, pids):
        self.send(b"req", struct.pack("<iiq", kind, len(pids), job) + struct.pack(f"<{len(pids)}i", *pids))
        return self.receive(b"req").decode()


def settings_of(config):
    settings = {}
    for line in config.splitlines():
        line = line.split("#")[0].strip()
        if line:
            key, value = line.split("=")  # more than one '=': libkineto stops here
            settings[key.strip()] = value.strip()
    return settings


def trace_path(settings, pid):
    path = settings["ACTIVITIES_LOG_FILE"]
    for end in (".pt.trace.json", ".json"):
        if end in path:
            front, _, back = path.partition(end)
            return f"{front}_{pid}{end}{back}"
    return path


def write_snapshot(path, source):
    """Piece by piece under its own name, as torch's C++ writes it: nothing is renamed at the end. The number of the process is the
    asker's to put into the name. The logger that libkineto makes for every request has opened NAME.tmp before, and leaves it there
    without a byte (seen of PyTorch 2.11)."""
    with open(path + ".tmp", "wb"):
        pass
    data = pickle.dumps({})
    if source:
        with open(source, "rb") as file:
            data = file.read()
    with open(path, "wb") as file:
        for begin in range(0, len(data), len(data) // 2 + 1):
            file.write(data[begin : begin + len(data) // 2 + 1])
            file.flush()
            time.sleep(0.3)


def keeps_a_core_busy():
    while True:
        sum(range(1000))


def run_busy_thread():
    """In a thread that the kernel knows as rs-busy."""
    ctypes.CDLL(None).prctl(15, b"rs-busy", 0, 0, 0)
    keeps_a_core_busy()


def keeps_memory(runtime):
    """A MiB of the device more every 20 ms, of a library that calls itself CUDA's runtime."""
    library = ctypes.CDLL(runtime)
    kept = []
    while True:
        kept.append(ctypes.c_void_p())
        library.cudaMalloc(ctypes.byref(kept[-1]), ctypes.c_size_t(1 << 20))  # keeps
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default="")
    parser.add_argument("--every", type=float, default=0.1)
    parser.add_argument("--trace", default="", help="what it writes; without, a few bytes")
    parser.add_argument(
        "--snapshot", default="", help="the snapshot of memory that it writes; without, an empty dict's pickle"
    )
    parser.add_argument("--deaf", action="store_true", help="takes a configuration and does nothing")
    parser.add_argument("--dies", action="store_true", help="ends when it is to record")
    parser.add_argument("--fallback", action="store_true", help="may not write where it is told")
    parser.add_argument("--holds", default="", help="records until this file is there, however long that takes")
    parser.add_argument("--busy", action="store_true", help="a thread of it computes all the time")
    parser.add_argument("--keeps", default="", help="a libcudart by which it allocates and frees nothing")
    arguments = parser.parse_args()
    job = int(os.environ.get("SLURM_JOB_ID", "0"))
    pids = [os.getpid(), os.getppid()]
    own = KinetoSocket(arguments.folder)
    busy_until, settings, config_text = 0, None, ""
    if arguments.busy:
        threading.Thread(target=run_busy_thread, daemon=True).start()
    if arguments.keeps:
        ctypes.CDLL(arguments.keeps)
        threading.Thread(target=keeps_memory, args=(arguments.keeps,), daemon=True).start()
    print("ready", flush=True)
    while os.getppid() == pids[1]:  # the test is there
        # Of a snapshot it says nothing.
        config = own.poll(0 if settings and "PROFILE_MEMORY" not in settings else 2, job, pids)
        if config:
            print(config.replace("\n", "|"), flush=True)
            if arguments.dies:
                return
            if not arguments.deaf:
                settings, config_text = settings_of(config), config
                start = int(settings.get("PROFILE_START_TIME", "0")) / 1000
                busy_until = max(time.time(), start) + int(settings.get("ACTIVITIES_DURATION_MSECS", "500")) / 1000
        is_over = settings and time.time() >= busy_until and (not arguments.holds or os.path.exists(arguments.holds))
        if is_over and "PROFILE_MEMORY" in settings:
            keys = [line.split("=")[0] for line in config_text.splitlines()]
            assert keys.index("ACTIVITIES_LOG_FILE") > keys.index(
                "PROFILE_MEMORY"
            ), "the path counts behind the key alone"
            write_snapshot(settings["ACTIVITIES_LOG_FILE"], arguments.snapshot)
            settings = None
        elif is_over:
            path = (
                f"/tmp/libkineto_activities_{os.getpid()}.json"
                if arguments.fallback
                else trace_path(settings, os.getpid())
            )
            if arguments.trace:
                shutil.copyfile(arguments.trace, path + ".tmp")
            else:
                with open(path + ".tmp", "w", encoding="utf-8") as file:
                    file.write('{"schemaVersion": 1, "traceEvents": []}')
            os.rename(path + ".tmp", path)
            print("wrote " + path, flush=True)
            settings = None
        time.sleep(arguments.every)


if __name__ == "__main__":
    sys.exit(main())
