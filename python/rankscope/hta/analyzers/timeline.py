"""Timelines of device work over ranks and streams, by plotly."""

from __future__ import annotations

import re
from typing import Any, List, Optional

import pandas as pd

from ..._errors import InvalidArgumentError
from .._plots import express, show
from ..common.trace import Trace
from ..common.trace_symbol_table import TraceSymbolTable, texts_of_ids

_NEEDED_OF_EVENTS = ["iteration", "name", "cat", "rank", "stream", "ts"]
_NEEDED_OF_TIMELINE = ["calibrated_start_global", "calibrated_end_global", "task", "label"]
_SHOWN_OF_EVENTS = ["cat", "dur", "iteration", "name", "rank", "s_cat", "s_name", "stream"]
_LONGEST_NAME = 45


def plot_timeline(title: str, events: pd.DataFrame, ranks: Optional[List[int]] = None) -> None:
    """Shows events that prepare_timeline_gpu_events made.

    Raises:
        ValueError: a column is missing.
    """
    _check(events, _NEEDED_OF_TIMELINE)
    px = express()
    if px is None:
        return
    if ranks is None:
        ranks = sorted(events["rank"].unique()) if "rank" in events.columns else []
    figure = px.timeline(
        events,
        x_start="calibrated_start_global",
        x_end="calibrated_end_global",
        y="task",
        hover_data=[name for name in _SHOWN_OF_EVENTS if name in events.columns],
        category_orders={"task": sorted(events["task"].unique())},
        color="label",
        color_discrete_sequence=px.colors.qualitative.D3,
        width=1600,
        height=200 + 120 * len(ranks),
        title=title,
    )
    show(figure)


def prepare_timeline_gpu_events(
    df: pd.DataFrame,
    symbol_table: TraceSymbolTable,
    ranks: Optional[List[int]] = None,
    iterations: Optional[List[int]] = None,
    streams: Optional[List[int]] = None,
    duration_threshold: int = 1000,
) -> pd.DataFrame:
    """Device events with what a timeline shows of them: begin, end, a line for each stream of each rank, and a short name.

    Args:
        df: events of ranks, with the column rank.
        symbol_table: what name and cat refer to.
        ranks, iterations, streams: all but -1 unless they are named.
        duration_threshold: shorter events are drawn as long as this, in microseconds, so that they can be seen.

    Raises:
        ValueError: a column is missing.
    """
    _check(df, _NEEDED_OF_EVENTS)
    events = df
    for column, chosen in (("rank", ranks), ("iteration", iterations), ("stream", streams)):
        events = events[
            events[column].isin(chosen) if chosen is not None else events[column].ne(-1) & events[column].notna()
        ]
    events = events.copy()
    events["s_name"] = texts_of_ids(events["name"], [_simplify_name(name) for name in symbol_table.sym_table])
    events["s_cat"] = texts_of_ids(events["cat"], symbol_table.sym_table)
    shown = events["dur"].clip(lower=duration_threshold)
    events["calibrated_start_global"] = pd.to_datetime(events["ts"], unit="us")
    events["calibrated_end_global"] = pd.to_datetime(events["ts"] + shown, unit="us")
    events["label"] = events["s_name"]
    events["task"] = "rank " + events["rank"].astype(str) + " stream " + events["stream"].astype(str)
    return events.sort_values(by=["rank", "stream", "ts"], kind="stable")


def plot_timeline_gpu_kernels(
    title: str,
    df: pd.DataFrame,
    symbol_table: TraceSymbolTable,
    ranks: Optional[List[int]] = None,
    iterations: Optional[List[int]] = None,
    streams: Optional[List[int]] = None,
    duration_threshold: int = 1000,
) -> None:
    """Shows the device events of a frame. The arguments are those of prepare_timeline_gpu_events."""
    plot_timeline(title, prepare_timeline_gpu_events(df, symbol_table, ranks, iterations, streams, duration_threshold))


def plot_timeline_gpu_kernels_from_trace(
    title: str,
    trace_data: Trace,
    ranks: Optional[List[int]] = None,
    iterations: Optional[List[int]] = None,
    streams: Optional[List[int]] = None,
    duration_threshold: int = 1000,
) -> None:
    """Shows the device events of a trace. The arguments are those of prepare_timeline_gpu_events."""
    there = [rank for rank in trace_data.traces if ranks is None or rank in ranks]
    frames = [trace_data.get_trace(rank) for rank in there]
    df = pd.concat(frames, axis=0, keys=there, names=["rank", "idx"]).reset_index()
    plot_timeline_gpu_kernels(title, df, trace_data.symbol_table, ranks, iterations, streams, duration_threshold)


def __getattr__(name: str) -> Any:
    """px, plotly.express, which HTA imports here. Only at its first use: importing plotly takes a second."""
    if name == "px":
        return express()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _get_unique_values(df: pd.DataFrame, column: str) -> List[int]:
    """The values of a column from 0 on, in rising order."""
    _check(df, [column])
    return sorted(int(value) for value in df[column].dropna().unique() if value >= 0)


def _check(frame: pd.DataFrame, needed: List[str]) -> None:
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise InvalidArgumentError(
            f"a timeline needs the columns {', '.join(needed)}, and {', '.join(missing)} is missing"
        )


def _simplify_name(name: str) -> str:
    """A name that a legend has room for."""
    for part in (r"\(.+\)", r"<[^<]+>?", r"^void\s+", r"\s+", r"autograd::engine::evaluate_function"):
        name = re.sub(part, "", name)
    return name if len(name) < _LONGEST_NAME else name[: _LONGEST_NAME - 3] + "..."
