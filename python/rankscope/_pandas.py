"""A table as a pandas.DataFrame: pandas and NumPy are needed here and nowhere else."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict

from ._arrow import ColumnMemory

if TYPE_CHECKING:
    import pandas

    from ._table import Column, Table


def frame_of(table: "Table", copy: bool) -> "pandas.DataFrame":
    """Table.to_pandas."""
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise ImportError(
            "to_pandas needs pandas, which is not installed; rows(), column() and __arrow_c_stream__ do without"
        ) from error
    columns: Dict[str, Any] = {}
    for column, memory in zip(table.columns, table._batch().columns()):
        values = _values_of(column, memory)
        columns[column.name] = pandas.Series(values.copy() if copy else values, copy=False)
    frame = pandas.DataFrame(columns, index=pandas.RangeIndex(len(table)), copy=False)
    frame.attrs["name"] = table.name
    frame.attrs["units"] = {column.name: column.unit for column in table.columns if column.unit}
    return frame


def _values_of(column: "Column", memory: ColumnMemory) -> Any:
    if column.type == "string":
        return _categories(memory)
    if column.type == "bool":
        return _flags(memory)
    return _integers(memory) if column.type == "int64" else _floats(memory)


def _in_place(memory: ColumnMemory, index: int, item: Any, count: int) -> Any:
    """An array over a buffer, which it holds; nobody can write to it."""
    import numpy  # pylint: disable=import-outside-toplevel

    array = numpy.frombuffer(memory.buffer(index, item, count), dtype=item)
    array.flags.writeable = False
    return array


def _bits(memory: ColumnMemory, index: int) -> Any:
    import numpy  # pylint: disable=import-outside-toplevel

    packed = _in_place(memory, index, ctypes.c_uint8, (memory.length + 7) // 8)
    return numpy.unpackbits(packed, count=memory.length, bitorder="little").astype(bool)


def _unknown(memory: ColumnMemory) -> Any:
    return ~_bits(memory, 0)


def _integers(memory: ColumnMemory) -> Any:
    import pandas  # pylint: disable=import-outside-toplevel

    values = _in_place(memory, 1, ctypes.c_int64, memory.length)
    return pandas.arrays.IntegerArray(values, _unknown(memory)) if memory.null_count else values


def _floats(memory: ColumnMemory) -> Any:
    values = _in_place(memory, 1, ctypes.c_double, memory.length)
    if memory.null_count:
        values = values.copy()
        values[_unknown(memory)] = float("nan")
    return values


def _flags(memory: ColumnMemory) -> Any:
    import pandas  # pylint: disable=import-outside-toplevel

    values = _bits(memory, 1)
    return pandas.arrays.BooleanArray(values, _unknown(memory)) if memory.null_count else values


def _categories(memory: ColumnMemory) -> Any:
    import pandas  # pylint: disable=import-outside-toplevel

    codes = _in_place(memory, 1, ctypes.c_int32, memory.length)
    if memory.null_count:
        codes = codes.copy()
        codes[_unknown(memory)] = -1
    return pandas.Categorical.from_codes(codes, categories=memory.dictionary.texts())
