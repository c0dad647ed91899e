"""Sums that do not depend on the order of their terms."""

import math
from collections.abc import Iterator

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray


def exact_parts(terms: FloatArray) -> Iterator[FloatArray]:
    """Split terms into parts any sum of which is exact, whatever the order; least part last.

    Each part keeps so few leading bits that the sum of all of it fits a double (the extraction of
    Rump, Ogita and Oishi 2008, https://doi.org/10.1137/050645671). Whole numbers are one part.
    Terms whose sum is beyond doubles cannot be split and are one part, too.

    >>> [part.tolist() for part in exact_parts(np.array([3.0, 4.0]))]
    [[3.0, 4.0]]
    """
    if (terms == np.rint(terms)).all() and np.abs(terms).sum() < 2.0**53:
        yield terms
        return
    while terms.any():
        bound = len(terms) * float(np.abs(terms).max())
        if not bound < 2.0**1021:
            yield terms
            return
        unit = 2.0 * 2.0 ** math.frexp(bound)[1]
        leading = terms + unit
        leading -= unit
        yield leading
        terms = terms - leading


def sum_runs(terms: FloatArray, starts: IntArray) -> FloatArray:
    """Return the sums of terms from each start up to the next.

    The sums of the parts are exact, and so is what is lost where they are added to one another. So
    every sum is the same to the last bit whatever the order of terms in its run, or the other runs.

    >>> sum_runs(np.array([0.1, 0.2, 0.3]), np.array([0, 2]))
    array([0.3, 0.3])
    """
    total, lost = np.zeros(len(starts)), np.zeros(len(starts))
    for part in exact_parts(terms):
        term = np.add.reduceat(part, starts)
        # Knuth's two-sum: total + term = larger + error, exactly.
        larger = total + term
        added = larger - total
        lost += (total - (larger - added)) + (term - added)
        total = larger
    return total + lost
