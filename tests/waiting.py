"""How tests wait: until what they need is there, never for a time, so that none depends on how fast the machine is.

LIMIT_S is the one limit: for what never comes. A test that must show that something does not happen counts work instead (readings of a
source, polls of a process) and looks then."""

import time

LIMIT_S = 300
PAUSE_S = 0.02


def until(condition, what=None, pause_s=PAUSE_S):
    """What condition() gives, as soon as it is true. `what` says what it is that did not come: a text, or a function that gives one."""
    end = time.monotonic() + LIMIT_S
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(
                f"in {LIMIT_S} s it did not come to that: {what() if callable(what) else what or condition}"
            )
        time.sleep(pause_s)
