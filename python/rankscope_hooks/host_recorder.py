"""Records the host for a PyTorch without Kineto: ops of all threads with shapes (its legacy profiler knows them), Python frames, steps, and
gloo's collectives (which are ops there). Written as Kineto's JSON. Devices are not recorded.

Frames come from `sys.setprofile`, as Kineto's do: a call costs about 1 us more. Times of both are the host's monotonic clock.
"""

import gzip
import json
import os
import time

import torch

from . import frames, garbage, legacy_ops
from .steps import rank_and_size


class HostRecorder:
    """The file is trace-RANK-PID.pt.trace.json.gz in the folder of the settings."""

    def __init__(self, settings):
        self._settings = settings
        self._first = max(1, settings.warmup)
        self._ops = None
        self._frames = None
        self._marks = None
        self._step = None
        self._name = None

    def step_ended(self, count):
        if count == self._first:
            self._start()
        if self._ops is None:
            return
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None
        if count < self._first + max(1, self._settings.steps):
            self._step = torch.autograd.profiler.record_function("ProfilerStep#%d" % count)
            self._ops.anchor(self._step.__enter__)
        else:
            self._stop()

    def finish(self):
        """Writes what was recorded; its file's name, or None where nothing was."""
        if self._ops is not None:
            if self._step is not None:
                self._step.__exit__(None, None, None)
            self._stop()
        return self._name

    def _start(self):
        self._ops = legacy_ops.Recording()
        self._marks = garbage.Marks()
        self._frames = frames.Recording()

    def _stop(self):
        # What is recorded ends first: what is made of it keeps the collector busy.
        self._marks.end()
        self._frames.stop()
        ops = self._ops.end()
        calls = self._frames.calls()
        self._ops = None
        rank, world_size = rank_and_size()
        pid = os.getpid()
        # Seen from the base, since microseconds since 1970 have no room for fractions.
        base_ns = time.perf_counter_ns()
        events = []
        for kind, thread, start_ns, end_ns, name, arguments in ops + calls:
            events.append(
                {
                    "ph": "X",
                    "cat": kind,
                    "name": name,
                    "pid": pid,
                    "tid": thread,
                    "ts": (start_ns - base_ns) / 1e3,
                    "dur": (end_ns - start_ns) / 1e3,
                    "args": arguments,
                }
            )
        events.sort(key=lambda event: event["ts"])
        document = {
            "schemaVersion": 1,
            "record_shapes": 1,
            "with_stack": 1,
            "baseTimeNanoseconds": time.time_ns() - time.perf_counter_ns() + base_ns,
            "rankscope_recorder": "host, without Kineto",
            "distributedInfo": {"rank": rank, "world_size": world_size, "backend": _backend()},
            "traceEvents": [_process_name(pid, rank)] + events + legacy_ops.arrows(ops, pid, base_ns),
        }
        os.makedirs(self._settings.out, exist_ok=True)
        self._name = "trace-%d-%d.pt.trace.json.gz" % (rank, pid)
        path = os.path.join(self._settings.out, self._name)
        with gzip.open(path + ".tmp", "wt", encoding="utf-8", compresslevel=3) as file:
            json.dump(document, file)
        os.rename(path + ".tmp", path)


def _backend():
    distributed = torch.distributed
    return distributed.get_backend() if distributed.is_available() and distributed.is_initialized() else ""


def _process_name(pid, rank):
    return {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": "python rank %d" % rank}}
