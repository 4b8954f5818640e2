"""What a trace file says beside its events, read when somebody looks."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping

from .trace_file import read_trace


class Metadata(Mapping[str, Any]):
    """The keys of a file other than traceEvents, and device_type. Looking at any key but these two reads the file as JSON, once."""

    def __init__(self, path: str, known: Dict[str, Any]) -> None:
        self._path = path
        self._known = known
        self._read: Dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        return self._known[key] if key in self._known else self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> Dict[str, Any]:
        if not self._read:
            content = read_trace(self._path)
            content.pop("traceEvents", None)
            self._read = {**content, **self._known}
        return self._read
