"""Python's calls by `sys.setprofile`, named as Kineto names them."""

import os
import sys
import threading
import time


class Recording:
    """Calls of the thread that makes it and of threads that begin later, until `stop`."""

    def __init__(self):
        frame = sys._getframe()
        self._start_ns = time.perf_counter_ns()
        self._open = []
        while frame is not None:
            self._open.append(frame.f_code)
            frame = frame.f_back
        self._open.reverse()
        self._main = threading.get_ident()
        self._calls = {}
        self._numbers = {}
        self._names = _Names()
        threading.setprofile(self._begin_thread)
        sys.setprofile(self._callback())

    def stop(self):
        sys.setprofile(None)
        threading.setprofile(None)
        self._end_ns = time.perf_counter_ns()

    def calls(self):
        """What was called until `stop`: (category, thread, start in ns, end in ns, name, arguments)."""
        frames = []
        for thread, calls in self._calls.items():
            opened = self._open if thread == self._main else []
            number = os.getpid() if thread == self._main else self._numbers[thread]
            frames += self._ranges(calls, opened, number, self._end_ns, len(frames))
        return frames

    def _begin_thread(self, frame, event, argument):
        callback = self._callback()
        sys.setprofile(callback)
        callback(frame, event, argument)

    def _callback(self):
        calls = []  # numbers, texts and code objects alone: what the garbage collector counts would make it run
        self._calls[threading.get_ident()] = calls
        self._numbers[threading.get_ident()] = threading.get_native_id()
        append = calls.append
        now = time.perf_counter_ns

        def callback(frame, event, argument):
            append(now())
            append(event)
            append(
                argument.__qualname__ if event[1] == "_" else frame.f_code
            )  # c_call and its like: a function without code

        return callback

    def _ranges(self, calls, opened, thread, end_ns, first_id):
        ranges = []
        stack = []  # of what is open: its range, and what was called

        def push(at_ns, called):
            name = self._names.of(called)
            arguments = {"Python id": first_id + len(ranges) + 1}
            if stack:
                arguments["Python parent id"] = ranges[stack[-1][0]][5]["Python id"]
            stack.append((len(ranges), called))
            ranges.append(["python_function", thread, at_ns, end_ns, name, arguments])

        # What is open from begin to end is nested by a nanosecond, so that its order can be seen.
        for depth, code in enumerate(opened):
            push(self._start_ns - len(opened) + depth, code)
        for at_ns, event, called in zip(calls[0::3], calls[1::3], calls[2::3]):
            if event in ("call", "c_call"):
                push(at_ns, called)
            elif stack and stack[-1][1] == called:  # else of a call that began before
                ranges[stack.pop()[0]][3] = at_ns
        for above, (open_range, _) in enumerate(reversed(stack)):
            ranges[open_range][3] = end_ns + above
        return [tuple(range_) for range_ in ranges]


class _Names:
    """`train.py(12): main` for a function of Python, with its path less the folder of sys.path that it lies in; else as C functions print."""

    def __init__(self):
        self._known = {}
        folders = {os.path.abspath(folder) + os.sep for folder in sys.path}
        self._folders = sorted(folders, key=len, reverse=True)

    def of(self, called):
        if called not in self._known:
            self._known[called] = self._c_function(called) if isinstance(called, str) else self._function(called)
        return self._known[called]

    def _c_function(self, name):
        kind, _, method = name.rpartition(".")
        return "<built-in method %s of %s object>" % (method, kind) if kind else "<built-in function %s>" % name

    def _function(self, code):
        path = code.co_filename
        for folder in self._folders:
            if path.startswith(folder):
                path = path[len(folder) :]
                break
        return "%s(%d): %s" % (path, code.co_firstlineno, code.co_name)
