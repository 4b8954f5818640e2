"""What happens in a process that trains: each step is timed, some are recorded, and what was seen is written down.

A step ends when the *lead* optimizer's `step()` returns: the first optimizer of the process that steps. Programs with several (one a
parameter, a generator's and a discriminator's) have one lead, and so as many steps as rounds of the loop.
"""

import atexit
import os
import sys
import threading

import torch

from .steps import Steps


def watch(optimizer, settings):
    """Follows the optimizers of this process. Called once, with torch.optim.Optimizer; the rest of torch may not be there yet."""
    watcher = _Watcher(settings)
    original = optimizer.__init__

    def __init__(self, *arguments, **named):
        original(self, *arguments, **named)
        _follow(type(self), watcher)

    optimizer.__init__ = __init__
    atexit.register(watcher.finish)


def _follow(kind, watcher):
    """Wraps the method `step` of a class of optimizers, once a class."""
    original = kind.__dict__.get("step", kind.step)
    if getattr(original, "_rankscope", False):
        return

    def step(self, *arguments, **named):
        result = original(self, *arguments, **named)
        watcher.stepped(self)
        return result

    for name in ("__doc__", "__wrapped__", "hooked", "_with_counter"):
        if hasattr(original, name):
            setattr(step, name, getattr(original, name))
    step._rankscope = True
    kind.step = step


class _Watcher:
    def __init__(self, settings):
        self._settings = settings
        self._lead = None
        self._process = 0
        self._steps = None
        self._recorder = None
        self._finished = False
        self._lock = threading.RLock()

    def stepped(self, optimizer):
        if self._lead is None:
            self._lead = optimizer
            self._process = os.getpid()
            self._steps = Steps(_device_of(optimizer))
            if self._settings.record:
                from .recorder import recorder

                self._recorder = recorder(self._settings)
        if optimizer is not self._lead or self._finished or self._process != os.getpid():
            return
        self._steps.ended()
        if self._recorder is not None:
            self._recorder.step_ended(self._steps.count)
        wanted = self._settings.warmup + self._settings.steps
        if self._settings.steps and self._steps.count > wanted:
            self.finish()
            if self._settings.stop:
                if self._settings.tree is not None:
                    self._settings.tree.tell()
                _end_process()

    def finish(self):
        with self._lock:
            if self._finished or self._lead is None or self._process != os.getpid():
                return
            self._finished = True
        recording = self._recorder.finish() if self._recorder is not None else None
        self._steps.write(self._settings, recording)


def _device_of(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            return parameter.device
    return torch.device("cpu")


def _end_process():
    """All ranks have done the same steps and end here, without waiting for what the program would do yet."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
