"""Drawing a curve as straight lines, to a stated tolerance."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from truing.numerics.arrays import BoolArray, FloatArray
from truing.numerics.log_odds import sigmoid

Curve: TypeAlias = Callable[[FloatArray], FloatArray]

PLACES = (0.25, 0.5, 0.75)  # where a line is held against the curve
MARGIN = 0.5  # of the tolerance, for what happens between those places
SPARED = 0.3  # of the tolerance, for knots that are left out
SHORTEST = 1e-308  # of the pieces over which probabilities rise by a slope that doubles hold
MOST_KNOTS = 10_000_000  # beyond, no table is worth its memory
ROUNDS = 1100  # halvings from the widest to the narrowest interval that doubles have


class TooManyKnotsError(ValueError):
    """The curve cannot be drawn to this tolerance within memory."""


def draw_lines(
    function: Curve, knots: FloatArray, tolerance: float, *, as_log_odds: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return knots and values whose straight lines stay within the tolerance of the function.

    The given knots must be increasing and close enough together that the curve has no detail which
    quarters of an interval miss. An interval whose line is too far from the curve is halved, until
    none is or it holds no further double. If the function tells log-odds, the lines are those of
    its probabilities, and a peak between far knots at which the probability is 0 is noticed by how
    the log-odds bend.

    >>> knots, values = draw_lines(np.sin, np.linspace(0, 3, 4), 1e-3)
    >>> x = np.linspace(0, 3, 1000)
    >>> bool(np.abs(np.interp(x, knots, values) - np.sin(x)).max() < 1e-3)
    True
    """
    link: Curve = sigmoid if as_log_odds else np.asarray
    at_knots = function(knots)
    done = [(knots, link(at_knots))]
    left, right, low, high = knots[:-1], knots[1:], at_knots[:-1], at_knots[1:]
    for _ in range(ROUNDS):
        if not len(left):
            break
        middle, told = 0.5 * left + 0.5 * right, [low]
        bend = np.zeros(len(left))
        for place in PLACES:
            at = (1.0 - place) * left + place * right
            told.append(function(at))
            # The line is judged where rounding really put the point, not where it was meant to be,
            # and a piece too short for its slope to be a double has none.
            run = right - left
            share = np.divide(at - left, run, out=np.zeros(len(at)), where=run > SHORTEST)
            line = (1.0 - share) * link(low) + share * link(high)
            bend = np.maximum(bend, np.abs(link(told[-1]) - line))
        split = bend > MARGIN * tolerance
        if as_log_odds:
            split |= _may_hide_a_peak(np.stack([*told, high]), -np.log(MARGIN * tolerance))
        split &= (left < middle) & (middle < right)
        middle, at_middle = middle[split], told[2][split]
        done.append((middle, link(at_middle)))
        if sum(len(part) for part, _ in done) > MOST_KNOTS:
            raise TooManyKnotsError(
                f"The curve needs more than {MOST_KNOTS:,} knots for a tolerance of {tolerance:g}; "
                "a larger tolerance needs fewer."
            )
        left, right = np.r_[left[split], middle], np.r_[middle, right[split]]
        low, high = np.r_[low[split], at_middle], np.r_[at_middle, high[split]]
    knots, values = (np.concatenate(column) for column in zip(*done, strict=True))
    order = np.argsort(knots)
    return _thinned(knots[order], values[order], SPARED * tolerance)


def _thinned(knots: FloatArray, values: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    """Return as few of the knots as lines need that pass all others within the reach.

    From a knot that is kept, a line that passes those after it within the reach has a slope from
    `low` to `high`. The knot before the first whose own line has not is kept next.
    """
    x, y = knots.tolist(), values.tolist()
    kept, anchor, at = [0], 0, 1
    low, high = -np.inf, np.inf
    while at < len(x):
        run, rise = x[at] - x[anchor], y[at] - y[anchor]
        if SHORTEST <= run < np.inf:
            passes = low <= rise / run <= high
        else:
            # Of two such points one may lie above, one below, and none behind a jump.
            passes = run < SHORTEST and abs(rise) <= 0.5 * reach and low <= high
        if passes or SHORTEST <= run < np.inf:
            low, high = max(low, (rise - reach) / run), min(high, (rise + reach) / run)
        else:
            low, high = np.inf, -np.inf  # a jump, or too long for a double: no line passes it
        if passes or at == anchor + 1:
            at += 1
            continue
        anchor = at - 1
        kept.append(anchor)
        low, high = -np.inf, np.inf
    if kept[-1] != len(x) - 1:
        kept.append(len(x) - 1)
    return knots[kept], values[kept]


def _may_hide_a_peak(log_odds: FloatArray, level: float) -> BoolArray:
    """Whether log-odds beyond a level at evenly spaced places may come back within it between them.

    A parabola leaves the range of its samples by an eighth of their second difference at most.
    """
    with np.errstate(invalid="ignore"):  # infinite log-odds hide nothing
        turn = np.abs(np.diff(log_odds, n=2, axis=0)).max(axis=0)
        highest, lowest = log_odds.max(axis=0), log_odds.min(axis=0)
        from_below = (highest < -level) & (highest + turn > -level)
        from_above = (lowest > level) & (lowest - turn < level)
    hides: BoolArray = from_below | from_above
    return hides
