"""`rankscope probe` as a user meets it: what Python's own parser says of the same files, mistakes and exit codes, a device of files that
come, go and change while it is read, recordings that give the same again."""

import ast
import json
import os
import random
import re
import subprocess
import tempfile
import unittest

import program
from waiting import LIMIT_S

HEAD = '@requires("1")\nclass Chip(Device):\n    vendor = "acme"\n'
CHIP = (
    HEAD
    + """    instances = glob("/sys/class/accel/accel*", where=text("device/vendor") == "0x1234")
    serial = file("device/serial", str, cache=forever)
    raw = file("hwmon/hwmon*/temp1_input", i64, every=ms(10), optional=True)
    temperature = gauge(raw / 1000, unit=celsius, lo=-40, hi=150)
    events = file("events", u32, every=ms(10))
    vendor_events = gauge(delta(events, wrap=32), unit=count)
    health = "degraded" if temperature > 95 else "ok"
"""
)
OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.And: "and",
    ast.Or: "or",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not",
}


def dump(node):
    """A node of Python's tree as `probe explain --tree` writes it."""
    name = type(node).__name__
    if name == "Name":
        return node.id
    if name == "Constant":
        if isinstance(node.value, float):
            return f"(real {node.value!r})"
        return json.dumps(node.value) if isinstance(node.value, str) else str(node.value)
    if name == "UnaryOp":
        return f"({OPERATORS[type(node.op)]} {dump(node.operand)})"
    if name == "BinOp":
        return f"({OPERATORS[type(node.op)]} {dump(node.left)} {dump(node.right)})"
    if name == "Compare":
        return f"({OPERATORS[type(node.ops[0])]} {dump(node.left)} {dump(node.comparators[0])})"
    if name == "BoolOp":
        made = dump(node.values[0])
        for value in node.values[1:]:
            made = f"({OPERATORS[type(node.op)]} {made} {dump(value)})"
        return made
    if name == "IfExp":
        return f"(conditional {dump(node.body)} {dump(node.test)} {dump(node.orelse)})"
    if name == "List":
        return "(list" + "".join(" " + dump(one) for one in node.elts) + ")"
    if name == "ListComp":
        loop = node.generators[0]
        return f"(comprehension {loop.target.id} {dump(node.elt)} {dump(loop.iter)})"
    if name == "Call":
        keywords = "".join(f" ({one.arg}= {dump(one.value)})" for one in node.keywords)
        return f"(call {dump(node.func)}" + "".join(" " + dump(one) for one in node.args) + keywords + ")"
    if name == "Attribute":
        return f"(attribute {node.attr} {dump(node.value)})"
    if name == "Subscript":
        return f"(subscript {dump(node.value)} {dump(node.slice)})"
    raise AssertionError(f"accepted what it does not have: {name}")


def dump_file(tree):
    lines = []
    for one in tree.body:
        made = f"(class {one.name}"
        made += "".join(f"\n  (decorator {dump(decorator)})" for decorator in one.decorator_list)
        for statement in one.body:
            if isinstance(statement, ast.Expr):
                made += f"\n  (about {json.dumps(statement.value.value)})"
            else:
                made += f"\n  (assign {statement.targets[0].id} {dump(statement.value)})"
        lines.append(made + ")\n")
    return "".join(lines)


def normal(text):
    """Texts and reals that are written in several ways, in one."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: json.dumps(json.loads(found[0])), text)
    return re.sub(r"\(real ([^\s()]+)\)", lambda found: f"(real {float.fromhex(found[1])!r})", text)


class Writer:
    """Expressions at random, in Python's own ways to write them."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def atom(self):
        return self.random.choice(
            ["a", "b1", "_c", "0", "7", "0x1F", "0b101", "0o17", "1_000", "2.5", "1e9", ".5", "3.", "1e-3"]
            + ["'t'", '"u\\n\\x41"', "'it''s'", '"""long"""', "True", "False", "None", "18446744073709551615"]
        )

    def expression(self, depth):
        if depth == 0 or self.random.random() < 0.15:
            return self.atom()
        one = lambda: self.expression(depth - 1)  # noqa: E731
        kind = self.random.randrange(11)
        if kind < 3:
            return f"{self.operand(depth)} {self.random.choice(['+', '-', '*', '/', '//', '%', '&', '|', '^', '<<', '>>'])} {self.operand(depth)}"
        if kind == 3:
            return f"{self.random.choice(['-', '+', '~', 'not '])}{self.operand(depth)}"
        if kind == 4:
            return f"({one()}) {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} ({one()})"
        if kind == 5:
            return f"{self.operand(depth)} {self.random.choice(['and', 'or'])} {self.operand(depth)}"
        if kind == 6:
            return f"({one()}) if {self.operand(depth)} else {one()}"
        if kind == 7:
            return f"[{one()} for i in range({one()})]" if self.random.random() < 0.5 else f"[{one()}, {one()},]"
        if kind == 8:
            return f"f({one()}, {one()},\n  k={one()})"
        if kind == 9:
            return f"a.b[{one()}](c={one()})"
        return f"(({one()}) is {self.random.choice(['', 'not '])}None)"

    def operand(self, depth):
        made = self.expression(depth - 1)
        return f"({made})" if self.random.random() < 0.6 else made

    def line(self):
        """One that Python takes, without comparisons that follow each other: these are not in the language."""
        while True:
            made = f"x = {self.expression(self.random.randrange(5))}"
            try:
                nodes = list(ast.walk(ast.parse(made)))
            except SyntaxError:
                continue
            if not any(isinstance(node, ast.Compare) and len(node.ops) > 1 for node in nodes):
                return made

    def file(self, classes, lines):
        text = ""
        for number in range(classes):
            text += f"@requires('1')\nclass C{number}(Device):\n    'About it.'\n"
            for number_of_line in range(lines):
                text += f"    {self.line()}  # {number_of_line}\n\n"
        return text


class Probe(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="rs_probe_")
        self.addCleanup(self.temporary.cleanup)
        self.folder = self.temporary.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return self.path(name)

    def tree(self, text):
        """What `explain --tree` says; None where it refuses."""
        out, error = program.run("probe", "explain", self.write("a.probe", text), "--tree", expect=(0, 1))
        self.assertEqual(bool(out), not error)
        return normal(out) if out else None

    def chip(self, name, temperature):
        base = f"root/sys/class/accel/{name}/"
        self.write(base + "device/vendor", "0x1234\n")
        self.write(base + "device/serial", f"SN-{name}\n")
        self.write(base + "hwmon/hwmon3/temp1_input", f"{temperature}\n")
        self.write(base + "events", "4294967290\n")
        return base

    def test_trees_are_those_of_pythons_own_parser(self):
        for seed in range(8):
            text = Writer(seed).file(10, 25)
            with self.subTest(seed):
                self.assertEqual(self.tree(text), dump_file(ast.parse(text)))

    def test_python_accepts_whatever_is_accepted(self):
        accepted = 0
        for seed in range(300):
            choose = random.Random(seed)
            text = Writer(seed).file(1, 3)
            for _ in range(choose.randrange(1, 4)):
                at, length = choose.randrange(len(text)), choose.randrange(3)
                text = text[:at] + choose.choice(list("()[],.:=\n 'x0\"#\\+-")) + text[at + length :]
            tree = self.tree(text)
            if tree is not None:
                accepted += 1
                self.assertEqual(tree, dump_file(ast.parse(text)), text)
        self.assertGreater(accepted, 20)

    def test_formatting_changes_nothing_but_the_layout(self):
        for seed in range(8):
            text = Writer(seed).file(10, 25)
            path = self.write("a.probe", text)
            out, _ = program.run("probe", "format", "--check", path, expect=1)
            self.assertEqual(out, f"{path}: not formatted\n")
            program.run("probe", "format", path)
            program.run("probe", "format", "--check", path)
            with open(path, encoding="utf-8") as file:
                formatted = file.read()
            with self.subTest(seed):
                self.assertEqual(dump_file(ast.parse(formatted)), dump_file(ast.parse(text)))
                self.assertEqual(formatted.count("  # "), text.count("  # "))
        wrong = self.write("wrong.probe", "class A(Device):\n  x=(\n")
        _, error = program.run("probe", "format", wrong, expect=1)
        self.assertIn("wrong.probe:2:5: this bracket is not closed", error)
        out, _ = program.run("probe", "format", "-", standard_input="class A(Device):\n  x=1\n")
        self.assertEqual(out, "class A(Device):\n    x = 1\n")

    def test_examples_are_formatted(self):
        folder = os.path.join(program.HERE, "..", "examples", "probes")
        program.run("probe", "format", "--check", *(os.path.join(folder, name) for name in sorted(os.listdir(folder))))

    def test_editors_complete_what_there_is(self):
        words = json.loads(program.run("probe", "words")[0])["words"]
        self.assertIn(
            {"word": "rate", "kind": "function", "form": "rate(x, wrap=)", "about": "change per second"}, words
        )
        self.assertIn("power = gauge(x, unit=watts)", [one["form"] for one in words])
        # A file that is being written is rarely right.
        spec = self.write("chip.probe", CHIP + "    half = raw +\n")
        of_file = json.loads(program.run("probe", "words", spec)[0])["words"]
        names = [one["word"] for one in of_file if one["kind"] == "name"]
        self.assertEqual(names[:3] + names[-1:], ["vendor", "instances", "serial", "half"])
        self.assertEqual(of_file[: len(words)], words)

    def test_check_says_what_is_wrong_and_where(self):
        good = self.write("good.probe", CHIP)
        out, _ = program.run("probe", "check", good)
        self.assertEqual(out, f"{good}: correct; Chip gives 4 metrics, 3 of them standard\n")
        bad = self.write("bad.probe", CHIP.replace("raw / 1000", "rwa / 1000"))
        out, _ = program.run("probe", "check", good, bad, expect=1)
        self.assertIn(f"{bad}:7:25: there is no name `rwa`; did you mean `raw`?\n", out)
        self.assertIn("\n                            ^~~\n", out)
        for command in (["eval"], ["explain"], ["coverage"], ["record"]):
            _, error = program.run("probe", *command, bad, expect=1)
            self.assertTrue(error.startswith(f"rankscope: {bad}:7:25: there is no name"), error)
        _, error = program.run("probe", "check", self.path("none"), expect=1)
        self.assertIn("No such file", error)

    def test_bytes_of_any_kind_are_refused_in_words(self):
        choose = random.Random(1)
        for size in (0, 1, 100, 5000):
            with open(self.path("bytes.probe"), "wb") as file:
                file.write(bytes(choose.randrange(256) for _ in range(size)))
            out, _ = program.run("probe", "check", self.path("bytes.probe"), expect=1)
            self.assertTrue(out.startswith(self.path("bytes.probe") + ":"), out)
            self.assertLessEqual(len(re.findall(r"bytes\.probe:\d+:\d+: ", out)), 20)

    def test_a_device_of_files_is_read(self):
        self.chip("accel0", 41500)
        self.chip("accel10", 99000)
        self.write(self.chip("accel2", 1) + "device/vendor", "0x9999\n")
        spec = self.write("chip.probe", CHIP)
        out, error = program.run("probe", "eval", spec, "--root", self.path("root"))
        self.assertEqual(
            out,
            "accel0 serial SN-accel0 none\naccel0 temperature 41.5 celsius\naccel0 vendor_events absent count\n"
            "accel0 health ok none\n"
            "accel10 serial SN-accel10 none\naccel10 temperature 99 celsius\naccel10 vendor_events absent count\n"
            "accel10 health degraded none\n",
        )
        self.assertEqual(error, "")
        out, _ = program.run("probe", "eval", spec, "--root", self.path("root"), "--rounds", "2")
        self.assertIn("accel0 vendor_events 0 count\n", out)

    def test_files_change_while_they_are_read(self):
        base = self.chip("accel0", 41500)
        spec = self.write("chip.probe", CHIP)
        command = [program.BINARY, "probe", "eval", spec, "--root", self.path("root"), "--watch"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
            seen = iter(watch.stdout.readline, "")

            def until(line):
                self.assertTrue(any(one == line + "\n" for one in seen), line)

            until("accel0 temperature 41.5 celsius")
            self.write("new", "42000\n")
            os.rename(self.path("new"), self.path(base + "hwmon/hwmon3/temp1_input"))
            until("accel0 temperature 42 celsius")
            for text in ("no number\n", "", "999999\n"):
                self.write(base + "hwmon/hwmon3/temp1_input", text)
                until("accel0 temperature absent celsius")
                self.write(base + "hwmon/hwmon3/temp1_input", "43000\n")
                until("accel0 temperature 43 celsius")
            os.remove(self.path(base + "hwmon/hwmon3/temp1_input"))
            until("accel0 health absent none")
            os.mkdir(self.path(base + "hwmon/hwmon3/temp1_input"))
            until("accel0 temperature absent celsius")
            os.rmdir(self.path(base + "hwmon/hwmon3/temp1_input"))
            self.write(base + "hwmon/hwmon3/temp1_input", "44000\n")
            until("accel0 temperature 44 celsius")
            self.write("new", "4\n")
            os.rename(self.path("new"), self.path(base + "events"))
            until("accel0 vendor_events 10 count")  # 2^32 - 6 to 4
            watch.terminate()
            watch.communicate(timeout=LIMIT_S)

    def test_nothing_outside_of_sys_and_proc_is_read(self):
        base = self.chip("accel0", 41500)
        self.write("root/etc/secret", "SECRET\n")
        os.remove(self.path(base + "device/serial"))
        os.symlink("../../../../../etc/secret", self.path(base + "device/serial"))
        out, error = program.run("probe", "eval", self.write("chip.probe", CHIP), "--root", self.path("root"))
        self.assertIn("accel0 serial absent none\n", out)
        self.assertIn("accel0 serial: /sys/class/accel/accel0/device/serial: it leads out of /sys and /proc", error)

    def test_a_recording_gives_the_same_again(self):
        self.chip("accel0", 41500)
        self.chip("accel1", 99000)
        spec = self.write("chip.probe", CHIP)
        program.run("probe", "record", spec, "--root", self.path("root"), "--rounds", "3", "-o", self.path("rec"))
        out, _ = program.run("probe", "replay", spec, self.path("rec"))
        rounds = out.strip().split("\n\n")
        self.assertEqual(len(rounds), 3)
        watched, _ = program.run("probe", "eval", spec, "--root", self.path("root"), "--watch", "--rounds", "3")
        self.assertEqual(out, watched)
        # A specification that was changed since is tried on what was recorded.
        changed = self.write("changed.probe", CHIP.replace("> 95", "> 100"))
        out, _ = program.run("probe", "replay", changed, self.path("rec"))
        self.assertNotIn("degraded", out)
        with open(self.path("rec"), encoding="utf-8") as file:
            text = file.read()
        for damage in (text[:-10], "", "{}\n", text.replace('"i64"', '"i46"'), text.replace("round", "uond")):
            self.write("damaged", damage)
            _, error = program.run("probe", "replay", spec, self.path("damaged"), expect=(0, 1))
            self.assertNotIn("internal", error)

    def test_a_makers_library_is_called_in_a_process_of_its_own(self):
        with open(self.example("accel"), encoding="utf-8") as file:
            example = file.read()
        # How fast a machine is decides nothing, but for a call that never ends.
        spec = self.write("patient.probe", example.replace("ms(200)", "minutes(5)"))
        impatient = self.write("impatient.probe", example)
        said = self.write("said", "temperature 41.5\n")
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": os.path.dirname(os.path.abspath(program.BINARY)),
            "FAKE_ACCEL": said,
        }
        out, error = program.run("probe", "eval", spec, environment=environment)
        self.assertIn('accel1 model "Fake Accel 100" none\n', out)
        self.assertIn("accel0 temperature 41.5 celsius\n", out)
        self.assertEqual(error, "")
        for line, why in (
            ("crash 1", "its process ended within a call"),
            ("hang 1", "a call takes longer than 200 ms"),
            ("overrun 1", "accel_stats() wrote beyond its buffer"),
        ):
            self.write("said", f"temperature 41.5\n{line}\n")
            out, error = program.run("probe", "eval", impatient if "hang" in line else spec, environment=environment)
            self.assertIn("accel0 power absent watts\n", out)
            self.assertIn(why, error)
        other = self.write("other.probe", example.replace('"libfake_accel.so"', '"libaccel_of_nobody.so"'))
        out, error = program.run("probe", "eval", other, environment=environment)
        self.assertEqual(out, "")
        self.assertIn("libaccel_of_nobody.so: cannot open shared object file", error)
        self.assertIn("Accel has no instance here", error)

    def example(self, name):
        return os.path.join(program.HERE, "..", "examples", "probes", name + ".probe")

    def test_amdgpu_is_read_by_its_files(self):
        card = "root/sys/class/drm/card1/device/"
        for name, text in {
            "vendor": "0x1002",
            "gpu_busy_percent": "37",
            "mem_busy_percent": "12",
            "mem_info_vram_used": "1073741824",
            "mem_info_vram_total": "68702699520",
            "product_name": "Instinct MI300X",
            "unique_id": "f00d",
            "hwmon/hwmon4/power1_input": "345000000",
            "hwmon/hwmon4/temp1_input": "40000",
            "hwmon/hwmon4/temp2_input": "95500",
            "hwmon/hwmon4/freq1_input": "2100000000",
            "ras/umc_err_count": "ue: 0\nce: 3",
        }.items():
            self.write(card + name, text + "\n")
        self.write("root/sys/class/drm/card1-DP-1/status", "connected\n")
        out, error = program.run("probe", "eval", self.example("amdgpu"), "--root", self.path("root"))
        self.assertEqual(
            out,
            'card1 model "Instinct MI300X" none\ncard1 uuid f00d none\ncard1 firmware absent none\n'
            "card1 device_utilization 0.37 ratio\ncard1 memory_bandwidth_utilization 0.12 ratio\n"
            "card1 memory_used 1073741824 bytes\ncard1 memory_total 68702699520 bytes\n"
            "card1 power 345 watts\ncard1 power_limit absent watts\ncard1 temperature 95.5 celsius\n"
            "card1 clock 2100000000 hertz\ncard1 memory_clock absent hertz\n"
            "card1 ecc_corrected 3 count\ncard1 ecc_uncorrected 0 count\n"
            "card1 health degraded none\ncard1 health_reason hot none\n",
        )
        self.assertEqual(error, "")

    def test_nvml_is_read_by_its_library(self):
        with open(self.example("nvml"), encoding="utf-8") as file:
            spec = self.write("nvml.probe", file.read().replace("libnvidia-ml.so.1", "libfake_nvml.so"))
        said = self.write("said", "count 2\npower_mw 345000\ntemperature 61\nenergy_mj 5000\nsm_clock 1980\n")
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": os.path.dirname(os.path.abspath(program.BINARY)),
            "FAKE_NVML": said,
        }
        out, error = program.run("probe", "eval", spec, environment=environment)
        self.assertIn('nvidia1 model "NVIDIA Fake" none\n', out)
        self.assertIn("nvidia0 power 345 watts\n", out)
        self.assertIn("returned NOT_SUPPORTED (3)", error)

    def test_the_page_names_what_there_is(self):
        with open(os.path.join(program.HERE, "..", "docs", "probes.md"), encoding="utf-8") as file:
            page = file.read()
        out, _ = program.run("probe", "coverage", self.write("chip.probe", CHIP))
        for metric in re.findall(r"^  (?:yes|no) +(\S+)", out, re.MULTILINE):
            self.assertIn(metric, page)
        unknown = self.write("unit.probe", CHIP.replace("unit=count", "unit=zzzzzzzzzzzz"))
        out, _ = program.run("probe", "check", unknown, expect=1)
        for unit in re.search(r"there are (.*)", out)[1].split(", "):
            self.assertIn(unit, page)

    def test_explanations(self):
        self.chip("accel0", 41500)
        spec = self.write("chip.probe", CHIP)
        out, _ = program.run("probe", "explain", spec, "--schedule")
        self.assertIn("  every 10 ms\n    raw: hwmon/hwmon*/temp1_input -> temperature, health\n", out)
        self.assertIn("  once\n    serial: device/serial -> serial\n", out)
        out, _ = program.run("probe", "explain", spec, "temperature", "--root", self.path("root"))
        self.assertIn("raw / 1000 = 41.5  [f64]\n", out)
        self.assertRegex(out, r"= 41500  \[i64\]  hwmon/hwmon\*/temp1_input, every 10 ms, \d+\.\d+ s old, \d+\.\d us")
        # A change takes two readings.
        out, _ = program.run("probe", "explain", spec, "vendor_events", "--root", self.path("root"))
        self.assertIn("vendor_events (count)\n", out)
        self.assertIn("gauge(delta(events, wrap=32), unit=count) = 0  [u64 count]\n", out)
        # What has no value says why.
        missing = self.write(
            "missing.probe",
            CHIP + '    drv = library("libchip_of_nobody.so")\n    handle = drv.call("open", out(ptr), cache=forever)\n'
            '    power = gauge(drv.call("power", handle, out(u32)), unit=watts)\n',
        )
        out, _ = program.run("probe", "explain", missing, "power", "--root", self.path("root"))
        self.assertRegex(
            out,
            r"power\(\) of libchip_of_nobody.so, every 10 s.*; not called, for handle is absent; libchip_of_nobody.so: cannot open",
        )
        out, _ = program.run(
            "probe", "explain", self.example("nvml"), "power", environment={**os.environ, "LD_LIBRARY_PATH": "/nowhere"}
        )
        self.assertIn("Nvidia has no instance here: libnvidia-ml.so.1: cannot open", out)
        _, error = program.run("probe", "explain", spec, "temperatur", "--root", self.path("root"), expect=1)
        self.assertIn("did you mean temperature?", error)
        out, _ = program.run("probe", "coverage", spec)
        self.assertIn("Chip gives 3 of 25 standard metrics (12.0%)\n", out)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
