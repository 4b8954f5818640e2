"""Which recorder this PyTorch has."""

import torch


def recorder(settings):
    """torch.profiler's where it has Kineto; else (Debian's PyTorch 1.13) one of our own, which knows the host alone."""
    if torch.profiler.kineto_available():
        from .kineto import KinetoRecorder

        return KinetoRecorder(settings)
    from .host_recorder import HostRecorder

    return HostRecorder(settings)
