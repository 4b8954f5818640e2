"""Pictures of a job's tables by matplotlib, which is needed here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._job import Job

# More lines than these tell nobody anything.
_MOST_LINES = 8
# What is drawn is what reaches this share of device time.
_LEAST_SHARE_PCT = 0.1


class Plot:
    """Pictures of a job: `job.plot.step_times()`.

    Each draws into `ax`, or into a figure of its own, and returns the matplotlib Axes. They show cells of tables and compute
    nothing; the docstrings name the tables.
    """

    def __init__(self, job: "Job") -> None:
        self._job = job

    def step_times(self, ax: "Optional[Axes]" = None) -> "Axes":
        """How long each step took (step_spread): the median over the ranks, the middle half of them and all of them as bands.

        Of up to eight ranks each is a line, too (step_times).
        """
        rows = [row for row in self._job.table("step_spread") if row["step"] is not None]
        axes = _axes(ax, "Step time", "step", "ms")
        steps = [row["step"] for row in rows]
        axes.fill_between(steps, _ms(rows, "min_ns"), _ms(rows, "max_ns"), alpha=0.15, color="C0", label="all ranks")
        axes.fill_between(steps, _ms(rows, "p25_ns"), _ms(rows, "p75_ns"), alpha=0.3, color="C0", label="middle half")
        axes.plot(steps, _ms(rows, "median_ns"), color="C0", marker="o", markersize=3, label="median")
        if len(self._job.ranks) <= _MOST_LINES:
            self._lines_of_ranks(axes)
        axes.xaxis.get_major_locator().set_params(integer=True)
        _legend_beside(axes)
        return axes

    def time(self, ax: "Optional[Axes]" = None) -> "Axes":
        """Where device time goes (job_breakdown): a bar per part, with a line from the device with the least to that with the most."""
        rows = [row for row in self._job.table("job_breakdown") if (row["max_pct"] or 0) >= _LEAST_SHARE_PCT]
        axes = _axes(ax, "Where device time goes", "% of device time", "")
        shares = [row["share_pct"] for row in rows]
        reach = [
            [share - row["min_pct"] for share, row in zip(shares, rows)],
            [row["max_pct"] - share for share, row in zip(shares, rows)],
        ]
        axes.barh([_words(row["part"]) for row in rows], shares, xerr=reach, ecolor="0.4")
        axes.invert_yaxis()
        return axes

    def ranks(self, ax: "Optional[Axes]" = None) -> "Axes":
        """Device time of a step by rank (time_breakdown): a bar per rank, divided into its parts; the mean over complete steps."""
        names = [column.name for column in self._job.table("time_breakdown").columns]
        parts = names[names.index("duration_ns") + 1 : names.index("not_observed_ns") + 1]
        sums = ", ".join(f"sum({part})::BIGINT AS {part}" for part in parts)
        rows = self._job.query(
            f"SELECT rank, count(DISTINCT (capture, step)) AS steps, {sums} FROM time_breakdown "
            "WHERE complete AND step IS NOT NULL GROUP BY rank ORDER BY rank"
        ).rows()
        axes = _axes(ax, "Device time of a step", "rank", "ms")
        ranks = [row["rank"] for row in rows]
        below = [0.0] * len(rows)
        whole = sum(row[part] for row in rows for part in parts)
        for part in parts:
            if 100 * sum(row[part] for row in rows) < _LEAST_SHARE_PCT * whole:
                continue
            heights = [row[part] / row["steps"] / 1e6 for row in rows]
            axes.bar(ranks, heights, bottom=below, label=_words(part[: -len("_ns")]))
            below = [base + height for base, height in zip(below, heights)]
        axes.xaxis.get_major_locator().set_params(integer=True)
        _legend_beside(axes)
        return axes

    def collectives(self, ax: "Optional[Axes]" = None) -> "Axes":
        """Bus bandwidth of collectives by their size (collectives): a point per collective, a colour per operation."""
        by_op: Dict[str, List[Dict[str, Any]]] = {}
        for row in self._job.table("collectives"):
            if row["bytes"] and row["bus_bandwidth"]:
                by_op.setdefault(row["op"] or "unknown", []).append(row)
        axes = _axes(ax, "Collectives", "bytes", "bus bandwidth, GB/s")
        for op, rows in sorted(by_op.items()):
            bandwidths = [row["bus_bandwidth"] / 1e9 for row in rows]
            axes.scatter([row["bytes"] for row in rows], bandwidths, s=12, alpha=0.6, label=_words(op))
        axes.set_xscale("log")
        if by_op:
            axes.set_ylim(0, 1.08e-9 * max(row["bus_bandwidth"] for rows in by_op.values() for row in rows))
            _legend_beside(axes)
        return axes

    def _lines_of_ranks(self, axes: "Axes") -> None:
        rows = [row for row in self._job.table("step_times") if row["complete"] and row["duration_ns"] is not None]
        for rank in self._job.ranks:
            of_rank = sorted((row["step"], row["duration_ns"] / 1e6) for row in rows if row["rank"] == rank)
            steps, times = [step for step, _ in of_rank], [time for _, time in of_rank]
            axes.plot(steps, times, linewidth=0.8, label=f"rank {rank}")


def _axes(ax: "Optional[Axes]", title: str, x: str, y: str) -> "Axes":
    if ax is None:
        try:
            import matplotlib.pyplot  # pylint: disable=import-outside-toplevel
        except ImportError as error:
            raise ImportError(
                "job.plot needs matplotlib, which is not installed; job.report() has the same pictures without"
            ) from error
        _, ax = matplotlib.pyplot.subplots(layout="constrained")
    assert ax is not None
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def _legend_beside(axes: "Axes") -> None:
    """Where it hides nothing."""
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)


def _ms(rows: List[Dict[str, Any]], column: str) -> List[float]:
    return [row[column] / 1e6 for row in rows]


def _words(name: str) -> str:
    return name.replace("_", " ")
