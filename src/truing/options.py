"""Checks of options: what a name stands for, and whether a value is one that is allowed."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from truing.errors import OptionError

__all__ = ["choose", "flag", "number_from", "share", "whole_number", "with_inherited_options"]

SECTIONS = ("Attributes", "Notes", "References", "Examples")  # of a docstring, after its options

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


def with_inherited_options(kind: type) -> str | None:
    """Return the docstring of a class, with a word on each option that only its bases tell of."""
    told = kind.__dict__.get("__doc__")
    owners: dict[str, str] = {}
    for base in reversed(kind.__mro__[1:]):
        for name in base.__dict__.get("__dataclass_fields__", {}):
            owners.setdefault(name, base.__name__)
    untold = {
        name: owner for name, owner in owners.items() if f"\n    {name}\n" not in (told or "")
    }
    if not told or not untold:
        return told
    heads = [told.find(f"\n    {section}\n    ---") for section in SECTIONS]
    end = min([at for at in heads if at >= 0], default=len(told.rstrip()))
    lines = "".join(f"    {name}\n        As in `{owner}`.\n" for name, owner in untold.items())
    has_options = "\n    Parameters\n" in told[:end]
    head = "" if has_options else "\n    Parameters\n    ----------\n"
    return f"{told[:end].rstrip()}\n{head}{lines}{told[end:] or '    '}"
