"""How much memory the columns of a data frame take."""

from __future__ import annotations

import pandas as pd

_MIB = 1024 * 1024


def analyze_memory_usage(df: pd.DataFrame) -> pd.DataFrame:
    """A row for each column: mebibytes with the objects that it refers to, values that are not null, type, and bytes of a value."""
    taken = df.memory_usage(index=False, deep=True)
    return pd.DataFrame(
        {
            "Memory (MB)": taken / _MIB,
            "Count": df.count(),
            "DType": df.dtypes.astype(str),
            "Memory Per Item (B)": taken / max(len(df), 1),
        },
        index=df.columns,
    )
