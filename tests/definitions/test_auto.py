"""The automatic choice against its definition, and stacking against an independent optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from truing import (
    AutoCalibrator,
    BetaCalibrator,
    DataError,
    HistogramCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    ScoreTable,
    TemperatureCalibrator,
)
from truing.numerics.stacking import stack

CANDIDATES = [TemperatureCalibrator(), PlattCalibrator(), HistogramCalibrator(5)]


def drawn(size=600, seed=0, bend=2.0):
    rng = np.random.default_rng(seed)
    truth = rng.random(size)
    return truth**bend, (rng.random(size) < truth).astype(int)


def lost_by_case(table, candidates, n_folds, loss):
    """Every held-out case's loss under each candidate, one case at a time."""
    rows = []
    for train, test in table.folds(n_folds):
        maps = [type(c)(**c.get_params()).fit_table(train).map_ for c in candidates]
        for score, positive, negative in zip(
            test.scores, test.positives, test.negatives, strict=True
        ):
            chances = np.array([each(score) for each in maps])
            rows += [(chances, 1)] * int(positive) + [(1 - chances, 0)] * int(negative)
    chances = np.array([chance for chance, _ in rows])
    return -np.log(chances) if loss == "log" else (1 - chances) ** 2


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("rule", ["best", "one-standard-error"])
def test_the_choice_is_what_the_definition_says(loss, rule):
    scores, labels = drawn()
    auto = AutoCalibrator(CANDIDATES, loss, rule, n_folds=4).fit(scores, labels)
    lost = lost_by_case(ScoreTable.from_arrays(scores, labels), CANDIDATES, 4, loss)
    mean = lost.mean(axis=0)
    best = mean.argmin()
    apart = lost - lost[:, [best]]
    errors = apart.std(axis=0) / np.sqrt(len(apart))
    np.testing.assert_allclose([trial.loss for trial in auto.trials_], mean, rtol=1e-12)
    np.testing.assert_allclose([trial.excess for trial in auto.trials_], mean - mean[best])
    np.testing.assert_allclose([t.standard_error for t in auto.trials_], errors, atol=1e-15)
    good = mean - mean[best] <= (errors if rule == "one-standard-error" else 0.0)
    chosen = int(good.argmax())
    assert repr(auto.chosen_) == repr(CANDIDATES[chosen])
    assert [trial.weight for trial in auto.trials_] == list(np.eye(3)[chosen])
    others = np.delete(np.arange(3), chosen)
    strongest = others[mean[others].argmin()]
    lead = lost[:, strongest] - lost[:, chosen]
    certainty = norm.cdf(lead.mean() / lead.std() * np.sqrt(len(lead)))
    assert auto.trials_.certainty == pytest.approx(certainty, abs=1e-12)
    alone = type(CANDIDATES[chosen])(**CANDIDATES[chosen].get_params()).fit(scores, labels)
    assert np.array_equal(auto.transform(scores), alone.transform(scores))


@pytest.mark.parametrize("loss", ["log", "brier"])
def test_a_stack_is_the_best_mixture_of_what_was_told_of_held_out_cases(loss):
    scores, labels = drawn(300)
    auto = AutoCalibrator(CANDIDATES, loss, "stacked", n_folds=3).fit(scores, labels)
    lost = lost_by_case(ScoreTable.from_arrays(scores, labels), CANDIDATES, 3, "brier")
    told = 1 - np.sqrt(lost)

    def objective(free):
        weights = np.exp(free - free.max())
        weights /= weights.sum()
        chance = told @ weights
        total = -np.log(chance).sum() if loss == "log" else ((1 - chance) ** 2).sum()
        return total - np.log(weights).sum()

    found = minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    expected = np.exp(found) / np.exp(found).sum()
    assert (expected > 0.01).all()  # else one is left out
    np.testing.assert_allclose([t.weight for t in auto.trials_], expected, atol=1e-6)
    alone = [type(c)(**c.get_params()).fit(scores, labels).transform(scores) for c in CANDIDATES]
    np.testing.assert_allclose(auto.transform(scores), expected @ alone, atol=1e-6)
    assert auto.chosen_ is None
    assert np.isnan(auto.trials_.certainty)


def test_stacking_does_not_mind_certainty_that_was_wrong():
    told = np.array([[0.0, 0.5], [1.0, 0.5]])
    weights = stack(told, np.array([1.0, 1e6]))
    assert weights[0] > 0.99
    assert (stack(told[:1], np.array([1e6])) > 0).all()


def test_it_finds_what_was_put_in():
    scores, labels = drawn(20_000, bend=2.0)
    auto = AutoCalibrator().fit(scores, labels)
    trials = {trial.name: trial for trial in auto.trials_}
    assert len(trials) == 10
    assert trials["BetaCalibrator()"].excess < 3 * trials["BetaCalibrator()"].standard_error + 1e-9
    assert trials["TemperatureCalibrator()"].excess > 0.01
    assert trials["TemperatureCalibrator()"].is_best < 0.001
    assert np.abs(auto.transform(scores) - np.sqrt(scores)).mean() < 0.01


def test_what_cannot_take_the_scores_is_left_out_with_the_reason():
    scores, labels = drawn()
    auto = AutoCalibrator([BetaCalibrator(), PlattCalibrator()]).fit(8 * scores - 4, labels)
    refused, chosen = auto.trials_
    assert "outside [0, 1]" in refused.refused
    assert chosen.weight == 1.0
    assert auto.trials_.certainty == 1.0
    assert "outside [0, 1]" in str(auto.trials_)
    with pytest.raises(DataError, match=r"No candidate takes these cases.*\[0, 1\]"):
        AutoCalibrator([BetaCalibrator()]).fit(8 * scores - 4, labels)


def test_a_single_case_of_a_class_leaves_nothing_to_be_tried():
    auto = AutoCalibrator([PlattCalibrator(), IsotonicCalibrator()]).fit([0.1, 0.2, 0.8], [0, 0, 1])
    assert repr(auto.chosen_) == "IsotonicCalibrator()"
    assert np.isnan([trial.loss for trial in auto.trials_]).all()
    assert "too few" in str(auto.trials_)


def test_many_scores_are_tried_on_a_grid_and_fitted_as_they_are():
    scores, labels = drawn(30_000)
    auto = AutoCalibrator(CANDIDATES, rule="best", n_folds=2).fit(scores, labels)
    lost = lost_by_case(ScoreTable.from_arrays(scores, labels), CANDIDATES, 2, "log").mean(axis=0)
    np.testing.assert_allclose([t.loss for t in auto.trials_], lost, atol=2e-3)  # other folds
    fitted = type(auto.chosen_)(**auto.chosen_.get_params()).fit(scores, labels)
    assert fitted.map_ == auto.map_


def test_the_default_can_be_drawn_as_lines():
    scores, labels = drawn()
    auto = AutoCalibrator().fit(scores, labels)
    at = np.linspace(0, 1, 5001)
    assert np.abs(auto.map_.tabulate(0.01)(at) - auto.transform(at)).max() <= 0.01


def test_a_stack_does_not_repeat_its_candidates_warnings():
    scores, _ = drawn()
    AutoCalibrator().fit(scores, scores > 0.4)  # any warning is an error here


def test_trials_print_in_columns():
    scores, labels = drawn()
    header, *rows = str(AutoCalibrator().fit(scores, labels).trials_).splitlines()
    assert {len(row) for row in rows} == {len(header)}


def test_a_candidate_keeps_its_own_options():
    scores, labels = drawn()
    auto = AutoCalibrator([PlattCalibrator(prior=0.1)]).fit(scores, labels)
    assert auto.map_ == PlattCalibrator(prior=0.1).fit(scores, labels).map_
