"""The spread of numbers over draws."""

import numpy as np

from truing.numerics.arrays import FloatArray

__all__ = ["spread_of"]


def spread_of(draws: FloatArray) -> FloatArray:
    """Return the standard deviation over draws, NaN where there is one draw only."""
    if len(draws) == 1:
        return np.full(draws.shape[1:], np.nan)
    return np.asarray(draws.std(axis=0, ddof=1))
