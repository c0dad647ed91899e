"""Penalised logistic regression against scipy's minimiser, and at its own optimum."""

import numpy as np
import pytest
from scipy import optimize, special

from truing.numerics.penalised import Cases, fit_penalised


def cases(seed, size, columns, offset=False):
    rng = np.random.default_rng(seed)
    place = np.sort(rng.normal(0, 1, size))
    design = np.stack([place**power for power in range(columns)])
    weights = rng.uniform(0.5, 2, size)
    chance = special.expit(-0.5 + place - 0.3 * place**2)
    positives = weights * rng.binomial(3, chance) / 3
    return Cases(design, positives, weights, 0.3 * place if offset else None)


def cost(coefficients, given, penalty):
    line = coefficients @ given.design + (0 if given.offset is None else given.offset)
    likelihood = given.positives @ line - given.weights @ np.logaddexp(0, line)
    return 0.5 * penalty @ coefficients**2 - likelihood


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_the_fit_is_scipys_minimum(columns, ridge, offset):
    given = cases(columns, 200, columns, offset)
    penalty = ridge * np.arange(columns)
    expected = optimize.minimize(
        cost, np.zeros(columns), (given, penalty), method="BFGS", options={"gtol": 1e-8}
    )
    fitted = fit_penalised(given, penalty)
    assert fitted.cost == pytest.approx(expected.fun, rel=1e-12)
    np.testing.assert_allclose(fitted.coefficients, expected.x, rtol=0, atol=1e-5)
    assert np.abs(fitted.gradient).max() < 1e-11 * given.weights.sum()


@pytest.mark.parametrize("offset", [False, True])
def test_many_places_are_fitted_as_exactly_as_few(offset):
    given = cases(0, 50_000, 3, offset)
    fitted = fit_penalised(given)
    assert np.abs(fitted.gradient).max() < 1e-11 * given.weights.sum()
    again = fit_penalised(given, start=fitted.coefficients + 0.1)
    np.testing.assert_allclose(again.coefficients, fitted.coefficients, rtol=0, atol=1e-12)


def test_columns_that_say_the_same_are_shared():
    given = cases(1, 100, 2)
    twice = Cases(given.design[[0, 1, 1]], given.positives, given.weights)
    one, both = fit_penalised(given).coefficients, fit_penalised(twice).coefficients
    np.testing.assert_allclose([both[0], both[1] + both[2]], one, rtol=0, atol=1e-9)
