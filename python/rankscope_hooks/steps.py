"""When the steps of a process ended, by its host's clock and, where it trains on a GPU, by the GPU's.

    steps-RANK-PID.times   (JSON)
        {"rank", "world_size", "pid", "device", "clock": "device" or "host", "warmup", "ends_ns": [...], "recording"}

`ends_ns` are integer nanoseconds since the end of the first step that is counted; step i took ends_ns[i + 1] - ends_ns[i]. The device's
clock is that of events recorded on the current stream when `step()` returned: hosts run ahead of devices, so a host's clock tells how fast
work is queued. Recording an event takes 2 us of the host.
"""

import json
import os
import time

import torch

# Of more steps than these only the ends of the last ones are kept.
_MOST = 100_000


class Steps:
    def __init__(self, device):
        self._device = device
        self._host = []
        self._events = [] if device.type == "cuda" else None
        self.count = 0

    def ended(self):
        self.count += 1
        self._host.append(time.perf_counter_ns())
        if self._events is not None:
            event = torch.cuda.Event(enable_timing=True)
            event.record(torch.cuda.current_stream(self._device))
            self._events.append(event)
        if len(self._host) > _MOST:
            del self._host[0]
            if self._events is not None:
                del self._events[0]

    def write(self, settings, recording):
        """Writes the file described above; `recording` is a file's name or None."""
        rank, world_size = rank_and_size()
        skipped = min(settings.warmup, max(0, len(self._host) - 2))
        name = "steps-%d-%d.times" % (rank, os.getpid())
        record = {
            "rank": rank,
            "world_size": world_size,
            "pid": os.getpid(),
            "device": self._device_name(),
            "clock": "host" if self._events is None else "device",
            "warmup": skipped,
            "ends_ns": self._ends(skipped),
            "recording": recording,
        }
        os.makedirs(settings.out, exist_ok=True)
        path = os.path.join(settings.out, name)
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            json.dump(record, file)
        os.rename(path + ".tmp", path)

    def _ends(self, skipped):
        if self._events is None:
            return [end - self._host[skipped] for end in self._host[skipped:]]
        first = self._events[skipped]
        self._events[-1].synchronize()
        return [round(first.elapsed_time(event) * 1e6) for event in self._events[skipped:]]

    def _device_name(self):
        return torch.cuda.get_device_name(self._device) if self._device.type == "cuda" else self._device.type


def rank_and_size():
    """This process's rank and how many there are, as torch.distributed or torchrun's environment says."""
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
