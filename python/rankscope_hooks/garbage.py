"""Python's garbage collector as ranges of a recording: PyTorch's profiler does not show it."""

import gc

import torch


class Marks:
    """While it lasts, collections of the second and third generation are ranges named "Garbage collection"; younger ones take microseconds."""

    def __init__(self):
        self._open = None
        gc.callbacks.append(self._collecting)

    def end(self):
        gc.callbacks.remove(self._collecting)

    def _collecting(self, phase, about):
        if about["generation"] == 0:
            return
        if phase == "start":
            self._open = torch.autograd.profiler.record_function("Garbage collection")
            self._open.__enter__()
        elif self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None
