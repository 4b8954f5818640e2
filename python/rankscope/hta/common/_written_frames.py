"""A data frame of events as a trace, so that the library analyses it."""

from __future__ import annotations

from typing import Any, Dict, List

import pandas as pd

from ..._errors import InvalidArgumentError
from .trace_symbol_table import TraceSymbolTable, texts_of_ids

_NUMBERS = ("index", "pid", "tid", "ts", "dur", "stream", "correlation")
# Fills places of events that the frame does not have, so that those that it has keep theirs.
_NO_EVENT: Dict[str, Any] = {"ph": "M", "name": "none", "pid": 0, "args": {}}


def trace_of_frame(frame: pd.DataFrame, symbols: TraceSymbolTable) -> Dict[str, Any]:
    """The JSON of a trace whose events are at the places that the column index says.

    Raises:
        ValueError: a column is missing.
    """
    missing = [name for name in ("name", "cat", *_NUMBERS) if name not in frame.columns]
    if missing:
        raise InvalidArgumentError(f"the events have no column {', '.join(missing)}")
    names, categories = (
        frame[name] if frame[name].dtype == object else texts_of_ids(frame[name], symbols.sym_table)
        for name in ("name", "cat")
    )
    events: List[Dict[str, Any]] = [_NO_EVENT] * (int(frame["index"].max()) + 1 if len(frame) else 0)
    numbers = [frame[name].tolist() for name in _NUMBERS]
    for name, category, index, pid, tid, begin, duration, stream, correlation in zip(names, categories, *numbers):
        event = {"ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, "ts": begin, "dur": duration}
        arguments = {"stream": stream, "correlation": correlation}
        event["args"] = {key: value for key, value in arguments.items() if value != -1}
        events[int(index)] = event
    return {"traceEvents": events}
