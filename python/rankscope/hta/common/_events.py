"""The data frame of a rank, of the table hta.events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np
import pandas as pd

from .._frames import frame_of, narrow, texts_of, values_of_json

if TYPE_CHECKING:
    from ..._table import Table
    from .trace_symbol_table import TraceSymbolTable

# Columns whose values are JSON, and what stands where the file has none.
_JSON_COLUMNS = {"input_dims": "-1", "input_type": "-1", "input_strides": "-1"}
_SYMBOLS = ("cat", "name")


def events_frame(
    table: "Table", symbols: "TraceSymbolTable", has_float_durations: bool, counters: Optional[pd.DataFrame]
) -> pd.DataFrame:
    """HTA's columns and types: symbols as ids, integers as narrow as they go.

    Args:
        table: hta.events of one rank.
        has_float_durations: as HTA has them where some record of the file has no duration.
        counters: by index in the file, a column for each counter of CUPTI; None without.
    """
    given = table.to_pandas()
    columns: Dict[str, Any] = {}
    for name in given.columns:
        if name == "rank":
            continue
        column = given[name]
        if name in _SYMBOLS:
            columns[name] = _ids(column, symbols)
        elif name in _JSON_COLUMNS:
            columns[name] = values_of_json(column, _JSON_COLUMNS[name])
        elif isinstance(column.dtype, pd.CategoricalDtype):
            columns[name] = texts_of(column)
        elif column.dtype == "Int64":
            columns[name] = column.astype("float64").to_numpy()
        elif name in ("dur", "end") and has_float_durations:
            columns[name] = column.to_numpy(dtype="float64")
        elif name == "ts":
            columns[name] = column.to_numpy().copy()
        else:
            columns[name] = narrow(column.to_numpy().copy())
        if name == "group_size":
            # Kineto's "Rank", which the library does not keep.
            columns["process_rank"] = np.full(len(given), -1, dtype="int8")
        if name == "out_split_size" and counters is not None:
            columns.update(_counter_columns(columns["index"], counters))
    frame = pd.DataFrame(columns, copy=False)
    return frame.set_index(pd.Index(frame["index"].to_numpy()))


def file_times(frame: pd.DataFrame) -> pd.DataFrame:
    """Begins as the file counts them, which ends do already: what HTA has before it aligns ranks."""
    frame["ts"] = (frame["end"] - frame["dur"]).astype("int64")
    return frame


def exact_times(frame: pd.DataFrame, events: List[Dict[str, Any]], min_ts: float) -> pd.DataFrame:
    """Begins, ends and durations as the file has them where one begin has a fraction: what HTA has without rounding.

    Args:
        frame: events of a file.
        events: the file's traceEvents.
        min_ts: is taken from every begin, and from no end, as elsewhere.
    """
    begins = pd.Series([events[place]["ts"] for place in frame["index"]], index=frame.index, dtype="float64")
    if (begins % 1).eq(0).all():
        return frame
    durations = [events[place].get("dur") for place in frame["index"]]
    frame["dur"] = pd.Series(durations, index=frame.index, dtype="float64")
    frame["end"] = begins + frame["dur"]
    frame["ts"] = begins - min_ts
    return frame


def counters_of(table: "Table") -> Optional[pd.DataFrame]:
    """A row for each range of CUPTI's, a column for each counter, of hta.cupti_counters; None without ranges."""
    if len(table) == 0:
        return None
    rows = frame_of(table)
    wide = rows.pivot_table(index="index", columns="counter", values="value", aggfunc="first", sort=False)
    wide.columns.name = None
    whole = [name for name in wide.columns if (wide[name] % 1 == 0).all()]
    return wide.astype({name: "int64" for name in whole})


def _ids(column: pd.Series, symbols: "TraceSymbolTable") -> Any:
    ids = np.array([symbols.sym_index[text] for text in column.cat.categories], dtype="int64")
    return ids[column.cat.codes.to_numpy()] if len(ids) else np.empty(0, dtype="int64")


def _counter_columns(index: Any, counters: pd.DataFrame) -> Dict[str, Any]:
    return {name: narrow(counters[name].reindex(index, fill_value=-1).to_numpy()) for name in counters.columns}
