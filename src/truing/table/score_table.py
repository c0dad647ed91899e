"""The hall of the house: every case, pooled by score."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.folds import fold_weights
from truing.numerics.pooling import Columns, sum_by_key
from truing.options import whole_number
from truing.table import dictionary, door
from truing.table.grid import Grid, GridLike, LogOddsGrid, as_grid
from truing.table.intake import Rows
from truing.table.parts import Parts
from truing.table.sealed import Sealed, seal

ONE = np.array(1.0)
ONE.flags.writeable = False
NEEDS_PROBABILITIES = 'a log-odds grid takes probabilities. Margins can be put on grid="relative"'


@dataclass(frozen=True, eq=False)
class Spread(Sealed):
    """What weighted error bars need beside the weights: rows and squared weights at every score."""

    rows: FloatArray
    negative_squares: FloatArray
    positive_squares: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Sealed):
    """The distinct scores in order, and at each the weight of negative and of positive cases.

    Everything about calibrating a one-dimensional score is a function of this table: the order of
    rows carries nothing, and a row of weight 3 is three rows. Tables add up, with
    ``ScoreTable.empty()`` as zero, so that chunks, files, folds and months are all the same thing.
    Make one with `from_arrays`; nothing changes it afterwards.

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
    negative_weights: FloatArray | BoolArray  # booleans: one case at every score
    positive_weights: FloatArray | BoolArray
    classes: door.Classes | None = None
    grid: Grid | None = None
    cells: IntArray | None = None
    spread: Spread | None = None  # None: every row weighs one
    left_out: Mapping[str, int] = field(default_factory=dict)

    VERSION: ClassVar[int] = dictionary.VERSION
    __array_ufunc__ = None  # numpy would add a table to every element of an array

    @classmethod
    def empty(cls, grid: GridLike = None) -> "ScoreTable":
        """Return the table of no cases: adding it changes nothing."""
        grid, none = as_grid(grid), np.empty(0)
        keys = none if grid is None else np.empty(0, np.int64)
        return cls._of(Parts(keys, [none, none], grid))

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
            Lists, numpy arrays, or columns of pandas, Polars or PyArrow. Scores are read as
            doubles. Labels are any two classes; the greater is positive. Weights are 0 (as if the
            row were not there) to 1e100.
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
        given = door.as_weights(weights, names.weights, len(values), names.scores)
        absent = door.find_missing(values, names.scores, missing, names.missing_advice)
        if probabilities:
            door.check_probabilities(values, names.scores)
        elif isinstance(grid, LogOddsGrid):
            door.check_probabilities(values, names.scores, NEEDS_PROBABILITIES)
        positive, pair = door.encode_labels(raw, names.labels, pos_label, classes)
        keys, columns = Rows(values, positive, given).that_count(absent).pool(grid)
        left_out = {} if absent is None else {"missing": int(np.count_nonzero(absent))}
        return cls._of(Parts(keys, columns, grid, pair, left_out))

    @classmethod
    def _of(cls, parts: Parts) -> "ScoreTable":
        keys, (negatives, positives, *spread), grid, classes, left_out = parts
        return cls(
            keys if grid is None else grid.centres(keys),
            negatives,
            positives,
            classes,
            grid,
            None if grid is None else keys,
            Spread(*map(_as_doubles, spread)) if spread else None,
            left_out,
        )

    @property
    def _parts(self) -> Parts:
        keys = self.scores if self.cells is None else self.cells
        return Parts(keys, self._columns(), self.grid, self.classes, self.left_out)

    def _columns(self, *, weighted: bool = False) -> Columns:
        if self.spread is None and not weighted:
            return [self.negative_weights, self.positive_weights]
        negative_squares = self.negatives if self.spread is None else self.spread.negative_squares
        squares = [negative_squares, self.positive_squares]
        return [self.negatives, self.positives, self.rows, *squares]

    @cached_property
    def positives(self) -> FloatArray:
        """The weight of the positive cases at each score."""
        return _own_doubles(self.positive_weights)

    @cached_property
    def negatives(self) -> FloatArray:
        """The weight of the negative cases at each score."""
        return _own_doubles(self.negative_weights)

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of all cases at each score."""
        if self.negative_weights.dtype == np.bool_:
            return np.broadcast_to(ONE, len(self))
        total: FloatArray = seal(self.negatives + self.positives)
        return total

    @property
    def has_negatives(self) -> BoolArray:
        """Whether some negative case has each score."""
        return self.negative_weights.astype(np.bool_, copy=False)

    @property
    def rows(self) -> FloatArray:
        """The number of rows at each score."""
        return self.weights if self.spread is None else self.spread.rows

    @property
    def squares(self) -> FloatArray:
        """The sum of the squared weights at each score."""
        if self.spread is None:
            return self.weights
        return self.spread.negative_squares + self.spread.positive_squares

    @property
    def positive_squares(self) -> FloatArray:
        """The sum of the squared weights of the positive cases at each score."""
        return self.positives if self.spread is None else self.spread.positive_squares

    @cached_property
    def total(self) -> float:
        """The weight of all cases."""
        one_each = self.negative_weights.dtype == np.bool_
        return float(len(self) if one_each else self.weights.sum())

    @cached_property
    def total_positive(self) -> float:
        """The weight of the positive cases."""
        if self.positive_weights.dtype == np.bool_:  # to count is ten times as fast as to add up
            return float(np.count_nonzero(self.positive_weights))
        return float(self.positive_weights.sum())

    @property
    def prevalence(self) -> float:
        """The share of positive cases; NaN where there is no case."""
        return self.total_positive / self.total if self.total else float("nan")

    @property
    def holds_both(self) -> bool:
        """Whether there are cases of both classes."""
        return bool(self.has_negatives.any() and self.positive_weights.any())

    @property
    def holds_probabilities(self) -> bool:
        """Whether every score lies in [0, 1]."""
        return len(self) == 0 or bool(self.scores[0] >= 0.0 and self.scores[-1] <= 1.0)

    def transform(self, function: Callable[[FloatArray], FloatArray]) -> "ScoreTable":
        """Return the table of the same cases with other scores, as a fitted map gives them.

        The new scores are exact: they are on no grid.

        >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.9], [0, 1, 1])
        >>> table.transform(np.round).scores
        array([0., 1.])
        """
        name = "function(scores)"
        moved = door.as_floats(function(self.scores), name)
        if len(moved) != len(self):
            door.check_lengths({"scores": len(self), name: len(moved)})
        door.find_missing(moved, name, "error", "No score may get lost here")
        return self.move(moved + 0.0)

    def move(self, scores: FloatArray) -> "ScoreTable":
        """Return the table of the same cases with other scores, which are not checked.

        They must be finite, without minus zero, and the table's own from now on.
        """
        keys, columns = scores, self._columns()
        if (keys[1:] <= keys[:-1]).any():
            keys, columns = sum_by_key(keys, *columns)
        return self._of(Parts(keys, columns, None, self.classes, self.left_out))

    def on_grid(self, grid: Grid) -> "ScoreTable":
        """Return the table of the same cases on a grid; those on another grid already do not move.

        >>> table = ScoreTable.from_arrays([0.30000, 0.30001, 0.9], [0, 1, 1])
        >>> len(table.on_grid(LogOddsGrid(width=1 / 64)))
        2
        """
        if self.grid is not None:
            if self.grid != grid:
                raise DataError(f"The table is on {self.grid}; it cannot be put on {grid}.")
            return self
        if isinstance(grid, LogOddsGrid) and not self.holds_probabilities:
            raise DataError(f"The table holds scores outside [0, 1]; {NEEDS_PROBABILITIES}.")
        keys, columns = sum_by_key(grid.cells(self.scores), *self._columns())
        return self._of(Parts(keys, columns, grid, self.classes, self.left_out))

    def folds(self, n_folds: int = 5, *, seed: int = 0) -> "list[tuple[ScoreTable, ScoreTable]]":
        """Return pairs of tables (train, test) for cross-validation, drawn from the weights.

        Each class is dealt out on its own, at random but always in the same way; see
        `truing.numerics.folds`. Like everything here folds depend neither on the order of rows nor
        on how cases were put into rows. A class with fewer cases than folds is absent from some
        tests.

        >>> table = ScoreTable.from_arrays([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1])
        >>> [(train.total, test.total_positive) for train, test in table.folds(2)]
        [(2.0, 1.0), (2.0, 1.0)]
        """
        count = whole_number("n_folds", n_folds, least=2)
        negatives = fold_weights(self.negatives, count, 2 * seed)
        positives = fold_weights(self.positives, count, 2 * seed + 1)
        return [
            (
                self._part(*(np.delete(each, fold, axis=0).sum(axis=0) for each in both)),
                self._part(*(each[fold] for each in both)),
            )
            for both in [(negatives, positives)]
            for fold in range(count)
        ]

    def _part(self, negatives: FloatArray, positives: FloatArray) -> "ScoreTable":
        """Return the table of some of the cases; what error bars need is shared in proportion."""
        held = negatives + positives > 0.0
        columns = [negatives[held], positives[held]]
        if self.spread is not None:
            pairs = zip(columns, (self.negatives[held], self.positives[held]), strict=True)
            shares = [np.divide(p, w, out=np.zeros(len(p)), where=w > 0.0) for p, w in pairs]
            rows = self.rows[held] * (columns[0] + columns[1]) / self.weights[held]
            squares = self.spread.negative_squares[held], self.positive_squares[held]
            columns += [rows, *(s * square for s, square in zip(shares, squares, strict=True))]
        return self._of(Parts(self._parts.keys[held], columns, self.grid, self.classes))

    def __len__(self) -> int:
        return len(self.scores)

    def __add__(self, other: object) -> "ScoreTable":
        if not isinstance(other, ScoreTable):
            return NotImplemented
        classes = _common_classes(self, other)
        if self.grid != other.grid:
            raise DataError(f"Tables on unequal grids do not add: {self.grid} and {other.grid}.")
        weighted = self.spread is not None or other.spread is not None
        columns = map(
            np.concatenate,
            zip(self._columns(weighted=weighted), other._columns(weighted=weighted), strict=True),
        )
        keys, sums = sum_by_key(np.concatenate([self._parts.keys, other._parts.keys]), *columns)
        kinds = sorted({*self.left_out, *other.left_out})
        left_out = {k: self.left_out.get(k, 0) + other.left_out.get(k, 0) for k in kinds}
        return self._of(Parts(keys, sums, self.grid, classes, left_out))

    def __radd__(self, other: object) -> "ScoreTable":
        return self if type(other) is int and other == 0 else NotImplemented  # sum() starts from 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        mine, theirs = self._parts, other._parts
        return (
            (mine.grid, mine.classes, mine.left_out)
            == (theirs.grid, theirs.classes, theirs.left_out)
            and len(mine.columns) == len(theirs.columns)
            and np.array_equal(mine.keys, theirs.keys)
            and all(map(np.array_equal, mine.columns, theirs.columns))
        )

    def __hash__(self) -> int:
        return hash((self.grid, self.classes, len(self), self.total))

    def __repr__(self) -> str:
        out = "".join(f", {count} {kind} left out" for kind, count in self.left_out.items())
        if not len(self):
            return f"ScoreTable(empty{out})"
        label = door.shown(self.classes[1]) if self.classes else "unknown"
        span = f"{len(self)} distinct scores from {self.scores[0]:.6g} to {self.scores[-1]:.6g}"
        cases = f"{self.total:.10g} cases, {self.total_positive:.10g} positive ({label})"
        return f"ScoreTable({cases}, {span}{out})"

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data, exact to the last bit.

        >>> table = ScoreTable.from_arrays([0.25, 0.5], [0, 1])
        >>> ScoreTable.from_dict(table.to_dict()) == table
        True
        """
        return dictionary.to_dictionary(self._parts)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ScoreTable":
        """Return the table that plain data describe."""
        return cls._of(dictionary.from_dictionary(data))


def _as_doubles(column: FloatArray | BoolArray) -> FloatArray:
    doubles: FloatArray = seal(column.astype(np.float64, copy=False))
    return doubles


def _own_doubles(column: FloatArray | BoolArray) -> FloatArray:
    """Return a column of a table as doubles that nobody can write to, not even their owner."""
    doubles: FloatArray = column.astype(np.float64, copy=False)
    doubles.flags.writeable = False
    return doubles


def _common_classes(one: ScoreTable, two: ScoreTable) -> door.Classes | None:
    if one.classes is None or two.classes is None:
        return one.classes or two.classes
    if one.classes != two.classes:
        raise DataError(
            f"Tables of unequal classes do not add: {one.classes} and {two.classes}. Where a chunk "
            "may hold one class only, say classes=(negative, positive)."
        )
    return one.classes
