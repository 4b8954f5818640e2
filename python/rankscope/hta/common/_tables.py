"""The library's tables of a trace, with its ranks as the caller names them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

import pandas as pd

from ..._catalog import tables
from ..._errors import InvalidArgumentError
from ..._job import Job
from ..._table import Table
from .._frames import frame_of
from .trace_file import open_traces

_STEP = "ProfilerStep#"
_options_of_tables: Dict[str, List[str]] = {}


class RankTables:
    """The tables of a job.

    What is asked of one rank is asked of a job of its file alone, so that no other rank is looked at: with hundreds of ranks a loop over
    them would else look at each hundreds of times. HTA's time 0 is the first event of all ranks, so times are moved.

    Attributes:
        rows: hta.traces by the caller's rank, whose `rank` is the library's.
        include_last_profiler_step: of every table.
    """

    def __init__(self, job: Job, rows: Dict[int, Dict[str, Any]]) -> None:
        self.job = job
        self.rows = rows
        self.include_last_profiler_step = False
        self._jobs: Dict[int, Job] = {}
        self._steps: Optional[Dict[int, int]] = None

    @property
    def ranks(self) -> List[int]:
        """The ranks in rising order."""
        return sorted(self.rows)

    @property
    def first_ts(self) -> int:
        """The begin of the first event of all ranks in microseconds, as the files count them."""
        return min((self._first_of(rank) for rank in self.rows), default=0)

    def frame(self, name: str, ranks: Optional[List[int]] = None, **options: Any) -> pd.DataFrame:
        """The rows of some ranks, of all unless they are named.

        Raises:
            ValueError: there is no such rank.
        """
        if ranks is not None and len(ranks) == 1:
            table, shift = self.of_rank(name, ranks[0], **options)
            frame = frame_of(table)
            frame["rank"] = ranks[0]
            if "ts" in frame.columns:
                frame["ts"] += shift
            return frame
        wanted = self.ranks if ranks is None else ranks
        named = {self._library_rank(rank): rank for rank in wanted}
        if ranks is not None:
            options.update(_rank_option(name, list(named)))
        frame = frame_of(self._ask(self.job, name, options))
        if "rank" not in frame.columns:
            return frame
        frame = frame[frame["rank"].isin(list(named))].reset_index(drop=True)
        frame["rank"] = frame["rank"].map(named).astype("int64")
        return frame

    def of_rank(self, name: str, rank: int, **options: Any) -> Tuple[Table, int]:
        """The table of one rank, and what its times are to be moved by, in microseconds."""
        given = self._library_rank(rank)
        options.update(_rank_option(name, [given]))
        if not self._decides_alone(rank):
            return self._ask(self.job, name, options), 0
        if rank not in self._jobs:
            self._jobs[rank] = open_traces([str(self.rows[rank]["file"])])
        return self._ask(self._jobs[rank], name, options), self._first_of(rank) - self.first_ts

    def _ask(self, job: Job, name: str, options: Dict[str, Any]) -> Table:
        if "include_last_profiler_step" in _options_of(name):
            options["include_last_profiler_step"] = self.include_last_profiler_step
        # Flags of hta.* are written as in Python.
        texts = {key: str(value) if isinstance(value, bool) else value for key, value in options.items()}
        return job.table(name, **texts)

    def _library_rank(self, rank: int) -> int:
        if rank not in self.rows:
            raise InvalidArgumentError(f"there is no trace of rank {rank}: there are ranks {self.ranks}")
        return int(self.rows[rank]["rank"])

    def _first_of(self, rank: int) -> int:
        first = self.rows[rank]["first_ts"]
        return int(first) if first is not None else 0

    def _decides_alone(self, rank: int) -> bool:
        """Whether the rank's own steps say what those of all ranks say: that the last one is left out, or that there is none to leave out."""
        if len(self.rows) == 1 or not self.rows[rank]["rank_is_stated"]:
            return False
        if self._steps is None:
            names: Dict[int, Set[str]] = {}
            for of_rank, symbol in self.job.table("hta.symbols").tuples():
                if symbol.startswith(_STEP):
                    names.setdefault(of_rank, set()).add(symbol)
            self._steps = {of_rank: len(found) for of_rank, found in names.items()}
            self._steps[-1] = len(set().union(*names.values()))
        own = self._steps.get(self._library_rank(rank), 0)
        return (own > 1) == (self._steps[-1] > 1)


def _options_of(table: str) -> List[str]:
    if table not in _options_of_tables:
        for name, definition in tables().items():
            _options_of_tables[name] = [option.name for option in definition.options]
    return _options_of_tables[table]


def _rank_option(table: str, ranks: List[int]) -> Dict[str, Any]:
    """HTA calls it rank where it takes one, and ranks where it takes several."""
    return {option: ranks for option in ("ranks", "rank") if option in _options_of(table)}
