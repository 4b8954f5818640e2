"""Writes small Flight Recorder dumps and an execution trace as seeds for fuzz/fuzz_dumps: write_dumps.py FOLDER. The first byte of a
seed says which reader it is for."""

import os
import sys
import tempfile

from write_flight import SCHEDULED, Recorder, job


def dumps(folder):
    hanging = job(2)[1]
    hanging.collective("0", "all_reduce", SCHEDULED, sizes=((8,), ()))
    messages = Recorder(1, {"0": ("default_pg", [0, 1, 2])}, size=4)
    messages.message("0", "recv 1<-0")
    messages.batch("0", ["recv 1<-0", "send 1->2"], SCHEDULED)
    for number, recorder in enumerate((hanging, messages)):
        for form, write in enumerate((Recorder.write_pickle, Recorder.write_json_with_stacks)):
            path = os.path.join(folder, f"{number}_{form}")
            write(recorder, path)
            yield form, path


EXECUTION_TRACES = (
    """{"schema": "1.0.1", "pid": 7, "nodes": [{"name": "aten::add", "id": 4, "rf_id": 2, "tid": 1, "op_schema": "aten::add(...)",
"inputs": [[5, 6, 0, 8, 4, "cuda:0"], 1, [2, 3], "<None>", true], "input_shapes": [[2, 4], [], [[], []], [], []],
"input_types": ["Tensor(c10::Half)", "Int", "GenericList[Int,Int]", "None", "Bool"]}]}""",
    """{"schema": "1.1.1-chakra.0.0.4", "pid": 7, "nodes": [{"id": 3, "name": "record_param_comms", "ctrl_deps": 2,
"inputs": {"values": [[5, 6, 0, 8, 4, "cuda:0"]], "shapes": [[8]], "types": ["Tensor(float)"], "strides": [[1]]},
"attrs": [{"name": "rf_id", "value": 1}, {"name": "tid", "value": 1}, {"name": "collective_name", "value": "allreduce"},
{"name": "pg_size", "value": 4}, {"name": "global_rank_start", "value": 1}, {"name": "global_rank_stride", "value": 2}]}]}""",
)


def main(out):
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for form, path in dumps(folder):
            with open(path, "rb") as file, open(os.path.join(out, os.path.basename(path)), "wb") as seed:
                seed.write(bytes([form, 0]) + file.read())
    for number, text in enumerate(EXECUTION_TRACES):
        for by_order in (0, 1):
            with open(os.path.join(out, f"execution_{number}_{by_order}"), "wb") as seed:
                seed.write(bytes([2, by_order]) + text.encode())


if __name__ == "__main__":
    main(sys.argv[1])
