"""What a power cut takes from a program that wrote: bytes that were not synced, names whose folders were not (lost_writes.cc).

The worst of what a file system may do: all of it is lost. Names that were created and never synced are left out of that (the files
lose their bytes)."""

import os
import subprocess

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lost_writes.cc")


class LostWrites:
    """Of a program that runs with environment() and writes below `folder`; `scratch` is on the same file system."""

    def __init__(self, folder, scratch):
        self.library = os.path.join(scratch, "liblost_writes.so")
        subprocess.run(
            [
                os.environ.get("CXX", "c++"),
                "-std=c++20",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-shared",
                "-fPIC",
                SOURCE,
                "-o",
                self.library,
            ],
            check=True,
        )
        self.folder = os.path.realpath(folder)
        self.kept = os.path.join(scratch, "kept")
        self.log = os.path.join(scratch, "writes.log")
        os.makedirs(self.kept, exist_ok=True)
        self.bytes = 0
        self.names = 0

    def environment(self):
        return {
            **os.environ,
            "LD_PRELOAD": self.library,
            "LOST_WRITES_LOG": self.log,
            "LOST_WRITES_FOLDER": self.folder,
            "LOST_WRITES_KEPT": self.kept,
        }

    def drop(self, *spared):
        """While the program is dead: what would not have survived is gone. Folders that hold nothing to be kept are spared."""
        synced, pending = {}, []
        with open(self.log, encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
        for line in lines:
            kind, *words = line.split(" ")
            if kind == "C":
                synced[int(words[0])] = 0
            elif kind == "S":
                synced[int(words[0])] = int(words[1])
            elif kind == "D":
                pending = [one for one in pending if os.path.dirname(one[1][-2]) != words[0]]
            else:
                pending.append((kind, words))
        for kind, words in reversed(pending):
            self.undo(kind, words, spared)
        for path in self.files(spared):
            status = os.stat(path)
            size = synced.get(status.st_ino)
            if size is not None and size < status.st_size:
                self.bytes += status.st_size - size
                os.truncate(path, size)
        # What is left is on the disk now.
        with open(self.log, "w", encoding="utf-8") as file:
            for path in self.files(spared):
                status = os.stat(path)
                file.write(f"S {status.st_ino} {status.st_size}\n")

    def undo(self, kind, words, spared):
        path, number = words[-2], words[-1]
        if self.is_spared(path, spared):
            return
        if kind == "R" and os.path.exists(path) and not os.path.exists(words[0]):
            os.rename(path, words[0])
            self.names += 1
        if number != "-" and not os.path.exists(path):
            os.link(os.path.join(self.kept, number), path)
            self.names += 1

    def is_spared(self, path, spared):
        return any(path.startswith(os.path.join(self.folder, one) + "/") for one in spared)

    def files(self, spared):
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path) and not self.is_spared(path, spared):
                    yield path
