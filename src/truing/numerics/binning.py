"""Where to cut sorted scores into bins."""

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray

# Sums of fractional weights depend on the order of adding by some 1e-16 of the total. Cuts are
# decided with more room than that, so that they do not.
ROOM = 1e-11


def equal_weight_cuts(weights: FloatArray, n_bins: int) -> IntArray:
    """Return the last place of each bin, for at most the given number of bins of equal weight.

    The k-th cut is where the weight up to and with a place is nearest to k / n_bins of all; of two
    equally near the first. Places are never split and bins never empty.

    >>> equal_weight_cuts(np.array([1.0, 1.0, 1.0, 5.0, 1.0, 1.0]), 3)
    array([2, 3, 5])
    """
    reached = np.cumsum(weights)
    if n_bins >= len(weights) and (weights == weights[0]).all():
        return np.arange(len(weights))
    cuts = nearest_places(reached, np.arange(1, n_bins) / n_bins)
    return np.unique(np.r_[cuts[cuts < len(weights) - 1], len(weights) - 1])


def nearest_places(reached: FloatArray, shares: FloatArray) -> IntArray:
    """Return where the weight reached is nearest to these shares of all; the first of two.

    >>> nearest_places(np.array([1.0, 2.0, 6.0]), np.array([0.1, 0.25, 0.9]))
    array([0, 0, 2])
    """
    total = reached[-1]
    targets = shares * total
    after = np.searchsorted(reached, targets - ROOM * total)
    before = np.maximum(after - 1, 0)
    nearer = targets - reached[before] <= reached[after] - targets + ROOM * total
    places: IntArray = np.where((after > 0) & nearer, before, after)
    return places


def equal_weight_sums(reached: FloatArray, n_bins: int, *columns: FloatArray) -> list[FloatArray]:
    """Return, of each column, its sums over bins of exactly equal weight.

    Takes the weight reached up to and with each place. Of a place that a border falls into, each
    bin gets what it holds of the weight. The error is that of adding up one bin, however many
    places come before it.

    >>> equal_weight_sums(np.array([1.0, 5.0, 6.0]), 2, np.array([1.0, 8.0, 1.0]))
    [array([5., 5.])]
    """
    borders = _inner_borders(reached, n_bins)
    cut = np.searchsorted(reached, borders, side="right")
    before = np.where(cut > 0, reached[cut - 1], 0.0)
    share = (borders - before) / (reached[cut] - before)
    starts = np.append(0, cut)
    empty = np.diff(starts, append=len(reached)) == 0
    sums = []
    for column in columns:
        held = np.add.reduceat(column, starts)
        held[empty] = 0.0  # of no places, reduceat takes one all the same
        moved = column[cut] * share  # back over the border
        sums.append(held - np.append(0.0, moved) + np.append(moved, 0.0))
    return sums


def equal_weight_ends(reached: FloatArray, n_bins: int) -> tuple[IntArray, IntArray]:
    """Return the first and the last place that each of such bins has a part of.

    >>> equal_weight_ends(np.array([1.0, 5.0, 6.0]), 2)
    (array([0, 1]), array([1, 2]))
    """
    borders, room = _inner_borders(reached, n_bins), ROOM * reached[-1]
    first = np.searchsorted(reached, borders + room, side="right")
    last = np.searchsorted(reached, borders - room, side="left")
    return np.append(0, first), np.append(last, len(reached) - 1)


def _inner_borders(reached: FloatArray, n_bins: int) -> FloatArray:
    # In this order a border between whole numbers of cases is exact.
    return np.arange(1, n_bins) * float(reached[-1]) / n_bins


def equal_width_cuts(scores: FloatArray, edges: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the last place of each bin that holds a score, and the cuts between such bins.

    A score on an edge belongs below it, as in scikit-learn's ``calibration_curve``. Between two
    neighbouring bins the cut is their edge; across empty bins it is the middle of what is empty.

    >>> equal_width_cuts(np.array([0.1, 0.15, 0.9]), np.linspace(0, 1, 6))
    (array([1, 2]), array([0.5]))
    """
    inner = edges[1:-1]
    held = np.searchsorted(inner, scores)
    lasts = np.flatnonzero(np.r_[held[1:] != held[:-1], True])
    ends, starts = inner[held[lasts[:-1]]], inner[held[lasts[1:]] - 1]
    return lasts, np.where(ends == starts, ends, 0.5 * ends + 0.5 * starts)


def midpoints(scores: FloatArray, lasts: IntArray) -> FloatArray:
    """Return the middles between each of these places and the next; always below the next."""
    left, right = scores[lasts], scores[lasts + 1]
    middles = 0.5 * left + 0.5 * right
    return np.where(middles < right, np.maximum(middles, left), left)


def weighted_centres(scores: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the weighted mean of the scores from each start up to the next.

    >>> weighted_centres(np.array([0.0, 1.0, 5.0]), np.array([1.0, 3.0, 2.0]), np.array([0, 2]))
    array([0.75, 5.  ])
    """
    ends = np.append(starts[1:], len(scores))
    # Shares of weight first: weighted scores might be beyond doubles.
    parts = weights / np.repeat(np.add.reduceat(weights, starts), ends - starts)
    with np.errstate(over="ignore"):
        centres = np.add.reduceat(parts * scores, starts)
    return np.clip(centres, scores[starts], scores[ends - 1])
