"""Sums that do not depend on the order of their terms."""

from collections.abc import Iterator

import numpy as np

from truing.numerics.arrays import FloatArray, IntArray


def exact_parts(terms: FloatArray) -> Iterator[FloatArray]:
    """Split terms into parts any sum of which is exact, whatever the order; least part last.

    Each part keeps so few leading bits that the sum of all of it fits a double (the extraction of
    Rump, Ogita and Oishi 2008, https://doi.org/10.1137/050645671). Whole numbers are one part.

    >>> [part.tolist() for part in exact_parts(np.array([3.0, 4.0]))]
    [[3.0, 4.0]]
    """
    if (terms == np.rint(terms)).all() and terms.sum() < 2.0**53:
        yield terms
        return
    while terms.any():
        exponent = int(np.frexp(len(terms) * np.abs(terms).max())[1])
        unit = np.ldexp(1.0, exponent + 1)
        leading = terms + unit
        leading -= unit
        yield leading
        terms = terms - leading


def sum_runs(terms: FloatArray, starts: IntArray) -> FloatArray:
    """Return the sums of non-negative terms from each start up to the next.

    They are sums of exact sums: the same to the last bit whatever the order of terms in a run.

    >>> sum_runs(np.array([0.1, 0.2, 0.3]), np.array([0, 2]))
    array([0.3, 0.3])
    """
    total = np.zeros(len(starts))
    for part in reversed(list(exact_parts(terms))):
        total += np.add.reduceat(part, starts)
    return total
