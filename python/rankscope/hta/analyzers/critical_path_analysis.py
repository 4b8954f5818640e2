"""The critical path of a part of a rank's trace, and a trace that marks it."""

from __future__ import annotations

import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Set, Tuple, Union

import pandas as pd

from ..._errors import InvalidArgumentError
from ..configs import env_options
from ..configs.config import logger
from .critical_path_graph import CPEdge, CPEdgeType, CPGraph, CPNode

if TYPE_CHECKING:
    from ..common.trace import Trace

__all__ = ["CPEdge", "CPEdgeType", "CPGraph", "CPNode", "CriticalPathAnalysis", "restore_cpgraph"]

DEFAULT_EDGE_TYPES_IN_VIZ: Set[CPEdgeType] = {
    CPEdgeType.DEPENDENCY,
    CPEdgeType.KERNEL_LAUNCH_DELAY,
    CPEdgeType.SYNC_DEPENDENCY,
}

_OP = "cpu_op"
# Kept in a trace of the path alone.
_ANNOTATIONS = ("user_annotation", "python_function")


class CriticalPathAnalysis:
    """What TraceAnalysis.critical_path_analysis and overlay_critical_path_analysis do."""

    @classmethod
    def critical_path_analysis(
        cls,
        t: "Trace",
        rank: int,
        annotation: str,
        instance_id: Union[Optional[int], Tuple[int, int]],
        data_load_events: Optional[List[str]] = None,
    ) -> Tuple[CPGraph, bool]:
        """The graph, and whether it has a path: it has none where the annotation or device work is missing."""
        options: Dict[str, Any] = {
            "annotation": annotation,
            "instance_id": _instances(instance_id),
            "add_zero_weight_launch_edges": env_options.critical_path_add_zero_weight_launch_edges(),
        }
        if data_load_events:
            nodes, edges = _tables_with_data_loading(t, rank, data_load_events, options)
        else:
            nodes, edges = _tables(t, rank, options)
        if env_options.critical_path_strict_negative_weight_check() and edges["weight"].lt(-1).any():
            logger.error("the graph of rank %d has edges with a weight below -1", rank)
            edges["is_critical"] = False
        graph = CPGraph(t, rank, nodes, edges)
        if not graph.critical_path():
            logger.error("there is no critical path of rank %d within '%s', instance %s", rank, annotation, instance_id)
        return graph, graph.critical_path()

    @staticmethod
    def _show_zero_weight_launch_edges() -> bool:
        return env_options.critical_path_show_zero_weight_launch_edges()

    @staticmethod
    def _is_zero_weight_launch_edge(e: CPEdge) -> bool:
        return e.type == CPEdgeType.KERNEL_LAUNCH_DELAY and e.weight == 0

    @classmethod
    def overlay_critical_path_analysis(
        cls,
        t: "Trace",
        rank: int,
        critical_path_graph: CPGraph,
        output_dir: str,
        only_show_critical_events: bool,
        show_all_edges: bool,
        edge_types_to_viz: Optional[Set[CPEdgeType]] = None,
    ) -> str:
        """The path of the trace that was written; empty where output_dir is no folder."""
        folder = Path(output_dir).expanduser()
        if folder.exists() and not folder.is_dir():
            logger.error("output_dir is a folder for the trace, and %s is none", output_dir)
            return ""
        folder.mkdir(parents=True, exist_ok=True)
        path = os.path.join(str(folder), "overlaid_critical_path_" + os.path.basename(t.trace_files[rank]))

        content = t.get_raw_trace_for_one_rank(rank=rank)
        events: List[Dict[str, Any]] = content["traceEvents"]
        for place in critical_path_graph.critical_path_events_set:
            events[place].setdefault("args", {})["critical"] = 1
        edges = cls._shown_edges(
            critical_path_graph,
            show_all_edges and not only_show_critical_events,
            edge_types_to_viz or DEFAULT_EDGE_TYPES_IN_VIZ,
        )
        arrows = [
            end for number, edge in enumerate(edges) for end in _arrow_of(critical_path_graph, events, edge, number)
        ]
        if only_show_critical_events:
            events = [event for event in events if _is_kept(event)]
        content["traceEvents"] = events + arrows
        t.write_raw_trace(path, content)
        return path

    @classmethod
    def _shown_edges(cls, graph: CPGraph, shows_all: bool, types: Set[CPEdgeType]) -> Iterable[CPEdge]:
        if not shows_all:
            return [edge for edge in graph.critical_path_edges_set if edge.type in types]
        edges = [attributes["object"] for attributes in graph.edges.values()]
        if cls._show_zero_weight_launch_edges():
            return edges
        return [edge for edge in edges if not cls._is_zero_weight_launch_edge(edge)]


def restore_cpgraph(zip_filename: str, t_full: "Trace", rank: int) -> CPGraph:
    """The graph that CPGraph.save wrote, of the same trace.

    Raises:
        ValueError: the file is no such graph.
    """
    try:
        with zipfile.ZipFile(zip_filename) as file:
            nodes, edges = (pd.read_csv(file.open(f"{name}.csv")) for name in ("nodes", "edges"))
    except (KeyError, zipfile.BadZipFile) as error:
        raise InvalidArgumentError(f"{zip_filename} is no graph that CPGraph.save wrote: {error}") from error
    return CPGraph(t_full, rank, nodes, edges.fillna({"bound_by": ""}))


def _tables(t: "Trace", rank: int, options: Dict[str, Any]) -> Tuple[pd.DataFrame, pd.DataFrame]:
    """Nodes and edges."""
    nodes, edges = (t.table(f"hta.critical_path_{name}", [rank], **options) for name in ("nodes", "edges"))
    return nodes, edges


def _tables_with_data_loading(
    t: "Trace", rank: int, names: List[str], options: Dict[str, Any]
) -> Tuple[pd.DataFrame, pd.DataFrame]:
    """Nodes and edges of a graph that has the events whose names hold one of some texts, too.

    The graph is that of ops and calls, and data is mostly loaded within annotations; so these are made ops in a copy of the file.
    """
    frame = t.get_trace(rank)
    is_loading = t.symbol_table.get_events_mask(frame, names) & frame["stream"].eq(-1)
    places = set(frame.loc[is_loading, "index"].tolist())

    def make_ops(events: List[Dict[str, Any]]) -> None:
        for place in places:
            events[place]["cat"] = _OP

    with tempfile.TemporaryDirectory() as folder:
        edited = t.edited(rank, make_ops, folder)
        nodes, edges = _tables(edited, rank, options)
    nodes["ts"] += edited.first_ts - t.first_ts
    is_own = edges["event"].isin(places) & edges["type"].eq(CPEdgeType.OPERATOR_KERNEL.value)
    edges.loc[is_own & edges["bound_by"].eq("cpu_bound"), "bound_by"] = "data_loading"
    return nodes, edges


def _instances(instance_id: Union[Optional[int], Tuple[int, int]]) -> str:
    if instance_id is None:
        return "0"
    if isinstance(instance_id, tuple):
        first, last = instance_id
        return f"({first}, {last})"
    return str(int(instance_id))


def _is_kept(event: Dict[str, Any]) -> bool:
    if event.get("ph") != "X" or event.get("cat", "") in _ANNOTATIONS:
        return True
    return bool(event.get("args", {}).get("critical", 0) == 1)


def _arrow_of(graph: CPGraph, events: List[Dict[str, Any]], edge: CPEdge, number: int) -> List[Dict[str, Any]]:
    args = {
        "weight": int(edge.weight),
        "critical": edge in graph.critical_path_edges_set,
        "type": edge.type.value,
    }
    ends = []
    for place, is_start in ((edge.begin, True), (edge.end, False)):
        node = graph.node_list[place]
        event = events[node.ev_idx]
        at = event["ts"]
        if not node.is_start:
            # Within the event: what ends with device work would be drawn on the next one.
            is_on_device = event.get("args", {}).get("device", -1) >= 0
            at += event["dur"] - (min(1, event["dur"]) if is_on_device else 0)
        ends.append(
            graph.t_full.flow_event(
                id=number,
                pid=event["pid"],
                tid=event["tid"],
                ts=int(at),
                is_start=is_start,
                name="critical_path",
                cat=edge.type.value,
                args=args,
            )
        )
    return ends
