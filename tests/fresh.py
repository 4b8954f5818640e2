#!/usr/bin/env python3
"""The README's commands in a bare Debian 12: `./dev fresh [demo] [-- COMMAND...]`.

    fresh.py CACHE [demo] [-- COMMAND...]

Makes a root in CACHE/fresh (clean_root.py), clones HEAD into its /root/rankscope and runs `./dev demo --no-serve` and `./dev test` there;
with `demo` the first alone. With `-- COMMAND...` it runs that command in the clone of the root that is there. Says how long each took."""

import os
import subprocess
import sys
import time

import clean_root

PLACE = "/root/rankscope"


def main(cache, *words):
    if os.geteuid() != 0:
        sys.exit("dev fresh: it takes root to change the root: sudo ./dev fresh")
    root = clean_root.Debian(cache)
    if "--" in words:
        commands = [words[words.index("--") + 1 :]]
    else:
        if words not in ((), ("demo",)):
            sys.exit(__doc__)
        root.make()
        repository = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True
        ).stdout.strip()
        root.clone(repository, PLACE)
        commands = [("./dev", "demo", "--no-serve"), ("./dev", "test")][: 1 if words else 2]
    for command in commands:
        print("$ " + " ".join(command), flush=True)
        begun = time.monotonic()
        code = root.run("sh", "-c", f'cd {PLACE} && exec "$@"', "sh", *command)
        minutes, seconds = divmod(round(time.monotonic() - begun), 60)
        print(
            f"== {' '.join(command)}: {'done' if code == 0 else f'FAILED with {code}'} after {minutes}:{seconds:02}",
            flush=True,
        )
        if code != 0:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
