"""Records what becomes of each request of a Python service, for `rankscope serving` (docs/record-requests.md).

Python 3.8 and later; needs nothing but its standard library, so that the folder may be copied. The file is that of the C++ recorder.

    import rankscope_requests

    recorder = rankscope_requests.Recorder("requests-{pid}.jsonl", service="ranker")
    application = recorder.wsgi(application)       # or recorder.asgi(application)

    @recorder.handler                              # a function that is called for each request
    def rank(question): ...

    with recorder.request("rank") as request:      # or by hand
        with rankscope_requests.lock(mutex, "index"):
            ...

A request never waits for the file: its record goes into a bounded deque that a thread of the recorder's own writes. What does not fit is counted
and said in the file. No exception of the recorder reaches the service.
"""

from .recorder import Recorder, Request, current, lock, waiting_for_lock

__all__ = ["Recorder", "Request", "current", "lock", "waiting_for_lock"]
