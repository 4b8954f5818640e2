"""Columns of the arguments that a ParserConfig names."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
import pandas as pd

from ..._errors import InvalidArgumentError
from .._frames import narrow
from ..configs.default_values import AttributeSpec, ValueType
from ..configs.event_args import AVAILABLE_ARGS
from ..configs.parser_config import ParserConfig
from .trace_file import read_trace

# Columns of arguments stand before it.
_FIRST_AFTER = "index_correlation"


def with_arguments(frame: pd.DataFrame, config: ParserConfig, path: str) -> pd.DataFrame:
    """The frame with a column for each argument of the configuration, and without the default columns that it leaves out.

    Args:
        frame: the events of a file with the default columns.
        config: which arguments are wanted.
        path: the file, which is read as JSON where an argument is no default column.

    Raises:
        ValueError: it is no JSON.
    """
    events: List[Dict[str, Any]] = []
    wanted = config.get_args()
    if config.parse_all_args:
        events = _events_of(path)
        wanted = [*wanted, *_all_arguments(events)]
    names = {arg.name for arg in [*wanted, *ParserConfig.ARGS_MINIMUM]}
    left_out = [arg.name for arg in ParserConfig.ARGS_DEFAULT if arg.name not in names and arg.name in frame.columns]
    if left_out:
        frame = frame.drop(columns=left_out)
    added = [arg for arg in wanted if arg.name not in frame.columns]
    if not added:
        return frame
    events = events or _events_of(path)
    arguments = [_arguments_of(events[place]) for place in frame["index"]]
    at = frame.columns.get_loc(_FIRST_AFTER)
    columns = {arg.name: _column(arguments, arg) for arg in added}
    new = pd.DataFrame(columns, index=frame.index)
    return pd.concat([frame.iloc[:, :at], new, frame.iloc[:, at:]], axis=1)


def _events_of(path: str) -> List[Dict[str, Any]]:
    try:
        events: List[Dict[str, Any]] = read_trace(path)["traceEvents"]
        return events
    except ValueError as error:
        raise InvalidArgumentError(
            f"{path} is no JSON, of which arguments beyond HTA's default ones are read; SQL over `events` has those of other files"
        ) from error


def _all_arguments(events: List[Dict[str, Any]]) -> List[AttributeSpec]:
    """An argument for each name that events have: a known one, or one of the type of its first value."""
    known = {spec.raw_name: spec for spec in AVAILABLE_ARGS.values() if spec.name != "name"}
    found: Dict[str, AttributeSpec] = {}
    for event in events:
        for name, value in _arguments_of(event).items():
            if name not in found:
                found[name] = known.get(name) or ParserConfig.make_attribute_spec(name, value)
    return list(found.values())


def _arguments_of(event: Dict[str, Any]) -> Dict[str, Any]:
    arguments = event.get("args")
    return arguments if isinstance(arguments, dict) else {}


def _column(arguments: List[Dict[str, Any]], arg: AttributeSpec) -> Any:
    values = [one.get(arg.raw_name, arg.default_value) for one in arguments]
    if arg.value_type in (ValueType.Int, ValueType.Float) and all(isinstance(value, (int, float)) for value in values):
        return narrow(np.array(values))
    column = np.empty(len(values), dtype=object)
    # Not column[:], which takes lists for rows.
    for place, value in enumerate(values):
        column[place] = value
    return column
