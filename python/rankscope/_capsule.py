"""Structs of the Arrow C data interface in capsules, as the Arrow PyCapsule interface hands them on.

A consumer moves the struct out and sets its `release` to null. What nobody took is released with the capsule.
"""

from __future__ import annotations

import ctypes
from typing import Dict, Union

from ._arrow import ArrowArrayStream, ArrowSchema

_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_New", _api))
# By the address of an object that is being destroyed, which must not be counted again.
_name = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_GetName", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_GetPointer", _api))

# Capsules point to their names.
_STREAM = ctypes.create_string_buffer(b"arrow_array_stream")
_SCHEMA = ctypes.create_string_buffer(b"arrow_schema")

# The structs in capsules, by their addresses.
_held: Dict[int, Union[ArrowArrayStream, ArrowSchema]] = {}


def _destroy(capsule: int) -> None:
    struct = _held.pop(_pointer(capsule, _name(capsule)))
    if struct.release:
        struct.release(ctypes.byref(struct))


_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)
# Capsules may be destroyed after this module, at the end of the interpreter.
_api.Py_IncRef(ctypes.py_object(_destructor))


def _capsule(struct: Union[ArrowArrayStream, ArrowSchema], name: ctypes.Array[ctypes.c_char]) -> object:
    address = ctypes.addressof(struct)
    _held[address] = struct
    return _new(address, ctypes.addressof(name), ctypes.cast(_destructor, ctypes.c_void_p))


def stream_capsule(stream: ArrowArrayStream) -> object:
    """A capsule that owns the stream."""
    return _capsule(stream, _STREAM)


def schema_capsule(schema: ArrowSchema) -> object:
    """A capsule that owns the schema."""
    return _capsule(schema, _SCHEMA)
