"""CUPTI's counters of kernels, with the ops that launched them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional

import pandas as pd

from ..common.trace_symbol_table import texts_of_ids
from ..configs.config import logger

if TYPE_CHECKING:
    from ..common.trace import Trace

# Floating-point operations of one instruction of a thread, by the counter of such instructions.
CUDA_SASS_INSTRUCTION_COUNTER_FLOPS: Dict[str, float] = {
    f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum": 2 if "fma" in op else 1
    for op in ("ffma", "fmul", "fadd", "hfma", "hmul", "hadd", "dfma", "dmul", "dadd")
}

_OF_STACK = ["index_runtime", "op_stack", "top_level_op", "bottom_level_op"]


class CuptiCounterAnalysis:
    """Counters of hta.cupti_counters beside the columns of the trace."""

    cuda_profiler_cat = "cuda_profiler_range"

    @classmethod
    def get_counter_data_with_operators(cls, t: "Trace", ranks: Optional[List[int]] = None) -> List[pd.DataFrame]:
        """A frame for each rank that has counters: a row for each kernel that was measured, a column for each counter.

        op_stack is a list of the ops around the launch, outermost first; top_level_op and bottom_level_op are its ends.
        """
        wanted = ranks or [0]
        if cls.cuda_profiler_cat not in t.symbol_table.sym_index:
            logger.warning("the traces have no events of the category %s", cls.cuda_profiler_cat)
            return []
        found = [cls._of_rank(t, rank) for rank in wanted]
        return [frame for frame in found if frame is not None]

    @classmethod
    def _of_rank(cls, t: "Trace", rank: int) -> Optional[pd.DataFrame]:
        rows = t.table("hta.cupti_counters", [rank])
        if rows.empty:
            logger.error("the launches of rank %d are not as many as the ranges that were measured", rank)
            return None
        stacks = rows.drop_duplicates("index").set_index("index")[_OF_STACK]
        frame = t.get_trace(rank).loc[stacks.index].copy()
        for name in _OF_STACK:
            frame[name] = stacks[name]
        frame["op_stack"] = frame["op_stack"].map(lambda text: text.split(" -> ") if text else [])
        for name in ("name", "cat"):
            frame[name] = texts_of_ids(frame[name], t.symbol_table.sym_table)
        return frame.reset_index(drop=True)
