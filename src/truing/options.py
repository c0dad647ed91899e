"""Checks of options: what a name stands for, and whether a number is one that is allowed."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from truing.errors import OptionError

__all__ = ["choose", "number_from", "whole_number"]

Choice = TypeVar("Choice")
MOST_BINS = 10_000_000


def choose(name: str, value: Any, choices: Mapping[str, Choice]) -> Choice:
    """Return what an option's name stands for."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{name} is {value!r}; it must be one of {list(choices)}.")
    return choices[value]


def number_from(name: str, value: Any, least: float, *, above: bool = False) -> float:
    """Return an option that is a finite number from (or above) the least one allowed."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if (
        not is_number
        or isinstance(value, bool)
        or not least <= value < np.inf
        or (above and value == least)
    ):
        allowed = f"above {least:g}" if above else f"of {least:g} or more"
        raise OptionError(f"{name} is {value!r}; it must be a number {allowed}.")
    return float(value)


def whole_number(name: str, value: Any, also: str = "") -> int:
    """Return an option that is a whole number from 1 to ten million."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if (
        is_number
        and not isinstance(value, bool)
        and 1 <= value <= MOST_BINS
        and value == int(value)
    ):
        return int(value)
    raise OptionError(
        f"{name} is {value!r}; it must be a whole number from 1 to {MOST_BINS}{also}."
    )
