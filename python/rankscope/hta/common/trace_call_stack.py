"""The call stack of one thread, as a part of CallGraph."""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Optional

import pandas as pd


class CallStackIdentity(NamedTuple):
    """Which thread a stack is of."""

    rank: int = -1
    pid: int = -1
    tid: int = -1


class CallStackNode:
    """An event in a stack: the event around it, and those below it. Roots have indices below 0."""

    def __init__(self, parent: int, depth: int, height: int) -> None:
        self.parent = parent
        self.depth = depth
        self.height = height
        self.children: List[int] = []

    def __repr__(self) -> str:
        return (
            f"CallStackNode(parent={self.parent}, depth={self.depth}, height={self.height}, children={self.children})"
        )


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

    def get_parent(self, node: int) -> int:
        """The index of the event around one."""
        return self.nodes[node].parent

    def get_children(self, node: int) -> List[int]:
        """The events right below one."""
        return list(self.nodes[node].children)

    def get_depth(self, node: int) -> int:
        """How many events are around one."""
        return self.nodes[node].depth

    def get_height(self, node: int) -> int:
        """0 of device work, else one more than the highest below."""
        return self.nodes[node].height

    def get_path_to_root(self, node: int) -> List[int]:
        """An event and all around it, the innermost first, and the root."""
        return list(self._upwards(node))

    def get_descendants(self, node: int) -> List[int]:
        """An event and all below it."""
        found = [node]
        for one in found:
            found.extend(self.nodes[one].children)
        return found

    def get_leaf_nodes(self, node: Optional[int] = None) -> List[int]:
        """The events below one, or below the root, that have none below them."""
        below = self.get_descendants(self.root_index if node is None else node)
        return [one for one in below if not self.nodes[one].children]

    def get_paths_to_leaves(self, node: int) -> List[List[int]]:
        """The path from an event down to each leaf below it."""
        paths = []
        for leaf in self.get_leaf_nodes(node):
            path = []
            for one in self._upwards(leaf):
                path.append(one)
                if one == node:
                    break
            paths.append(path[::-1])
        return paths

    def _upwards(self, node: int) -> Iterator[int]:
        while node in self.nodes:
            yield node
            node = self.nodes[node].parent if node >= 0 else -1
