"""Takes shapes, types, values and collectives out of a Kineto trace and writes them as the execution trace of the same run (schema
1.1.1, or 1.0.1 with flat nodes), so that the trace as it was is what both must say together."""

import gzip
import json

MOVED = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
COLLECTIVE = {
    "Collective name": ("collective_name", "string"),
    "dtype": ("dtype", "string"),
    "In msg nelems": ("in_msg_nelems", "uint64"),
    "Out msg nelems": ("out_msg_nelems", "uint64"),
    "In split size": ("in_split_size", "string"),
    "Out split size": ("out_split_size", "string"),
    "Process Group Name": ("pg_name", "string"),
    "Process Group Description": ("pg_desc", "string"),
    "Group size": ("pg_size", "uint64"),
}


def read_json(path):
    with gzip.open(path, "rt") as file:
        return json.load(file)


def write_json(path, value):
    opened = gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w", encoding="utf-8")
    with opened as file:
        json.dump(value, file)


def to_execution_type(kineto):
    if kineto == "":
        return "None"
    return {"Scalar": "Int", "ScalarList": "GenericList[Int]", "TensorList": "GenericList[Tensor(float)]"}.get(
        kineto, f"Tensor({kineto})"
    )


def to_value(text, kind):
    if kind in ("Scalar", "ScalarList"):
        return json.loads(text)
    return text if text else "<None>"


def ranks_of(text):
    ranks = json.loads(text)
    strides = {b - a for a, b in zip(ranks, ranks[1:])} or {1}
    return ranks[0], strides.pop()


def split(source, kineto, execution, flat=False, other_ids=0, wrong_names=False):
    """Returns how many ops gave away their shapes."""
    trace = read_json(source)
    events = trace["traceEvents"]
    collectives = {}
    for event in events:
        args = event.get("args", {})
        if event.get("cat") == "kernel" and "Collective name" in args:
            collectives[args["External id"]] = {
                key: args.pop(key) for key in (*COLLECTIVE, "Process Group Ranks", "Seq") if key in args
            }
    nodes, moved = [], 0
    for event in events:
        args = event.get("args", {})
        if event.get("cat") not in ("cpu_op", "user_annotation") or "Record function id" not in args:
            continue
        said = {key: args.pop(key) for key in MOVED if key in args}
        moved += "Input Dims" in said
        kinds = said.get("Input type", [])
        number = args["Record function id"]
        args["Record function id"] += other_ids
        attributes = {"rf_id": number, "tid": event["tid"], "op_schema": "", "seq_id": -1}
        node = {"id": number + 2, "name": "not_" + event["name"] if wrong_names else event["name"], "ctrl_deps": 1}
        types = [to_execution_type(kind) for kind in kinds]
        values = [to_value(text, kind) for text, kind in zip(said.get("Concrete Inputs", [""] * len(kinds)), kinds)]
        shapes = said.get("Input Dims", [])
        if flat:
            node.update(attributes, parent=1, inputs=values, input_shapes=shapes, input_types=types)
        else:
            node["inputs"] = {
                "values": values,
                "shapes": shapes,
                "types": types,
                "strides": said.get("Input Strides", [[]] * len(kinds)),
            }
            node["attrs"] = [{"name": name, "type": "uint64", "value": value} for name, value in attributes.items()]
            if args.get("External id") in collectives:
                of = collectives.pop(args["External id"])
                node["attrs"] += [
                    {"name": name, "type": kind, "value": of[key]}
                    for key, (name, kind) in COLLECTIVE.items()
                    if key in of
                ]
                first, stride = ranks_of(of["Process Group Ranks"])
                node["attrs"] += [
                    {"name": "global_rank_start", "type": "uint64", "value": first},
                    {"name": "global_rank_stride", "type": "uint64", "value": stride},
                ]
        nodes.append(node)
    pid = next(event["pid"] for event in events if event.get("cat") == "cpu_op")
    write_json(kineto, trace)
    write_json(
        execution,
        {
            "schema": "1.0.1" if flat else "1.1.1-chakra.0.0.4",
            "pid": pid,
            "time": "",
            "start_ts": 1,
            "nodes": nodes,
            "finish_ts": 2,
        },
    )
    return moved
