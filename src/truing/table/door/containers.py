"""Any container as an array: lists, numpy, and columns or frames of pandas, Polars and PyArrow."""

from collections.abc import Iterable, Mapping, Sized
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from truing.errors import DataError
from truing.table.door.refusal import shown

AnyArray: TypeAlias = npt.NDArray[Any]

NEEDED = "a one-dimensional array is needed"


def as_vector(values: Any, name: str) -> AnyArray:
    """Return any one-dimensional container, or one column, as an array; not a copy if it is one.

    Missing elements stay recognisable, see `is_absent`.
    """
    vector = _as_array(values, name)
    if vector.ndim == 2 and vector.shape[1] == 1:
        return vector[:, 0]
    if vector.ndim == 2 and vector.shape[1] == 2:
        raise DataError(
            f"{name} has two columns; one is needed. Of predict_proba take the column of the "
            "positive class."
        )
    if vector.ndim == 0:
        raise DataError(f"{name} is {shown(values)}; {NEEDED}.")
    if vector.ndim != 1:
        raise DataError(f"{name} has shape {vector.shape}; one dimension or one column is needed.")
    return vector


def as_foreign_columns(values: Any, name: str) -> AnyArray:
    """Return any container as an array of its own shape: frames, tables, arrays, lists of rows."""
    return _as_array(values, name)


def is_absent(value: Any) -> bool:
    """Whether an element of a container stands for nothing: None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - what stands for nothing differs from itself
    except (ArithmeticError, TypeError, ValueError):  # it cannot even be compared
        return False


def _as_array(values: Any, name: str) -> AnyArray:
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ndarray):  # numpy.ma takes a while to load, and only these may need it
        if isinstance(values, np.ma.MaskedArray):
            return _without_mask(values)
        return np.asarray(values)  # a matrix would stay two-dimensional whatever column is taken
    if hasattr(values, "toarray"):
        raise DataError(f"{name} is sparse; a dense one-dimensional array is needed.")
    if isinstance(values, str | bytes | bytearray | Mapping | AbstractSet):
        raise DataError(f"{name} is {shown(values)}; {NEEDED}.")
    if hasattr(values, "__array__"):
        return _from_foreign_array(values, name)
    return _from_sequence(values, name)


def _without_mask(values: Any) -> AnyArray:
    """Return a masked array with NaN, or None, where it is masked."""
    if not np.ma.is_masked(values):
        return np.asarray(values.data)
    if values.dtype.kind == "f":
        return np.asarray(values.filled(np.nan))
    objects: AnyArray = np.asarray(values.data).astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def _from_foreign_array(values: Any, name: str) -> AnyArray:
    import narwhals.stable.v2 as narwhals  # noqa: PLC0415 - only for those who bring frames

    frame = narwhals.from_native(values, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, narwhals.DataFrame) and len(frame.columns) == 1:
        frame = frame[frame.columns[0]]
    try:
        array = np.asarray(frame.to_numpy() if isinstance(frame, narwhals.Series) else values)
    except (RuntimeError, TypeError, ValueError) as error:
        raise DataError(f"{name} cannot become an array: {error}") from error
    return _with_own_strings(array)


def _from_sequence(values: Any, name: str) -> AnyArray:
    if not isinstance(values, list | tuple | range | memoryview):
        if not isinstance(values, Sized) or not isinstance(values, Iterable):
            raise DataError(f"{name} is {shown(values)}; {NEEDED}.")
        values = list(values)
    try:
        array = np.asarray(values)
    except (OverflowError, TypeError, ValueError) as error:
        raise DataError(f"{name} {_tell_ragged(values)}; one dimension is needed.") from error
    # numpy would turn numbers among strings to strings, and bytes too
    return np.array(values, dtype=object) if array.dtype.kind in "US" else array


def _tell_ragged(values: Any) -> str:
    """Return which element is of another length than the first."""
    lengths = [len(v) if isinstance(v, Sized) and not isinstance(v, str) else 0 for v in values]
    differs = [at for at, length in enumerate(lengths) if length != lengths[0]]
    if not differs:
        return "is ragged"
    at = differs[0]
    return (
        f"is ragged: {shown(values[at])} at position {at} is of another length than "
        f"{shown(values[0])} at position 0"
    )


def _with_own_strings(array: AnyArray) -> AnyArray:
    """Return numpy's strings of variable length, whose missing values differ, as objects."""
    return array.astype(object) if array.dtype.kind == "T" else array
