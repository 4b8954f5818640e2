"""Starts the server of tuned_server.py anew as a service: python3 tuned_service.py FOLDER PORT [SECONDS]. Its settings are FOLDER/settings.json, its process
stands in FOLDER/pid. With SECONDS, settings other than two slots are taken so late, as they were at first; FOLDER/late has the process that waits. Returns
when the old one has gone and the new one listens, or has died (exit code 1)."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

FOLDER, PORT = sys.argv[1], sys.argv[2]
PID = os.path.join(FOLDER, "pid")


def listens():
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", int(PORT))) == 0


settings = os.path.join(FOLDER, "settings.json")
if len(sys.argv) > 3:
    with open(settings, encoding="utf-8") as file:
        slots = json.load(file)["slots"]
    if slots != 2:
        with open(os.path.join(FOLDER, "late"), "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))
        time.sleep(float(sys.argv[3]))
    settings = str(slots)
if os.path.exists(PID):
    with open(PID, encoding="utf-8") as file:
        old = int(file.read())
    try:
        os.kill(old, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while listens():
        time.sleep(0.01)
server = subprocess.Popen(  # pylint: disable=consider-using-with
    [
        sys.executable,
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "tuned_server.py"),
        PORT,
        settings,
    ],
    stdin=subprocess.DEVNULL,
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
    start_new_session=True,
)
with open(PID, "w", encoding="utf-8") as file:
    file.write(str(server.pid))
while not listens():
    if server.poll() is not None:
        sys.exit("the server has died")
    time.sleep(0.01)
