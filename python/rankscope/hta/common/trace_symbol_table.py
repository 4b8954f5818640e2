"""TraceSymbolTable: names and categories as numbers."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Optional

import numpy as np
import pandas as pd

from ..._errors import InvalidArgumentError
from ..utils.utils import shorten_name

# As src/hta/frame.cc has them.
_HOST_CATEGORY = "cpu_op|user_annotation|.+_runtime"
_DEVICE_CATEGORY = "kernel|gpu_mem.|mtia_ccp_events"
_MEMORY_NAME = "(hip)?Mem(cpy|set)|dma"
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

_CSV_COLUMN = "symbol"


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

    def get_sym_index(self) -> Dict[str, int]:
        """sym_index."""
        return self.sym_index

    def get_sym_table_series(self) -> pd.Series:
        """sym_table as a column, by id."""
        return pd.Series(self.sym_table, dtype="object")

    def get_sym_index_series(self) -> pd.Series:
        """sym_index as a column, by symbol."""
        return pd.Series(self.sym_index, dtype="int64")

    def is_empty(self) -> bool:
        """Whether there are no symbols."""
        return not self.sym_table

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

    def get_cpu_event_cat_ids(self) -> List[int]:
        """Ids of the categories of host events."""
        return self.get_symbol_ids(_HOST_CATEGORY)

    def get_gpu_kernel_cat_ids(self) -> List[int]:
        """Ids of the categories of device work."""
        return self.get_symbol_ids(_DEVICE_CATEGORY)

    def get_kernel_launch_ids(self) -> List[int]:
        """Ids of calls that launch work."""
        return self._ids_of(_LAUNCHES)

    def get_memory_name_ids(self) -> List[int]:
        """Ids of the names of copies and memsets."""
        return self.get_symbol_ids(_MEMORY_NAME)

    def get_events_mask(self, df: pd.DataFrame, events: Optional[List[str]]) -> pd.Series:
        """Which rows of a trace have a name that holds one of these texts; none with None."""
        return df["name"].isin(self.find_matches(events or []))

    def get_operator_or_cuda_runtime_mask(self, df: pd.DataFrame) -> pd.Series:
        """Which rows of a trace are operators or calls of CUDA."""
        return df["cat"].isin(self._ids_of(("cpu_op", "cuda_runtime", "cuda_driver")))

    def get_operator_or_device_runtime_mask(self, df: pd.DataFrame) -> pd.Series:
        """Which rows of a trace are operators or calls of a device's interface."""
        return df["cat"].isin(self._ids_of(("cpu_op", "cuda_runtime", "cuda_driver", "mtia_runtime")))

    def get_runtime_launch_events_mask(self, df: pd.DataFrame) -> pd.Series:
        """Which rows of a trace are calls that launched work that is in the trace."""
        return df["name"].isin(self.get_kernel_launch_ids()) & df["index_correlation"].gt(0)

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

    def decode_df(self, df: pd.DataFrame, create_new_columns: bool = True) -> None:
        """Texts of the ids in name and cat, in place: as s_name and s_cat, or instead of them."""
        for name in ("name", "cat"):
            if name in df.columns and df[name].dtype.kind == "i":
                df[f"s_{name}" if create_new_columns else name] = texts_of_ids(df[name], self.sym_table)

    def encode_df(self, df: pd.DataFrame) -> None:
        """Ids instead of the texts in name and cat, in place. Texts that are no symbols yet become some."""
        for name in ("name", "cat"):
            if name in df.columns and df[name].dtype == object:
                self.add_symbols(df[name].unique())
                df[name] = df[name].map(self.sym_index)

    def update_encoded_df(self, df: pd.DataFrame, old_symbol_table: "TraceSymbolTable") -> None:
        """Ids of this table instead of those of another one, in place."""
        old_symbol_table.decode_df(df, create_new_columns=False)
        self.encode_df(df)

    def _ids_of(self, symbols: Iterable[str]) -> List[int]:
        return [self.sym_index[symbol] for symbol in symbols if symbol in self.sym_index]

    @classmethod
    def clone(cls, symbol_table: "TraceSymbolTable") -> "TraceSymbolTable":
        """A copy."""
        return cls.combine_symbol_tables([symbol_table])

    @classmethod
    def create_from_df(cls, df: pd.DataFrame) -> "TraceSymbolTable":
        """create_symbol_table_from_df."""
        return cls.create_symbol_table_from_df(df)

    @classmethod
    def create_from_symbol_id_map(cls, symbol_id_map: Dict[str, int]) -> "TraceSymbolTable":
        """Of ids that are given. Places that none has are called Undefined-PLACE."""
        table = cls()
        table.sym_table = [f"Undefined-{place}" for place in range(max(symbol_id_map.values(), default=-1) + 1)]
        for symbol, place in symbol_id_map.items():
            table.sym_table[place] = symbol
        table.sym_index = dict(symbol_id_map)
        return table

    @classmethod
    def from_csv_file(cls, csv_file: str) -> "TraceSymbolTable":
        """The symbols of a file of comma-separated values, in its order.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it has no column symbol.
        """
        rows = pd.read_csv(csv_file, keep_default_na=False, dtype=str)
        if _CSV_COLUMN not in rows.columns:
            raise InvalidArgumentError(f"{csv_file}: expect a column {_CSV_COLUMN}, and it has {list(rows.columns)}")
        table = cls()
        table.add_symbols(rows[_CSV_COLUMN])
        return table

    def _to_csv_file(self, csv_file: str) -> None:
        """Writes the symbols for from_csv_file."""
        pd.DataFrame({_CSV_COLUMN: self.sym_table}).to_csv(csv_file, index=False)

    @staticmethod
    def create_symbol_table_from_df(df: pd.DataFrame) -> "TraceSymbolTable":
        """The symbols of a frame whose columns name and cat are texts.

        Raises:
            ValueError: they are not there, or no texts.
        """
        if not all(name in df.columns and df[name].dtype == "object" for name in ("name", "cat")):
            raise ValueError("the frame needs name and cat columns, both of texts")
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
