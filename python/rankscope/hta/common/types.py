"""Enumerations."""

from __future__ import annotations

from enum import Enum


class KernelType(Enum):
    """What device work is for."""

    COMMUNICATION = 0
    MEMORY = 1
    COMPUTATION = 2
    OTHER = 3


class IdleTimeType(Enum):
    """What an idle stream waits for."""

    HOST_WAIT = 0
    KERNEL_WAIT = 1
    OTHER = 2


class DeviceType(Enum):
    """Which events are looked at."""

    CPU = 1
    GPU = 2
    ALL = 3
