"""The recorder, requests under way, and locks."""

import atexit
import collections
import contextlib
import contextvars
import functools
import inspect
import itertools
import json
import os
import socket
import threading
import time

from .file import BoundedFile

_current = contextvars.ContextVar("rankscope_request", default=None)


def current():
    """The request that this thread or task works on, or None."""
    return _current.get()


class Request:
    """One request under way. Its moments are of time.monotonic_ns(); what is not called stays unknown. Methods never raise."""

    __slots__ = ("_recorder", "_line", "_place", "_lock_wait", "_lock_held", "_longest", "_before")

    def __init__(self, recorder, method, arrival, seen):
        self._recorder = recorder
        self._line = {"id": None, "method": method}
        if arrival is not None:
            self._line["arrival"] = arrival
        else:
            self._line["seen"] = seen
        self._place = None
        self._lock_wait = self._lock_held = self._longest = None
        self._before = None

    def dequeue(self, at=None):
        """A worker took it."""
        self._stamp("dequeue", at, "running")

    def begin(self, at=None):
        """Its arguments are read: the handler begins, and this thread or task works on it."""
        self._stamp("begin", at, "running")
        self._line["thread"] = threading.get_native_id()
        self._before = _current.get()
        _current.set(self)

    def end(self, at=None):
        """The handler has returned. The first call counts."""
        if "end" not in self._line:
            self._stamp("end", at, "sending")
        if _current.get() is self:
            _current.set(self._before)

    def sent(self, at=None):
        """The last byte of the answer was handed to the server."""
        self._line["sent"] = time.monotonic_ns() if at is None else at

    def finish(self):
        """It is over, and is written; what is called behind that does nothing."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder._finish(self)

    def set_id(self, text):
        self._line["id"] = text

    def set_method(self, text):
        self._line["method"] = text

    def set_batch(self, number, size):
        """Requests that the handler serves at once have a number in common."""
        self._line["batch"], self._line["batch_size"] = number, size

    def set_connection(self, number):
        self._line["connection"] = number

    def fail(self, code=0):
        self._line["status"] = "failed"
        if code:
            self._line["code"] = code

    def cancel(self):
        """The caller gave up. A request that failed before stays failed."""
        if self._line.get("status") != "failed":
            self._line["status"] = "cancelled"

    def add_lock_wait(self, ns, name=""):
        if self._lock_wait is None or ns > self._longest:
            self._longest = ns
            self._line["lock"] = name
        self._lock_wait = (self._lock_wait or 0) + ns

    def add_lock_held(self, ns):
        self._lock_held = (self._lock_held or 0) + ns

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.fail()
        self.end()
        self.finish()
        return False

    def _stamp(self, name, at, place):
        self._line[name] = time.monotonic_ns() if at is None else at
        recorder = self._recorder
        if recorder is not None:
            recorder._move(self, place)


class Recorder:
    """Writes a file of requests; safe to use from any thread.

    path         "{pid}" in it becomes the process's number; a process that is forked writes a file of its own, PATH with its number
    most_bytes   of the file and the one before it (PATH.1) together
    most_waiting records that wait to be written; what comes beyond is dropped and counted
    flush_s      how often a thread writes; 0: there is none, and flush() is yours to call
    """

    def __init__(self, path, service="", version="", most_bytes=256 << 20, most_waiting=8192, flush_s=0.1):
        self._given_path = path
        self._service, self._version = service, version
        self._most_bytes, self._most_waiting, self._flush_s = most_bytes, most_waiting, flush_s
        self.problem = ""
        self._start(path.replace("{pid}", str(os.getpid())))
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)
        atexit.register(self.close)

    # Requests.

    def arrive(self, method):
        """A request comes in now, and waits for a worker."""
        now = time.monotonic_ns()
        request = Request(self, method, now, now)
        self._sees_queue = True
        self._move(request, "queued")
        return request

    def see(self, method, arrival=None):
        """One that is seen late: when it came is known from elsewhere (by time.monotonic_ns), or None: not known."""
        if arrival is not None:
            self._is_blind = True
        return Request(self, method, arrival, time.monotonic_ns())

    def request(self, method):
        """For `with`: a request whose handler begins now, of which nothing before is known."""
        request = self.see(method)
        request.begin()
        return request

    def handler(self, function=None, *, method=None):
        """A decorator for functions and coroutines: each call is a request, named as the function is."""
        if function is None:
            return functools.partial(self.handler, method=method)
        name = method or function.__name__

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call(*arguments, **named):
                with self.request(name):
                    return await function(*arguments, **named)

        else:

            @functools.wraps(function)
            def call(*arguments, **named):
                with self.request(name):
                    return function(*arguments, **named)

        return call

    def wsgi(self, application, method_of=None):
        """The application, its requests recorded. method_of(environ): the name of the method; "GET /path" without."""
        from .middleware import Wsgi

        return Wsgi(self, application, method_of)

    def asgi(self, application, method_of=None):
        """The application, its HTTP requests recorded. method_of(scope): the name of the method; "GET /path" without."""
        from .middleware import Asgi

        return Asgi(self, application, method_of)

    # Writing.

    @property
    def dropped(self):
        """Requests that are not in the file."""
        return self._dropped

    @property
    def path(self):
        return self._path

    def flush(self):
        """Writes what is there; requests never wait for it."""
        with self._writing:
            self._write_all()

    def close(self):
        """Writes what is there and ends the recorder's thread; what comes behind it is dropped and counted."""
        self._is_closed = True
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self.flush()
        atexit.unregister(self.close)

    def _start(self, path):
        self._path = path
        self._records = collections.deque()
        self._numbers = itertools.count(1)
        self._counting = threading.Lock()
        self._places = {"queued": 0, "running": 0, "sending": 0}
        self._sees_queue = self._is_blind = False
        self._dropped = self._last_dropped = 0
        self._was_idle = True
        self._writing = threading.Lock()
        self._wake = threading.Event()
        self._is_closed = False
        self._thread = None
        self._file = None
        try:
            self._file = BoundedFile(path, self._most_bytes, self._header)
        except OSError as error:
            self.problem = "%s: %s" % (path, error.strerror or error)
            return
        if self._flush_s > 0:
            self._thread = threading.Thread(target=self._run, name="rankscope_requests", daemon=True)
            self._thread.start()

    def _after_fork(self):
        if self._is_closed:
            return
        if self._file is not None:
            self._file.close()  # the parent's, which it goes on writing to
        own = self._given_path.replace("{pid}", str(os.getpid()))
        self._start(own if own != self._path else "%s.%d" % (self._path, os.getpid()))

    def _move(self, request, place):
        with self._counting:
            if request._place is not None:
                self._places[request._place] -= 1
            if place is not None:
                self._places[place] += 1
        request._place = place

    def _finish(self, request):
        self._move(request, None)
        if self._is_closed or self._file is None or len(self._records) >= self._most_waiting:
            self._drop(1)
            return
        if request._line["id"] is None:
            request._line["id"] = str(next(self._numbers))
        self._records.append(request)

    def _header(self):
        monotonic, wall = time.monotonic_ns(), time.time_ns()
        return _line(
            {
                "rankscope_requests": 1,
                "unit": "ns",
                "clock": "CLOCK_MONOTONIC",
                "monotonic": monotonic,
                "wall_clock": "CLOCK_REALTIME",
                "wall": wall,
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "service": self._service,
                "version": self._version,
                "recorder": "Python 1",
                "dropped": self._dropped,
            }
        )

    def _run(self):
        while not self._is_closed:
            self._wake.wait(self._flush_s)
            self.flush()

    def _write_all(self):
        if self._file is None:
            return
        self._append([self._sample()], 0)
        while self._records:
            piece = []
            for _ in range(min(200, len(self._records))):
                try:
                    piece.append(_line_of(self._records.popleft()))
                except Exception:  # a value of the service that cannot be written
                    self._drop(1)
            self._append(piece, len(piece))

    def _append(self, lines, requests):
        text = "".join(lines)
        if not text:
            return
        try:
            self._file.append(text)
        except (OSError, ValueError):
            self._drop(requests)

    def _drop(self, requests):
        with self._counting:
            self._dropped += requests

    def _sample(self):
        with self._counting:
            places, dropped = dict(self._places), self._dropped
        is_idle = not any(places.values())
        if is_idle and self._was_idle and dropped == self._last_dropped:
            return ""
        self._was_idle, self._last_dropped = is_idle, dropped
        if not self._sees_queue or self._is_blind:
            del places["queued"]
        return _line({"sample": time.monotonic_ns(), **places, "dropped": dropped})


def _line(values):
    return json.dumps(values, default=str, ensure_ascii=False, separators=(",", ":")) + "\n"


def _line_of(request):
    line = request._line
    line.setdefault("status", "done")
    if request._lock_wait is not None:
        line["lock_wait"] = request._lock_wait
        line["lock_held"] = request._lock_held or 0
    return _line(line)


@contextlib.contextmanager
def waiting_for_lock(name=""):
    """Adds how long its body takes to what the current request waits for locks: for what is acquired in it."""
    begin = time.monotonic_ns()
    try:
        yield
    finally:
        request = current()
        if request is not None:
            request.add_lock_wait(time.monotonic_ns() - begin, name)


@contextlib.contextmanager
def lock(mutex, name=""):
    """Holds `mutex` (with acquire and release), and notes how long the current request waited for it and held it."""
    request = current()
    waited = 0
    if not mutex.acquire(blocking=False):
        begin = time.monotonic_ns()
        mutex.acquire()
        waited = time.monotonic_ns() - begin
    taken = time.monotonic_ns()
    if request is not None:
        request.add_lock_wait(waited, name)
    try:
        yield
    finally:
        mutex.release()
        if request is not None:
            request.add_lock_held(time.monotonic_ns() - taken)
