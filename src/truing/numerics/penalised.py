"""Logistic regression on a few columns, penalised or not, by Newton's method on a table."""

from dataclasses import dataclass

import numpy as np

from truing.numerics.arrays import FloatArray

__all__ = ["Cases", "fit_penalised"]

CHUNK = 1 << 14  # places whose temporaries stay in the cache
FEW = 1 << 13  # up to as many places there is no need of a first guess
CELLS = 1 << 10  # for the first guess
STEPS = 200
ENOUGH = 0.25  # of what the slope promises; less, and a step may end where all is flat
CLOSE = 1e-7  # Newton squares its error: after a step this small nothing is left to gain
FLAT = 1e-14  # beside the most curved direction; flatter is rounding


@dataclass(frozen=True)
class Cases:
    """What is known of the cases: a row of the design for each place, and what weighs there."""

    design: FloatArray  # places x columns
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
            np.column_stack([mean(column) for column in self.design.T]),
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


def fit_penalised(
    cases: Cases, penalty: FloatArray | None = None, start: FloatArray | None = None
) -> Point:
    """Return the coefficients t that maximise the likelihood of the log-odds offset + design t.

    If a penalty is given, a number for each coefficient, ½ Σ penalty t² is subtracted from the log-
    likelihood. Of many places a first guess is made on cells; the answer is that of all places.

    >>> design = np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> cases = Cases(design, np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 4.0]))
    >>> fit_penalised(cases).coefficients.round(6) + 0.0
    array([0.      , 1.098612])
    """
    columns = cases.design.shape[1]
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
    scaled = at.curvature / np.outer(size, size)
    bends, turned = np.linalg.eigh(scaled)
    bends = np.maximum(bends, FLAT * bends[-1])
    step: FloatArray = (turned @ ((turned.T @ (at.gradient / size)) / bends)) / size
    return step


def _at(cases: Cases, penalty: FloatArray, coefficients: FloatArray) -> Point:
    columns = len(coefficients)
    pull = penalty * coefficients
    cost, gradient = 0.5 * float(pull @ coefficients), pull.copy()
    curvature = np.diag(penalty)
    for begin in range(0, len(cases.weights), CHUNK):
        part = slice(begin, begin + CHUNK)
        rows, positives, weights = cases.design[part], cases.positives[part], cases.weights[part]
        line = rows @ coefficients
        if cases.offset is not None:
            line += cases.offset[part]
        against = np.exp(-np.abs(line))
        further = 1.0 / (1.0 + against)  # the chance of the likelier class
        likely = line > 0.0
        cost += float(weights @ (np.maximum(line, 0.0) - np.log(further)) - positives @ line)
        chance = np.where(likely, further, against * further)
        gradient += (weights * chance - positives) @ rows
        bend = weights * (against * further * further)
        curvature += rows.T @ (rows * bend[:, None])
    return Point(coefficients, cost, gradient, curvature.reshape(columns, columns))
