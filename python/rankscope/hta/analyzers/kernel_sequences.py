"""Sequences of device work that ops launch again and again, and a trace that marks them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict

import pandas as pd

from ..configs.config import logger
from . import breakdown_plots

if TYPE_CHECKING:
    from ..common.trace import Trace


def frequent_cuda_kernel_sequences(  # pylint: disable=too-many-arguments
    t: "Trace",
    operator_name: str,
    output_dir: str,
    min_pattern_len: int,
    rank: int,
    top_k: int,
    visualize: bool,
    compress_other_kernels: bool,
) -> pd.DataFrame:
    """TraceAnalysis.get_frequent_cuda_kernel_sequences."""
    if not operator_name:
        logger.error("operator_name is empty: it is a text that names of ops hold")
        return pd.DataFrame()
    if not output_dir or not os.path.isdir(output_dir):
        logger.error("output_dir is a folder for the trace, and there is no folder '%s'", output_dir)
        return pd.DataFrame()
    options: Dict[str, Any] = {"operator_name": operator_name, "min_pattern_len": min_pattern_len}
    patterns = t.table("hta.frequent_cuda_kernel_sequences", [rank], **options).drop(columns="rank")
    if patterns.empty:
        logger.error("no op whose name holds '%s' launches %d or more device events", operator_name, min_pattern_len)
        return pd.DataFrame()
    if not t.has_float_durations([rank]):
        patterns = patterns.astype({"CPU op duration (us)": "int64"})
    marked = patterns.head(top_k)
    events = t.table("hta.frequent_cuda_kernel_events", [rank], **options)
    events = events[events["pattern"].isin(marked["pattern"])]
    path = os.path.join(str(Path(output_dir)), "overlaid_" + os.path.basename(t.trace_files[rank]))
    t.write_raw_trace(path, _marked_trace(t, rank, events, compress_other_kernels))
    logger.info("the trace of rank %d with its patterns is %s; search it for Patterns", rank, path)
    if visualize:
        breakdown_plots.kernel_sequences(marked, rank)
    return patterns


def _marked_trace(t: "Trace", rank: int, events: pd.DataFrame, compress: bool) -> Dict[str, Any]:
    """The rank's trace, whose marked events say in args.Patterns how often each of their patterns is there."""
    patterns: Dict[int, Dict[str, int]] = {}
    for place, pattern, count in zip(events["index"], events["pattern"], events["count"]):
        patterns.setdefault(int(place), {})[pattern] = int(count)
    content = t.get_raw_trace_for_one_rank(rank=rank)
    for place, event in enumerate(content["traceEvents"]):
        if place in patterns:
            event.setdefault("args", {})["Patterns"] = patterns[place]
        elif compress and event.get("ph") == "X":
            event["args"] = {}
    return content
