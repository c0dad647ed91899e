"""Local curves: at every place a share of positives, or a sigmoid, from the cases around it."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.cells import Cells
from truing.numerics.log_odds import log_odds, sigmoid

ANCHORS = 30
STEPS, LONGEST, CLOSE = 60, 1.0, 1e-10


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
    heights = [
        _heights(line, near * positives, near * totals, apart) for line, positives, totals in rows
    ]
    local = [np.interp(cells.ranks, cells.ranks[anchors], height) for height in heights]
    return pilot + cells.extend(np.array(local))


def _anchors(count: int, window: float) -> IntArray:
    number = max(ANCHORS, int(3.0 / window))
    return np.unique(np.linspace(0, count - 1, number).astype(np.int64))


def _heights(
    line: FloatArray, positives: FloatArray, totals: FloatArray, apart: FloatArray
) -> FloatArray:
    """Return how far each anchor's own line lies above the pilot there, by Newton's method.

    The prior bounds the curvature from below, and a step is at most one unit long.
    """
    height, slope = np.zeros((2, len(apart), 1))
    for _ in range(STEPS):
        chance = sigmoid(line + height + slope * apart)
        missed, bend = positives - totals * chance, totals * chance * (1.0 - chance)
        bent = bend * apart
        sums = (missed, missed * apart, bend, bent, bent * apart)
        up, turn, first, cross, second = (part.sum(axis=1, keepdims=True) for part in sums)
        up, turn, first, second = up - height, turn - slope, first + 1.0, second + 1.0
        area = first * second - cross * cross
        rise = np.clip((second * up - cross * turn) / area, -LONGEST, LONGEST)
        tilt = np.clip((first * turn - cross * up) / area, -LONGEST, LONGEST)
        height, slope = height + rise, slope + tilt
        if max(np.abs(rise).max(), np.abs(tilt).max()) < CLOSE:
            break
    return height[:, 0]
