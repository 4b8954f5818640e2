"""Timelines of a trace's events, on the host and on devices, by plotly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, List, Optional

import pandas as pd

from ..._errors import InvalidArgumentError
from .._plots import express, show
from ..configs.config import logger
from .trace_filter import Filter
from .trace_symbol_table import TraceSymbolTable, texts_of_ids

AnnotationStreamID = 0
CPUStreamID = -1
DefaultMustHaveColumns = ["name", "ts", "dur"]
DefaultHoverColumns = ["trace", "rank", "iteration", "stream", "cat", "index"]
DefaultTaskLabelColumns = ["stream", "rank", "trace", "depth"]
REQUIRED_COLUMNS_FOR_CPU_GPU_ALIGNMENT = {
    "index",
    "stream",
    "ts",
    "dur",
    "name",
    "first_kernel_start",
    "kernel_span",
    "num_kernels",
}

# Names that stay as they are: annotations, and copies and memsets.
_KEPT_NAME = re.compile(r"##.+##$|<.+>$|Mem\w+(\s+\w+)?\s+\(.+\)$")
# The name of a kernel or op, in front of its parameters.
_NAME = re.compile(r"(?:void\s+)?([\w:.#\s<>,]+)(?:\(.+\))?")


class EventType(Enum):
    """Which events a timeline has."""

    GPUEvents = 0
    CPUEvents = 1
    AllEvents = 2


class PlotFormat(Enum):
    """Where a plot goes: returned as HTML, shown, or only saved."""

    HTML = "html"
    Inline = "inline"
    File = "file"


@dataclass
class TimelinePlotSetting:
    """How events become a timeline.

    auto_detect finds event_type and whether there are several ranks, traces and streams. Events shorter than short_events_display_duration
    microseconds are drawn as long as that, if amplify_short_events says so. use_global_time makes times dates.
    """

    auto_detect: bool = True
    event_type: EventType = EventType.GPUEvents
    multi_ranks: bool = False
    multi_traces: bool = False
    multi_streams: bool = True
    x_start_column: str = "calibrated_start_global"
    x_end_column: str = "calibrated_end_global"
    task_column: str = "task"
    color_column: str = "name"
    task_height: int = 30
    amplify_short_events: bool = True
    short_events_display_duration: int = 1000
    use_global_time: bool = False
    plot_format: PlotFormat = PlotFormat.Inline
    compress_threads: bool = True


DefaultTimelinePlotSetting = TimelinePlotSetting()


def auto_detect_setting(events: pd.DataFrame, setting: TimelinePlotSetting) -> None:
    """Sets what of a setting depends on the events."""
    if not setting.auto_detect:
        return

    def has_several(column: str) -> bool:
        return column in events.columns and int(events[column].nunique()) > 1

    setting.multi_ranks = has_several("rank")
    setting.multi_traces = has_several("trace")
    setting.multi_streams = has_several("stream")
    streams = set(events["stream"].unique()) if "stream" in events.columns else {CPUStreamID}
    if CPUStreamID not in streams:
        setting.event_type = EventType.GPUEvents
    else:
        setting.event_type = EventType.AllEvents if len(streams) > 1 else EventType.CPUEvents


def prepare_timeline_events(
    df: pd.DataFrame,
    setting: TimelinePlotSetting = DefaultTimelinePlotSetting,
    symbol_table: Optional[TraceSymbolTable] = None,
    hover_columns: Optional[List[str]] = None,
) -> pd.DataFrame:
    """Events with their begins and ends from the first of them on, the line that they are on, and short names.

    Args:
        df: events with name, ts and dur.
        setting: how.
        symbol_table: what name and cat refer to; None where they are texts.
        hover_columns: columns to keep beside those that are needed.

    Returns:
        Nothing where there are no events, or a column is missing.
    """
    missing = [name for name in DefaultMustHaveColumns if name not in df.columns]
    if df.empty or missing:
        logger.error("there are no events" if df.empty else f"the events have no column {', '.join(missing)}")
        return pd.DataFrame()
    wanted = {*(hover_columns or DefaultHoverColumns), *DefaultMustHaveColumns, *DefaultTaskLabelColumns}
    events = df[[name for name in df.columns if name in wanted]].copy()
    auto_detect_setting(df, setting)
    if symbol_table is not None:
        names = [_simplify_name(_simplify_name(name)) for name in symbol_table.sym_table]
        events["name"] = texts_of_ids(events["name"], names)
        if "cat" in events.columns:
            events["cat"] = texts_of_ids(events["cat"], names)
    begin = events["ts"].min()
    events["ts"] -= begin
    least = setting.short_events_display_duration if setting.amplify_short_events else None
    events[setting.x_start_column] = events["ts"]
    events[setting.x_end_column] = events["ts"] + events["dur"].clip(lower=least)
    if setting.use_global_time:
        for name in (setting.x_start_column, setting.x_end_column):
            events[name] = pd.to_datetime(events[name] + begin, unit="us")
    events[setting.task_column] = _set_task_names(events, setting)
    return events.sort_values(by=_get_sort_columns(events, setting), kind="stable")


def plot_events_timeline(
    title: str,
    events: pd.DataFrame,
    setting: TimelinePlotSetting = DefaultTimelinePlotSetting,
    hover_columns: Optional[List[str]] = None,
    output_image_path: Optional[str] = None,
) -> Optional[str]:
    """Shows what prepare_timeline_events made, saves it, or returns it as HTML, as the setting says."""
    if not _check_timeline_input(events, setting):
        return None
    px = express()
    if px is None:
        return None
    tasks = sorted(events[setting.task_column].unique())
    figure = px.timeline(
        events,
        x_start=setting.x_start_column,
        x_end=setting.x_end_column,
        y=setting.task_column,
        hover_data=[name for name in hover_columns or DefaultHoverColumns if name in events.columns],
        category_orders={setting.task_column: tasks},
        color=setting.color_column,
        color_discrete_sequence=px.colors.qualitative.D3,
        height=50 + max(setting.task_height, 80 if len(tasks) < 20 else 0) * len(tasks),
        title=title,
    )
    if not setting.use_global_time:
        # plotly's timelines are of dates; here lengths are microseconds.
        figure.layout.xaxis.type = "linear"
        for part in figure.data:
            shown = events[events[setting.color_column].eq(part.name)]
            part.x = (shown[setting.x_end_column] - shown[setting.x_start_column]).tolist()
    if output_image_path:
        (figure.write_html if output_image_path.endswith(".html") else figure.write_image)(output_image_path)
    if setting.plot_format == PlotFormat.Inline:
        show(figure)
    return to_html(figure, include_plotlyjs="cdn") if setting.plot_format == PlotFormat.HTML else None


def to_html(figure: Any, **options: Any) -> str:
    """plotly.io.to_html."""
    return str(figure.to_html(**options))


def align_module_with_kernels(
    events_df: pd.DataFrame,
    module_list: List[str],
    sym_table: Optional[TraceSymbolTable] = None,
    include_original_cpu_events: bool = False,
) -> pd.DataFrame:
    """Device work with an event for each host event of some names, from the first begin to the last end of the work below it.

    Args:
        events_df: events with CallGraph's columns.
        module_list: expressions that names begin with.
        sym_table: what name refers to; None where it is texts.
        include_original_cpu_events: keeps the host events.

    Raises:
        ValueError: a column is missing.
    """
    missing = REQUIRED_COLUMNS_FOR_CPU_GPU_ALIGNMENT - set(events_df.columns)
    if missing:
        raise InvalidArgumentError(
            f"the events have no column {', '.join(sorted(missing))}: CallGraph adds those of calls"
        )
    if sym_table is not None and events_df["name"].dtype != object:
        names = texts_of_ids(events_df["name"], sym_table.sym_table)
    else:
        texts = [name for name in ("s_name", "name") if name in events_df and events_df[name].dtype == object]
        if not texts:
            raise InvalidArgumentError(
                "the events have no names as texts: name them by sym_table or Trace.decode_symbol_ids"
            )
        names = events_df[texts[0]]
    chosen = names.str.match("|".join(f"(?:{module})" for module in module_list) or r"(?!)")
    of_modules = events_df[events_df["stream"].eq(CPUStreamID) & events_df["num_kernels"].ge(1) & chosen].copy()
    of_modules["ts"] = of_modules["first_kernel_start"].astype("int64")
    of_modules["dur"] = of_modules["kernel_span"].astype("int64")
    of_modules["stream"] = AnnotationStreamID
    kept = events_df["stream"].ne(AnnotationStreamID) if include_original_cpu_events else events_df["stream"].gt(0)
    return pd.concat([events_df[kept], of_modules], ignore_index=True)


def get_fig_title_from_fig_name(fig_name: str, sep: str = r"\s+|_+|-+") -> str:
    """my_figure as My Figure."""
    return " ".join(word.capitalize() for word in re.split(sep, fig_name or "untitled_figure") if word)


def get_fig_name_from_fig_title(title: str) -> str:
    """My Figure as my_figure."""
    return "_".join(word.lower() for word in (title or "Untitled Figure").split())


class Timeline:
    """A timeline of some events.

    Args:
        timeline_events: events, or what prepare_timeline_events made of them.
        symbol_table: what name and cat refer to.
        filter_func: which of them.
        setting: how.
        hover_columns: what is shown of an event.
    """

    def __init__(
        self,
        timeline_events: pd.DataFrame,
        symbol_table: TraceSymbolTable,
        filter_func: Optional[Filter] = None,
        setting: TimelinePlotSetting = DefaultTimelinePlotSetting,
        hover_columns: Optional[List[str]] = None,
    ) -> None:
        self.timeline_events = timeline_events
        self.symbol_table = symbol_table
        self.setting = setting
        self.hover_columns = hover_columns or DefaultHoverColumns
        self.prepare(filter_func)

    @staticmethod
    def is_timeline_events(df: pd.DataFrame, setting: TimelinePlotSetting) -> bool:
        """Whether prepare_timeline_events made them."""
        return {setting.task_column, setting.x_start_column, setting.x_end_column}.issubset(df.columns)

    def prepare(self, filter_func: Optional[Filter] = None) -> None:
        """Filters and prepares events that are not prepared yet."""
        if self.is_timeline_events(self.timeline_events, self.setting):
            return
        events = self.timeline_events
        if filter_func is not None:
            events = filter_func(events, self.symbol_table)
        self.timeline_events = prepare_timeline_events(events, self.setting, self.symbol_table, self.hover_columns)

    def plot(self, title: str, save_path: Optional[str] = None) -> None:
        """Shows it, or saves it."""
        plot_events_timeline(title, self.timeline_events, self.setting, self.hover_columns, output_image_path=save_path)


def __getattr__(name: str) -> Any:
    """px, plotly.express, which HTA imports here. Only at its first use: importing plotly takes a second."""
    if name == "px":
        return express()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _check_timeline_input(events: pd.DataFrame, setting: TimelinePlotSetting) -> bool:
    """Whether there are events with what a plot shows of them; the log says what is missing."""
    needed = [setting.x_start_column, setting.x_end_column, setting.task_column, setting.color_column]
    missing = [name for name in needed if name not in events.columns]
    if events.empty or missing:
        logger.error("there are no events" if events.empty else f"the events have no column {', '.join(missing)}")
        return False
    return True


def _simplify_name(name: str, max_length: int = 45) -> str:
    """A name of at most so many letters, and 20 at least: without parameters, result and what frameworks put in front."""
    max_length = max(20, max_length)
    if not _KEPT_NAME.match(name):
        name = name.replace("(anonymous namespace)::", "anon::")
        name = re.sub(r"^void\s+", "", name).replace("autograd::engine::evaluate_function: ", "autograd::")
        found = _NAME.match(name)
        name = found.group(1) if found else name
    return name if len(name) < max_length else name[: max_length - 3] + "..."


def _set_task_names(events: pd.DataFrame, setting: TimelinePlotSetting) -> pd.Series:
    """The line of each event: its trace and rank, where there are several, and its stream, or its depth on the host."""
    parts: List[pd.Series] = []
    if setting.multi_traces:
        parts.append(_numbered("trace", events["trace"]))
    if setting.multi_ranks:
        parts.append(_numbered("rank", events["rank"]))
    if setting.event_type == EventType.GPUEvents and "stream" in events.columns:
        parts.append(_numbered("gpu stream", events["stream"]))
    elif setting.event_type == EventType.CPUEvents:
        if "tid" in events.columns and not setting.compress_threads:
            parts.append(_numbered("tid", events["tid"]))
        parts.append(_of_host(events))
    else:
        on_device = _numbered("gpu stream", events["stream"]).where(
            events["stream"].ne(AnnotationStreamID), "gpu annotate"
        )
        parts.append(on_device.where(events["stream"].ne(CPUStreamID), _of_host(events)))
    tasks = parts[0]
    for part in parts[1:]:
        tasks = tasks + " " + part
    return tasks


def _of_host(events: pd.DataFrame) -> pd.Series:
    if "depth" in events.columns:
        return _numbered("cpu level", events["depth"])
    return pd.Series("cpu events", index=events.index)


def _numbered(prefix: str, column: pd.Series) -> pd.Series:
    texts = column.str.pad(width=5, side="right") if column.dtype == object else column.astype(str).str.zfill(3)
    return prefix + " " + texts


def _get_sort_columns(events: pd.DataFrame, setting: TimelinePlotSetting) -> List[str]:
    columns = ["trace"] if setting.multi_traces else []
    columns += ["rank"] if setting.multi_ranks else []
    columns += ["tid", "depth"] if setting.event_type == EventType.CPUEvents else ["stream"]
    return [name for name in [*columns, "ts"] if name in events.columns]
