"""How far reading is: on a terminal, or told to the user's function."""

from __future__ import annotations

import sys
import time
from typing import Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """How far reading is. Bytes are those of the files as they lie on disk."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int


# None: a line on a terminal; False: nothing; or a function that is told, by any thread. It returns soon and asks the job nothing;
# an exception of it ends the call.
ProgressChoice = Union[None, bool, Callable[[Progress], None]]


class TerminalLine:
    """One line on standard error, where that is a terminal, for work that takes more than half a second."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._last = self._start
        self._is_shown = False
        self.is_terminal = sys.stderr is not None and sys.stderr.isatty()

    def update(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._start < 0.5 or now - self._last < 0.1:
            return
        self._last = now
        self._is_shown = True
        percent = 100 * progress.bytes_done // progress.bytes if progress.bytes else 0
        what = f"reading {progress.files_done} of {progress.files} files" if progress.files else "reading"
        sys.stderr.write(f"\r\x1b[K{what}: {percent} %")
        sys.stderr.flush()

    def end(self) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._is_shown = False


def teller(choice: ProgressChoice, line: TerminalLine) -> Optional[Callable[[Progress], None]]:
    """Who is told; None: nobody."""
    if callable(choice):
        return choice
    return None if choice is False or not line.is_terminal else line.update
