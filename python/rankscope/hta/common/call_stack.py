"""The older CallGraph of HTA: what calls what on every thread, of the events of any data frames.

trace_call_graph has the newer one, which is a table of the library. This one looks at the frames that it is given, so that events can be
filtered and threads be merged before.
"""

from __future__ import annotations

import functools
import itertools
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional

import pandas as pd

from ..._errors import InvalidArgumentError
from ..configs import env_options
from ..configs.config import logger
from .trace import Trace
from .trace_call_stack import NON_EXISTENT_NODE_INDEX, NULL_NODE_INDEX, CallStackIdentity, traverse
from .trace_filter import Filter
from .types import DeviceType

__all__ = ["CallGraph", "CallStackGraph", "CallStackIdentity", "CallStackNode", "DeviceType", "infer_device_type"]

EVENT_START = 1
EVENT_END = -1


class Event(NamedTuple):
    """The begin or the end of an event."""

    idx: int
    time: float
    dur: float
    type: int


class CallStackNode(NamedTuple):
    """An event in a stack: the event around it, how many are around it, and those right below it."""

    parent: int = NULL_NODE_INDEX
    depth: int = -1
    children: List[int] = []


DFSCallback = Callable[[int, CallStackNode], None]


def infer_device_type(df: pd.DataFrame) -> DeviceType:
    """Where the events of one thread or stream ran, by their streams; UNKNOWN without events, and where that is not the same for all."""
    if df.empty:
        return DeviceType.UNKNOWN
    if df["stream"].gt(0).all():
        return DeviceType.GPU
    return DeviceType.CPU if df["stream"].lt(0).all() else DeviceType.UNKNOWN


def compare_events(x: Event, y: Event) -> int:
    """-1 where x comes before y on a stack, 1 where it comes behind it."""
    is_start = x.type == EVENT_START
    if x.idx == y.idx:
        return -1 if is_start else 1
    if x.time != y.time:
        return -1 if x.time < y.time else 1
    if x.type == y.type:
        # What is longer, or comes first in the file, is around the other: it begins first and ends last.
        is_around = (-x.dur, x.idx) < (-y.dur, y.idx)
        return -1 if is_around == is_start else 1
    if x.dur == 0 and y.dur == 0:
        return -1 if x.idx < y.idx else 1
    # What ends makes room for what begins, but an event of no duration lies within the other one.
    is_behind = is_start if x.dur > 0 and y.dur > 0 else not is_start
    return 1 if is_behind else -1


class CallStackGraph:
    """The stack of one thread. Of a stream, whose work is a mere list, there are no nodes.

    Args:
        df: the thread's events: index, ts, dur, stream and index_correlation.
        identity: the thread.
        filter_func: leaves events out of the stack.

    Raises:
        ValueError: there is no column index_correlation.

    Attributes:
        nodes: by the index of their event; -1 is around all.
        correlations: the event that each is linked with.
        depth: how many events are around each.
    """

    def __init__(self, df: pd.DataFrame, identity: CallStackIdentity, filter_func: Optional[Filter] = None) -> None:
        if "index_correlation" not in df.columns:
            raise InvalidArgumentError("a call stack needs the column index_correlation")
        self.df = df
        self.identity = identity
        self.filter_func = filter_func
        self.device_type = infer_device_type(df)
        self.correlations: pd.Series = df["index_correlation"]
        self.nodes: Dict[int, CallStackNode] = {}
        if self.device_type == DeviceType.GPU:
            self.depth = pd.Series(-1, index=df.index, name="depth")
            return
        self._nest(df if filter_func is None else filter_func(df))
        depths = {index: node.depth for index, node in self.nodes.items() if index >= 0}
        self.depth = pd.Series(depths, name="depth", dtype="int64")

    def __repr__(self) -> str:
        rows = "".join(f"    {index}: {node}\n" for index, node in self.nodes.items())
        return f"CallStackGraph(\n{rows})"

    def get_nodes(self) -> Dict[int, CallStackNode]:
        """nodes."""
        return self.nodes

    def get_dataframe(self) -> pd.DataFrame:
        """df."""
        return self.df

    def get_depth(self) -> pd.Series:
        """depth."""
        return self.depth

    def get_parent(self, idx: int) -> int:
        """The event around one; -2 where the stack does not have it."""
        if idx in self.nodes:
            return self.nodes[idx].parent
        logger.error("the call stack of %s has no event %d", self.identity, idx)
        return NON_EXISTENT_NODE_INDEX

    def get_children(self, idx: int) -> List[int]:
        """The events right below one."""
        return self.nodes[idx].children if idx in self.nodes else []

    def get_path_to_root(self, idx: int) -> List[int]:
        """An event and all around it, the innermost first, and -1."""
        if idx not in self.nodes:
            return []
        path = [idx]
        while path[-1] >= 0:
            path.append(self.nodes[path[-1]].parent)
        return path

    def get_paths_to_leaves(self, idx: int) -> List[List[int]]:
        """The path from an event down to each event below it that has none below itself."""
        found: List[List[int]] = []
        waiting = [[idx]] if idx in self.nodes else []
        while waiting:
            path = waiting.pop()
            children = self.nodes[path[-1]].children
            if not children:
                found.append(path)
            waiting.extend([*path, child] for child in reversed(children))
        return found

    def get_leaf_nodes(self, idx: int) -> List[int]:
        """The ends of get_paths_to_leaves."""
        return [path[-1] for path in self.get_paths_to_leaves(idx)]

    def dfs_traverse(self, enter_func: DFSCallback, exit_func: DFSCallback) -> None:
        """Calls a function before and one behind what is below each event, -1 among them."""
        traverse(self.nodes, NULL_NODE_INDEX, enter_func, exit_func)

    def _nest(self, events: pd.DataFrame) -> None:
        self.nodes[NULL_NODE_INDEX] = CallStackNode(NULL_NODE_INDEX, -1, [])
        stack = [NULL_NODE_INDEX]
        for event in _in_order(events):
            if event.type == EVENT_END:
                # Whatever is open last is closed, as in HTA, also where events are not nested.
                del stack[max(len(stack) - 1, 1) :]
                continue
            around = self.nodes[stack[-1]]
            around.children.append(event.idx)
            self.nodes[event.idx] = CallStackNode(stack[-1], around.depth + 1, [])
            stack.append(event.idx)


class CallGraph:
    """The call stacks of some ranks. Adds the columns depth and parent to the data frames of the trace.

    Args:
        trace: a trace that was parsed or loaded.
        ranks: all unless they are named.
        filter_func: leaves events out of the stacks.
        remapped_tids: by rank, threads that count as another one: {0: {300: 400}} merges the events of thread 300 of rank 0 into 400.
        pre_process_trace_data: cuts events of Python's frames where the frame that called them ends, in the data frames of the trace.

    Attributes:
        trace_data: the trace.
        call_stacks: a stack for each thread and stream.
        mapping: csg_index, the place in call_stacks, by rank, pid and tid.
    """

    def __init__(
        self,
        trace: Trace,
        ranks: Optional[List[int]] = None,
        filter_func: Optional[Filter] = None,
        remapped_tids: Optional[Dict[int, Dict[int, int]]] = None,
        pre_process_trace_data: bool = False,
    ) -> None:
        self.trace_data = trace
        self.pre_process_trace_data = pre_process_trace_data
        self.call_stacks: List[CallStackGraph] = []
        for rank in list(trace.get_all_traces()) if ranks is None else ranks:
            frame = trace.get_trace(rank)
            if pre_process_trace_data:
                self.constrain_child_time_withinin_parent(frame)
            self._add_rank(rank, frame, (remapped_tids or {}).get(rank, {}), filter_func)
        identities = [stack.identity for stack in self.call_stacks]
        self.mapping = pd.DataFrame(identities, columns=["rank", "pid", "tid"])
        self.mapping["csg_index"] = range(len(identities))
        self.mapping = self.mapping.set_index(["rank", "pid", "tid"])

    def get_stack_of_node(self, node_id: int, rank: int, skip_ancestors: bool = False) -> pd.DataFrame:
        """The innermost events below one, all around it unless skip_ancestors, and the work that the former launch.

        Of device work it is the stack of its launch.

        Raises:
            ValueError: no stack of the rank has such an event.
        """
        frame = self.trace_data.get_trace(rank)
        if node_id in frame.index and frame.loc[node_id, "stream"] > -1:
            return self.get_stack_of_node(int(frame.loc[node_id, "index_correlation"]), rank, skip_ancestors)
        stack = self._stack_of(node_id, rank)
        leaves = stack.get_leaf_nodes(node_id)
        around = [] if skip_ancestors else [one for one in stack.get_path_to_root(node_id) if one >= 0]
        linked = frame.loc[leaves, "index_correlation"]
        launched = linked[linked.gt(0) & linked.isin(frame.index)].tolist()
        return frame.loc[list(dict.fromkeys([*leaves, *around, *launched]))]

    def constrain_child_time_withinin_parent(self, df: pd.DataFrame) -> None:
        """Cuts events of Python's frames where the frame that called them ends, in place."""
        if not {"python_id", "python_parent_id"}.issubset(df.columns):
            return
        frames = df[df["python_id"].gt(-1)].sort_values(["ts", "dur"], ascending=[True, False], kind="stable")
        ends: Dict[int, float] = {}
        threads: Dict[int, int] = {}
        rows = zip(
            frames.index, frames["python_id"], frames["python_parent_id"], frames["tid"], frames["ts"], frames["dur"]
        )
        for index, own, parent, thread, begin, duration in rows:
            end = begin + duration
            if threads.get(parent) == thread and ends[parent] < end:
                end = ends[parent]
                df.loc[index, "dur"] = end - begin
            ends[own], threads[own] = end, thread

    def _stack_of(self, node_id: int, rank: int) -> CallStackGraph:
        # Not by mapping: the thread may be merged into another one.
        for stack in self.call_stacks:
            if stack.identity.rank == rank and node_id in stack.nodes:
                return stack
        raise InvalidArgumentError(f"no call stack of rank {rank} has an event {node_id}")

    def _add_rank(self, rank: int, frame: pd.DataFrame, threads: Dict[int, int], filter_func: Optional[Filter]) -> None:
        first = len(self.call_stacks)
        merged = frame["tid"].replace(threads)
        for (pid, tid), events in frame.groupby(["pid", merged]):
            # Annotations and waits of a stream have none.
            if events["stream"].gt(0).any():
                events = events[events["stream"].gt(0)]
            self.call_stacks.append(CallStackGraph(events, CallStackIdentity(rank, pid, tid), filter_func))
        added = self.call_stacks[first:]
        if added and not env_options.disable_call_graph_depth():
            depths = pd.concat([stack.depth for stack in added])
            # HTA's filter repeats work whose correlation two calls share.
            frame["depth"] = depths[~depths.index.duplicated()].reindex(frame.index)
        on_device = frame[frame["stream"].ne(-1)]
        parents = {index: node.parent for stack in added for index, node in stack.nodes.items() if index >= 0}
        parents.update(zip(on_device.index, on_device["index_correlation"]))
        frame["parent"] = pd.Series(parents).reindex(frame.index)


def _in_order(events: pd.DataFrame) -> Iterable[Event]:
    """Begins and ends as a stack sees them."""
    ends: List[Event] = []
    for index, begin, duration in zip(events["index"].tolist(), events["ts"].tolist(), events["dur"].tolist()):
        lasting = max(duration, 0)
        ends.append(Event(index, begin, lasting, EVENT_START))
        ends.append(Event(index, begin + lasting, lasting, EVENT_END))
    ends.sort(key=lambda end: end.time)
    order = functools.cmp_to_key(compare_events)
    for _, together in itertools.groupby(ends, key=lambda end: end.time):
        yield from sorted(together, key=order)
