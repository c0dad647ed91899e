"""The hall of the house: every case, pooled by score."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.pooling import count_cells, pool_scores, sum_by_key
from truing.table import door
from truing.table.grid import Grid, GridLike, LogOddsGrid, as_grid, grid_from_dict

CHUNK = 1 << 16  # rows whose cells are found at a time, within the cache


@dataclass(frozen=True, eq=False)
class Spread:
    """What weighted error bars need beside the weights: rows and squared weights at every score."""

    rows: FloatArray
    squares: FloatArray
    positive_squares: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable:
    """The distinct scores in order, and at each the weight of all cases and of the positives.

    Everything about calibrating a one-dimensional score is a function of this table: the order of
    rows carries nothing, and a row of weight 3 is three rows. Tables add up, with
    ``ScoreTable.empty()`` as zero, so that chunks, files, folds and months are all the same thing.
    Make one with `from_arrays`.

    Exact by default. On a grid (``grid="log-odds"`` for probabilities, ``"relative"`` for margins)
    its size is bounded whatever the data, and a score is read as the centre of its cell.

    Attributes
    ----------
    scores
        The distinct scores, increasing.
    weights, positives, negatives
        The weight of all, of the positive and of the negative cases at each score.
    rows, squares, positive_squares
        The number of rows, and the sums of squared weights, at each score.
    classes
        The labels as (negative, positive); None as long as the table is empty.
    grid
        The grid, or None for exact scores.
    left_out
        How many rows were left out, by reason.

    Examples
    --------
    >>> morning = ScoreTable.from_arrays([0.2, 0.8, 0.8], ["no", "no", "yes"])
    >>> evening = ScoreTable.from_arrays([0.2, 0.9], ["yes", "yes"], classes=("no", "yes"))
    >>> day = morning + evening
    >>> day
    ScoreTable(5 cases, 3 positive ('yes'), 3 distinct scores from 0.2 to 0.9)
    >>> day.scores, day.negatives, day.positives
    (array([0.2, 0.8, 0.9]), array([1., 1., 0.]), array([1., 1., 1.]))
    """

    scores: FloatArray
    weights: FloatArray
    positive_weights: FloatArray | BoolArray
    classes: door.Classes | None = None
    grid: Grid | None = None
    cells: IntArray | None = None
    spread: Spread | None = None  # None: every row weighs one
    left_out: Mapping[str, int] = field(default_factory=dict)

    VERSION: ClassVar[int] = 1
    __hash__ = None  # type: ignore[assignment] - tables compare by content, as arrays do

    @classmethod
    def empty(cls, grid: GridLike = None) -> "ScoreTable":
        """Return the table of no cases: adding it changes nothing."""
        grid, none = as_grid(grid), np.empty(0)
        cells = None if grid is None else np.empty(0, np.int64)
        return cls(none, none, none, grid=grid, cells=cells)

    @classmethod
    def from_arrays(
        cls,
        scores: Any,
        labels: Any,
        weights: Any = None,
        grid: GridLike = None,
        *,
        pos_label: Hashable | None = None,
        classes: Iterable[Hashable] | None = None,
        missing: str = "error",
        probabilities: bool = False,
        names: door.ArgumentNames = door.ArgumentNames(),  # noqa: B008 - frozen
    ) -> "ScoreTable":
        """Pool arrays of scores and labels.

        Parameters
        ----------
        scores, labels, weights
            Lists, numpy arrays, or columns of pandas, Polars or PyArrow. Labels are any two
            classes; the greater is positive.
        grid
            None (exact), ``"log-odds"``, ``"relative"`` or a grid object.
        pos_label
            The positive class, if it is not the greater of the two.
        classes
            (negative, positive), for chunks in which a class may be absent.
        missing
            ``"error"``; ``"drop"`` or ``"propagate"`` leave rows without a score out and count
            them in `left_out`.
        probabilities
            Whether scores outside [0, 1] are refused.
        names
            What errors call the arguments.
        """
        grid, values = as_grid(grid), door.as_floats(scores, names.scores)
        raw = door.as_vector(labels, names.labels)
        door.check_lengths({names.scores: len(values), names.labels: len(raw)})
        given = door.as_weights(weights, names.weights, len(values))
        absent = door.find_missing(values, names.scores, missing)
        if probabilities or isinstance(grid, LogOddsGrid):
            door.check_probabilities(values, names.scores)
        positive, pair = door.encode_labels(raw, names.labels, pos_label, classes)
        keep = _rows_that_count(absent, given)
        if keep is not None:
            values, positive = values[keep], positive[keep]
            given = None if given is None else given[keep]
            door.check_lengths({f"{names.scores} that are not missing": len(values)})
        left_out = {} if absent is None else {"missing": int(absent.sum())}
        return replace(_pool(values, positive, given, grid), classes=pair, left_out=left_out)

    @cached_property
    def positives(self) -> FloatArray:
        """The weight of the positive cases at each score."""
        return self.positive_weights.astype(np.float64, copy=False)

    @cached_property
    def negatives(self) -> FloatArray:
        """The weight of the negative cases at each score."""
        return self.weights - self.positives

    @property
    def has_negatives(self) -> BoolArray:
        """Whether some negative case has each score."""
        return self.weights > self.positive_weights

    @property
    def rows(self) -> FloatArray:
        """The number of rows at each score."""
        return self.weights if self.spread is None else self.spread.rows

    @property
    def squares(self) -> FloatArray:
        """The sum of the squared weights at each score."""
        return self.weights if self.spread is None else self.spread.squares

    @property
    def positive_squares(self) -> FloatArray:
        """The sum of the squared weights of the positive cases at each score."""
        return self.positives if self.spread is None else self.spread.positive_squares

    @cached_property
    def total(self) -> float:
        """The weight of all cases."""
        return float(self.weights.sum())

    @cached_property
    def total_positive(self) -> float:
        """The weight of the positive cases."""
        return float(self.positive_weights.sum(dtype=np.float64))

    @property
    def prevalence(self) -> float:
        """The share of positive cases; NaN where there is no case."""
        return self.total_positive / self.total if self.total else float("nan")

    @property
    def holds_probabilities(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return len(self) == 0 or bool(self.scores[0] >= 0.0 and self.scores[-1] <= 1.0)

    def transform(self, function: Callable[[FloatArray], FloatArray]) -> "ScoreTable":
        """Return the table of the same cases with other scores, as a fitted map gives them.

        >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.9], [0, 1, 1])
        >>> table.transform(np.round).scores
        array([0., 1.])
        """
        moved = door.as_floats(function(self.scores), "function(scores)")
        door.check_lengths({"scores": len(self), "function(scores)": len(moved)})
        door.find_missing(moved, "function(scores)", "error")
        columns = _columns(self)
        keys, sums = sum_by_key(moved + 0.0, *columns)
        return replace(
            _assemble(keys, sums, None, weighted=self.spread is not None), **_facts(self)
        )

    def __len__(self) -> int:
        return len(self.scores)

    def __add__(self, other: object) -> "ScoreTable":
        if not isinstance(other, ScoreTable):
            return NotImplemented
        classes = _common_classes(self, other)
        if self.grid != other.grid:
            raise DataError(f"Tables on unequal grids do not add: {self.grid} and {other.grid}.")
        weighted = self.spread is not None or other.spread is not None
        keys = np.concatenate([_keys(self), _keys(other)])
        columns = zip(
            _columns(self, weighted=weighted), _columns(other, weighted=weighted), strict=True
        )
        distinct, sums = sum_by_key(keys, *(np.concatenate(pair) for pair in columns))
        kinds = sorted({*self.left_out, *other.left_out})
        left_out = {k: self.left_out.get(k, 0) + other.left_out.get(k, 0) for k in kinds}
        table = _assemble(distinct, sums, self.grid, weighted=weighted)
        return replace(table, classes=classes, left_out=left_out)

    def __radd__(self, other: object) -> "ScoreTable":
        return self if other == 0 else NotImplemented  # sum() starts from 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        same = (self.classes, self.grid, dict(self.left_out), self.spread is None) == (
            (other.classes, other.grid, dict(other.left_out), other.spread is None)
        )
        mine, theirs = [_keys(self), *_columns(self)], [_keys(other), *_columns(other)]
        return same and all(map(np.array_equal, mine, theirs))

    def __repr__(self) -> str:
        if not len(self):
            return "ScoreTable(empty)"
        label = repr(self.classes[1]) if self.classes else "unknown"
        span = f"{len(self)} distinct scores from {self.scores[0]:.6g} to {self.scores[-1]:.6g}"
        out = "".join(f", {count} {kind} left out" for kind, count in self.left_out.items())
        cases = f"{self.total:.10g} cases, {self.total_positive:.10g} positive ({label})"
        return f"ScoreTable({cases}, {span}{out})"

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data, exact to the last bit.

        >>> table = ScoreTable.from_arrays([0.25, 0.5], [0, 1])
        >>> ScoreTable.from_dict(table.to_dict()) == table
        True
        """
        keys = "scores" if self.cells is None else "cells"
        columns = dict(zip(COLUMNS, _columns(self), strict=False))
        return {
            "format": "truing.ScoreTable",
            "version": self.VERSION,
            "classes": None if self.classes is None else [_told(label) for label in self.classes],
            "grid": None if self.grid is None else self.grid.to_dict(),
            keys: _keys(self).tolist(),
            **{name: column.astype(np.float64).tolist() for name, column in columns.items()},
            "left_out": dict(self.left_out),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ScoreTable":
        """Return the table that plain data describe."""
        if data.get("format") != "truing.ScoreTable" or data.get("version") != cls.VERSION:
            found = f"{data.get('format')!r} version {data.get('version')!r}"
            raise DataError(
                f"This is {found}; 'truing.ScoreTable' version {cls.VERSION} is needed."
            )
        grid = grid_from_dict(data.get("grid"))
        keys = _read_keys(data, grid)
        columns = [_read_column(data, name, len(keys)) for name in COLUMNS if name in data]
        if len(columns) not in (2, len(COLUMNS)) or (columns[0] < columns[1]).any():
            raise DataError(f"A table needs the columns {COLUMNS[:2]}, or all of {COLUMNS}.")
        table = _assemble(keys, columns, grid, weighted=len(columns) > 2)
        classes = data.get("classes")
        left_out = {str(k): int(v) for k, v in dict(data.get("left_out", {})).items()}
        return replace(table, classes=classes and (classes[0], classes[1]), left_out=left_out)


COLUMNS = ("weights", "positives", "rows", "squares", "positive_squares")


def _rows_that_count(absent: BoolArray | None, weights: FloatArray | None) -> BoolArray | None:
    """Which rows to keep, None for all: those that have a score and weigh something."""
    if absent is None and (weights is None or weights.all()):
        return None
    present = np.ones(len(absent), bool) if weights is None else weights > 0.0  # type: ignore[arg-type] - one of the two is there
    return present if absent is None else present & ~absent


def _pool(
    scores: FloatArray, positive: BoolArray, weights: FloatArray | None, grid: Grid | None
) -> ScoreTable:
    if grid is not None:
        keys = np.empty(len(scores), np.int64)
        for start in range(0, len(keys), CHUNK):
            part = slice(start, start + CHUNK)
            keys[part] = grid.cells(scores[part])
    if weights is not None:
        chosen = scores + 0.0 if grid is None else keys
        held, squares = weights * positive, weights * weights
        columns = (weights, held, np.ones(len(weights)), squares, squares * positive)
        return _assemble(*sum_by_key(chosen, *columns), grid, weighted=True)
    if grid is not None:
        occupied, cases, positives = count_cells(keys, positive)
        return _assemble(occupied, [cases, positives], grid, weighted=False)
    distinct, cases, held = pool_scores(scores, positive)
    return ScoreTable(distinct, cases, held)


def _assemble(
    keys: Any, columns: list[FloatArray], grid: Grid | None, *, weighted: bool
) -> ScoreTable:
    return ScoreTable(
        keys if grid is None else grid.centres(keys),
        columns[0],
        columns[1],
        grid=grid,
        cells=None if grid is None else keys,
        spread=Spread(*columns[2:5]) if weighted else None,
    )


def _keys(table: ScoreTable) -> FloatArray | IntArray:
    return table.scores if table.cells is None else table.cells


def _columns(table: ScoreTable, *, weighted: bool | None = None) -> list[FloatArray]:
    basic = [table.weights, table.positives]
    if weighted is False or (weighted is None and table.spread is None):
        return basic
    return [*basic, table.rows, table.squares, table.positive_squares]


def _facts(table: ScoreTable) -> dict[str, Any]:
    return {"classes": table.classes, "left_out": table.left_out}


def _common_classes(one: ScoreTable, two: ScoreTable) -> door.Classes | None:
    if one.classes is None or two.classes is None:
        return one.classes or two.classes
    if one.classes != two.classes:
        raise DataError(
            f"Tables of unequal classes do not add: {one.classes} and {two.classes}. Where a chunk "
            "may hold one class only, say classes=(negative, positive)."
        )
    return one.classes


def _told(label: Hashable) -> str | float | bool:
    if isinstance(label, str | bool | int | float):
        return label
    raise DataError(f"The class {label!r} is no text, number or truth value; it cannot be written.")


def _read_keys(data: Mapping[str, Any], grid: Grid | None) -> FloatArray | IntArray:
    name = "scores" if grid is None else "cells"
    keys = np.asarray(data.get(name), dtype=np.float64 if grid is None else np.int64)
    if keys.ndim != 1 or not np.isfinite(keys).all() or (keys[1:] <= keys[:-1]).any():
        raise DataError(f"{name} of a table must be finite and strictly increasing.")
    return keys


def _read_column(data: Mapping[str, Any], name: str, length: int) -> FloatArray:
    column = np.asarray(data[name], dtype=np.float64)
    if column.shape != (length,) or not np.isfinite(column).all() or (column < 0.0).any():
        raise DataError(f"{name} of a table must be {length} finite numbers of 0 or more.")
    return column
