"""Whether a folder can be used."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass
class OperationOutcome:
    """Whether something can be done; if not, why."""

    success: bool
    reason: str


def is_valid_directory(path_to_directory: str, must_be_writable: bool = False) -> OperationOutcome:
    """Whether a folder can be read, and written to where it must be."""
    if not path_to_directory:
        return OperationOutcome(False, "the path of a folder is a non-empty string")
    if not os.path.exists(path_to_directory):
        return OperationOutcome(False, f"{path_to_directory} does not exist")
    if not os.path.isdir(path_to_directory):
        return OperationOutcome(False, f"{path_to_directory} is not a directory")
    if not os.access(path_to_directory, os.R_OK):
        return OperationOutcome(False, f"{path_to_directory} is not readable")
    if must_be_writable and not os.access(path_to_directory, os.W_OK):
        return OperationOutcome(False, f"{path_to_directory} is not writable")
    return OperationOutcome(True, "")
