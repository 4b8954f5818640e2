"""Trace: the traces of a job's ranks."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Dict, List, Mapping, MutableMapping, Optional, Tuple, Union

import pandas as pd

from ..._errors import InvalidArgumentError, NotFoundError
from ..._job import Job
from ..configs import env_options
from ..configs.config import logger
from ..configs.default_values import DEFAULT_TRACE_DIR
from ..configs.parser_config import ParserConfig
from ..utils.utils import normalize_path
from ._arguments import with_arguments
from ._events import counters_of, events_frame, exact_times, file_times
from ._lazy_frames import LazyFrames
from ._metadata import Metadata
from ._tables import RankTables, tables_of_files, tables_of_paths
from .trace_file import check_name, read_trace, write_trace
from .trace_links import add_fwd_bwd_links, add_iteration, transform_correlation_to_index
from .trace_symbol_table import TraceSymbolTable, decode_symbol_id_to_symbol_name, texts_of_ids

PHASE_COUNTER = "C"
PHASE_FLOW_START = "s"
PHASE_FLOW_END = "f"

__all__ = [
    "PHASE_COUNTER",
    "PHASE_FLOW_END",
    "PHASE_FLOW_START",
    "Trace",
    "TraceSymbolTable",
    "add_fwd_bwd_links",
    "add_iteration",
    "get_cpu_gpu_correlation",
    "parse_trace_dataframe",
    "parse_trace_dict",
    "parse_trace_file",
    "trace_event_timestamp_to_unixtime_ns",
    "transform_correlation_to_index",
]


def parse_trace_dict(trace_file_path: str) -> Dict[str, Any]:
    """The JSON of a trace file, all of it in memory."""
    return read_trace(trace_file_path)


def parse_trace_dataframe(
    trace_file_path: str, cfg: Optional[ParserConfig] = None
) -> Tuple[Dict[str, Any], pd.DataFrame, TraceSymbolTable]:
    """parse_trace_file of a file whatever its name. The frame has the columns index_correlation, iteration and end already."""
    trace = Trace({0: os.path.abspath(trace_file_path)}, parser_config=cfg)
    trace.parse_traces()
    return dict(trace.meta_data[0]), trace.get_trace(0), trace.symbol_table


def parse_trace_file(
    trace_file_path: str, cfg: Optional[ParserConfig] = None
) -> Tuple[Dict[str, Any], pd.DataFrame, TraceSymbolTable]:
    """What a file says beside its events, its events with times as it has them, and their symbols.

    Args:
        trace_file_path: the file, whatever rank it is of.
        cfg: which arguments of events become columns; the default configuration unless it is given.

    Raises:
        ValueError: the name ends neither in .gz nor in .json, or there is no such file.
    """
    check_name(trace_file_path)
    return parse_trace_dataframe(trace_file_path, cfg)


def trace_event_timestamp_to_unixtime_ns(trace_event_ts_us: float, trace_metadata: Mapping[str, Any]) -> int:
    """Unix time in nanoseconds of a time in a file, in microseconds.

    Raises:
        KeyError: the file has no baseTimeNanoseconds.
    """
    if "baseTimeNanoseconds" not in trace_metadata:
        raise KeyError("the trace has no baseTimeNanoseconds, so Unix time is unknown")
    return int(trace_event_ts_us * 1000) + int(trace_metadata["baseTimeNanoseconds"])


def get_cpu_gpu_correlation(df: pd.DataFrame) -> pd.DataFrame:
    """The event of each piece of device work, gpu_index, and of its launch, cpu_index."""
    work = df[df["stream"].gt(0) & df["index_correlation"].gt(0)]
    pairs = work[["index", "index_correlation"]].reset_index(drop=True)
    return pairs.rename(columns={"index": "gpu_index", "index_correlation": "cpu_index"})


_KINDS_OF_FILES = "trace_files is a dict from ranks to files or a list of files"


class MissingFileError(NotFoundError, ValueError):
    """A file that was named is not there, for which HTA raises a ValueError."""


class Trace:
    """The traces of a job: a data frame of each rank, made when it is first looked at, and the symbols of all.

    Args:
        trace_files: files by rank, or files whose ranks are found in them; relative ones are of `trace_dir`.
        trace_dir: a folder with a file of each rank.
        parser_config: which arguments of events become columns; the default configuration unless it is given.

    As in HTA, trace_files of any other type are an error of the log, and the object has neither files nor traces.

    Raises:
        rankscope.NotFoundError: there is no such file or folder, or no trace in it.

    Attributes:
        trace_files: the file of each rank.
        traces: the data frame of each rank; empty before they are parsed.
        symbol_table: the symbols of all ranks.
        meta_data: what each file says beside its events.
        min_ts: what was taken from every begin, in microseconds; 0 before ranks are aligned.
        is_parsed: whether there are data frames.
    """

    def __init__(
        self,
        trace_files: Optional[Union[List[str], Dict[int, str]]] = None,
        trace_dir: str = DEFAULT_TRACE_DIR,
        parser_config: Optional[ParserConfig] = None,
    ) -> None:
        self.is_parsed = False
        self.trace_path = normalize_path(trace_dir)
        if trace_files is not None and not isinstance(trace_files, (dict, list, tuple)):
            logger.error("%s, not %r", _KINDS_OF_FILES, trace_files)
            return
        self.parser_config = parser_config or ParserConfig.get_default_cfg()
        self.traces: MutableMapping[int, pd.DataFrame] = {}
        self._symbols: Optional[TraceSymbolTable] = None
        self.min_ts: float = 0
        self.trace_files: Dict[int, str]
        self._tables: RankTables
        if isinstance(trace_files, dict):
            self.trace_files = {rank: self._full(path) for rank, path in trace_files.items()}
            self._tables = tables_of_files(self.trace_files)
        else:
            paths = [self.trace_path] if trace_files is None else [self._full(path) for path in trace_files]
            self._tables = tables_of_paths(paths)
            self.trace_files = {rank: str(row["file"]) for rank, row in self._tables.rows.items()}
        self._rows = self._tables.rows
        self.job: Job = self._tables.job
        self.meta_data: Dict[int, Metadata] = {
            rank: Metadata(self.trace_files[rank], _known(row)) for rank, row in self._rows.items()
        }

    @property
    def symbol_table(self) -> TraceSymbolTable:
        """The symbols of all ranks, read when they are first looked at."""
        if self._symbols is None:
            self._symbols = TraceSymbolTable()
            if self.traces:
                self._symbols.add_symbols(self._tables.symbols(list(self.traces)))
        return self._symbols

    @symbol_table.setter
    def symbol_table(self, symbols: TraceSymbolTable) -> None:
        self._symbols = symbols

    # --- loading

    def load_traces(
        self,
        include_last_profiler_step: Optional[bool] = False,
        use_multiprocessing: bool = True,
        use_memory_profiling: bool = True,
    ) -> None:
        """Parses, aligns and filters. The library reads files with all cores; the last two arguments change nothing."""
        del use_multiprocessing, use_memory_profiling
        if self.is_parsed:
            logger.warning("the traces are loaded already")
            return
        self.align_and_filter_trace(include_last_profiler_step)
        self.is_parsed = True

    def parse_traces(
        self,
        max_ranks: int = -1,
        use_multiprocessing: bool = True,
        use_memory_profiling: bool = True,
    ) -> None:
        """Data frames of all events, with times as the files have them. `max_ranks` is how many ranks; -1 all."""
        del use_multiprocessing, use_memory_profiling
        self._check_files()
        ranks = [rank for rank in self._tables.ranks if rank in self.trace_files] if self._has_tables else []
        self._parse(ranks if max_ranks < 0 else ranks[:max_ranks])

    def parse_single_rank(self, rank: int) -> None:
        """parse_traces of one rank, beside those that were parsed before."""
        if rank in self.trace_files:
            self._parse(sorted({*self.traces, rank}))

    def parse_multiple_ranks(
        self, ranks: List[int], use_multiprocessing: bool = True, use_memory_profiling: bool = True
    ) -> None:
        """parse_traces of some ranks."""
        del use_multiprocessing, use_memory_profiling
        self._parse(ranks)

    def align_and_filter_trace(self, include_last_profiler_step: Optional[bool] = False) -> None:
        """Begins from the first of all events, and without the last profiler step unless it is wanted (hta.events)."""
        self._check_files()
        if not self._has_tables:
            # Frames that the caller made.
            self._align_all_ranks()
            return
        self._tables.include_last_profiler_step = bool(include_last_profiler_step)
        ranks = list(self.traces) or self._tables.ranks
        self.min_ts = self._first_ts()
        self._make_frames(ranks, is_filtered=True)

    def decode_symbol_ids(self, use_shorten_name: bool = True) -> None:
        """Adds s_name and s_cat, the texts of name and cat, to the data frame of each rank."""
        for rank in self.traces:
            decode_symbol_id_to_symbol_name(self.traces[rank], self.symbol_table, use_shorten_name)

    # --- what there is

    def get_ranks(self) -> List[int]:
        """The ranks in rising order."""
        return sorted(self.traces)

    def get_iterations(self, rank: Optional[int] = None) -> List[int]:
        """The profiler steps of a rank, of the first rank unless one is named; none of a rank that is not there."""
        chosen = self._get_first_rank(rank)
        if chosen not in self.traces or "iteration" not in self.traces[chosen].columns:
            return []
        numbers = self.traces[chosen]["iteration"].dropna().unique()
        return sorted(int(number) for number in numbers if number >= 0)

    def get_trace_duration(self, rank: Optional[int] = None) -> int:
        """Microseconds from the first begin to the last one of a rank, of the first rank unless one is named."""
        begins = self.get_trace(self._get_first_rank(rank))["ts"]
        return int(begins.max() - begins.min()) if len(begins) else 0

    def get_trace(self, rank: int) -> pd.DataFrame:
        """The data frame of a rank.

        Raises:
            ValueError: there is no such rank.
        """
        if rank not in self.traces:
            raise InvalidArgumentError(f"there is no trace of rank {rank}: there are ranks {self.get_ranks()}")
        return self.traces[rank]

    def get_all_traces(self) -> MutableMapping[int, pd.DataFrame]:
        """The data frame of each rank."""
        return self.traces

    def get_device_type(self) -> str:
        """The vendor of the first rank's device: NVIDIA GPU, AMD GPU, MTIA or UNKNOWN GPU."""
        for metadata in self.meta_data.values():
            return str(metadata["device_type"])
        return "UNKNOWN"

    def get_trace_df(self, rank: int) -> pd.DataFrame:
        """get_trace."""
        return self.get_trace(rank)

    def get_sym_table(self) -> List[str]:
        """The texts of the symbol table."""
        return self.symbol_table.sym_table

    def get_trace_start_unixtime_ns(self, rank: int) -> int:
        """Unix time of the first event of all ranks in nanoseconds, by a rank's base time.

        Raises:
            ValueError: there is no such rank.
            KeyError: the rank's file has no baseTimeNanoseconds.
        """
        if rank not in self.traces:
            raise InvalidArgumentError(f"No trace found of rank {rank}: there are ranks {self.get_ranks()}")
        return trace_event_timestamp_to_unixtime_ns(self.min_ts, self.meta_data[rank])

    # --- raw traces

    def get_raw_trace_for_one_rank(self, rank: int = 0) -> Dict[str, Any]:
        """The JSON of a rank's file.

        Raises:
            ValueError: there is no such rank.
        """
        if rank not in self.trace_files:
            raise InvalidArgumentError(f"there is no trace of rank {rank}: there are ranks {sorted(self.trace_files)}")
        return parse_trace_dict(self.trace_files[rank])

    def write_raw_trace(self, output_file: str, trace_contents: Dict[str, Any]) -> None:
        """Writes JSON, with gzip where the name ends in .gz."""
        write_trace(trace_contents, output_file)

    def convert_time_series_to_events(
        self, series: pd.DataFrame, counter_name: str, counter_col: str
    ) -> List[Dict[str, Any]]:
        """Counter events of Chrome's trace format, one for each row, with times as in the files.

        Args:
            series: ts, pid and the counter's column; name and id where there are several series.
            counter_name: how the counter is called.
            counter_col: the column of its values.
        """
        needed = ["pid", "ts", counter_col]
        if not set(needed).issubset(series.columns):
            logger.warning("a time series needs the columns %s and has %s", needed, list(series.columns))
            return []
        events = series[needed].rename(columns={counter_col: "args"})
        events["ph"] = PHASE_COUNTER
        events["name"] = series["name"] if "name" in series.columns else counter_name
        if "id" in series.columns:
            events["id"] = series["id"]
        events["ts"] += self.min_ts
        events["args"] = [{counter_name: value} for value in events["args"]]
        records: List[Dict[str, Any]] = events.to_dict("records")
        return records

    @staticmethod
    def flow_event(  # pylint: disable=redefined-builtin,too-many-arguments
        id: int,
        pid: int,
        tid: int,
        ts: int,
        is_start: bool,
        name: str,
        cat: str,
        args: Optional[Dict[str, Any]] = None,
    ) -> Dict[str, Any]:
        """One end of an arrow in Chrome's trace format."""
        event: Dict[str, Any] = {
            "ph": PHASE_FLOW_START if is_start else PHASE_FLOW_END,
            "id": id,
            "pid": pid,
            "tid": tid,
            "ts": ts,
            "cat": cat,
            "name": name,
        }
        if args is not None:
            event["args"] = args
        if not is_start:
            event["bp"] = "e"
        return event

    # --- for rankscope.hta itself

    def table(self, name: str, ranks: Optional[List[int]] = None, **options: Any) -> pd.DataFrame:
        """A table of the library with the ranks as they are called here; all ranks unless some are named.

        Raises:
            ValueError: there is no such rank.
        """
        return self._tables.frame(name, ranks, **options)

    def has_float_durations(self, ranks: Optional[List[int]] = None) -> bool:
        """Whether HTA's durations of one of these ranks are floats."""
        wanted = self._tables.ranks if ranks is None else ranks
        return any(not self._rows[rank]["all_have_durations"] for rank in wanted)

    def edited(self, rank: int, edit: Callable[[List[Dict[str, Any]]], None], folder: str) -> "Trace":
        """A trace of this rank alone, whose events are changed by a function of its traceEvents.

        Args:
            rank: the rank.
            edit: changes events in place, and neither adds nor removes any.
            folder: an empty folder for the file, which the tables of the new trace read.
        """
        content = self.get_raw_trace_for_one_rank(rank)
        edit(content["traceEvents"])
        path = os.path.join(folder, "edited.json")
        write_trace(content, path)
        changed = Trace({rank: path})
        changed._tables.include_last_profiler_step = self._tables.include_last_profiler_step
        return changed

    @property
    def first_ts(self) -> int:
        """What the tables take from begins, in whole microseconds."""
        return self._tables.first_ts

    # --- by HTA's names

    def _get_first_rank(self, rank: Optional[int] = None) -> int:
        """The rank itself; without one the first, -1 without ranks."""
        if rank is not None:
            return rank
        ranks = self.get_ranks()
        return ranks[0] if ranks else -1

    def _normalize_trace_filenames(self) -> None:
        """Makes relative names of trace_files names in trace_path.

        Raises:
            ValueError: trace_files is no dict.
        """
        if not isinstance(self.trace_files, dict):
            raise InvalidArgumentError(
                f"Expected trace_files to be a dict from ranks to files, and it is {self.trace_files!r}"
            )
        self.trace_files = {rank: self._joined(path) for rank, path in self.trace_files.items()}

    def _validate_trace_files(self) -> bool:
        """Whether all files are there, with a name of a trace; the log says what is not."""
        for rank, path in self.trace_files.items():
            if not os.path.exists(path):
                logger.error("there is no trace file %s of rank %d", path, rank)
                return False
            if not path.endswith((".gz", ".json")):
                logger.error("the name of a trace file ends in .gz or .json, and that of rank %d is %s", rank, path)
                return False
        return True

    def _align_all_ranks(self) -> None:
        """Takes the first begin of all data frames from every begin, in place."""
        firsts = [frame["ts"].min() for frame in self.traces.values() if len(frame)]
        if not firsts:
            return
        self.min_ts = min(firsts)
        for frame in self.traces.values():
            frame["ts"] -= self.min_ts

    def _filter_irrelevant_gpu_kernels(self, include_last_profiler_step: Optional[bool] = False) -> None:
        """Leaves the events of hta.events in the data frames: those before the last of several profiler steps."""
        if len(self.symbol_table.get_profiler_step_ids()) < 2:
            return
        before = self._tables.include_last_profiler_step
        self._tables.include_last_profiler_step = bool(include_last_profiler_step)
        for rank in list(self.traces):
            kept = self._tables.of_rank("hta.events", rank, filter=True)[0].column("index")
            frame = self.traces[rank]
            # In the order of HTA's filter, which is not that of the file.
            self.traces[rank] = frame.loc[[index for index in kept if index in frame.index]]
        self._tables.include_last_profiler_step = before

    def _fix_mtia_memory_kernels(self, trace_df: pd.DataFrame) -> None:
        """Nothing: what copies of MTIA moved is known from the start."""
        del trace_df
        warnings.warn("bytes of MTIA's copies are in the data frame already", DeprecationWarning, stacklevel=2)

    # --- inside

    @property
    def _has_tables(self) -> bool:
        """Whether there are files behind this object, which one made by Trace.__new__ lacks."""
        return "_tables" in self.__dict__

    def _check_files(self) -> None:
        if not self._has_tables and "traces" not in self.__dict__ and "trace_files" not in self.__dict__:
            raise InvalidArgumentError(_KINDS_OF_FILES)

    def _first_ts(self) -> float:
        """The begin of the first event of all ranks, as the files count them."""
        if not env_options.disable_ns_rounding():
            return self._tables.first_ts
        firsts = []
        for rank in self._tables.ranks:
            places = self._tables.of_rank("hta.events", rank, filter=False)[0].column("index")
            events = self.get_raw_trace_for_one_rank(rank)["traceEvents"]
            firsts.append(min((events[place]["ts"] for place in places), default=self._tables.first_ts))
        return min(firsts, default=0)

    def _parse(self, ranks: List[int]) -> None:
        self.min_ts = 0
        if not ranks:
            logger.error("there are no ranks to parse")
            self.traces = {}
            self.is_parsed = False
            return
        # Tables of what is parsed are of all steps, as the frames are.
        self._tables.include_last_profiler_step = True
        self._make_frames(ranks, is_filtered=False)
        self.is_parsed = True

    def _make_frames(self, ranks: List[int], is_filtered: bool) -> None:
        is_rounded = not env_options.disable_ns_rounding()

        def make(rank: int) -> pd.DataFrame:
            table, shift = self._tables.of_rank("hta.events", rank, filter=is_filtered)
            floats = self.has_float_durations([rank])
            frame = events_frame(table, self.symbol_table, floats, self._counters(rank))
            frame = with_arguments(frame, self.parser_config, self.trace_files[rank])
            if not is_filtered:
                frame = file_times(frame)
            else:
                frame["ts"] += shift
            if is_rounded:
                return frame
            events = self.get_raw_trace_for_one_rank(rank)["traceEvents"]
            return exact_times(frame, events, self.min_ts if is_filtered else 0)

        self.traces = LazyFrames(ranks, make)
        self._symbols = None

    def _counters(self, rank: int) -> Optional[pd.DataFrame]:
        if "cuda_profiler_range" not in self.symbol_table.sym_index:
            return None
        return counters_of(self._tables.of_rank("hta.cupti_counters", rank)[0])

    def _full(self, path: str) -> str:
        full = self._joined(path)
        if not os.path.exists(full):
            raise MissingFileError(f"validation failed: there is no trace file {full}")
        return full

    def _joined(self, path: str) -> str:
        full = normalize_path(path)
        if not os.path.isabs(full) and not full.startswith(self.trace_path or "/"):
            full = os.path.join(self.trace_path, full)
        return full


def names_of(trace: Trace, frame: pd.DataFrame) -> pd.Series:
    """The names of a frame's events."""
    return texts_of_ids(frame["name"], trace.symbol_table.sym_table)


def _known(row: Dict[str, Any]) -> Dict[str, Any]:
    known = {"device_type": row["device_type"]}
    if row["base_ns"] is not None:
        known["baseTimeNanoseconds"] = row["base_ns"]
    return known
