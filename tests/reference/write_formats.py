"""Small files of formats other than Kineto's: some steps of a program with one kernel and one copy each.

    write_formats.py FOLDER     writes each as a seed for fuzz/fuzz_formats, which is told by its first byte which reader to try"""

import json
import os
import sqlite3
import sys
import tempfile

STEPS = 6
STEP_NS = 10_000_000


def kernels_of_step(step):
    """Begin and end of a launch, of a kernel and of a copy, in a step of a simple program; the kernel and the copy overlap."""
    begin = step * STEP_NS
    return (
        (begin + 1_000_000, begin + 1_020_000),
        (begin + 1_050_000, begin + 7_000_000 + 1000 * step),
        (begin + 6_000_000, begin + 7_500_000),
    )


def write_rocprofv3(path):
    records = {"kernel_dispatch": [], "hip_api": [], "memory_copy": []}
    for step in range(STEPS):
        call, kernel, copy = kernels_of_step(step)
        records["hip_api"].append(
            {
                "kind": 1,
                "operation": 0,
                "thread_id": 5,
                "correlation_id": {"internal": step},
                "start_timestamp": call[0],
                "end_timestamp": call[1],
            }
        )
        records["kernel_dispatch"].append(
            {
                "thread_id": 5,
                "correlation_id": {"internal": step},
                "start_timestamp": kernel[0],
                "end_timestamp": kernel[1],
                "stream_id": {"handle": 2},
                "dispatch_info": {
                    "agent_id": {"handle": 9},
                    "kernel_id": 1,
                    "workgroup_size": {"x": 64, "y": 1, "z": 1},
                    "grid_size": {"x": 640, "y": 1, "z": 1},
                },
            }
        )
        records["memory_copy"].append(
            {
                "kind": 2,
                "operation": 0,
                "correlation_id": {"internal": 100 + step},
                "start_timestamp": copy[0],
                "end_timestamp": copy[1],
                "dst_agent_id": {"handle": 9},
                "src_agent_id": {"handle": 1},
                "stream_id": {"handle": 3},
                "bytes": 4096,
            }
        )
    tool = {
        "metadata": {"pid": 4},
        "agents": [{"id": {"handle": 9}, "type": 2, "gpu_index": 0, "product_name": "AMD Instinct MI300X"}],
        "strings": {
            "buffer_records": [
                {"kind": "NONE", "operations": []},
                {"kind": "HIP", "operations": ["hipLaunchKernel"]},
                {"kind": "COPY", "operations": ["MEMORY_COPY_HOST_TO_DEVICE"]},
            ]
        },
        "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "Cijk_Ailk_Bljk"}],
        "buffer_records": records,
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"rocprofiler-sdk-tool": [tool]}, file)


def write_nsys(path, rank, processes=1):
    database = sqlite3.connect(path)
    database.executescript(
        """PRAGMA page_size = 512;
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (1, 'ampere_sgemm_128x64_nn'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaMemcpyAsync_v3020');
        CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);
        INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
        CREATE TABLE TARGET_INFO_SYSTEM_ENV(name TEXT, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId, correlationId, globalPid, demangledName);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId);
        CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid);"""
    )
    database.execute(
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('DeviceEnvironment', ?)", (f"RANK={rank}\0WORLD_SIZE=2\0",)
    )
    for process in (7 + number << 24 for number in range(processes)):
        for step in range(STEPS):
            call, kernel, copy = kernels_of_step(step)
            database.execute(
                "INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?)",
                (step * STEP_NS, (step + 1) * STEP_NS - 1, f"ProfilerStep#{step}", process + 7),
            )
            database.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 2)", (*call, process + 7, step)
            )
            database.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 3)",
                (call[1], call[1] + 9000, process + 7, 100 + step),
            )
            database.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, 1)", (*kernel, step, process)
            )
            database.execute(
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 8, ?, ?, 4096, 1, 1, 2)",
                (*copy, 100 + step, process),
            )
    database.commit()
    database.close()


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def write_xplane(path):
    events = host = b""
    for step in range(STEPS):
        call, kernel, _ = kernels_of_step(step)
        correlation = text(4, number(1, 1) + number(3, step))
        events += text(
            4,
            number(1, 1)
            + number(2, 1000 * kernel[0] + 1)
            + number(3, 1000 * (kernel[1] - kernel[0]) + 998)
            + correlation,
        )
        host += text(4, number(1, 1) + number(2, 1000 * call[0]) + number(3, 1000 * (call[1] - call[0])) + correlation)
        host += text(
            4,
            number(1, 2)
            + number(2, 1000 * step * STEP_NS)
            + number(3, 1000 * STEP_NS - 1000)
            + text(4, number(1, 2) + number(4, step)),
        )
    names = text(5, number(1, 1) + text(2, number(1, 1) + text(2, "correlation_id"))) + text(
        5, number(1, 2) + text(2, number(1, 2) + text(2, "step_num"))
    )
    device = (
        text(2, "/device:GPU:0")
        + text(3, number(1, 4) + text(2, "Stream #4(Kernel)") + number(3, 500) + events)
        + text(4, number(1, 1) + text(2, number(1, 1) + text(2, "gemm_fusion")))
        + names
    )
    calls = text(4, number(1, 1) + text(2, number(1, 1) + text(2, "cuLaunchKernel"))) + text(
        4, number(1, 2) + text(2, number(1, 2) + text(2, "train"))
    )
    with open(path, "wb") as file:
        file.write(
            text(1, device)
            + text(
                1,
                text(2, "/host:CPU") + text(3, number(1, 1) + text(2, "main") + number(3, 500) + host) + calls + names,
            )
        )


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "file")
        for reader, write in enumerate((write_rocprofv3, lambda path: write_nsys(path, 1), write_xplane)):
            write(path)
            with open(path, "rb") as file:
                data = file.read()
            os.remove(path)
            with open(os.path.join(folder, f"{reader}"), "wb") as file:
                file.write(bytes([reader, 0]) + data)


if __name__ == "__main__":
    main()
