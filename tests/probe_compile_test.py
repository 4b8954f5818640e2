"""C++ of `rankscope probe compile` computes what the interpreter computes: random specifications of all types and operations, random samples with
values at the ends of their types and absent ones (fake/compare_compiled.cc), built with warnings as errors. RANKSCOPE_PROBE_CLASSES=1000 makes it
long."""

import concurrent.futures
import os
import random
import subprocess
import tempfile
import unittest

import program
from waiting import LIMIT_S

CLASSES = int(os.environ.get("RANKSCOPE_PROBE_CLASSES", "80"))
CLASSES_A_FILE = 40
SOURCE = os.path.join(program.HERE, "..", "src")
BUILD = os.path.join(os.path.dirname(os.path.abspath(program.BINARY)), "..")
FLAGS = "-std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Werror".split()

HEAD = """@requires("1")
class {name}(Device):
    vendor = "acme"
    drv = library("libacme.so")
    st_t = struct(a=u32, n=array(u64, 4), m=array(i16, 3), f=f64, t=chars(8), e=enum(u32, IDLE=0, RUN=1))
    st = drv.call("stats", index, out(st_t), every=s(1))
    u = file("/sys/u", u64, every=s(1))
    v = file("/sys/v", u32, every=s(1))
    i = file("/sys/i", i64, every=s(1))
    j = file("/sys/j", i32, every=s(1))
    f = file("/sys/f", f64, every=s(1))
    t = text("/sys/t", every=s(1))
    next = drv.call("next", {argument}, t, st.e, returns=i64, every=s(1))
    instances = glob("/sys/a*", where={where})
"""


class Writer:
    """Expressions of a type, at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {"u64": [], "i64": [], "f64": [], "bool": []}
        self.changes = True  # delta() may stand here
        self.turn = False

    def of(self, kind, depth):
        make = {"u64": self.natural, "i64": self.whole, "f64": self.real, "bool": self.condition}[kind]
        return make(depth)

    def choose(self, *ways):
        return self.random.choice(ways)()

    def shared(self, kind, depth):
        """What is there of every type."""
        one = lambda: self.of(kind, depth - 1)  # noqa: E731
        number = self.random.randrange(6)
        if number == 0:
            return f"({one()} if {self.condition(depth - 1)} else {one()})"
        if number == 1:
            return f"({one()} if {self.condition(depth - 1)} else absent)"
        if number == 2:
            return f"or_else({one()}, {one()})"
        if number == 3 and kind != "bool":
            return f"{self.random.choice(['min', 'max'])}({one()}, {one()})"
        if number == 4 and kind != "bool" and not self.turn:
            self.turn = True
            item = one()
            self.turn = False
            return (
                f"{self.random.choice(['min', 'max', 'sum'])}([{item} for k in range({self.random.randrange(3)}, 4)])"
            )
        if number == 5 and kind != "bool":
            return f"[{one()}, {one()}][{self.random.randrange(2)}]"
        return one()

    def name(self, kind, others):
        known = self.names[kind] if self.changes else []
        return self.random.choice(known) if known and self.random.random() < 0.3 else self.random.choice(others)

    def natural(self, depth):
        leaves = ["u", "v", "st.a", "st.n[2]", "u", str(self.random.randrange(100)), "4294967295"]
        if self.turn:
            leaves += ["st.n[k]", "u64(k)"]
        if depth <= 0:
            return self.name("u64", leaves[:5] + leaves[7:])
        one = lambda: self.natural(depth - 1)  # noqa: E731
        return self.choose(
            lambda: f"({one()} {self.random.choice(['+', '-', '*', '//', '%', '&', '|', '^', '<<', '>>'])} {one()})",
            lambda: f"({one()} {self.random.choice(['+', '*', '>>'])} {self.random.randrange(1, 70)})",
            lambda: f"~{one()}",
            lambda: f"u64({self.choose(lambda: self.whole(depth - 1), lambda: self.real(depth - 1), lambda: 'st.e')})",
            lambda: self.shared("u64", depth),
            lambda: self.change("delta", "u64", depth),
            lambda: f"st.n[{self.natural(depth - 1)}]",
            lambda: f"abs({one()})",
        )

    def whole(self, depth):
        leaves = (
            ["i", "j", "st.m[1]", "index"]
            + (["next"] if self.changes else [])
            + (["st.m[k - 1]", "k"] if self.turn else [])
        )
        if depth <= 0:
            return self.name("i64", leaves)
        one = lambda: self.whole(depth - 1)  # noqa: E731
        return self.choose(
            lambda: f"({one()} {self.random.choice(['+', '-', '*', '//', '%'])} {one()})",
            lambda: f"({one()} // -{self.random.randrange(1, 9)})",
            lambda: f"-{one()}",
            lambda: f"abs({one()})",
            lambda: f"i64({self.choose(lambda: self.natural(depth - 1), lambda: self.real(depth - 1), lambda: self.condition(depth - 1))})",
            lambda: self.shared("i64", depth),
            lambda: self.change("delta", "i64", depth),
            lambda: f"({one()} - -9223372036854775808)",
        )

    def real(self, depth):
        if depth <= 0:
            return self.name("f64", ["f", "st.f"])
        one = lambda: self.real(depth - 1)  # noqa: E731
        return self.choose(
            lambda: f"({one()} {self.random.choice(['+', '-', '*', '/'])} {one()})",
            lambda: f"({self.natural(depth - 1)} / {self.whole(depth - 1)})",
            lambda: f"({one()} * {self.random.choice(['2', '0.001', '1e300'])})",
            lambda: f"-{one()}",
            lambda: f"abs({one()})",
            lambda: f"f64({self.choose(lambda: self.natural(depth - 1), lambda: self.whole(depth - 1))})",
            lambda: self.shared("f64", depth),
            lambda: self.change("delta", "f64", depth),
            lambda: self.change("rate", self.random.choice(["u64", "i64", "f64"]), depth),
        )

    def condition(self, depth):
        if depth <= 0:
            return self.name("bool", ["(u > 5)", "(t == 'ok')", "(st.e == RUN)", "(f is not None)", "True"])
        kind = self.random.choice(["u64", "i64", "f64"])
        one = lambda: self.condition(depth - 1)  # noqa: E731
        return self.choose(
            lambda: f"({self.of(kind, depth - 1)} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {self.of(kind, depth - 1)})",
            lambda: f"({one()} {self.random.choice(['and', 'or', '==', '!='])} {one()})",
            lambda: f"(not {one()})",
            lambda: f"({self.of(kind, depth - 1)} is {self.random.choice(['', 'not '])}None)",
            lambda: "(st.t != t)",
            lambda: self.shared("bool", depth),
        )

    def change(self, function, kind, depth):
        """A delta, where none stands around it: of a source, or of what is computed of one."""
        if not self.changes or self.turn:
            return self.of(kind, 0) if function == "delta" else self.real(0)
        self.changes = False
        source = {"u64": "u", "i64": "i", "f64": "f"}[kind]
        inner = self.choose(
            lambda: source, lambda: f"{self.random.choice(['min', 'max'])}({source}, {self.of(kind, depth - 2)})"
        )
        self.changes = True
        wrap = self.random.choice(["", "", ", wrap=32", ", wrap=64"]) if kind == "u64" else ""
        return f"{function}({inner}{wrap})"

    def device(self, name):
        self.changes = False
        text = HEAD.format(name=name, argument=self.whole(2), where=self.condition(2))
        self.changes = True
        for number in range(self.random.randrange(1, 4)):
            kind = self.random.choice(["u64", "i64", "f64", "bool"])
            text += f"    n{number} = {self.of(kind, self.random.randrange(1, 4))}\n"
            self.names[kind].append(f"n{number}")
        for number in range(self.random.randrange(1, 5)):
            kind = self.random.choice(["u64", "i64", "f64", "bool"])
            value = self.of(kind, self.random.randrange(1, 5))
            if kind == "bool":
                text += f"    vendor_{number} = {value}\n"
            else:
                bounds = self.random.choice(["", "", ", lo=0", ", hi=1e6", ", lo=-5, hi=5.5"])
                text += f"    vendor_{number} = gauge({value}, unit=none{bounds})\n"
        text += "    vendor_text = st.t if t != 'no' else or_else(t, 'none')\n    vendor_enum = st.e\n"
        return text


class Compiled(unittest.TestCase):
    def run_command(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[:5000])
        return done.stdout

    def test_generated_code_computes_what_the_interpreter_does(self):
        with tempfile.TemporaryDirectory(prefix="rs_probe_compiled_") as folder:
            path = lambda name: os.path.join(folder, name)  # noqa: E731
            names, parts = [f"Chip{number}" for number in range(CLASSES)], []
            for first in range(0, CLASSES, CLASSES_A_FILE):
                part = path(f"part{first}")
                own = names[first : first + CLASSES_A_FILE]
                with open(part + ".probe", "w", encoding="utf-8") as file:
                    file.write("".join(Writer(name).device(name) for name in own))
                program.run("probe", "compile", part + ".probe", "-o", folder)
                with open(part + ".cc", "w", encoding="utf-8") as file:
                    file.write("".join(f'#include "{name}.cc"\n' for name in own))
                parts.append(part)
            with open(path("programs.h"), "w", encoding="utf-8") as file:
                file.write('#include "probe/run/program.h"\nnamespace rankscope::probes {\n')
                file.write("".join(f"std::unique_ptr<const probe::Program> Make{name}Program();\n" for name in names))
                file.write("}\ninline auto MakeProgram(const std::string& name) {\n")
                file.write(
                    "".join(
                        f'  if (name == "{name}") return rankscope::probes::Make{name}Program();\n' for name in names
                    )
                )
                file.write("  return std::unique_ptr<const rankscope::probe::Program>();\n}\n")

            def build(source):
                self.run_command("g++", *FLAGS, "-I", SOURCE, "-I", folder, "-c", source, "-o", source[:-3] + ".o")

            compare = os.path.join(program.HERE, "fake", "compare_compiled.cc")
            with open(path("compare.cc"), "w", encoding="utf-8") as file:
                file.write(f'#include "{compare}"\n')
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(build, [part + ".cc" for part in parts] + [path("compare.cc")]))
            libraries = [os.path.join(BUILD, "src", f"librs_{name}.a") for name in ("probe", "json", "base")]
            objects = [part + ".o" for part in parts] + [path("compare.o")]
            self.run_command(
                "g++",
                *objects,
                *libraries,
                "-lfmt",
                "-lsimdjson",
                "-lxxhash",
                "-lz",
                "-ldl",
                "-pthread",
                "-o",
                path("compare"),
            )
            for part in parts:
                said = self.run_command(path("compare"), part + ".probe")
                self.assertIn(", 0 wrong\n", said)
                known = int(said.split(" rounds, ")[1].split()[0])
                self.assertGreater(known, 1000)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
