"""Filters by where events are relative to an operator."""

from __future__ import annotations

from enum import Enum
from typing import List, Optional

import pandas as pd

from ..configs.config import logger
from ..utils.utils import get_symbol_column_names
from .trace_filter import Filter, FirstIterationFilter
from .trace_symbol_table import TraceSymbolTable


class OperatorFilterMethod(Enum):
    """Where the events are."""

    Under = 0
    After = 1
    Before = 2
    Stack = 3


class OperatorFilter(Filter):
    """Events of an operator's stream within it, behind it or before it, of a frame with names as texts.

    Args:
        op_name: the operator's name.
        position: which of its occurrences in the order of their begins; -1 the last.
        method: where the events are.
        include_gpu_kernels: adds the work that they launch.
        name_column: the column of names; s_name or name unless it is given.
    """

    def __init__(
        self,
        op_name: str,
        position: int,
        method: OperatorFilterMethod,
        include_gpu_kernels: bool = False,
        name_column: Optional[str] = None,
    ) -> None:
        self.op_name = op_name
        self.position = position
        self.method = method
        self.include_gpu_kernels = include_gpu_kernels
        self.name_column = name_column or ""

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        """Nothing where there is no such operator.

        Raises:
            NotImplementedError: the method is Stack, as in HTA.
        """
        name, category = get_symbol_column_names(df)
        if not name:
            logger.error("the frame has no names as texts: Trace.decode_symbol_ids adds them")
            return df
        found = df[df[self.name_column or name].eq(self.op_name)].sort_values("ts", kind="stable")
        if not -len(found) <= self.position < len(found):
            logger.warning("there is no %s at place %d", self.op_name, self.position)
            return pd.DataFrame()
        op = found.iloc[self.position]
        if self.method == OperatorFilterMethod.Stack:
            raise NotImplementedError("CallGraph.get_stack_of_node has the stack of an event")
        # Not `end`, which counts from elsewhere than ts once ranks are aligned.
        begins, ends, end = df["ts"], df["ts"] + df["dur"], op["ts"] + op["dur"]
        is_there = {
            OperatorFilterMethod.Under: begins.ge(op["ts"]) & ends.le(end),
            OperatorFilterMethod.After: begins.ge(end),
            OperatorFilterMethod.Before: ends.le(op["ts"]),
        }[self.method]
        events = df[is_there & df["stream"].eq(op["stream"])]
        return pd.concat([events, get_matching_kernels(events, df, category)]) if self.include_gpu_kernels else events


class UnderOperatorFilter(OperatorFilter):
    """Events within an operator."""

    def __init__(
        self, op_name: str, position: int, include_gpu_kernels: bool = False, name_column: Optional[str] = None
    ) -> None:
        super().__init__(op_name, position, OperatorFilterMethod.Under, include_gpu_kernels, name_column)


class AfterOperatorFilter(OperatorFilter):
    """Events that begin at an operator's end or later."""

    def __init__(
        self, op_name: str, position: int, include_gpu_kernels: bool = False, name_column: Optional[str] = None
    ) -> None:
        super().__init__(op_name, position, OperatorFilterMethod.After, include_gpu_kernels, name_column)


class BeforeOperatorFilter(OperatorFilter):
    """Events that end at an operator's begin or earlier."""

    def __init__(
        self, op_name: str, position: int, include_gpu_kernels: bool = False, name_column: Optional[str] = None
    ) -> None:
        super().__init__(op_name, position, OperatorFilterMethod.Before, include_gpu_kernels, name_column)


class CombinedOperatorFilter(Filter):
    """Events of the first profiler step within one operator, behind the last of another and before the first of a third.

    What is not there does not filter. With include_gpu_kernels the work that they launch is added; stack_depths keeps host events of these
    depths, of a frame that has the column depth.
    """

    def __init__(
        self,
        root_op_name: str,
        preceding_op_name: str,
        following_op_name: str,
        include_gpu_kernels: bool = False,
        stack_depths: Optional[List[int]] = None,
    ) -> None:
        self.root_op_name = root_op_name
        self.preceding_op_name = preceding_op_name
        self.following_op_name = following_op_name
        self.include_gpu_kernels = include_gpu_kernels
        self.stack_depths = stack_depths or []

    def __call__(self, df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None) -> pd.DataFrame:
        name, category = get_symbol_column_names(df)
        if not name:
            logger.error("the frame has no names as texts: Trace.decode_symbol_ids adds them")
            return df
        events = FirstIterationFilter()(df)
        for one in (
            UnderOperatorFilter(self.root_op_name, 0),
            AfterOperatorFilter(self.preceding_op_name, -1),
            BeforeOperatorFilter(self.following_op_name, 0),
        ):
            if not events.empty and events[name].eq(one.op_name).any():
                events = one(events)
        if not events.empty and self.include_gpu_kernels:
            events = pd.concat([get_matching_kernels(events, df, category), events])
        if self.stack_depths and "depth" in events.columns:
            events = events[events["stream"].gt(0) | events["depth"].isin(self.stack_depths)]
        return events


def get_matching_kernels(df_ops: pd.DataFrame, df_both: pd.DataFrame, cat_column: str) -> pd.DataFrame:
    """The events of a frame that calls of CUDA among some operators launched."""
    calls = df_ops[df_ops[cat_column].eq("cuda_runtime")]
    return df_both[df_both["index_correlation"].isin(calls["index"])]
