"""Records steps with torch.profiler: ops with shapes, Python frames, memory, kernels: what a user gets who asks for all of it."""

import os

import torch

from . import garbage
from .steps import rank_and_size


class KinetoRecorder:
    """The file is trace-RANK-PID.pt.trace.json.gz in the folder of the settings."""

    def __init__(self, settings):
        self._settings = settings
        self._path = None
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self._profiler = torch.profiler.profile(
            activities=activities,
            schedule=torch.profiler.schedule(
                wait=max(0, settings.warmup - 2), warmup=1, active=max(1, settings.steps), repeat=1
            ),
            on_trace_ready=self._save,
            record_shapes=True,
            profile_memory=True,
            with_stack=True,
        )
        self._marks = garbage.Marks()
        self._profiler.start()

    def step_ended(self, _count):
        self._profiler.step()

    def finish(self):
        """Writes what was recorded; its file's name, or None where nothing was."""
        self._marks.end()
        self._profiler.stop()
        return os.path.basename(self._path) if self._path else None

    def _save(self, profiler):
        rank, _ = rank_and_size()
        os.makedirs(self._settings.out, exist_ok=True)
        self._path = os.path.join(self._settings.out, "trace-%d-%d.pt.trace.json.gz" % (rank, os.getpid()))
        profiler.export_chrome_trace(self._path)
