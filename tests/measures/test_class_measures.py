"""Measures of many classes, held to their definitions."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from truing import (
    DataError,
    Evaluation,
    MulticlassEvaluation,
    OptionError,
    accuracy,
    brier_score,
    classwise_calibration_error,
    evaluate,
    expected_calibration_error,
    log_loss,
    roc_auc,
    root_mean_squared_error,
    top_label_calibration_error,
)
from truing.measures.multiclass_evaluation import CLASS_TITLES
from truing.table import ClassTable

RNG = np.random.default_rng(3)
CHANCES = RNG.dirichlet([1.0, 2.0, 0.5, 1.0], 300)
LABELS = (CHANCES.cumsum(axis=1) < RNG.random((300, 1))).sum(axis=1)
WEIGHTS = RNG.integers(1, 4, 300).astype(float)
ROWS = np.arange(300)
MEASURES = list(CLASS_TITLES)
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)


@pytest.mark.parametrize("weight", [None, WEIGHTS])
def test_scikit_learn_says_the_same(weight):
    for ours, theirs in (
        (log_loss, sklearn.metrics.log_loss),
        (brier_score, sklearn.metrics.brier_score_loss),
    ):
        expected = theirs(LABELS, CHANCES, sample_weight=weight)
        assert ours(LABELS, CHANCES, sample_weight=weight) == pytest.approx(expected, rel=1e-12)
    top = CHANCES.argmax(axis=1)
    expected = sklearn.metrics.accuracy_score(LABELS, top, sample_weight=weight)
    assert accuracy(LABELS, CHANCES, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_class_by_class_it_is_the_mean_of_the_errors_against_the_rest(strategy):
    errors = [
        expected_calibration_error(place == LABELS, CHANCES[:, place], 7, strategy, WEIGHTS)
        for place in range(4)
    ]
    found = classwise_calibration_error(
        LABELS, CHANCES, n_bins=7, strategy=strategy, sample_weight=WEIGHTS
    )
    assert found == pytest.approx(np.mean(errors), rel=1e-12)


def test_of_the_top_label_by_brute_force():
    confidence, top = CHANCES.max(axis=1), CHANCES.argmax(axis=1)
    right = top == LABELS
    error = 0.0
    for low in np.arange(0.0, 1.0, 0.1):
        here = (confidence > low) & (confidence <= low + 0.1)
        if here.any():
            error += here.mean() * abs(right[here].mean() - confidence[here].mean())
    found = top_label_calibration_error(LABELS, CHANCES, strategy="uniform")
    assert found == pytest.approx(error, abs=1e-12)


def test_of_the_top_label_by_class():
    confidence, top = CHANCES.max(axis=1), CHANCES.argmax(axis=1)
    error = sum(
        (place == top).mean()
        * expected_calibration_error((place == LABELS)[top == place], confidence[top == place], 3)
        for place in np.unique(top)
    )
    found = top_label_calibration_error(LABELS, CHANCES, n_bins=3, by_class=True)
    assert found == pytest.approx(error, rel=1e-12)
    assert found >= top_label_calibration_error(LABELS, CHANCES, n_bins=1)


@every_measure
@settings(max_examples=15, deadline=None, derandomize=True)
@given(order=st.permutations(range(300)))
def test_neither_order_nor_repetition_matters(measure, order):
    expected = measure(LABELS, CHANCES, sample_weight=WEIGHTS)
    order = np.array(order)
    assert measure(LABELS[order], CHANCES[order], sample_weight=WEIGHTS[order]) == expected
    times = WEIGHTS.astype(int)
    assert measure(np.repeat(LABELS, times), np.repeat(CHANCES, times, axis=0)) == expected


@every_measure
def test_containers_labels_and_tables(measure):
    expected = measure(LABELS, CHANCES)
    names = np.array(["ant", "bee", "cow", "dog"])
    for labels, chances in (
        (LABELS.tolist(), CHANCES.tolist()),
        (names[LABELS], pd.DataFrame(CHANCES)),
        (pl.Series(names[LABELS]), pl.DataFrame(CHANCES)),
    ):
        assert measure(labels, chances) == expected
    assert measure(ClassTable.from_arrays(CHANCES, LABELS)) == pytest.approx(expected, rel=1e-12)
    turned = measure(names[LABELS], CHANCES[:, ::-1], labels=names[::-1])
    assert turned == pytest.approx(expected, rel=1e-9)


@every_measure
def test_a_class_that_did_not_happen(measure):
    seen = LABELS < 3
    with pytest.raises(DataError, match=r"shape .* y_true holds 3 classes \[0, 1, 2\].*labels="):
        measure(LABELS[seen], CHANCES[seen])
    assert 0 <= measure(LABELS[seen], CHANCES[seen], labels=range(4)) < 5


@every_measure
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"y_prob": CHANCES * 2}, r"y_prob, column \d: .* is outside \[0, 1\]"),
        ({"y_prob": CHANCES / 2}, r"y_prob: the row sum: 0\.\d+ at position 0 is not one"),
        ({"y_prob": np.where(CHANCES > 0.9, np.nan, CHANCES)}, "y_prob, column .* is missing"),
        ({"y_true": LABELS[:5]}, "y_true has 5, y_prob has 300"),
        ({"sample_weight": -WEIGHTS}, "sample_weight: -"),
        ({"labels": [0, 1, 2]}, r"y_true: 3 at position \d+ is none of the labels"),
    ],
)
def test_what_will_not_do_is_told(measure, change, reason):
    given = {"y_true": LABELS, "y_prob": CHANCES, **change}
    with pytest.raises(DataError, match=reason):
        measure(given.pop("y_true"), given.pop("y_prob"), **given)


def test_options_that_are_for_two_classes():
    for measure in (log_loss, brier_score, accuracy, root_mean_squared_error, evaluate):
        with pytest.raises(OptionError, match="pos_label is 1; it is for two classes"):
            measure(LABELS, CHANCES, pos_label=1)
    with pytest.raises(OptionError, match=r"threshold is 0\.4; it is for two classes"):
        accuracy(LABELS, CHANCES, threshold=0.4)
    with pytest.raises(OptionError, match="by_class is"):
        top_label_calibration_error(LABELS, CHANCES, by_class="yes")
    table = ClassTable.from_arrays(CHANCES, LABELS)
    with pytest.raises(DataError, match="labels cannot be given beside a ClassTable"):
        log_loss(table, labels=range(4))
    margins = ClassTable.from_arrays(CHANCES * 3, LABELS)
    with pytest.raises(DataError, match="scores of the ClassTable, column"):
        log_loss(margins)


def test_ties_are_treated_fairly():
    rows = np.tile([[0.5, 0.3, 0.2]], (10, 1))
    labels = np.repeat([0, 1, 2], [5, 3, 2])
    assert classwise_calibration_error(labels, rows, n_bins=4) == pytest.approx(0, abs=1e-15)
    assert top_label_calibration_error(labels, rows, n_bins=4) == pytest.approx(0, abs=1e-15)


def test_impossible_things_that_happen():
    assert log_loss([0, 1, 2], np.eye(3)) == 0.0
    assert log_loss([1, 1, 2], np.eye(3), labels=[0, 1, 2]) == np.inf


def test_two_columns_are_the_probabilities_of_two_classes():
    positive = CHANCES[:, 0]
    both = np.column_stack([1 - positive, positive])
    labels = np.where(LABELS == 0, "yes", "no")
    for measure in (log_loss, brier_score, accuracy, roc_auc, expected_calibration_error, evaluate):
        expected = measure(labels, positive)
        assert measure(labels, both) == expected
        assert measure(labels, pd.DataFrame(both)) == expected
        turned = measure(labels, both, pos_label="no")
        assert turned == measure(labels, 1 - positive, pos_label="no")
    for measure in (log_loss, brier_score, accuracy, root_mean_squared_error, evaluate):
        expected = measure(labels, positive)
        assert measure(labels, both, labels=["no", "yes"]) == expected
        assert measure(labels, positive, labels=["no", "yes"]) == expected
        assert measure(["no"], [[0.7, 0.3]], labels=["no", "yes"]) == measure(
            ["no"], [0.3], labels=["no", "yes"]
        )
    assert isinstance(evaluate(labels, both), Evaluation)
    with pytest.raises(DataError, match=r"two columns: the row sum: 0\.6"):
        log_loss(labels, both * 0.6)


def test_calibration_errors_of_two_columns():
    positive = CHANCES[:, 0]
    both = np.column_stack([1 - positive, positive])
    labels = (LABELS == 0).astype(int)
    one = expected_calibration_error(labels, positive)
    assert classwise_calibration_error(labels, both) == pytest.approx(one, rel=1e-9)
    with pytest.raises(DataError, match="a column for each class"):
        top_label_calibration_error(labels, positive)


def test_the_summary():
    told = evaluate(LABELS, CHANCES, n_bins=5, sample_weight=WEIGHTS)
    assert isinstance(told, MulticlassEvaluation)
    assert list(told.values) == [measure.__name__ for measure in MEASURES]
    for measure in MEASURES:
        binned = {"n_bins": 5} if "calibration" in measure.__name__ else {}
        expected = measure(LABELS, CHANCES, sample_weight=WEIGHTS, **binned)
        assert told.value(measure.__name__) == pytest.approx(expected, rel=1e-12)
    assert told.cases == WEIGHTS.sum()
    assert told.shares[1] == pytest.approx(WEIGHTS[LABELS == 1].sum() / WEIGHTS.sum())
    assert told == pickle.loads(pickle.dumps(told))
    assert told != evaluate(LABELS, CHANCES)
    assert told != 3
    assert told.to_dict()["classes"] == [0, 1, 2, 3]
    lines = str(told).splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == ["cases", "classes", "share of 0"]
    assert "classwise calibration error" in told._repr_html_()
    with pytest.raises(OptionError, match="'ece' is no measure"):
        told.value("ece")
    many = evaluate(range(20), np.eye(20))
    assert "share of" not in str(many)
