"""One rank's trace: what its file says beside events, its events, and their symbols."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pandas as pd

from .trace_symbol_table import TraceSymbolTable

__all__ = ["MetaData", "Trace", "create", "create_default"]

MetaData = Dict[str, Any]

_INTEL = "INTEL GPU"


class _SingleTrace:
    """What parse_trace_file returns, as one object."""

    device: str = "GENERIC"

    def __init__(
        self, meta: Optional[MetaData], df: Optional[pd.DataFrame], symbol_table: Optional[TraceSymbolTable]
    ) -> None:
        self.meta = meta
        self.df = df
        self.symbol_table = symbol_table

    def get_sym_table(self) -> List[str]:
        """The texts of the symbol table; none without one."""
        return [] if self.symbol_table is None else self.symbol_table.get_sym_table()


class _XPUSingleTrace(_SingleTrace):
    """A rank on Intel's devices."""

    device = _INTEL


Trace = _SingleTrace


def create_default(
    meta: Optional[MetaData] = None, df: Optional[pd.DataFrame] = None, symbol_table: Optional[TraceSymbolTable] = None
) -> Trace:
    """A rank's trace of any vendor's devices."""
    return _SingleTrace(meta, df, symbol_table)


def create(device_type: str, meta: MetaData, df: pd.DataFrame, symbol_table: TraceSymbolTable) -> Trace:
    """A rank's trace of the class for its devices, which Trace.get_device_type names."""
    return (_XPUSingleTrace if device_type == _INTEL else _SingleTrace)(meta, df, symbol_table)
