"""Calls of the library that take long: with progress, notices, and Ctrl-C.

The library is asked on a thread of its own while the main thread waits, so that Python sees Ctrl-C at once; it stops the call, waits
until that has ended, and goes on as KeyboardInterrupt. Other threads, which no signal reaches, ask themselves.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
import weakref
from types import FrameType
from typing import Any, Callable, List, Optional

from ._errors import Notice
from ._library import ON_NOTICE, ON_PROGRESS, RankscopeCall, check, library, take_text
from ._progress import Progress, ProgressChoice, ProgressLine, teller

# What is done with a call: gets a pointer to rankscope_call, returns the rankscope_status.
Work = Callable[[Any], Any]


def run(work: Work, progress: ProgressChoice = None) -> None:
    """Does the work; raises its error. Notices are told as warnings of who called the package."""
    notices: List[str] = []
    cancel = _Cancel()
    line = ProgressLine()
    tell = teller(progress, line)

    failures: List[BaseException] = []

    def on_progress(_user: Optional[int], told: Any) -> None:
        if tell is None or failures:
            return
        now = told.contents
        try:
            tell(Progress(now.files_done, now.files, now.bytes_done, now.bytes))
        except BaseException as failure:  # pylint: disable=broad-except
            # Of the user's function: it ends the call, and is raised where the call was made.
            failures.append(failure)
            cancel.set()

    def on_notice(_user: Optional[int], sentence: bytes) -> None:
        notices.append(sentence.decode("utf-8", "replace"))

    try:
        call = RankscopeCall(
            ctypes.sizeof(RankscopeCall),
            cancel.handle,
            None,
            ON_PROGRESS(on_progress) if tell is not None else ctypes.cast(0, ON_PROGRESS),
            ON_NOTICE(on_notice),
        )
        error = _ask(lambda: work(ctypes.byref(call)), cancel)
    finally:
        line.end()
    if failures:
        raise failures[0]
    for notice in notices:
        warnings.warn(notice, Notice, stacklevel=_level_of_user() - 1)
    if error is not None:
        raise error


def _level_of_user() -> int:
    """How many calls lie between here and who called the package, whose line a warning names."""
    frame: Optional[FrameType] = sys._getframe()
    level = 1
    package = os.path.join(os.path.dirname(__file__), "")
    while frame is not None and frame.f_code.co_filename.startswith(package):
        frame = frame.f_back
        level += 1
    return level


class _Cancel:
    """A rankscope_cancel, which lives as long as somebody may look at it."""

    def __init__(self) -> None:
        self.handle = ctypes.c_void_p()
        check(library.rankscope_cancel_new(ctypes.byref(self.handle)))
        weakref.finalize(self, library.rankscope_cancel_free, self.handle)

    def set(self) -> None:
        library.rankscope_cancel_set(self.handle)


class _Asking:
    """The work of a call, done by another thread."""

    def __init__(self, work: Callable[[], Any], cancel: _Cancel) -> None:
        self._work = work
        self._cancel = cancel
        self._lock = threading.Lock()
        self._is_begun = False
        self._is_given_up = False
        self._is_over = threading.Event()
        self.error: Optional[BaseException] = None

    def do(self) -> None:
        """What the thread does. Nothing where nobody waits any more."""
        with self._lock:
            if self._is_given_up:
                return
            self._is_begun = True
        try:
            check(self._work())  # its sentence is of the thread that asked
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
        self._is_over.set()

    def wait(self) -> None:
        """Until it is over. Ctrl-C comes here, at any place of it, and stops the work first."""
        try:
            threading.Thread(target=self.do, name="rankscope", daemon=True).start()
            self._is_over.wait()
        except BaseException:
            with self._lock:
                self._is_given_up = True
            while self._is_begun and not self._is_over.is_set():
                try:
                    self._cancel.set()
                    self._is_over.wait()
                except KeyboardInterrupt:
                    continue
            raise


def _ask(work: Callable[[], Any], cancel: _Cancel) -> Optional[BaseException]:
    """The error of the work, if it has one."""
    asking = _Asking(work, cancel)
    if threading.current_thread() is threading.main_thread():
        asking.wait()
    else:
        asking.do()
    return asking.error


def handle_of(work: Callable[[Any, Any], Any], free: Callable[[Any], Any], progress: ProgressChoice) -> ctypes.c_void_p:
    """What the library gives by a pointer; freed where nobody gets it."""
    handle = ctypes.c_void_p()
    try:
        run(lambda call: work(call, ctypes.byref(handle)), progress)
    except BaseException:
        free(handle)
        raise
    return handle


def text_of(work: Callable[[Any, Any, Any], Any], progress: ProgressChoice = None) -> str:
    """A text that the library gives."""
    size = ctypes.c_size_t()
    pointer = handle_of(
        lambda call, text: work(call, text, ctypes.byref(size)),
        library.rankscope_text_free,
        progress,
    )
    return take_text(pointer, size)
