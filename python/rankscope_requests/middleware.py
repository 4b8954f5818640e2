"""WSGI and ASGI applications whose requests are recorded.

What they show: the handler from its begin to its end, and sending. What a request waited for before (in the kernel, in the server, for a worker or a
thread of it) neither interface tells: its queue is not known. Of WSGI the answer's pieces are written by the server as it takes them from the
application; where these are made one by one, making them is sending, too.
"""


def _named(text):
    # "PATH_INFO" may be anything; a line of a file should not be.
    return text if len(text) <= 200 else text[:200]


class Wsgi:
    def __init__(self, recorder, application, method_of=None):
        self._recorder = recorder
        self._application = application
        self._method_of = method_of or (
            lambda environ: "%s %s" % (environ.get("REQUEST_METHOD", ""), environ.get("PATH_INFO", ""))
        )

    def __call__(self, environ, start_response):
        request = self._recorder.see(_named(str(self._method_of(environ))))
        if environ.get("HTTP_X_REQUEST_ID"):
            request.set_id(_named(environ["HTTP_X_REQUEST_ID"]))

        def start(status, headers, *more):
            _judge(request, status[:3])
            return start_response(status, headers, *more)

        request.begin()
        try:
            answer = _Answer(request, self._application(environ, start))
        except BaseException:
            request.fail(500)
            request.end()
            request.finish()
            raise
        request.end()
        return answer


class _Answer:
    """The answer's pieces. The server calls close() when it has sent them or cannot."""

    def __init__(self, request, pieces):
        self._request = request
        self._pieces = pieces
        self._iterator = iter(pieces)
        self._is_whole = False

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self._iterator)
        except StopIteration:
            self._is_whole = True
            raise

    def close(self):
        try:
            if hasattr(self._pieces, "close"):
                self._pieces.close()
        finally:
            if self._is_whole:
                self._request.sent()
            else:
                self._request.cancel()
            self._request.finish()


class Asgi:
    def __init__(self, recorder, application, method_of=None):
        self._recorder = recorder
        self._application = application
        self._method_of = method_of or (lambda scope: "%s %s" % (scope.get("method", ""), scope.get("path", "")))

    async def __call__(self, scope, receive, send):
        if scope.get("type") != "http":
            await self._application(scope, receive, send)
            return
        request = self._recorder.see(_named(str(self._method_of(scope))))
        for name, value in scope.get("headers", ()):
            if name.lower() == b"x-request-id" and value:
                request.set_id(_named(value.decode("latin-1")))
        is_sent = False

        async def watched_send(message):
            nonlocal is_sent
            if message["type"] == "http.response.start":
                _judge(request, str(message.get("status", "")))
            is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
            if is_last:
                request.end()
            await send(message)
            if is_last:
                is_sent = True
                request.sent()

        request.begin()
        try:
            await self._application(scope, receive, watched_send)
            if not is_sent:
                request.cancel()
        except BaseException:
            request.fail(500)
            raise
        finally:
            request.end()
            request.finish()


def _judge(request, status):
    if status.startswith("5"):
        request.fail(int(status))
