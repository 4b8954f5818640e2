"""`./dev bench agent`: what the agent costs while nothing happens, beside a made-up host of 192 cores, and how soon it answers.

python3 bench/agent.py RANKSCOPE-AGENT [--seconds 60] [--clients 1000] [the agent's own options]
"""

import argparse
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.request
import uuid

CORES = 192
TRAINING = range(100000, 100008)


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make_host(root):
    """A node as they are bought for training: two sockets, eight accelerators, eight network devices, four disks."""
    write(
        root,
        "proc/stat",
        "cpu  1 2 3 4 5 6 7 8 9 10\n"
        + "".join(f"cpu{i} 100 0 50 1000 7 0 3 0 0 0\n" for i in range(CORES))
        + "ctxt 1\nprocesses 2\nprocs_running 3\nprocs_blocked 0\n",
    )
    write(root, "proc/loadavg", "1 2 3 4/5 6\n")
    write(root, "proc/meminfo", "".join(f"Field{i}: {i} kB\n" for i in range(55)))
    write(root, "proc/vmstat", "".join(f"field{i} {i}\n" for i in range(180)) + "pgfault 1\npgmajfault 2\noom_kill 0\n")
    for resource in ("cpu", "memory", "io"):
        write(
            root,
            f"proc/pressure/{resource}",
            "some avg10=0 avg60=0 avg300=0 total=1\nfull avg10=0 avg60=0 avg300=0 total=1\n",
        )
    write(
        root, "proc/net/dev", "head|\nhead|\n" + "".join(f"  eth{i}: " + " ".join(["1"] * 16) + "\n" for i in range(10))
    )
    write(root, "proc/diskstats", "".join(f" 259 {i} nvme{i}n1 " + " ".join(["1"] * 17) + "\n" for i in range(4)))
    for device in range(8):
        for name in (
            "port_xmit_data",
            "port_rcv_data",
            "port_xmit_packets",
            "port_rcv_packets",
            "port_xmit_discards",
            "port_rcv_errors",
            "port_xmit_wait",
            "link_downed",
            "symbol_error",
        ):
            write(root, f"sys/class/infiniband/mlx5_{device}/ports/1/counters/{name}", "1\n")
        for name in range(30):
            write(root, f"sys/class/infiniband/mlx5_{device}/ports/1/hw_counters/counter_{name}", "1\n")
    for node in range(2):
        write(
            root,
            f"sys/devices/system/node/node{node}/meminfo",
            f"Node {node} MemTotal: 1 kB\nNode {node} MemFree: 1 kB\n",
        )
    write(
        root,
        "proc/softirqs",
        " ".join(f"CPU{i}" for i in range(CORES))
        + "\n"
        + "".join(
            f"{kind}: " + " ".join(["1"] * CORES) + "\n"
            for kind in ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
        ),
    )
    for zone in range(4):
        write(root, f"sys/class/powercap/intel-rapl:{zone}/name", f"package-{zone}\n")
        write(root, f"sys/class/powercap/intel-rapl:{zone}/energy_uj", "1\n")
    for chip in range(12):
        for sensor in range(10):
            write(root, f"sys/class/hwmon/hwmon{chip}/temp{sensor}_input", "45000\n")
    for pid in TRAINING:
        write(root, f"proc/{pid}/stat", f"{pid} (python) S 1 1 1 0 -1 4 5 6 7 8 300 150 0 0 20 0 33 0 99 1000 250 1\n")
        write(
            root,
            f"proc/{pid}/status",
            "Name: python\n" + "x: 1\n" * 50 + "voluntary_ctxt_switches: 1\nnonvoluntary_ctxt_switches: 2\n",
        )
        write(root, f"proc/{pid}/io", "rchar: 1\nwchar: 2\n")
        write(root, f"proc/{pid}/schedstat", "1 2 3\n")
    write(
        root,
        "fake_nvml",
        "count 8\nh100 1\nbusy 37\nmemory_busy 12\nmemory_used 1000\nmemory_total 80000\npower_mw 312500\nenergy_mj 7200000\ncelsius 61\nsm_mhz 1755\nmemory_mhz 2619\nslowdown 4\n"
        "corrected 2\nuncorrected 0\nprocesses 1\npid 100000\ngpm 1\ntick 1\n"
        + "".join(f"gpm{number} 50\n" for number in (2, 3, 5, 10, 11, 12, 13, 20, 21, 60, 61)),
    )
    write(root, "proc/mounts", "")
    write(root, "proc/self/cgroup", "0::/\n")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) * 1024


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def polls(folder, clients, rounds):
    """Round trips of `clients` processes, in ms, from 8 threads at once."""
    packed = struct.pack("<Q32s", 20, b"req")
    took, lock = [], threading.Lock()

    def work(count):
        sockets = []
        for _ in range(count):
            one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            one.bind(os.path.join(folder, "dynoconfigclient" + str(uuid.uuid4())))
            one.settimeout(5)
            sockets.append(one)
        own = []
        for _ in range(rounds):
            for number, one in enumerate(sockets):
                begin = time.perf_counter()
                one.sendto(packed + struct.pack("<iiqi", 2, 1, 0, 100000 + number), os.path.join(folder, "dynolog"))
                assert len(one.recv(4096)) == 40
                own.append(1000 * (time.perf_counter() - begin))
        with lock:
            took.extend(own)
        for one in sockets:
            one.close()

    threads = [threading.Thread(target=work, args=(clients // 8,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def get(addresses, path):
    with urllib.request.urlopen(f"http://{addresses['metrics']}{path}", timeout=10) as reply:
        return reply.read()


def rpc(addresses, requests):
    """Round trips over one connection, in ms."""
    host, port = addresses["rpc"].rsplit(":", 1)
    took = []
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in requests:
            text = json.dumps(request).encode()
            begin = time.perf_counter()
            connection.sendall(struct.pack("<i", len(text)) + text)
            data = b""
            while len(data) < 4 or len(data) < 4 + struct.unpack("<i", data[:4])[0]:
                data += connection.recv(65536)
            took.append(1000 * (time.perf_counter() - begin))
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agent")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--clients", type=int, default=1000)
    arguments, more = parser.parse_known_args()
    folder = tempfile.mkdtemp(prefix="rs_bench_agent_")
    make_host(os.path.join(folder, "root"))
    # A driver that is none, and that reads a file at each of its calls: devices cost what they would, and that.
    library = os.path.join(os.path.dirname(os.path.abspath(arguments.agent)), "libfake_nvml.so")
    os.environ["FAKE_NVML"] = os.path.join(folder, "root/fake_nvml")
    process = subprocess.Popen(  # pylint: disable=consider-using-with
        [
            arguments.agent,
            "--device.nvml_library",
            library if os.path.exists(library) else "",
            "--kineto.socket_dir",
            folder,
            "--rpc.listen",
            "127.0.0.1:0",
            "--metrics.listen",
            "127.0.0.1:0",
            "--host.root",
            os.path.join(folder, "root"),
            *more,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        addresses = json.loads(process.stdout.readline())
        time.sleep(2)
        begin, spent = time.time(), cpu_seconds(process.pid)
        time.sleep(arguments.seconds)
        share = 100 * (cpu_seconds(process.pid) - spent) / (time.time() - begin)
        devices = len(json.loads(get(addresses, "/api/v1/devices"))["devices"])
        print(
            f"idle for {arguments.seconds} s beside {CORES} cores and {devices} devices: {share:.2f} % of a core (limit 0.5 %), {memory_bytes(process.pid) / 1e6:.1f} MB (limit 30 MB)"
        )
        before = memory_bytes(process.pid)
        took = polls(folder, arguments.clients, 20)
        print(
            f"{arguments.clients} clients, {len(took)} polls, 8 at once: p50 {quantile(took, 0.5):.2f} ms, p99 {quantile(took, 0.99):.2f} ms (limit 5 ms), most {max(took):.1f} ms"
        )
        took = []
        for _ in range(200):
            begin = time.perf_counter()
            size = len(get(addresses, "/metrics"))
            took.append(1000 * (time.perf_counter() - begin))
        print(f"/metrics, {size} bytes: p50 {quantile(took, 0.5):.2f} ms, p99 {quantile(took, 0.99):.2f} ms")
        # A load balancer's question, over connections that stay open.
        rpc(addresses, [{"fn": "getMetrics", "name": "device_busy_ratio"}] * 100)
        for text, request in (
            ("getMetrics of one name", {"fn": "getMetrics", "name": "device_busy_ratio"}),
            ("getStatus", {"fn": "getStatus"}),
        ):
            took = rpc(addresses, [request] * 5000)
            print(
                f"{text}, over one connection: p50 {1000 * quantile(took, 0.5):.0f} us, p99 {1000 * quantile(took, 0.99):.0f} us with the network and this script"
            )
        print(
            f"memory after that: {memory_bytes(process.pid) / 1e6:.1f} MB ({(memory_bytes(process.pid) - before) / 1e6:+.1f} MB)"
        )
    finally:
        process.terminate()
        process.wait(timeout=10)
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
