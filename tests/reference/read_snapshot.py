"""An independent reader of memory snapshots and memory timelines: Python's own pickle with every class refused, and the
sums that rankscope's tables hold, the simplest way. Bytes are as requested."""

import collections
import gzip
import json
import pickle


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def open_any(path):
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if is_gzip else open(path, "rb")


def load(path):
    with open_any(path) as file:
        return PlainUnpickler(file).load()


def key_of(frames):
    """A stack as rankscope writes it, but for the files' folders."""
    words = []
    for frame in frames:
        file = frame["filename"].rsplit("/", 1)[-1]
        words.append(frame["name"] if file in ("", "??") else f"{frame['name']} ({file}:{frame['line']})")
    return " <- ".join(words)


def describe(path, device=0):
    """Levels after each event, peak, and sums by stack, of one device."""
    made = load(path)
    events = made["device_traces"][device] if device < len(made["device_traces"]) else []
    segments = [one for one in made["segments"] if one["device"] == device]
    blocks = [block for segment in segments for block in segment["blocks"] if block["state"] != "inactive"]
    # [address, size, begin, freed, end, stack]; numbers of events.
    live, lives = {}, []
    for number, event in enumerate(events):
        address = event.get("addr")
        if event["action"] == "alloc":
            assert address not in live, "the reference knows no lost frees"
            live[address] = [address, event["size"], number, None, None, key_of(event["frames"])]
            lives.append(live[address])
        elif event["action"] in ("free_requested", "free_completed"):
            if address not in live:
                live[address] = [address, event["size"], -1, None, None, key_of(event["frames"])]
                lives.append(live[address])
                if event["action"] == "free_completed":
                    live[address][3] = -1
            if event["action"] == "free_requested":
                live[address][3] = number
            else:
                live[address][4] = number
                if live[address][3] is None:
                    live[address][3] = number
                del live[address]
    for block in blocks:
        if block["address"] in live:
            assert live[block["address"]][1] == block["requested_size"]
        else:
            pending = block["state"] != "active_allocated"
            lives.append(
                [block["address"], block["requested_size"], -1, -1 if pending else None, None, key_of(block["frames"])]
            )
    reserved = sum(segment["total_size"] for segment in segments)
    signs = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}
    reserved -= sum(signs.get(event["action"], 0) * event["size"] for event in events)

    def changes(end):
        by_event = collections.Counter()
        for one in lives:
            by_event[one[2]] += one[1]
            if one[end] is not None:
                by_event[one[end]] -= one[1]
        return by_event

    allocated, active = changes(3), changes(4)
    levels = []
    held, alive = allocated[-1], active[-1]
    levels.append((-1, held, alive, reserved))
    for number, event in enumerate(events):
        held += allocated[number]
        alive += active[number]
        reserved += signs.get(event["action"], 0) * event["size"]
        levels.append((number, held, alive, reserved))
    peak = max(range(len(levels)), key=lambda i: (levels[i][2], -i))
    at = levels[peak][0]
    by_stack = collections.defaultdict(lambda: collections.Counter())
    for one in lives:
        sums = by_stack[one[5]]
        if one[2] <= at and (one[4] is None or one[4] > at):
            sums["peak_bytes"] += one[1]
            sums["peak_count"] += 1
        if one[4] is None:
            sums["end_bytes"] += one[1]
            sums["end_count"] += 1
        if one[2] < 0:
            sums["before_bytes"] += one[1]
        else:
            sums["allocated_bytes"] += one[1]
            sums["allocations"] += 1
    return {
        "levels": levels,
        "peak_bytes": levels[peak][2],
        "peak_event": at,
        "by_stack": by_stack,
        "segments": segments,
        "events": events,
    }


CATEGORIES = ("Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd", "Unknown")


def timeline(path):
    """Rows (time, bytes of each category) as HTA's MemoryAnalysis makes them."""
    with open_any(path) as file:
        rows = json.load(file)
    first = min(time for time, *_ in rows if time > 0)
    out, now, last = [], [0] * 8, None
    for time, _, size, category in rows:
        now[category] += size
        if time == last:
            out[-1] = (out[-1][0], *now)
        else:
            out.append((max(time, first) - first, *now))
        last = time
    return out
