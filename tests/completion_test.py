"""Completion in bash, zsh and fish, by pressing keys in the shells themselves, and the manual page as groff reads it."""

import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import program
from waiting import LIMIT_S

# Each shell gets a key that puts all completions into the line and enters it, and a function in the program's place that says what it
# got. Keys are pressed at a prompt: what is typed ahead is not all the same to zsh.
SAY = "rankscope() { printf '<%s>' \"$@\"; printf '\\n'; }\n"
BASH = """PS1='ready>'; bind '"\\C-x": insert-completions'; source "$SCRIPTS/rankscope.bash"\n""" + SAY
ZSH = (
    "PS1=; zle-line-init() { printf 'ready>' }; zle -N zle-line-init; unsetopt prompt_cr prompt_sp; unset zle_bracketed_paste\n"
    'fpath=("$SCRIPTS" $fpath); autoload -U compinit; compinit -u -D\n'
    "zle -C all-matches complete-word _generic; enter-all() { zle all-matches; zle accept-line }; zle -N enter-all; bindkey '^X' enter-all\n"
    "zstyle ':completion:*' completer _all_matches _complete; zstyle ':completion:*' insert true\n" + SAY
)
PROMPT = "ready>"


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, command, script, folder, scripts, enter=""):
        self.enter = enter
        self.master, slave = pty.openpty()
        environment = {
            "PATH": os.environ["PATH"],
            "TERM": "dumb",
            "HOME": folder,
            "SCRIPTS": scripts,
            "LC_ALL": "C.UTF-8",
        }
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment, start_new_session=True
        )
        os.close(slave)
        rc = os.path.join(scripts, "rc")
        with open(rc, "w", encoding="utf-8") as file:
            file.write(script)
        self.say(f". {rc}\n")
        self.until(PROMPT)

    def say(self, text):
        os.write(self.master, text.encode())

    def until(self, mark):
        """What the shell writes up to and with `mark`."""
        seen, end = "", time.monotonic() + LIMIT_S
        while mark not in seen:
            assert time.monotonic() < end, f"waited for {mark!r}, the shell wrote {seen!r}"
            if select.select([self.master], [], [], 1)[0]:
                seen += os.read(self.master, 65536).decode("utf-8", "replace")
        return seen

    def complete(self, line):
        """The words that stand in the line's last place after all completions were put there."""
        self.say(line + "\x18" + self.enter)
        words = re.findall("<([^<>]*)>", self.until(PROMPT))
        return sorted(word.rstrip("/") for word in words[len(line.split(" ")) - 2 :])

    def close(self):
        os.close(self.master)
        self.process.kill()
        self.process.wait()


class Fish:
    """fish says itself what it would offer."""

    def __init__(self, folder, scripts):
        self.folder, self.scripts = folder, scripts

    def complete(self, line):
        command = 'source "$SCRIPTS/rankscope.fish"; complete -C "$LINE"'
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": self.scripts,
            "SCRIPTS": self.scripts,
            "LINE": line,
            "LC_ALL": "C.UTF-8",
        }
        out = subprocess.run(
            ["fish", "--no-config", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=True,
        )
        assert not out.stderr, out.stderr
        return sorted(match.split("\t")[0].rstrip("/") for match in out.stdout.splitlines())

    def close(self):
        pass


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.scripts = os.path.join(cls.temporary.name, "scripts")
        cls.folder = os.path.join(cls.temporary.name, "work")
        os.makedirs(os.path.join(cls.folder, "traces"))
        os.makedirs(cls.scripts)
        with open(os.path.join(cls.folder, "tr.json"), "w", encoding="utf-8"):
            pass
        for shell, name in (("bash", "rankscope.bash"), ("zsh", "_rankscope"), ("fish", "rankscope.fish")):
            with open(os.path.join(cls.scripts, name), "w", encoding="utf-8") as file:
                file.write(program.run("completion", shell)[0])
        names = [line.split()[0] for line in program.run("list")[0].splitlines() if line.startswith("  ")]
        cls.views = program.sql_views()
        # Tables of `hang`, `serving`, `post-training` and `fleet` are no analyses: `table` does not take them.
        cls.of_fleet = ["capacity", "finding_run", "kernel_day", "kernel_run"]
        others = ("flight_", "serving_", "post_", "fleet_")
        cls.analyses = [name for name in names if name not in cls.views + cls.of_fleet and not name.startswith(others)]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_all(self, shell):
        def offers(line, *words):
            self.assertEqual(shell.complete(line), sorted(words), line)

        offers("rankscope ana", "analyze")
        offers("rankscope trace ", "info", "stacks", "convert", "filter", "split", "merge", "scrub")
        offers("rankscope trace info --f", "--format")
        offers("rankscope analyze --format ", "text", "json", "markdown", "html", "ipynb", "view", "folder")
        offers("rankscope table captures traces --format p", "parquet")
        offers("rankscope completion ", "bash", "zsh", "fish")
        offers("rankscope simulate --job post", "post-training")
        offers("rankscope simulate --plant slow-g", "slow-gpu")
        # Names of analyses come first, then files; a name that is also a command's changes nothing.
        everything = shell.complete("rankscope table ")
        self.assertEqual(everything, sorted(self.analyses))
        offers("rankscope list hta.temporal", "hta.temporal_breakdown")
        offers(
            "rankscope list kernel",
            *(name for name in [*self.analyses, *self.views, *self.of_fleet] if name.startswith("kernel")),
        )
        offers("rankscope table --format csv time_b", "time_breakdown")
        offers("rankscope table time_breakdown tr", "tr.json", "traces")
        offers("rankscope table time_breakdown info tr", "tr.json", "traces")
        offers("rankscope analyze -o tr", "tr.json", "traces")
        offers("rankscope query tr", "tr.json", "traces")
        offers("rankscope analyze --cache-dir tr", "traces")
        offers("rankscope simulate tr", "traces")
        offers("rankscope fix --format ", "diff", "json", "sarif")
        offers("rankscope fix traces --source tr", "traces")
        offers("rankscope fix --finding gc-", "gc-pause")

    def run_shell(self, shell):
        try:
            self.check_all(shell)
            return shell.complete("rankscope analyze --format=j")
        finally:
            shell.close()

    def test_bash(self):
        shell = Shell(["bash", "--norc", "--noprofile", "-i"], BASH, self.folder, self.scripts, enter="\n")
        self.assertEqual(self.run_shell(shell), ["--format=json"])

    def test_zsh(self):
        shell = Shell(["zsh", "-f", "-i"], ZSH, self.folder, self.scripts)
        self.assertEqual(self.run_shell(shell), ["--format=json"])

    def test_fish(self):
        self.assertEqual(self.run_shell(Fish(self.folder, self.scripts)), ["--format=json"])


class Manual(unittest.TestCase):
    def test_groff_has_nothing_to_warn_of(self):
        page = program.run("manual")[0]
        result = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True, timeout=LIMIT_S, check=True
        )
        self.assertEqual(result.stderr, "")
        text = re.sub("\x1b\\[[0-9;]*m|.\b", "", result.stdout)
        for command in (
            "analyze",
            "table",
            "list",
            "query",
            "trace info",
            "trace stacks",
            "trace convert",
            "trace filter",
            "trace split",
            "trace merge",
            "trace scrub",
            "simulate",
            "simulate-server",
            "completion",
            "manual",
        ):
            self.assertIn("\n   " + command + "\n", text)
        self.assertIn("rankscope " + program.run("--version")[0].strip(), text)


if __name__ == "__main__":
    for name in ("bash", "zsh", "fish", "groff"):
        assert shutil.which(name), f"{name} is missing: run ./dev setup"
    unittest.main(argv=["completion_test"])
