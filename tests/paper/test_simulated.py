"""The simulated data are what they are said to be."""

import numpy as np
import pytest
from scipy import stats

from truing import OptionError
from truing.paper import circular_data


def test_disc_and_ring():
    points, label = circular_data(20_000, seed=3)
    radius = np.hypot(*points.T)
    assert np.bincount(label).tolist() == [10_000, 10_000]
    for kind in (0, 1):
        held = radius[label == kind]
        assert 2 * kind <= held.min() < held.max() <= 2 * kind + 2
        assert stats.kstest(held, "uniform", (2 * kind, 2)).pvalue > 0.001
    angle = np.arctan2(*points.T)
    assert stats.kstest(angle, "uniform", (-np.pi, 2 * np.pi)).pvalue > 0.001


def test_a_seed_is_a_draw():
    first, again, other = (circular_data(100, seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("size", [3, 0, -2, 2.5, "many"])
def test_sizes_that_cannot_be_halved_are_refused(size):
    with pytest.raises(OptionError, match="size is"):
        circular_data(size)
