"""What a map is made of, checked: plain data may come from anywhere."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from truing.errors import DataError, OptionError
from truing.numerics.arrays import FloatArray

__all__ = [
    "as_column",
    "as_number",
    "check_fields",
    "check_increasing",
    "check_probabilities",
    "check_tolerance",
]

LEAST_TOLERANCE = 1e-12


def as_column(values: Any, name: str) -> FloatArray:
    """Return a column of finite numbers that nobody can write to; a copy, if anybody can."""
    try:
        given = np.asarray(values)
    except ValueError as error:
        raise DataError(
            f"{name} of a map is ragged; a list of finite numbers is needed."
        ) from error
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iuf"):
        raise DataError(f"{name} of a map must be a list of finite numbers.")
    column = given.astype(np.float64, copy=not _is_sealed(given))
    if not np.isfinite(column).all():
        at = int(np.isfinite(column).argmin())
        raise DataError(f"{name} of a map: {column[at]} at position {at} is not finite.")
    column.setflags(write=False)
    return column


def _is_sealed(column: Any) -> bool:
    """Whether an array, and what it is a view of, are read-only."""
    owner = column if column.base is None else column.base
    return isinstance(owner, np.ndarray) and not (column.flags.writeable or owner.flags.writeable)


def as_number(value: Any, name: str) -> float:
    """Return one finite number."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, int | float) and not isinstance(number, bool):
        try:
            if np.isfinite(float(number)):
                return float(number)
        except OverflowError:
            pass
    raise DataError(f"{name} of a map is {str(value)[:40]}; a finite number is needed.")


def check_tolerance(tolerance: Any) -> None:
    """Refuse a tolerance that no table could meet."""
    is_number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if not is_number or not LEAST_TOLERANCE <= tolerance < 1.0:
        raise OptionError(
            f"tolerance is {tolerance!r}; it must be a number from {LEAST_TOLERANCE:g} to below 1."
        )


def check_fields(given: Any, names: set[str], what: str) -> None:
    """Refuse plain data that lack a field, or have one that nobody knows."""
    if not isinstance(given, Mapping):
        raise DataError(f"{what} is {type(given).__name__}; a dictionary is needed.")
    missing = sorted(names - set(given))
    unknown = sorted(str(name) for name in set(given) - names)
    if missing or unknown:
        raise DataError(
            f"{what} needs the fields {sorted(names)}; missing are {missing}, unknown {unknown}."
        )


def check_probabilities(values: FloatArray, name: str) -> None:
    """Refuse values of a map outside [0, 1]."""
    _refuse((values < 0.0) | (values > 1.0), values, name, "is outside [0, 1]")


def check_increasing(values: FloatArray, name: str) -> None:
    """Refuse knots or edges that are not strictly increasing."""
    falls = values[1:] <= values[:-1]
    if falls.any():
        reason = "is not above the one before; they must be strictly increasing"
        _refuse(np.append(False, falls), values, name, reason)


def _refuse(bad: Any, values: FloatArray, name: str, reason: str) -> None:
    if bad.any():
        at = int(bad.argmax())
        raise DataError(f"{name} of a map: {values[at]} at position {at} {reason}.")
