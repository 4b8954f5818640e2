"""Filters: functions from events to some of them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import List, Optional, Tuple, Union

import pandas as pd

from ..configs.config import logger
from ..utils.utils import get_symbol_column_names
from .trace_symbol_table import TraceSymbolTable

# Waits of the device that have no stream.
_WAITS = ("Event Sync", "Context Sync")


class Filter(ABC):
    """A filter is called with events, and with their symbol table where it looks at names by their ids."""

    @abstractmethod
    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        """Some of the events."""


def _has(df: pd.DataFrame, column: str) -> bool:
    if column not in df.columns:
        logger.warning("the frame has no column %s, so nothing is filtered", column)
    return column in df.columns


def _numbers(numbers: Union[int, List[int]], what: str) -> List[int]:
    if not isinstance(numbers, (int, list)):
        raise TypeError(f"{what} must be a number or a list of numbers, not {numbers!r}")
    return [numbers] if isinstance(numbers, int) else numbers


class IterationFilter(Filter):
    """Events of profiler steps by their numbers."""

    def __init__(self, iterations: Union[int, List[int]]) -> None:
        self.iterations = _numbers(iterations, "Iterations")

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        return df[df["iteration"].isin(self.iterations)] if _has(df, "iteration") else df


class IterationIndexFilter(Filter):
    """Events of profiler steps by their places, counted from 0. Events outside of all steps alone stay as they are."""

    def __init__(self, iteration_index: Union[int, List[int]]) -> None:
        self.iteration_index = _numbers(iteration_index, "iteration_index")

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        if not _has(df, "iteration"):
            return df
        steps = sorted(step for step in df["iteration"].dropna().unique() if step != -1)
        if not steps:
            return df
        chosen = [step for place, step in enumerate(steps) if place in self.iteration_index]
        if not chosen:
            logger.warning("there are %d steps, and none at %s", len(steps), self.iteration_index)
            return pd.DataFrame()
        return df[df["iteration"].isin(chosen)]


class FirstIterationFilter(IterationIndexFilter):
    """Events of the first profiler step."""

    def __init__(self) -> None:
        super().__init__([0])


class RankFilter(Filter):
    """Events of ranks, of a frame with a column rank."""

    def __init__(self, ranks: Union[int, List[int]]) -> None:
        self.ranks = _numbers(ranks, "ranks")

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        return df[df["rank"].isin(self.ranks)] if _has(df, "rank") else df


class TimeRangeFilter(Filter):
    """Events that lie within (begin, end), in microseconds as ts has them."""

    def __init__(self, time_range: Tuple[int, int]) -> None:
        if not isinstance(time_range, tuple) or len(time_range) != 2:
            raise ValueError(f"time_range must be a tuple of two numbers, begin and end, not {time_range!r}")
        if time_range[0] > time_range[1]:
            raise ValueError(f"the begin of time_range must be less than or equal to its end, not {time_range!r}")
        self.time_start, self.time_end = time_range

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        if not _has(df, "ts"):
            return df
        return df[df["ts"].ge(self.time_start) & (df["ts"] + df["dur"]).le(self.time_end)]


class NameStringColumnFilter(Filter):
    """Events whose name, in s_name or a column name of texts, begins with what an expression matches."""

    def __init__(self, name_pattern: str) -> None:
        self.name_pattern = name_pattern

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        for column in ("s_name", "name"):
            if column in df.columns and df[column].dtype == object:
                return df[df[column].str.match(self.name_pattern)]
        logger.warning("the frame has no names as texts, so nothing is filtered")
        return df


class NameIdColumnFilter(Filter):
    """Events whose name, an id of the symbol table, begins with what an expression matches."""

    def __init__(self, name_pattern: str) -> None:
        self.name_pattern = name_pattern
        self.name_column = "name"

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        if symbol_table is None:
            logger.warning("names as ids need the symbol table, so nothing is filtered")
            return df
        expression = re.compile(self.name_pattern)
        ids = [place for place, name in enumerate(symbol_table.sym_table) if expression.match(name)]
        return df[df[self.name_column].isin(ids)]


class NameFilter(Filter):
    """Events whose name begins with what an expression matches: by ids with a symbol table, else by texts."""

    def __init__(
        self,
        name_pattern: str,
        symbol_table: Optional[TraceSymbolTable] = None,
        name_column: Optional[str] = None,
    ) -> None:
        self.name_pattern = name_pattern
        self.symbol_table = symbol_table
        self.name_column = name_column

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        if df.empty:
            return df
        symbols = symbol_table or self.symbol_table
        if symbols is None:
            return NameStringColumnFilter(self.name_pattern)(df)
        return NameIdColumnFilter(self.name_pattern)(df, symbols)


class QueryFilter(Filter):
    """Events that an expression of DataFrame.query holds for."""

    def __init__(self, query: str) -> None:
        self.query = query

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        return df.query(self.query)


# Events that take time. A filter, not a class.
ZeroDurationFilter = QueryFilter("dur > 0")


class GPUKernelFilter(Filter):
    """Work and waits of the device: what has a stream and a correlation, and with a symbol table waits without a stream."""

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        return df[is_on_device(df, symbol_table)] if _has(df, "stream") else df


class CPUOperatorFilter(Filter):
    """What is not of GPUKernelFilter."""

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        return df[~is_on_device(df, symbol_table)] if _has(df, "stream") else df


class MemCopyEventFilter(Filter):
    """Copies of the category gpu_memcpy by their whole name, such as "Memcpy HtoD (Pinned -> Device)"."""

    def __init__(self, memory_copy_type: str, symbol_table: Optional[TraceSymbolTable] = None) -> None:
        self.memory_copy_type = memory_copy_type
        self.symbol_table = symbol_table

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        if df.empty:
            return df
        symbols = symbol_table or self.symbol_table
        if symbols is None:
            name, category = get_symbol_column_names(df)
            if not name:
                logger.warning("the frame has no names as texts, so nothing is filtered")
                return df
            return df[df[name].eq(self.memory_copy_type) & df[category].eq("gpu_memcpy")]
        ids = symbols.sym_index
        return df[df["name"].eq(ids.get(self.memory_copy_type, -1)) & df["cat"].eq(ids.get("gpu_memcpy", -1))]


class CompositeFilter(Filter):
    """Several filters, one after the other."""

    def __init__(self, filters: List[Filter]) -> None:
        if self in filters:
            raise ValueError("a filter cannot hold itself")
        for one in filters:
            if not isinstance(one, Filter):
                raise TypeError(f"filters must be instances of Filter, and {one!r} is none")
        self.filters = filters

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        for one in self.filters:
            df = one(df, symbol_table)
        return df


def is_on_device(df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable]) -> pd.Series:
    """Which rows of a trace are of GPUKernelFilter."""
    has_stream: pd.Series = df["stream"].ge(0)
    if "correlation" in df.columns:
        has_stream = has_stream & df["correlation"].ge(0)
    if symbol_table is None:
        return has_stream
    waits = [symbol_table.sym_index[name] for name in _WAITS if name in symbol_table.sym_index]
    return has_stream | df["name"].isin(waits)
