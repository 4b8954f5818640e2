"""How far reading is: on a terminal, in a notebook, or told to the user's function."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any, Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """How far reading is. Bytes are those of the files as they lie on disk."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int


# None: a line on a terminal or in a notebook; False: nothing; or a function that is told, by any thread. It returns soon and asks the job nothing;
# an exception of it ends the call.
ProgressChoice = Union[None, bool, Callable[[Progress], None]]


class _Terminal:
    """A line of standard error."""

    def show(self, text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


class _Notebook:
    """A text below a notebook's cell that is written again in its place."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, text: str) -> None:
        content = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _place() -> Union[_Terminal, _Notebook, None]:
    # Who runs in a notebook's kernel has IPython imported.
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is not None:
        return _Notebook(importlib.import_module("IPython.display").display)
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else None


class ProgressLine:
    """One line on a terminal or in a notebook, for work that takes more than half a second."""

    def __init__(self, verb: str = "reading") -> None:
        self._verb = verb
        self._start = time.monotonic()
        self._last = self._start
        self._is_shown = False
        self._place = _place()

    @property
    def is_seen(self) -> bool:
        return self._place is not None

    def update(self, progress: Progress) -> None:
        now = time.monotonic()
        if self._place is None or now - self._start < 0.5 or now - self._last < 0.1:
            return
        self._last = now
        self._is_shown = True
        percent = 100 * progress.bytes_done // progress.bytes if progress.bytes else 0
        what = f"{self._verb} {progress.files_done} of {progress.files} files" if progress.files else self._verb
        self._place.show(f"{what}: {percent}%")

    def end(self) -> None:
        if self._is_shown and self._place is not None:
            self._place.show("")
        self._is_shown = False


def teller(choice: ProgressChoice, line: ProgressLine) -> Optional[Callable[[Progress], None]]:
    """Who is told; None: nobody."""
    if callable(choice):
        return choice
    return None if choice is False or not line.is_seen else line.update
