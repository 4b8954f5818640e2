"""Names of kernels, and paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List, Tuple

import pandas as pd

from ..common.types import IdleTimeType, KernelType

__all__ = [
    "IdleTimeType",
    "KernelType",
    "flatten_column_names",
    "get_kernel_type",
    "get_memory_kernel_type",
    "get_symbol_column_names",
    "is_comm_kernel",
    "is_compute_kernel",
    "is_memory_kernel",
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
