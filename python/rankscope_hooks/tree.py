"""Whether a process ran code of a folder: the copy of a program's source that it is meant to run."""

import atexit
import os
import sys


class Tree:
    """Leaves an empty file `ran-PID.tree` in `out` when the process ends, or `tell` is called, if a module of it lies in `folder`."""

    def __init__(self, folder, out):
        self._folder = os.path.join(os.path.realpath(folder), "")
        self._out = out
        self._begun_in = os.getcwd()  # programs may go elsewhere
        atexit.register(self.tell)

    def tell(self):
        for module in list(sys.modules.values()):
            # A script has lost its __file__ when Python ends.
            path = getattr(module, "__file__", None) or getattr(getattr(module, "__loader__", None), "path", None)
            if isinstance(path, str) and self._holds(path):
                os.makedirs(self._out, exist_ok=True)
                with open(os.path.join(self._out, "ran-%d.tree" % os.getpid()), "w", encoding="utf-8"):
                    return

    def _holds(self, path):
        return os.path.realpath(os.path.join(self._begun_in, path)).startswith(self._folder)
