"""The packages in clean roots: nothing there but glibc's own files, no other library, no variable of the environment.

package_test.py FOLDER: the folder with the packages that packaging/package.sh made. Root itself, or user namespaces, are
needed to change the root."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import zipfile

from clean_root import UNSHARE, Glibc, inside, run
from waiting import LIMIT_S

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "..", "packaging", "check_symbols.py")
PACKAGES = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/package")


TARBALL = "rankscope-[0-9]*.tar.gz"
AGENT_TARBALL = "rankscope-agent-*.tar.gz"
DEPLOY = os.path.join(HERE, "..", "examples", "deploy")


def package(pattern):
    found = glob.glob(os.path.join(PACKAGES, pattern))
    assert len(found) == 1, f"{pattern} in {PACKAGES}: {found}; make it with ./dev package"
    return found[0]


class WithRoot(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = Glibc(os.path.join(self.temporary.name, "root"))

    def tearDown(self):
        self.temporary.cleanup()

    def unpack(self, pattern, place):
        """Where it is in the root."""
        folder = os.path.join(self.root.folder, place)
        os.makedirs(folder, exist_ok=True)
        self.assertEqual(run("tar", "-xzf", package(pattern), "-C", folder).returncode, 0)
        (name,) = [name for name in os.listdir(folder) if name.startswith("rankscope-")]
        return f"/{place}/{name}"

    def check_licences(self, name, unpacked):
        """Each library's licence: of a package whose name begins as the library's does."""
        licences = os.listdir(os.path.join(unpacked, "share/doc", name, "licences"))
        for library in os.listdir(os.path.join(unpacked, "lib")):
            stem = {"libduckdb": "duckdb", "libz": "zlib", "libgcc_s": "libgcc-s", "libcrypto": "libssl"}.get(
                library.split(".so")[0], library.split(".so")[0]
            )
            self.assertTrue(
                any(licence.startswith(stem) for licence in licences), f"{library} has no licence: {licences}"
            )


class Package(WithRoot):
    def check_program(self, program):
        """Simulates a job, analyses and queries it."""
        # Every function is there, not only those called here.
        version = self.root.run(program, "--version", variable="LD_BIND_NOW=1")[0].strip()
        self.assertIn(f"-{version}-", os.path.basename(package(TARBALL)))
        self.root.run(program, "simulate", "/tmp/job", "--ranks", "2", "--steps", "3", "--events", "5000")
        self.assertIn("2 ranks", self.root.run(program, "analyze", "/tmp/job")[0])
        out, _ = self.root.run(
            program,
            "query",
            "/tmp/job",
            "SELECT count(DISTINCT rank) AS ranks, count(*) > 100 AS many FROM kernels",
            "--format",
            "csv",
        )
        self.assertEqual(out.split(), ["ranks,many", "2,true"])
        # DuckDB throws here, and so the unwinder of the package is used.
        _, error = self.root.run(program, "query", "/tmp/job", "SELECT nothing FROM kernels", expect=2)
        self.assertIn('"nothing" not found', error)
        return version

    def test_tarball_runs_wherever_it_is_unpacked(self):
        for place in ("opt", "opt/with a space"):
            unpacked = self.unpack(TARBALL, place)
            self.check_program(unpacked + "/bin/rankscope")
            shutil.rmtree(os.path.join(self.root.folder, "tmp/job"))
        unpacked = self.root.folder + unpacked
        self.assertEqual(os.listdir(os.path.join(unpacked, "bin")), ["rankscope"])
        for path in (
            "share/man/man1/rankscope.1",
            "share/bash-completion/completions/rankscope",
            "share/zsh/site-functions/_rankscope",
            "share/fish/vendor_completions.d/rankscope.fish",
            "share/doc/rankscope/LICENSE",
        ):
            self.assertGreater(os.path.getsize(os.path.join(unpacked, path)), 0, path)
        self.check_licences("rankscope", unpacked)

    def test_other_libraries_on_the_path_do_not_come_first(self):
        folder = self.root.folder + self.unpack(TARBALL, "opt")
        others = "/opt/other-libraries-of-package-test"
        os.mkdir(self.root.folder + others)
        for library in os.listdir(os.path.join(folder, "lib")):
            with open(os.path.join(self.root.folder + others, library), "w", encoding="utf-8") as file:
                file.write("no library")
        self.root.run(
            folder.removeprefix(self.root.folder) + "/bin/rankscope", "list", variable="LD_LIBRARY_PATH=" + others
        )

    def test_deb_installs(self):
        dpkg = run(*UNSHARE, "dpkg", "--root=" + self.root.folder, "--install", package("rankscope_*.deb"))
        self.assertEqual(dpkg.returncode, 0, dpkg.stderr)
        self.check_program("/usr/bin/rankscope")
        self.assertTrue(os.path.islink(os.path.join(self.root.folder, "usr/bin/rankscope")))
        for path in (
            "man/man1/rankscope.1.gz",
            "bash-completion/completions/rankscope",
            "zsh/vendor-completions/_rankscope",
            "fish/vendor_completions.d/rankscope.fish",
            "doc/rankscope/copyright",
        ):
            self.assertGreater(os.path.getsize(os.path.join(self.root.folder, "usr/share", path)), 0, path)
        with open(
            os.path.join(self.root.folder, "usr/share/bash-completion/completions/rankscope"), encoding="utf-8"
        ) as file:
            self.assertEqual(file.read(), self.root.run("/usr/bin/rankscope", "completion", "bash")[0])
        self.assertEqual(run(*UNSHARE, "dpkg", "--root=" + self.root.folder, "--purge", "rankscope").returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.root.folder, "usr/lib/rankscope")))

    def test_what_glibc_has_not_is_found(self):
        folder = os.path.join(self.temporary.name, "files")
        os.mkdir(folder)
        self.assertEqual(run("tar", "-xzf", package(TARBALL), "-C", folder).returncode, 0)
        self.assertEqual(run(CHECK, "2.34", folder).stdout, "2.34\n")
        older = run(CHECK, "2.33", folder)
        self.assertEqual((older.returncode, older.stdout), (1, ""))
        self.assertRegex(older.stderr, r"bin/rankscope: __libc_start_main needs GLIBC_2\.34, ")
        (library,) = glob.glob(os.path.join(folder, "*/lib/libfmt.so*"))
        os.remove(library)
        missing = run(CHECK, "2.34", folder)
        self.assertEqual(missing.returncode, 1)
        self.assertRegex(missing.stderr, r"bin/rankscope: needs libfmt\.so\.\d+, which is not in the package")
        self.assertRegex(missing.stderr, r"bin/rankscope: _ZN3fmt\S+ is in no file of the package")


class AgentPackage(WithRoot):
    """The daemon of hosts alone, as .tar.gz, .deb, .rpm and in an image."""

    def check_agent(self, program, *words, variable="LC_ALL=C"):
        """Starts, tells of its host, and ends."""
        version = self.root.run(program, "--version", variable="LD_BIND_NOW=1")[0].split()[-1]
        self.assertIn(f"-{version}-", os.path.basename(package(AGENT_TARBALL)))
        self.root.run(program, *words, "--check-config")
        free = ("--rpc.listen", "127.0.0.1:0", "--metrics.listen", "127.0.0.1:0", "--kineto.name", "of-package-test")
        command = inside(self.root.folder, ["/proc"], [variable], [program, *words, *free])
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            line = process.stdout.readline()
            self.assertTrue(line, "the agent did not start" if line else process.stderr.read().decode())
            address = json.loads(line)["metrics"]
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=LIMIT_S) as reply:
                self.assertIn(f'rankscope_agent_build_info{{version="{version}"}} 1', reply.read().decode())
            process.terminate()
            self.assertEqual(process.wait(timeout=LIMIT_S), 0)

    def check_files(self):
        """What a system has of it."""
        for path in (
            "usr/lib/systemd/system/rankscope-agent.service",
            "usr/lib/systemd/system/rankscope-snoop.service",
            "usr/lib/tmpfiles.d/rankscope-agent.conf",
            "usr/share/doc/rankscope-agent/copyright",
        ):
            self.assertGreater(os.path.getsize(os.path.join(self.root.folder, path)), 0, path)
        self.assertTrue(os.path.islink(os.path.join(self.root.folder, "usr/bin/rankscope-agent")))
        self.check_agent("/usr/bin/rankscope-agent", "--config", "/etc/rankscope/agent.toml")

    def test_tarball_runs_and_has_nothing_of_the_analysis(self):
        unpacked = self.unpack(AGENT_TARBALL, "opt/with a space")
        self.check_agent(unpacked + "/bin/rankscope-agent")
        unpacked = self.root.folder + unpacked
        self.check_licences("rankscope-agent", unpacked)
        libraries = os.listdir(os.path.join(unpacked, "lib"))
        self.assertFalse([name for name in libraries if re.match("libduckdb|libtree|libsqlite", name)])
        self.assertEqual(run(CHECK, "2.34", unpacked).stdout, "2.34\n")

    def test_deb_keeps_settings(self):
        path = package("rankscope-agent_*.deb")
        install = lambda: run(*UNSHARE, "dpkg", "--root=" + self.root.folder, "--force-confold", "--install", path)
        done = install()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_files()
        settings = os.path.join(self.root.folder, "etc/rankscope/agent.toml")
        with open(settings, "w", encoding="utf-8") as file:
            file.write("[triggers]\niteration = 0\n")
        self.assertEqual(install().returncode, 0)
        with open(settings, encoding="utf-8") as file:
            self.assertEqual(file.read(), "[triggers]\niteration = 0\n")
        self.assertEqual(
            run(*UNSHARE, "dpkg", "--root=" + self.root.folder, "--purge", "rankscope-agent").returncode, 0
        )
        self.assertFalse(os.path.exists(os.path.join(self.root.folder, "usr/lib/rankscope-agent")))
        self.assertFalse(os.path.exists(settings))

    def test_deb_stands_beside_that_of_the_program(self):
        for pattern in ("rankscope_*.deb", "rankscope-agent_*.deb"):
            done = run(*UNSHARE, "dpkg", "--root=" + self.root.folder, "--install", package(pattern))
            self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("rpm"), "no rpm here")
    def test_rpm_installs(self):
        path = package("rankscope-agent-*.rpm")
        asked = run("rpm", "-qp", "--requires", path).stdout.split("\n")
        glibc = [one for one in asked if one and not one.startswith("rpmlib(") and not one.startswith("config(")]
        self.assertEqual(glibc, ["libc.so.6(GLIBC_2.34)(64bit)"])
        self.assertEqual(run("rpm", "-qp", "--scripts", path).stdout, "")
        self.assertEqual(run("rpm", "-qp", "--configfiles", path).stdout, "/etc/rankscope/agent.toml\n")
        rpm = lambda *words: run(*UNSHARE, "rpm", "--root=" + self.root.folder, *words)
        # glibc of the root is of no package of rpm's.
        done = rpm("--install", "--nodeps", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_files()
        self.assertEqual(rpm("--verify", "--nodeps", "rankscope-agent").stdout, "")
        self.assertEqual(rpm("--erase", "rankscope-agent").returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.root.folder, "usr/lib/rankscope-agent")))

    def test_the_image_that_the_recipe_makes(self):
        """Step by step as the recipe has it; of the image that it begins with no more than glibc is here."""
        with open(os.path.join(DEPLOY, "Containerfile"), encoding="utf-8") as file:
            steps = [line.split(None, 1) for line in file.read().splitlines() if line and not line.startswith("#")]
        version = re.search(r"agent-([0-9.]+)-linux", package(AGENT_TARBALL)).group(1)
        stages, variable, entry = [], "LC_ALL=C", None
        for word, rest in steps:
            rest = rest.replace("${VERSION}", version)
            if word == "FROM":
                stages.append((rest, os.path.join(self.temporary.name, f"stage{len(stages)}")))
                os.mkdir(stages[-1][1])
            elif word == "COPY" and rest.startswith("--from=unpacked "):
                source, target = rest.split()[1:]
                self.assertTrue(stages[0][0].endswith("AS unpacked"))
                shutil.copytree(stages[0][1] + source, self.root.folder + target, symlinks=True)
            elif word == "COPY":
                shutil.copy(os.path.join(PACKAGES, rest.split()[0]), stages[-1][1])
            elif word == "RUN":
                there = re.sub(r"(?<= )/", stages[-1][1] + "/", rest)
                done = run("sh", "-ec", there)
                self.assertEqual(done.returncode, 0, done.stderr)
            elif word == "ENV":
                variable = rest
            elif word == "ENTRYPOINT":
                (entry,) = json.loads(rest)
            else:
                self.assertEqual((word, rest), ("ARG", "VERSION"))
        self.check_agent(entry, variable=variable)


# In a folder of its own, without a variable that names anything of the checkout.
SESSION = """
import os, sys
import rankscope
assert os.path.dirname(rankscope.__file__).startswith(sys.prefix), rankscope.__file__
job = rankscope.open("job")
print(job.ranks, rankscope.__version__)
print(job.query("SELECT count(DISTINCT rank) AS ranks FROM kernels").rows())
print(job.table("step_times").columns[0].name, job.findings[0].id)
"""


class Wheel(unittest.TestCase):
    def test_pip_installs_it(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.path.join(folder, "environment")
            made = run("/usr/bin/python3", "-m", "venv", environment)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            python = os.path.join(environment, "bin", "python")
            installed = run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", package("*.whl"))
            self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
            self.assertEqual(run("tar", "-xzf", package(TARBALL), "-C", folder).returncode, 0)
            (program,) = glob.glob(os.path.join(folder, "rankscope-*/bin/rankscope"))
            job = os.path.join(folder, "job")
            arguments = ("--ranks", "2", "--steps", "4", "--events", "8000", "--plant", "host-sync")
            self.assertEqual(run(program, "simulate", job, *arguments).returncode, 0)
            cache = os.path.join(folder, "cache")
            ran = run("env", "-i", "-C", folder, "RANKSCOPE_CACHE_DIR=" + cache, python, "-c", SESSION)
            version = run(program, "--version").stdout.strip()
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            self.assertEqual(ran.stdout.split("\n"), [f"[0, 1] {version}", "[{'ranks': 2}]", "rank host-sync", ""])

    def test_it_runs_with_what_its_name_promises(self):
        """Every file is in RECORD, and none has a machine's path in it."""
        with zipfile.ZipFile(package("*.whl")) as wheel:
            names = set(wheel.namelist())
            (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
            recorded = {line.rsplit(",", 2)[0] for line in wheel.read(record).decode().splitlines()}
            self.assertEqual(names, recorded)
            self.assertIn("rankscope/librankscope.so.1", names)
            self.assertIn("rankscope/libduckdb.so", names)


if __name__ == "__main__":
    unittest.main(argv=["package_test"])
