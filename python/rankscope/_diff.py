"""Two jobs, compared."""

from __future__ import annotations

from typing import Union

from ._call import handle_of, text_of
from ._job import Job
from ._job import open as open_job
from ._library import library
from ._report import Report
from ._table import Table
from ._texts import Path, encoded


class Diff(Report):
    """What changed between two jobs and whether it is noise. Each form is made when it is first asked for."""

    def __init__(self, base: Job, test: Job) -> None:
        self._base = base
        self._test = test
        super().__init__(
            lambda format: text_of(
                lambda call, text, size: library.rankscope_diff(
                    base._open(), test._open(), encoded(format), call, text, size
                ),
                test._progress,
            )
        )

    def table(self, name: str) -> Table:
        """One table of the comparison, such as "diff_ops"."""
        return Table(
            handle_of(
                lambda call, table: library.rankscope_diff_table(
                    self._base._open(), self._test._open(), encoded(name), call, table
                ),
                library.rankscope_table_free,
                self._test._progress,
            )
        )


def diff(base: Union[Job, Path], test: Union[Job, Path]) -> Diff:
    """Compares two jobs, or what `rankscope.open` makes of their paths."""
    return Diff(*[one if isinstance(one, Job) else open_job(one) for one in (base, test)])
