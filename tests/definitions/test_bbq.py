"""Bayesian binning into quantiles against its definition, binning by binning."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import betaln

from truing import BBQCalibrator, ScoreTable
from truing.calibrators import bbq


def split(table, n_bins):
    """The places of each bin: the k-th ends where the weight is nearest to k / B of all."""
    reached = np.cumsum([Fraction(weight) for weight in table.weights]).tolist()
    places = range(len(reached))
    targets = [Fraction(k, n_bins) * reached[-1] for k in range(1, n_bins + 1)]
    lasts = {
        min(places, key=lambda place, goal=goal: abs(reached[place] - goal)) for goal in targets
    }
    return np.split(np.arange(len(reached)), np.array(sorted(lasts))[:-1] + 1)


def by_definition(table, queries, cases, *, per_bin):
    """Evidence and answers of every binning."""
    root = table.total ** (1 / 3)
    most = max(1, min(np.ceil(table.total / 5), np.ceil(10 * root - 1e-9)))
    evidence, answers = [], []
    for n_bins in range(max(1, int(root / 10)), int(most) + 1):
        bins = split(table, n_bins)
        cuts = [(table.scores[a[-1]] + table.scores[b[0]]) / 2 for a, b in pairwise(bins)]
        middles = np.clip((np.r_[0, cuts] + np.r_[cuts, 1]) / 2, 0.005, 0.995)
        strength = cases if per_bin else cases / len(bins)
        one = np.array([table.positives[b].sum() for b in bins])
        two = np.array([table.negatives[b].sum() for b in bins])
        prior = strength * middles, strength * (1 - middles)
        evidence.append((betaln(one + prior[0], two + prior[1]) - betaln(*prior)).sum())
        means = (one + prior[0]) / (one + two + strength)
        answers.append(means[np.searchsorted(cuts, queries)])
    return np.array(evidence), np.array(answers)


def cases(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 120))
    scores = np.round(rng.random(size), int(rng.integers(1, 4)))
    labels = rng.random(size) < 0.1 + 0.8 * scores ** rng.choice([0.3, 1, 5])
    labels[:2] = 0, 1
    weights = rng.integers(1, 20, size) / 4 if seed % 2 else None
    return ScoreTable.from_arrays(scores, labels, weights), np.r_[scores, rng.random(50), 0, 1]


@pytest.mark.parametrize("per_bin", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_all_binnings_are_averaged_by_their_evidence(seed, per_bin):
    table, queries = cases(seed)
    evidence, answers = by_definition(table, queries, 2.0, per_bin=per_bin)
    share = np.exp(evidence - evidence.max())
    fitted = BBQCalibrator(per_bin=per_bin).fit_table(table)
    expected = share @ answers / share.sum()
    np.testing.assert_allclose(fitted.transform(queries), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(15))
def test_the_best_binning_alone(seed):
    table, queries = cases(seed)
    evidence, answers = by_definition(table, queries, 0.7, per_bin=True)
    fitted = BBQCalibrator(average=False, prior_cases=0.7).fit_table(table)
    best = np.argmax(evidence > evidence.max() - 1e-9)
    np.testing.assert_allclose(fitted.transform(queries), answers[best], rtol=0, atol=1e-12)


def test_of_very_many_cases_some_numbers_of_bins_are_tried():
    for total in [1.0, 5.0, 100.0, 1e6]:
        counts = bbq._bin_counts(total)
        assert (np.diff(counts) == 1).all()
    for total in [1e7, 1e9, 1e12]:
        counts = bbq._bin_counts(total)
        assert counts[0] == np.floor(np.cbrt(total) / 10 + 1e-9)
        assert counts[-1] == np.ceil(10 * np.cbrt(total) - 1e-6)
        assert len(counts) > 20
        assert counts.sum() < 600_000
        assert np.ptp(np.diff(np.log(counts[counts > 1000]))) < 0.01
