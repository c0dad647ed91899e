"""How the door says no: what came, where it stands, and what is allowed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truing.errors import DataError
from truing.numerics.arrays import BoolArray

LONGEST = 80  # characters of a value that an error shows


@dataclass(frozen=True)
class ArgumentNames:
    """What the caller calls the arguments, so that errors speak the caller's language."""

    scores: str = "scores"
    labels: str = "labels"
    weights: str = "weights"
    missing_advice: str = 'To leave such rows out, and count them, say missing="drop"'


def refuse(bad: BoolArray, values: npt.NDArray[Any], name: str, reason: str) -> None:
    """Raise an error that names the first bad value and its position, if there is one."""
    if not bad.any():
        return
    first, count = int(bad.argmax()), int(np.count_nonzero(bad))
    more = f" ({count} such values)" if count > 1 else ""
    raise DataError(f"{name}: {shown(values[first])} at position {first} {reason}{more}.")


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse arguments whose lengths differ, and empty ones."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise DataError(f"The lengths differ: {told}.")
    if not all(lengths.values()):
        verb = "are" if len(lengths) > 1 else "is"
        raise DataError(f"{' and '.join(lengths)} {verb} empty; at least one row is needed.")


def shown(value: Any) -> str:
    """Return a value as an error shows it: as Python writes it, but never at length.

    >>> shown(np.float64(0.5)), shown("no"), len(shown(list(range(1000))))
    ('0.5', "'no'", 80)
    """
    try:
        text = repr(plain(value))
    except Exception:  # noqa: BLE001 - the repr of what strangers bring may raise anything
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def plain(value: Any) -> Any:
    """Return a numpy scalar as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
