"""Scaling-binning against its definition, case by case."""

import numpy as np
import pytest

from truing import PlattCalibrator, ScalingBinningCalibrator, ScoreTable


def cases(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(30, 200))
    scores = rng.normal(0, 2, size) if seed % 2 else np.round(rng.uniform(0, 1, size), 3)
    labels = rng.random(size) < (np.tanh(scores) + 2) / 4
    return scores, labels.astype(int)


def binned(cuts, scores, told):
    """The mean of what is told in each bin; NaN where a bin is empty."""
    where = np.searchsorted(cuts, scores)
    means = [
        told[where == b].mean() if (where == b).any() else np.nan for b in range(len(cuts) + 1)
    ]
    return np.array(means)


def equal_cuts(scores, n_bins):
    """Midway behind the place where the count is nearest to k / B of all; of two the first."""
    count = len(scores)
    ends = [
        min(range(1, count + 1), key=lambda end, k=k: abs(end * n_bins - k * count))
        for k in range(1, n_bins)
    ]
    return np.unique([(scores[end - 1] + scores[end]) / 2 for end in ends if end < count])


@pytest.mark.parametrize("seed", range(10))
def test_each_bin_answers_the_mean_of_the_sigmoid_over_its_cases(seed):
    scores, labels = cases(seed)
    scores, first = np.unique(scores, return_index=True)
    labels = labels[first]
    told = PlattCalibrator().fit(scores, labels).transform(scores)
    cuts = equal_cuts(scores, 7)
    fitted = ScalingBinningCalibrator(n_bins=7).fit(scores, labels)
    expected = binned(cuts, scores, told)
    queries = np.linspace(scores[0], scores[-1], 50)
    answer = fitted.transform(queries)
    np.testing.assert_allclose(answer, expected[np.searchsorted(cuts, queries)], rtol=1e-12)
    assert fitted.map_.increasing


@pytest.mark.parametrize("seed", range(10))
def test_each_of_three_parts_has_its_own_work(seed):
    scores, labels = cases(seed)
    scores, first = np.unique(scores, return_index=True)
    table = ScoreTable.from_arrays(scores, labels[first])
    fitting, cutting, answering = (part for _, part in table.folds(3))
    sigmoid = PlattCalibrator(scale="score" if seed % 2 else "log-odds").fit_table(fitting)
    cuts = equal_cuts(cutting.scores, 5)
    values = binned(cuts, answering.scores, sigmoid.transform(answering.scores))
    spare = binned(cuts, cutting.scores, sigmoid.transform(cutting.scores))
    values = np.where(np.isnan(values), spare, values)
    fitted = ScalingBinningCalibrator(n_bins=5, split=True).fit_table(table)
    expected = values[np.searchsorted(cuts, scores)]
    np.testing.assert_allclose(fitted.transform(scores), expected, rtol=1e-12)


def test_margins_of_a_part_that_look_like_probabilities_stay_margins():
    scores = np.r_[np.linspace(0, 1, 200), 30.0]
    labels = np.arange(201) % 3 == 0
    fitted = ScalingBinningCalibrator(split=True).fit(scores, labels)
    told = ScalingBinningCalibrator(split=True, scale="score").fit(scores, labels)
    assert np.array_equal(fitted.transform(scores), told.transform(scores))
