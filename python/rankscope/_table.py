"""Table: rows and columns that do not change, as the library made them."""

from __future__ import annotations

import ctypes
import html
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ._arrow import ArrowArrayStream, ArrowSchema, Batch, metadata_of
from ._capsule import schema_capsule, stream_capsule
from ._errors import InvalidArgumentError
from ._library import TEXT_AS_DICTIONARY, check, library

if TYPE_CHECKING:
    import pandas

_KINDS = {b"l": "int64", b"g": "double", b"U": "string", b"b": "bool"}


class Column(NamedTuple):
    """A column: its name, its type (int64, double, string or bool), its unit ("" where it has none) and what it says."""

    name: str
    type: str
    unit: str
    doc: str


class Table:
    """A table of a job, of a comparison or of SQL.

    It lives on its own: the job may be closed. Any number of threads may read it. `__arrow_c_stream__` hands it to pyarrow, polars,
    DuckDB and others without a copy.
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        """Of a rankscope_table, which the object takes over."""
        self._handle = handle
        self._free = weakref.finalize(self, library.rankscope_table_free, handle)
        self._rows = int(library.rankscope_table_row_count(handle))
        schema = ArrowSchema()
        check(library.rankscope_table_schema(handle, 0, ctypes.byref(schema)))
        try:
            self._name = metadata_of(schema).get("name", "")
            self._columns = [_column_of(schema.children[index].contents) for index in range(schema.n_children)]
        finally:
            schema.release(ctypes.byref(schema))

    @property
    def name(self) -> str:
        """What it is called, such as "step_times"."""
        return self._name

    @property
    def columns(self) -> List[Column]:
        """Its columns in their order."""
        return list(self._columns)

    def __len__(self) -> int:
        """How many rows it has."""
        return self._rows

    def column(self, name: str) -> List[Any]:
        """The values of one column: int, float, str or bool, None where they are unknown."""
        for column, memory in zip(self._columns, self._batch().columns()):
            if column.name == name:
                return memory.values(column.type)
        names = ", ".join(column.name for column in self._columns)
        raise InvalidArgumentError(f"{self._name or 'the table'} has no column {name!r}: it has {names}")

    def tuples(self) -> List[Tuple[Any, ...]]:
        """The rows as tuples, in the order of the columns."""
        columns = [memory.values(column.type) for column, memory in zip(self._columns, self._batch().columns())]
        return list(zip(*columns))

    def rows(self) -> List[Dict[str, Any]]:
        """The rows as dicts by the columns' names."""
        names = [column.name for column in self._columns]
        return [dict(zip(names, row)) for row in self.tuples()]

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows())

    def to_pandas(self, *, copy: bool = False) -> "pandas.DataFrame":
        """The table as a pandas.DataFrame.

        Integers are int64, or Int64 where some are unknown; floats float64 with NaN where they are unknown; flags bool or boolean;
        texts categories. Integers, and floats all of which are known, are the table's own memory: they cannot be written to. With
        `copy` each column is a copy that can. `frame.attrs` has the table's name and the columns' units.
        """
        from ._pandas import frame_of  # pylint: disable=import-outside-toplevel

        return frame_of(self, copy)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        """The Arrow PyCapsule interface: a stream of one batch. A requested schema is not looked at, as the interface allows."""
        return stream_capsule(self._stream(0))

    def __arrow_c_schema__(self) -> object:
        """The Arrow PyCapsule interface: the columns."""
        schema = ArrowSchema()
        check(library.rankscope_table_schema(self._handle, 0, ctypes.byref(schema)))
        return schema_capsule(schema)

    def __repr__(self) -> str:
        return f"<rankscope.Table {self._name}: {self._rows} rows x {len(self._columns)} columns>"

    def _repr_html_(self, most: int = 20) -> str:
        """The first rows, for notebooks."""
        heads = "".join(
            f'<th title="{html.escape(column.doc)}">{html.escape(column.name)}'
            + (f"<br><small>{html.escape(column.unit)}</small>" if column.unit else "")
            + "</th>"
            for column in self._columns
        )
        columns = [memory.values(column.type, most) for column, memory in zip(self._columns, self._batch().columns())]
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell_html(value)}</td>" for value in row) + "</tr>" for row in zip(*columns)
        )
        rest = f"<p>{most} of {self._rows} rows</p>" if self._rows > most else ""
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{rest}"

    def _stream(self, flags: int) -> ArrowArrayStream:
        stream = ArrowArrayStream()
        check(library.rankscope_table_stream(self._handle, flags, ctypes.byref(stream)))
        return stream

    def _batch(self) -> Batch:
        return Batch(self._stream(TEXT_AS_DICTIONARY))


def _column_of(schema: ArrowSchema) -> Column:
    metadata = metadata_of(schema)
    return Column(schema.name.decode(), _KINDS[schema.format], metadata.get("unit", ""), metadata.get("doc", ""))


def _cell_html(value: Any) -> str:
    return "" if value is None else html.escape(str(value))
