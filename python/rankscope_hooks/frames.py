"""Python's calls by `sys.setprofile`, named as Kineto names them."""

import os
import sys
import threading
import time


class Recording:
    """Calls of the thread that makes it and of threads that begin later, until `end`. `frame`: the innermost one that shall be seen."""

    def __init__(self, frame):
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

    def end(self):
        """The calls: (category, thread, start in ns, end in ns, name, arguments)."""
        sys.setprofile(None)
        threading.setprofile(None)
        end_ns = time.perf_counter_ns()
        frames = []
        for thread, calls in self._calls.items():
            opened = self._open if thread == self._main else []
            number = os.getpid() if thread == self._main else self._numbers[thread]
            frames += self._ranges(calls, opened, number, end_ns, len(frames))
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
        stack = []

        def push(at_ns, called):
            name = self._names.of(called)
            arguments = {"Python id": first_id + len(ranges) + 1}
            if stack:
                arguments["Python parent id"] = ranges[stack[-1]][5]["Python id"]
            stack.append(len(ranges))
            ranges.append(["python_function", thread, at_ns, end_ns, name, arguments])

        for code in opened:
            push(self._start_ns, code)
        for at_ns, event, called in zip(calls[0::3], calls[1::3], calls[2::3]):
            if event in ("call", "c_call"):
                push(at_ns, called)
            elif stack:
                ranges[stack.pop()][3] = at_ns
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
