#!/usr/bin/env python3
"""wheel.py BUILD VERSION LICENCES: makes BUILD/package/rankscope-VERSION-py3-none-manylinux_2_34_x86_64.whl, the Python package with its library.

The package is pure Python over librankscope by ctypes, so that one wheel serves every Python 3. What the library needs lies beside it,
but for glibc and libstdc++, which every system that the tag names has: it fails where a library asks for a later version of these.
LICENCES is the folder with the licences of all that is in it. Times are $SOURCE_DATE_EPOCH, so the same files give the same bytes."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(HERE, "..", "python", "rankscope")
TAG = "py3-none-manylinux_2_34_x86_64"
# What PEP 600's profile of that name allows.
LIMITS = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13)}
VERSION = re.compile(r"@(GLIBC|GLIBCXX|CXXABI)_(\d+(?:\.\d+)+)$")
OF_SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-x86-64)\.so\.\d+$")

METADATA = """Metadata-Version: 2.1
Name: rankscope
Version: {version}
Summary: Finds out why an AI job is slow, says what to change and how much it would gain
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas>=1.5; extra == "pandas"
Provides-Extra: plot
Requires-Dist: matplotlib; extra == "plot"
"""


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def needed(library):
    """Paths of the libraries that it needs and no system has for sure, as the loader finds them here."""
    for line in lines_of("ldd", library):
        name, _, rest = line.strip().partition(" => ")
        if rest and not OF_SYSTEM.match(name):
            yield rest.split(" ")[0]


def check_symbols(library):
    for line in lines_of("nm", "-D", "--undefined-only", "--with-symbol-versions", library):
        found = VERSION.search(line.replace("@@", "@"))
        if found and tuple(int(part) for part in found[2].split(".")) > LIMITS[found[1]]:
            sys.exit(f"wheel.py: {os.path.basename(library)} asks for more than {TAG} has: {line.split()[-1]}")


def copy_libraries(build, target):
    library = os.path.join(build, "bin", "librankscope.so.1")
    for path in [library, os.path.join(build, "bin", "libduckdb.so"), *needed(library)]:
        copied = shutil.copy(os.path.realpath(path), os.path.join(target, os.path.basename(path)))
        os.chmod(copied, 0o755)
        subprocess.run(["strip", "--strip-unneeded", copied], check=True)
        check_symbols(copied)


def copy_python(target):
    for folder, folders, names in os.walk(PYTHON):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in names:
            if name.endswith(".py") or name == "py.typed":
                to = os.path.join(target, os.path.relpath(os.path.join(folder, name), PYTHON))
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(os.path.join(folder, name), to)


def record_of(root, paths):
    """A line for each file: its path, SHA-256 and size (PEP 376, as wheels have it)."""
    for path in paths:
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        yield f"{path},sha256={digest},{len(data)}\n"


def main():
    build, version, licences = sys.argv[1:4]
    out = os.path.join(build, "package", f"rankscope-{version}-{TAG}.whl")
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]  # zip begins in 1980
    with tempfile.TemporaryDirectory() as root:
        package, about = os.path.join(root, "rankscope"), f"rankscope-{version}.dist-info"
        copy_python(package)
        copy_libraries(build, package)
        shutil.copytree(licences, os.path.join(root, about, "licenses"))
        with open(os.path.join(root, about, "METADATA"), "w", encoding="utf-8") as file:
            file.write(METADATA.format(version=version))
        with open(os.path.join(root, about, "WHEEL"), "w", encoding="utf-8") as file:
            file.write(f"Wheel-Version: 1.0\nGenerator: rankscope\nRoot-Is-Purelib: false\nTag: {TAG}\n")
        paths = sorted(
            os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names
        )
        with open(os.path.join(root, about, "RECORD"), "w", encoding="utf-8") as file:
            file.writelines(record_of(root, paths))
            file.write(f"{about}/RECORD,,\n")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
            for path in [*paths, f"{about}/RECORD"]:
                info = zipfile.ZipInfo(path, when)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = (os.stat(os.path.join(root, path)).st_mode & 0o777 | 0o100000) << 16
                with open(os.path.join(root, path), "rb") as file:
                    wheel.writestr(info, file.read(), compresslevel=9)


if __name__ == "__main__":
    main()
