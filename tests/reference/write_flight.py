"""Writes Flight Recorder dumps as PyTorch does (format 2.10): as a pickle of protocol 2, or as JSON, which has no stacks, says 0 for
unknown times and sorts its keys. A Recorder is one rank; what it is told to call is what the dump says."""

import gzip
import json
import pickle

TORCH = "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py"
SCHEDULED, STARTED, COMPLETED = "scheduled", "started", "completed"


class Recorder:
    def __init__(self, rank, groups, size=2000, host_ns=0):
        """`groups`: {name: (description, ranks)}, of which the rank is in all or some."""
        self.rank = rank
        self.groups = groups
        self.size = size
        self.clock_ns = 1_700_000_000_000_000_000 + host_ns
        self.count = 0
        self.entries = []
        self.numbers = {}
        self.frames = {}

    def frame(self, name, file, line):
        """One object for each, as PyTorch has them: a pickle holds it once."""
        return self.frames.setdefault((name, file, line), {"name": name, "filename": file, "line": line})

    def record(
        self,
        group,
        op,
        state,
        number,
        is_p2p=False,
        sizes=((1024,),),
        out=None,
        dtype="Float",
        line=("train.py", 10, "step"),
        retired=None,
    ):
        ids = self.numbers.setdefault(group, [0, 0])
        frames = [self.frame(op.split(" ")[0], TORCH, 2806)]
        if line is not None:
            file, at, name = line
            frames += [self.frame(name, "/home/user/" + file, at), self.frame("<module>", "/home/user/" + file, 99)]
        self.clock_ns += 1_000_000
        ended = state == COMPLETED
        out = sizes if out is None else out
        self.entries.append(
            {
                "frames": frames,
                "record_id": self.count,
                "pg_id": list(self.groups).index(group),
                "process_group": (group, self.groups[group][0]),
                "thread_name": "pt_main_thread",
                "thread_id": "140",
                "collective_seq_id": ids[0] if is_p2p else number,
                "p2p_seq_id": number if is_p2p else ids[1],
                "op_id": self.count + 1,
                "profiling_name": "nccl:" + op,
                "time_created_ns": self.clock_ns,
                "input_sizes": [list(size) for size in sizes],
                "input_dtypes": [dtype] * len(sizes),
                "output_sizes": [list(size) for size in out],
                "output_dtypes": [dtype] * len(out),
                "state": state,
                "time_discovered_started_ns": None if state == SCHEDULED else self.clock_ns,
                "time_discovered_completed_ns": self.clock_ns if ended else None,
                "retired": ended if retired is None else retired,
                "timeout_ms": 600_000,
                "is_p2p": is_p2p,
            }
        )
        self.count += 1
        del self.entries[: -self.size]

    def collective(self, group, op, state=COMPLETED, **of):
        numbers = self.numbers.setdefault(group, [0, 0])
        numbers[0] += 1
        self.record(group, op, state, numbers[0], **of)

    def message(self, group, op, state=COMPLETED, **of):
        """op: "send 0->1" or "recv 1<-0", of places in the group."""
        numbers = self.numbers.setdefault(group, [0, 0])
        numbers[1] += 1
        self.record(group, op, state, numbers[1], is_p2p=True, **of)

    def batch(self, group, ops, state=COMPLETED, **of):
        """batch_isend_irecv: calls with one number that have no state, and what closes them."""
        numbers = self.numbers.setdefault(group, [0, 0])
        numbers[1] += 1
        for op in ops:
            self.record(group, op, SCHEDULED, numbers[1], is_p2p=True, retired=False, **of)
        self.record(group, "coalesced", state, numbers[1], is_p2p=True, sizes=(), line=None)

    def dump(self):
        members = {name: value for name, value in self.groups.items() if self.rank in value[1]}
        return {
            "version": "2.10",
            "pg_config": {
                name: {"name": name, "desc": description, "ranks": "[" + ", ".join(map(str, ranks)) + "]"}
                for name, (description, ranks) in members.items()
            },
            "comm_lib_version": "2.21.5",
            "pg_status": {
                str(place): {
                    "last_enqueued_collective": self.numbers.get(name, [0])[0],
                    "last_started_collective": -1,
                    "last_completed_collective": -1,
                }
                for place, name in enumerate(members)
            },
            "entries": self.entries,
        }

    def write_pickle(self, path):
        with open(path, "wb") as file:
            pickle.dump(self.dump(), file, protocol=2)

    def write_json(self, path):
        dump = self.dump()
        dump["entries"] = [
            {key: 0 if value is None else value for key, value in entry.items() if key != "frames"}
            for entry in dump["entries"]
        ]
        dump["pg_status"] = {
            key: {name: str(value) for name, value in of.items()} for key, of in dump["pg_status"].items()
        }
        text = json.dumps(dump, sort_keys=True, separators=(",", ":"))
        opened = gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w", encoding="utf-8")
        with opened as file:
            file.write(text)

    def write_json_with_stacks(self, path):
        """As people convert pickles."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.dump(), file)


def job(ranks, steps=3, world="0", size=2000):
    """Recorders of ranks that have made the same calls so far, all of which have ended."""
    groups = {world: ("default_pg", list(range(ranks)))}
    recorders = [Recorder(rank, groups, size=size, host_ns=rank * 3_600_000_000_000) for rank in range(ranks)]
    for recorder in recorders:
        for _ in range(steps):
            recorder.collective(
                world, "_all_gather_base", sizes=((1024,),), out=((1024 * ranks,),), line=("model.py", 31, "forward")
            )
            recorder.collective(world, "all_reduce", line=("train.py", 88, "step"))
    return recorders
