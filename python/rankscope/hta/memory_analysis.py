"""MemoryAnalysis: PyTorch's memory timelines."""

from __future__ import annotations

import json
import os
from typing import List, Tuple

import numpy as np

from ._files import open_text
from ._plots import graph_objects, show

# By the number of a category in the file.
_CATEGORIES = (
    "Parameter",
    "Optimizer state",
    "Input",
    "Temporary",
    "Activation",
    "Gradient",
    "Autograd",
    "Unknown",
)


class MemoryAnalysis:
    """A timeline that torch.profiler's export_memory_timeline wrote as FILE.raw.json.gz.

    rankscope memory FILE --table hta.memory_timeline has the same numbers.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def _process_raw_events(self) -> Tuple[List[int], List[List[int]]]:
        """The times in microseconds, and at each the bytes of every category."""
        with open_text(self.path) as file:
            events = json.load(file)
        times: List[int] = []
        sizes: List[List[int]] = []
        for time, _, size, category in events:
            if not times or time != times[-1]:
                times.append(time)
                sizes.append(list(sizes[-1]) if sizes else [0] * len(_CATEGORIES))
            sizes[-1][category] += size
        # What was there before has a time below 0.
        first = min((time for time in times if time > 0), default=times[0] if times else 0)
        return [first if time < 0 else time for time in times], sizes

    def plot_memory_timeline(self, save_graph: bool = False) -> None:
        """Shows the memory of each category over time, or saves it as images/memory_plot.png."""
        go = graph_objects()
        if go is None:
            return
        times, sizes = self._process_raw_events()
        begins = np.array(times) - min(times, default=0)
        stacked = np.cumsum(np.array(sizes).reshape(len(times), len(_CATEGORIES)), axis=1) / 1024**3
        figure = go.Figure()
        for place, name in enumerate(_CATEGORIES):
            figure.add_trace(go.Scatter(x=begins / 1e6, y=stacked[:, place], mode="lines", fill="tonexty", name=name))
        figure.update_xaxes(title="Time (ms)")
        figure.update_yaxes(title="Memory (GB)")
        figure.update_layout(title_text="Memory timeline", title_x=0.5, width=1200, height=800)
        if save_graph:
            os.makedirs("images", exist_ok=True)
            figure.write_image("images/memory_plot.png")
        else:
            show(figure)
