"""What is made of time series that the caller hands back, which may be changed by then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

import pandas as pd

if TYPE_CHECKING:
    from ..common.trace import Trace

_BLOCKED_COLUMNS = ["rank", "stream", "duration_at_max_queue_length", "relative_duration_at_max_queue_length"]


def describe_queue_lengths(series: Dict[int, pd.DataFrame]) -> Optional[pd.DataFrame]:
    """Statistics of queue lengths by rank and stream; None without series."""
    described = [
        frame.assign(rank=rank)[["rank", "stream", "queue_length"]].groupby(["rank", "stream"]).describe()
        for rank, frame in series.items()
    ]
    return pd.concat(described) if described else None


def blocked_on_full_queue(trace: "Trace", series: Dict[int, pd.DataFrame], max_queue_length: int) -> pd.DataFrame:
    """Microseconds until the next change where a queue has max_queue_length or more; of each rank its last such stream."""
    rows: List[Dict[str, Any]] = []
    for rank, frame in series.items():
        lasting = frame.groupby("stream", sort=False)["ts"].shift(-1) - frame["ts"]
        full = frame["queue_length"] >= max_queue_length
        streams = frame["stream"][full].unique()
        if len(streams) == 0:
            continue
        duration = float(lasting[full & (frame["stream"] == streams[-1])].sum())
        whole = trace.get_trace_duration(rank)
        rows.append(dict(zip(_BLOCKED_COLUMNS, (rank, streams[-1], duration, duration / whole if whole else None))))
    return pd.DataFrame(rows, columns=_BLOCKED_COLUMNS)
