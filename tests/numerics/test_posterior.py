"""Posteriors of logistic regression against scipy's optimisers and quadratures."""

import numpy as np
import pytest
from scipy import optimize
from scipy.integrate import dblquad, quad
from scipy.special import expit, log_expit

from truing.numerics.posterior import (
    Problems,
    find_posterior,
    log_likelihood,
    mean_from_mode,
    mean_of_sigmoid,
)

SEPARATED = "separated"


def problems(kind, size=1.0, columns=3, places=40):
    rng = np.random.default_rng(columns)
    design = np.column_stack([np.ones(places), rng.normal(size=(places, columns - 1))])
    offset = rng.normal(size=places)
    totals = size * rng.integers(0, 5, (4, places)).astype(float)
    chance = expit(offset + design @ rng.normal(size=columns))
    positives = np.round(totals * chance)
    if kind == SEPARATED:
        positives = totals * (design[:, 1] > 0.1)
    if kind == "rare":
        positives[:] = 0.0
        positives[:, 7] = totals[:, 7] = size
    scales = np.tile([0.1, 1.0, 10.0, 100.0], (columns, 1)).T.copy()
    return Problems(design, offset, positives, totals, scales)


def objective(given, row, mode):
    """Log-likelihood and log prior as they are defined, and the gradient."""
    line = given.offset + given.design @ (given.scales[row] * mode)
    positives, totals = given.positives[row], given.totals[row]
    told = positives @ log_expit(line) + (totals - positives) @ log_expit(-line)
    slope = ((positives - totals * expit(line)) @ given.design) * given.scales[row] - mode
    return told - 0.5 * mode @ mode, slope


def curvature(given, row, mode):
    chance = expit(given.offset + given.design @ (given.scales[row] * mode))
    scaled = given.design * given.scales[row]
    bend = given.totals[row] * chance * (1 - chance)
    return np.einsum("i,ij,ik->jk", bend, scaled, scaled) + np.eye(len(mode))


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("kind", ["plain", "rare", SEPARATED])
def test_modes_are_where_scipy_finds_no_way_up(kind, size):
    given = problems(kind, size)
    found = find_posterior(given)
    for row, mode in enumerate(found.mode):
        best, slope = objective(given, row, mode)
        # The gradient against the curvature is how far away the mode still is.
        step = np.linalg.solve(curvature(given, row, mode), slope)
        assert np.abs(step).max() < 1e-7 * (1.0 + np.abs(mode).max())
        other = optimize.minimize(
            lambda m, r=row: [-part for part in objective(given, r, m)], 0 * mode, jac=True
        )
        assert best >= -other.fun - 1e-9 * abs(best)
        assert found.objective[row] == pytest.approx(best, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(
            found.curvature[row], curvature(given, row, mode), rtol=2e-6, atol=1e-6
        )


def test_a_start_far_away_ends_at_the_same_modes():
    given = problems("plain")
    near = find_posterior(given)
    far = find_posterior(given, np.full(given.scales.shape, 25.0))
    np.testing.assert_allclose(far.mode, near.mode, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("columns", "size"), [(1, 3.0), (2, 3.0), (1, 1e3), (2, 100.0)])
def test_evidence_is_the_integral_up_to_laplaces_error(columns, size):
    given = problems("plain", size, columns, places=12)
    found = find_posterior(given)
    for row in range(3):
        mode, best = found.mode[row], found.objective[row]
        reach = 9.0 / np.sqrt(np.linalg.eigvalsh(found.curvature[row])[0])

        def density(*at, row=row, mode=mode, best=best):
            told, _ = objective(given, row, mode + np.array(at))
            return np.exp(told - best)

        if columns == 1:
            integral, _ = quad(density, -reach, reach, epsabs=0, epsrel=1e-9, limit=500)
        else:
            integral, _ = dblquad(density, -reach, reach, -reach, reach, epsabs=1e-9, epsrel=1e-5)
        exact = best + np.log(integral) - 0.5 * columns * np.log(2 * np.pi)
        assert found.log_evidence[row] == pytest.approx(exact, abs=0.25 / size)


@pytest.mark.parametrize(("positive", "total"), [(2.0, 1e6), (5.0, 50.0), (30.0, 40.0)])
def test_mean_is_nearer_to_the_true_one_than_the_mode(positive, total):
    scale = 10.0
    given = Problems(
        np.ones((1, 1)),
        np.zeros(1),
        np.array([[positive]]),
        np.array([[total]]),
        np.array([[scale]]),
    )
    found = find_posterior(given)
    mode = found.mode[0, 0] * scale
    deviation = found.deviations(np.ones((1, 1)), given.scales)
    told = mean_from_mode(given, found, deviation)[0, 0] * scale

    def density(line):
        told = positive * log_expit(line) + (total - positive) * log_expit(-line)
        return np.exp(told - 0.5 * (line / scale) ** 2 - found.objective[0])

    reach = mode - 12 * deviation[0, 0], mode + 12 * deviation[0, 0]
    mass = quad(density, *reach, epsrel=1e-10)[0]
    mean = quad(lambda line: line * density(line), *reach, epsrel=1e-10)[0] / mass
    assert abs(told - mean) < 0.3 * abs(mode - mean)


def test_deviations_are_those_of_the_inverse_curvature():
    given = problems("plain")
    found = find_posterior(given)
    told = found.deviations(given.design, given.scales)
    for row, deviations in enumerate(told):
        scaled = given.design * given.scales[row]
        inverse = np.linalg.inv(found.curvature[row])
        np.testing.assert_allclose(deviations**2, np.diag(scaled @ inverse @ scaled.T), rtol=1e-9)


@pytest.mark.parametrize("mean", [-300.0, -40.0, -12.0, -5.0, -2.0, -0.5, -0.01, 0.0])
@pytest.mark.parametrize("deviation", [0.0, 0.1, 0.7, 1.5, 3.0])
def test_mean_of_a_sigmoid_by_quadrature(mean, deviation):
    told = mean_of_sigmoid(np.array([mean]), np.array([deviation]))[0]
    places, weights = np.polynomial.hermite_e.hermegauss(150)
    expected = weights @ expit(mean + deviation * places) / weights.sum()
    assert told == pytest.approx(expected, rel=0.06)


def test_mean_of_a_sigmoid_has_no_jump_and_grows_with_the_mean():
    for deviation in (0.0, 0.3, 1.0, 4.0, 20.0, 1e3):
        means = -np.geomspace(1e-3, 1e6, 5000)[::-1]
        told = mean_of_sigmoid(means, np.full(5000, deviation))
        assert (np.diff(told) >= 0).all()
        assert told.max() <= 0.5
        edge = -0.5 * deviation**2
        around = mean_of_sigmoid(np.array([edge, np.nextafter(edge, 0)]), np.full(2, deviation))
        np.testing.assert_allclose(around[0], around[1], rtol=1e-12)


def test_log_likelihood_keeps_its_digits_far_out():
    line = np.array([[-800.0, 800.0, -40.0, 40.0]])
    told = log_likelihood(line, np.array([[0.0, 1.0, 0.0, 1.0]]), np.ones((1, 4)))
    assert told[0] == pytest.approx(-2 * np.exp(-40.0), rel=1e-12)
    missed = log_likelihood(line, np.array([[1.0, 0.0, 1.0, 0.0]]), np.ones((1, 4)))
    assert missed[0] == pytest.approx(-1680.0, rel=1e-12)
