"""What HTA reads from the environment."""

from __future__ import annotations

import os


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") == "1"


def critical_path_add_zero_weight_launch_edges() -> bool:
    """CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE=1: work comes after its launch also where that does not delay it."""
    return _is_set("CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE")


def critical_path_show_zero_weight_launch_edges() -> bool:
    """CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE=1: an overlaid trace shows those edges, too."""
    return _is_set("CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE")
