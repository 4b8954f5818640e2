"""Trace by the name that some versions of HTA have for it."""

from __future__ import annotations

from .trace import (
    PHASE_COUNTER,
    PHASE_FLOW_END,
    PHASE_FLOW_START,
    Trace,
    TraceSymbolTable,
    add_fwd_bwd_links,
    add_iteration,
    get_cpu_gpu_correlation,
    parse_trace_dict,
    parse_trace_file,
    trace_event_timestamp_to_unixtime_ns,
    transform_correlation_to_index,
)

__all__ = [
    "PHASE_COUNTER",
    "PHASE_FLOW_END",
    "PHASE_FLOW_START",
    "TraceCollection",
    "TraceSymbolTable",
    "add_fwd_bwd_links",
    "add_iteration",
    "get_cpu_gpu_correlation",
    "parse_trace_dict",
    "parse_trace_file",
    "trace_event_timestamp_to_unixtime_ns",
    "transform_correlation_to_index",
]

TraceCollection = Trace
