"""Searches in data frames of traces."""

from __future__ import annotations

from typing import List, Tuple

import pandas as pd

from .trace_symbol_table import TraceSymbolTable


def get_iterations(df: pd.DataFrame) -> List[int]:
    """The profiler steps of a frame in rising order.

    Raises:
        TypeError: there is no column iteration, or it has no integers.
    """
    if "iteration" not in df.columns or df["iteration"].dtype.kind != "i":
        raise TypeError("the frame needs a column iteration with integers")
    return sorted(int(step) for step in df["iteration"].unique() if step != -1)


def find_op_occurrence(
    df: pd.DataFrame, op_name: str, position: int, name_column: str = "s_name"
) -> Tuple[bool, pd.Series]:
    """Whether an operator is there that often, and its event.

    Args:
        df: a frame with names as texts.
        op_name: the operator's name.
        position: which of its occurrences in the order of their begins; -1 the last.
        name_column: the column of names.
    """
    if "ts" in df.columns and name_column in df.columns:
        found = df[df[name_column].eq(op_name)].sort_values("ts", kind="stable")
        if -len(found) <= position < len(found):
            return True, found.iloc[position]
    return False, pd.Series(dtype="object")


def find_events_by_name_patterns_using_symbol_table(
    df: pd.DataFrame, list_name_patterns: List[str], symbol_table: TraceSymbolTable
) -> pd.Series:
    """`index` of the events whose name, an id of the symbol table, begins with what one of the expressions matches."""
    ids = [place for pattern in list_name_patterns for place in symbol_table.get_symbol_ids(pattern)]
    return df.loc[df["name"].isin(ids), "index"]


def find_events_by_name_patterns_using_decoded_names(
    df: pd.DataFrame, list_name_patterns: List[str], name_column: str = "s_name"
) -> pd.Series:
    """`index` of the events whose name, a text, begins with what one of the expressions matches."""
    matches = pd.Series(False, index=df.index)
    for pattern in list_name_patterns:
        matches |= df[name_column].str.match(pattern)
    return df.loc[matches, "index"]
