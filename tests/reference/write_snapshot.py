"""Memory snapshots as PyTorch writes them, small ones by hand and large ones made up: pickles of plain dicts and lists.

python3 write_snapshot.py FILE EVENTS [SEED] [PROTOCOL] writes a made-up program of so many events, and
python3 write_snapshot.py --seeds FOLDER the first inputs of fuzz/fuzz_memory."""

import os
import pickle
import random
import struct
import sys

MIB = 1 << 20


def frame(name, file, line):
    return {"name": name, "filename": file, "line": line}


class Allocator:
    """A caching allocator of one device that records what it does, as torch's does."""

    def __init__(self, device=0, segment_bytes=20 * MIB):
        self.device = device
        self.segment_bytes = segment_bytes
        self.segments = []  # [address, size, [[address, size, requested, state, frames], ...]]
        self.events = []
        self.time_us = 1_700_000_000_000_000
        self.next_address = 0x7F0000000000 + (device << 40)
        self.pending = {}

    def record(self, action, addr, size, frames, key="addr", stream=0):
        self.time_us += 3
        self.events.append(
            {
                "action": action,
                key: addr,
                "size": size,
                "stream": stream,
                "time_us": self.time_us,
                "compile_context": "N/A",
                "user_metadata": "",
                "frames": frames,
            }
        )

    def alloc(self, requested, frames):
        size = (requested + 511) // 512 * 512
        for segment in self.segments:
            for at, block in enumerate(segment[2]):
                if block[3] == "inactive" and block[1] >= size:
                    return self.take(segment, at, size, requested, frames)
        total = max(self.segment_bytes, (size + 2 * MIB - 1) // (2 * MIB) * (2 * MIB))
        segment = [self.next_address, total, [[self.next_address, total, 0, "inactive", []]]]
        self.next_address += total + 2 * MIB
        self.segments.append(segment)
        self.record("segment_alloc", segment[0], total, frames)
        return self.take(segment, 0, size, requested, frames)

    def take(self, segment, at, size, requested, frames):
        block = segment[2][at]
        if block[1] - size >= 512:
            segment[2].insert(at + 1, [block[0] + size, block[1] - size, 0, "inactive", []])
            block[1] = size
        block[2:] = [requested, "active_allocated", frames]
        self.record("alloc", block[0], requested, frames)
        return block[0]

    def find(self, address):
        for segment in self.segments:
            if segment[0] <= address < segment[0] + segment[1]:
                for at, block in enumerate(segment[2]):
                    if block[0] == address:
                        return segment, at
        raise KeyError(address)

    def free(self, address, complete=True):
        segment, at = self.find(address)
        block = segment[2][at]
        block[3] = "active_pending_free"
        self.record("free_requested", address, block[2], block[4])
        if complete:
            self.complete(address)

    def complete(self, address):
        segment, at = self.find(address)
        blocks = segment[2]
        block = blocks[at]
        self.record("free_completed", address, block[2], block[4])
        block[2:] = [0, "inactive", []]
        if at + 1 < len(blocks) and blocks[at + 1][3] == "inactive":
            block[1] += blocks.pop(at + 1)[1]
        if at > 0 and blocks[at - 1][3] == "inactive":
            blocks[at - 1][1] += blocks.pop(at)[1]

    def empty_cache(self):
        for segment in list(self.segments):
            if len(segment[2]) == 1 and segment[2][0][3] == "inactive":
                self.segments.remove(segment)
                self.record("segment_free", segment[0], segment[1], [])

    def oom(self, requested, device_free, frames):
        self.record("oom", device_free, requested, frames, key="device_free")

    def segment_dicts(self):
        out = []
        for address, total, blocks in self.segments:
            held = [b for b in blocks if b[3] == "active_allocated"]
            active = [b for b in blocks if b[3] != "inactive"]
            out.append(
                {
                    "device": self.device,
                    "address": address,
                    "total_size": total,
                    "allocated_size": sum(b[1] for b in held),
                    "active_size": sum(b[1] for b in active),
                    "requested_size": sum(b[2] for b in active),
                    "stream": 0,
                    "segment_type": "large",
                    "segment_pool_id": (0, 0),
                    "is_expandable": False,
                    "frames": [],
                    "blocks": [
                        {"address": b[0], "size": b[1], "requested_size": b[2], "state": b[3], "frames": b[4]}
                        for b in blocks
                    ],
                }
            )
        return out


def snapshot(allocators, annotations=(), keep=None, expandable=False):
    """`keep`: the last so many events of each device, as a full ring buffer has."""
    return {
        "segments": [one for allocator in allocators for one in allocator.segment_dicts()],
        "device_traces": [allocator.events[-keep:] if keep else list(allocator.events) for allocator in allocators],
        "allocator_settings": {
            "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True" if expandable else "",
            "max_split_size": -1,
            "garbage_collection_threshold": 0.0,
            "expandable_segments": expandable,
            "roundup_power2_divisions": {"1": 0, "2": 0},
        },
        "external_annotations": list(annotations),
    }


MODULE = "/usr/lib/python3/site-packages/torch/nn/modules/module.py"


def stacks_of_a_program(layers=40, depth=30):
    """Stacks of forward, backward and the optimizer, innermost first."""
    base = [frame("main", "/home/user/train.py", 10), frame("<module>", "/home/user/train.py", 99)]
    calls = [frame("_call_impl", MODULE, 1790 + i) for i in range(depth)]
    out = {"forward": [], "backward": [], "optimizer": []}
    for layer in range(layers):
        out["forward"].append(
            [frame("at::empty_cuda", "??", 0), frame("forward", "/home/user/model.py", 100 + layer), *calls, *base]
        )
        out["backward"].append(
            [
                frame("at::empty_cuda", "??", 0),
                frame(f"MmBackward{layer}", "Functions.cpp", layer),
                frame("torch::autograd::Engine::thread_main", "engine.cpp", 1),
            ]
        )
        out["optimizer"].append(
            [frame("step", "/usr/lib/python3/site-packages/torch/optim/adamw.py", 200 + layer), *base]
        )
    return out


def write_large(path, events, seed=1, protocol=4):
    """Allocations and frees of a training program, without a model of the allocator, which would take too long: blocks
    of 2 MiB in segments of 256, of which each event uses a free one."""
    rng = random.Random(seed)
    stacks = stacks_of_a_program()
    size = 2 * MIB
    slots = 20_000
    base = 0x7F0000000000
    free = list(range(slots))
    live = []
    trace = []
    time_us = 1_700_000_000_000_000
    held = {}

    def record(action, addr, requested, frames):
        trace.append(
            {
                "action": action,
                "addr": addr,
                "size": requested,
                "stream": 0,
                "time_us": time_us,
                "compile_context": "N/A",
                "user_metadata": "",
                "frames": frames,
            }
        )

    phase, left = "forward", 500
    while len(trace) < events:
        time_us += rng.randrange(1, 20)
        left -= 1
        if left == 0:
            phase = {"forward": "backward", "backward": "optimizer", "optimizer": "forward"}[phase]
            left = 500
        if live and (not free or rng.random() < (0.35 if phase == "forward" else 0.65)):
            index = rng.randrange(len(live))
            live[index], live[-1] = live[-1], live[index]
            slot = live.pop()
            requested, frames = held.pop(slot)
            record("free_requested", base + slot * size, requested, frames)
            record("free_completed", base + slot * size, requested, frames)
            free.append(slot)
        else:
            slot = free.pop()
            frames = list(rng.choice(stacks[phase]))  # as PyTorch: a list of its own, of shared frames
            requested = rng.randrange(1, size)
            held[slot] = (requested, frames)
            live.append(slot)
            record("alloc", base + slot * size, requested, frames)
    segments = []
    for first in range(0, slots, 256):
        blocks = []
        for slot in range(first, min(first + 256, slots)):
            requested, frames = held.get(slot, (0, []))
            blocks.append(
                {
                    "address": base + slot * size,
                    "size": size,
                    "requested_size": requested,
                    "state": "active_allocated" if slot in held else "inactive",
                    "frames": frames,
                }
            )
        segments.append(
            {
                "device": 0,
                "address": base + first * size,
                "total_size": len(blocks) * size,
                "stream": 0,
                "segment_type": "large",
                "segment_pool_id": (0, 0),
                "is_expandable": False,
                "frames": [],
                "blocks": blocks,
            }
        )
    with open(path, "wb") as out:
        pickle.dump(
            {"segments": segments, "device_traces": [trace], "allocator_settings": {}, "external_annotations": []},
            out,
            protocol,
        )


def small_program(keep=None):
    """Two devices, all actions, an out-of-memory error, annotations, frames shared and not."""
    frames = stacks_of_a_program(layers=2, depth=3)
    first, second = Allocator(0), Allocator(1)
    held = [first.alloc(3 * MIB + 5, frames["forward"][0]), first.alloc(100, frames["forward"][1])]
    first.free(held.pop(0))
    held.append(first.alloc(9 * MIB, frames["backward"][0]))
    held.append(first.alloc(9 * MIB, list(frames["backward"][1])))
    first.free(held[0], complete=False)
    first.record("snapshot", 0, 0, [])
    first.alloc(40 * MIB, frames["optimizer"][0])
    first.oom(60 * MIB, MIB, frames["forward"][0])
    first.free(held[2])
    first.empty_cache()
    second.alloc(512, [])
    notes = [{"stage": "START", "name": "Optimizer.step#AdamW.step", "device": 0, "time_us": first.time_us}]
    return snapshot([first, second], notes, keep)


def cpp_pickle(value):
    """As torch's own Pickler writes it (protocol 2): what is shared is remembered after it was written, texts by content,
    all items of a dict or list in one go, large numbers with eight bytes."""
    out = bytearray(b"\x80\x02")
    texts, shared = {}, {}
    count = 0

    def remember():
        nonlocal count
        out.extend(b"q" + bytes([count]) if count < 256 else b"r" + count.to_bytes(4, "little"))
        count += 1
        return count - 1

    def get(place):
        out.extend(b"h" + bytes([place]) if place < 256 else b"j" + place.to_bytes(4, "little"))

    def write(one):
        if one is None:
            out.extend(b"N")
        elif isinstance(one, bool):
            out.extend(b"\x88" if one else b"\x89")
        elif isinstance(one, int):
            if 0 <= one < 256:
                out.extend(b"K" + bytes([one]))
            elif 0 <= one < 65536:
                out.extend(b"M" + one.to_bytes(2, "little"))
            elif -(1 << 31) <= one < 1 << 31:
                out.extend(b"J" + one.to_bytes(4, "little", signed=True))
            else:
                out.extend(b"\x8a\x08" + one.to_bytes(8, "little", signed=True))
        elif isinstance(one, float):
            out.extend(b"G" + struct.pack(">d", one))
        elif isinstance(one, str):
            if one in texts:
                return get(texts[one])
            data = one.encode()
            out.extend(b"X" + len(data).to_bytes(4, "little") + data)
            texts[one] = remember()
        elif isinstance(one, tuple):
            for item in one:
                write(item)
            out.extend(b"\x86")
        else:
            if id(one) in shared:
                return get(shared[id(one)])
            out.extend(b"}" if isinstance(one, dict) else b"]")
            if one:
                out.extend(b"(")
                for item in one.items() if isinstance(one, dict) else one:
                    for part in item if isinstance(one, dict) else (item,):
                        write(part)
                out.extend(b"u" if isinstance(one, dict) else b"e")
            shared[id(one)] = remember()
        return None

    write(value)
    return bytes(out + b".")


def write_seeds(folder):
    """First inputs of fuzz_memory: which reader, and its data."""
    os.makedirs(folder, exist_ok=True)
    made = small_program()
    inputs = [(0, pickle.dumps(made, protocol)) for protocol in (0, 2, 4)]
    inputs += [(0, cpp_pickle(made)), (0, pickle.dumps(small_program(keep=5))), (0, pickle.dumps(made["segments"]))]
    plain = {
        "a": [1, -2, 1 << 40, 1 << 70, 1.5, None, True],
        "b": ((), (1,), (1, 2), (1, 2, 3, 4)),
        "c": {1, 2},
        "d": b"x",
    }
    inputs += [(1, pickle.dumps(plain, protocol)) for protocol in range(6)]
    inputs.append((2, b"[[-1, 1, 37888, 7], [1696966047097422633, 2, 512, 4], [1696966047097422640, 3, -512, 4]]"))
    for number, (reader, data) in enumerate(inputs):
        with open(os.path.join(folder, f"{number:02}"), "wb") as out:
            out.write(bytes([reader, 0]) + data)


if __name__ == "__main__":
    if sys.argv[1] == "--seeds":
        write_seeds(sys.argv[2])
        sys.exit()
    write_large(sys.argv[1], int(sys.argv[2]), *(int(word) for word in sys.argv[3:5]))
