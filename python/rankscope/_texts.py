"""Python values as the texts that the library takes."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Iterable, Sequence, Tuple, Union

from ._errors import InvalidArgumentError
from ._library import RankscopeOption

# A number, a text such as "0,4-7", or numbers.
Numbers = Union[int, str, Iterable[int]]
Path = Union[str, "os.PathLike[str]"]


def option_text(value: Any) -> str:
    """True as 1, a list as its items with commas between them, anything else as it prints."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    try:
        return ",".join(str(item) for item in value)
    except TypeError:
        return str(value)


def encoded(text: str) -> bytes:
    """As the library takes texts, which end at a NUL."""
    if "\0" in text:
        raise InvalidArgumentError("a text for rankscope cannot hold a NUL")
    return os.fsencode(text)


def options_of(options: Dict[str, Any]) -> Tuple[Any, int]:
    """An array of rankscope_option and its length. What is None is not said."""
    said = [
        RankscopeOption(encoded(name), encoded(option_text(value)))
        for name, value in options.items()
        if value is not None
    ]
    return (RankscopeOption * len(said))(*said), len(said)


def texts_of(texts: Sequence[str]) -> Tuple[Any, int]:
    """An array of texts and its length."""
    return (ctypes.c_char_p * len(texts))(*[encoded(text) for text in texts]), len(texts)
