"""What README.md and docs/ show is what the program prints: every block ```console holds commands ("$ ", lines behind them that are
indented by four go on with them) and their whole standard output. They run one after the other in a folder that is empty at first.

python3 docs_test.py BINARY --update writes the blocks anew."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")

import program  # pylint: disable=wrong-import-position
from waiting import LIMIT_S  # pylint: disable=wrong-import-position

ROOT = os.path.normpath(os.path.join(program.HERE, ".."))
PAGES = ["README.md", "docs/tasks.md", "docs/fix.md", "docs/post-training.md", "docs/probes.md"]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def commands_of(block):
    """The commands of a block, each as it stands there."""
    commands = []
    is_command = False
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append(line)
            is_command = True
        elif is_command and line.startswith("    "):
            commands[-1] += "\n" + line
        else:
            is_command = False
    return commands


def made_anew(block, folder):
    lines = ""
    for command in commands_of(block):
        environment = {
            **os.environ,
            "PATH": os.path.dirname(os.path.abspath(program.BINARY)) + ":" + os.environ["PATH"],
        }
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command[2:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
            timeout=LIMIT_S,
        )
        # head closes the pipe: 141.
        assert done.returncode in (0, 141), f"{command}: {done.stderr.decode()}"
        lines += command + "\n" + done.stdout.decode()
    return lines


class Docs(unittest.TestCase):
    def test_blocks_are_what_the_program_prints(self):
        for page in PAGES:
            with self.subTest(page), tempfile.TemporaryDirectory(prefix="rs_docs_") as folder:
                path = os.path.join(ROOT, page)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                anew = BLOCK.sub(lambda block: f"```console\n{made_anew(block[1], folder)}```", text)
                if UPDATE:
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(anew)
                self.assertEqual(anew, text, "docs_test.py BINARY --update writes it anew")

    def test_tables_commands_and_causes_that_pages_name_exist(self):
        known, _ = program.run("list")
        causes, _ = program.run("explain")
        tables = set(re.findall(r"^  (\S+)", known, re.MULTILINE))
        commands = set(re.findall(r"^  (\S+)", program.run("--help")[0], re.MULTILINE)) | {"help", "version"}
        causes = set(re.findall(r"^  (\S+)", causes, re.MULTILINE))
        for path in [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "docs", "*.md"))]:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            page = os.path.relpath(path, ROOT)
            for name in re.findall(r"rankscope table ([a-z][a-z_.]*)", text):
                self.assertIn(name, tables, page)
            for name in re.findall(r"rankscope explain ([a-z][a-z-]*)", text):
                self.assertIn(name, causes, page)
            for name in re.findall(r"^ {4}rankscope ([a-z]+)(?=\s)", text, re.MULTILINE):
                self.assertIn(name, commands, page)

    def test_the_readme_claims_no_more_causes_than_there_are(self):
        causes, _ = program.run("explain")
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            said = re.search(r"\[more than (\d+) causes\]", file.read())
        self.assertLess(int(said[1]), len(re.findall(r"^  \S+", causes, re.MULTILINE)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
