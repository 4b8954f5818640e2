"""What CMake's list of modules does not see: folders below one module (src/analysis/steps, src/agent/sinks, ...) include each other in one direction; a rule has
its test beside it; what is declared once is not spelled by hand elsewhere; the list allows no folder that nobody includes, and docs/architecture.md shows it."""

import collections
import glob
import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "src")


def includes_of(sources):
    """(folder, other folder) -> an include that makes the one see the other. Tests may see any."""
    edges = {}
    for path in glob.glob(os.path.join(sources, "**", "*.[hc]*"), recursive=True):
        name = os.path.relpath(path, sources)
        if not path.endswith((".h", ".cc")) or "_test." in name or name.endswith("_for_test.h"):
            continue
        with open(path, encoding="utf-8") as file:
            for include in re.findall(r'^#include "([^"]+)"', file.read(), re.MULTILINE):
                folder, other = os.path.dirname(name), os.path.dirname(include)
                if other and folder != other:
                    edges.setdefault((folder, other), f"{name} includes {include}")
    return edges


def circles(edges):
    """Includes that lie on a circle."""
    seen_by = collections.defaultdict(set)
    for folder, other in edges:
        seen_by[folder].add(other)

    def reached_from(folder):
        reached, waiting = set(), [folder]
        while waiting:
            new = seen_by[waiting.pop()] - reached
            reached |= new
            waiting += new
        return reached

    reached = {folder: reached_from(folder) for folder in list(seen_by)}
    return sorted(text for (folder, other), text in edges.items() if folder in reached.get(other, ()))


def rules_without_test(folder):
    """Files of a folder that define a rule and have no test beside them that tests anything."""
    without = []
    for path in sorted(glob.glob(os.path.join(folder, "*.cc"))):
        if path.endswith("_test.cc"):
            continue
        with open(path, encoding="utf-8") as file:
            if not re.search(r"^const Rule& \w+Rule\(\) \{", file.read(), re.MULTILINE):
                continue
        test = path[: -len(".cc")] + "_test.cc"
        if not os.path.exists(test):
            without.append(os.path.basename(path))
            continue
        with open(test, encoding="utf-8") as file:
            if not re.search(r"^TEST\(", file.read(), re.MULTILINE):
                without.append(os.path.basename(path))
    return without


def users_of_simdjson(sources):
    """Files outside src/json that include simdjson, and those that use its DOM."""
    including, using_dom = [], []
    for path in sorted(glob.glob(os.path.join(sources, "**", "*.[hc]*"), recursive=True)):
        name = os.path.relpath(path, sources)
        if not name.endswith((".h", ".cc")) or name.startswith("json/"):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "#include <simdjson.h>" in text:
            including.append(name)
        if re.search(r"\bdom::|simdjson::(to_string|minify|padded_string)", text):
            using_dom.append(name)
    return including, using_dom


def quantities_by_hand(sources):
    """Where a quantity of src/quantity, or a metric of an agent, is spelled as a text instead of named by its constant."""
    names = set()
    for path in glob.glob(os.path.join(sources, "quantity", "*.h")):
        with open(path, encoding="utf-8") as file:
            names |= set(re.findall(r'constexpr Quantity \w+ = \{\s*"((?:device|host|process)_\w+)"', file.read()))
    found = []
    for path in sorted(glob.glob(os.path.join(sources, "**", "*.[hc]*"), recursive=True)):
        name = os.path.relpath(path, sources)
        if (
            not name.endswith((".h", ".cc"))
            or name.endswith(("_test.cc", "_for_test.h"))
            or name.startswith("quantity/")
        ):
            continue
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"//.*$", "", file.read(), flags=re.MULTILINE)
        spelled = {one for one in re.findall(r'"(\w+)"', text) if one in names or one.startswith("device_slowed")}
        if name.startswith("agent/"):
            spelled |= set(re.findall(r'"(rankscope_(?!agent_"|capture")\w+)"', text))
        found += [f"{name}: {one}" for one in sorted(spelled)]
    return names, found


def modules_of(text):
    """Module -> {"SEES": [...], "LIBS": [...], "TEST_SEES": [...]} of a list of rankscope_module()."""
    modules = {}
    text = re.sub(r"#.*", "", text)
    for words in re.findall(r"rankscope_module\(([^()]*)\)", text):
        name, *rest = words.split()
        modules[name] = {"SEES": [], "LIBS": [], "TEST_SEES": []}
        kind = None
        for word in rest:
            if word in modules[name]:
                kind = word
            elif kind:
                modules[name][kind].append(word)
    return modules


def programs_of(text):
    """Source of a program below src -> what rankscope_see() gives the program."""
    sources = dict(re.findall(r"add_executable\((\S+) (\w+/\w+\.cc)\)", text))
    sees = dict(re.findall(r"rankscope_see\((\S+) ([^()]*)\)", text))
    return {source: sees[program].split() for program, source in sources.items()}


class Includes:
    """Which modules the headers of some files come from, those included by headers too: a target needs an include root for each."""

    def __init__(self, sources):
        self.sources = sources
        self.known = {}

    def of(self, name):
        if name not in self.known:
            with open(os.path.join(self.sources, name), encoding="utf-8") as file:
                found = re.findall(r'^\s*#\s*include "([^"]+)"', file.read(), re.MULTILINE)
            self.known[name] = [one for one in found if os.path.exists(os.path.join(self.sources, one))]
        return self.known[name]

    def modules(self, names):
        reached, waiting = set(names), list(names)
        while waiting:
            new = set(self.of(waiting.pop())) - reached
            reached |= new
            waiting += new
        return {name.split("/")[0] for name in reached}


def unused(sources, text):
    """Entries of the list that no include needs: "MODULE: ENTRY"."""
    includes, found = Includes(sources), []
    for module, lists in modules_of(text).items():
        files = [
            os.path.relpath(path, sources)
            for path in glob.glob(os.path.join(sources, module, "**", "*.[hc]*"), recursive=True)
            if path.endswith((".h", ".cc")) and not path.endswith("main.cc")
        ]
        needed = includes.modules([name for name in files if not re.search(r"_(test\.cc|for_test\.h)$", name)])
        found += [f"{module}: {one}" for one in lists["SEES"] if one not in needed]
        needed = includes.modules(files)
        found += [f"{module}: {one} (TEST_SEES)" for one in lists["TEST_SEES"] if one not in needed]
    for source, sees in programs_of(text).items():
        found += [f"{source}: {one}" for one in sees if one not in includes.modules([source])]
    return found


def table_differs(table, modules):
    """Rows of docs/architecture.md that do not say what the list says; rows that say it in words may."""
    rows = dict(re.findall(r"^\| (\w+) \| .* \| ?([^|]*?) ?\|$", table, re.MULTILINE))
    differs = [f"{name}: no row" for name in modules if name not in rows]
    for name, cell in rows.items():
        said, sees = cell.split(), modules.get(name, {"SEES": []})["SEES"]
        in_words = any(one not in modules for one in said)
        if name not in modules:
            differs.append(f"{name}: no folder")
        elif not in_words and set(said) != set(sees):
            differs.append(f"{name}: the list says '{' '.join(sees)}'")
    return differs


# What lies at the top of the repository. Anything else was left behind by accident, or belongs into a folder.
ROOT = {
    ".ci",
    ".clang-format",
    ".clang-tidy",
    ".gitignore",
    ".prettierrc.json",
    "bench",
    "cmake",
    "dev",
    "docs",
    "examples",
    "lab",
}
ROOT |= {
    "fuzz",
    "packaging",
    "python",
    "recorder",
    "src",
    "tests",
    "web",
    "CHANGELOG.md",
    "CMakeLists.txt",
    "CMakePresets.json",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "pyproject.toml",
}


class Folders(unittest.TestCase):
    def test_nothing_is_left_at_the_top(self):
        top = os.path.join(HERE, "..")
        if not os.path.exists(os.path.join(top, ".git")):
            self.skipTest("no git repository")
        command = ["git", "-c", "safe.directory=*", "-C", top, "ls-files"]
        files = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
        self.assertLessEqual({file.split("/")[0] for file in files if file}, ROOT)

    def test_no_folders_include_each_other(self):
        edges = includes_of(SOURCES)
        self.assertGreater(len(edges), 200)
        self.assertEqual(circles(edges), [])

    def test_the_list_allows_what_is_included(self):
        with open(os.path.join(SOURCES, "CMakeLists.txt"), encoding="utf-8") as file:
            text = file.read()
        self.assertGreater(len(modules_of(text)), 60)
        self.assertGreater(len(programs_of(text)), 2)
        self.assertEqual(unused(SOURCES, text), [], "src/CMakeLists.txt lists what no include needs")

    def test_the_table_of_folders_is_the_list(self):
        with open(os.path.join(SOURCES, "CMakeLists.txt"), encoding="utf-8") as file:
            modules = modules_of(file.read())
        with open(os.path.join(HERE, "..", "docs", "architecture.md"), encoding="utf-8") as file:
            table = re.search(r"^\| folder \|.*?\n\n", file.read(), re.MULTILINE | re.DOTALL).group(0)
        table = table.split("\n", 2)[2]
        self.assertEqual(table_differs(table, modules), [], "docs/architecture.md")

    def test_the_whole_test_runs_every_label(self):
        with open(os.path.join(HERE, "CMakeLists.txt"), encoding="utf-8") as file:
            labels = set(re.findall(r"rankscope_(?:python_tests|program_test)\((\w+)[\s)]", file.read()))
        with open(os.path.join(HERE, "..", "dev"), encoding="utf-8") as file:
            run = set(re.search(r"^service_labels='([\w|]+)'$", file.read(), re.MULTILINE).group(1).split("|"))
        self.assertGreater(len(run), 10)
        self.assertEqual(labels - {"label", "program"}, run)

    def test_an_unused_entry_is_seen(self):
        text = """
rankscope_module(a LIBS x)
rankscope_module(b COLD SEES a LIBS x)
rankscope_module(c)
rankscope_module(d SEES a b c LIBS x TEST_SEES e)  # b's header includes a's
rankscope_module(e)
add_executable(main d/main.cc)
rankscope_see(main d a b)
"""
        with tempfile.TemporaryDirectory() as folder:
            for name, source in {
                "a/a.h": "",
                "b/b.h": '#include "a/a.h"\n',
                "c/c.h": "",
                "d/d.cc": '#include "b/b.h"\n',
                "d/d_test.cc": '#include "c/c.h"\n',
                "d/main.cc": '#include "a/a.h"\n',
                "e/e.h": "",
            }.items():
                os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(source)
            expected = ["d: c", "d: e (TEST_SEES)", "d/main.cc: b"]
            self.assertEqual(unused(folder, text), expected)

    def test_a_row_that_differs_is_seen(self):
        modules = modules_of("rankscope_module(a)\nrankscope_module(b SEES a)\nrankscope_module(c SEES a b)")
        table = "| a | base | |\n| b | text | a |\n| c | all | everything above |\n"
        self.assertEqual(table_differs(table, modules), [])
        table = "| a | base | b |\n| b | text | a |\n| d | what was | |\n"
        self.assertEqual(table_differs(table, modules), ["c: no row", "a: the list says ''", "d: no folder"])

    def test_a_circle_is_seen(self):
        edges = {
            ("a", "b"): "a/1.h includes b/1.h",
            ("b", "c"): "b/2.h includes c/1.h",
            ("c", "a"): "c/2.h includes a/2.h",
            ("c", "d"): "c/3.h includes d/1.h",
        }
        self.assertEqual(len(circles(edges)), 3)
        del edges["c", "a"]
        self.assertEqual(circles(edges), [])

    def test_json_is_read_by_json_alone(self):
        including, using_dom = users_of_simdjson(SOURCES)
        self.assertEqual(using_dom, [])
        # Events of traces, read with On-Demand, and whether bytes are UTF-8.
        self.assertEqual(
            including,
            ["formats/base/utf8.cc"]
            + [
                f"formats/{name}.h"
                for name in ("kineto/chunk_parser", "kineto/tokens/read_event", "perfetto/annotations")
            ],
        )

    def test_quantities_are_named_by_their_constants(self):
        names, found = quantities_by_hand(SOURCES)
        self.assertGreater(len(names), 40)
        # How busy a device was by its traces is a metric of another table.
        self.assertEqual(found, ["analysis/ranks/rank_metrics.cc: device_busy", "schemas/words.h: device_busy"])

    def test_rules_have_a_test_beside_them(self):
        self.assertEqual(rules_without_test(os.path.join(SOURCES, "insight", "rules")), [])

    def test_a_rule_without_test_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {
                "a.cc": "const Rule& ARule() {\n",
                "a_test.cc": "TEST(A, Is) {\n",
                "b.cc": "const Rule& BRule() {\n",
                "c.cc": "const Rule& CRule() {\n",
                "c_test.cc": "// nothing\n",
                "tools.cc": "int Sum() {\n",
            }.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(rules_without_test(folder), ["b.cc", "c.cc"])


if __name__ == "__main__":
    unittest.main(argv=["folders_test"])
