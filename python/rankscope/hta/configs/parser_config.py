"""ParserConfig: what HTA is told of parsing. The columns here are always those of HTA's default."""

from __future__ import annotations

import copy
from enum import Enum
from typing import Any, List, NamedTuple, Optional

from ..configs.config import logger


class ParserBackend(str, Enum):
    """How HTA reads JSON. The library has one reader of its own."""

    JSON = "json"
    IJSON = "ijson"
    IJSON_BATCHED = "ijson_batched"
    IJSON_BATCH_AND_COMPRESS = "ijson_batch_and_compress"


class ValueType(Enum):
    """Types of arguments."""

    Int = 1
    Float = 2
    String = 3
    Object = 4


class AttributeSpec(NamedTuple):
    """An argument of events that becomes a column."""

    name: str
    raw_name: str
    value_type: ValueType
    default_value: Any


class ParserConfig:
    """Taken for notebooks' sake: arguments that HTA has no default column for are told to be missing, once."""

    def __init__(self, args: Optional[List[AttributeSpec]] = None, **settings: Any) -> None:
        self.args: List[AttributeSpec] = list(args or [])
        self.parser_backend: Optional[ParserBackend] = settings.pop("parser_backend", None)
        self.trace_memory = False
        self.settings = settings

    @classmethod
    def get_default_cfg(cls) -> "ParserConfig":
        """A copy of the default."""
        return _default.clone()

    @classmethod
    def set_default_cfg(cls, cfg: "ParserConfig") -> None:
        """Makes a configuration the default."""
        global _default  # pylint: disable=global-statement
        _default = cfg.clone()

    @classmethod
    def enable_communication_args(cls, cfg: Optional["ParserConfig"] = None) -> "ParserConfig":
        """The columns of collectives are always there."""
        return cfg or _default

    def clone(self) -> "ParserConfig":
        """A copy."""
        return copy.deepcopy(self)

    def get_args(self) -> List[AttributeSpec]:
        """The arguments that were asked for beside the default ones."""
        return self.args

    def set_args(self, args: List[AttributeSpec]) -> None:
        """Asks for arguments."""
        self.args = []
        self.add_args(args)

    def add_args(self, args: List[AttributeSpec]) -> None:
        """Asks for more arguments."""
        self.args.extend(args)
        if args:
            names = ", ".join(arg.raw_name for arg in args)
            logger.warning(
                "rankscope.hta has HTA's default columns only; SQL over `events` has all arguments: %s", names
            )

    def set_parser_backend(self, parser_backend: Optional[ParserBackend]) -> None:
        """Taken, and not used."""
        self.parser_backend = parser_backend

    def set_trace_memory(self, trace_memory: bool) -> None:
        """Taken, and not used."""
        self.trace_memory = trace_memory


_default = ParserConfig()
