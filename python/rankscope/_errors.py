"""Errors and notices of the program, with its own sentences."""

from __future__ import annotations

from typing import Dict, Type


class Error(Exception):
    """What went wrong, in one sentence. Each error is one of the subclasses."""


class InvalidArgumentError(Error, ValueError):
    """What was asked for makes no sense: a table or an option that there is not, a mistake in SQL."""


class NotFoundError(Error, LookupError):
    """A file, rank or step is not there."""


class BadDataError(Error):
    """The input cannot be used."""


class IoError(Error, OSError):
    """The operating system said no."""


class ResourceError(Error):
    """A limit of memory, disk or size was hit."""


class CancelledError(Error):
    """It was stopped."""


class InternalError(Error):
    """A bug of rankscope."""


class Notice(UserWarning):
    """What is worth knowing beside a result, such as files that were left out. Told by the module warnings."""


# By rankscope_status.
_BY_STATUS: Dict[int, Type[Error]] = {
    1: InvalidArgumentError,
    2: NotFoundError,
    3: BadDataError,
    4: IoError,
    5: ResourceError,
    6: CancelledError,
    7: InternalError,
}


def error_of(status: int, sentence: str) -> Error:
    """The exception of a rankscope_status that is not RANKSCOPE_OK."""
    return _BY_STATUS.get(status, InternalError)(sentence)
