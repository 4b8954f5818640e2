"""rankscope finds out why an AI training job is slow, from the profiler traces of all its ranks.

    import rankscope

    job = rankscope.open("traces/")
    for finding in job.findings:
        print(finding.severity, finding.title, finding.gain_pct)
    job.table("kernels_by_name", top=20).to_pandas()
    job.query("SELECT name, sum(dur_ns) FROM kernels GROUP BY name")

The package is a face of librankscope: it computes nothing itself. It needs Python 3.9 or newer and nothing else; pandas where
`Table.to_pandas` is used, matplotlib where `Job.plot` is. Tables go to pyarrow, polars, DuckDB and whatever else knows the Arrow PyCapsule interface without a
copy.

Times are nanoseconds, sizes bytes, unless a column's unit says otherwise; unknown is None, never 0 or NaN.
"""

from ._catalog import TableColumn, TableDefinition, TableOption, explain, tables
from ._diff import Diff, diff
from ._errors import (
    BadDataError,
    CancelledError,
    Error,
    InternalError,
    InvalidArgumentError,
    IoError,
    NotFoundError,
    Notice,
    ResourceError,
)
from ._fetch import fetch
from ._finding import Finding, NotEvaluated
from ._job import Job, open  # pylint: disable=redefined-builtin
from ._library import version as _version
from ._plot import Plot
from ._progress import Progress
from ._report import Report
from ._table import Column, Table

__version__: str = _version()

__all__ = [
    "BadDataError",
    "CancelledError",
    "Column",
    "Diff",
    "Error",
    "Finding",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "Job",
    "NotEvaluated",
    "NotFoundError",
    "Notice",
    "Plot",
    "Progress",
    "Report",
    "ResourceError",
    "Table",
    "TableColumn",
    "TableDefinition",
    "TableOption",
    "diff",
    "explain",
    "fetch",
    "open",
    "tables",
]
