"""plotly, where it is installed; where not, one sentence says so and results are returned all the same."""

from __future__ import annotations

from typing import Any, Optional

from .configs.config import logger

_MISSING = "plotly is not installed, so no plot is shown; results are returned all the same"
_told = False


def express() -> Optional[Any]:
    """plotly.express; None without plotly, which is told once."""
    global _told  # pylint: disable=global-statement
    try:
        import plotly.express  # pylint: disable=import-outside-toplevel

        return plotly.express
    except ImportError:
        if not _told:
            logger.warning(_MISSING)
            _told = True
        return None


def graph_objects() -> Optional[Any]:
    """plotly.graph_objects; None without plotly, which is told once."""
    if express() is None:
        return None
    import plotly.graph_objects  # pylint: disable=import-outside-toplevel

    return plotly.graph_objects


def show(figure: Any, renderer: Optional[str] = None) -> None:
    """Shows a figure with a renderer of plotly's, or with the one that it chooses."""
    figure.show(renderer=renderer or None)
