"""Trace by the name that some versions of HTA have for it."""

from __future__ import annotations

from .trace import (
    PHASE_COUNTER,
    PHASE_FLOW_END,
    PHASE_FLOW_START,
    Trace,
    TraceSymbolTable,
    get_cpu_gpu_correlation,
    parse_trace_dict,
    parse_trace_file,
    trace_event_timestamp_to_unixtime_ns,
)

__all__ = [
    "PHASE_COUNTER",
    "PHASE_FLOW_END",
    "PHASE_FLOW_START",
    "TraceCollection",
    "TraceSymbolTable",
    "get_cpu_gpu_correlation",
    "parse_trace_dict",
    "parse_trace_file",
    "trace_event_timestamp_to_unixtime_ns",
]

TraceCollection = Trace
