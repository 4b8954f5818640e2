"""What HTA reads from the environment."""

from __future__ import annotations

import os

HTA_DISABLE_NS_ROUNDING_ENV = "HTA_DISABLE_NS_ROUNDING"
HTA_DISABLE_CG_DEPTH_ENV = "HTA_DISABLE_CG_DEPTH"
CP_LAUNCH_EDGE_ENV = "CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE"
CP_LAUNCH_EDGE_SHOW_ENV = "CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE"
CP_STRICT_NEG_WEIGHT_CHECK_ENV = "CRITICAL_PATH_STRICT_NEGATIVE_WEIGHT_CHECKS"


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") == "1"


def disable_ns_rounding() -> bool:
    """HTA_DISABLE_NS_ROUNDING=1: data frames have the times of files with fractions of microseconds as they are."""
    return _is_set(HTA_DISABLE_NS_ROUNDING_ENV)


def disable_call_graph_depth() -> bool:
    """HTA_DISABLE_CG_DEPTH=1: the older CallGraph adds no column depth."""
    return _is_set(HTA_DISABLE_CG_DEPTH_ENV)


def critical_path_add_zero_weight_launch_edges() -> bool:
    """CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE=1: work comes after its launch also where that does not delay it."""
    return _is_set(CP_LAUNCH_EDGE_ENV)


def critical_path_show_zero_weight_launch_edges() -> bool:
    """CRITICAL_PATH_SHOW_ZERO_WEIGHT_LAUNCH_EDGE=1: an overlaid trace shows those edges, too."""
    return _is_set(CP_LAUNCH_EDGE_SHOW_ENV)


def critical_path_strict_negative_weight_check() -> bool:
    """CRITICAL_PATH_STRICT_NEGATIVE_WEIGHT_CHECKS=1: a graph with a weight below -1 has no path; else such a weight counts as 0."""
    return _is_set(CP_STRICT_NEG_WEIGHT_CHECK_ENV)


def get_options() -> str:
    """A line for each option: whether it is on, and what the environment says."""
    options = (
        (disable_ns_rounding, HTA_DISABLE_NS_ROUNDING_ENV),
        (disable_call_graph_depth, HTA_DISABLE_CG_DEPTH_ENV),
        (critical_path_add_zero_weight_launch_edges, CP_LAUNCH_EDGE_ENV),
        (critical_path_show_zero_weight_launch_edges, CP_LAUNCH_EDGE_SHOW_ENV),
        (critical_path_strict_negative_weight_check, CP_STRICT_NEG_WEIGHT_CHECK_ENV),
    )
    lines = [f"{option.__name__}={option()}, {name}={os.environ.get(name, 'unset')}\n" for option, name in options]
    return "".join(lines)
