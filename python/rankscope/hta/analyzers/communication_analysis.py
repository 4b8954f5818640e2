"""An analysis of TraceAnalysis by the class that HTA has it in."""

from __future__ import annotations

import pandas as pd

from ..common.trace import Trace
from ..trace_analysis import analysis_of


class CommunicationAnalysis:
    """How far communication is hidden behind computation."""

    @classmethod
    def get_comm_comp_overlap(cls, t: Trace, visualize: bool = True) -> pd.DataFrame:
        """TraceAnalysis.get_comm_comp_overlap."""
        return analysis_of(t).get_comm_comp_overlap(visualize)
