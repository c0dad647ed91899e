"""Cells, and the curves that the blend is made of, against their definitions."""

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit, log_expit, logit, ndtr

from truing.numerics.bayesian_curve import SMOOTH, bayesian_curves, free_curve
from truing.numerics.cells import BEYOND, Cells, pool_cells
from truing.numerics.local_curve import kernel_curve, local_curve
from truing.numerics.parametric_curve import parametric_curve

INNER = slice(len(BEYOND), -len(BEYOND))


def draw(seed=0, places=60, cases=6, folds=0, share=0.5):
    rng = np.random.default_rng(seed)
    where = np.sort(rng.normal(0, 2, places))
    totals = rng.integers(1, cases, places).astype(float)
    positives = rng.binomial(totals.astype(int), share * expit(1.3 * where + np.sin(3 * where)))
    positives[places // 2] = totals[places // 2] = 1
    return pool_cells(where, totals - positives, positives.astype(float), folds)


def test_few_places_are_a_cell_each():
    rng = np.random.default_rng(1)
    places, positives = np.arange(400.0), rng.integers(0, 3, 400).astype(float)
    negatives = rng.integers(1, 9, 400).astype(float)
    cells = pool_cells(places, negatives, positives)
    np.testing.assert_array_equal(cells.places, places)
    np.testing.assert_array_equal(cells.negatives, [negatives])
    np.testing.assert_array_equal(cells.positives, [positives])
    mass = 0.5 * (negatives / negatives.sum() + positives / positives.sum())
    ranks = [mass[:at].sum() + 0.5 * mass[at] for at in range(400)]
    np.testing.assert_allclose(cells.ranks, ranks, rtol=0, atol=1e-14)


@pytest.mark.parametrize("share", [0.5, 0.001])
def test_many_places_are_pooled_into_cells_of_equal_mass(share):
    rng = np.random.default_rng(2)
    places = np.sort(rng.normal(size=20_000))
    positives = (rng.random(20_000) < share * expit(places)).astype(float)
    negatives = 1.0 - positives
    cells = pool_cells(places, negatives, positives)
    assert len(cells.places) <= 401
    assert cells.positives.sum() == positives.sum()
    assert cells.negatives.sum() == negatives.sum()
    mass = 0.5 * (negatives / negatives.sum() + positives / positives.sum())
    middle = np.cumsum(mass) - 0.5 * mass
    cell = np.floor(400 * middle + 1e-6)
    parts = [cell == number for number in np.unique(cell)]
    held = np.array([mass[part].sum() for part in parts])
    assert held.max() <= 1 / 400 + mass.max() * 1.001
    expected = [np.average(places[part], weights=mass[part]) for part in parts]
    np.testing.assert_allclose(cells.places, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(cells.ranks, np.cumsum(held) - 0.5 * held, rtol=0, atol=1e-12)
    assert (np.diff(cells.places) > 0).all()


def test_a_crowded_place_is_a_cell_of_its_own():
    places = np.arange(5000.0)
    negatives, positives = np.ones(5000), np.ones(5000)
    negatives[2500] = 1e5
    cells = pool_cells(places, negatives, positives)
    at = int(np.argmax(cells.negatives))
    # Its mass reaches over many cells, so that only places half a cell away could share it.
    assert abs(cells.places[at] - 2500) < 1


def test_weights_in_fractions_do_not_move_borders():
    """Middles of equal masses fall on borders; the rounding of a sum must not decide there."""
    rng = np.random.default_rng(3)
    places = np.arange(4000.0)
    positives = rng.permutation(np.repeat([0.0, 1.0], 2000))
    whole = pool_cells(places, 1.0 - positives, positives)
    for size in (0.1, 1 / 3, 1e-9, 7e11):
        other = pool_cells(places, size * (1.0 - positives), size * positives)
        np.testing.assert_allclose(other.places, whole.places, rtol=1e-13)
        np.testing.assert_allclose(other.positives, size * whole.positives, rtol=1e-12)


def test_rows_of_folds_are_what_is_left_without_each():
    cells = draw(folds=7)
    left_out = cells.totals[0] - cells.totals[1:]
    assert (left_out >= 0).all()
    np.testing.assert_array_equal(left_out.sum(axis=0), cells.totals[0])
    assert (cells.positives <= cells.positives[0]).all()


def test_curves_are_told_beyond_both_ends():
    cells = draw()
    assert (np.diff(cells.knots) > 0).all()
    np.testing.assert_array_equal(cells.at_places(cells.knots), cells.places)
    assert cells.knots[0] == cells.places[0] - 128
    assert cells.knots[-1] == cells.places[-1] + 128
    values = np.arange(2.0 * len(cells.places)).reshape(2, -1)
    told = cells.extend(values)
    np.testing.assert_array_equal(cells.at_places(told), values)
    assert (told[:, :5] == values[:, :1]).all()
    assert (told[:, -5:] == values[:, -1:]).all()


@pytest.mark.parametrize("window", [0.02, 0.3])
def test_kernel_by_its_definition(window):
    cells = draw(folds=3)
    told = kernel_curve(cells, window)
    overall = cells.positives[0].sum() / cells.totals[0].sum()
    for row in range(4):
        positives, totals = cells.positives[row], cells.totals[row]
        mean = (positives.sum() + overall) / (totals.sum() + 1)
        for at, rank in enumerate(cells.ranks):
            near = np.exp(-(((rank - cells.ranks) / window) ** 2) / 2)
            share = (near @ positives + mean) / (near @ totals + 1)
            least = 0.5 / (totals.sum() + 1)
            expected = logit(np.clip(share, least, 1 - least))
            assert told[row, INNER][at] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("window", [0.02, 0.16, 0.7])
@pytest.mark.parametrize("share", [0.02, 0.9])
def test_local_sigmoids_by_an_independent_optimiser(window, share):
    cells = draw(seed=5, places=24, folds=2, share=share)  # few enough for anchors at each
    pilot = parametric_curve(cells, bent=False)
    told = local_curve(cells, pilot, window)
    for row in range(3):
        line, positives, totals = pilot[row, INNER], cells.positives[row], cells.totals[row]
        for at, place in enumerate(cells.places):
            near = np.exp(-(((cells.ranks[at] - cells.ranks) / window) ** 2))
            apart = cells.places - place
            apart = apart / max(np.sqrt(np.average(apart**2, weights=near)), 1e-9)

            def cost(found, near=near, apart=apart, line=line, cases=(positives, totals)):
                height, slope = found
                lines, (won, held) = line + height + slope * apart, cases
                gained = won * log_expit(lines) + (held - won) * log_expit(-lines)
                return 0.5 * (height**2 + slope**2) - near @ gained

            best = optimize.minimize(cost, [0, 0], method="BFGS", options={"gtol": 1e-9})
            height = told[row, INNER][at] - line[at]
            assert height == pytest.approx(best.x[0], abs=1e-5)


@pytest.mark.parametrize("size", [1e6, 1e11])
def test_local_sigmoids_are_found_where_counts_are_huge(size):
    """Newton's method in long steps went to and fro here."""
    rng = np.random.default_rng(10)
    z = np.sort(rng.normal(size=100))
    positives = size * (rng.random(100) < expit(z))
    cells = pool_cells(z, size - positives, positives)
    for window in (0.02, 0.3):
        pilot = parametric_curve(cells, bent=False)
        told = (local_curve(cells, pilot, window) - pilot)[0, INNER]
        shifted = pilot + 1e-3
        again = (local_curve(cells, shifted, window) - pilot)[0, INNER]
        assert np.isfinite(told).all()
        assert np.abs(again - told).max() < 2e-3


def test_anchors_between_are_joined_by_lines():
    cells = draw(seed=6, places=300)
    pilot = parametric_curve(cells, bent=False)
    told = (local_curve(cells, pilot, 0.3) - pilot)[0, INNER]
    anchors = np.unique(np.linspace(0, 299, 30).astype(int))
    joined = np.interp(cells.ranks, cells.ranks[anchors], told[anchors])
    np.testing.assert_allclose(told, joined, rtol=0, atol=1e-12)


def test_line_and_beta_curve_by_an_independent_optimiser():
    cells = draw(seed=7, places=200, folds=2)
    for bent in (False, True):
        told = parametric_curve(cells, bent=bent)
        z = cells.places
        columns = [np.ones_like(z), z] + ([np.logaddexp(0, z)] if bent else [])
        for row in range(3):
            positives, negatives = cells.positives[row], cells.negatives[row]

            def cost(found, columns=columns, positives=positives, negatives=negatives):
                line = np.column_stack(columns) @ found
                missed = positives * expit(-line) - negatives * expit(line)
                value = positives @ log_expit(line) + negatives @ log_expit(-line)
                return -value, -(missed @ np.column_stack(columns))

            start = np.zeros(len(columns))
            best = optimize.minimize(cost, start, jac=True, options={"gtol": 1e-8}).x
            line = np.column_stack(columns) @ best
            if bent:
                design = np.column_stack(columns)
                bend = expit(line) * expit(-line) * cells.totals[row]
                inverse = np.linalg.inv((design * bend[:, None]).T @ design)
                variances = np.einsum("ij,jk,ik->i", design, inverse, design)
                line = line / np.sqrt(1 + np.pi / 8 * variances)
            np.testing.assert_allclose(told[row, INNER], line, rtol=0, atol=0.02)


def test_a_beta_curve_of_separated_classes_stays_in_reach():
    z = np.linspace(-3, 3, 20)
    cells = pool_cells(z, (z < 0).astype(float), (z > 0).astype(float))
    told = parametric_curve(cells, bent=True)[0]
    assert np.abs(told).max() < 8  # however far out: the curve is not known there


def test_smoothed_labels_are_platts():
    cells = draw(folds=3)
    smoothed = cells.with_smoothed_labels()
    for row in range(4):
        positive, negative = cells.positives[row].sum(), cells.negatives[row].sum()
        expected = cells.positives[row] * (positive + 1) / (positive + 2)
        expected = expected + cells.negatives[row] / (negative + 2)
        np.testing.assert_allclose(smoothed.positives[row], expected, rtol=1e-13)
    np.testing.assert_allclose(smoothed.totals, cells.totals, rtol=1e-13)


def test_free_curve_by_an_independent_optimiser():
    cells = draw(seed=5, places=40, cases=8)
    smoothed = cells.with_smoothed_labels()
    positives, totals = smoothed.positives[0], smoothed.totals[0]
    centre = np.average(cells.places, weights=totals)
    spread = np.sqrt(np.average((cells.places - centre) ** 2, weights=totals))
    waves = np.arange(1, 21)
    columns = np.column_stack(
        [
            np.ones(len(cells.places)),
            (cells.places - centre) / spread,
            2 * cells.ranks - 1,
            np.sqrt(2) * np.cos(np.pi * np.outer(cells.ranks, waves)) / waves**2,
        ]
    )
    curves, evidence = [], []
    for smooth in SMOOTH:
        design = columns * np.array([10.0, 10.0, *[smooth] * 21])

        def cost(mode, design=design):
            line = cells.places + design @ mode
            told = positives @ log_expit(line) + (totals - positives) @ log_expit(-line)
            return 0.5 * mode @ mode - told

        found = optimize.minimize(cost, np.zeros(23), method="BFGS", options={"gtol": 1e-7})
        line = cells.places + design @ found.x
        bend = totals * expit(line) * expit(-line)
        curvature = np.eye(23) + (design * bend[:, None]).T @ design
        curves.append(expit(line))
        evidence.append(-found.fun - 0.5 * np.linalg.slogdet(curvature)[1])
    weights = np.exp(0.4 * (np.array(evidence) - max(evidence)))
    expected = weights @ np.array(curves) / weights.sum()
    told = expit(cells.at_places(free_curve(cells))[0])
    np.testing.assert_allclose(told, expected, rtol=0, atol=1e-5)


def test_mean_and_quantiles_of_the_mixture():
    cells = draw(seed=8, folds=2)
    curves = bayesian_curves(cells)
    np.testing.assert_allclose(curves.weights.sum(axis=1), 1, rtol=1e-12)
    nodes, weights = np.polynomial.hermite_e.hermegauss(90)
    weights = weights / weights.sum()
    inside = (0, slice(None), INNER)
    chances = expit(
        curves.log_odds[inside][..., None] + curves.deviations[inside][..., None] * nodes
    )
    expected = np.einsum("p,pkn,n->k", curves.weights[0], chances, weights)
    np.testing.assert_allclose(expit(curves.mean()[0, INNER]), expected, rtol=0.03)
    for share in (0.025, 0.5, 0.9):
        told = curves.quantile(share)[0]
        for at in range(0, len(told), 7):
            middles, widths = curves.log_odds[0, :, at], curves.deviations[0, :, at]

            def beyond(line, middles=middles, widths=widths, share=share):
                return curves.weights[0] @ ndtr((line - middles) / widths) - share

            ends = (middles - 9 * widths).min(), (middles + 9 * widths).max()
            assert told[at] == pytest.approx(optimize.brentq(beyond, *ends), abs=1e-8)


def test_quantiles_grow_with_the_share():
    curves = bayesian_curves(draw(seed=9))
    ends = [curves.quantile(share)[0] for share in np.linspace(0.001, 0.999, 40)]
    assert (np.diff(ends, axis=0) >= 0).all()


def test_the_one_prior_that_is_true_gives_the_known_posterior():
    """With one cell nothing but the bias is told: normal, and its likelihood binomial."""
    cells = Cells(np.zeros(1), np.full(1, 0.5), np.array([[3.0]]), np.array([[9.0]]))
    curves = bayesian_curves(cells)
    widest = curves.log_odds[0, -6, INNER]  # the bias with scale 40, no waves
    assert widest == pytest.approx(np.log(3) + (0.75 - 0.25) / (2 * 12 * 0.75 * 0.25), abs=0.01)
    assert curves.deviations[0, -6, INNER] == pytest.approx(1 / np.sqrt(12 * 0.75 * 0.25), abs=0.01)
