"""The structs of the Arrow C data interface, and the memory of a batch of rows."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Iterator, List, Optional


class ArrowSchema(ctypes.Structure):
    """A schema: of a table, or of one of its columns."""


class ArrowArray(ctypes.Structure):
    """Rows of a table, or of one of its columns."""


class ArrowArrayStream(ctypes.Structure):
    """Batches of rows, one after the other."""


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))),
    ("private_data", ctypes.c_void_p),
]
ArrowArrayStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowArrayStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowArrayStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))),
    ("private_data", ctypes.c_void_p),
]


def metadata_of(schema: ArrowSchema) -> Dict[str, str]:
    """The pairs of a schema's metadata: a count, then the size and the bytes of each key and value."""
    pairs: Dict[str, str] = {}
    at: Optional[int] = schema.metadata
    if not at:
        return pairs

    def number() -> int:
        nonlocal at
        assert at is not None
        value = ctypes.c_int32.from_address(at).value
        at += 4
        return value

    def text() -> str:
        nonlocal at
        size = number()
        assert at is not None
        value = ctypes.string_at(at, size).decode()
        at += size
        return value

    for _ in range(number()):
        key = text()
        pairs[key] = text()
    return pairs


# The bits of a byte, the lowest first.
_BITS = [[byte >> bit & 1 == 1 for bit in range(8)] for byte in range(256)]


class Batch:
    """The rows of a stream of one batch, released when nobody looks at them any more."""

    def __init__(self, stream: ArrowArrayStream) -> None:
        self.array = ArrowArray()
        try:
            error = stream.get_next(ctypes.byref(stream), ctypes.byref(self.array))
            if error != 0:
                sentence = stream.get_last_error(ctypes.byref(stream))
                raise MemoryError(sentence.decode() if sentence else "out of memory")
        finally:
            stream.release(ctypes.byref(stream))

    def __del__(self) -> None:
        if self.array.release:
            self.array.release(ctypes.byref(self.array))

    def columns(self) -> Iterator["ColumnMemory"]:
        """The memory of each column. None where a table has no columns."""
        for index in range(self.array.n_children if self.array.release else 0):
            yield ColumnMemory(self, self.array.children[index].contents)


class ColumnMemory:
    """The buffers of one column. What they are read as holds the batch."""

    def __init__(self, batch: Batch, array: ArrowArray) -> None:
        self._batch = batch
        self._array = array
        self.length: int = array.length

    @property
    def null_count(self) -> int:
        return int(self._array.null_count)

    @property
    def dictionary(self) -> "ColumnMemory":
        """Of a column of texts: each text once."""
        return ColumnMemory(self._batch, self._array.dictionary.contents)

    def buffer(self, index: int, item: Any, count: int) -> Any:
        """`count` items of a ctypes type, in place. The memory is shared: it must not be written to."""
        memory = (item * count).from_address(self._array.buffers[index])
        memory._batch = self._batch
        return memory

    def bits(self, index: int, count: int) -> List[bool]:
        """The first bits of a bitmap."""
        packed = bytes(self.buffer(index, ctypes.c_uint8, (count + 7) // 8))
        return [bit for byte in packed for bit in _BITS[byte]][:count]

    def texts(self) -> List[str]:
        """The texts of a dictionary."""
        offsets = self.buffer(1, ctypes.c_int64, self.length + 1)[:]
        data = bytes(self.buffer(2, ctypes.c_char, offsets[-1]))
        return [data[begin:end].decode("utf-8", "replace") for begin, end in zip(offsets, offsets[1:])]

    def values(self, kind: str, most: Optional[int] = None) -> List[Any]:
        """Python values of a column whose texts are a dictionary, at most so many; None where they are unknown."""
        count = self.length if most is None else min(most, self.length)
        if kind == "bool":
            values: List[Any] = list(self.bits(1, count))
        elif kind == "string":
            texts = self.dictionary.texts()
            if not texts:  # no text is known
                return [None] * count
            values = [texts[code] for code in self.buffer(1, ctypes.c_int32, count)]
        else:
            item = ctypes.c_int64 if kind == "int64" else ctypes.c_double
            values = self.buffer(1, item, count)[:]
        if self.null_count > 0:
            values = [value if known else None for value, known in zip(values, self.bits(0, count))]
        return values
