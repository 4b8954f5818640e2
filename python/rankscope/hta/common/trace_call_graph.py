"""CallGraph: what calls what on every thread, and the device work below it."""

from __future__ import annotations

import os
import tempfile
from typing import Dict, Iterator, List, Optional

import pandas as pd

from ..._errors import InvalidArgumentError
from .._frames import narrow
from ._written_frames import trace_of_frame
from .trace import Trace
from .trace_call_stack import CallStackGraph, CallStackIdentity, CallStackNode
from .trace_file import write_trace
from .trace_symbol_table import TraceSymbolTable
from .types import DeviceType

_MAPPING = ["rank", "pid", "tid", "label", "stack_index", "stack_root", "count"]
# Of events without device work below them.
_DEFAULTS = {
    "depth": -1,
    "height": -1,
    "parent": -1,
    "num_kernels": 0,
    "kernel_dur_sum": 0.0,
    "kernel_span": 0.0,
    "first_kernel_start": -1.0,
    "last_kernel_end": -1.0,
}


class CallGraph:
    """The call stacks of some ranks, of the table hta.call_graph, whose columns are added to the data frames of the trace.

    It is that of the files: what is changed in the data frames does not reach it, except that events were taken out, and by from_dataframe.

    Args:
        trace: a trace that was parsed or loaded.
        ranks: all unless they are named.

    Raises:
        ValueError: the trace has none of the ranks.

    Attributes:
        trace_data: the trace.
        ranks: the ranks.
        call_stacks: a stack for each thread of the host.
        mapping: a row for each stack: its thread, what it is for (main, bwd, or the name of its first event), and its root.
        rank_to_stacks, rank_to_nodes: stacks and nodes of each rank.
    """

    stack_columns = list(_DEFAULTS)

    def __init__(self, trace: Trace, ranks: Optional[List[int]] = None) -> None:
        there = trace.get_ranks()
        self.trace_data = trace
        self.ranks = [rank for rank in ranks if rank in there] if ranks else there
        if not self.ranks:
            raise InvalidArgumentError(f"the trace has none of the ranks {ranks}: it has {there}")
        self.call_stacks: List[CallStackGraph] = []
        self.rank_to_stacks: Dict[int, Dict[CallStackIdentity, CallStackGraph]] = {}
        self.rank_to_nodes: Dict[int, Dict[int, CallStackNode]] = {}
        rows: List[List[object]] = []
        for rank in self.ranks:
            rows.extend(self._add_rank(rank))
        self.mapping = pd.DataFrame(rows, columns=_MAPPING)
        self.mapping["count"] = self.mapping.groupby(["rank", "stack_root"]).cumcount() + 1
        self._rank = self.ranks[0]

    @staticmethod
    def from_dataframe(
        df: pd.DataFrame, symbol_table: Optional[TraceSymbolTable] = None, rank: int = -1
    ) -> "CallGraph":
        """The call stacks of a frame's events, whatever their file says.

        Args:
            df: the events of one rank.
            symbol_table: what name and cat refer to; None where they are texts.
            rank: how the rank is called.
        """
        symbols = symbol_table or TraceSymbolTable.create_symbol_table_from_df(df)
        with tempfile.TemporaryDirectory() as folder:
            trace = _trace_in(folder, df, symbols, rank)
            trace.parse_traces()
            trace.symbol_table = symbols
            trace.traces[rank] = df.copy()
            return CallGraph(trace)

    def get_call_stacks(
        self,
        rank: Optional[int] = None,
        pid: Optional[int] = None,
        tid: Optional[int] = None,
        stack_index: Optional[int] = None,
    ) -> Iterator[CallStackGraph]:
        """The stacks of a rank, process, thread or place in `mapping`."""
        wanted = {"rank": rank, "pid": pid, "tid": tid, "stack_index": stack_index}
        rows = self.mapping
        for name, value in wanted.items():
            rows = rows if value is None else rows[rows[name].eq(value)]
        return (self.call_stacks[place] for place in rows["stack_index"])

    def get_node_attributes(self, index: int, rank: Optional[int] = None) -> pd.Series:
        """The event's row of the data frame.

        Raises:
            ValueError: there is no such event.
        """
        frame = self._frame(rank)
        if index not in frame.index:
            raise InvalidArgumentError(f"rank {self._rank} has no event {index}")
        row: pd.Series = frame[frame["index"].eq(index)].iloc[0]
        return row

    def get_csg_of_node(self, index: int, rank: Optional[int] = None) -> CallStackGraph:
        """The stack that an event is in; of device work that of its launch.

        Raises:
            ValueError: there is no such event, or it is in no stack.
        """
        node = self.get_node_attributes(index, rank)
        if node["stream"] > 0:
            node = self.get_node_attributes(int(node["parent"]), rank)
        for stack in self.get_call_stacks(rank=self._rank, pid=node["pid"], tid=node["tid"]):
            return stack
        raise InvalidArgumentError(f"event {index} of rank {self._rank} is in no call stack")

    def get_stack_of_node(self, index: int, rank: Optional[int] = None, skip_ancestors: bool = False) -> pd.DataFrame:
        """An event with all below it, and all around it unless skip_ancestors, by their begins.

        Raises:
            ValueError: there is no such event, or it is in no stack.
        """
        stack = self.get_csg_of_node(index, rank)
        chosen = set(stack.get_descendants(index))
        if not skip_ancestors:
            chosen.update(stack.get_path_to_root(index))
        frame = stack.full_df.loc[sorted(node for node in chosen if node >= 0)]
        # Around before inside where both begin at once.
        return frame.sort_values(["ts", "depth"], kind="stable")

    def get_gpu_kernels(self, rank: Optional[int] = None) -> pd.DataFrame:
        """The events of a rank that have a stream."""
        frame = self._frame(rank)
        return frame[frame["stream"].ne(-1)]

    def _frame(self, rank: Optional[int]) -> pd.DataFrame:
        if rank is not None and rank in self.ranks:
            self._rank = rank
        return self.trace_data.get_trace(self._rank)

    def _add_rank(self, rank: int) -> List[List[object]]:
        """Adds the columns and the stacks of a rank; the rows of its stacks for `mapping`."""
        frame = self.trace_data.get_trace(rank)
        rows = self._rows_of(rank, frame)
        for name, other in _DEFAULTS.items():
            values = rows[name].reindex(frame["index"]).fillna(other)
            frame[name] = narrow(values.astype("int64").to_numpy()) if isinstance(other, int) else values.to_numpy()
        nodes = _nodes_of(rows)
        self.rank_to_nodes[rank] = nodes
        self.rank_to_stacks[rank] = {}
        found: List[List[object]] = []
        for (pid, tid), events in frame.groupby(["pid", "tid"]):
            # Device work hangs from its launches.
            if events["stream"].gt(0).any() or not any(int(index) in nodes for index in events["index"]):
                continue
            identity = CallStackIdentity(rank, pid, tid)
            label = self._label_of(events)
            root = _root_of(events, nodes, -abs(tid), label)
            stack = CallStackGraph.of_nodes(identity, events, frame, nodes, root)
            self.rank_to_stacks[rank][identity] = stack
            found.append([rank, pid, tid, label, len(self.call_stacks), root, 0])
            self.call_stacks.append(stack)
        return found

    def _rows_of(self, rank: int, frame: pd.DataFrame) -> pd.DataFrame:
        """hta.call_graph by event: of the file, or of the frame where events were taken out of it."""
        rows = _by_event(self.trace_data.table("hta.call_graph", [rank]))
        if set(frame["index"]) == set(rows.index):
            return rows
        with tempfile.TemporaryDirectory() as folder:
            trace = _trace_in(folder, frame, self.trace_data.symbol_table, rank)
            trace.parse_traces()
            return _by_event(trace.table("hta.call_graph", [rank]))

    def _label_of(self, events: pd.DataFrame) -> str:
        names = [self.trace_data.symbol_table.sym_table[place] for place in events["name"].unique()]
        if any(name.startswith("ProfilerStep#") for name in names):
            return "main"
        return "bwd" if any("autograd::" in name for name in names) else str(names[0])


def _by_event(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.drop_duplicates("index").set_index("index")


def _trace_in(folder: str, frame: pd.DataFrame, symbols: TraceSymbolTable, rank: int) -> Trace:
    """The trace of a frame's events, of a file that is written into a folder."""
    path = os.path.join(folder, "frame.json")
    write_trace(trace_of_frame(frame, symbols), path)
    return Trace({rank: path})


def _nodes_of(rows: pd.DataFrame) -> Dict[int, CallStackNode]:
    nodes: Dict[int, CallStackNode] = {}
    in_graph = rows[rows["depth"].ge(0)]
    for index, parent, depth, height in zip(in_graph.index, in_graph["parent"], in_graph["depth"], in_graph["height"]):
        device = DeviceType.CPU if height > 0 else DeviceType.GPU
        nodes[int(index)] = CallStackNode(int(parent), int(depth), int(height), device)
    for index, node in list(nodes.items()):
        if node.parent not in nodes:
            nodes[node.parent] = CallStackNode()
        nodes[node.parent].children.append(index)
    for root in [node for index, node in nodes.items() if index < 0]:
        root.height = 1 + max(nodes[child].height for child in root.children)
    return nodes


def _root_of(events: pd.DataFrame, nodes: Dict[int, CallStackNode], own: int, label: str) -> int:
    """A backward thread that hangs from another one has that one's root."""
    if label != "bwd":
        return own
    for index in events["index"]:
        node = int(index)
        while node in nodes and node >= 0:
            node = nodes[node].parent
        if node < -1 and node != own:
            return node
    return own
