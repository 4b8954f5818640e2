"""Twenty agents of which one is killed, one stopped, one full, one with a wrong clock and one slow: the report has the others, and each
that is missing is named."""

import os
import signal
import subprocess
import tempfile
import unittest

import capture_test
from waiting import until

HOSTS = [f"{number:02}" for number in range(20)]
KILLED, STOPPED, FULL, SKEWED, SLOW = HOSTS[3], HOSTS[6], HOSTS[9], HOSTS[12], HOSTS[15]


class BadHosts(capture_test.WithReportingHosts):
    RANKS = len(HOSTS)

    def small_file_system(self):
        folder = tempfile.mkdtemp(prefix="rs_small_")
        self.addCleanup(os.rmdir, folder)
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "none", folder]
        if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a small file system")
        self.addCleanup(subprocess.run, ["umount", folder], check=False)
        return folder

    def test_the_report_has_the_others_and_the_missing_are_named(self):
        agents = {}
        for rank, name in enumerate(HOSTS):
            os.mkdir(self.path(name))
            skewed = {}
            if name == SKEWED:
                skewed = {
                    "LD_PRELOAD": os.path.join(capture_test.FAKES, "libfake_clock.so"),
                    "FAKE_CLOCK_AHEAD_MS": "-7300",
                }
            full = {"capture__spool_dir": self.small_file_system()} if name == FULL else {}
            agents[name] = self.start_host(name, environment=skewed, **full, **self.CLOSED)
            held = name in (KILLED, STOPPED, SLOW)
            words = ("--trace", self.traces[rank], *(("--holds", self.path("never-" + name)) if held else ()))
            self.train_rank(rank, name, *words, **skewed)
        self.wait_for_hosts({"host-" + name: 1 for name in HOSTS})
        until(lambda: all(one["clock_uncertainty_us"] is not None for one in self.hosts().values()))
        capture = self.start_capture(start_in_ms=3000, host_wait_ms=3000, wait_ms=20_000)
        path = "/api/v1/captures/" + capture["id"]
        until(lambda: self.server.get(path)["phase"] == "recording")
        agents[KILLED].kill()
        agents[STOPPED].process.send_signal(signal.SIGSTOP)
        ended = self.end_of(capture)
        agents[STOPPED].process.send_signal(signal.SIGCONT)
        missing = "\n".join(ended["missing"])
        self.assertEqual(ended["phase"], "done", ended)
        self.assertEqual(ended["arrived"], 16, missing)
        for name in (KILLED, STOPPED):
            self.assertIn(f"host-{name}: its agent answers no more", missing)
        self.assertIn(f"host-{FULL}: pid", missing)
        self.assertIn(f"(rank {HOSTS.index(SLOW)}): cancelled", missing)
        self.assertNotIn(f"host-{SKEWED}", missing)
        names = [file["name"] for file in self.server.get(f"/api/v1/runs/{ended['run']}/files")["files"]]
        self.assertEqual(
            sorted(int(name.split("-")[0].removeprefix("rank")) for name in names),
            [rank for rank, name in enumerate(HOSTS) if name not in (KILLED, STOPPED, FULL, SLOW)],
        )
        until(lambda: self.server.get("/api/v1/runs/" + ended["run"])["state"] == "ready")
        # What comes late is in a new version: the host that was stopped goes on.
        with open(self.path("never-" + STOPPED), "w", encoding="utf-8"):
            pass
        until(lambda: len(self.server.get(f"/api/v1/runs/{ended['run']}/files")["files"]) == 17)
        until(
            lambda: self.server.get("/api/v1/runs/" + ended["run"])["state"] == "ready"
            and len(self.server.get(f"/api/v1/runs/{ended['run']}/report")["job"]["ranks"]) == 17
        )


if __name__ == "__main__":
    unittest.main(argv=["bad_hosts_test"])
