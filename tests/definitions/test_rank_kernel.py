"""Kernels over ranks against their definition, added up case by case."""

import numpy as np
import pytest
from scipy.special import expit, logit

from truing import KernelCalibrator, OptionError, ScoreTable
from truing.numerics import rank_kernel

DEFINED = {
    "boxcar": lambda u: float(u <= 1 + 1e-9),
    "triangular": lambda u: max(1 - u, 0),
    "epanechnikov": lambda u: max(1 - u * u, 0),
    "tricube": lambda u: max(1 - u**3, 0) ** 3,
    "gaussian": lambda u: np.exp(-u * u / 2),
}
WINDOWS = [0.64 * 2.0 ** (-k / 2) for k in range(11)]  # for a thousand cases and the Gaussian
REACH = {"boxcar": 3, "triangular": 6, "epanechnikov": 5, "tricube": 243 / 35, "gaussian": 1}


def draw(rng, n, *, ties=False, weighted=False):
    """Probabilities, labels that follow them badly, and weights."""
    scores = rng.beta(0.5, 1, n)
    if ties:
        scores = np.round(scores, 1)
    labels = (rng.uniform(0, 1, n) < 0.2 + 0.6 * np.sin(3 * scores) ** 2).astype(int)
    labels[:2] = 0, 1
    return scores, labels, rng.uniform(0.2, 3, n) if weighted else np.ones(n)


def ranks(scores, labels, weights):
    """The rank of each case: the mass below its score and half the mass at it."""
    mass = np.array(
        [w / weights[labels == y].sum() / 2 for y, w in zip(labels, weights, strict=True)]
    )
    return np.array([mass[scores < s].sum() + mass[scores == s].sum() / 2 for s in scores])


def share(kernel, window, rank, told):
    """The share of positives around a rank, of cases (rank, label, weight)."""
    prevalence = sum(w for _, y, w in told) and np.average(
        [y for _, y, _ in told], weights=[w for _, _, w in told]
    )
    near = [(DEFINED[kernel](abs(rank - u) / window) * w, y) for u, y, w in told]
    return (sum(k for k, y in near if y) + prevalence) / (sum(k for k, _ in near) + 1)


@pytest.mark.parametrize("kernel", DEFINED)
@pytest.mark.parametrize(("ties", "weighted"), [(False, False), (True, False), (True, True)])
def test_share_of_positives_around_a_rank(kernel, ties, weighted):
    scores, labels, weights = draw(np.random.default_rng(3), 120, ties=ties, weighted=weighted)
    rank = ranks(scores, labels, weights)
    told = list(zip(rank, labels, weights, strict=True))
    expected = [share(kernel, 0.07, u, told) for u in rank]
    fitted = KernelCalibrator(kernel, 0.07, scale="rank").fit(scores, labels, weights)
    np.testing.assert_allclose(fitted.transform(scores), expected, rtol=1e-10)
    between = np.linspace(-1, 2, 500)
    first = np.unique(scores, return_index=True)[1]
    lines = np.interp(between, scores[first], logit(np.array(expected)[first]))
    np.testing.assert_allclose(fitted.transform(between), expit(lines), rtol=1e-10)


@pytest.mark.parametrize("kernel", DEFINED)
@pytest.mark.parametrize("ties", [False, True])
def test_windows_are_weighed_by_the_likelihood_of_cases_left_out(kernel, ties):
    scores, labels, _ = draw(np.random.default_rng(4), 90, ties=ties)
    table = ScoreTable.from_arrays(scores, labels)
    rank = dict(zip(scores, ranks(scores, labels, np.ones(90)), strict=True))

    def cases(part):
        counts = zip(part.scores, part.negatives, part.positives, strict=True)
        return [(rank[s], y, w) for s, *held in counts for y, w in enumerate(held) if w]

    whole = cases(table)
    prevalence = labels.mean()
    likelihoods, shares = [], []
    for window in np.array(WINDOWS) * (90 / 1000) ** (-1 / 3) * REACH[kernel] ** 0.5:
        likelihood = 0.0
        for train, test in table.folds(5):
            told = cases(train)
            for u, y, w in cases(test):
                near = [(DEFINED[kernel](abs(u - v) / window) * n, label) for v, label, n in told]
                positive = sum(k for k, label in near if label) + prevalence
                p = positive / (sum(k for k, _ in near) + 1)
                likelihood += w * np.log(p if y else 1 - p)
        likelihoods.append(likelihood)
        shares.append([share(kernel, window, rank[s], whole) for s in table.scores])
    expected = np.average(shares, axis=0, weights=np.exp(np.array(likelihoods) - max(likelihoods)))
    fitted = KernelCalibrator(kernel, "cross-validated", scale="rank").fit_table(table)
    np.testing.assert_allclose(fitted.transform(table.scores), expected, rtol=1e-9)


def test_silverman_rule_goes_over_ranks():
    scores, labels, _ = draw(np.random.default_rng(5), 80)
    rank = np.sort(ranks(scores, labels, np.ones(80)))
    width = 1.06 * np.std(rank, ddof=1) * 80**-0.2
    ruled, given = (
        KernelCalibrator("tricube", bandwidth, scale="rank").fit(scores, labels)
        for bandwidth in ("silverman", width)
    )
    np.testing.assert_allclose(ruled.transform(scores), given.transform(scores), rtol=1e-12)


@pytest.mark.parametrize("kernel", DEFINED)
def test_only_the_order_of_scores_matters(kernel):
    scores, labels, _ = draw(np.random.default_rng(6), 2000)
    stretched = np.exp(5 * scores) - 100
    one, other = (
        KernelCalibrator(kernel, "cross-validated", scale="rank").fit(x, labels)
        for x in (scores, stretched)
    )
    places = one.map_.knots
    moved = np.exp(5 * places) - 100
    np.testing.assert_allclose(other.transform(moved), one.transform(places), rtol=1e-12)


@pytest.mark.parametrize("kernel", ["boxcar", "epanechnikov", "gaussian"])
def test_pooling_moves_answers_little(kernel, monkeypatch):
    scores, labels, _ = draw(np.random.default_rng(7), 2500)
    queries = np.sort(scores)
    pooled, exact = [], []
    for bandwidth in ("cross-validated", 0.05):
        calibrator = KernelCalibrator(kernel, bandwidth, scale="rank")
        pooled.append(calibrator.fit(scores, labels).transform(queries))
        with monkeypatch.context() as patch:
            patch.setattr(rank_kernel, "CELLS", 2500)
            exact.append(calibrator.fit(scores, labels).transform(queries))
    apart = np.abs(np.array(pooled) - np.array(exact))
    assert apart.mean() < 0.004
    assert apart.max() < 0.05


def test_cells_hold_all_cases_and_share_the_mass():
    rng = np.random.default_rng(8)
    positives = (rng.random(100_000) < 0.03).astype(float)
    cells = rank_kernel.rank_cells(1 - positives, positives)
    assert cells.positives.sum() == positives.sum()
    assert cells.negatives.sum() == 100_000 - positives.sum()
    mass = cells.positives / cells.positives.sum() + cells.negatives / cells.negatives.sum()
    assert len(mass) <= rank_kernel.CELLS
    assert mass.max() < 2.5 / rank_kernel.CELLS * 2
    assert cells.knots[0] == 0
    assert cells.knots[-1] == 99_999


def test_windows_shrink_as_cases_grow():
    few, many = (rank_kernel.windows_to_try(total, "gaussian") for total in (1e3, 1e6))
    np.testing.assert_allclose(many, few / 10)


def test_a_number_narrower_than_a_cell_is_a_cell():
    scores, labels, _ = draw(np.random.default_rng(9), 3000)
    one, other = (
        KernelCalibrator(bandwidth=width, scale="rank").fit(scores, labels).transform(scores)
        for width in (1e-9, 1 / rank_kernel.CELLS)
    )
    assert np.array_equal(one, other)


@pytest.mark.parametrize("kernel", DEFINED)
def test_a_window_that_reaches_nobody_answers_with_each_score_and_the_prevalence(kernel):
    fitted = KernelCalibrator(kernel, 1e-310, scale="rank").fit([0.1, 0.2, 0.3, 0.3], [0, 0, 1, 1])
    np.testing.assert_allclose(fitted.transform([0.1, 0.2, 0.3]), [0.25, 0.25, 2.5 / 3])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"bandwidth": "cross-validated"}, r"bandwidth is 'cross-val.*scale='score' .*leave-one"),
        ({"bandwidth": "leave-one-out", "scale": "rank"}, r"bandwidth is .*scale='rank' .*cross-v"),
        ({"scale": "rank", "per_class": True}, r"per_class is True; with scale=\"rank\""),
    ],
)
def test_options_that_do_not_go_together(options, reason):
    with pytest.raises(OptionError, match=reason):
        KernelCalibrator(**options).fit([0.1, 0.9], [0, 1])
