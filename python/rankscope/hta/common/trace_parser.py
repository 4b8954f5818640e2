"""Files as data frames, and the name of a reader of JSON, which is taken and not used."""

from __future__ import annotations

import gzip
import json
from typing import IO, Any, Dict, cast

import numpy as np
import pandas as pd

from ..configs.parser_config import ParserBackend
from .trace import parse_trace_dataframe, parse_trace_dict

__all__ = [
    "ParserBackend",
    "get_default_trace_parsing_backend",
    "parse_metadata_ijson",
    "parse_trace_dataframe",
    "parse_trace_dict",
    "round_down_time_stamps",
    "set_default_trace_parsing_backend",
]

_backend = ParserBackend.JSON


def set_default_trace_parsing_backend(parser_backend: ParserBackend) -> None:
    """Taken, and not used: the library has one reader."""
    global _backend  # pylint: disable=global-statement
    _backend = parser_backend


def get_default_trace_parsing_backend() -> ParserBackend:
    """What set_default_trace_parsing_backend was given; JSON before."""
    return _backend


def round_down_time_stamps(df: pd.DataFrame) -> None:
    """Whole microseconds as HTA makes them, in place, of a frame whose begins are floats: begins are rounded up and ends down."""
    if df["ts"].dtype.kind != "f":
        return
    ends = np.floor(df["ts"] + df["dur"])
    df["ts"] = np.ceil(df["ts"]).astype("int64")
    df["dur"] = ends - df["ts"]


def parse_metadata_ijson(fh: IO[bytes]) -> Dict[str, Any]:
    """What an open trace file says beside its events. The library knows it without (Trace.meta_data)."""
    return {key: value for key, value in json.load(fh).items() if key != "traceEvents"}


def _open_trace_file(trace_file_path: str) -> IO[bytes]:
    if trace_file_path.endswith(".gz"):
        return cast(IO[bytes], gzip.open(trace_file_path, "rb"))
    return open(trace_file_path, "rb")


def _auto_detect_parser_backend() -> ParserBackend:
    return ParserBackend.JSON
