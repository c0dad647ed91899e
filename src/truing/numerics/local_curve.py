"""Local curves: at every place a share of positives, or a sigmoid, from the cases around it."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.cells import Cells
from truing.numerics.log_odds import log_odds, sigmoid

ANCHORS = 30
STEPS, LONGEST = 100, 30.0
CLOSE = 1e-7  # Newton squares its error: after a step this small nothing is left to gain
TOO_FAR = 0.5  # of the slope where a step began; more the other way, and it is halved


def kernel_curve(cells: Cells, window: float) -> FloatArray:
    """Return the log-odds, at the knots, of the share of positives around each rank.

    The kernel is Gaussian over ranks; one case of the mean share is added to every window, and no
    share is nearer to 0 or 1 than half a case among all. Outside the data it stays as it is.
    """
    near = np.exp(-0.5 * np.square((cells.ranks[:, None] - cells.ranks) / window))
    cases = cells.totals.sum(axis=1, keepdims=True)
    positives = cells.positives.sum(axis=1, keepdims=True)
    mean = (positives + positives[0] / cases[0]) / (cases + 1.0)  # of a fold that is all there is
    share = (cells.positives @ near + mean) / (cells.totals @ near + 1.0)
    least = 0.5 / (cases + 1.0)
    return cells.extend(log_odds(np.clip(share, least, 1.0 - least)))


def local_curve(cells: Cells, pilot: FloatArray, window: float) -> FloatArray:
    """Return the log-odds, at the knots, of a sigmoid fitted around each rank.

    The window is Gaussian over ranks. At each of some anchors a line is fitted, by the cases in the
    window, to what the pilot (a curve at the knots) leaves; both its coefficients are held towards
    0 by a standard normal prior.
    """
    anchors = _anchors(len(cells.places), window)
    near = np.exp(-np.square((cells.ranks[anchors][:, None] - cells.ranks) / window))
    apart = cells.places - cells.places[anchors][:, None]
    spread = np.sqrt((near * apart * apart).sum(axis=1) / near.sum(axis=1))
    apart /= np.maximum(spread, 1e-9)[:, None]
    rows = zip(cells.at_places(pilot), cells.positives, cells.totals, strict=True)
    at, local = np.zeros((2, len(anchors), 1)), np.empty(cells.totals.shape)
    for row, (line, positives, totals) in enumerate(rows):
        found = _sigmoids(line, near * positives, near * totals, apart, at)
        if row == 0:  # all cases: what folds leave is near
            at = found
        local[row] = np.interp(cells.ranks, cells.ranks[anchors], found[0, :, 0])
    return pilot + cells.extend(local)


def _anchors(count: int, window: float) -> IntArray:
    number = max(ANCHORS, int(3.0 / window))
    return np.unique(np.linspace(0, count - 1, number).astype(np.int64))


def _sigmoids(
    line: FloatArray, positives: FloatArray, totals: FloatArray, apart: FloatArray, at: FloatArray
) -> FloatArray:
    """Return how far each anchor's own line lies above the pilot there, and how much steeper it is.

    By Newton's method; the prior bounds the curvature from below. Whether a step went too far is
    told by the slope at its end, so that no likelihood is needed.
    """
    step, promised, square = np.zeros_like(at), np.zeros((len(apart), 1)), apart * apart
    for _ in range(STEPS):
        height, slope = at
        chance = sigmoid(line + height + slope * apart)
        bend = totals * chance
        missed = positives - bend
        bend *= np.subtract(1.0, chance, out=chance)
        gradient = np.array([_sums(missed), _sums(missed, apart)]) - at
        too_far = (gradient * step).sum(axis=0) < -TOO_FAR * promised
        curvature = 1.0 + _sums(bend), _sums(bend, apart), 1.0 + _sums(bend, square)
        newton = _newton_step(gradient, *curvature)
        at = at + np.where(too_far, -0.5 * step, newton)
        step = np.where(too_far, 0.5 * step, newton)
        promised = np.where(too_far, 0.5 * promised, (gradient * newton).sum(axis=0))
        if np.abs(step).max() < CLOSE:
            break
    return at


def _sums(values: FloatArray, factors: FloatArray | None = None) -> FloatArray:
    """Return the sum of each row, of products if there are factors."""
    if factors is None:
        told: FloatArray = values.sum(axis=1, keepdims=True)
    else:
        told = np.einsum("ij,ij->i", values, factors)[:, None]
    return told


def _newton_step(
    gradient: FloatArray, first: FloatArray, cross: FloatArray, second: FloatArray
) -> FloatArray:
    up, turn = gradient
    step = np.array([second * up - cross * turn, first * turn - cross * up])
    step /= first * second - cross * cross
    shorter: FloatArray = step / np.maximum(np.abs(step).max(axis=0) / LONGEST, 1.0)
    return shorter
