"""Centred isotonic regression against its definition, in exact fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from truing import CenteredIsotonicCalibrator, ScoreTable


def by_definition(table):
    """Knots and values: pool the first pair that does not increase, until none is left.

    Pairs of points at 0, or at 1, are left as they are.
    """
    points = [
        [Fraction(float(s)), Fraction(float(p)) / Fraction(float(w)), Fraction(float(w))]
        for s, p, w in zip(table.scores, table.positives, table.weights, strict=True)
    ]
    while True:
        pairs = pairwise(points)
        violates = (a[1] >= b[1] and not (a[1] == b[1] and a[1] in (0, 1)) for a, b in pairs)
        at = next((k for k, found in enumerate(violates) if found), None)
        if at is None:
            return [float(p[0]) for p in points], [float(p[1]) for p in points]
        (x, y, w), (x2, y2, w2) = points[at : at + 2]
        points[at : at + 2] = [[(x * w + x2 * w2) / (w + w2), (y * w + y2 * w2) / (w + w2), w + w2]]


@pytest.mark.parametrize("seed", range(60))
def test_lines_between_the_centres_of_blocks(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 60))
    scores = np.round(rng.normal(0, 2, size), int(rng.integers(0, 4)))
    labels = rng.random(size) < 1 / (1 + np.exp(-scores * rng.choice([-0.3, 0.5, 3.0])))
    labels[:2] = 0, 1
    weights = rng.integers(1, 4, size) / 4 if seed % 2 else None
    table = ScoreTable.from_arrays(scores, labels, weights)
    queries = np.r_[rng.uniform(-6, 6, 100), table.scores]
    expected = np.interp(queries, *by_definition(table))
    fitted = CenteredIsotonicCalibrator().fit_table(table)
    np.testing.assert_allclose(fitted.transform(queries), expected, rtol=0, atol=1e-12)
    assert fitted.map_.increasing


def test_equal_shares_are_one_block_however_their_sums_are_rounded():
    scores, labels = np.arange(6.0), [0, 1, 0, 1, 0, 1]
    weights = np.array([0.3, 0.1, 0.6, 0.2, 0.9, 0.3])  # shares of 1/4, three times, but for digits
    fitted = CenteredIsotonicCalibrator().fit(np.repeat(scores[::2], 2), labels, weights)
    assert len(fitted.map_.knots) == 1
    assert fitted.transform([7.0]) == pytest.approx(0.25, abs=1e-15)
