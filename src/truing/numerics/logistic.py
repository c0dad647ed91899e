"""Logistic regression on one score, by Newton's method on a table."""

from dataclasses import dataclass, replace

import numpy as np

from truing.numerics.arrays import BoolArray, FloatArray, IntArray

EXACT = 8192  # up to as many places every place stands for itself
PER_SPREAD = 64  # cells in the length that holds the middle 80 % of the places, halved
REACH = 16  # in the same unit; what is further out stands for itself
STEEP = 1 / 16  # by how much the log-odds may change over a cell
CHUNK = 1 << 15  # places whose temporaries stay in the cache
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
    places: FloatArray,
    positives: FloatArray | BoolArray,
    weights: FloatArray,
    targets: tuple[float, float] = (1.0, 0.0),
) -> tuple[float, float]:
    """Return slope and intercept of the most likely sigmoid, given the targets of both classes.

    The places are increasing, more than one, and do not separate the classes; positives as booleans
    say that every place holds one case. Of many places, neighbours are pooled into cells that keep
    weight, mean and variance; the likelihood is then exact up to the third moment within a cell,
    and the answer to some nine digits. Where the sigmoid turns out to be too steep for the cells,
    every place is used after all.

    >>> slope, intercept = fit_logistic(
    ...     np.array([-1.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 4.0, 4.0])
    ... )
    >>> round(slope, 6), round(abs(intercept), 6)
    (1.098612, 0.0)
    """
    size = max(float(np.abs(places[[0, -1]]).max()), 1e-300)
    unit = places if 1e-100 < size < 1e100 else places / size
    slope, intercept = _fit(unit, positives, weights, targets)
    return (slope, intercept) if unit is places else (slope / size, intercept)


def _fit(
    places: FloatArray,
    positives: FloatArray | BoolArray,
    weights: FloatArray,
    targets: tuple[float, float],
) -> tuple[float, float]:
    starts, width = _cells(places)
    sums = _pool(places, positives, weights, targets, starts)
    total = float(sums.weights.sum())
    start = np.array([np.log(sums.positive) - np.log(total - sums.positive), 0.0])
    slope, intercept, start = _solve(sums, start)
    if abs(slope) * width <= STEEP:
        return slope, intercept
    every = replace(sums, places=places, weights=weights, variances=np.zeros(len(places)))
    slope, intercept, _ = _solve(every, start)
    return slope, intercept


def _cells(places: FloatArray) -> tuple[IntArray, float]:
    """Return where each cell starts, and how wide they are; of few places each is a cell."""
    count = len(places)
    if count <= EXACT:
        return np.arange(count), 0.0
    low, middle, high = places[count // 10], places[count // 2], places[(9 * count) // 10]
    spread = 0.5 * (high - low)
    edges = middle + spread * np.linspace(-REACH, REACH, 2 * REACH * PER_SPREAD + 1)
    bounds = np.searchsorted(places, edges)
    starts = np.concatenate([np.arange(bounds[0]), bounds, np.arange(bounds[-1], count)])
    return np.unique(starts[starts < count]), float(spread / PER_SPREAD)


def _pool(
    places: FloatArray,
    positives: FloatArray | BoolArray,
    weights: FloatArray,
    targets: tuple[float, float],
    starts: IntArray,
) -> Sums:
    """Add up every cell, a cacheful of places at a time."""
    middle, (high, low) = places[len(places) // 2], targets
    one_each = positives.dtype == np.bool_
    held, firsts, seconds = np.zeros((3, len(starts)))
    positive = moment = 0.0
    for begin in range(0, len(places), CHUNK):
        part = slice(begin, begin + CHUNK)
        cells = slice(
            np.searchsorted(starts, begin, side="right") - 1,
            np.searchsorted(starts, begin + CHUNK),
        )
        ends = np.maximum(starts[cells] - begin, 0)
        place, column = places[part] - middle, positives[part]
        positive += float(np.count_nonzero(column) if one_each else column.sum())
        moment += float((column * place).sum())
        if one_each:
            held[cells] += np.diff(ends, append=len(place))
            weighted = place.copy()
        else:
            held[cells] += np.add.reduceat(weights[part], ends)
            weighted = weights[part] * place
        firsts[cells] += np.add.reduceat(weighted, ends)
        weighted *= place
        seconds[cells] += np.add.reduceat(weighted, ends)
    means = firsts / held
    variances = np.maximum(seconds / held - means * means, 0.0)
    if len(starts) == len(places):
        means, variances = places - middle, np.zeros(len(places))
    positive, moment = (
        high * part + low * (whole - part)
        for part, whole in ((positive, held.sum()), (moment, firsts.sum()))
    )
    return Sums(means + middle, held, variances, float(positive), float(moment + middle * positive))


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
