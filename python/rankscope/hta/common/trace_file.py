"""Files of traces: which rank each is of, and their JSON."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Tuple

from ..._errors import InvalidArgumentError, NotFoundError
from ..._job import Job
from ..._job import open as open_job
from .._files import open_text
from ..configs.config import logger


def get_trace_files(trace_path: str) -> Dict[int, str]:
    """The file of each rank in a folder. Empty where there is no folder or no trace in it."""
    _, files = create_rank_to_trace_dict_from_dir(trace_path)
    return files


def create_rank_to_trace_dict_from_dir(trace_path: str) -> Tuple[bool, Dict[int, str]]:
    """Whether a folder has traces, and the file of each rank."""
    if not os.path.isdir(trace_path):
        logger.error("there is no folder %s", trace_path)
        return False, {}
    return _files_by_rank([trace_path])


def create_rank_to_trace_dict(trace_files: List[str]) -> Tuple[bool, Dict[int, str]]:
    """Whether some files are traces, and the file of each rank. A text in place of a list is a folder."""
    if isinstance(trace_files, str):
        return create_rank_to_trace_dict_from_dir(trace_files)
    return _files_by_rank(trace_files) if trace_files else (False, {})


def open_traces(paths: List[str]) -> Job:
    """The job of some files and folders: as in HTA all that they hold, whatever run it is of."""
    return open_job(paths, capture="all")


def traces_of(job: Job) -> List[Dict[str, Any]]:
    """The rows of hta.traces with the file of each."""
    # HTA, too, takes the last recording of a rank.
    recordings = sorted((row["capture"], row["rank"], row["file"]) for row in job.table("captures") if row["analysed"])
    files = {rank: file for _, rank, file in recordings}
    return [{**row, "file": files[row["rank"]]} for row in job.table("hta.traces")]


def _files_by_rank(paths: List[str]) -> Tuple[bool, Dict[int, str]]:
    try:
        with open_traces(paths) as job:
            rows = traces_of(job)
    except NotFoundError as error:
        logger.error("%s", error)
        return False, {}
    files = {int(row["rank"]): str(row["file"]) for row in rows}
    for row in rows:
        if not row["rank_is_stated"]:
            logger.warning("the trace file does not have the rank, so %s counts as rank %d", row["file"], row["rank"])
    return bool(files), files


def read_trace(file_path: str) -> Dict[str, Any]:
    """The JSON of a trace, all of it in memory. A file that is a list of events is read as one that has nothing beside them.

    Raises:
        ValueError: the name ends neither in .gz nor in .json.
    """
    check_name(file_path)
    with open_text(file_path) as file:
        content = json.load(file)
    return content if isinstance(content, dict) else {"traceEvents": content}


def write_trace(trace_data: Dict[str, Any], file_path: str) -> None:
    """Writes the JSON of a trace, with gzip where the name ends in .gz. Makes the folder.

    Raises:
        ValueError: the name ends neither in .gz nor in .json.
    """
    check_name(file_path)
    folder = os.path.dirname(file_path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open_text(file_path, "wt") as file:
        file.write(json.dumps(trace_data, indent=None if file_path.endswith(".gz") else 2))


def update_trace_rank(file_path: str, rank: int) -> None:
    """Says in a file which rank it is of."""
    content = read_trace(file_path)
    content.setdefault("distributedInfo", {})["rank"] = rank
    write_trace(content, file_path)


def check_name(file_path: str) -> None:
    """Raises ValueError where the name of a file ends neither in .gz nor in .json."""
    if not file_path.endswith((".gz", ".json")):
        raise InvalidArgumentError(f"the name of a trace file ends in '.gz' or 'json', and not as {file_path}")
