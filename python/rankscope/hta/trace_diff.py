"""TraceDiff: the operators and kernels of two traces compared by their names."""

from __future__ import annotations

import os
import random
from typing import Any, Dict, List, Optional, Tuple, Union

import pandas as pd

from .._errors import InvalidArgumentError
from ._plots import graph_objects, show
from .common.trace import Trace
from .common.trace_symbol_table import texts_of_ids
from .common.types import DeviceType
from .configs.config import logger
from .utils.utils import flatten_column_names, shorten_name

__all__ = ["DeviceType", "LabeledTrace", "TraceDiff", "TraceDir"]

TraceDir = str
Numbers = Optional[Union[int, List[int]]]
_DURATION = "_total_duration"


class LabeledTrace:
    """A trace with a name for the columns of comparisons. All profiler steps count, the last one among them.

    Args:
        label: the name; "t" and a number unless it is given.
        t: the trace, or
        trace_dir: its folder.

    Raises:
        ValueError: neither is given.
    """

    def __init__(self, label: Optional[str] = None, t: Optional[Trace] = None, trace_dir: Optional[str] = None) -> None:
        self.label = label or f"t{random.randint(0, 10)}"
        if t is not None:
            self.t = t
        elif trace_dir is not None:
            if not os.path.isdir(trace_dir):
                raise InvalidArgumentError(f"there is no folder {trace_dir}")
            self.t = Trace(trace_dir=trace_dir)
        else:
            raise InvalidArgumentError("LabeledTrace needs a trace, t=..., or a folder with one, trace_dir=...")
        self.t.parse_traces()
        symbols = self.t.symbol_table
        self.s_map = pd.Series(symbols.get_sym_id_map(), dtype="int64")
        self.s_tab = pd.Series(symbols.get_sym_table(), dtype="object")
        self.iteration_df = self._iterations_of_symbols()

    def ranks(self) -> List[int]:
        """The ranks in rising order."""
        return self.t.get_ranks()

    def iterations(self) -> List[int]:
        """The profiler steps in rising order."""
        return sorted(self.iteration_df["iteration"].tolist())

    def extract_ops(
        self, rank: Numbers = None, iteration: Numbers = None, device_type: DeviceType = DeviceType.ALL
    ) -> pd.DataFrame:
        """The events of some ranks, profiler steps and devices.

        Args:
            rank: one or several; the first unless it is given.
            iteration: one or several; the first unless it is given.
            device_type: CPU for events without a stream, GPU for those with one.

        Raises:
            ValueError: there is no such rank or step.
        """
        ranks, iterations = self.chosen(rank, iteration)
        if len(ranks) == 1:
            events = self.t.get_trace(ranks[0])
        else:
            frames = [self.t.get_trace(one) for one in ranks]
            events = pd.concat(frames, axis=0, keys=ranks, names=["rank", "idx"]).reset_index()
        events = events[events["iteration"].isin(iterations)]
        if device_type == DeviceType.CPU:
            return events[events["stream"].eq(-1)]
        return events[events["stream"].ne(-1)] if device_type == DeviceType.GPU else events

    def get_ops_summary(self, ops: pd.DataFrame) -> pd.DataFrame:
        """Count and microseconds of events by category and name.

        Args:
            ops: events, as extract_ops gives them.
        """
        sums = ops.groupby(["cat", "name"])["dur"].agg(["count", "sum"]).reset_index()
        sums.columns = ["cat_id", "name_id", "counts", "total_duration"]
        symbols = self.t.symbol_table.sym_table
        sums["cat"] = texts_of_ids(sums["cat_id"], symbols)
        sums["name"] = texts_of_ids(sums["name_id"], symbols)
        sums["short_name"] = sums["name"].map(shorten_name)
        return sums[["cat", "name", "short_name", "counts", "total_duration", "cat_id", "name_id"]]

    def chosen(self, rank: Numbers, iteration: Numbers) -> Tuple[List[int], List[int]]:
        """The ranks and steps that are meant: the first ones where none is said."""
        return (
            _chosen(rank, self.ranks(), "rank", self.label),
            _chosen(iteration, self.iterations(), "iteration", self.label),
        )

    def sums_by_name(
        self, rank: Numbers, iteration: Numbers, device_type: DeviceType, use_short_name: bool
    ) -> pd.DataFrame:
        """counts and total_duration by name, of the table hta.ops_summary."""
        ranks, iterations = self.chosen(rank, iteration)
        rows = self.t.table("hta.ops_summary", ranks, use_short_name=use_short_name)
        rows = rows[rows["iteration"].isin(iterations)]
        if device_type != DeviceType.ALL:
            rows = rows[rows["device_type"] == device_type.name]
        sums = rows.groupby("name")[["counts", "total_duration"]].sum()
        sums.index.name = "short_name" if use_short_name else "name"
        return sums.astype({"total_duration": "float64"}) if self.t.has_float_durations(ranks) else sums

    def _iterations_of_symbols(self) -> pd.DataFrame:
        symbols = self.t.symbol_table
        steps = [(symbols.sym_table[place], place) for place in symbols.get_profiler_step_ids()]
        return pd.DataFrame(
            {
                "symbol": [name for name, _ in steps],
                "id": [place for _, place in steps],
                "iteration": [int(name.split("#")[1]) for name, _ in steps],
            }
        ).astype({"symbol": "object", "id": "int64", "iteration": "int64"})


class TraceDiff:
    """Comparisons of two traces: folders, Trace objects or LabeledTrace objects.

    rankscope.diff says beside it what is noise, and what each change costs.
    """

    @classmethod
    def compare_traces(
        cls,
        control: Union[LabeledTrace, Trace, TraceDir],
        test: Union[LabeledTrace, Trace, TraceDir],
        control_rank: Numbers = None,
        test_rank: Numbers = None,
        control_iteration: Numbers = None,
        test_iteration: Numbers = None,
        device_type: DeviceType = DeviceType.ALL,
        use_short_name: bool = False,
    ) -> pd.DataFrame:
        """Counts and microseconds by name in both, and the differences, test - control.

        Args:
            control, test: the traces. Their labels, Control and Test of folders and Trace objects, begin the columns' names.
            control_rank, test_rank: one or several; the first unless it is given.
            control_iteration, test_iteration: one or several; the first unless it is given.
            device_type: CPU for events without a stream, GPU for those with one.
            use_short_name: names without template arguments and parameters are one.

        Returns:
            By name: {label}_counts, {label}_total_duration, diff_counts, diff_duration, and counts_change_categories, which is +, - or =.
        """
        of_control, of_test = _trace_argument_adapter(control, "Control"), _trace_argument_adapter(test, "Test")
        if of_control.label == of_test.label:
            of_test.label = f"{of_test.label}_test"
            logger.warning("both traces have the label %s; that of test is now %s", of_control.label, of_test.label)
        sums = {
            of_control.label: of_control.sums_by_name(control_rank, control_iteration, device_type, use_short_name),
            of_test.label: of_test.sums_by_name(test_rank, test_iteration, device_type, use_short_name),
        }
        both = pd.concat(list(sums.values()), axis=1, join="outer", keys=list(sums)).fillna(0)
        both.index.name = "short_name" if use_short_name else "name"
        flatten_column_names(both)
        before, after = sums
        both["diff_counts"] = both[f"{after}_counts"] - both[f"{before}_counts"]
        both["diff_duration"] = both[f"{after}{_DURATION}"] - both[f"{before}{_DURATION}"]
        both["counts_change_categories"] = [
            "+" if more > 0 else "-" if more < 0 else "=" for more in both["diff_counts"]
        ]
        return both

    @classmethod
    def ops_diff(
        cls,
        control: Union[LabeledTrace, Trace, TraceDir],
        test: Union[LabeledTrace, Trace, TraceDir],
        control_rank: Numbers = None,
        test_rank: Numbers = None,
        control_iteration: Numbers = None,
        test_iteration: Numbers = None,
        device_type: DeviceType = DeviceType.ALL,
    ) -> Dict[str, List[str]]:
        """Names that are added, deleted, increased, decreased or unchanged in count. The arguments are those of compare_traces."""
        of_control, of_test = _trace_argument_adapter(control, "Control"), _trace_argument_adapter(test, "Test")
        both = cls.compare_traces(
            of_control, of_test, control_rank, test_rank, control_iteration, test_iteration, device_type
        )
        before, after = both[f"{of_control.label}_counts"], both[f"{of_test.label}_counts"]
        return {
            "added": both.index[before.eq(0) & after.gt(0)].tolist(),
            "deleted": both.index[before.gt(0) & after.eq(0)].tolist(),
            "increased": both.index[before.gt(0) & after.gt(before)].tolist(),
            "decreased": both.index[after.gt(0) & after.lt(before)].tolist(),
            "unchanged": both.index[after.gt(0) & after.eq(before)].tolist(),
        }

    @classmethod
    def visualize_counts_diff(
        cls, df: pd.DataFrame, show_image: bool = True, export_image_path: Optional[str] = None
    ) -> None:
        """Shows the counts of compare_traces, or writes the picture to a file."""
        _bars(df, "_counts", "diff_counts", "Ops Count Comparison", show_image, export_image_path)

    @classmethod
    def visualize_duration_diff(
        cls, df: pd.DataFrame, show_image: bool = True, export_image_path: Optional[str] = None
    ) -> None:
        """Shows the durations of compare_traces, or writes the picture to a file."""
        _bars(df, _DURATION, "diff_duration", "Ops Duration Comparison (us)", show_image, export_image_path)


def __getattr__(name: str) -> Any:
    """go, plotly.graph_objects, which HTA imports here. Only at its first use: importing plotly takes a second."""
    if name == "go":
        return graph_objects()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _bars(
    frame: pd.DataFrame, ending: str, difference: str, title: str, show_image: bool, export_image_path: Optional[str]
) -> None:
    labels = [name[: -len(_DURATION)] for name in frame.columns if name.endswith(_DURATION)]
    if len(labels) < 2:
        raise InvalidArgumentError("the frame is none of TraceDiff.compare_traces: it has no durations of two traces")
    go = graph_objects()
    if go is None:
        return
    bars = [go.Bar(name=label, x=frame.index, y=frame[f"{label}{ending}"]) for label in labels[:2]]
    figure = go.Figure(data=[*bars, go.Bar(name="Difference", x=frame.index, y=frame[difference])])
    figure.update_layout(barmode="group", title_text=title)
    if show_image:
        show(figure)
    if export_image_path:
        figure.write_image(export_image_path)


def _trace_argument_adapter(trace: Union[LabeledTrace, Trace, TraceDir], label: str) -> LabeledTrace:
    if isinstance(trace, LabeledTrace):
        return trace
    if isinstance(trace, Trace):
        return LabeledTrace(label=label, t=trace)
    if isinstance(trace, (str, os.PathLike)):
        return LabeledTrace(label=label, trace_dir=os.fspath(trace))
    raise InvalidArgumentError(f"a trace is a folder, a Trace or a LabeledTrace, not {trace!r}")


def _chosen(wanted: Numbers, there: List[int], what: str, label: str) -> List[int]:
    if wanted is None:
        if not there:
            raise InvalidArgumentError(f"{label} has no {what}")
        return there[:1]
    numbers = wanted if isinstance(wanted, list) else [wanted]
    for number in numbers:
        if number not in there:
            raise InvalidArgumentError(f"{label} has no {what} {number!r}: it has {there}")
    return numbers
