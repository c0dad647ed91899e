"""Whether a function with few zeros separates two classes, and what to fit where one does."""

from typing import TypeVar

import numpy as np

from truing.numerics.arrays import BoolArray, FloatArray, IntArray

__all__ = ["parted", "separates", "smoothed_targets"]

Number = TypeVar("Number", float, FloatArray)
BOTH = 0  # the symbol of a place that holds both classes, or where the function is 0 in any case


def smoothed_targets(positive: Number, negative: Number) -> tuple[Number, Number]:
    """Return Platt's labels (1999) for positives and negatives, which keep likelihoods finite.

    >>> smoothed_targets(8.0, 3.0)
    (0.9, 0.2)
    """
    return (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0)


def parted(has_positives: BoolArray, has_negatives: BoolArray) -> bool:
    """Whether some threshold has all of one class on one side, ties at the threshold aside.

    >>> parted(np.array([False, True, True]), np.array([True, True, False]))
    True
    """
    first_positive, first_negative = has_positives.argmax(), has_negatives.argmax()
    last_positive, last_negative = has_positives[::-1].argmax(), has_negatives[::-1].argmax()
    count = len(has_positives) - 1
    return bool(count - last_negative <= first_positive or count - last_positive <= first_negative)


def separates(
    places: FloatArray,
    has_positives: BoolArray,
    has_negatives: BoolArray,
    *,
    zeros: int,
    fixed_zero: float | None = None,
) -> bool:
    """Whether a function with at most so many zeros has all positives on its one side.

    The functions are those that may have their zeros anywhere, such as straight lines (one zero)
    and parabolas (two, which may coincide); or all of them share a zero. Places at which the
    function is 0 may hold both classes. Where one separates, a likelihood along its multiples has
    no maximum.

    >>> no, yes = np.array([False]), np.array([True])
    >>> places, bowl = np.arange(3.0), np.r_[yes, no, yes]
    >>> separates(places, bowl, ~bowl, zeros=1), separates(places, bowl, ~bowl, zeros=2)
    (False, True)
    """
    symbols = has_positives.astype(np.int64) - has_negatives
    if fixed_zero is not None:
        at = int(np.searchsorted(places, fixed_zero))
        if at < len(places) and places[at] == fixed_zero:
            symbols[at] = BOTH
        else:
            symbols = np.insert(symbols, at, BOTH)
    runs = symbols[np.r_[True, (symbols[1:] != symbols[:-1]) | (symbols[1:] == BOTH)]]
    signed = runs[runs != BOTH]
    changes = int((signed[1:] != signed[:-1]).sum())
    if max(changes, len(runs) - len(signed)) > zeros:
        return False
    return _fewest_zeros(runs) <= zeros


def _fewest_zeros(runs: IntArray) -> int:
    """Return how many zeros a function needs that is positive, negative and 0 in this order."""
    beyond = len(runs) * 3 + 3
    above, below = 0, 0  # zeros so far, if the function is now above, or below
    for symbol in runs.tolist():
        above, below = min(above, below + 1), min(below, above + 1)
        if symbol == BOTH:  # it is crossed, or touched as by two zeros at once
            above, below = min(below + 1, above + 2), min(above + 1, below + 2)
        else:
            above, below = (above, beyond) if symbol > 0 else (beyond, below)
    return min(above, below)
