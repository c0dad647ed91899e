"""Checks of options: what a name stands for, and whether a value is one that is allowed."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from truing.errors import OptionError

__all__ = ["choose", "flag", "number_from", "share", "whole_number"]

Choice = TypeVar("Choice")
MOST_BINS = 10_000_000
BEYOND_DOUBLES = 1 << 1000  # such whole numbers are too long to be shown, too


def choose(name: str, value: Any, choices: Mapping[str, Choice], also: str = "") -> Choice:
    """Return what an option's name stands for."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{name} is {value!r}; it must be one of {list(choices)}{also}.")
    return choices[value]


def flag(name: str, value: Any) -> bool:
    """Return an option that is true or false."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} is {value!r}; it must be True or False.")
    return bool(value)


def number_from(name: str, value: Any, least: float, *, above: bool = False) -> float:
    """Return an option that is a finite number from (or above) the least one allowed."""
    if not _is_number(value) or not least <= value < np.inf or (above and value == least):
        allowed = f"above {least:g}" if above else f"of {least:g} or more"
        raise OptionError(f"{name} is {value!r}; it must be a number {allowed}.")
    return float(value)


def share(name: str, value: Any, *, ends: bool = False) -> float:
    """Return an option that is a number between 0 and 1, or one of these ends where they may be."""
    if not _is_number(value) or not 0.0 <= value <= 1.0 or (not ends and value in (0.0, 1.0)):
        allowed = "from 0 to 1" if ends else "above 0 and below 1"
        raise OptionError(f"{name} is {value!r}; it must be a number {allowed}.")
    return float(value)


def whole_number(
    name: str, value: Any, also: str = "", *, least: int = 1, most: int = MOST_BINS
) -> int:
    """Return an option that is a whole number, from 1 to ten million unless it is said."""
    if not _is_number(value) or not least <= value <= most or value != int(value):
        raise OptionError(
            f"{name} is {value!r}; it must be a whole number from {least} to {most}{also}."
        )
    return int(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < BEYOND_DOUBLES
    return isinstance(value, np.integer | np.floating | float)
