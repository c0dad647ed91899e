"""Logistic regression on one score, by Newton's method on a table."""

from dataclasses import dataclass

import numpy as np

from truing.numerics.arrays import FloatArray

EXACT = 8192  # up to as many places every place stands for itself
PER_SPREAD = 64  # cells in the length that holds the middle 80 % of the places, halved
REACH = 16  # in the same unit; what is further out stands for itself
STEEP = 1 / 16  # by how much the log-odds may change over a cell
STEPS = 200
ENOUGH = 0.25  # of what the slope promises; less, and a step may end where all is flat
CLOSE = 1e-7  # Newton squares its error: after a step this small nothing is left to gain


@dataclass(frozen=True)
class Sums:
    """What the likelihood of a sigmoid depends on: cells of places, and two sums over positives."""

    places: FloatArray
    weights: FloatArray
    variances: FloatArray  # within cells
    positive: float
    positive_moment: float


def fit_logistic(
    places: FloatArray, positives: FloatArray, weights: FloatArray
) -> tuple[float, float]:
    """Return slope and intercept of the most likely sigmoid.

    The places are increasing, more than one, and do not separate the classes. Of many places,
    neighbours are pooled into cells that keep weight, mean and variance; the likelihood is then
    exact up to the third moment within a cell, and the answer to some nine digits. Where the
    sigmoid turns out to be too steep for the cells, every place is used after all.

    >>> slope, intercept = fit_logistic(
    ...     np.array([-1.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 4.0])
    ... )
    >>> round(slope, 6), round(abs(intercept), 6)
    (1.098612, 0.0)
    """
    size = max(float(np.abs(places[[0, -1]]).max()), 1e-300)
    unit = places if 1e-100 < size < 1e100 else places / size
    slope, intercept = _fit(unit, positives, weights)
    return (slope, intercept) if unit is places else (slope / size, intercept)


def _fit(places: FloatArray, positives: FloatArray, weights: FloatArray) -> tuple[float, float]:
    total = float(positives.sum(dtype=np.float64))
    moment = float(places @ positives)
    start = np.array([np.log(total) - np.log(weights.sum() - total), 0.0])
    if len(places) > EXACT:
        width, sums = _pool(places, weights, total, moment)
        slope, intercept, start = _solve(sums, start)
        if abs(slope) * width <= STEEP:
            return slope, intercept
    every = Sums(places, weights, np.zeros(len(places)), total, moment)
    slope, intercept, _ = _solve(every, start)
    return slope, intercept


def _pool(
    places: FloatArray, weights: FloatArray, positive: float, moment: float
) -> tuple[float, Sums]:
    count = len(places)
    low, middle, high = places[count // 10], places[count // 2], places[(9 * count) // 10]
    spread = 0.5 * (high - low)
    edges = middle + spread * np.linspace(-REACH, REACH, 2 * REACH * PER_SPREAD + 1)
    bounds = np.searchsorted(places, edges)
    starts = np.concatenate([np.arange(bounds[0]), bounds, np.arange(bounds[-1], count)])
    starts = np.unique(starts[starts < count])
    held = np.add.reduceat(weights, starts)
    weighted = weights * (places - middle)
    means = np.add.reduceat(weighted, starts) / held
    weighted *= places - middle
    variances = np.maximum(np.add.reduceat(weighted, starts) / held - means * means, 0.0)
    return float(spread / PER_SPREAD), Sums(means + middle, held, variances, positive, moment)


def _solve(sums: Sums, start: FloatArray) -> tuple[float, float, FloatArray]:
    """Return slope, intercept, and both in units of the spread, for a later start."""
    total = sums.weights.sum()
    centre = float(sums.places @ sums.weights / total)
    around = sums.places - centre
    spread = float(np.sqrt((around * around + sums.variances) @ sums.weights / total))
    moment = (sums.positive_moment - centre * sums.positive) / spread
    unit = Sums(
        around / spread, sums.weights, sums.variances / spread**2, sums.positive, float(moment)
    )
    at = _climb(unit, start)
    slope = float(at[1] / spread)
    return slope, float(at[0] - slope * centre), at


def _climb(sums: Sums, start: FloatArray) -> FloatArray:
    """Newton's method, with halved steps wherever the likelihood would gain too little."""
    at, cost, total = start, _cost(sums, start), float(sums.weights.sum())
    for _ in range(STEPS):
        gradient, curvature = _derivatives(sums, at)
        step = _newton_step(gradient, curvature)
        promised, reach = float(gradient @ step), 1.0 + np.abs(at).max()
        rounding = 1e-15 * total * reach  # what a cost is known to
        if np.abs(step).max() < CLOSE * reach or promised < rounding:
            return at - step
        lower = _cost(sums, at - step)
        while not lower <= cost - ENOUGH * promised:
            step, promised = 0.5 * step, 0.5 * promised
            if promised < rounding:
                return at
            lower = _cost(sums, at - step)
        at, cost = at - step, lower
    return at


def _newton_step(gradient: FloatArray, curvature: FloatArray) -> FloatArray:
    # A least-squares solver would leave out the direction in which the likelihood is nearly flat,
    # and that is the one that matters where the classes are almost separated.
    (first, second), ((a, b), (_, c)) = gradient, curvature
    area = float(max(a * c - b * b, 1e-14 * a * c, 1e-300))  # above zero but for rounding
    return np.array([c * first - b * second, a * second - b * first]) / area


def _derivatives(sums: Sums, at: FloatArray) -> tuple[FloatArray, FloatArray]:
    place, slope = sums.places, at[1]
    chance = 1.0 / (1.0 + np.exp(-np.clip(at[0] + slope * place, -700.0, 700.0)))
    bend = chance * (1.0 - chance)
    # Means over a cell to second order: of the chance, and of the chance times the place.
    turn = slope * slope * bend * (1.0 - 2.0 * chance)
    expected = sums.weights * (chance + 0.5 * turn * sums.variances)
    across = sums.weights @ (slope * bend * sums.variances)
    gradient = np.array(
        [expected.sum() - sums.positive, expected @ place + across - sums.positive_moment]
    )
    bend *= sums.weights
    first = bend @ place
    return gradient, np.array([[bend.sum(), first], [first, (bend * place) @ place]])


def _cost(sums: Sums, at: FloatArray) -> float:
    line = at[0] + at[1] * sums.places
    chance = 1.0 / (1.0 + np.exp(-np.clip(line, -700.0, 700.0)))
    within = 0.5 * at[1] ** 2 * chance * (1.0 - chance) * sums.variances
    gained = at[0] * sums.positive + at[1] * sums.positive_moment
    return float(sums.weights @ (np.logaddexp(0.0, line) + within) - gained)
