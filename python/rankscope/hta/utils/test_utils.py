"""What HTA's own tests import."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Iterable


def get_test_data_dir(*folders: str) -> str:
    """A folder of HTA's test data: below tests/data in the folder TEST_DATA_PREFIX_PATH of the environment, or in the working directory.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    path = os.path.join(os.environ.get("TEST_DATA_PREFIX_PATH") or os.getcwd(), "tests", "data", *folders)
    if not os.path.isdir(path):
        raise FileNotFoundError(f"there is no folder {path}")
    return path


def data_provider(
    data_function: Callable[[], Iterable[Any]],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Calls a test once for each item: a dict are arguments by name, a tuple arguments by place, all else the one argument."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> None:
            for item in data_function():
                if isinstance(item, dict):
                    test(*args, **{**kwargs, **item})
                else:
                    test(*args, *(item if isinstance(item, tuple) else (item,)), **kwargs)

        return run

    return decorate
