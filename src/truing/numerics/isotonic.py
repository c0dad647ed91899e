"""Isotonic regression: where its blocks begin."""

import numpy as np
from scipy.optimize import isotonic_regression

from truing.numerics.arrays import FloatArray, IntArray

# Shares of blocks are equal in truth if they are that close; sums of fractions know no better.
ALIKE = 1e-11


def isotonic_blocks(positives: FloatArray, weights: FloatArray) -> IntArray:
    """Return the first place of each block of the isotonic regression of shares of positives.

    Blocks that are next to each other may have the same share.

    >>> isotonic_blocks(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    array([0, 1, 3])
    """
    pooled = isotonic_regression(positives / weights, weights=weights)
    return np.asarray(pooled.blocks[:-1], dtype=np.intp)


def level_blocks(
    positives: FloatArray, weights: FloatArray, others: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the first place and the share of each level of the isotonic regression.

    Neighbouring blocks of the same share are one level. Others are the weights of the negatives:
    where a block has none of a class, its share is exactly 0 or 1.

    >>> level_blocks(np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4), np.array([1.0, 1.0, 0.0, 0.0]))
    (array([0, 2]), array([0., 1.]))
    """
    starts = isotonic_blocks(positives, weights)
    while True:
        held = np.add.reduceat(positives, starts)
        lacking = np.add.reduceat(others, starts)
        shares = np.where(lacking > 0.0, held / np.add.reduceat(weights, starts), 1.0)
        at_bound = np.where(held > 0.0, 0, 1) + np.where(lacking > 0.0, 0, 2)
        alike = shares[1:] - shares[:-1] <= ALIKE * shares[1:]
        alike &= at_bound[1:] == at_bound[:-1]
        if not alike.any():
            return starts, np.clip(shares, 0.0, 1.0)
        starts = starts[np.append(True, ~alike)]
