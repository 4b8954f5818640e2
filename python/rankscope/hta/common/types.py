"""Enumerations, and what device events are of."""

from __future__ import annotations

from enum import Enum
from typing import Dict

import pandas as pd

from .grouping import GroupingPattern, to_grouping_pattern

__all__ = [
    "DeviceType",
    "GroupingPattern",
    "IdleTimeType",
    "KernelType",
    "MEMCPY_TYPE_TO_STR",
    "MemcpyType",
    "infer_device_type",
    "to_grouping_pattern",
]


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
    """Which events are looked at, or where they ran."""

    UNKNOWN = 0
    CPU = 1
    GPU = 2
    ALL = 3


class MemcpyType(Enum):
    """Directions of copies."""

    DTOD = 0
    DTOH = 1
    HTOD = 2
    UNKNOWN = 3


MEMCPY_TYPE_TO_STR: Dict[MemcpyType, str] = {
    kind: f"memcpy_{kind.name.lower()}" if kind != MemcpyType.UNKNOWN else "memcpy_type_unknown" for kind in MemcpyType
}


def infer_device_type(df: pd.DataFrame) -> DeviceType:
    """Where the events of one thread or stream ran; UNKNOWN where that is not the same for all, or there is no column stream."""
    if "stream" not in df.columns:
        return DeviceType.UNKNOWN
    has_threads = {"pid", "tid"}.issubset(df.columns)
    # Kineto's events of devices with the process or thread 0.
    if df["stream"].gt(0).all() or (has_threads and (df["pid"].eq(0).all() or df["tid"].eq(0).all())):
        return DeviceType.GPU
    return DeviceType.CPU if df["stream"].eq(-1).all() else DeviceType.UNKNOWN
