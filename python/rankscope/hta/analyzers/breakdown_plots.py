"""Plots of TraceAnalysis, of the DataFrames that it returns. Each shows nothing where plotly is not installed."""

from __future__ import annotations

from typing import Optional

import pandas as pd

from .._plots import express, show


def temporal_breakdown(frame: pd.DataFrame) -> None:
    """A bar per rank, of idle, computing and other time."""
    px = express()
    if px is None:
        return
    parts = ["idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"]
    figure = px.bar(frame, x="rank", y=parts, title="Temporal breakdown across ranks", labels={"rank": "Rank"})
    figure.update_layout(yaxis_ticksuffix=" %", yaxis_title="Percentage", legend_title="Time Breakdown")
    show(figure)


def comm_comp_overlap(frame: pd.DataFrame) -> None:
    """A bar per rank."""
    px = express()
    if px is None:
        return
    figure = px.bar(
        frame,
        x="rank",
        y="comp_comm_overlap_pctg",
        text="comp_comm_overlap_pctg",
        title="Computation-Communication Overlap",
        labels={"rank": "Rank", "comp_comm_overlap_pctg": "Computation-Communication Overlap Percentage"},
    )
    show(figure)


def gpu_kernel_breakdown(types: pd.DataFrame, kernels: pd.DataFrame, renderer: Optional[str]) -> None:
    """A pie of kernel types, then for each type a pie per rank, and for each kernel a bar per rank from its least to its most time."""
    px = express()
    if px is None:
        return
    figure = px.pie(
        types[types["percentage"] > 0],
        values="percentage",
        names="kernel_type",
        title="Kernel Type Percentage Across All Ranks",
    )
    show(figure, renderer)
    for kind, of_kind in kernels.groupby("kernel_type", sort=False):
        _pies(of_kind, f'Kernel type "{kind}" - kernel distribution on each rank', renderer)
        _bars(of_kind, f'Kernel type "{kind}"', renderer)


def user_annotation_breakdown(frame: pd.DataFrame, renderer: Optional[str]) -> None:
    """A pie per rank, and for each annotation a bar per rank."""
    if express() is None:
        return
    _pies(frame, "User annotation distribution on each rank", renderer)
    _bars(frame, "User annotation", renderer)


def idle_time_breakdown(frame: pd.DataFrame, rank: int, is_percentage: bool) -> None:
    """A bar per stream, of what it waited for."""
    px = express()
    if px is None:
        return
    figure = px.bar(
        frame.assign(stream=frame["stream"].astype(str)),
        x="stream",
        y="idle_time_ratio" if is_percentage else "idle_time",
        color="idle_category",
        hover_data=["idle_time", "idle_time_ratio"],
        title=f"Idle time breakdown on rank {rank} per CUDA stream",
    )
    if is_percentage:
        figure.update_layout(yaxis_tickformat=".2%", yaxis_title="Percentage", legend_title="Idle Time Breakdown")
    else:
        figure.update_layout(yaxis_title="Idle time (us)", legend_title="Idle Time Breakdown")
    show(figure)


def cuda_kernel_launch_stats(rank: int, frame: pd.DataFrame, runtime_cutoff: int, launch_delay_cutoff: int) -> None:
    """Histograms of work that is shorter than its call, of calls that took long, and of work that began late."""
    px = express()
    if px is None:
        return
    calls, work, delays = frame["cpu_duration"], frame["gpu_duration"], frame["launch_delay"]
    chosen = (
        (calls[(calls <= runtime_cutoff) & (work < calls)], "Short GPU kernels (gpu op duration < cpu op duration)"),
        (calls[calls > runtime_cutoff], f"Runtime Event Duration Outliers (duration > {runtime_cutoff} us)"),
        (delays[delays > launch_delay_cutoff], f"Launch Delay Outliers (duration > {launch_delay_cutoff} us)"),
    )
    for values, title in chosen:
        show(px.histogram(values.to_frame(), x=values.name, nbins=300, title=f"{title} on rank {rank}"))


def kernel_sequences(frame: pd.DataFrame, rank: int) -> None:
    """A bar per pattern."""
    px = express()
    if px is None:
        return
    shown = frame.assign(pattern=frame["pattern"].str.replace("|", "<br>", regex=False))
    figure = px.bar(
        shown,
        x=shown.index,
        y="count",
        hover_data=["pattern", "count"],
        title=f"Top {len(shown)} frequent patterns for rank {rank}",
        labels={"x": "Pattern Index", "count": "Pattern Count"},
    )
    figure.update_xaxes(type="category")
    show(figure)


def _pies(frame: pd.DataFrame, title: str, renderer: Optional[str]) -> None:
    from plotly.graph_objects import Pie  # pylint: disable=import-outside-toplevel
    from plotly.subplots import make_subplots  # pylint: disable=import-outside-toplevel

    ranks = list(frame["rank"].unique())
    if not ranks:
        return
    rows = (len(ranks) + 1) // 2
    figure = make_subplots(rows=rows, cols=2, specs=[[{"type": "domain"}, {"type": "domain"}]] * rows)
    for place, rank in enumerate(ranks):
        of_rank = frame[frame["rank"] == rank]
        pie = Pie(labels=of_rank["name"], values=of_rank["sum (us)"], title=f"Rank {rank}")
        figure.add_trace(pie, place // 2 + 1, place % 2 + 1)
    figure.update_layout(title_text=title, height=200 * (2 + len(ranks)))
    show(figure, renderer)


def _bars(frame: pd.DataFrame, title: str, renderer: Optional[str]) -> None:
    px = express()
    assert px is not None
    for name, of_name in frame[frame["name"] != "others"].groupby("name", sort=False):
        figure = px.bar(
            of_name,
            x="rank",
            y="mean (us)",
            title=f"{title} - {name}",
            labels={"rank": "Rank", "mean (us)": "Mean Duration (us)"},
            error_y=of_name["max (us)"] - of_name["mean (us)"],
            error_y_minus=of_name["mean (us)"] - of_name["min (us)"],
        )
        figure.update_layout(xaxis={"tickmode": "linear", "tick0": 0, "dtick": 1})
        show(figure, renderer)
