#!/usr/bin/env python3
"""check_symbols.py LIMIT FOLDER: fails unless every program and library in FOLDER runs with glibc LIMIT and with what is in FOLDER.

Read are the dynamic symbols of each file. One that asks for a later version of glibc, and one that no file of FOLDER defines in the
version asked for, is printed with its file. Prints the version of glibc that is needed."""

import os
import re
import subprocess
import sys

GLIBC = re.compile(r"GLIBC_(\d+(?:\.\d+)+)$")
# Sonames of glibc: the only libraries that may come from the system.
OF_SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libresolv|ld-linux-x86-64)\.so\.\d$")


def elf_files(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def symbols_of(path):
    """(kind, name, version) of each dynamic symbol; kinds as nm has them."""
    for line in lines_of("nm", "-D", "--with-symbol-versions", path):
        *_, kind, symbol = line.split()
        name, _, version = symbol.replace("@@", "@").partition("@")
        yield kind, name, version


def number(version):
    return tuple(int(part) for part in version.split("."))


def check(limit, folder):
    problems, needed = [], "2.0"
    wanted, defined = [], set()
    files = list(elf_files(folder))
    names = {os.path.basename(path) for path in files}
    for path in files:
        short = os.path.relpath(path, folder)
        for kind, name, version in symbols_of(path):
            if kind not in "Uwv":
                defined |= {(name, version), (name, None)}
                continue
            if not version.startswith("GLIBC_"):
                if kind == "U":
                    wanted.append((short, name, version))
                continue
            glibc = GLIBC.match(version)
            if not glibc or number(glibc[1]) > number(limit):
                problems.append(f"{short}: {name} needs {version}, and glibc {limit} is to do")
            elif number(glibc[1]) > number(needed):
                needed = glibc[1]
        for line in lines_of("objdump", "-p", path):
            if "NEEDED" in line and (library := line.split()[1]) not in names and not OF_SYSTEM.match(library):
                problems.append(f"{short}: needs {library}, which is not in the package")
    for short, name, version in wanted:
        if (name, version or None) not in defined:
            problems.append(f"{short}: {name}{version and '@' + version} is in no file of the package")
    return problems if files else [f"{folder}: no program or library"], needed


def main():
    problems, needed = check(sys.argv[1], sys.argv[2])
    for problem in problems:
        print(f"check_symbols: {problem}", file=sys.stderr)
    if not problems:
        print(needed)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
