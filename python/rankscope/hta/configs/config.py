"""The logger that all of rankscope.hta tells, and HtaConfig."""

from __future__ import annotations

import json
import logging
import logging.config
import os
from typing import Any, Dict, List, Optional

from .default_values import DEFAULT_CONFIG_FILENAME


def setup_logger(config_file: str = "") -> logging.Logger:
    """The logger, after a file in the format of logging.config.fileConfig where one is named."""
    if config_file:
        logging.config.fileConfig(config_file, disable_existing_loggers=False)
    return logging.getLogger("hta")


logger: logging.Logger = setup_logger()


def get_value_from_dict(values: Dict[str, Any], dot_path: str, default_value: Any = None) -> Any:
    """The value at "a.b" of a dict of dicts; the default where there is none."""
    found: Any = values
    for key in dot_path.split("."):
        if not isinstance(found, dict) or key not in found:
            return default_value
        found = found[key]
    return found


class HtaConfig:
    """Values of JSON files by paths such as "a.b". What a later file says counts. rankscope.hta itself reads none of them.

    Args:
        config_file_path: a file beside the default ones.
        load_default_paths: whether the default ones are read.
    """

    def __init__(self, config_file_path: Optional[str] = None, load_default_paths: bool = True) -> None:
        paths = self.get_default_paths() if load_default_paths else []
        self.config_file_paths: List[str] = [*paths, *([config_file_path] if config_file_path else [])]
        self.config: Dict[str, Any] = {}
        for path in self.get_config_file_paths():
            with open(path, encoding="utf-8") as file:
                self.config.update(json.load(file))

    @staticmethod
    def get_default_paths() -> List[str]:
        """Where the default files are looked for: beside this module, in ~/.hta and in the working directory."""
        folders = [os.path.dirname(__file__), os.path.expanduser("~/.hta"), os.getcwd()]
        return [os.path.join(folder, DEFAULT_CONFIG_FILENAME) for folder in folders]

    @staticmethod
    def get_test_data_path(test_trace_dir: str) -> str:
        """A folder of HTA's test data, below tests/data in the working directory."""
        return os.path.join(os.getcwd(), "tests", "data", test_trace_dir)

    def get_config_file_paths(self) -> List[str]:
        """The files that can be read."""
        return [path for path in self.config_file_paths if os.path.isfile(path) and os.access(path, os.R_OK)]

    def get_config(self, dot_path: Optional[str] = None, default_value: Any = None) -> Any:
        """The value at a path, or all of them; the default where there is none."""
        return self.config if dot_path is None else get_value_from_dict(self.config, dot_path, default_value)

    def show(self) -> None:
        """Prints all values, as HTA does."""
        print(json.dumps(self.config, indent=4, sort_keys=True))
