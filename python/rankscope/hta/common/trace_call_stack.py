"""The call stack of one thread, as a part of CallGraph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

import pandas as pd

from .types import DeviceType

# The event around a root, and the one around what is in no stack.
NULL_NODE_INDEX = -1
NON_EXISTENT_NODE_INDEX = -2


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


DFSCallback = Callable[[int, CallStackNode], None]


class CallStackGraph:
    """The stack of a thread with the device work that it launches.

    Attributes:
        identity: the thread.
        df: its events.
        full_df: all events of the rank.
        nodes: all nodes of the rank by the index of their event.
        root_index: the root that its outermost events hang from: its own, or that of the thread whose backward it is.
    """

    def __init__(
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

    def get_nodes(self) -> Dict[int, CallStackNode]:
        """nodes."""
        return self.nodes

    def get_dataframe(self) -> pd.DataFrame:
        """df."""
        return self.df

    def get_depth(self) -> pd.Series:
        """How many events are around each of the thread."""
        depth: pd.Series = self.full_df.loc[self.df["index"], "depth"]
        return depth

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

    def _upwards(self, idx: int) -> Iterator[int]:
        while idx in self.nodes:
            yield idx
            idx = self.nodes[idx].parent if idx >= 0 else NULL_NODE_INDEX


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
