"""Calls a function when a module has been imported, without importing it."""

import importlib.abc
import importlib.util
import sys


def call(name, function):
    """Calls function(module) once the module `name` is there: now, where it is."""
    if name in sys.modules:
        function(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, function))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name, function):
        self._name = name
        self._function = function

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._function)
        return spec


class _Loader(importlib.abc.Loader):
    """The module's own loader, and a call behind it."""

    def __init__(self, loader, function):
        self._loader = loader
        self._function = function

    def __getattr__(self, name):  # get_code, get_source, ...: as without this
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        module.__loader__ = module.__spec__.loader = self._loader
        try:
            self._function(module)
        except Exception as error:  # the program runs as it would without hooks
            sys.stderr.write("rankscope: %s is not watched: %s\n" % (module.__name__, error))
