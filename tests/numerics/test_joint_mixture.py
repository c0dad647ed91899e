"""The mixture of scores and labels against brute force, one row at a time."""

import math

import numpy as np
import pytest
from scipy.special import betaln, digamma, gammaln
from scipy.stats import t as student_t

from truing import MixtureCalibrator
from truing.numerics import joint_mixture as module
from truing.numerics.joint_mixture import fit_joint_mixture, groups_of_equal_mass
from truing.numerics.mixture import find_components
from truing.numerics.mixture_cells import Cells, coarse_cells, labelled_cells, pooled_cells
from truing.numerics.mixture_update import Prior, update


def draw(n, seed=0):
    """Log-odds that follow a sine badly, and labels."""
    rng = np.random.default_rng(seed)
    scores = np.sort(2 * rng.normal(size=n))
    chances = 1 / (1 + np.exp(-scores - 1.2 * np.sin(2 * scores)))
    return scores, (rng.random(n) < chances).astype(float)


def single(scores, labels):
    """Cells of one row each."""
    rows = np.ones(len(scores))
    moments = np.stack([rows, scores, scores**2, labels])
    return Cells(rows, scores, np.zeros(len(scores)), moments)


def cells_of(scores, labels):
    places = (scores - scores.mean()) / scores.std(ddof=1)
    apart = [pooled_cells(places[labels == y], np.ones((labels == y).sum())) for y in (0, 1)]
    return labelled_cells(*map(coarse_cells, apart))


def by_brute_force(rows, sums, prior):
    """Free energy and next sums by the definition; the prior mean is 0."""
    alpha, rate, prevalence = prior
    xi, a0 = 0.01, 1.0
    counts = [row[0] for row in sums]
    energy, parts = 0.0, []
    for k, (n, first, second, positive) in enumerate(sums):
        g, h = 1 + n, alpha + sum(counts[k + 1 :])
        taken, left = digamma(g) - digamma(g + h), digamma(h) - digamma(g + h)
        energy += betaln(1, alpha) - betaln(g, h) + (g - 1) * taken + (h - alpha) * left
        x, a = xi + n, a0 + n / 2
        m = first / x
        b = rate + 0.5 * (second - x * m * m)
        log_precision, precision = digamma(a) - math.log(b), a / b
        energy += a * math.log(b) - gammaln(a) + (a - 1) * log_precision - b * precision
        energy -= a0 * math.log(rate) - gammaln(a0) + (a0 - 1) * log_precision - rate * precision
        energy += 0.5 * math.log(x) - 0.5
        energy -= 0.5 * math.log(xi) - 0.5 * xi * (1 / x + precision * m * m)
        c, d = prevalence + positive, 1 - prevalence + n - positive
        chance, rest = digamma(c) - digamma(c + d), digamma(d) - digamma(c + d)
        energy += betaln(prevalence, 1 - prevalence) - betaln(c, d)
        energy += (c - prevalence) * chance + (d - 1 + prevalence) * rest
        parts.append((taken, left, x, m, a, b, chance, rest))
    following = np.zeros((len(sums), 4))
    for score, label in rows:
        logs = []
        for k, (taken, _, x, m, a, b, chance, rest) in enumerate(parts):
            normal = digamma(a) - math.log(b) - math.log(2 * math.pi)
            normal -= 1 / x + a / b * (score - m) ** 2
            stick = taken + sum(before[1] for before in parts[:k])
            logs.append(stick + 0.5 * normal + (chance if label else rest))
        total = sum(map(math.exp, logs))
        energy -= math.log(total)
        held = np.exp(logs) / total
        following += held[:, None] * np.array([1, score, score**2, label])
    return energy, following


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("prevalence", [0.05, 0.6])
def test_one_update_by_definition(alpha, prevalence):
    scores = np.array([-1.4, -1.1, -0.9, 0.3, 0.5, 1.2, 1.4])
    labels = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    cells = single(scores, labels)
    held = np.array([scores > 0, scores <= 0]) * 0.8 + 0.1
    sums = held @ cells.moments.T
    prior = Prior(alpha, 0.02, prevalence)
    ours = update(cells, prior, sums)
    energy, following = by_brute_force(zip(scores, labels, strict=True), sums, prior)
    assert ours.free_energy == pytest.approx(energy, rel=1e-12)
    np.testing.assert_allclose(ours.successor, following, rtol=1e-12)


@pytest.mark.parametrize("n", [100, 1000, 20_000])
@pytest.mark.parametrize("count", [2, 10, 20])
def test_no_update_raises_the_free_energy(n, count):
    scores, labels = draw(n)
    cells, prior = cells_of(scores, labels), Prior(1.0, 0.01, labels.mean())
    step = update(cells, prior, groups_of_equal_mass(cells, count))
    energies = [step.free_energy]
    for _ in range(150):
        step = update(cells, prior, step.successor)
        energies.append(step.free_energy)
    assert max(np.diff(energies)) <= 1e-13 * n
    assert energies[-1] < energies[0]
    np.testing.assert_allclose(step.sums[:, [0, 3]].sum(axis=0), [n, labels.sum()])


@pytest.mark.parametrize("seed", range(5))
def test_every_split_gains_and_the_end_is_a_fixed_point(seed):
    scores, labels = draw(500, seed)
    cells, prior = cells_of(scores, labels), Prior(1.0, 0.01, labels.mean())
    path = find_components(cells, cells, prior, 20, 1e-5)
    energies = [step.free_energy for step in path]
    assert len(path) > 1
    assert max(np.diff(energies)) <= -1e-5 * 500
    assert np.abs(path[-1].successor - path[-1].sums).max() < 1e-9
    one, other, _ = fit_joint_mixture(scores, 1 - labels, labels)
    per_score = 500 * math.log(scores.std(ddof=1))
    np.testing.assert_allclose(one.free_energies, np.array(energies) + per_score)
    assert one.free_energies == other.free_energies


def test_positives_within_a_component_are_split_off_where_that_gains():
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.normal(0, 1, 500), rng.normal(0, 0.05, 500)])
    labels = np.repeat([0.0, 1.0], 500)
    order = np.argsort(scores)
    fitted = fit_joint_mixture(scores[order], 1 - labels[order], labels[order], truncation=2)
    narrow = fitted[1].scales[:2].argmin()
    assert fitted[1].cases[narrow] > 0.45 * 500 / 2
    assert fitted[0].cases[narrow] < 0.1 * 500 / 2


def test_groups_share_the_mass_of_both_classes():
    scores, labels = draw(400)
    cells = cells_of(scores, labels)
    counts, *_, positives = groups_of_equal_mass(cells, 7).T
    mass = positives / labels.sum() + (counts - positives) / (1 - labels).sum()
    np.testing.assert_allclose(mass, 2 / 7)


def test_labelled_cells_hold_all_cases_in_order():
    scores, labels = draw(20_000)
    cells = cells_of(scores, labels)
    assert len(cells.weights) < 700
    assert (np.diff(cells.means) >= 0).all()
    assert cells.weights @ cells.labels == labels.sum()
    assert cells.weights.sum() == 20_000
    assert cells.weights @ cells.moments[2] == pytest.approx(19_999, rel=1e-9)


@pytest.mark.parametrize("scale", ["score", "log-odds"])
def test_probability_is_the_components_share(scale):
    scores, labels = draw(300)
    scores = 1 / (1 + np.exp(-scores))
    fitted = MixtureCalibrator(joint=True, scale=scale).fit(scores, labels)
    negatives, positives = fitted.components_
    queries = np.linspace(0.01, 0.99, 50)
    read = np.log(queries / (1 - queries)) if scale == "log-odds" else queries
    for name in ("locations", "scales", "degrees"):
        assert np.array_equal(getattr(negatives, name), getattr(positives, name))
    odds = math.exp(fitted.map_.log_prior_odds)
    terms = [
        student_t.pdf(read, d, m, s)
        for d, m, s in zip(positives.degrees, positives.locations, positives.scales, strict=True)
    ]
    for_it, against = odds * positives.weights @ terms, negatives.weights @ terms
    np.testing.assert_allclose(fitted.transform(queries), for_it / (for_it + against), rtol=1e-9)
    chances = odds * positives.weights / (odds * positives.weights + negatives.weights)
    assert chances.min() <= fitted.transform(queries).min()
    assert fitted.transform(queries).max() <= chances.max()
    cases = [positives.cases.sum(), negatives.cases.sum()]
    np.testing.assert_allclose(cases, [labels.sum(), 300 - labels.sum()])


def test_far_outside_is_the_prevalence():
    scores, labels = draw(300)
    fitted = MixtureCalibrator(joint=True).fit(scores, labels)
    np.testing.assert_allclose(fitted.transform([-1e300, 1e300]), labels.mean(), atol=1e-3)


def test_one_component_tells_the_prevalence():
    scores, labels = draw(300)
    fitted = MixtureCalibrator(joint=True, truncation=1).fit(scores, labels)
    np.testing.assert_allclose(fitted.transform(scores), labels.mean(), rtol=1e-9)


def test_exchanged_labels_have_the_complement():
    scores, labels = draw(400)
    one, other = (
        MixtureCalibrator(joint=True).fit(scores, y).transform(scores) for y in (labels, 1 - labels)
    )
    # Only twins in place and weight know which class comes first.
    np.testing.assert_allclose(other, 1 - one, atol=0.02)


@pytest.mark.parametrize("n", [300, 3000, 25_000])
def test_rounding_in_the_weights_does_not_show(n):
    scores, labels = draw(n)
    weights = np.full(n, 0.7)
    shaken = weights * (1 + np.random.default_rng(6).uniform(-4e-16, 4e-16, n))
    one, other = (
        MixtureCalibrator(joint=True).fit(scores, labels, w).transform(scores)
        for w in (weights, shaken)
    )
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-10)


def test_coarse_cells_are_close_to_exact_ones(monkeypatch):
    scores, labels = draw(6000)
    pooled = MixtureCalibrator(joint=True).fit(scores, labels).transform(scores)
    monkeypatch.setattr(module, "coarse_cells", lambda cells: cells)
    finer = MixtureCalibrator(joint=True).fit(scores, labels).transform(scores)
    assert np.abs(pooled - finer).mean() < 0.002
