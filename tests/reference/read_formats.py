"""Independent readers of device work in formats other than Kineto's: as little code as can be, sharing none with rankscope.

Each gives a list of works: (device, stream, name, is_copy, begin_ns, duration_ns)."""

import collections
import gzip
import json
import sqlite3
import tempfile

Work = collections.namedtuple("Work", "device stream name is_copy begin duration")


def read_bytes(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def rocprofv3(path):
    works = []
    for process in json.loads(read_bytes(path))["rocprofiler-sdk-tool"]:
        devices = {agent["id"]["handle"]: agent["gpu_index"] for agent in process["agents"] if agent["type"] == 2}
        names = {symbol["kernel_id"]: symbol["formatted_kernel_name"] for symbol in process["kernel_symbols"]}
        for row in process["buffer_records"].get("kernel_dispatch", []):
            info = row["dispatch_info"]
            begin, end = row["start_timestamp"], row["end_timestamp"]
            works.append(
                Work(
                    devices[info["agent_id"]["handle"]],
                    row["stream_id"]["handle"],
                    names[info["kernel_id"]],
                    False,
                    begin,
                    end - begin,
                )
            )
        for row in process["buffer_records"].get("memory_copy", []):
            agent = row["dst_agent_id"] if row["dst_agent_id"]["handle"] in devices else row["src_agent_id"]
            begin, end = row["start_timestamp"], row["end_timestamp"]
            works.append(
                Work(devices[agent["handle"]], row["stream_id"]["handle"], "Memcpy HtoD", True, begin, end - begin)
            )
    return works


def nsys(path):
    kinds = {1: "HtoD", 2: "DtoH", 8: "DtoD"}
    memory = ["Pageable", "Pinned", "Device"]
    works = []
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as file:
        file.write(read_bytes(path))
        file.flush()
        database = sqlite3.connect(file.name)
        for device, stream, name, begin, end in database.execute(
            "SELECT deviceId, streamId, value, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName"
        ):
            works.append(Work(device, stream, name, False, begin, end - begin))
        for device, stream, kind, source, to, begin, end in database.execute(
            "SELECT deviceId, streamId, copyKind, srcKind, dstKind, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY"
        ):
            name = f"Memcpy {kinds[kind]} ({memory[source]} -> {memory[to]})"
            works.append(Work(device, stream, name, True, begin, end - begin))
        database.close()
    return works


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field of a protobuf message: numbers and bytes, which is all that XPlane has."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = (8, at) if key & 7 == 1 else varint(data, at)
            value = data[at : at + size]
            at += size
        yield key >> 3, value


def xplane(path):
    works = []
    for number, plane in fields(read_bytes(path)):
        parts = collections.defaultdict(list)
        for field, value in fields(plane) if number == 1 else ():
            parts[field].append(value)
        name = b"".join(parts[2]).decode()
        if not name.startswith("/device:"):
            continue
        names = {}
        for pair in parts[4]:
            metadata = dict(fields(dict(fields(pair))[2]))
            names[metadata[1]] = metadata[2].decode()
        for line in parts[3]:
            about = dict(field for field in fields(line) if field[0] != 4)
            if not about[2].startswith(b"Stream #"):
                continue
            for event in (dict(value) for value in (list(fields(part)) for field, part in fields(line) if field == 4)):
                begin = (about[3] * 1000 + event.get(2, 0)) // 1000
                end = (about[3] * 1000 + event.get(2, 0) + event.get(3, 0)) // 1000
                works.append(
                    Work(
                        int(name.rsplit(":", 1)[1]),
                        about[1],
                        names[event[1]].removesuffix(".kd"),
                        False,
                        begin,
                        end - begin,
                    )
                )
    return works


def covered(intervals):
    """The length of a union of (begin, end)."""
    total, reached = 0, None
    for begin, end in sorted(intervals):
        if reached is None or begin > reached:
            total += end - begin
            reached = end
        elif end > reached:
            total += end - reached
            reached = end
    return total
