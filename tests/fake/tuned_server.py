"""A server whose best setting is known: python3 tuned_server.py PORT SLOTS [LOG] answers SLOTS requests at once, each after 20 ms, and dies at its start of
more than 16. With SLOTS a file, that is JSON: {"slots": 4, "fails": true} answers 500 to all but /health. /slots tells them, /set takes others in such JSON.
A request that nobody waits for any more takes its time all the same. Each start and each end by SIGTERM is a line of LOG."""

import http.server
import json
import os
import signal
import sys
import threading
import time

MOST_SLOTS, TIME_S = 16, 0.02


def settings_of(text):
    if not os.path.exists(text):
        return {"slots": int(text)}
    with open(text, encoding="utf-8") as file:
        return json.load(file)


SETTINGS = settings_of(sys.argv[2])
SLOTS = threading.Semaphore(SETTINGS["slots"])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status = 200
        if self.path not in ("/health", "/slots", "/set"):
            status = 500 if SETTINGS.get("fails") else 200
            with SLOTS:
                time.sleep(TIME_S)
        body = json.dumps(SETTINGS).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        global SLOTS
        if self.path == "/set":
            SETTINGS.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            SLOTS = threading.Semaphore(SETTINGS["slots"])
        self.do_GET()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True


def note(what):
    if len(sys.argv) > 3:
        with open(sys.argv[3], "a", encoding="utf-8") as log:
            log.write(f"{what} {os.getpid()} {SETTINGS['slots']}\n")


def leave(*_):
    note("end")
    os._exit(0)


if SETTINGS["slots"] > MOST_SLOTS:
    sys.exit(f"out of memory: {SETTINGS['slots']} slots do not fit")
signal.signal(signal.SIGTERM, leave)
server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
note("start")
server.serve_forever()
