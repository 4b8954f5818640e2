"""TraceAnalysis: HTA's analyses of a job.

Each method asks a table of the library (hta.* in docs/tables.md, which defines it) and gives its rows HTA's form.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import pandas as pd

from .._errors import InvalidArgumentError
from ._frames import as_floats, by_rank, described
from .analyzers import breakdown_plots
from .analyzers.critical_path_analysis import CPGraph, CriticalPathAnalysis
from .analyzers.cupti_counter_analysis import CuptiCounterAnalysis
from .analyzers.kernel_sequences import frequent_cuda_kernel_sequences
from .analyzers.straggler import STRAGGLER_COLUMNS, find_stragglers_with_late_start_comm_kernels
from .analyzers.queue_series import blocked_on_full_queue, describe_queue_lengths
from .common.constants import CUDA_MAX_LAUNCH_QUEUE_PER_STREAM
from .common.trace import Trace
from .common.trace_symbol_table import decode_symbol_id_to_symbol_name
from .configs.config import logger
from .configs.default_values import DEFAULT_TRACE_DIR

_ATEN_DEFAULT = "::aten"
_DURATION_COLUMNS = ["sum (us)", "max (us)", "min (us)"]


class TimeSeriesTypes(Flag):
    """What generate_trace_with_counters adds."""

    QUEUE_LENGTH = auto()
    MEMCPY_BANDWIDTH = auto()


class TraceAnalysis:
    """The analyses of a job.

    Args:
        trace_files: the file of each rank; all of `trace_dir` unless they are named.
        trace_dir: a folder with a file of each rank.
        include_last_profiler_step: keeps the last profiler step, which may be cut off and is left out where there are several.

    Attributes:
        t: the traces. Analyses read the files: what is changed in the data frames of `t` does not reach them.
    """

    def __init__(
        self,
        trace_files: Optional[Dict[int, str]] = None,
        trace_dir: str = DEFAULT_TRACE_DIR,
        include_last_profiler_step: Optional[bool] = False,
    ) -> None:
        self.t = Trace(trace_files, trace_dir)
        self.t.load_traces(include_last_profiler_step)

    # --- where device time goes

    def get_temporal_breakdown(self, visualize: bool = True) -> pd.DataFrame:
        """Idle, computing and other time of each rank from its first device work to its last, in microseconds and percent.

        A rank without device work has no row.
        """
        frame = self.t.table("hta.temporal_breakdown")
        times = [name for name in frame.columns if name.endswith("(us)")]
        frame = self._durations(frame, times)
        frame = as_floats(frame, [name for name in frame.columns if name.endswith("_pctg")])
        if visualize:
            breakdown_plots.temporal_breakdown(frame)
        return frame

    def get_comm_comp_overlap(self, visualize: bool = True) -> pd.DataFrame:
        """How much of each rank's communication is beside computation, in percent; NaN without communication."""
        frame = as_floats(self.t.table("hta.comm_comp_overlap"), ["comp_comm_overlap_pctg"])
        if visualize:
            breakdown_plots.comm_comp_overlap(frame)
        return frame

    def get_gpu_kernel_breakdown(
        self,
        visualize: bool = True,
        duration_ratio: float = 0.8,
        num_kernels: int = 10,
        include_memory_kernels: bool = True,
        image_renderer: str = "",
    ) -> Tuple[pd.DataFrame, pd.DataFrame]:
        """Time by type of device work over all ranks, and by kernel on each rank.

        Args:
            visualize: shows both.
            duration_ratio: with more than num_kernels kernels of a type, those beyond this quantile of the cumulated sums are "others".
            num_kernels: kernels of a type before "others" begins.
            include_memory_kernels: whether copies and memsets are a type.
            image_renderer: a renderer of plotly's.
        """
        flags: Dict[str, Any] = {"include_memory_kernels": include_memory_kernels}
        types = self.t.table("hta.gpu_kernel_type_breakdown", **flags)
        kernels = self.t.table(
            "hta.gpu_kernel_breakdown", duration_ratio=duration_ratio, num_kernels=num_kernels, **flags
        )
        kernels = as_floats(self._durations(kernels, _DURATION_COLUMNS), ["stddev", "mean (us)"])
        if visualize:
            breakdown_plots.gpu_kernel_breakdown(types, kernels, image_renderer)
        return types, kernels

    def get_gpu_user_annotation_breakdown(
        self,
        use_gpu_annotation: bool = True,
        visualize: bool = True,
        duration_ratio: float = 0.8,
        num_kernels: int = 1000,
        allowlist_patterns: Optional[List[str]] = None,
        image_renderer: Optional[str] = None,
    ) -> Optional[pd.DataFrame]:
        """Time in each annotation on each rank; None without annotations.

        Args:
            use_gpu_annotation: annotations as the profiler projects them on streams, else those of the host.
            visualize: shows it.
            duration_ratio, num_kernels: as in get_gpu_kernel_breakdown.
            allowlist_patterns: names that hold one of these texts are never "others".
            image_renderer: a renderer of plotly's.
        """
        frame = self.t.table(
            "hta.gpu_user_annotation_breakdown",
            use_gpu_annotation=use_gpu_annotation,
            duration_ratio=duration_ratio,
            num_kernels=num_kernels,
            allowlist_patterns=_patterns(allowlist_patterns),
        )
        if frame.empty:
            kind = "gpu_user_annotation" if use_gpu_annotation else "user_annotation"
            logger.warning("the traces have no events of the category %s", kind)
            return None
        frame = as_floats(self._durations(frame, _DURATION_COLUMNS), ["stddev", "mean (us)"])
        if visualize:
            breakdown_plots.user_annotation_breakdown(frame, image_renderer)
        return frame

    def get_gpu_kernels_with_user_annotations(
        self,
        rank: int,
        expand_names: bool = True,
        shortern_names: bool = True,
    ) -> Optional[pd.DataFrame]:
        """The device work of a rank with the shortest annotation that it overlaps; None without annotations of the device.

        Args:
            rank: the rank.
            expand_names: adds the texts s_name, s_cat and s_user_annotation.
            shortern_names: without template arguments and parameters.
        """
        found = self.t.table("hta.gpu_kernels_with_user_annotations", [rank], shorten_names=False)
        if found.empty:
            return None
        frame = self.t.get_trace(rank).loc[found["index"]].copy()
        ids = self.t.symbol_table.sym_index
        frame["user_annotation"] = [ids.get(name, -1) for name in found["s_user_annotation"]]
        if expand_names:
            decode_symbol_id_to_symbol_name(frame, self.t.symbol_table, shortern_names)
        return frame

    def get_idle_time_breakdown(
        self,
        ranks: Optional[List[int]] = None,
        streams: Optional[List[int]] = None,
        visualize: bool = True,
        visualize_pctg: bool = True,
        show_idle_interval_stats: bool = False,
        consecutive_kernel_delay: int = 30,
    ) -> Tuple[pd.DataFrame, Optional[pd.DataFrame]]:
        """What streams waited for while they were idle, and statistics of the gaps.

        Args:
            ranks: rank 0 unless they are named.
            streams: all unless they are named.
            visualize: shows a bar per stream.
            visualize_pctg: in percent of a stream's idle time.
            show_idle_interval_stats: gives the second frame; else it is None.
            consecutive_kernel_delay: a shorter gap, in microseconds, whose work was launched in time is a kernel_wait.
        """
        wanted = self._wanted(ranks)
        options: Dict[str, Any] = {"consecutive_kernel_delay": consecutive_kernel_delay}
        if streams:
            options["streams"] = list(streams)
        frame = as_floats(self.t.table("hta.idle_time_breakdown", wanted, **options), ["idle_time", "idle_time_ratio"])
        frames = [frame[frame["rank"] == rank].reset_index(drop=True) for rank in wanted]
        if visualize:
            for rank, of_rank in zip(wanted, frames):
                breakdown_plots.idle_time_breakdown(of_rank, rank, visualize_pctg)
        stats: Optional[pd.DataFrame] = None
        if show_idle_interval_stats:
            stats = self.t.table("hta.idle_time_interval_stats", wanted, **options).set_index("idle_category")
            stats = as_floats(stats, [name for name in stats.columns if name not in ("rank", "stream")])
        return pd.concat(frames), stats

    # --- launches and queues

    def get_cuda_kernel_launch_stats(
        self,
        ranks: Optional[List[int]] = None,
        runtime_cutoff: int = 50,
        launch_delay_cutoff: int = 100,
        include_memory_events: bool = True,
        visualize: bool = True,
    ) -> Dict[int, pd.DataFrame]:
        """Of every launch its duration, that of its work, and the time between, in microseconds, by rank.

        Args:
            ranks: rank 0 unless they are named.
            runtime_cutoff, launch_delay_cutoff: what the plots show as outliers, in microseconds.
            include_memory_events: whether cudaMemcpyAsync and cudaMemsetAsync count.
            visualize: shows three histograms per rank.
        """
        wanted = self._wanted(ranks)
        frame = self.t.table("hta.cuda_kernel_launch_stats", wanted, include_memory_events=include_memory_events)
        durations = ["cpu_duration", "gpu_duration", "launch_delay"]
        found = by_rank(frame, wanted)
        for rank in wanted:
            found[rank] = self._durations(found[rank], durations, [rank])
            if visualize:
                breakdown_plots.cuda_kernel_launch_stats(rank, found[rank], runtime_cutoff, launch_delay_cutoff)
        return found

    def get_aten_op_kernels_and_delay(
        self,
        ranks: Optional[List[int]] = None,
        sort_by: Optional[List[str]] = None,
    ) -> Dict[int, pd.DataFrame]:
        """By aten op the kernels that it launches, how often just these, and mean delays in microseconds, by rank.

        Args:
            ranks: rank 0 unless they are named.
            sort_by: columns, the largest first; occurrence_count unless they are named.
        """
        wanted = self._wanted(ranks)
        columns = sort_by or ["occurrence_count"]
        found = by_rank(self.t.table("hta.aten_op_kernels_and_delay", wanted), wanted)
        for rank, frame in found.items():
            found[rank] = frame.sort_values(by=columns, ascending=False, ignore_index=True, kind="stable")
        return found

    def get_op_kernels_and_delay(
        self,
        op_name_pattern: Optional[str] = None,
        ranks: Optional[List[int]] = None,
        sort_by: Optional[List[str]] = None,
    ) -> Dict[int, pd.DataFrame]:
        """get_aten_op_kernels_and_delay by the name that later versions of HTA have. Ops are those of aten."""
        if op_name_pattern not in (None, _ATEN_DEFAULT, "aten::"):
            raise InvalidArgumentError(
                f"only ops of aten are looked at, not {op_name_pattern!r}: the table ops has the device work of every op"
            )
        return self.get_aten_op_kernels_and_delay(ranks, sort_by)

    def get_frequent_cuda_kernel_sequences(
        self,
        operator_name: str,
        output_dir: str,
        min_pattern_len: int = 3,
        rank: int = 0,
        top_k: int = 5,
        visualize: bool = False,
        compress_other_kernels: bool = True,
    ) -> pd.DataFrame:
        """Sequences of device work that an op launches again and again; writes a trace that marks the most frequent ones.

        Args:
            operator_name: ops whose names hold this text.
            output_dir: the folder for the trace, overlaid_FILE.
            min_pattern_len: leaves out ops that launch less than this.
            rank: the rank.
            top_k: how many patterns are marked.
            visualize: shows a bar per pattern.
            compress_other_kernels: takes arguments from events that are in no marked pattern.
        """
        return frequent_cuda_kernel_sequences(
            self.t, operator_name, output_dir, min_pattern_len, rank, top_k, visualize, compress_other_kernels
        )

    def get_queue_length_time_series(self, ranks: Optional[List[int]] = None) -> Dict[int, pd.DataFrame]:
        """Work that is launched and has not begun, by stream, at every change; by rank, of those that have such work.

        ts is microseconds from the first of all events; the index is that of the event in the file.
        """
        wanted = self._wanted(ranks)
        return _series(self.t.table("hta.queue_length_time_series", wanted), wanted, index="index")

    def get_queue_length_summary(self, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """Statistics of the queue's length over its changes, by rank and stream; None without any."""
        frame = self.t.table("hta.queue_length_summary", self._wanted(ranks))
        return None if frame.empty else described(frame, ["rank", "stream"], "queue_length")

    def get_queue_length_summary_from_time_series(
        self, queue_length_dict: Dict[int, pd.DataFrame]
    ) -> Optional[pd.DataFrame]:
        """get_queue_length_summary of what get_queue_length_time_series gave."""
        return describe_queue_lengths(queue_length_dict)

    def get_time_spent_blocked_on_full_queue(
        self,
        queue_length_dict: Dict[int, pd.DataFrame],
        max_queue_length: int = CUDA_MAX_LAUNCH_QUEUE_PER_STREAM,
    ) -> Optional[pd.DataFrame]:
        """Microseconds with max_queue_length or more in a queue, and their share of the trace, of what get_queue_length_time_series gave.

        Of several streams of a rank that were full the last one has a row, as in HTA.
        """
        return blocked_on_full_queue(self.t, queue_length_dict, max_queue_length)

    # --- copies

    def get_memory_bw_time_series(self, ranks: Optional[List[int]] = None) -> Dict[int, pd.DataFrame]:
        """GB/s of copies and memsets by their kind, at every change; by rank, of those that have such work."""
        wanted = self._wanted(ranks)
        found = _series(self.t.table("hta.memory_bw_time_series", wanted), wanted)
        for rank, frame in found.items():
            found[rank] = self._durations(frame, ["ts"], [rank])
        return found

    def get_memory_bw_summary(self, ranks: Optional[List[int]] = None) -> Optional[pd.DataFrame]:
        """Statistics of get_memory_bw_time_series above 0, by rank and kind; None without copies and memsets."""
        wanted = self._wanted(ranks)
        frame = self.t.table("hta.memory_bw_summary", wanted)
        if frame.empty and self.t.table("hta.memory_bw_time_series", wanted).empty:
            return None
        return described(frame, ["rank", "name"], "memory_bw_gbps")

    def generate_trace_with_counters(
        self,
        time_series: Optional[TimeSeriesTypes] = None,
        ranks: Optional[List[int]] = None,
        output_suffix: str = "_with_counters",
    ) -> None:
        """Writes each rank's trace with counters of queue lengths and bandwidths beside the rank's file.

        Args:
            time_series: which; both unless they are named.
            ranks: rank 0 unless they are named.
            output_suffix: stands before .json in the new file's name.
        """
        wanted = self._wanted(ranks)
        chosen = time_series or (TimeSeriesTypes.QUEUE_LENGTH | TimeSeriesTypes.MEMCPY_BANDWIDTH)
        suffix = output_suffix or "_with_counters"
        events: Dict[int, List[Dict[str, Any]]] = {}
        if TimeSeriesTypes.QUEUE_LENGTH in chosen:
            for rank, series in self.get_queue_length_time_series(wanted).items():
                named = series.rename(columns={"stream": "id"})
                made = self.t.convert_time_series_to_events(named, "Queue Length", "queue_length")
                events.setdefault(rank, []).extend(made)
        if TimeSeriesTypes.MEMCPY_BANDWIDTH in chosen:
            for rank, series in self.get_memory_bw_time_series(wanted).items():
                made = self.t.convert_time_series_to_events(series, "Memcpy BW", "memory_bw_gbps")
                events.setdefault(rank, []).extend(made)
        for rank, made in events.items():
            content = self.t.get_raw_trace_for_one_rank(rank=rank)
            content["traceEvents"].extend(made)
            output_file = self.t.trace_files[rank].replace(".json", f"{suffix}.json")
            logger.info("writing the trace of rank %d with counters to %s", rank, output_file)
            self.t.write_raw_trace(output_file, content)

    # --- steps and ranks

    def get_profiler_steps(self) -> List[int]:
        """The numbers of the profiler steps that are looked at."""
        frames = [self.t.traces[rank] for rank in self.t.traces]
        ids = {self.t.symbol_table.sym_table[place]: place for place in self.t.symbol_table.get_profiler_step_ids()}
        found = {place for frame in frames for place in frame["name"].unique()}
        return sorted(int(name.split("#")[1]) for name, place in ids.items() if place in found)

    def get_potential_stragglers(
        self,
        profiler_steps: Optional[List[int]] = None,
        num_candidates: int = 2,
        visualize: bool = False,
        straggler_identification_impl: Callable[..., pd.Series] = find_stragglers_with_late_start_comm_kernels,
    ) -> List[int]:
        """The ranks that are most often late for a collective; fewer, or none, where the traces have none.

        Args:
            profiler_steps: all unless they are named.
            num_candidates: how many ranks, at least 1.
            visualize: shows begins by rank and step.
            straggler_identification_impl: a function of (events, symbol table, how many, visualize) that counts by rank.

        Raises:
            ValueError: none of the steps that were named is there.
        """
        most = max(num_candidates, 1)
        there = self.get_profiler_steps()
        steps = there if profiler_steps is None else [step for step in profiler_steps if step in there]
        if not steps and profiler_steps is not None:
            raise InvalidArgumentError(f"none of the steps {profiler_steps} is in the traces, which have {there}")
        if not steps:
            return []
        ranks = list(self.t.traces)
        frames = [self.t.traces[rank] for rank in ranks]
        if straggler_identification_impl is find_stragglers_with_late_start_comm_kernels:
            frames = [frame[STRAGGLER_COLUMNS] for frame in frames]
        events = pd.concat(frames, axis=0, keys=ranks, names=["rank", "idx"]).reset_index()
        chosen = events[events["iteration"].isin(steps)]
        counts = straggler_identification_impl(chosen, self.t.symbol_table, most, visualize)
        stragglers: List[int] = counts.sort_values(ascending=False)[:most].index.tolist()
        return stragglers

    # --- ops and their causes

    def get_cupti_counter_data_with_operators(self, ranks: Optional[List[int]] = None) -> List[pd.DataFrame]:
        """CUPTI's counters of every kernel with the ops around its launch; a frame for each rank that has such counters.

        Args:
            ranks: rank 0 unless they are named.
        """
        return CuptiCounterAnalysis.get_counter_data_with_operators(self.t, self._wanted(ranks))

    def critical_path_analysis(
        self,
        rank: int,
        annotation: str,
        instance_id: Union[Optional[int], Tuple[int, int]],
        data_load_events: Optional[List[str]] = None,
    ) -> Tuple[CPGraph, bool]:
        """The critical path within an annotation, and whether there is one.

        Args:
            rank: the rank.
            annotation: a text that names of annotations hold, such as "ProfilerStep"; empty for the whole trace.
            instance_id: which of them, counted from 0; None the first; (2, 4) from the third to the fifth.
            data_load_events: texts; the time of host events whose names hold one of them is data_loading. The file is read as JSON for it.
        """
        return CriticalPathAnalysis.critical_path_analysis(
            self.t, rank, annotation, instance_id, data_load_events=data_load_events
        )

    def overlay_critical_path_analysis(
        self,
        rank: int,
        critical_path_graph: CPGraph,
        output_dir: str,
        only_show_critical_events: bool = True,
        show_all_edges: bool = False,
    ) -> str:
        """Writes a trace that marks a critical path, and returns its path, overlaid_critical_path_FILE.

        Args:
            rank: the rank.
            critical_path_graph: of critical_path_analysis.
            output_dir: the folder, which is made where it is not there.
            only_show_critical_events: leaves out all but the path's events and annotations.
            show_all_edges: arrows for all edges of the graph, not for those of the path alone.
        """
        return CriticalPathAnalysis.overlay_critical_path_analysis(
            self.t, rank, critical_path_graph, output_dir, only_show_critical_events, show_all_edges
        )

    def _wanted(self, ranks: Optional[List[int]]) -> List[int]:
        """Rank 0 unless ranks are named; the first where there is no rank 0."""
        there = self.t.get_ranks()
        return ranks or ([0] if 0 in there or not there else there[:1])

    def _durations(self, frame: pd.DataFrame, names: List[str], ranks: Optional[List[int]] = None) -> pd.DataFrame:
        """Durations as HTA has them: floats where some record of a file has none."""
        return as_floats(frame, names) if self.t.has_float_durations(ranks) else frame


def analysis_of(t: Trace) -> TraceAnalysis:
    """The analyses of a trace that was loaded already."""
    analysis = TraceAnalysis.__new__(TraceAnalysis)
    analysis.t = t
    return analysis


def _series(frame: pd.DataFrame, ranks: List[int], index: str = "") -> Dict[int, pd.DataFrame]:
    found = {rank: series for rank, series in by_rank(frame, ranks).items() if not series.empty}
    return {rank: series.set_index(index) for rank, series in found.items()} if index else found


def _patterns(patterns: Optional[Union[str, List[str]]]) -> List[str]:
    if isinstance(patterns, str):
        patterns = [patterns]
    for pattern in patterns or []:
        if "," in pattern:
            raise InvalidArgumentError(f"a pattern of allowlist_patterns cannot hold a comma: {pattern!r}")
    return list(patterns or [])
