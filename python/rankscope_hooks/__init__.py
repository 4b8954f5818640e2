"""Times and records the training steps of a program from outside: `rankscope rerun` and the lab start their programs with it.

Nothing here imports torch, NumPy or the package `rankscope`; a process that never imports torch only pays for a hook on imports. Python 3.8
and later. What is set is read from the environment, so that torchrun's and multiprocessing's processes have it, too:

    RANKSCOPE_HOOKS_OUT      folder to write to, one or two files a process that trains
    RANKSCOPE_HOOKS_RECORD   "1": record RANKSCOPE_HOOKS_STEPS steps, too
    RANKSCOPE_HOOKS_WARMUP   steps before the first that is timed or recorded
    RANKSCOPE_HOOKS_STEPS    how many to time at most ("0": all), or to record
    RANKSCOPE_HOOKS_STOP     "1": end the process behind the last of them, with exit code 0
    RANKSCOPE_HOOKS_TREE     a folder: processes that run code of it say so (`tree.py`)

What it writes is in `steps.py` (times) and `kineto.py`, `host_recorder.py` (recordings).
"""

import os

from . import after_import
from .settings import Settings
from .tree import Tree


def start_from_environment():
    """Starts the hooks where RANKSCOPE_HOOKS_OUT is set; else does nothing."""
    if os.environ.get("RANKSCOPE_HOOKS_OUT"):
        settings = Settings.of(os.environ)
        if os.environ.get("RANKSCOPE_HOOKS_TREE"):
            settings.tree = Tree(os.environ["RANKSCOPE_HOOKS_TREE"], settings.out)
        start(settings)


def start(settings):
    """Times, and if asked records, what this process trains from now on. Whether torch is imported yet does not matter."""

    def watch(module):
        from . import watch

        watch.watch(module.Optimizer, settings)

    after_import.call("torch.optim.optimizer", watch)
