"""No two headers define types of one name in one namespace: in one program their inline members would be merged, and one of them run with the other's memory."""

import collections
import glob
import os
import re
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def types_of(text):
    """(namespace, name) of what a header defines at the level of a namespace: the one that was opened last."""
    namespace = ""
    for one in re.finditer(
        r"^namespace ([\w:]+) \{|^(?:struct|class) (\w+)(?: final)?(?: : [^{;]+)? \{", text, re.MULTILINE
    ):
        if one.group(1):
            namespace = one.group(1)
        else:
            yield (namespace, one.group(2))


class TypeNames(unittest.TestCase):
    def test_each_name_is_of_one_type(self):
        places = collections.defaultdict(list)
        for path in glob.glob(os.path.join(HERE, "..", "src", "**", "*.h"), recursive=True):
            if not path.endswith("_for_test.h"):
                with open(path, encoding="utf-8") as file:
                    for one in types_of(file.read()):
                        places[one].append(os.path.relpath(path, HERE))
        self.assertGreater(len(places), 500)
        self.assertEqual({name: where for name, where in places.items() if len(where) > 1}, {})

    def test_what_a_header_defines_is_seen(self):
        text = (
            "namespace a::b {\n\nclass C;\nstruct D {\n  struct Inner {\n  };\n};\nclass E final : public D {\n};\n}\n"
        )
        self.assertEqual(list(types_of(text)), [("a::b", "D"), ("a::b", "E")])
        self.assertEqual(list(types_of("namespace c {\nclass F;\n}\n" + text)), [("a::b", "D"), ("a::b", "E")])


if __name__ == "__main__":
    unittest.main(argv=["type_names_test"])
