"""Analyses of TraceAnalysis by the class that HTA has them in."""

from __future__ import annotations

from typing import List, Optional, Tuple

import pandas as pd

from ..common.trace import Trace
from ..trace_analysis import analysis_of


class BreakdownAnalysis:
    """Where device time goes."""

    @classmethod
    def get_gpu_kernel_breakdown(
        cls,
        t: Trace,
        visualize: bool = True,
        duration_ratio: float = 0.8,
        num_kernels: int = 10,
        include_memory_kernels: bool = False,
        image_renderer: str = "notebook",
    ) -> Tuple[pd.DataFrame, pd.DataFrame]:
        """TraceAnalysis.get_gpu_kernel_breakdown."""
        return analysis_of(t).get_gpu_kernel_breakdown(
            visualize, duration_ratio, num_kernels, include_memory_kernels, image_renderer
        )

    @classmethod
    def get_gpu_kernels_with_user_annotations(
        cls, t: Trace, rank: int, expand_names: bool = True, shortern_names: bool = True
    ) -> Optional[pd.DataFrame]:
        """TraceAnalysis.get_gpu_kernels_with_user_annotations."""
        return analysis_of(t).get_gpu_kernels_with_user_annotations(rank, expand_names, shortern_names)

    @classmethod
    def get_gpu_user_annotation_breakdown(
        cls,
        t: Trace,
        use_gpu_annotation: bool = True,
        visualize: bool = True,
        duration_ratio: float = 0.8,
        num_kernels: int = 10,
        allowlist_patterns: Optional[List[str]] = None,
        image_renderer: Optional[str] = None,
    ) -> Optional[pd.DataFrame]:
        """TraceAnalysis.get_gpu_user_annotation_breakdown."""
        return analysis_of(t).get_gpu_user_annotation_breakdown(
            use_gpu_annotation, visualize, duration_ratio, num_kernels, allowlist_patterns, image_renderer
        )

    @classmethod
    def get_temporal_breakdown(cls, t: Trace, visualize: bool = True) -> pd.DataFrame:
        """TraceAnalysis.get_temporal_breakdown."""
        return analysis_of(t).get_temporal_breakdown(visualize)

    @classmethod
    def get_idle_time_breakdown(
        cls,
        t: Trace,
        consecutive_kernel_delay: int,
        rank: int = 0,
        streams: Optional[List[int]] = None,
        visualize: bool = True,
        visualize_pctg: bool = True,
        show_idle_interval_stats: bool = False,
    ) -> Tuple[pd.DataFrame, Optional[pd.DataFrame]]:
        """TraceAnalysis.get_idle_time_breakdown of one rank."""
        return analysis_of(t).get_idle_time_breakdown(
            [rank], streams, visualize, visualize_pctg, show_idle_interval_stats, consecutive_kernel_delay
        )
