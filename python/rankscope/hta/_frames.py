"""Tables of the library as DataFrames in HTA's form: texts are objects, integers as narrow as HTA has them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterable, List

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from .._table import Table


def frame_of(table: "Table") -> pd.DataFrame:
    """A table that can be written to, with texts as objects; unknown integers make a column float64 with NaN, as in HTA."""
    frame = table.to_pandas(copy=True)
    frame.attrs.clear()
    for name in frame.columns:
        kind = frame[name].dtype
        if isinstance(kind, pd.CategoricalDtype):
            frame[name] = texts_of(frame[name])
        elif kind == "Int64":
            frame[name] = frame[name].astype("float64")
    return frame


def texts_of(column: pd.Series) -> Any:
    """The texts of a categorical column; None where they are unknown."""
    texts = np.array([*column.cat.categories, None], dtype=object)
    return texts[column.cat.codes.to_numpy()]


def values_of_json(column: pd.Series, other: str) -> Any:
    """The values of a categorical column of JSON texts, of which each is read once; `other` stays a text."""
    values = np.empty(len(column.cat.categories), dtype=object)
    for place, text in enumerate(column.cat.categories):
        values[place] = other if text == other else _value_of(text)
    return values[column.cat.codes.to_numpy()] if len(values) else np.empty(0, dtype=object)


def _value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def as_floats(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """The frame with some columns as float64."""
    return frame.astype({name: "float64" for name in names})


def narrow(column: Any) -> Any:
    """Integers in the narrowest type that holds them; floats stay."""
    return pd.to_numeric(column, downcast="integer") if column.dtype.kind == "i" else column


def by_rank(frame: pd.DataFrame, ranks: Iterable[int]) -> Dict[int, pd.DataFrame]:
    """The rows of each rank, counted from 0, without the column rank. Ranks without rows have none."""
    found: Dict[int, pd.DataFrame] = {}
    for rank in ranks:
        rows = frame[frame["rank"] == rank]
        found[rank] = rows.drop(columns="rank").reset_index(drop=True)
    return found


def described(frame: pd.DataFrame, keys: List[str], value: str) -> pd.DataFrame:
    """Statistics as DataFrame.groupby(keys).describe() has them: two levels of columns, the keys as index."""
    indexed = frame.set_index(keys).astype("float64")
    indexed.columns = pd.MultiIndex.from_product([[value], indexed.columns])
    return indexed
