"""Names of kernels, paths, and small helpers over frames."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import List, Tuple

import pandas as pd

from ..common.types import IdleTimeType, KernelType
from ..configs.config import get_value_from_dict

__all__ = [
    "IdleTimeType",
    "KernelType",
    "flatten_column_names",
    "get_kernel_type",
    "get_memory_kernel_type",
    "get_mp_pool_size",
    "get_symbol_column_names",
    "get_value_from_dict",
    "is_comm_kernel",
    "is_compute_kernel",
    "is_computer_kernel",
    "is_memory_kernel",
    "merge_kernel_intervals",
    "normalize_gpu_stream_numbers",
    "normalize_path",
    "shorten_name",
]

# As in src/hta/kernel_types.cc.
_COMMUNICATION = re.compile("nccl|hip|hccl|.*ncclKernel")
_MEMORY = re.compile("(hip)?Mem(cpy|set)|dma")
_NO_COMPUTATION = re.compile(
    "nccl|.*Memcpy|.*Memset|.*dma|.*Sync|Stream Wait Event|cuda.*LaunchKernel|runFunction|hip|job_exe|packet|pe_exe|"
    "cpum_exe_subgraph|hccl|collective_subgraph_execution"
)
_MEMORY_TYPE_SIZE = len("Memcpy DtoH")


def is_comm_kernel(name: str) -> bool:
    """Whether work of this name communicates."""
    return _COMMUNICATION.match(name) is not None


def is_memory_kernel(name: str) -> bool:
    """Whether work of this name is a copy or a memset."""
    return not is_comm_kernel(name) and _MEMORY.match(name) is not None


def is_compute_kernel(name: str) -> bool:
    """Whether work of this name computes."""
    return get_kernel_type(name) == KernelType.COMPUTATION.name


def is_computer_kernel(name: str) -> bool:
    """is_compute_kernel."""
    return is_compute_kernel(name)


def get_kernel_type(name: str) -> str:
    """COMMUNICATION, MEMORY, COMPUTATION or OTHER, by the name alone."""
    if _COMMUNICATION.match(name):
        return KernelType.COMMUNICATION.name
    if _MEMORY.match(name):
        return KernelType.MEMORY.name
    return KernelType.OTHER.name if _NO_COMPUTATION.match(name) else KernelType.COMPUTATION.name


def get_memory_kernel_type(name: str) -> str:
    """Memset, the direction of a copy such as "Memcpy DtoH", or "Memcpy Unknown"."""
    if name.startswith("Memset"):
        return "Memset"
    return name[:_MEMORY_TYPE_SIZE] if name.startswith("Memcpy") else "Memcpy Unknown"


def shorten_name(name: str) -> str:
    """A kernel's name without result, template arguments and parameters. Names of copies and memsets stay as they are."""
    if _MEMORY.match(name) or ("<" not in name and "(" not in name):
        return name
    kept: List[str] = []
    for letter in name.replace("->", ""):
        if letter not in ">)":
            kept.append(letter)
            continue
        opening = "<" if letter == ">" else "("
        while kept and kept.pop() != opening:
            pass
    return "".join(kept).split(" ")[-1]


def normalize_path(path: str) -> str:
    """A path whose begin is ./ or ~/, in full."""
    if path.startswith("./"):
        return str(Path.cwd().joinpath(path[2:]))
    if path.startswith("~/"):
        return str(Path.home().joinpath(path[2:]))
    return path


def merge_kernel_intervals(kernel_df: pd.DataFrame) -> pd.DataFrame:
    """ts and end of the stretches in which events of a frame with ts and dur run; what touches is one."""
    events = kernel_df[["ts", "dur"]].sort_values("ts", kind="stable")
    ends = events["ts"] + events["dur"]
    stretch = events["ts"].gt(ends.cummax().shift()).cumsum()
    return pd.DataFrame({"ts": events["ts"].groupby(stretch).min(), "end": ends.groupby(stretch).max()}).reset_index(
        drop=True
    )


def normalize_gpu_stream_numbers(df: pd.DataFrame) -> None:
    """Makes the column stream integers, in place; -1 of what is no number."""
    if "stream" in df.columns:
        df["stream"] = pd.to_numeric(df["stream"], errors="coerce").fillna(-1).astype("int64")


def get_mp_pool_size(obj_size: int, num_objs: int) -> int:
    """How many objects of so many bytes are worked on at once: as many as there are cores and as memory holds, at least one."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(num_objs, os.cpu_count() or 1, memory // max(obj_size, 1)))


def flatten_column_names(df: pd.DataFrame) -> None:
    """Makes ("a", "b") of columns with two levels "a_b", in place."""
    if isinstance(df.columns, pd.MultiIndex):
        df.columns = ["_".join(column).rstrip("_") for column in df.columns]


def get_symbol_column_names(df: pd.DataFrame) -> Tuple[str, str]:
    """Which columns have names and categories as texts: s_name and s_cat, or name and cat; two empty texts where none do."""
    for name, category in (("s_name", "s_cat"), ("name", "cat")):
        if all(column in df.columns and df[column].dtype == object for column in (name, category)):
            return name, category
    return "", ""
