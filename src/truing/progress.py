"""A counter for people who wait: one line on a terminal, nothing anywhere else."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["progress"]

Item = TypeVar("Item")

PATIENCE = 2.0  # seconds before anything is shown
PAUSE = 0.1  # seconds between two counts
CLEAN_LINE = "\r\x1b[K"


def progress(items: Iterable[Item], total: int, label: str) -> Iterator[Item]:
    """Yield the items; if that takes long, count them on the terminal's error stream."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield from items
        return
    due, shown = time.monotonic() + PATIENCE, False
    try:
        for done, item in enumerate(items, start=1):
            if time.monotonic() >= due:
                stream.write(f"{CLEAN_LINE}{label}: {done} of {total}")
                stream.flush()
                due, shown = time.monotonic() + PAUSE, True
            yield item
    finally:
        if shown:
            stream.write(CLEAN_LINE)
            stream.flush()
