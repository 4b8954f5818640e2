"""Report: what `rankscope analyze` says of a job."""

from __future__ import annotations

import html
import json
from typing import Any, Callable, Dict, Optional

from ._texts import Path


def framed(page: str) -> str:
    """A page for a notebook: on its own, so that neither changes the other."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
        'style="width: 100%; height: 800px; border: 0"></iframe>'
    )


class Report:
    """A report. Each form is made when it is first asked for, and needs the job to be open then."""

    def __init__(self, write: Callable[[str], str]) -> None:
        """`write` makes the text of a format."""
        self._write = write
        self._made: Dict[str, str] = {}
        self._json: Optional[Dict[str, Any]] = None

    def _text(self, format: str) -> str:  # pylint: disable=redefined-builtin
        if format not in self._made:
            self._made[format] = self._write(format)
        return self._made[format]

    @property
    def json(self) -> Dict[str, Any]:
        """As `--format json`: schema rankscope.report/1 (docs/report.md), of a comparison rankscope.diff/1 (docs/diff.md)."""
        if self._json is None:
            self._json = json.loads(self._text("json"))
        return self._json

    @property
    def text(self) -> str:
        """One screen of text."""
        return self._text("text")

    @property
    def full(self) -> str:
        """All sections of the text."""
        return self._text("full")

    @property
    def html(self) -> str:
        """One HTML page that needs nothing else."""
        return self._text("html")

    def save(self, path: Path) -> None:
        """Writes the HTML page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return framed(self.html)


class JobReport(Report):
    """A report of a job."""

    @property
    def markdown(self) -> str:
        """For pull requests and assistants."""
        return self._text("markdown")
