"""The packages in clean roots: nothing there but glibc's own files, no other library, no variable of the environment.

package_test.py FOLDER: the folder with the .tar.gz and the .deb that packaging/package.sh made. Root itself, or user namespaces, are
needed to change the root."""

import glob
import os
import shutil
import sys
import tempfile
import unittest
import zipfile

from clean_root import UNSHARE, Glibc, run

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "..", "packaging", "check_symbols.py")
PACKAGES = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/package")


def package(pattern):
    found = glob.glob(os.path.join(PACKAGES, pattern))
    assert len(found) == 1, f"{pattern} in {PACKAGES}: {found}; make it with ./dev package"
    return found[0]


class Package(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = Glibc(os.path.join(self.temporary.name, "root"))

    def tearDown(self):
        self.temporary.cleanup()

    def check_program(self, program):
        """Simulates a job, analyses and queries it."""
        # Every function is there, not only those called here.
        version = self.root.run(program, "--version", variable="LD_BIND_NOW=1")[0].strip()
        self.assertIn(f"-{version}-", os.path.basename(package("*.tar.gz")))
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
            folder = os.path.join(self.root.folder, place)
            os.makedirs(folder, exist_ok=True)
            self.assertEqual(run("tar", "-xzf", package("*.tar.gz"), "-C", folder).returncode, 0)
            (name,) = [name for name in os.listdir(folder) if name.startswith("rankscope-")]
            self.check_program(f"/{place}/{name}/bin/rankscope")
            shutil.rmtree(os.path.join(self.root.folder, "tmp/job"))
        unpacked = os.path.join(folder, name)
        for path in (
            "share/man/man1/rankscope.1",
            "share/bash-completion/completions/rankscope",
            "share/zsh/site-functions/_rankscope",
            "share/fish/vendor_completions.d/rankscope.fish",
            "share/doc/rankscope/LICENSE",
        ):
            self.assertGreater(os.path.getsize(os.path.join(unpacked, path)), 0, path)
        # Each library's licence: of a package whose name begins as the library's does.
        licences = os.listdir(os.path.join(unpacked, "share/doc/rankscope/licences"))
        for library in os.listdir(os.path.join(unpacked, "lib")):
            stem = {"libduckdb": "duckdb", "libz": "zlib", "libgcc_s": "libgcc-s", "libcrypto": "libssl"}.get(
                library.split(".so")[0], library.split(".so")[0]
            )
            self.assertTrue(
                any(licence.startswith(stem) for licence in licences), f"{library} has no licence: {licences}"
            )

    def test_other_libraries_on_the_path_do_not_come_first(self):
        self.assertEqual(
            run("tar", "-xzf", package("*.tar.gz"), "-C", os.path.join(self.root.folder, "opt")).returncode, 0
        )
        (folder,) = glob.glob(os.path.join(self.root.folder, "opt/rankscope-*"))
        others = "/opt/other-libraries-of-package-test"
        os.mkdir(self.root.folder + others)
        for library in os.listdir(os.path.join(folder, "lib")):
            with open(os.path.join(self.root.folder + others, library), "w", encoding="utf-8") as file:
                file.write("no library")
        self.root.run(
            folder.removeprefix(self.root.folder) + "/bin/rankscope", "list", variable="LD_LIBRARY_PATH=" + others
        )

    def test_deb_installs(self):
        dpkg = run(*UNSHARE, "dpkg", "--root=" + self.root.folder, "--install", package("*.deb"))
        self.assertEqual(dpkg.returncode, 0, dpkg.stderr)
        self.check_program("/usr/bin/rankscope")
        self.assertTrue(os.path.islink(os.path.join(self.root.folder, "usr/bin/rankscope")))
        self.assertRegex(self.root.run("/usr/bin/rankscope-agent", "--version")[0], r"^rankscope-agent \d")
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
        self.assertEqual(run("tar", "-xzf", package("*.tar.gz"), "-C", folder).returncode, 0)
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
            self.assertEqual(run("tar", "-xzf", package("*.tar.gz"), "-C", folder).returncode, 0)
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
