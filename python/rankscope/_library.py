"""librankscope: where it lies, and the types of its functions (rankscope.h)."""

from __future__ import annotations

import ctypes
import os
from typing import Iterator, Optional

from ._arrow import ArrowArrayStream, ArrowSchema
from ._errors import Error, error_of

_NAME = "librankscope.so.1"
_ABI_VERSION = 1

TEXT_AS_DICTIONARY = 1


class RankscopeProgress(ctypes.Structure):
    """rankscope_progress."""

    _fields_ = [
        ("files_done", ctypes.c_uint64),
        ("files", ctypes.c_uint64),
        ("bytes_done", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
    ]


ON_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(RankscopeProgress))
ON_NOTICE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class RankscopeCall(ctypes.Structure):
    """rankscope_call."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("cancel", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
        ("on_progress", ON_PROGRESS),
        ("on_notice", ON_NOTICE),
    ]


class RankscopeOption(ctypes.Structure):
    """rankscope_option."""

    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


def _places() -> Iterator[str]:
    named = os.environ.get("RANKSCOPE_LIBRARY")
    if named:
        yield named
        return
    here = os.path.dirname(os.path.abspath(__file__))
    # Beside the package; in a build folder; where cmake --install puts both.
    for folder in (".", "../../bin", "../../.."):
        # build/python is a link: by the names, not by where it leads.
        path = os.path.normpath(os.path.join(here, folder, _NAME))
        if os.path.exists(path):
            yield path
    yield _NAME  # where the system looks


def _load() -> ctypes.CDLL:
    problem: Optional[OSError] = None
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            problem = problem or error
    raise ImportError(f"rankscope needs its library {_NAME}: {problem}. RANKSCOPE_LIBRARY=PATH names one")


def _declare(library: ctypes.CDLL) -> None:
    text, size, handle = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
    call = ctypes.POINTER(RankscopeCall)
    options = (ctypes.POINTER(RankscopeOption), size)
    texts = (ctypes.POINTER(ctypes.c_char_p), size)
    into_handle = ctypes.POINTER(ctypes.c_void_p)
    into_text = (ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t))
    functions = {
        "abi_version": (ctypes.c_uint32, ()),
        "version": (text, ()),
        "last_error": (text, ()),
        "cancel_new": (ctypes.c_int32, (into_handle,)),
        "cancel_set": (None, (handle,)),
        "cancel_free": (None, (handle,)),
        "open": (ctypes.c_int32, (*texts, *options, call, into_handle)),
        "close": (None, (handle,)),
        "table_free": (None, (handle,)),
        "table_row_count": (ctypes.c_uint64, (handle,)),
        "table_schema": (ctypes.c_int32, (handle, ctypes.c_uint32, ctypes.POINTER(ArrowSchema))),
        "table_stream": (ctypes.c_int32, (handle, ctypes.c_uint32, ctypes.POINTER(ArrowArrayStream))),
        "job_table": (ctypes.c_int32, (handle, text, *options, call, into_handle)),
        "job_query": (ctypes.c_int32, (handle, text, *options, call, into_handle)),
        "job_what_if": (ctypes.c_int32, (handle, *texts, call, into_handle)),
        "text_free": (None, (handle,)),
        "job_report": (ctypes.c_int32, (handle, text, call, *into_text)),
        "job_findings": (ctypes.c_int32, (handle, call, *into_text)),
        "job_info": (ctypes.c_int32, (handle, *into_text)),
        "diff": (ctypes.c_int32, (handle, handle, text, call, *into_text)),
        "diff_table": (ctypes.c_int32, (handle, handle, text, call, into_handle)),
        "catalog": (ctypes.c_int32, into_text),
        "explain": (ctypes.c_int32, (text, *into_text)),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, "rankscope_" + name)
        function.restype = result
        function.argtypes = arguments


def _checked() -> ctypes.CDLL:
    library = _load()
    try:
        library.rankscope_abi_version.restype = ctypes.c_uint32
        found = library.rankscope_abi_version()
        if found != _ABI_VERSION:
            raise ImportError(f"{library._name} has interface {found}, and this package needs {_ABI_VERSION}")
        _declare(library)
    except AttributeError as error:
        raise ImportError(f"{library._name} is older than this package: {error}") from error
    return library


library = _checked()


def version() -> str:
    """The library's version, such as 0.1.0."""
    return str(library.rankscope_version().decode())


def last_error(status: int) -> Error:
    """The exception of what this thread asked last."""
    return error_of(status, library.rankscope_last_error().decode("utf-8", "replace"))


def check(status: int) -> None:
    """Raises what went wrong, if anything did."""
    if status != 0:
        raise last_error(status)


def take_text(pointer: ctypes.c_void_p, size: ctypes.c_size_t) -> str:
    """A text that the library gave, which is freed."""
    try:
        return ctypes.string_at(pointer.value or 0, size.value).decode("utf-8", "replace")
    finally:
        library.rankscope_text_free(pointer)
