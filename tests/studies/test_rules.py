"""The numbers of the study are what its rules say."""

import time
from dataclasses import replace

import numpy as np
import pytest

import rules
from curves import SHAPES
from judge import Verdict, brier, calibration_error, judge, log_loss
from methods import Fitted, Method
from results import Results, task_named
from standings import Contest
from tasks import Cases, tasks_of

NO_PROBABILITIES = "answers that are no probabilities"
TRUTH = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
ANSWERS = np.array([0.1, 0.3, 0.5, 0.7, 0.6])
CASES = Cases(ANSWERS, np.array([0.0, 0.0, 1.0, 1.0, 1.0]), ANSWERS, TRUTH, floor=0.2)


def method(fit):
    return Method("some", "numpy", fit)


def test_losses_are_expectations_over_the_label():
    def expected(loss):
        pairs = zip(TRUTH, ANSWERS, strict=True)
        return np.mean([q * loss(1, p) + (1 - q) * loss(0, p) for q, p in pairs])

    told = expected(lambda y, p: -np.log(p if y else 1 - p))
    assert log_loss(TRUTH, ANSWERS) == pytest.approx(told, rel=1e-14)
    assert brier(TRUTH, ANSWERS) == pytest.approx(expected(lambda y, p: (y - p) ** 2), rel=1e-14)


def test_log_loss_of_what_was_thought_impossible_is_that_of_scikit_learn():
    assert log_loss(np.array([1.0]), np.array([0.0])) == pytest.approx(52 * np.log(2))


def test_calibration_error_is_over_bins_of_equal_mass_that_keep_ties_together():
    answers = np.repeat(np.linspace(0.1, 0.9, rules.BINS), 4)
    truth = answers + np.repeat(np.resize([0.1, -0.1, 0.02], rules.BINS), 4)
    assert calibration_error(truth, answers) == pytest.approx(0.22 / 3)
    tied = np.array([0.4] * 30 + [0.6] * 30)
    truth = np.resize([0.0, 1.0], 60)
    assert calibration_error(truth, tied) == pytest.approx(0.1)


def test_regret_and_coverage_are_told_where_the_truth_is_known():
    def fit(scores, labels):
        return Fitted(lambda at: at, lambda at: (at - 0.15, at + 0.15))

    verdict = judge(method(fit), CASES)
    assert verdict.regret == pytest.approx(log_loss(TRUTH, ANSWERS) - 0.2)
    assert verdict.coverage == 3 / 5
    unknown = judge(method(fit), replace(CASES, floor=None))
    assert unknown.regret is unknown.coverage is None


def failing(scores, labels):
    raise ValueError("no such curve")


@pytest.mark.parametrize(
    ("fit", "reason"),
    [
        (failing, "ValueError: no such curve"),
        (lambda scores, labels: Fitted(lambda at: at + 1.0), "answers that are no probabilities"),
        (
            lambda scores, labels: Fitted(lambda at: at * np.nan),
            "answers that are no probabilities",
        ),
        (lambda scores, labels: Fitted(lambda at: at[1:]), "answers that are no probabilities"),
        (lambda scores, labels: time.sleep(5.0), "more than 0.05 s"),
    ],
)
def test_failures_are_kept_with_their_reason(fit, reason, monkeypatch):
    monkeypatch.setattr(rules, "PATIENCE", 0.05)
    assert judge(method(fit), CASES) == Verdict(5, failure=reason)


def verdicts(*losses):
    return {
        f"curve/wave/{100 * at}/1": Verdict(100 * at, loss, loss, failure="" if loss else "it did")
        for at, loss in enumerate(losses, start=1)
        if loss != "not run"
    }


def test_a_win_is_a_lower_loss_and_a_tie_counts_half():
    found = {
        "ours": verdicts(0.5, 0.5, 0.5, None, None, 0.5, "not run"),
        "betacal": verdicts(0.6, 0.4, 0.5 + 1e-10, None, 0.5, None, 0.5),
    }
    duel = Contest(found).duel("ours", "betacal", "log_loss")
    np.testing.assert_array_equal(duel, [1.0, 0.0, 0.5, 0.5, 0.0, 1.0, np.nan])
    assert Contest(found).standing("ours").wins == 0.5
    assert Contest(found).standing("ours").failures == 2


def test_an_avoidable_regret_is_one_that_a_simpler_method_does_not_have():
    def with_regret(*regrets):
        pairs = zip(verdicts(*regrets).items(), regrets, strict=True)
        return {name: replace(verdict, regret=regret) for (name, verdict), regret in pairs}

    found = {"ours": with_regret(0.06, 0.06, 0.04), rules.NONE: with_regret(0.07, 0.02, 0.01)}
    assert Contest(found).standing("ours").avoidable == ("curve/wave/200/1",)


def test_results_come_back_and_can_be_forgotten(tmp_path):
    results, [first, second] = Results(tmp_path), [task_named(name) for name in verdicts(0.1, 0.2)]
    full = Verdict(100, 0.1234567891, 0.1, 0.01, 0.02, 0.9, 1e-5, 2.0)
    results.add(first, {"some method": full})
    results.add(second, {"some method": Verdict(200, failure='it said "no", twice')})
    kept = results.of("some method")
    assert kept == {first.name: full, second.name: Verdict(200, failure='it said "no", twice')}
    results.forget("some method", [first])
    assert set(results.of("some method")) == {second.name}


def test_the_two_sets_have_no_task_in_common():
    names = [{task.name for task in tasks_of(which)} for which in rules.SEEDS]
    assert not names[0] & names[1]
    for which in rules.SEEDS:
        tasks = tasks_of(which)
        assert sum(task.kind == "curve" for task in tasks) >= 60
        assert [task_named(task.name) for task in tasks] == tasks


@pytest.mark.parametrize("name", ["curve/rare/300/1", "real/wine 0/decision tree/1"])
def test_a_task_is_the_same_whenever_it_is_made(name):
    once, again = task_named(name).make(), task_named(name).make()
    for field in ("scores", "labels", "test_scores", "truth"):
        np.testing.assert_array_equal(getattr(once, field), getattr(again, field))
    assert set(np.unique(once.labels)) == {0.0, 1.0}


@pytest.mark.parametrize("shape", SHAPES)
def test_scores_and_truths_of_a_shape_are_probabilities(shape):
    random = np.random.default_rng(0)
    for _ in range(3):
        scores, truth = SHAPES[shape].draw(random)(2000)
        assert scores.shape == truth.shape == (2000,)
        assert min(scores.min(), truth.min()) >= 0.0
        assert max(scores.max(), truth.max()) <= 1.0
        rarer = min(truth.mean(), 1.0 - truth.mean())
        assert SHAPES[shape].rarity / 4 < rarer
