"""Text files that may be packed with gzip."""

from __future__ import annotations

import gzip
import io
from typing import TextIO


def open_text(path: str, mode: str = "r") -> TextIO:
    """Opens a file for reading or writing, through gzip where its name ends in gz."""
    if path.endswith("gz"):
        return io.TextIOWrapper(gzip.GzipFile(path, mode), encoding="utf-8")
    return open(path, mode, encoding="utf-8")
