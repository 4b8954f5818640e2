"""`./dev bench agent`: what the agent costs while nothing happens, beside a made-up host of 192 cores, and how soon it answers.

python3 bench/agent.py RANKSCOPE-AGENT [--seconds 60] [--clients 1000]
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


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make_host(root):
    """A node as they are bought for training: two sockets, eight network devices, four disks."""
    write(root, "proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n" + "".join(f"cpu{i} 100 0 50 1000 7 0 3 0 0 0\n" for i in range(CORES)) + "ctxt 1\nprocesses 2\nprocs_running 3\nprocs_blocked 0\n")
    write(root, "proc/loadavg", "1 2 3 4/5 6\n")
    write(root, "proc/meminfo", "".join(f"Field{i}: {i} kB\n" for i in range(55)))
    write(root, "proc/vmstat", "".join(f"field{i} {i}\n" for i in range(180)) + "pgfault 1\npgmajfault 2\noom_kill 0\n")
    for resource in ("cpu", "memory", "io"):
        write(root, f"proc/pressure/{resource}", "some avg10=0 avg60=0 avg300=0 total=1\nfull avg10=0 avg60=0 avg300=0 total=1\n")
    write(root, "proc/net/dev", "head|\nhead|\n" + "".join(f"  eth{i}: " + " ".join(["1"] * 16) + "\n" for i in range(10)))
    write(root, "proc/diskstats", "".join(f" 259 {i} nvme{i}n1 " + " ".join(["1"] * 17) + "\n" for i in range(4)))
    for device in range(8):
        for name in ("port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets", "port_xmit_discards", "port_rcv_errors", "port_xmit_wait", "link_downed", "symbol_error"):
            write(root, f"sys/class/infiniband/mlx5_{device}/ports/1/counters/{name}", "1\n")
        for name in range(30):
            write(root, f"sys/class/infiniband/mlx5_{device}/ports/1/hw_counters/counter_{name}", "1\n")
    for node in range(2):
        write(root, f"sys/devices/system/node/node{node}/meminfo", f"Node {node} MemTotal: 1 kB\nNode {node} MemFree: 1 kB\n")
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("agent")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--clients", type=int, default=1000)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="rs_bench_agent_")
    make_host(os.path.join(folder, "root"))
    process = subprocess.Popen(  # pylint: disable=consider-using-with
        [arguments.agent, "--kineto.socket_dir", folder, "--rpc.listen", "127.0.0.1:0", "--metrics.listen", "127.0.0.1:0", "--host.root", os.path.join(folder, "root")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        addresses = json.loads(process.stdout.readline())
        time.sleep(2)
        begin, spent = time.time(), cpu_seconds(process.pid)
        time.sleep(arguments.seconds)
        share = 100 * (cpu_seconds(process.pid) - spent) / (time.time() - begin)
        print(f"idle for {arguments.seconds} s beside {CORES} cores: {share:.2f} % of a core (limit 0.5 %), {memory_bytes(process.pid) / 1e6:.1f} MB (limit 30 MB)")
        before = memory_bytes(process.pid)
        took = polls(folder, arguments.clients, 20)
        print(f"{arguments.clients} clients, {len(took)} polls, 8 at once: p50 {quantile(took, 0.5):.2f} ms, p99 {quantile(took, 0.99):.2f} ms (limit 5 ms), most {max(took):.1f} ms")
        took = []
        for _ in range(200):
            begin = time.perf_counter()
            with urllib.request.urlopen(f"http://{addresses['metrics']}/metrics", timeout=10) as reply:
                size = len(reply.read())
            took.append(1000 * (time.perf_counter() - begin))
        print(f"/metrics, {size} bytes: p50 {quantile(took, 0.5):.2f} ms, p99 {quantile(took, 0.99):.2f} ms")
        print(f"memory after that: {memory_bytes(process.pid) / 1e6:.1f} MB ({(memory_bytes(process.pid) - before) / 1e6:+.1f} MB)")
    finally:
        process.terminate()
        process.wait(timeout=10)
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
