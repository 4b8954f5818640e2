"""Analyses of TraceAnalysis by the class that HTA has them in."""

from __future__ import annotations

from typing import Dict, List, Optional

import pandas as pd

from ..common.constants import CUDA_MAX_LAUNCH_QUEUE_PER_STREAM
from ..common.trace import Trace
from ..trace_analysis import analysis_of


class TraceCounters:
    """Lengths of queues and bandwidths over time."""

    @classmethod
    def get_queue_length_time_series(cls, t: Trace, ranks: Optional[List[int]] = None) -> Dict[int, pd.DataFrame]:
        """TraceAnalysis.get_queue_length_time_series."""
        return analysis_of(t).get_queue_length_time_series(ranks)

    @classmethod
    def get_queue_length_summary(cls, t: Trace, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """TraceAnalysis.get_queue_length_summary."""
        return analysis_of(t).get_queue_length_summary(ranks)

    @classmethod
    def get_time_spent_blocked_on_full_queue(
        cls,
        t: Trace,
        queue_length_dict: Dict[int, pd.DataFrame],
        max_queue_length: int = CUDA_MAX_LAUNCH_QUEUE_PER_STREAM,
    ) -> Optional[pd.DataFrame]:
        """TraceAnalysis.get_time_spent_blocked_on_full_queue."""
        return analysis_of(t).get_time_spent_blocked_on_full_queue(queue_length_dict, max_queue_length)

    @classmethod
    def get_memory_bw_time_series(cls, t: Trace, ranks: Optional[List[int]] = None) -> Dict[int, pd.DataFrame]:
        """TraceAnalysis.get_memory_bw_time_series."""
        return analysis_of(t).get_memory_bw_time_series(ranks)

    @classmethod
    def get_memory_bw_summary(cls, t: Trace, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """TraceAnalysis.get_memory_bw_summary."""
        return analysis_of(t).get_memory_bw_summary(ranks)
