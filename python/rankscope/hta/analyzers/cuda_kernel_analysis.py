"""Analyses of TraceAnalysis by the class that HTA has them in."""

from __future__ import annotations

from typing import Dict, List, Optional

import pandas as pd

from ..common.trace import Trace
from ..trace_analysis import analysis_of


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
        """TraceAnalysis.get_cuda_kernel_launch_stats."""
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
