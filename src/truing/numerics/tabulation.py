"""Drawing a curve as straight lines, to a stated tolerance."""

from collections.abc import Callable

import numpy as np

from truing.numerics.arrays import FloatArray

PLACES = (0.25, 0.5, 0.75)  # where a line is held against the curve
MARGIN = 0.5  # of the tolerance, for what happens between those places
ROUNDS = 1100  # halvings from the widest to the narrowest interval that doubles have


def draw_lines(
    function: Callable[[FloatArray], FloatArray], knots: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray]:
    """Return knots and values whose straight lines stay within the tolerance of the function.

    The given knots must be increasing and close enough together that the curve has no detail which
    quarters of an interval miss. An interval whose line is too far from the curve is halved, until
    none is or it holds no further double.

    >>> knots, values = draw_lines(np.sin, np.linspace(0, 3, 4), 1e-3)
    >>> x = np.linspace(0, 3, 1000)
    >>> bool(np.abs(np.interp(x, knots, values) - np.sin(x)).max() < 1e-3)
    True
    """
    values = function(knots)
    done: list[tuple[FloatArray, FloatArray]] = [(knots, values)]
    left, right, low, high = knots[:-1], knots[1:], values[:-1], values[1:]
    for _ in range(ROUNDS):
        if not len(left):
            break
        middle = 0.5 * left + 0.5 * right
        at_middle = function(middle)
        bend = np.zeros(len(left))
        for place in PLACES:
            at = (1.0 - place) * left + place * right
            # The line is judged where rounding really put the point, not where it was meant to be.
            share = np.divide(at - left, right - left, out=np.zeros(len(at)), where=right > left)
            line = low + share * (high - low)
            bend = np.maximum(bend, np.abs(function(at) - line))
        split = (bend > MARGIN * tolerance) & (left < middle) & (middle < right)
        middle, at_middle = middle[split], at_middle[split]
        done.append((middle, at_middle))
        left, right = np.r_[left[split], middle], np.r_[middle, right[split]]
        low, high = np.r_[low[split], at_middle], np.r_[at_middle, high[split]]
    knots, values = (np.concatenate(column) for column in zip(*done, strict=True))
    order = np.argsort(knots)
    return knots[order], values[order]
