"""Findings of a job, as its report has them (docs/report.md)."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional


@dataclasses.dataclass(frozen=True)
class Finding:
    """A cause of lost time. Gains are of a step: 100 * (1 - step time without the cause / step time now); None is unknown."""

    id: str
    """Such as "host-sync"; `rankscope.explain(id)` has its page."""
    severity: str
    """"high", "medium" or "low"."""
    confidence: Optional[float]
    ranks: List[int]
    """Where the cause sits, never its victims."""
    steps: List[int]
    time_lost_ns: Optional[int]
    gain_pct: Optional[float]
    gain_method: str
    """"replay", "bound" or "estimate"."""
    title: str
    why: str
    recommendation: str
    where: List[Dict[str, Any]]
    """Places in the user's code, the dearest first."""
    raw: Dict[str, Any]
    """All that the report says of it."""

    @staticmethod
    def of(raw: Dict[str, Any]) -> "Finding":
        """Of the report's JSON."""
        names = [field.name for field in dataclasses.fields(Finding) if field.name != "raw"]
        return Finding(raw=raw, **{name: raw.get(name) for name in names})  # type: ignore[arg-type]


@dataclasses.dataclass(frozen=True)
class NotEvaluated:
    """A cause that could not be looked for, and why."""

    id: str
    reason: str
