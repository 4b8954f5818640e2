"""Analyses of TraceAnalysis by the class that HTA has them in."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import pandas as pd

from ..common.trace import Trace
from ..trace_analysis import analysis_of
from . import breakdown_plots


# Newer versions of HTA than that of the table hta.cuda_kernel_launch_stats know those of hip.
_LAUNCHES = (
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "hipLaunchKernel",
    "hipLaunchKernelExC",
    "runFunction - job_prep_and_submit_for_execution",
)
_MEMORY_LAUNCHES = ("cudaMemcpyAsync", "cudaMemsetAsync", "hipMemcpyAsync", "hipMemsetAsync")


class CudaKernelAnalysis:
    """What launches device work, and when."""

    @classmethod
    def cuda_kernel_launch_stats(
        cls,
        t: Trace,
        ranks: Optional[List[int]] = None,
        runtime_cutoff: int = 50,
        launch_delay_cutoff: int = 100,
        include_memory_events: bool = True,
        visualize: bool = True,
    ) -> Dict[int, pd.DataFrame]:
        """TraceAnalysis.get_cuda_kernel_launch_stats.

        Of an object that is no Trace, but has symbol_table and get_trace, the stats are those of its data frames, with hip's launches.
        """
        if not isinstance(t, Trace):
            return _launch_stats_of_frames(
                t, ranks or [0], runtime_cutoff, launch_delay_cutoff, include_memory_events, visualize
            )
        return analysis_of(t).get_cuda_kernel_launch_stats(
            ranks, runtime_cutoff, launch_delay_cutoff, include_memory_events, visualize
        )

    @classmethod
    def get_aten_op_kernels_and_delay(
        cls, t: Trace, ranks: Optional[List[int]] = None, sort_by: Optional[List[str]] = None
    ) -> Dict[int, pd.DataFrame]:
        """TraceAnalysis.get_aten_op_kernels_and_delay."""
        return analysis_of(t).get_aten_op_kernels_and_delay(ranks, sort_by)

    @classmethod
    def get_op_kernels_and_delay(
        cls,
        t: Trace,
        op_name_pattern: Optional[str] = None,
        ranks: Optional[List[int]] = None,
        sort_by: Optional[List[str]] = None,
    ) -> Dict[int, pd.DataFrame]:
        """TraceAnalysis.get_op_kernels_and_delay."""
        return analysis_of(t).get_op_kernels_and_delay(op_name_pattern, ranks, sort_by)

    @classmethod
    def get_frequent_cuda_kernel_sequences(
        cls,
        t: Trace,
        operator_name: str,
        output_dir: str,
        min_pattern_len: int = 3,
        rank: int = 0,
        top_k: int = 5,
        visualize: bool = False,
        compress_other_kernels: bool = True,
    ) -> pd.DataFrame:
        """TraceAnalysis.get_frequent_cuda_kernel_sequences."""
        return analysis_of(t).get_frequent_cuda_kernel_sequences(
            operator_name, output_dir, min_pattern_len, rank, top_k, visualize, compress_other_kernels
        )


def _launch_stats_of_frames(
    t: Any,
    ranks: List[int],
    runtime_cutoff: int,
    launch_delay_cutoff: int,
    include_memory_events: bool,
    visualize: bool,
) -> Dict[int, pd.DataFrame]:
    names = _LAUNCHES + (_MEMORY_LAUNCHES if include_memory_events else ())
    ids = t.symbol_table.get_sym_id_map()
    launches = [ids[name] for name in names if name in ids]
    found = {rank: _launch_stats(t.get_trace(rank), launches) for rank in ranks}
    if visualize:
        for rank, stats in found.items():
            breakdown_plots.cuda_kernel_launch_stats(rank, stats, runtime_cutoff, launch_delay_cutoff)
    return found


def _launch_stats(frame: pd.DataFrame, launches: List[int]) -> pd.DataFrame:
    """A row for each launch whose work is in the frame: durations of both, and the time from the call's end to the work's begin."""
    columns = ["correlation", "ts", "dur"]
    on_host = frame["stream"].eq(-1)
    calls = frame.loc[on_host & frame["name"].isin(launches), columns]
    pairs = calls.merge(frame.loc[~on_host, columns], on="correlation", suffixes=("_cpu", "_gpu"))
    delays = (pairs["ts_gpu"] - pairs["ts_cpu"] - pairs["dur_cpu"]).clip(lower=0)
    return pd.DataFrame(
        {
            "correlation": pairs["correlation"],
            "cpu_duration": pairs["dur_cpu"],
            "gpu_duration": pairs["dur_gpu"],
            "launch_delay": delays,
        }
    )
