"""The C interface as others meet it: what the library exports, and a program in C99 that is built and run against it."""

import os
import re
import shutil
import subprocess
import unittest

import program

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..")
HEADER = os.path.join(SOURCE, "src", "capi")
LIBRARY = os.path.join(os.path.dirname(os.path.abspath(program.BINARY)), "librankscope.so")


def said_by(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def declared():
    """The functions that rankscope.h declares."""
    with open(os.path.join(HEADER, "rankscope.h"), encoding="utf-8") as file:
        return set(re.findall(r"^RANKSCOPE_API [^;(]*?\b(rankscope_\w+)\(", file.read(), re.MULTILINE))


class Library(unittest.TestCase):
    def test_exports_what_the_header_declares_and_nothing_else(self):
        lines = said_by("nm", "--dynamic", "--defined-only", LIBRARY).splitlines()
        names = {line.split()[2].split("@")[0] for line in lines}
        self.assertGreater(len(declared()), 20)
        # The version itself is a symbol, too.
        self.assertEqual(names - {"RANKSCOPE_1"}, declared())

    def test_name_and_where_it_finds_others(self):
        dynamic = said_by("readelf", "--dynamic", "--wide", LIBRARY)
        self.assertIn("Library soname: [librankscope.so.1]", dynamic)
        self.assertRegex(dynamic, r"Library r(un)?path: \[\$ORIGIN\]")
        self.assertNotIn("TEXTREL", dynamic)

    def test_every_function_says_what_it_does(self):
        with open(os.path.join(SOURCE, "docs", "c-interface.md"), encoding="utf-8") as file:
            page = file.read()
        for name in sorted(declared()):
            self.assertIn(name, page)


@unittest.skipIf(shutil.which("cc") is None, "there is no C compiler")
class Example(program.WithJob):
    def build(self):
        built = os.path.join(self.temporary.name, "top_kernels")
        folder = os.path.dirname(LIBRARY)
        subprocess.run(
            ["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", HEADER]
            + [os.path.join(SOURCE, "examples", "c", "top_kernels.c"), "-o", built]
            + ["-L", folder, "-lrankscope", f"-Wl,-rpath,{os.path.abspath(folder)}"],
            check=True,
        )
        return built

    def test_says_what_the_program_says(self):
        lines = said_by(self.build(), self.job).splitlines()
        self.assertEqual(lines.pop(), "3 steps")
        expected = [f"{row['total_ns']}\t{row['name']}" for row in program.table("kernels_by_name", self.job)]
        self.assertEqual(lines, expected)

    def test_errors_are_sentences(self):
        ended = subprocess.run([self.build(), "/no/such/traces"], capture_output=True, check=False, text=True)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertRegex(ended.stderr, r"\A/no/such/traces: [^\n]*/no/such/traces[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main(argv=["c_interface_test"])
