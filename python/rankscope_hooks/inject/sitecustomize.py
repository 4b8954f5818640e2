"""Starts rankscope's hooks in a Python program that knows nothing of them: the folder of this file stands first in PYTHONPATH.

Python imports `sitecustomize` before anything of the program. The one that would have been imported without this file is imported, too.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[os.path.dirname(path)])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _users_own():
    others = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


try:
    _load("rankscope_hooks", os.path.join(os.path.dirname(_HERE), "__init__.py")).start_from_environment()
except Exception as error:  # the program runs as it would without hooks
    sys.stderr.write("rankscope: this process is neither timed nor recorded: %s\n" % error)
_users_own()
