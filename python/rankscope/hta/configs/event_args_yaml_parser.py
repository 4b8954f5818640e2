"""HTA's lists of arguments by their versions, and its groups of arguments.

HTA reads them from YAML files; here they are a part of the program (event_args), one list for all versions.
"""

from __future__ import annotations

from typing import Callable, Dict, List

from ..._errors import InvalidArgumentError
from .default_values import AttributeSpec, ValueType, YamlVersion
from .event_args import AVAILABLE_ARGS
from .parser_config import ParserConfig

Available = Dict[str, AttributeSpec]
Group = Callable[[Available], List[AttributeSpec]]

v1_0_0 = YamlVersion(1, 0, 0)

_KEYS = {spec: key for key, spec in AVAILABLE_ARGS.items()}
_INDEX = ("index::ev_idx", "index::external_id", "index::python_id", "index::python_parent_id")


def _group(keys: List[str]) -> Group:
    """A function from available arguments to those of some keys; keys that are not available are left out."""

    def choose(available_args: Available) -> List[AttributeSpec]:
        return [available_args[key] for key in keys if key in available_args]

    return choose


def _keys_of(arguments: List[AttributeSpec]) -> List[str]:
    return [_KEYS[argument] for argument in arguments]


ARGS_INDEX_FUNC = _group(list(_INDEX))
ARGS_MINIMUM_FUNC = _group(_keys_of(ParserConfig.ARGS_MINIMUM))
ARGS_BANDWIDTH_FUNC = _group(_keys_of(ParserConfig.ARGS_BANDWIDTH))
ARGS_SYNC_FUNC = _group(_keys_of(ParserConfig.ARGS_SYNC))
ARGS_INPUT_SHAPE_FUNC = _group(_keys_of(ParserConfig.ARGS_INPUT_SHAPE))
ARGS_INFO_FUNC = _group(_keys_of(ParserConfig.ARGS_INFO))
ARGS_COMMUNICATION_FUNC = _group(_keys_of(ParserConfig.ARGS_COMMUNICATION))
ARGS_TRITON_KERNELS_FUNC = _group(_keys_of(ParserConfig.ARGS_TRITON_KERNELS))
ARGS_DEFAULT_FUNC = _group(_keys_of(ParserConfig.ARGS_DEFAULT))
ARGS_COMPLETE_FUNC = _group(_keys_of(ParserConfig.ARGS_COMPLETE))


def parse_value_type(value: str) -> ValueType:
    """The type of a name such as Int.

    Raises:
        ValueError: there is no such type.
    """
    if value not in ValueType.__members__:
        raise InvalidArgumentError(f"a type is {', '.join(ValueType.__members__)}, not {value!r}")
    return ValueType[value]


def parse_event_args_yaml(version: YamlVersion = v1_0_0) -> Available:
    """The arguments of a version by their keys: those that it has, or an earlier one."""
    return {key: spec for key, spec in AVAILABLE_ARGS.items() if spec.min_supported_version <= version}
