"""The default way of finding stragglers: ranks that begin the most uneven collective late.

get_potential_stragglers takes any function of this kind, over the events of the chosen steps, so that this one is over a DataFrame, too.
blame and rank_metrics of rankscope say which rank others waited for, and for what.
"""

from __future__ import annotations

from typing import Optional

import pandas as pd

from .._plots import express, show
from ..common.trace_symbol_table import TraceSymbolTable

# What it looks at, beside the rank.
STRAGGLER_COLUMNS = ["iteration", "stream", "name", "ts", "dur"]
# A kernel below this share of the mean step is too short to matter.
_LEAST_SHARE_OF_STEP = 0.01
_METRIC = "normalized_start_time"


def find_stragglers_with_late_start_comm_kernels(
    df: pd.DataFrame,
    symbol_table: TraceSymbolTable,
    n_stragglers: int = 2,
    visualize: bool = False,
) -> pd.Series:
    """How often each rank was among the latest to begin a collective.

    The collective is the (stream, kernel) whose duration differs most between ranks: the mean over steps of its standard deviation, of the
    last such kernel of a step that takes 1 % of the mean step or more. In each step the n latest ranks count, with all that begin as late as
    the n-th of them.

    Args:
        df: events with the columns rank, iteration, stream, name, ts and dur.
        symbol_table: what name refers to.
        n_stragglers: n, at least 1.
        visualize: shows begins by rank and step.

    Returns:
        Counts by rank. Empty without such kernels, or with them on one rank only.
    """
    kernels = _uneven_collective(df, symbol_table)
    if kernels is None:
        return pd.Series(dtype="int64", name="is_straggler", index=pd.Index([], name="rank"))
    most = max(n_stragglers, 1)
    by_step = kernels.groupby("iteration")[_METRIC]
    thresholds = by_step.transform(lambda begins: begins.nlargest(most).iloc[-1])
    late = kernels.assign(is_straggler=(kernels[_METRIC] >= thresholds).astype("int64"))
    if visualize:
        _plot(late)
    counts: pd.Series = late.groupby("rank")["is_straggler"].sum()
    return counts


def _uneven_collective(df: pd.DataFrame, symbol_table: TraceSymbolTable) -> Optional[pd.DataFrame]:
    """The last kernels of the collective that differs most, with their normalized begin; None without one."""
    steps = [step for step in df["iteration"].dropna().unique() if step != -1]
    df = df[df["iteration"].isin(steps)]
    if df.empty:
        return None
    begin = df["ts"].min()
    mean_step = ((df["ts"] + df["dur"]).max() - begin) / len(steps)
    long = df[
        df["stream"].gt(0)
        & df["iteration"].gt(0)
        & df["dur"].ge(mean_step * _LEAST_SHARE_OF_STEP)
        & df["name"].isin(_collective_ids(symbol_table))
    ]
    keys = ["rank", "stream", "iteration", "name"]
    last = long.groupby(keys, as_index=False)[["ts", "dur"]].last()
    last[_METRIC] = (last["ts"] - begin) / mean_step
    last["duration"] = last["dur"] / mean_step
    spread = last.groupby(["stream", "iteration", "name"])["duration"].std().groupby(["stream", "name"]).mean().dropna()
    if spread.empty:
        return None
    stream, name = spread.idxmax()
    return last[last["stream"].eq(stream) & last["name"].eq(name)]


def _collective_ids(symbol_table: TraceSymbolTable) -> "list[int]":
    # HTA knows the name of NCCL up to 2.18 only and fails on traces of later ones.
    for prefix in ("ncclKernel", "nccl"):
        ids = [
            place for place, name in enumerate(symbol_table.sym_table) if name.startswith(prefix) and ":" not in name
        ]
        if ids:
            return ids
    return []


def _plot(late: pd.DataFrame) -> None:
    px = express()
    if px is None:
        return
    shown = late.assign(is_straggler=late["is_straggler"].map({1: "Yes", 0: "No"}))
    figure = px.bar(
        shown,
        x="rank",
        y=_METRIC,
        facet_col="iteration" if shown["iteration"].nunique() > 1 else None,
        color="is_straggler",
        color_discrete_map={"Yes": "red", "No": "blue"},
        title="Potential Stragglers",
    )
    show(figure)
