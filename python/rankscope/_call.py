"""Calls of the library that take long: with progress, notices, and Ctrl-C.

The library is asked on a thread of its own while the main thread waits, so that Python sees Ctrl-C at once; it stops the call, waits
until that has ended, and goes on as KeyboardInterrupt. Other threads, which no signal reaches, ask themselves.
"""

from __future__ import annotations

import ctypes
import threading
import warnings
from typing import Any, Callable, List, Optional

from ._errors import Error, Notice
from ._library import ON_NOTICE, ON_PROGRESS, RankscopeCall, check, last_error, library, take_text
from ._progress import Progress, ProgressChoice, TerminalLine, teller

# What is done with a call: gets a pointer to rankscope_call, returns the rankscope_status.
Work = Callable[[Any], Any]


def run(work: Work, progress: ProgressChoice = None, stack_level: int = 3) -> None:
    """Does the work; raises its error. Notices are told as warnings of who called the package."""
    notices: List[str] = []
    line = TerminalLine()
    tell = teller(progress, line)

    def on_progress(_user: Optional[int], told: Any) -> None:
        if tell is not None:
            now = told.contents
            tell(Progress(now.files_done, now.files, now.bytes_done, now.bytes))

    def on_notice(_user: Optional[int], sentence: bytes) -> None:
        notices.append(sentence.decode("utf-8", "replace"))

    cancel = ctypes.c_void_p()
    check(library.rankscope_cancel_new(ctypes.byref(cancel)))
    try:
        call = RankscopeCall(
            ctypes.sizeof(RankscopeCall),
            cancel,
            None,
            ON_PROGRESS(on_progress) if tell is not None else ctypes.cast(0, ON_PROGRESS),
            ON_NOTICE(on_notice),
        )
        error = _ask(lambda: work(ctypes.byref(call)), cancel)
    finally:
        line.end()
        library.rankscope_cancel_free(cancel)
    for notice in notices:
        warnings.warn(notice, Notice, stacklevel=stack_level)
    if error is not None:
        raise error


def _ask(work: Callable[[], Any], cancel: ctypes.c_void_p) -> Optional[Error]:
    """The error of the work, if it has one."""
    errors: List[Error] = []

    def ask() -> None:
        status = work()
        if status != 0:
            errors.append(last_error(status))  # of the thread that asked

    if threading.current_thread() is not threading.main_thread():
        ask()
        return errors[0] if errors else None
    asking = threading.Thread(target=ask, name="rankscope", daemon=True)
    asking.start()
    try:
        asking.join()
    except BaseException:
        library.rankscope_cancel_set(cancel)
        _wait(asking)
        raise
    return errors[0] if errors else None


def _wait(thread: threading.Thread) -> None:
    """Until it has ended, whatever signals come: what it uses is the caller's."""
    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt:
            continue


def handle_of(
    work: Callable[[Any, Any], Any], free: Callable[[Any], Any], progress: ProgressChoice, stack_level: int = 4
) -> ctypes.c_void_p:
    """What the library gives by a pointer; freed where nobody gets it."""
    handle = ctypes.c_void_p()
    try:
        run(lambda call: work(call, ctypes.byref(handle)), progress, stack_level)
    except BaseException:
        free(handle)
        raise
    return handle


def text_of(work: Callable[[Any, Any, Any], Any], progress: ProgressChoice = None, stack_level: int = 4) -> str:
    """A text that the library gives."""
    size = ctypes.c_size_t()
    pointer = handle_of(
        lambda call, text: work(call, text, ctypes.byref(size)),
        library.rankscope_text_free,
        progress,
        stack_level + 1,
    )
    return take_text(pointer, size)
