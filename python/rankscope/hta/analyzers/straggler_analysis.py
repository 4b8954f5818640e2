"""Analyses of TraceAnalysis by the class that HTA has them in."""

from __future__ import annotations

from typing import Callable, List, Optional

import pandas as pd

from ..common.trace import Trace
from ..trace_analysis import analysis_of
from .straggler import find_stragglers_with_late_start_comm_kernels


class StragglerAnalysis:
    """Ranks that are late."""

    @classmethod
    def get_profiler_steps(cls, t: Trace) -> List[int]:
        """TraceAnalysis.get_profiler_steps."""
        return analysis_of(t).get_profiler_steps()

    @classmethod
    def get_potential_stragglers(
        cls,
        t: Trace,
        profiler_steps: Optional[List[int]] = None,
        num_candidates: int = 2,
        visualize: bool = False,
        straggler_identification_impl: Callable[..., pd.Series] = find_stragglers_with_late_start_comm_kernels,
    ) -> List[int]:
        """TraceAnalysis.get_potential_stragglers."""
        return analysis_of(t).get_potential_stragglers(
            profiler_steps, num_candidates, visualize, straggler_identification_impl
        )
