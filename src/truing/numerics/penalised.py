"""Logistic regression on a few columns, penalised or not, by Newton's method on a table."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truing.numerics.arrays import FloatArray

__all__ = ["Cases", "Point", "fit_penalised", "squares", "standardised"]

CHUNK = 1 << 13  # places whose temporaries stay in the cache, and whose sums take one thread
PRODUCT = 200_000  # multiplications in a product of matrices that takes one thread
FEWEST = 32  # places at a time, all the same
NARROW = 4  # columns; for so few, sums one by one are faster than products of matrices
FEW = 1 << 12  # up to as many places there is no need of a first guess
CELLS = 1 << 10  # for the first guess
STEPS = 200
ENOUGH = 0.25  # of what the slope promises; less, and a step may end where all is flat
CLOSE = 1e-7  # Newton squares its error: after a step this small nothing is left to gain
FLAT = 1e-14  # beside the most curved direction; flatter is rounding


@dataclass(frozen=True)
class Cases:
    """What is known of the cases: the columns of the design, and what weighs at each place."""

    design: FloatArray  # columns x places
    positives: FloatArray
    weights: FloatArray
    offset: FloatArray | None = None  # of the log-odds

    def pooled(self, cells: int) -> "Cases":
        """Return neighbours pooled into cells, each with its mean row."""
        starts = np.linspace(0, len(self.weights), cells + 1).astype(np.int64)[:-1]
        held = np.add.reduceat(self.weights, starts)

        def mean(column: FloatArray) -> FloatArray:
            sums: FloatArray = np.add.reduceat(column * self.weights, starts)
            return sums / held

        return Cases(
            np.stack([mean(column) for column in self.design]),
            np.add.reduceat(self.positives, starts),
            held,
            None if self.offset is None else mean(self.offset),
        )


@dataclass(frozen=True)
class Point:
    """The penalised negative log-likelihood at some coefficients, with its derivatives."""

    coefficients: FloatArray
    cost: float
    gradient: FloatArray
    curvature: FloatArray


def standardised(places: FloatArray, weights: FloatArray) -> tuple[FloatArray, float, float]:
    """Return the places around their mean in units of their spread, the mean and the spread.

    >>> standardised(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    (array([-1.,  1.]), 2.0, 1.0)
    """
    size = float(np.abs(places[[0, -1]]).max())
    size = 1.0 if 1e-100 < size < 1e100 else max(size, 1e-300)
    around = places / size
    centre = float(around @ weights / weights.sum())
    around -= centre
    spread = float(np.sqrt(around @ (around * weights) / weights.sum())) or 1.0
    return around / spread, centre * size, spread * size


def fit_penalised(
    cases: Cases, penalty: FloatArray | None = None, start: FloatArray | None = None
) -> Point:
    """Return the coefficients t that maximise the likelihood of the log-odds offset + t design.

    If a penalty is given, a number for each coefficient, ½ Σ penalty t² is subtracted from the log-
    likelihood. Of many places a first guess is made on cells; the answer is that of all places.

    >>> design = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0]])
    >>> cases = Cases(design, np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 4.0]))
    >>> fit_penalised(cases).coefficients.round(6) + 0.0
    array([0.      , 1.098612])
    """
    columns = len(cases.design)
    penalty = np.zeros(columns) if penalty is None else penalty
    start = np.zeros(columns) if start is None else start
    if len(cases.weights) > FEW:
        start = _climb(cases.pooled(CELLS), penalty, start).coefficients
    return _climb(cases, penalty, start)


def _climb(cases: Cases, penalty: FloatArray, start: FloatArray) -> Point:
    """Newton's method, with halved steps wherever the likelihood would gain too little."""
    at, total = _at(cases, penalty, start), float(cases.weights.sum())
    for _ in range(STEPS):
        step = _newton_step(at)
        promised, reach = float(at.gradient @ step), 1.0 + np.abs(at.coefficients).max()
        rounding = 1e-15 * total * reach  # what a cost is known to
        last = np.abs(step).max() < CLOSE * reach or promised < rounding
        further = _at(cases, penalty, at.coefficients - step)
        if last:
            return further
        while not further.cost <= at.cost - ENOUGH * promised:
            step, promised = 0.5 * step, 0.5 * promised
            if promised < rounding:
                return at
            further = _at(cases, penalty, at.coefficients - step)
        at = further
    return at


def _newton_step(at: Point) -> FloatArray:
    """Return the step to the top of the parabola that touches the likelihood here."""
    size = np.sqrt(np.maximum(np.diagonal(at.curvature), 1e-300))
    scaled, gradient = at.curvature / np.outer(size, size), at.gradient / size
    if len(size) > NARROW:
        with contextlib.suppress(np.linalg.LinAlgError):
            return np.asarray(np.linalg.solve(scaled, gradient), np.float64) / size
    bends, turned = np.linalg.eigh(scaled)
    bends = np.maximum(bends, FLAT * bends[-1])
    step: FloatArray = (turned @ ((turned.T @ gradient) / bends)) / size
    return step


def _at(cases: Cases, penalty: FloatArray, coefficients: FloatArray) -> Point:
    pull = penalty * coefficients
    cost, gradient, curvature = 0.5 * float(pull @ coefficients), pull.copy(), np.diag(penalty)
    for part in _parts(cases.design):
        columns, positives, weights = (
            cases.design[:, part],
            cases.positives[part],
            cases.weights[part],
        )
        line = _sum(columns, coefficients)
        if cases.offset is not None:
            line += cases.offset[part]
        against = np.abs(line)
        np.negative(against, out=against)
        np.exp(against, out=against)
        further = 1.0 / (1.0 + against)  # the chance of the likelier class
        highest = np.maximum(line, 0.0)
        highest -= np.log(further)
        cost += float(weights @ highest - positives @ line)
        against *= further
        bend = against * further
        bend *= weights
        chance = np.where(line > 0.0, further, against)
        chance *= weights
        chance -= positives
        gradient += _products(columns, chance)
        curvature += _squares(columns, bend)
    return Point(coefficients, cost, gradient, curvature)


def _parts(design: FloatArray) -> Iterator[slice]:
    """Yield parts of the places, so small that no product is given to several threads.

    They would wait for one another for longer than all of it takes, where other work goes on.
    """
    columns, places = design.shape
    chunk = CHUNK if columns <= NARROW else max(PRODUCT // columns**2, FEWEST)
    for begin in range(0, places, chunk):
        yield slice(begin, begin + chunk)


def squares(design: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted products of all columns with one another."""
    total: FloatArray = np.zeros((len(design), len(design)))
    for part in _parts(design):
        total += _squares(design[:, part], weights[part])
    return total


def _sum(columns: FloatArray, coefficients: FloatArray) -> FloatArray:
    line: FloatArray = coefficients[0] * columns[0]
    if len(columns) > NARROW:
        return np.matmul(coefficients, columns, out=line)
    for coefficient, column in zip(coefficients[1:], columns[1:], strict=True):
        line += coefficient * column
    return line


def _products(columns: FloatArray, column: FloatArray) -> FloatArray:
    products = columns @ column if len(columns) > NARROW else [each @ column for each in columns]
    return np.asarray(products, np.float64)


def _squares(columns: FloatArray, weights: FloatArray) -> FloatArray:
    answer: FloatArray = np.empty((len(columns), len(columns)))
    if len(columns) > NARROW:
        return np.matmul(columns * weights, columns.T, out=answer)
    for first, column in enumerate(columns):
        weighted = column * weights
        for second in range(first + 1):
            answer[first, second] = answer[second, first] = weighted @ columns[second]
    return answer
