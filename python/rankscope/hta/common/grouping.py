"""Names that belong together, by regular expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List, Pattern, Union

from ..._errors import InvalidArgumentError


@dataclass(frozen=True)
class GroupingPattern:
    """A group of names: those that begin with what an expression matches, or those that do not.

    Attributes:
        pattern: the expression.
        inverse_match: whether those that do not match are meant.
        group_name: how the group is called.
    """

    pattern: Pattern[str]
    inverse_match: bool = False
    group_name: str = ""

    def match(self, name: str) -> bool:
        """Whether a name is of the group."""
        return (self.pattern.match(name) is not None) != self.inverse_match


def to_grouping_pattern(
    pattern: Union[str, List[str], Pattern[str], GroupingPattern], group_name: str = "", inverse_match: bool = False
) -> GroupingPattern:
    """The group of an expression, or of several of which one matches. A group stays as it is.

    Raises:
        ValueError: it is nothing of that.
    """
    if isinstance(pattern, GroupingPattern):
        return pattern
    if isinstance(pattern, list):
        pattern = "|".join(f"(?:{one})" for one in pattern)
    if not isinstance(pattern, (str, re.Pattern)):
        raise InvalidArgumentError(
            f"Unsupported pattern type {type(pattern).__name__}: a pattern is a text, a list of texts or a compiled expression"
        )
    return GroupingPattern(re.compile(pattern), inverse_match, group_name)
