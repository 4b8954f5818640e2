"""What HTA reads from the environment."""

from __future__ import annotations

import os

HTA_DISABLE_CG_DEPTH_ENV = "HTA_DISABLE_CG_DEPTH"
CP_LAUNCH_EDGE_ENV = "CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE"
CP_LAUNCH_EDGE_SHOW_ENV = "CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE"


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") == "1"


def disable_call_graph_depth() -> bool:
    """HTA_DISABLE_CG_DEPTH=1: the older CallGraph adds no column depth."""
    return _is_set(HTA_DISABLE_CG_DEPTH_ENV)


def critical_path_add_zero_weight_launch_edges() -> bool:
    """CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE=1: work comes after its launch also where that does not delay it."""
    return _is_set(CP_LAUNCH_EDGE_ENV)


def critical_path_show_zero_weight_launch_edges() -> bool:
    """CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE=1: an overlaid trace shows those edges, too."""
    return _is_set(CP_LAUNCH_EDGE_SHOW_ENV)
