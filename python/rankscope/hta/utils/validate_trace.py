"""Whether the arguments of a trace's events have the types that HTA expects."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import pandas as pd

from ..._errors import InvalidArgumentError
from ..common.trace_file import read_trace
from ..configs.default_values import AttributeSpec, ValueType
from ..configs.parser_config import ParserConfig


# The type of an argument, and what stands where an event has none.
_Expected = Tuple[ValueType, Any]
# By the level.
_LEVELS: Dict[str, List[AttributeSpec]] = {
    "minimal": ParserConfig.ARGS_MINIMUM,
    "standard": ParserConfig.ARGS_DEFAULT,
    "complete": ParserConfig.ARGS_COMPLETE,
}


class UnknownLevelError(InvalidArgumentError, KeyError):
    """A level that there is not, for which HTA raises a KeyError."""

    def __str__(self) -> str:
        return str(self.args[0])


def get_argument_spec(level: str = "standard") -> List[AttributeSpec]:
    """The arguments that a level looks at.

    Raises:
        KeyError: there is no such level; it is a ValueError, too.
    """
    if level not in _LEVELS:
        raise UnknownLevelError(f"level is {', '.join(_LEVELS)}, not {level!r}")
    return _LEVELS[level]


def get_expected_arguments(attribute_specs: List[AttributeSpec]) -> pd.DataFrame:
    """A row for each argument: its name in the file, type, default and column."""
    return pd.DataFrame(
        {
            "arg_keys": [spec.raw_name for spec in attribute_specs],
            "arg_value_types": [spec.value_type for spec in attribute_specs],
            "arg_default_values": [spec.default_value for spec in attribute_specs],
            "trace_df_column_name": [spec.name for spec in attribute_specs],
        }
    )


def validate_trace_format(
    trace_file_path: str, level: str = "standard", ignore_missing_arguments: bool = True
) -> Tuple[bool, Dict[str, Any]]:
    """Whether a trace is as HTA expects it, and what is not.

    rankscope takes traces that are not, and `rankscope table data_quality` says what of them is lost.

    Args:
        trace_file_path: the file.
        level: minimal, standard or complete: how many arguments are looked at.
        ignore_missing_arguments: False counts the arguments that are not looked at.

    Raises:
        ValueError: there is no such level.
    """
    expected = _get_argument_value_types(get_expected_arguments(get_argument_spec(level)))
    try:
        events = read_trace(trace_file_path)["traceEvents"]
    except KeyError:
        return False, {"trace_data_error": "'traceEvents' section not found"}
    except (OSError, ValueError) as error:
        return False, {"trace_read_error": error}
    skipped: Dict[str, int] = {}
    violations: Dict[str, str] = {}
    errors: Dict[str, Any] = {}
    for event in events:
        arguments = event.get("args", {})
        if not isinstance(arguments, dict):
            errors["args_data_type"] = f"args is not a dict: {arguments}"
            continue
        _check_args(arguments, expected, skipped, violations)
    if skipped and not ignore_missing_arguments:
        errors["skipped_arguments"] = skipped
    if violations:
        errors["type_violations"] = violations
    return not errors, errors


def _get_argument_value_types(df: pd.DataFrame) -> Dict[str, _Expected]:
    return dict(zip(df["arg_keys"], zip(df["arg_value_types"], df["arg_default_values"])))


def _check_args(
    args: Dict[str, Any],
    arg_type_map: Dict[str, _Expected],
    skipped_arguments: Dict[str, int],
    type_violations: Dict[str, str],
) -> None:
    """Counts an event's arguments that are not looked at, and says of those that are what does not fit."""
    for name, value in args.items():
        if name not in arg_type_map:
            skipped_arguments[name] = skipped_arguments.get(name, 0) + 1
            continue
        kind, default = arg_type_map[name]
        if not _fits(value, kind, default):
            type_violations[
                name
            ] = f"key={name}: value={value} type={type(value)}; expect_type='{kind.name}' default_value={default}"


def _fits(value: Any, kind: ValueType, default: Any) -> bool:
    if kind == ValueType.Object or isinstance(value, type(default)):
        return True
    return isinstance(value, int) and kind == ValueType.Float
