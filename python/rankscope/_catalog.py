"""What there is: tables with their columns and options, pages of findings."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Dict, List, NamedTuple

from ._library import check, library, take_text
from ._texts import encoded


class TableColumn(NamedTuple):
    """A column of a table as the catalogue has it."""

    name: str
    type: str
    unit: str
    doc: str


class TableOption(NamedTuple):
    """An option of a table, with its default as a text."""

    name: str
    default: str
    doc: str


class TableDefinition(NamedTuple):
    """A table or a view of SQL: what it says and how it is defined."""

    name: str
    subject: str
    topic: str
    summary: str
    definition: str
    example: str
    columns: List[TableColumn]
    options: List[TableOption]


def tables() -> Dict[str, TableDefinition]:
    """All tables and views by name, in the order of `rankscope list`."""
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(library.rankscope_catalog(ctypes.byref(text), ctypes.byref(size)))
    return {one["name"]: _definition_of(one) for one in json.loads(take_text(text, size))["tables"]}


def explain(id: str) -> str:  # pylint: disable=redefined-builtin
    """The page of a finding or of a verdict on recordings, in Markdown: how it shows, why it matters, what to change."""
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(library.rankscope_explain(encoded(id), ctypes.byref(text), ctypes.byref(size)))
    return take_text(text, size)


def _definition_of(raw: Dict[str, Any]) -> TableDefinition:
    return TableDefinition(
        raw["name"],
        raw["subject"],
        raw["topic"],
        raw["summary"],
        raw["definition"],
        raw["example"],
        [TableColumn(one["name"], one["type"], one["unit"], one["doc"]) for one in raw["columns"]],
        [TableOption(one["name"], one["default"], one["doc"]) for one in raw["options"]],
    )
