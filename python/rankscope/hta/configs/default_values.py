"""Defaults of arguments, and how an argument of events becomes a column."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, NamedTuple

from ..._errors import InvalidArgumentError

# Where traces are looked for unless a folder is named.
DEFAULT_TRACE_DIR = "/tmp/trace"
# The name of the files that HtaConfig reads.
DEFAULT_CONFIG_FILENAME = "trace_analyzer.json"


class YamlVersion(NamedTuple):
    """A version of HTA's list of arguments. There is one list here."""

    major: int
    minor: int
    patch: int

    def get_version_str(self) -> str:
        """Such as 1.0.0."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @staticmethod
    def from_string(version: str) -> "YamlVersion":
        """Of such as 1.0.0.

        Raises:
            ValueError: it is not three numbers.
        """
        if not re.fullmatch(r"\d+\.\d+\.\d+", version):
            raise InvalidArgumentError(f"a version is three numbers such as 1.0.0, not {version!r}")
        return YamlVersion(*(int(part) for part in version.split(".")))


class ValueType(Enum):
    """Types of arguments."""

    Int = 1
    Float = 2
    String = 3
    Object = 4


class AttributeSpec(NamedTuple):
    """An argument of events that becomes a column: the column's name, the argument's in the file, and what stands where an event has none."""

    name: str
    raw_name: str
    value_type: ValueType
    default_value: Any
    min_supported_version: YamlVersion = YamlVersion(1, 0, 0)

    def __eq__(self, other: object) -> bool:
        """Whether the columns are the same, whatever versions of HTA's list have them."""
        return isinstance(other, AttributeSpec) and tuple(self)[:4] == tuple(other)[:4]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.name, self.raw_name))
