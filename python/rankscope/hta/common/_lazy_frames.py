"""DataFrames of ranks, each made when it is first looked at."""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, MutableMapping

import pandas as pd


class LazyFrames(MutableMapping[int, pd.DataFrame]):
    """A dict from ranks to DataFrames. What was looked at stays the same object, so that it can be changed in place."""

    def __init__(self, ranks: List[int], make: Callable[[int], pd.DataFrame]) -> None:
        self._make = make
        self._ranks = list(ranks)
        self._made: Dict[int, pd.DataFrame] = {}

    def __getitem__(self, rank: int) -> pd.DataFrame:
        if rank not in self._ranks:
            raise KeyError(rank)
        if rank not in self._made:
            self._made[rank] = self._make(rank)
        return self._made[rank]

    def __setitem__(self, rank: int, frame: pd.DataFrame) -> None:
        if rank not in self._ranks:
            self._ranks.append(rank)
        self._made[rank] = frame

    def __delitem__(self, rank: int) -> None:
        self._ranks.remove(rank)
        self._made.pop(rank, None)

    def __iter__(self) -> Iterator[int]:
        return iter(self._ranks)

    def __len__(self) -> int:
        return len(self._ranks)

    def __contains__(self, rank: object) -> bool:
        return rank in self._ranks

    def __repr__(self) -> str:
        return f"<traces of ranks {self._ranks}>"
