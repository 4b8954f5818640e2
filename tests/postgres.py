"""A PostgreSQL of its own for a test: the real server in a folder that goes with it, reached by a Unix socket and nothing else."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

from waiting import until


def program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else name


class Postgres:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="rankscope_pg_", dir="/tmp")  # short: paths of sockets are
        # It refuses to be root.
        self.rights = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self.rights = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self.data = os.path.join(self.folder, "data")
        made = subprocess.run(
            [
                program("initdb"),
                "-D",
                self.data,
                "-U",
                "rankscope",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ],
            capture_output=True,
            check=False,
            cwd=self.folder,
            **self.rights,
        )
        assert made.returncode == 0, f"initdb (./dev setup installs PostgreSQL): {made.stderr.decode()}"
        self.process = None
        self.start()

    def start(self):
        """Also while processes of one that was killed are about to end."""

        def is_up():
            if self.process is None or self.process.poll() is not None:
                with open(os.path.join(self.folder, "log"), "ab") as log:
                    self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                        [
                            *(program("postgres"), "-D", self.data, "-k", self.folder),
                            *("-c", "listen_addresses=", "-c", "max_connections=200", "-c", "fsync=on"),
                        ],
                        stdout=log,
                        stderr=log,
                        cwd=self.folder,
                        **self.rights,
                    )
            return self.sql("SELECT 1", database="postgres", check=False) == "1"

        until(is_up, "PostgreSQL")

    def kill(self):
        """SIGKILL of the server; its processes end when they see it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def stop(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database="rankscope"):
        return f"postgresql://rankscope@/{database}?host={self.folder}"

    def new_database(self, name="rankscope"):
        self.sql(f"CREATE DATABASE {name}", database="postgres")
        return self.address(name)

    def sql(self, statement, database="rankscope", check=True):
        """What psql prints: rows in lines, columns with | between them."""
        done = subprocess.run(
            [program("psql"), "-X", "-A", "-t", "-q", "-d", self.address(database), "-c", statement],
            capture_output=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()
