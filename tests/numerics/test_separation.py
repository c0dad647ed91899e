"""Separation of two classes against linear programming over the functions' coefficients."""

import numpy as np
import pytest
from scipy.optimize import linprog

from truing.numerics.separation import parted, separates

LINES = {"zeros": 1}, lambda z: np.column_stack([np.ones_like(z), z])
PARABOLAS = {"zeros": 2}, lambda z: np.column_stack([np.ones_like(z), z, z * z])
BETAS = (
    {"zeros": 2},
    lambda z: np.column_stack([np.ones_like(z), -np.logaddexp(0, -z), np.logaddexp(0, z)]),
)
THROUGH_0 = {"zeros": 1, "fixed_zero": 0.0}, lambda z: z[:, None]
THROUGH_HALF = (
    {"zeros": 2, "fixed_zero": 0.0},
    lambda z: np.column_stack([np.log(2) - np.logaddexp(0, -z), np.logaddexp(0, z) - np.log(2)]),
)
FAMILIES = {
    "lines": LINES,
    "parabolas": PARABOLAS,
    "betas": BETAS,
    "through 0": THROUGH_0,
    "through one half": THROUGH_HALF,
}


def separates_by_programming(design, positives, negatives):
    """Whether some coefficients have design t >= 0 at positives, <= 0 at negatives, and not 0."""
    signed = np.concatenate([design[positives], -design[negatives]])
    found = linprog(-signed.sum(axis=0), -signed, np.zeros(len(signed)), bounds=(-1, 1))
    return -found.fun > 1e-7


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(60))
def test_separation_is_a_linear_program(family, seed):
    options, design = FAMILIES[family]
    rng = np.random.default_rng(seed)
    places = np.sort(rng.choice(np.arange(-4, 5), int(rng.integers(3, 8)), replace=False)) / 2.0
    signs = rng.choice([-1, 0, 1], len(places), p=[0.45, 0.1, 0.45])
    if seed % 2:
        signs = np.where(signs == 0, 0, np.sign(places - rng.choice(places) + 0.1))
    positives, negatives = signs >= 0, signs <= 0
    expected = separates_by_programming(design(places), positives, negatives)
    assert separates(places, positives, negatives, **options) == expected


@pytest.mark.parametrize("seed", range(100))
def test_what_a_threshold_parts_a_line_separates(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    signs = rng.choice([-1, 0, 1], size, p=[0.45, 0.1, 0.45])
    signs = np.sort(signs) * rng.choice([-1, 1]) if seed % 2 else signs
    positives, negatives = signs >= 0, signs <= 0
    if positives.any() and negatives.any():
        expected = separates(np.arange(size), positives, negatives, zeros=1)
        assert parted(positives, negatives) == expected
