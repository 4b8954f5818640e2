"""A Slurm of one node for tests: munged, slurmctld and slurmd from Debian's packages, in a folder of their own, on free ports."""

import os
import socket
import subprocess
import tempfile

from waiting import LIMIT_S, until

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")


def _free_ports(count):
    """So many different ones; nobody else takes them before Slurm does, as good as always."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """Running as long as the with-block; `environment` makes Slurm's commands talk to it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="rankscope_slurm_")
        self.folder = self._folder.name
        self._running = []
        self.environment = {**os.environ, "SLURM_CONF": os.path.join(self.folder, "slurm.conf")}

    def __enter__(self):
        os.chmod(self.folder, 0o755)
        munge = os.path.join(self.folder, "munge.socket")
        key = os.path.join(self.folder, "munge.key")
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o400)
        beside = [f"--{name}-file={self.folder}/munge.{name}" for name in ("pid", "log", "seed")]
        self._start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}", *beside)
        until(lambda: os.path.exists(munge), "munge's socket")
        host = socket.gethostname().split(".")[0]  # as Slurm calls a node
        controller, node = _free_ports(2)
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(
                f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
            )
        # Of version 1 it looks for nothing until it is asked to: a test's machine may have no control groups to give.
        with open(os.path.join(self.folder, "cgroup.conf"), "w", encoding="utf-8") as file:
            file.write("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        for name in ("state", "spool"):
            os.mkdir(os.path.join(self.folder, name))
        self._start("slurmctld", "-D")
        self._start("slurmd", "-D")
        until(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), self.told)
        return self

    def __exit__(self, *_):
        # A step that has not told its end to the controller would go on trying.
        self.ask("scancel", "--signal=KILL", "--full", "--user=root")
        self.ask("scancel", "--user=root")
        until(lambda: self.ask("squeue", "-h") == "" and not self._steps(), self.told)
        for process in reversed(self._running):
            process.terminate()
        for process in self._running:
            process.wait(LIMIT_S)
        self._folder.cleanup()

    def _steps(self):
        """Processes of this Slurm's jobs."""
        ours = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as name, open(
                    f"/proc/{pid}/environ", "rb"
                ) as variables:
                    if name.read().strip() == "slurmstepd" and ours in variables.read().split(b"\0"):
                        found.append(pid)
            except OSError:
                pass
        return found

    def _start(self, *words):
        log = open(os.path.join(self.folder, f"{words[0]}.out"), "wb")  # pylint: disable=consider-using-with
        self._running.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log))
        log.close()

    def ask(self, *words):
        """What a command of Slurm's says."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        return done.stdout + done.stderr

    def told(self):
        """What its daemons say of themselves, for who waits in vain."""
        said = []
        for name in ("munged.out", "slurmctld.log", "slurmd.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    said.append(f"{name}: {file.read()[-2000:]}")
        return "\n".join(said)
