"""Seeds for fuzz_fix: the programs of the tests of src/fix/kinds, behind the two bytes of options.

python3 write_programs.py OUT"""

import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..", "src", "fix", "kinds", "*_test.cc")


def programs():
    """Raw literals are programs where they are no lists of changed lines."""
    for path in sorted(glob.glob(TESTS)):
        with open(path, encoding="utf-8") as file:
            for text in re.findall(r'R"\((.*?)\)"', file.read(), re.DOTALL):
                if not text.startswith(("-", "+")):
                    yield text


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    for number, text in enumerate(programs()):
        with open(os.path.join(out, f"{number:03}"), "wb") as file:
            file.write(b"\0\0" + text.encode())


if __name__ == "__main__":
    main()
