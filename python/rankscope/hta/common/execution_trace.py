"""PyTorch execution traces beside a trace: the node of every op."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
import pandas as pd

from .._files import open_text
from ..configs.config import logger
from ..utils.utils import normalize_path
from .trace import Trace

# Categories of events that have nodes.
EXECUTION_TRACE_SUPPORTED_EVENTS: List[str] = ["cpu_op", "user_annotation"]


class Node(NamedTuple):
    """A node of an execution trace."""

    id: int
    name: str
    rf_id: Optional[int]
    op_schema: str
    input_shapes: List[Any]
    input_types: List[Any]
    output_shapes: List[Any]
    output_types: List[Any]


class ExecutionTrace:
    """The nodes of an execution trace by their ids."""

    def __init__(self, content: Dict[str, Any]) -> None:
        self.schema = str(content.get("schema", ""))
        self.nodes: Dict[int, Node] = {}
        for raw in content.get("nodes", []):
            node = _node_of(raw)
            self.nodes[node.id] = node


def load_execution_trace(et_file: str) -> ExecutionTrace:
    """Reads an execution trace, a .json or .json.gz file."""
    with open_text(normalize_path(et_file)) as file:
        return ExecutionTrace(json.load(file))


def correlate_execution_trace(trace: Trace, rank: int, et: ExecutionTrace) -> None:
    """Adds et_node, the id of the node with the event's record function, to the data frame of a rank.

    Nothing is added where the execution trace is of another run.
    """
    frame = trace.get_trace(rank)
    by_function = {node.rf_id: node.id for node in et.nodes.values() if node.rf_id is not None and _is_op(node)}
    external = frame["external_id"]
    if not by_function or external.min() > min(by_function) or external.max() < max(by_function):
        logger.error("the execution trace is not of the recording of rank %d: they share no record functions", rank)
        return
    everywhere = {node.rf_id: node.id for node in et.nodes.values()}
    ids = [trace.symbol_table.sym_index.get(name, -1) for name in EXECUTION_TRACE_SUPPORTED_EVENTS]
    nodes = external.map(everywhere).astype("float64")
    frame["et_node"] = nodes.where(frame["cat"].isin(ids))


def add_et_column(trace_df: pd.DataFrame, et: ExecutionTrace, column: str) -> None:
    """Adds what the nodes say to a frame with et_node: et_node_name, op_schema, or shapes and types of inputs and outputs."""
    if "et_node" not in trace_df:
        logger.error("the frame has no et_node: correlate_execution_trace adds it")
        return
    field = "name" if column == "et_node_name" else column
    if field not in Node._fields:
        names = ", ".join(("et_node_name", *Node._fields[3:]))
        logger.error("a node has no %s: it has %s", column, names)
        return
    trace_df[column] = [
        getattr(et.nodes[int(node)], field) if node == node else np.nan for node in trace_df["et_node"].tolist()
    ]


def _is_op(node: Node) -> bool:
    return "execution_trace|thread" not in node.name and "execution_trace|process" not in node.name


def _node_of(raw: Dict[str, Any]) -> Node:
    # Up to 1.0.4 fields stand in the node itself, later ones in lists: attrs, inputs {shapes, types}, outputs.
    attributes = {one["name"]: one.get("value") for one in raw.get("attrs", [])}
    inputs, outputs = raw.get("inputs", {}), raw.get("outputs", {})
    is_new = isinstance(inputs, dict)
    return Node(
        id=int(raw["id"]),
        name=str(raw["name"]),
        rf_id=attributes.get("rf_id", raw.get("rf_id")),
        op_schema=attributes.get("op_schema", raw.get("op_schema", "")) or "",
        input_shapes=inputs.get("shapes", []) if is_new else raw.get("input_shapes", []),
        input_types=inputs.get("types", []) if is_new else raw.get("input_types", []),
        output_shapes=outputs.get("shapes", []) if is_new else raw.get("output_shapes", []),
        output_types=outputs.get("types", []) if is_new else raw.get("output_types", []),
    )
