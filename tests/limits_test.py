"""What the system refuses: closed and full streams, no address space, few descriptors. A sentence where one can be written, exit code 1, never a signal."""

import os
import resource
import subprocess
import unittest

import program
from waiting import LIMIT_S

COMMANDS = (
    ["analyze"],
    ["analyze", "--format", "html"],
    ["table", "kernels_by_name"],
    ["query", "SELECT count(*) FROM kernels"],
    ["trace", "info"],
)


def bounded(arguments, limits=(), redirect="", environment=None):
    """Runs rankscope under limits of the kernel, with streams as a shell redirects them."""

    def set_limits():
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))

    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", program.BINARY, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
        preexec_fn=set_limits,
        env={**os.environ, **(environment or {})},
    )
    return done.returncode, done.stdout, done.stderr


class Limits(program.WithJob):
    def on_job(self, command):
        name, rest = command[0], command[1:]
        if name == "table":
            return [name, rest[0], self.job, "--no-cache"]
        if name == "trace":
            return [name, *rest, self.job]
        return [name, self.job, *rest, "--no-cache"]

    def test_closed_and_full_standard_error(self):
        stray = os.path.join(self.job, "stray.json")
        with open(stray, "w", encoding="utf-8") as file:
            file.write("{}")
        try:
            for redirect in ("2>&-", "2>/dev/full"):
                for command in COMMANDS:
                    code, out, error = bounded(self.on_job(command), redirect=redirect)
                    self.assertEqual((code, error), (0, ""), (command, redirect))
                    self.assertTrue(out)
                code, out, _ = bounded(["analyze", "/no/such/folder"], redirect=redirect)
                self.assertEqual((code, out), (1, ""))
                code, out, _ = bounded(["analyze", "--nonsense"], redirect=redirect)
                self.assertEqual((code, out), (2, ""))
        finally:
            os.remove(stray)

    def test_messages_do_not_land_in_files(self):
        """A closed standard error does not lend its number to the next file that is opened."""
        output = os.path.join(self.temporary.name, "out.csv")
        bounded(["table", "step_times", self.job, "--format", "csv", "-o", output], redirect="2>&- >&-")
        with open(output, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(
            text.replace("\r", ""), program.run("table", "step_times", self.job, "--format", "csv")[0].replace("\r", "")
        )

    def test_closed_and_full_standard_output(self):
        for redirect in (">&-", ">/dev/full"):
            for command in [*COMMANDS, ["list"], ["--help"], ["--version"]]:
                arguments = self.on_job(command) if command in COMMANDS else command
                code, _, error = bounded(arguments, redirect=redirect)
                self.assertEqual(code, 1, (command, redirect))
                self.assertRegex(error, r"\Arankscope: cannot write to standard output: [^\n]+\n\Z")

    def test_few_file_descriptors(self):
        many = os.path.join(self.temporary.name, "many")
        program.run("simulate", many, "--ranks", "100", "--steps", "2", "--events", "2000")
        for command in COMMANDS:
            arguments = [many if argument == self.job else argument for argument in self.on_job(command)]
            code, out, error = bounded(arguments, [(resource.RLIMIT_NOFILE, 64)])
            self.assertEqual(code, 0, (command, error))
            self.assertTrue(out)
        for count in (4, 6, 8, 12, 16):
            code, _, error = bounded(self.on_job(["analyze"]), [(resource.RLIMIT_NOFILE, count)])
            self.assertIn(code, (0, 1, 127), (count, error))
            self.assertNotIn("Aborted", error)

    def test_little_address_space(self):
        """From what the program starts with to enough: every run ends well or with a sentence; 127 is the loader's own exit."""
        address_space = lambda megabytes: [(resource.RLIMIT_AS, megabytes << 20), (resource.RLIMIT_CORE, 0)]
        # With less, libraries end the process before main.
        starts = next(
            megabytes
            for megabytes in range(40, 400, 4)
            if all(bounded(["--version"], address_space(megabytes))[0] == 0 for _ in range(3))
        )
        enough = {}
        for command in COMMANDS:
            for megabytes in [starts + more for more in (4, 12, 20, 40, 60, 100, 170, 320, 620, 1400)]:
                code, out, error = bounded(self.on_job(command), address_space(megabytes))
                self.assertIn(code, (0, 1, 127), (command, megabytes, error))
                if code == 1:
                    self.assertRegex(error, r"(?m)^rankscope: [^\n]+\n\Z", (command, megabytes))
                if code == 0:
                    self.assertTrue(out)
                    enough.setdefault(str(command), megabytes)
        self.assertEqual(len(enough), len(COMMANDS), enough)

    def test_a_limited_analysis_says_what_limits_it(self):
        """A server and a worker limit analyses to an option of theirs; with the least that they take, any number of threads works."""
        option = "--memory of rankscope worker"
        environment = {"RANKSCOPE_ADDRESS_SPACE_LIMIT": option}
        output = os.path.join(self.temporary.name, "limited")
        analyze = ["analyze", self.job, "--no-cache", "--format", "folder", "-o", output]
        for megabytes in (100, 300):
            limits = [(resource.RLIMIT_AS, megabytes << 20)]
            code, _, error = bounded(analyze, limits, environment=environment)
            self.assertEqual(code, 1, error)
            self.assertIn(f"raise {option}", error.splitlines()[-1])
            self.assertNotIn("ulimit", error)
        for threads in ("1", "4", "64"):
            code, _, error = bounded([*analyze[:-1], output + threads, "-j", threads], [(resource.RLIMIT_AS, 1 << 30)])
            self.assertEqual(code, 0, error)


if __name__ == "__main__":
    unittest.main(argv=["limits_test"])
