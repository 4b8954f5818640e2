"""CPGraph: begins and ends of events, what each waited for, and the critical path through them."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple

import pandas as pd

from ..common.trace_symbol_table import TraceSymbolTable, decode_symbol_id_to_symbol_name
from ..configs.config import logger

if TYPE_CHECKING:
    from ..common.trace import Trace


@dataclass
class CPNode:
    """The begin or the end of an event: its number in the graph, the event in the file, and when it is, in microseconds."""

    idx: int = -1
    ev_idx: int = -1
    ts: int = 0
    is_start: bool = False
    is_blocking: bool = False


class CPEdgeType(Enum):
    """What an edge stands for."""

    OPERATOR_KERNEL = "critical_path_operator"
    DEPENDENCY = "critical_path_dependency"
    KERNEL_LAUNCH_DELAY = "critical_path_kernel_launch_delay"
    KERNEL_KERNEL_DELAY = "critical_path_kernel_kernel_delay"
    SYNC_DEPENDENCY = "critical_path_sync_dependency"


@dataclass(frozen=True)
class CPEdge:
    """An edge between two nodes; its weight is microseconds, 0 where it is order only."""

    begin: int
    end: int
    type: CPEdgeType
    weight: int = 0


class Edges(Mapping[Tuple[int, int], Dict[str, Any]]):
    """Edges by their nodes, as networkx.DiGraph.edges: `edges[u, v]["object"]` is a CPEdge, `["weight"]` what it counts for the path."""

    def __init__(self) -> None:
        self._edges: Dict[Tuple[int, int], Dict[str, Any]] = {}

    def add(self, edge: CPEdge) -> None:
        """Adds an edge. A weight below 0 counts as 0."""
        self._edges[edge.begin, edge.end] = {"weight": max(edge.weight, 0), "object": edge}

    def __call__(self, data: bool = False) -> List[Tuple[Any, ...]]:
        """The edges as networkx lists them: (u, v), or (u, v, attributes) with data."""
        return [(*nodes, attributes) if data else nodes for nodes, attributes in self._edges.items()]

    def __getitem__(self, nodes: Tuple[int, int]) -> Dict[str, Any]:
        return self._edges[nodes]

    def __iter__(self) -> Iterator[Tuple[int, int]]:
        return iter(self._edges)

    def __len__(self) -> int:
        return len(self._edges)


def longest_path(edges: Edges) -> List[int]:
    """The nodes of the path with the largest weight; of several such paths the one over the nodes that come first."""
    following, missing = _neighbours(edges)
    length: Dict[int, float] = {node: 0 for node in sorted(following) if node not in missing}
    before: Dict[int, int] = {}
    waiting = list(length)
    for node in waiting:
        for end in following.get(node, []):
            reached = length[node] + edges[node, end]["weight"]
            if end not in length or reached > length[end]:
                length[end], before[end] = reached, node
            missing[end] -= 1
            if missing[end] == 0:
                waiting.append(end)
    if not length:
        return []
    path = [max(length, key=lambda node: length[node])]
    while path[-1] in before:
        path.append(before[path[-1]])
    return path[::-1]


def is_acyclic(edges: Edges) -> bool:
    """Whether no path leads back to where it began."""
    following, missing = _neighbours(edges)
    waiting = [node for node in following if node not in missing]
    for node in waiting:
        for end in following.get(node, []):
            missing[end] -= 1
            if missing[end] == 0:
                waiting.append(end)
    return all(count == 0 for count in missing.values())


def _neighbours(edges: Edges) -> Tuple[Dict[int, List[int]], Dict[int, int]]:
    """Of each node those that an edge leads to, and how many edges lead to it."""
    following: Dict[int, List[int]] = {}
    missing: Dict[int, int] = {}
    for begin, end in edges:
        following.setdefault(begin, []).append(end)
        missing[end] = missing.get(end, 0) + 1
    return following, missing


class CPGraph:
    """The graph of critical_path_analysis, as the tables hta.critical_path_nodes and hta.critical_path_edges have it.

    Attributes:
        rank: its rank.
        trace_df: the events of the graph.
        full_trace_df: all events of the rank.
        symbol_table: what their names refer to.
        node_list: the nodes; a node's number is its place.
        edges: the edges by their nodes.
        critical_path_nodes: the path from its begin to its end; empty where there is none.
        critical_path_events_set: the events of those nodes.
        critical_path_edges_set: the edges between them.
        event_to_start_node_map, event_to_end_node_map: nodes of an event.
        edge_to_event_map: whose time an edge is.
    """

    def __init__(self, t: "Trace", rank: int, nodes: pd.DataFrame, edges: pd.DataFrame) -> None:
        """Of the rows of the two tables; without rows a graph that has no path."""
        self.rank = rank
        self.t_full = t
        self._tables = {"nodes": nodes, "edges": edges}
        self.full_trace_df: pd.DataFrame = t.get_trace(rank)
        self.symbol_table: TraceSymbolTable = t.symbol_table
        self.trace_df: pd.DataFrame = self.full_trace_df.loc[
            self.full_trace_df["index"].isin(nodes["event"].unique())
        ].copy()
        self.node_list: List[CPNode] = [
            CPNode(*row)
            for row in zip(
                nodes["node"].tolist(),
                nodes["event"].tolist(),
                nodes["ts"].tolist(),
                nodes["point"].eq("start").tolist(),
                nodes["is_blocking"].tolist(),
            )
        ]
        self.event_to_start_node_map = {node.ev_idx: node.idx for node in self.node_list if node.is_start}
        self.event_to_end_node_map = {node.ev_idx: node.idx for node in self.node_list if not node.is_start}
        self.edges = Edges()
        self.edge_to_event_map: Dict[Tuple[int, int], int] = {}
        self.critical_path_nodes: List[int] = []
        self.critical_path_events_set: Set[int] = set()
        self.critical_path_edges_set: Set[CPEdge] = set()
        self._bounds: Dict[Tuple[int, int], str] = {}
        self._weights: Dict[Tuple[int, int], float] = {}
        self._of_event: Optional[Dict[int, List[CPEdge]]] = None
        self._add_edges(edges)

    def critical_path(self) -> bool:
        """Whether there is a path. Where weights were changed, as in `edges[u, v]["weight"] = 0`, it is found anew."""
        if any(self.edges[nodes]["weight"] != weight for nodes, weight in self._weights.items()):
            self._take(longest_path(self.edges))
            self._remember_weights()
        return len(self.critical_path_nodes) > 0

    def save(self, out_dir: str) -> str:
        """Writes the graph as OUT_DIR.zip, and returns its path. restore_cpgraph reads it."""
        path = os.path.expanduser(out_dir).rstrip(os.sep) + ".zip"
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, table in self._tables.items():
                file.writestr(f"{name}.csv", table.to_csv(index=False))
        return path

    def number_of_nodes(self) -> int:
        """Nodes that have an edge."""
        return len({node for nodes in self.edges for node in nodes})

    def number_of_edges(self) -> int:
        """Edges."""
        return len(self.edges)

    @property
    def nodes(self) -> List[int]:
        """The numbers of the nodes."""
        return [node.idx for node in self.node_list]

    def successors(self, node: int) -> Iterator[int]:
        """Nodes that an edge leads to from this one."""
        return (end for begin, end in self.edges if begin == node)

    def predecessors(self, node: int) -> Iterator[int]:
        """Nodes that an edge leads from to this one."""
        return (begin for begin, end in self.edges if end == node)

    def to_networkx(self) -> Any:
        """The graph as a networkx.DiGraph, where networkx is installed."""
        import networkx  # pylint: disable=import-outside-toplevel

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from((begin, end, attributes) for (begin, end), attributes in self.edges.items())
        return graph

    def get_nodes_for_event(self, ev_id: int) -> Tuple[Optional[CPNode], Optional[CPNode]]:
        """Begin and end of an event; None where it has no nodes."""
        begin, end = self.event_to_start_node_map.get(ev_id), self.event_to_end_node_map.get(ev_id)
        return (
            None if begin is None else self.node_list[begin],
            None if end is None else self.node_list[end],
        )

    def get_events_for_edge(self, edge: CPEdge) -> Tuple[int, int]:
        """The events at an edge's begin and end."""
        return self.node_list[edge.begin].ev_idx, self.node_list[edge.end].ev_idx

    def get_event_attribution_for_edge(self, edge: CPEdge) -> Optional[int]:
        """The event whose time an edge is; None where it is order or a launch delay."""
        return self.edge_to_event_map.get((edge.begin, edge.end))

    def get_edges_attributed_to_event(self, ev_idx: int) -> List[CPEdge]:
        """The edges that are an event's time."""
        if self._of_event is None:
            self._of_event = {}
            for nodes, event in self.edge_to_event_map.items():
                self._of_event.setdefault(event, []).append(self.edges[nodes]["object"])
        return self._of_event.get(ev_idx, [])

    def get_critical_path_breakdown(self) -> Optional[pd.DataFrame]:
        """The path's edges, each with its event and what bounds it; None where there is no path.

        duration is microseconds. bound_by is cpu_bound, data_loading, gpu_compute_bound, gpu_communication_bound,
        gpu_kernel_kernel_overhead, gpu_kernel_launch_overhead, or empty for order.
        """
        if not self.critical_path_nodes:
            return None
        decode_symbol_id_to_symbol_name(self.trace_df, self.symbol_table, use_shorten_name=True)
        path = list(zip(self.critical_path_nodes, self.critical_path_nodes[1:]))
        rows = pd.DataFrame(
            {
                "event_idx": [self.edge_to_event_map.get(nodes) for nodes in path],
                "duration": [self.edges[nodes]["object"].weight for nodes in path],
                "type": [self.edges[nodes]["object"].type.value for nodes in path],
            }
        )
        rows["event_idx"] = rows["event_idx"].astype("float64")
        events = self.trace_df.drop_duplicates("index")[["s_name", "cat", "pid", "tid", "stream", "index"]]
        found = rows.merge(events, left_on="event_idx", right_on="index", how="left")
        found["bound_by"] = [self._bounds[nodes] for nodes in path]
        return found

    def summary(self) -> pd.Series:
        """The share of the path that each bound has, in percent. Says so on standard output, as HTA does."""
        breakdown = self.get_critical_path_breakdown()
        if breakdown is None:
            return pd.Series(dtype="float64", name="duration", index=pd.Index([], name="bound_by"))
        durations = breakdown.groupby("bound_by")["duration"].sum()
        print("Critical Path broken down by boundedness = (in % of duration)")
        return durations / breakdown["duration"].sum() * 100

    def show_critical_path(self) -> None:
        """Tells the logger each node of the path."""
        for place in self.critical_path_nodes:
            node = self.node_list[place]
            logger.info("critical %s, event %d, %s", node, node.ev_idx, self._get_node_name(node.ev_idx))

    def _get_node_name(self, ev_id: int) -> str:
        """The name of an event; ROOT of what is no event."""
        if ev_id < 0:
            return "ROOT"
        # HTA's filter repeats events, so a list.
        return self.symbol_table.sym_table[int(self.full_trace_df.loc[[ev_id], "name"].iloc[0])]

    def _validate_graph(self) -> bool:
        """Whether the graph can have a path: it has no cycle."""
        return is_acyclic(self.edges)

    def _add_edges(self, edges: pd.DataFrame) -> None:
        # Waits for more than 64 streams lead through joins, which are no nodes of HTA's.
        edges = edges[edges["from_event"].notna() & edges["to_event"].notna()]
        begins = self._places(edges["from_event"], edges["from_point"])
        ends = self._places(edges["to_event"], edges["to_point"])
        types = {kind.value: kind for kind in CPEdgeType}
        following: Dict[int, int] = {}
        rows = zip(
            begins, ends, edges["type"], edges["weight"], edges["event"], edges["bound_by"], edges["is_critical"]
        )
        for begin, end, kind, weight, event, bound_by, is_critical in rows:
            edge = CPEdge(begin, end, types[kind], int(weight))
            self.edges.add(edge)
            self._bounds[begin, end] = bound_by
            if event == event and edge.type in (CPEdgeType.OPERATOR_KERNEL, CPEdgeType.KERNEL_KERNEL_DELAY):
                self.edge_to_event_map[begin, end] = int(event)
            if is_critical:
                following[begin] = end
                self.critical_path_edges_set.add(edge)
        self._follow(following)
        self.critical_path_events_set = {self.node_list[node].ev_idx for node in self.critical_path_nodes}
        self._remember_weights()

    def _take(self, path: List[int]) -> None:
        self.critical_path_nodes = path
        self.critical_path_events_set = {self.node_list[node].ev_idx for node in path}
        self.critical_path_edges_set = {self.edges[nodes]["object"] for nodes in zip(path, path[1:])}

    def _remember_weights(self) -> None:
        self._weights = {nodes: attributes["weight"] for nodes, attributes in self.edges.items()}

    def _follow(self, following: Dict[int, int]) -> None:
        """Fills critical_path_nodes. Where a join was left out, an edge of order leads on to the next part in time."""
        for start in sorted(set(following) - set(following.values()), key=lambda node: self.node_list[node].ts):
            if self.critical_path_nodes:
                edge = CPEdge(self.critical_path_nodes[-1], start, CPEdgeType.SYNC_DEPENDENCY)
                self.edges.add(edge)
                self._bounds[edge.begin, edge.end] = ""
                self.critical_path_edges_set.add(edge)
            self.critical_path_nodes.append(start)
            while self.critical_path_nodes[-1] in following:
                self.critical_path_nodes.append(following[self.critical_path_nodes[-1]])

    def _places(self, events: pd.Series, points: pd.Series) -> List[int]:
        nodes = {"start": self.event_to_start_node_map, "end": self.event_to_end_node_map}
        return [nodes[point][int(event)] for event, point in zip(events, points)]
