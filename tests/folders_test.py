"""Folders below one module (src/analysis/steps, src/agent/sinks, ...) include each other in one direction: CMake's list of modules does not see them."""

import collections
import glob
import os
import re
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "src")
# Folders whose top both lists those below and has what these share: a circle by intent. Elsewhere what is shared has a folder of its own
# (formats/base).
SHARED_TOPS = {"agent", "cpu_profile", "formats/kineto", "insight", "op_cost", "sim"}


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
                if other and folder != other and not is_shared_top(folder, other) and not is_shared_top(other, folder):
                    edges.setdefault((folder, other), f"{name} includes {include}")
    return edges


def is_shared_top(top, folder):
    return top in SHARED_TOPS and folder.startswith(top + "/")


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


class Folders(unittest.TestCase):
    def test_no_folders_include_each_other(self):
        edges = includes_of(SOURCES)
        self.assertGreater(len(edges), 200)
        self.assertEqual(circles(edges), [])

    def test_a_circle_is_seen(self):
        edges = {("a", "b"): "a/1.h includes b/1.h", ("b", "c"): "b/2.h includes c/1.h", ("c", "a"): "c/2.h includes a/2.h", ("c", "d"): "c/3.h includes d/1.h"}
        self.assertEqual(len(circles(edges)), 3)
        del edges["c", "a"]
        self.assertEqual(circles(edges), [])

    def test_tops_that_need_no_exception_have_none(self):
        for top in sorted(SHARED_TOPS):
            with self.subTest(top):
                SHARED_TOPS.remove(top)
                try:
                    self.assertNotEqual(circles(includes_of(SOURCES)), [])
                finally:
                    SHARED_TOPS.add(top)


if __name__ == "__main__":
    unittest.main(argv=["folders_test"])
