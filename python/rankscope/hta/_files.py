"""Text files that may be packed with gzip."""

from __future__ import annotations

import gzip
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal


def open_text(path: str, mode: 'Literal["rt", "wt"]' = "rt") -> IO[str]:
    """Opens a file for reading or writing, through gzip where its name ends in gz."""
    if path.endswith("gz"):
        return gzip.open(path, mode, encoding="utf-8")
    return open(path, mode, encoding="utf-8")
