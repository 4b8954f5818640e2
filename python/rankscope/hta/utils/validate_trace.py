"""Whether the arguments of a trace's events have the types that HTA expects."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Tuple

from ..._errors import InvalidArgumentError
from ..common.trace_file import read_trace


class _Expected(NamedTuple):
    type: str
    default: Any


_INT, _COUNT, _FLOAT, _STRING = (
    _Expected("Int", -1),
    _Expected("Int", 0),
    _Expected("Float", 0.0),
    _Expected("String", ""),
)
# What each level adds to the one before, by the argument's name in the file. Arguments of any type are not looked at.
_LEVELS: Dict[str, Dict[str, _Expected]] = {
    "minimal": {"stream": _INT, "correlation": _INT},
    "standard": {
        "bytes": _INT,
        "memory bandwidth (GB/s)": _FLOAT,
        "wait_on_stream": _INT,
        "wait_on_cuda_event_record_corr_id": _INT,
        "External id": _INT,
        "Python id": _INT,
        "Python parent id": _INT,
        "Collective name": _STRING,
        "In msg nelems": _COUNT,
        "Out msg nelems": _COUNT,
        "dtype": _STRING,
        "Group size": _COUNT,
        "Rank": _INT,
    },
    "complete": {
        "Ev Idx": _INT,
        "Fwd thread id": _INT,
        "Sequence number": _INT,
        "cbid": _INT,
        "context": _INT,
        "device": _INT,
        "queued": _INT,
        "shared memory": _INT,
        "registers per thread": _INT,
        "est. achieved occupancy %": _INT,
        "warps per SM": _FLOAT,
    },
}


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
    if level not in _LEVELS:
        raise InvalidArgumentError(f"level is {', '.join(_LEVELS)}, not {level!r}")
    try:
        events = read_trace(trace_file_path)["traceEvents"]
    except KeyError:
        return False, {"trace_data_error": "'traceEvents' section not found"}
    except (OSError, ValueError) as error:
        return False, {"trace_read_error": error}
    expected: Dict[str, _Expected] = {}
    for name, added in _LEVELS.items():
        expected.update(added)
        if name == level:
            break
    skipped: Dict[str, int] = {}
    violations: Dict[str, str] = {}
    errors: Dict[str, Any] = {}
    for event in events:
        arguments = event.get("args", {})
        if not isinstance(arguments, dict):
            errors["args_data_type"] = f"args is not a dict: {arguments}"
            continue
        for name, value in arguments.items():
            if name not in expected:
                skipped[name] = skipped.get(name, 0) + 1
            elif not _fits(value, expected[name]):
                violations[name] = (
                    f"key={name}: value={value} type={type(value)}; "
                    f"expect_type='{expected[name].type}' default_value={expected[name].default}"
                )
    if skipped and not ignore_missing_arguments:
        errors["skipped_arguments"] = skipped
    if violations:
        errors["type_violations"] = violations
    return not errors, errors


def _fits(value: Any, expected: _Expected) -> bool:
    return isinstance(value, type(expected.default)) or (isinstance(value, int) and expected.type == "Float")
