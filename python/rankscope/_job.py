"""Job: the traces of a job, opened once and asked many times."""

from __future__ import annotations

import json
import os
import shlex
import weakref
from types import TracebackType
from typing import Any, Dict, Iterable, List, Optional, Type, Union

from ._call import handle_of, text_of
from ._errors import InvalidArgumentError
from ._finding import Finding, NotEvaluated
from ._library import library
from ._plot import Plot
from ._progress import ProgressChoice
from ._report import JobReport
from ._table import Table
from ._texts import Numbers, Path, encoded, option_text, options_of, texts_of

# More paths than these say nothing in a command.
_MOST_PATHS_IN_COMMANDS = 3


def open(  # pylint: disable=redefined-builtin
    path: Union[Path, Iterable[Path]],
    *more: Path,
    ranks: Optional[Numbers] = None,
    steps: Optional[Numbers] = None,
    capture: Union[None, int, str] = None,
    kernel_classes: Optional[Path] = None,
    jobs: Optional[int] = None,
    cache_dir: Optional[Path] = None,
    cache_size: Union[None, int, str] = None,
    no_cache: bool = False,
    progress: ProgressChoice = None,
) -> "Job":
    """Opens the traces of a job: files, folders or globs. What the cache does not have is read.

    Args:
        path, more: trace files, folders or globs.
        ranks, steps: only these: a number, numbers, or a text such as "0,4-7".
        capture: which recordings: "latest" (the latest group with the most ranks), "all", or a group's number.
        kernel_classes: a file with names of kernels that are told apart before the built-in ones.
        jobs: threads to use; one per core unless it is said.
        cache_dir: the cache; that of the command line unless it is said ($RANKSCOPE_CACHE_DIR, else the user's own).
        cache_size: its largest size, such as "32G".
        no_cache: neither read nor write the cache.
        progress: None shows a line on a terminal, False nothing; a function is told how far reading is (rankscope.Progress).

    Raises:
        rankscope.NotFoundError: there is no such file or no trace in it.
        rankscope.Error: anything else, with the program's own sentence.
    """
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    names = [os.fspath(one) for one in [*paths, *more]]
    selection: Dict[str, Any] = {"ranks": ranks, "steps": steps, "capture": capture, "kernel_classes": kernel_classes}
    options: Dict[str, Any] = {
        **selection,
        "jobs": jobs,
        "cache_dir": cache_dir,
        "cache_size": cache_size,
        "no_cache": no_cache,
        "called": _called(names, selection),
    }
    handle = handle_of(
        lambda call, job: library.rankscope_open(*texts_of(names), *options_of(options), call, job),
        library.rankscope_close,
        progress,
    )
    return Job(handle, names, progress)


def _called(names: List[str], selection: Dict[str, Any]) -> str:
    """What another command takes to see the same job."""
    words = names if len(names) <= _MOST_PATHS_IN_COMMANDS else ["TRACES"]
    for name, value in selection.items():
        if value is not None:
            words = words + ["--" + name.replace("_", "-"), option_text(value)]
    return shlex.join(words)


class Job:
    """A job that is open. `rankscope.open` makes it; `close`, `with`, or the end of the last reference to it closes it.

    Any thread may ask; questions about one job are answered one after the other. Tables live on when the job is closed.
    """

    def __init__(self, handle: Any, paths: List[str], progress: ProgressChoice) -> None:
        self._handle = handle
        self._paths = paths
        self._progress = progress
        self._close = weakref.finalize(self, library.rankscope_close, handle)
        self._found: Optional[Dict[str, Any]] = None

    def close(self) -> None:
        """Lets go of what it holds. A second time does nothing."""
        self._close()

    def __enter__(self) -> "Job":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    @property
    def paths(self) -> List[str]:
        """What was opened."""
        return list(self._paths)

    @property
    def ranks(self) -> List[int]:
        """The ranks that are looked at."""
        return [int(rank) for rank in self._info()["ranks"]]

    @property
    def recordings(self) -> int:
        """How many recordings are looked at."""
        return int(self._info()["recordings"])

    def table(self, name: str, /, **options: Any) -> Table:
        """One table by its name, with its options: `job.table("kernels_by_name", top=20)`.

        `rankscope.tables()` has all tables with their columns and options. True is 1, a list its items with commas between them.
        """
        return Table(
            handle_of(
                lambda call, table: library.rankscope_job_table(
                    self._open(), encoded(name), *options_of(options), call, table
                ),
                library.rankscope_table_free,
                self._progress,
            )
        )

    def query(
        self,
        sql: str,
        *,
        memory: Union[None, int, str] = None,
        allow_files: bool = False,
        select_only: bool = False,
    ) -> Table:
        """The rows of SQL over the events and tables of all ranks, in DuckDB's dialect (docs/sql.md).

        Args:
            sql: statements; the last one's rows are returned. What they create stays until the job is closed or asked with other
                options.
            memory: what the query and its result may hold, such as "4G", which it is unless it is said.
            allow_files: lets statements read and write files.
            select_only: one SELECT or EXPLAIN and nothing else, for what others wrote.
        """
        options = {"memory": memory, "allow_files": allow_files, "select_only": select_only}
        return Table(
            handle_of(
                lambda call, table: library.rankscope_job_query(
                    self._open(), encoded(sql), *options_of(options), call, table
                ),
                library.rankscope_table_free,
                self._progress,
            )
        )

    def whatif(self, changes: Union[str, Iterable[str]]) -> Table:
        """The job replayed with changes, such as "idealise:rank=3": a row for each, and one for all together.

        `rankscope whatif --list` and docs/replay.md have the changes.
        """
        words = [changes] if isinstance(changes, str) else list(changes)
        return Table(
            handle_of(
                lambda call, table: library.rankscope_job_what_if(self._open(), *texts_of(words), call, table),
                library.rankscope_table_free,
                self._progress,
            )
        )

    @property
    def plot(self) -> Plot:
        """Pictures by matplotlib: `step_times`, `time`, `ranks` and `collectives`."""
        return Plot(self)

    def report(self) -> JobReport:
        """What `rankscope analyze` says: in a notebook its page, else `.json`, `.text`, `.full`, `.html`, `.markdown`."""
        return JobReport(self._report)

    @property
    def findings(self) -> List[Finding]:
        """Causes of lost time, the gravest first."""
        return [Finding.of(raw) for raw in self._findings()["findings"]]

    @property
    def not_evaluated(self) -> List[NotEvaluated]:
        """Causes that could not be looked for."""
        return [NotEvaluated(raw["id"], raw["reason"]) for raw in self._findings()["not_evaluated"]]

    def __repr__(self) -> str:
        state = f"{len(self.ranks)} ranks" if self._close.alive else "closed"
        return f"<rankscope.Job {shlex.join(self._paths)}: {state}>"

    def _open(self) -> Any:
        if not self._close.alive:
            raise InvalidArgumentError("the job was closed")
        return self._handle

    def _report(self, format: str) -> str:  # pylint: disable=redefined-builtin
        return text_of(
            lambda call, text, size: library.rankscope_job_report(self._open(), encoded(format), call, text, size),
            self._progress,
        )

    def _findings(self) -> Dict[str, Any]:
        if self._found is None:
            self._found = json.loads(
                text_of(
                    lambda call, text, size: library.rankscope_job_findings(self._open(), call, text, size),
                    self._progress,
                )
            )
        return self._found

    def _info(self) -> Dict[str, Any]:
        info: Dict[str, Any] = json.loads(
            text_of(lambda _call, text, size: library.rankscope_job_info(self._open(), text, size), False)
        )
        return info
