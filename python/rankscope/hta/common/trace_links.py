"""Columns of frames that the caller made: which events belong together, and to which step. Trace's own frames have them of hta.events."""

from __future__ import annotations

import pandas as pd

from .._frames import narrow
from .trace_filter import is_on_device
from .trace_symbol_table import TraceSymbolTable, texts_of_ids


def transform_correlation_to_index(df: pd.DataFrame, symbol_table: TraceSymbolTable) -> pd.DataFrame:
    """Adds index_correlation, in place: the event on the other side of a launch, 0 where it is missing, -1 without a correlation.

    A frame without the column correlation stays as it is.
    """
    if "correlation" not in df.columns:
        return df
    df["index_correlation"] = df["correlation"].clip(upper=0)
    on_device = is_on_device(df, symbol_table)
    is_linked = df["correlation"].ne(-1)
    calls, work = (df.loc[is_linked & side, ["index", "correlation"]] for side in (~on_device, on_device))
    pairs = calls.merge(work, on="correlation", suffixes=("_call", "_work"))
    df.loc[pairs["index_call"], "index_correlation"] = pairs["index_work"].to_numpy()
    df.loc[pairs["index_work"], "index_correlation"] = pairs["index_call"].to_numpy()
    df["index_correlation"] = narrow(df["index_correlation"])
    return df


def add_iteration(df: pd.DataFrame, symbol_table: TraceSymbolTable) -> pd.DataFrame:
    """Adds iteration, in place: the number of the profiler step that a host event begins in, or the launch of device work; -1 outside.

    Returns:
        The steps: ts, dur, name, s_name, which is the number, and iter, which is the name.
    """
    steps = df.loc[df["name"].isin(symbol_table.get_profiler_step_ids()), ["ts", "dur", "name"]].copy()
    steps["iter"] = texts_of_ids(steps["name"], symbol_table.sym_table)
    steps.insert(3, "s_name", steps["iter"].str.extract(r"#\s*(\d+)", expand=False).astype("int64"))
    numbers = pd.Series(-1, index=df.index)
    for begin, duration, number in zip(steps["ts"], steps["dur"], steps["s_name"]):
        numbers[df["ts"].ge(begin) & df["ts"].lt(begin + duration)] = number
    # Triton's ops have the stream that they launch on, 0.
    on_host = df["stream"].lt(0) | (df["stream"].eq(0) & df["cat"].eq(symbol_table.sym_index.get("cpu_op", -1)))
    df.loc[on_host, "iteration"] = numbers
    launches = df["index_correlation"]
    of_launch = launches.where(launches.gt(0)).map(df["iteration"]).fillna(-1)
    df.loc[df["stream"].gt(0), "iteration"] = of_launch
    df["iteration"] = pd.to_numeric(df["iteration"], downcast="integer")
    return steps


def add_fwd_bwd_links(df: pd.DataFrame) -> None:
    """Adds fwdbwd_index and fwdbwd, in place, to a frame with categories as texts and flows: 0 and the backward op of a forward op, 1 and the
    forward op of a backward op, -1 of all else. A frame without such flows stays as it is."""
    flows = df[df["cat"].eq("fwdbwd")]
    if flows.empty:
        return
    df["fwdbwd_index"] = -1
    df["fwdbwd"] = -1
    place = ["ts", "tid", "pid"]
    ops = df[df["cat"].eq("cpu_op")]

    def ops_of(ends: pd.DataFrame) -> pd.Series:
        found: pd.Series = ends[["id", *place]].merge(ops[["index", *place]], on=place).groupby("id")["index"].max()
        return found

    begins, ends = ops_of(flows[flows["ph"].eq("s")]), ops_of(flows[flows["ph"].eq("f") & flows["bp"].eq("e")])
    pairs = pd.concat([begins, ends], axis=1, join="inner", keys=["forward", "backward"])
    for number, (own, other) in enumerate((("forward", "backward"), ("backward", "forward"))):
        df.loc[pairs[own], "fwdbwd_index"] = pairs[other].to_numpy()
        df.loc[pairs[own], "fwdbwd"] = number
