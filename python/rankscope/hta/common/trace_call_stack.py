"""The call stack of one thread: as a part of CallGraph, whose nodes the library has found, or of a data frame's events."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence

import numpy as np
import pandas as pd

from ..._errors import InvalidArgumentError
from ..configs.config import logger
from .trace_symbol_table import TraceSymbolTable
from .types import DeviceType, infer_device_type

# The event around a root, and the one around what is in no stack.
NULL_NODE_INDEX = -1
NON_EXISTENT_NODE_INDEX = -2
# Ends of an event.
OPEN_END = -1
CLOSE_END = 1
# Columns of an end: the event, its duration, which end it is, and when.
_INDEX, _DURATION, _KIND, _TIME = range(4)
_STACK_COLUMNS = ("parent", "depth", "height")


class CallStackIdentity(NamedTuple):
    """Which thread a stack is of."""

    rank: int = -1
    pid: int = -1
    tid: int = -1


@dataclass
class CallStackNode:
    """An event in a stack: the event around it, and those below it. Roots have indices below 0."""

    parent: int = NULL_NODE_INDEX
    depth: int = -1
    height: int = -1
    device: DeviceType = DeviceType.CPU
    children: List[int] = field(default_factory=list)


class KernelInfo(NamedTuple):
    """The device work below an event."""

    num_kernels: int
    kernel_dur_sum: float
    kernel_span: float
    first_kernel_start: float
    last_kernel_end: float


DFSCallback = Callable[[int, CallStackNode], None]


def _cmp_events_with_zero_duration(x: Sequence[Any], y: Sequence[Any]) -> bool:
    """Whether the end x comes before y, which is at the same time and of another event, where one of both events has no duration.

    Raises:
        ValueError: both have one.
    """
    if x[_DURATION] != 0 and y[_DURATION] != 0:
        raise InvalidArgumentError("one of both events has no duration here")
    # An event without duration lies within one that begins or ends at its time.
    if y[_DURATION] != 0:
        return bool(y[_KIND] == CLOSE_END)
    if x[_DURATION] != 0:
        return bool(x[_KIND] == OPEN_END)
    if x[_KIND] != y[_KIND]:
        return bool(x[_KIND] == OPEN_END)
    return bool(x[_INDEX] < y[_INDEX] if x[_KIND] == OPEN_END else x[_INDEX] > y[_INDEX])


def _less_than(x: Sequence[Any], y: Sequence[Any]) -> bool:
    """Whether the end x comes before y on a stack. Of events at one time the longer one, or the first in the file, is around the other."""
    if x[_INDEX] == y[_INDEX]:
        return bool(x[_KIND] < y[_KIND])
    if x[_TIME] != y[_TIME]:
        return bool(x[_TIME] < y[_TIME])
    if x[_DURATION] == 0 or y[_DURATION] == 0:
        return _cmp_events_with_zero_duration(x, y)
    if x[_KIND] != y[_KIND]:
        return bool(x[_KIND] == CLOSE_END)
    is_around = (-x[_DURATION], x[_INDEX]) < (-y[_DURATION], y[_INDEX])
    return bool(is_around == (x[_KIND] == OPEN_END))


def _compare(x: Sequence[Any], y: Sequence[Any]) -> int:
    return -1 if _less_than(x, y) else 1 if _less_than(y, x) else 0


def sort_events(events: np.ndarray[Any, Any]) -> None:
    """Sorts ends as a stack sees them, in place."""
    events[:] = sorted(events.tolist(), key=functools.cmp_to_key(_compare))


def is_events_sorted(events: np.ndarray[Any, Any]) -> bool:
    """Whether ends are in the order of sort_events."""
    rows = events.tolist()
    return not any(_less_than(after, before) for before, after in zip(rows, rows[1:]))


class CallStackGraph:
    """The stack of a thread with the device work that it launches. Of a stream, whose work is a mere list, there are no nodes.

    Args:
        df: the thread's events: index, ts, dur and stream.
        identity: the thread.
        cpu_gpu_correlation: the launch, cpu_index, and its work, gpu_index.
        full_df: all events of the rank.
        symbol_table: what their names refer to.
        nodes: the rank's nodes of other threads, to which those of this one are added; none unless they are given.
        use_existing_stack_columns: takes the stack from the columns parent, depth and height of full_df where they have one.
        save_call_stack_to_df: writes the stack to these columns, and what is known of device work, where full_df has them.

    Attributes:
        identity: the thread.
        df: its events.
        full_df: all events of the rank.
        nodes: all nodes of the rank by the index of their event.
        root_index: the root that its outermost events hang from: its own, or that of the thread whose backward it is.
        device_type: whether it is a thread or a stream.
    """

    def __init__(
        self,
        df: pd.DataFrame,
        identity: CallStackIdentity,
        cpu_gpu_correlation: pd.DataFrame,
        full_df: pd.DataFrame,
        symbol_table: TraceSymbolTable,
        nodes: Optional[Dict[int, CallStackNode]] = None,
        use_existing_stack_columns: bool = False,
        save_call_stack_to_df: bool = True,
    ) -> None:
        self._take(identity, df, full_df, {} if nodes is None else nodes, -abs(identity.tid))
        self.symbol_table = symbol_table
        self.device_type = infer_device_type(df)
        if self.device_type == DeviceType.GPU:
            logger.error("%s is a stream of a device, which has no call stack", identity)
            return
        logger.debug("the call stack of %s, of %d events", identity, len(df))
        if use_existing_stack_columns and self._has_valid_stack_columns():
            self._nest_by_columns()
        else:
            self._nest()
        self._add_kernels(cpu_gpu_correlation)
        self._update_depths_and_heights()
        if save_call_stack_to_df:
            self._save_call_stack_to_df()
            self._add_kernel_info_to_cpu_ops()

    @classmethod
    def of_nodes(
        cls,
        identity: CallStackIdentity,
        df: pd.DataFrame,
        full_df: pd.DataFrame,
        nodes: Dict[int, CallStackNode],
        root_index: int,
    ) -> "CallStackGraph":
        """The stack of a host thread whose nodes are known."""
        stack = cls.__new__(cls)
        stack._take(identity, df, full_df, nodes, root_index)
        stack.device_type = DeviceType.CPU
        return stack

    def _take(
        self,
        identity: CallStackIdentity,
        df: pd.DataFrame,
        full_df: pd.DataFrame,
        nodes: Dict[int, CallStackNode],
        root_index: int,
    ) -> None:
        self.identity = identity
        self.df = df
        self.full_df = full_df
        self.nodes = nodes
        self.root_index = root_index

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
        """How many events are around each of the thread."""
        own = set(self.df["index"].tolist())
        depths = {index: node.depth for index, node in self.nodes.items() if index in own}
        return pd.Series(depths, dtype=pd.Int16Dtype(), name="depth")

    def get_parent(self, idx: int) -> int:
        """The event around one; -2 of what is in no stack."""
        return self.nodes[idx].parent if idx in self.nodes else NON_EXISTENT_NODE_INDEX

    def get_children(self, idx: int) -> List[int]:
        """The events right below one."""
        return list(self.nodes[idx].children) if idx in self.nodes else []

    def get_root(self, idx: int) -> int:
        """The root that an event hangs from; -1 of what is in no stack."""
        path = self.get_path_to_root(idx)
        return path[-1] if path else NULL_NODE_INDEX

    def get_path_to_root(self, idx: int) -> List[int]:
        """An event and all around it, the innermost first, and the root."""
        return list(self._upwards(idx))

    def get_descendants(self, idx: int) -> List[int]:
        """An event and all below it."""
        found = [idx] if idx in self.nodes else []
        for one in found:
            found.extend(self.nodes[one].children)
        return found

    def get_leaf_nodes(self, idx: Optional[int] = None) -> List[int]:
        """The events below one, or below the root, that have none below them."""
        below = self.get_descendants(self.root_index if idx is None else idx)
        return [one for one in below if not self.nodes[one].children]

    def get_paths_to_leaves(self, idx: int) -> List[List[int]]:
        """The path from an event down to each leaf below it."""
        paths = []
        for leaf in self.get_leaf_nodes(idx):
            path = []
            for one in self._upwards(leaf):
                path.append(one)
                if one == idx:
                    break
            paths.append(path[::-1])
        return paths

    def dfs_traverse(self, enter_func: DFSCallback, exit_func: DFSCallback) -> None:
        """Calls a function before and one behind what is below each event, the root among them."""
        traverse(self.nodes, self.root_index, enter_func, exit_func)

    def update_parent_of_first_layer_nodes(self, new_parent_index: int) -> None:
        """Hangs the thread's outermost events from an event of another thread, whose root is theirs from now on.

        Raises:
            ValueError: there is no such node.
        """
        self._check_parent(new_parent_index)
        self._update_parent(list(self.nodes[self.root_index].children), new_parent_index)
        self.nodes[self.root_index].children = []
        self.root_index = self.get_root(new_parent_index)
        self._update_depths_and_heights()

    def _update_parent(self, indices: List[int], new_parent_index: int) -> None:
        self._check_parent(new_parent_index)
        for index in indices:
            self.nodes[index].parent = new_parent_index
            self._add_edge(new_parent_index, index, self.nodes[index].device)

    def _check_parent(self, index: int) -> None:
        if index not in self.nodes:
            raise InvalidArgumentError(f"the call stack has no event {index}")

    def _add_edge(self, parent: int, child: int, device: DeviceType) -> None:
        """Makes an event a child of another one; without a node yet it gets one."""
        if child not in self.nodes:
            self.nodes[child] = CallStackNode(parent, self.nodes[parent].depth + 1, -1, device)
        if child not in self.nodes[parent].children:
            self.nodes[parent].children.append(child)

    def _nest(self) -> None:
        """Nodes of what is around what in time."""
        index, begins = self.df["index"].to_numpy(), self.df["ts"].to_numpy()
        durations = self.df["dur"].clip(lower=0).to_numpy()
        opened = np.column_stack([index, durations, np.full(len(index), OPEN_END), begins])
        closed = np.column_stack([index, durations, np.full(len(index), CLOSE_END), begins + durations])
        events = np.concatenate([opened, closed])
        sort_events(events)
        if len(set(map(tuple, events.tolist()))) < len(events):
            logger.error("the events of %s have duplicates", self.identity)
        self.nodes[self.root_index] = CallStackNode()
        stack = [self.root_index]
        for event, _, kind, _ in events.tolist():
            if kind == CLOSE_END:
                # Whatever is open last is closed, as in HTA, also where events are not nested.
                del stack[max(len(stack) - 1, 1) :]
                continue
            self.nodes[int(event)] = CallStackNode(stack[-1])
            self.nodes[stack[-1]].children.append(int(event))
            stack.append(int(event))

    def _nest_by_columns(self) -> None:
        """Nodes of the column parent."""
        rows = self.full_df[self.full_df["index"].isin(self.df["index"])].sort_values("ts", kind="stable")
        self.nodes[self.root_index] = CallStackNode()
        for index, parent in zip(rows["index"].tolist(), rows["parent"].tolist()):
            self.nodes[index] = CallStackNode(int(parent))
        for index in rows["index"].tolist():
            node = self.nodes[index]
            if node.parent not in self.nodes:
                node.parent = self.root_index
            self.nodes[node.parent].children.append(index)

    def _add_kernels(self, cpu_gpu_correlation: pd.DataFrame) -> None:
        own = set(self.df["index"].tolist())
        pairs = zip(cpu_gpu_correlation["cpu_index"].tolist(), cpu_gpu_correlation["gpu_index"].tolist())
        for launch, work in pairs:
            if launch in own and launch in self.nodes and work not in self.nodes:
                self._add_edge(int(launch), int(work), DeviceType.GPU)

    def _update_depths_and_heights(self) -> None:
        """Depths from the root downwards, heights from the leaves upwards: 0 of device work, 1 or more of host events."""

        def enter(index: int, node: CallStackNode) -> None:
            for child in node.children:
                self.nodes[child].depth = node.depth + 1

        def leave(_: int, node: CallStackNode) -> None:
            heights = [self.nodes[child].height for child in node.children]
            node.height = 0 if node.device == DeviceType.GPU else 1 + max(heights, default=0)

        traverse(self.nodes, self.root_index, enter, leave)

    def _has_valid_stack_columns(self) -> bool:
        """Whether full_df has a stack of the thread's events."""
        if not all(name in self.full_df.columns for name in _STACK_COLUMNS):
            return False
        parents = self.full_df.loc[self.full_df["index"].isin(self.df["index"]), "parent"]
        return bool(parents.notna().all() and parents.ne(NULL_NODE_INDEX).any())

    def _save_call_stack_to_df(self) -> None:
        """Writes the stack to full_df, where it has the columns."""
        if self.device_type == DeviceType.GPU or any(name not in self.full_df.columns for name in _STACK_COLUMNS):
            return
        below = [index for index in self.get_descendants(self.root_index) if index >= 0]
        for name in _STACK_COLUMNS:
            self._write(name, {index: getattr(self.nodes[index], name) for index in below})

    def _add_kernel_info_to_cpu_ops(self) -> None:
        """Writes to full_df what device work is below each event, where it has the columns."""
        if any(name not in self.full_df.columns for name in KernelInfo._fields):
            return
        rows = self.full_df[["index", "ts", "dur"]].itertuples(index=False, name=None)
        times = {index: (begin, begin + duration) for index, begin, duration in rows}
        found: Dict[int, KernelInfo] = {}

        def leave(index: int, node: CallStackNode) -> None:
            if node.device == DeviceType.GPU and index in times:
                begin, end = times[index]
                found[index] = KernelInfo(1, end - begin, end - begin, begin, end)
                return
            parts = [found[child] for child in node.children if child in found]
            if parts:
                first, last = min(one.first_kernel_start for one in parts), max(one.last_kernel_end for one in parts)
                count, total = sum(one.num_kernels for one in parts), sum(one.kernel_dur_sum for one in parts)
                found[index] = KernelInfo(count, total, last - first, first, last)

        traverse(self.nodes, self.root_index, lambda index, node: None, leave)
        for place, name in enumerate(KernelInfo._fields):
            self._write(name, {index: info[place] for index, info in found.items() if index >= 0})

    def _write(self, name: str, values: Dict[int, Any]) -> None:
        is_own = self.full_df["index"].isin(list(values))
        self.full_df.loc[is_own, name] = [values[index] for index in self.full_df.loc[is_own, "index"]]

    def _upwards(self, idx: int) -> Iterator[int]:
        while idx in self.nodes:
            yield idx
            if idx < 0:  # a root, which may be called as what is around it: -1
                return
            idx = self.nodes[idx].parent


def traverse(
    nodes: Any, root: int, enter_func: Callable[[int, Any], None], exit_func: Callable[[int, Any], None]
) -> None:
    """Calls a function before and one behind what is below each node, from a root on."""
    waiting = [(root, True)]
    while waiting:
        index, is_entered = waiting.pop()
        node = nodes[index]
        if not is_entered:
            exit_func(index, node)
            continue
        enter_func(index, node)
        waiting.append((index, False))
        waiting.extend((child, True) for child in reversed(node.children) if child in nodes)
