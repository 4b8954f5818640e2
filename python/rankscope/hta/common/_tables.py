"""The library's tables of a trace, with its ranks as the caller names them."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Set, Tuple

import pandas as pd

from ..._catalog import tables
from ..._errors import InvalidArgumentError, NotFoundError
from ..._job import Job
from ..._table import Table
from .._frames import frame_of
from .trace_file import open_traces, traces_of

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

    def __init__(self, job: Optional[Job], rows: Dict[int, Dict[str, Any]]) -> None:
        """Of a job of all ranks; None where their files make no job together."""
        self.rows = rows
        self.include_last_profiler_step = False
        self._whole = job
        self._jobs: Dict[int, Job] = {}
        self._steps: Optional[Dict[int, Set[str]]] = None

    @property
    def job(self) -> Job:
        """The job of all ranks, or of the first where they make none."""
        return self._whole or self._job_of(self.ranks[0])

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
        wanted = self.ranks if ranks is None else ranks
        if ranks is not None and len(ranks) == 1:
            return self._frame_of_rank(name, ranks[0], options)
        if self._whole is None:
            return self._joined(name, wanted, options)
        named = {self._library_rank(rank): rank for rank in wanted}
        if ranks is not None:
            options.update(_rank_option(name, list(named)))
        frame = frame_of(self._ask(self._whole, name, options))
        if "rank" not in frame.columns:
            return frame
        frame = frame[frame["rank"].isin(list(named))].reset_index(drop=True)
        frame["rank"] = frame["rank"].map(named).astype("int64")
        return frame

    def of_rank(self, name: str, rank: int, **options: Any) -> Tuple[Table, int]:
        """The table of one rank, and what its times are to be moved by, in microseconds."""
        options.update(_rank_option(name, [self._library_rank(rank)]))
        if self._whole is not None and not self._is_alone_as_together(rank):
            return self._ask(self._whole, name, options), 0
        return self._ask(self._job_of(rank), name, options), self._first_of(rank) - self.first_ts

    def symbols(self, ranks: List[int]) -> List[str]:
        """Categories and names of the events of some ranks."""
        if self._whole is None:
            return [symbol for rank in ranks for symbol in self._job_of(rank).table("hta.symbols").column("symbol")]
        return self._whole.table("hta.symbols", ranks=[self._library_rank(rank) for rank in ranks]).column("symbol")

    def _frame_of_rank(self, name: str, rank: int, options: Dict[str, Any]) -> pd.DataFrame:
        table, shift = self.of_rank(name, rank, **options)
        frame = frame_of(table)
        frame["rank"] = rank
        if "ts" in frame.columns:
            frame["ts"] += shift
        return frame

    def _joined(self, name: str, ranks: List[int], options: Dict[str, Any]) -> pd.DataFrame:
        """Of ranks whose files make no job: the rows of each."""
        frames = [self._frame_of_rank(name, rank, dict(options)) for rank in ranks]
        if "rank" not in [column.name for column in tables()[name].columns]:
            raise InvalidArgumentError(
                f"{name} is over all ranks, and these files make no job together: two of them are of one rank, and "
                "update_trace_rank says in a file which one it is of"
            )
        return pd.concat(frames, ignore_index=True)

    def _job_of(self, rank: int) -> Job:
        if rank not in self._jobs:
            self._jobs[rank] = open_traces([str(self.rows[rank]["file"])])
        return self._jobs[rank]

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

    def _is_alone_as_together(self, rank: int) -> bool:
        """Whether the rank's own steps say what those of all ranks say: that the last one is left out, or that there is none to leave out."""
        if len(self.rows) == 1 or not self.rows[rank]["rank_is_stated"]:
            return False
        assert self._whole is not None
        if self._steps is None:
            self._steps = {}
            for given, symbol in self._whole.table("hta.symbols").tuples():
                if symbol.startswith(_STEP):
                    self._steps.setdefault(given, set()).add(symbol)
        own = self._steps.get(self._library_rank(rank), set())
        return (len(own) > 1) == (len(set().union(*self._steps.values())) > 1)


def tables_of_paths(paths: List[str]) -> RankTables:
    """Of files and folders, with the ranks that they say."""
    job = open_traces(paths)
    return RankTables(job, {int(row["rank"]): row for row in traces_of(job)})


def tables_of_files(files: Dict[int, str]) -> RankTables:
    """Of the file of each rank, whatever rank it says. Files of one rank, or one file for several, are looked at one by one."""
    try:
        job = open_traces(list(files.values()))
    except NotFoundError:
        if len(files) < 2:
            raise
    else:
        found = {os.path.realpath(row["file"]): row for row in traces_of(job)}
        rows = {rank: found.get(os.path.realpath(file)) for rank, file in files.items()}
        if len({row["rank"] for row in rows.values() if row is not None}) == len(files):
            return RankTables(job, {rank: row for rank, row in rows.items() if row is not None})
    return RankTables(None, {rank: {**traces_of(open_traces([file]))[0], "file": file} for rank, file in files.items()})


def _options_of(table: str) -> List[str]:
    if table not in _options_of_tables:
        for name, definition in tables().items():
            _options_of_tables[name] = [option.name for option in definition.options]
    return _options_of_tables[table]


def _rank_option(table: str, ranks: List[int]) -> Dict[str, Any]:
    """HTA calls it rank where it takes one, and ranks where it takes several."""
    return {option: ranks for option in ("ranks", "rank") if option in _options_of(table)}
