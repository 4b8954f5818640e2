"""Holistic Trace Analysis's programming interface over rankscope: notebooks go on with one import changed.

    from rankscope.hta.trace_analysis import TraceAnalysis

    analyzer = TraceAnalysis(trace_dir="traces/")
    analyzer.get_temporal_breakdown(visualize=False)

Modules, classes, methods, arguments, defaults and columns are those of HTA 0.6.1, and so are the numbers (docs/hta.md says where they
differ and why). The analyses are the hta.* tables of librankscope; nothing is computed twice. It needs pandas, and plotly where plots
are to be shown. Times are microseconds, as in HTA.
"""

try:
    import pandas as _pandas  # noqa: F401  # pylint: disable=unused-import
except ImportError as error:
    raise ImportError(
        "rankscope.hta needs pandas, which is not installed; rankscope.open(...).table('hta.temporal_breakdown') does without"
    ) from error
