"""Probabilities or scores of many classes: a column for each, in any container."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import BoolArray, FloatArray
from truing.table.door.containers import AnyArray, as_foreign_columns
from truing.table.door.numbers import as_floats
from truing.table.door.refusal import plain, refuse, shown

NEEDED = "a row for each case and a column for each class are needed"
ROUNDING = 1e-3  # by how much rows of printed or half-precision probabilities miss one


def count_columns(values: Any) -> int:
    """Return how many columns a container has; 1 where it has no columns, or is none."""
    shape = getattr(values, "shape", None)
    if shape is not None:
        return int(shape[1]) if len(shape) == 2 and isinstance(shape[1], int | np.integer) else 1
    if not isinstance(values, Sequence) or isinstance(values, str | bytes) or not len(values):
        return 1
    lengths = {_length(row) for row in values}
    return lengths.pop() if len(lengths) == 1 else 1


def as_columns(values: Any, name: str) -> FloatArray:
    """Return numbers in two dimensions as doubles; what is missing becomes NaN.

    Takes whatever `as_floats` takes, by columns: frames, arrays, lists of rows.
    """
    array = _as_two_dimensions(values, name)
    if array.dtype.kind in "fiub":
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(array, dtype=np.float64)
    columns = [as_floats(array[:, k], f"{name}, column {k}") for k in range(array.shape[1])]
    return np.ascontiguousarray(np.column_stack(columns))


def find_missing_rows(
    columns: FloatArray, name: str, missing: str, advice: str
) -> BoolArray | None:
    """Return which rows lack a number, or None if none does; infinite numbers are refused."""
    if not columns.size or (np.isfinite(columns.min()) and np.isfinite(columns.max())):
        return None
    _refuse_cells(np.isinf(columns), columns, name, "is infinite (inf); scores must be finite")
    absent = np.isnan(columns)
    if missing == "error":
        reason = f"is missing (NaN); scores must be numbers. {advice}".rstrip()
        _refuse_cells(absent, columns, name, reason)
    rows: BoolArray = np.asarray(absent.any(axis=1))
    return rows if rows.any() else None


def hold_probabilities(columns: FloatArray) -> bool:
    """Whether all numbers lie in [0, 1] and every row adds up to one within rounding."""
    if not columns.size or not (columns.min() >= 0.0 and columns.max() <= 1.0):
        return False
    return bool((np.abs(columns.sum(axis=1) - 1.0) <= ROUNDING).all())


def check_probability_columns(columns: FloatArray, name: str) -> None:
    """Refuse numbers outside [0, 1], and rows that do not add up to one."""
    if not columns.size:
        return
    outside = (columns < 0.0) | (columns > 1.0)
    _refuse_cells(outside, columns, name, "is outside [0, 1]; probabilities are needed here")
    sums = columns.sum(axis=1)
    off = np.abs(sums - 1.0) > ROUNDING
    refuse(off, sums, f"{name}: the row sum", "is not one; rows must add up to one")


def _refuse_cells(bad: BoolArray, columns: FloatArray, name: str, reason: str) -> None:
    rows = bad.any(axis=1)
    if rows.any():
        column = int(bad[rows.argmax()].argmax())
        refuse(bad[:, column], columns[:, column], f"{name}, column {column}", reason)


def _as_two_dimensions(values: Any, name: str) -> AnyArray:
    array = as_foreign_columns(values, name)
    if array.ndim != 2 or array.shape[1] < 2:
        got = f"has shape {array.shape}" if array.ndim else f"is {shown(plain(values))}"
        raise DataError(f"{name} {got}; {NEEDED}.")
    if array.dtype.kind in "USc":
        first = plain(array[0, 0]) if array.size else ""
        kind = "complex. Complex data not supported" if array.dtype.kind == "c" else "no number"
        raise DataError(f"{name}: {shown(first)} at position 0 is {kind}; numbers are needed.")
    return array


def _length(row: Any) -> int:
    return len(row) if hasattr(row, "__len__") and not isinstance(row, str | bytes) else 1
