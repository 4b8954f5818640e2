"""TraceSymbolTable: names and categories as numbers."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List

import numpy as np
import pandas as pd

from ..utils.utils import shorten_name

# Calls that put work into the queue of a stream, as src/hta/queue_points.cc has them.
_LAUNCHES = (
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "runFunction - job_prep_and_submit_for_execution",
    "hipLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipMemsetAsync",
    "hipMemcpyAsync",
    "hipMemcpyWithStream",
)


class TraceSymbolTable:
    """Each text once, and its number. Ids depend on the order in which symbols came: compare texts, not ids.

    Attributes:
        sym_table: the texts; an id is a place in it.
        sym_index: the id of each text.
    """

    # Of what is not in the table, in queries.
    NULL = -128

    def __init__(self) -> None:
        self.sym_table: List[str] = []
        self.sym_index: Dict[str, int] = {}

    def add_symbols(self, symbols: Iterable[str]) -> None:
        """Adds those that are not there yet."""
        for symbol in symbols:
            if symbol not in self.sym_index:
                self.sym_index[symbol] = len(self.sym_table)
                self.sym_table.append(symbol)

    def add_symbols_mp(self, symbols_list: List[Iterable[str]]) -> None:
        """add_symbols of several sources."""
        for symbols in symbols_list:
            self.add_symbols(symbols)

    def get_sym_id_map(self) -> Dict[str, int]:
        """sym_index."""
        return self.sym_index

    def get_sym_table(self) -> List[str]:
        """sym_table."""
        return self.sym_table

    def find_matches(self, patterns: List[str]) -> List[int]:
        """Ids of the symbols that hold one of these texts."""
        return [self.sym_index[symbol] for symbol in self.find_matched_symbols(patterns)]

    def find_matched_symbols(self, patterns: List[str]) -> List[str]:
        """The symbols that hold one of these texts."""
        return [symbol for symbol in self.sym_table if any(pattern in symbol for pattern in patterns)]

    def get_symbol_ids(self, pattern: str) -> List[int]:
        """Ids of the symbols that begin with what a regular expression matches."""
        expression = re.compile(pattern)
        return [place for place, symbol in enumerate(self.sym_table) if expression.match(symbol)]

    def get_profiler_step_ids(self) -> List[int]:
        """Ids of ProfilerStep#N."""
        return self.get_symbol_ids(r"ProfilerStep\s*#\s*\d+")

    def get_events_mask(self, df: pd.DataFrame, events: List[str]) -> pd.Series:
        """Which rows of a trace have one of these names."""
        return df["name"].isin([self.sym_index[event] for event in events if event in self.sym_index])

    def get_runtime_launch_events_mask(self, df: pd.DataFrame) -> pd.Series:
        """Which rows of a trace are calls that launched work that is in the trace."""
        return self.get_events_mask(df, list(_LAUNCHES)) & df["index_correlation"].gt(0)

    def get_runtime_launch_events_query(self) -> str:
        """For DataFrame.query: calls that launched work that is in the trace."""
        names = " or ".join(f"(name == {self.sym_index.get(name, self.NULL)})" for name in _LAUNCHES)
        return f"({names}) and (index_correlation > 0)"

    def get_operator_or_cuda_runtime_query(self) -> str:
        """For DataFrame.query: operators and calls of the device's interface."""
        categories = ("cpu_op", "cuda_runtime", "cuda_driver")
        return "(" + " or ".join(f"cat == {self.sym_index.get(name, self.NULL)}" for name in categories) + ")"

    def add_symbols_to_trace_df(self, trace_df: pd.DataFrame, col: str) -> None:
        """Makes the ids of a column texts, in place; empty where there is no such id."""
        trace_df[col] = texts_of_ids(trace_df[col], self.sym_table)

    @staticmethod
    def create_symbol_table_from_df(df: pd.DataFrame) -> "TraceSymbolTable":
        """The symbols of a frame whose columns name and cat are texts.

        Raises:
            ValueError: they are not there, or no texts.
        """
        if not all(name in df.columns and df[name].dtype == "object" for name in ("name", "cat")):
            raise ValueError("the frame needs the columns name and cat, both of texts")
        table = TraceSymbolTable()
        table.add_symbols(df["cat"].unique())
        table.add_symbols(df["name"].unique())
        return table

    @staticmethod
    def combine_symbol_tables(tables: List["TraceSymbolTable"]) -> "TraceSymbolTable":
        """The symbols of all of them."""
        combined = TraceSymbolTable()
        for table in tables:
            combined.add_symbols(table.sym_table)
        return combined


def texts_of_ids(ids: pd.Series, symbols: List[str]) -> pd.Series:
    """The text of each id; empty where there is no such id."""
    texts = np.array([*symbols, ""], dtype=object)
    places = ids.to_numpy(dtype="int64", na_value=-1)
    places = np.where((places < 0) | (places >= len(symbols)), len(symbols), places)
    return pd.Series(texts[places], index=ids.index, name=ids.name)


def decode_symbol_id_to_symbol_name(df: pd.DataFrame, symbol_table: TraceSymbolTable, use_shorten_name: bool) -> None:
    """Adds s_name, s_cat and s_user_annotation, the texts of the ids in name, cat and user_annotation, in place."""
    symbols = symbol_table.sym_table
    if use_shorten_name:
        symbols = [shorten_name(symbol) for symbol in symbols]
    for name in ("name", "cat", "user_annotation"):
        if name in df.columns and df[name].dtype.kind == "i":
            df[f"s_{name}"] = texts_of_ids(df[name], symbols)
