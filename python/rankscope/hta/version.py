"""The version of HTA whose interface and numbers this is."""

from __future__ import annotations

__version_tuple__ = (0, 6, 1)
