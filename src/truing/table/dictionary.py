"""A table as plain data and back: every number exactly, every flaw refused by name."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from truing.errors import DataError
from truing.numerics.arrays import FloatArray, IntArray
from truing.table.door import Classes, refuse, shown
from truing.table.grid import Grid, grid_from_dict
from truing.table.parts import Parts

__all__ = ["from_dictionary", "to_dictionary"]

FORMAT = "truing.ScoreTable"
VERSION = 1
FACTS = ("format", "version", "classes", "grid", "left_out")
COUNTS = ("negatives", "positives")
WEIGHTS = (*COUNTS, "rows", "negative_squares", "positive_squares")
WHOLE = 2.0**53  # up to here doubles hold every whole number
LARGEST_SUM = 1e250  # beyond all sums of weights that the door lets in, yet far from infinite
ROUNDING = 1.0 + 1e-9


def to_dictionary(parts: Parts) -> dict[str, Any]:
    """Return plain data that hold a table exactly."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "classes": None if parts.classes is None else [_write(label) for label in parts.classes],
        "grid": None if parts.grid is None else parts.grid.to_dict(),
        "left_out": dict(parts.left_out),
        _name_keys(parts.grid): parts.keys.tolist(),
        **{
            name: column.astype(np.float64).tolist()
            for name, column in zip(WEIGHTS, parts.columns, strict=False)
        },
    }


def from_dictionary(data: Any) -> Parts:
    """Return the table that plain data describe, in parts."""
    _check_format(data)
    grid = grid_from_dict(data.get("grid"))
    names = WEIGHTS if any(name in data for name in WEIGHTS[2:]) else COUNTS
    _check_names(data, {*FACTS, _name_keys(grid), *names})
    keys = _read_scores(data["scores"]) if grid is None else _read_cells(data["cells"], grid)
    columns = [_read_column(data[name], name, len(keys)) for name in names]
    _check_columns(*columns)
    classes = _read_classes(data["classes"], empty=not len(keys))
    return Parts(keys, columns, grid, classes, _read_left_out(data["left_out"]))


def _name_keys(grid: Grid | None) -> str:
    return "scores" if grid is None else "cells"


def _write(label: Any) -> str | float | bool:
    if isinstance(label, bool):
        return label
    if isinstance(label, str):
        return str.__str__(label)  # of an enumeration's member, too, its value
    if isinstance(label, int):
        return int(label)
    if isinstance(label, float):
        return float(label)
    raise DataError(
        f"The class {shown(label)} cannot be written; only strings, numbers and booleans can."
    )


def _check_format(data: Any) -> None:
    if not isinstance(data, Mapping):
        raise DataError(f"The data are {shown(data)}; a dictionary of {FORMAT!r} is needed.")
    kind, version = data.get("format"), data.get("version")
    if (
        not isinstance(kind, str)
        or kind != FORMAT
        or type(version) is not int
        or version != VERSION
    ):
        raise DataError(
            f"This is {shown(kind)} version {shown(version)}; {FORMAT!r} version {VERSION} is "
            "needed."
        )


def _check_names(data: Mapping[str, Any], needed: set[str]) -> None:
    missing = sorted(needed - set(data))
    if missing:
        raise DataError(f"The table has no {missing[0]!r}; {sorted(needed)} are needed.")
    unknown = [name for name in data if name not in needed]
    if unknown:
        raise DataError(f"The table has {shown(unknown[0])}; only {sorted(needed)} are allowed.")


def _read_list(values: Any, name: str, *kinds: type) -> list[Any]:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        raise DataError(f"{name} of a table is {shown(values)}; a list is needed.")
    for position, value in enumerate(values):
        if type(value) not in kinds:
            allowed = " or ".join(kind.__name__ for kind in kinds)
            raise DataError(f"{name}: {shown(value)} at position {position} is no {allowed}.")
    return list(values)


def _read_floats(values: Any, name: str) -> FloatArray:
    try:
        floats = np.array(_read_list(values, name, float, int), dtype=np.float64)
    except OverflowError as error:
        raise DataError(f"{name} of a table holds a number that is too large.") from error
    refuse(~np.isfinite(floats), floats, name, "is not finite")
    return floats + 0.0  # minus zero is zero


def _read_scores(values: Any) -> FloatArray:
    scores = _read_floats(values, "scores")
    _refuse_disorder(scores, "scores")
    return scores


def _read_cells(values: Any, grid: Grid) -> IntArray:
    try:
        cells = np.array(_read_list(values, "cells", int), dtype=np.int64)
    except OverflowError as error:
        raise DataError("cells of a table hold a number that is too large.") from error
    _refuse_disorder(cells, "cells")
    strange = grid.cells(grid.centres(cells)) != cells
    refuse(strange, cells, "cells", f"is no cell of {grid}: no score falls into it")
    return cells


def _refuse_disorder(keys: npt.NDArray[Any], name: str) -> None:
    not_above = np.zeros(len(keys), np.bool_)
    not_above[1:] = keys[1:] <= keys[:-1]
    refuse(not_above, keys, name, "is not above the one before it; they must increase")


def _read_column(values: Any, name: str, length: int) -> FloatArray:
    column = _read_floats(values, name)
    if len(column) != length:
        raise DataError(f"{name} of a table has {len(column)} numbers; {length} are needed.")
    outside = (column < 0.0) | (column > LARGEST_SUM)
    refuse(outside, column, name, f"is outside 0 to {LARGEST_SUM:g}")
    return column


def _check_columns(negatives: FloatArray, positives: FloatArray, *spread: FloatArray) -> None:
    nothing = negatives + positives == 0.0
    refuse(nothing, negatives, "negatives", "comes with as few positives; some must weigh")
    if not spread:
        _refuse_fractions(negatives, "negatives")
        _refuse_fractions(positives, "positives")
        return
    rows, negative_squares, positive_squares = spread
    _refuse_fractions(rows, "rows")
    refuse(rows < 1.0, rows, "rows", "is below 1")
    _refuse_large_squares(negative_squares, negatives, "negative")
    _refuse_large_squares(positive_squares, positives, "positive")


def _refuse_large_squares(squares: FloatArray, weights: FloatArray, kind: str) -> None:
    with np.errstate(over="ignore"):
        above = squares > weights * weights * ROUNDING
    refuse(above, squares, f"{kind}_squares", f"is above the square of the weight in {kind}s")


def _refuse_fractions(column: npt.NDArray[Any], name: str) -> None:
    not_whole = (column != np.floor(column)) | (column > WHOLE)
    refuse(not_whole, column, name, "is no count; whole numbers up to 2^53 are needed")


def _read_classes(classes: Any, *, empty: bool) -> Classes | None:
    if classes is None and empty:
        return None
    if not isinstance(classes, list | tuple) or len(classes) != 2:
        raise DataError(f"classes of a table are {shown(classes)}; two labels are needed.")
    for label in classes:
        infinite = type(label) is float and not math.isfinite(label)
        if infinite or type(label) not in (str, bool, int, float):
            raise DataError(f"classes: {shown(label)} is no string, finite number or boolean.")
    negative, positive = classes
    if negative == positive:
        raise DataError(f"classes are {shown(classes)}; two different labels are needed.")
    return negative, positive


def _read_left_out(left_out: Any) -> dict[str, int]:
    if not isinstance(left_out, Mapping):
        raise DataError(f"left_out of a table is {shown(left_out)}; a dictionary is needed.")
    for reason, count in left_out.items():
        if not isinstance(reason, str) or type(count) is not int or count < 1:
            raise DataError(
                f"left_out: {shown(reason)} is {shown(count)}; names and counts of 1 or more are "
                "needed."
            )
    return dict(left_out)
