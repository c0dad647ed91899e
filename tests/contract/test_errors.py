"""What is wrong is told by name, value and place, by every calibrator; and it changes nothing."""

import pickle

import numpy as np
import pytest
from found import CALIBRATORS, VARIANTS, name_of, usual
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from truing import (
    AutoCalibrator,
    DataError,
    HistogramCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    OptionError,
    ScoreTable,
)

pytestmark = pytest.mark.filterwarnings("ignore:The score separates the classes")

SCORES = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.9])
LABELS = np.array([0, 0, 1, 0, 1, 1])
NAN, INF = float("nan"), float("inf")

NO_FLAG = ["x", None, 2, 0.0]
NO_NAME = ["x", "", None, 3, ["quantile"], True]
NOT_ABOVE_0 = [0, -1, NAN, INF, "x", None, [1.0], True]
# Every option of every calibrator, and values that it cannot take.
BAD_OPTIONS = {
    "average": NO_FLAG,
    "bandwidth": [*NOT_ABOVE_0, (1.0, 2.0), np.array([1.0])],
    "candidates": ["x", 3, [], [3], ["PlattCalibrator"], [AutoCalibrator()]],
    "concentration": NOT_ABOVE_0,
    "grid": ["x", 3, []],
    "interpolate": NO_FLAG,
    "joint": NO_FLAG,
    "kernel": NO_NAME,
    "loss": NO_NAME,
    "missing": [*NO_NAME, "ignore"],
    "monotone": NO_FLAG,
    "n_bins": [0, -1, 2.5, "x", None, True, NAN, INF, [3]],
    "n_folds": [0, 1, -1, 2.5, "x", None, True, NAN, INF, [3]],
    "n_knots": [0, -1, 65, 2.5, "x", None, True, NAN, INF, [3]],
    "parameters": [*NO_NAME, "abc"],
    "per_bin": NO_FLAG,
    "per_class": NO_FLAG,
    "pos_label": ["other", 7, NAN, [1]],
    "prior": [0, 1, -0.5, 1.5, NAN, "x", [0.5], True],
    "prior_cases": NOT_ABOVE_0,
    "rule": NO_NAME,
    "scale": NO_NAME,
    "smoothed_targets": NO_FLAG,
    "smoothing": [-1, NAN, INF, "a", None, True],
    "split": NO_FLAG,
    "strategy": NO_NAME,
    "truncation": [0, 1.5, "x", None, True],
}
OPTIONS = [
    pytest.param(found, name, value, id=f"{found.__name__}-{name}={value!r}")
    for found in CALIBRATORS
    for name in found().get_params()
    for value in BAD_OPTIONS[name]
]
BAD_DATA = {
    "lengths": ((SCORES, LABELS[:5]), r"lengths differ: scores has 6, y has 5"),
    "weights' length": ((SCORES, LABELS, [1.0] * 5), "lengths differ: .*sample_weight has 5"),
    "NaN": (([0.1, NAN, 0.3], [0, 1, 0]), "scores: nan at position 1 is missing"),
    "None": (([0.1, 0.2, None], [0, 1, 0]), "scores: nan at position 2 is missing"),
    "infinite": (([0.1, 0.2, INF], [0, 1, 0]), "scores: inf at position 2 is infinite"),
    "text": (([0.1, "a", 0.2], [0, 1, 0]), "scores: 'a' at position 1"),
    "negative weight": ((SCORES, LABELS, [1, 1, -2, 1, 1, 1]), "sample_weight: -2.0 at position 2"),
    "NaN weight": ((SCORES, LABELS, [1, 1, 1, 1, 1, NAN]), "sample_weight: nan at position 5"),
    "no weight": ((SCORES, LABELS, np.zeros(6)), "sample_weight are all zero"),
    "one class": ((SCORES, np.ones(6)), "one class only"),
    "one class weighs": ((SCORES, LABELS, LABELS), "one class only"),
    "one unknown class": ((SCORES, ["a"] * 6), "one class only, 'a'"),
    "three classes": ((SCORES, [0, 1, 2, 0, 1, 2]), "y: 2 at position 2 is a third class"),
    "no label": ((SCORES, [0, 1, None, 0, 1, 1]), "y: None at position 2 is missing"),
    "empty": (([], []), "scores .*empty"),
    "two columns": ((np.column_stack([1 - SCORES, SCORES]), LABELS), "scores has two columns"),
    "three dimensions": ((SCORES.reshape(1, 2, 3), LABELS), r"scores has shape \(1, 2, 3\)"),
    "a number": ((0.5, 1), "is 0.5; a one-dimensional array is needed|is 1; a one-dim"),
    "no labels": ((SCORES, None), "requires y to be passed"),
}


@pytest.mark.parametrize(("found", "name", "value"), OPTIONS)
def test_options_that_cannot_be_are_refused_by_name(found, name, value):
    calibrator = found(**{name: value})
    with pytest.raises((OptionError, DataError), match=name):
        calibrator.fit(SCORES, LABELS)
    assert not hasattr(calibrator, "map_")


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
@pytest.mark.parametrize(("data", "reason"), BAD_DATA.values(), ids=BAD_DATA)
def test_data_that_will_not_do_are_refused_and_change_nothing(found, data, reason):
    calibrator = found().fit(SCORES, LABELS)
    before = pickle.dumps(calibrator)
    with pytest.raises(DataError, match=reason):
        calibrator.fit(*data)
    assert pickle.dumps(calibrator) == before


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
@pytest.mark.parametrize(
    "chunk", [([0.5, NAN], [0, 1]), ([0.5], ["yes"]), ([0.5, 0.6], [0]), ([0.5], [0], [0.0])]
)
def test_a_failing_chunk_changes_nothing(found, chunk):
    calibrator = found().partial_fit(SCORES, LABELS)
    before = pickle.dumps(calibrator)
    with pytest.raises(DataError):
        calibrator.partial_fit(*chunk)
    assert pickle.dumps(calibrator) == before


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
@pytest.mark.parametrize("table", [None, SCORES, {}, ScoreTable.empty()], ids=str)
def test_what_is_no_table_of_both_classes_is_refused(found, table):
    with pytest.raises(DataError, match="table"):
        found().fit_table(table)


@pytest.mark.parametrize("calibrator", VARIANTS, ids=name_of)
@pytest.mark.parametrize("method", ["transform", "predict", "predict_proba"])
def test_queries_that_will_not_do(calibrator, method):
    fitted = clone(calibrator).fit(SCORES, LABELS)
    for scores, reason in {
        (0.5, NAN): "nan at position 1 is missing",
        (INF, 0.5): "inf at position 0 is infinite",
        (): "empty",
        ("a",): "'a' at position 0",
    }.items():
        with pytest.raises(DataError, match=f"scores.*{reason}"):
            getattr(fitted, method)(list(scores))
    with pytest.raises(DataError, match="scores has two columns"):
        getattr(fitted, method)(np.zeros((3, 2)))


@pytest.mark.parametrize("calibrator", VARIANTS, ids=name_of)
def test_methods_of_probabilities_refuse_margins_by_value_and_place(calibrator):
    fitted = clone(calibrator).fit(SCORES, LABELS)
    if not fitted.map_.scale.bounded:
        assert 0.0 <= fitted.transform([1.5])[0] <= 1.0
        return
    with pytest.raises(DataError, match=r"scores: 1\.5 at position 1 is outside \[0, 1\]"):
        fitted.transform([0.5, 1.5])


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_unfitted(found):
    for method in ("transform", "predict", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(found(), method)(SCORES)
    for name in vars(found):
        if name.endswith("_") and not name.startswith("_"):
            with pytest.raises(NotFittedError):
                getattr(found(), name)
    waiting = found().partial_fit([0.1, 0.2], [0, 0])
    with pytest.raises(NotFittedError):
        waiting.transform(SCORES)


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_missing_scores_are_dropped_and_counted_or_propagated(found):
    scores, labels = np.append(SCORES, [NAN, NAN]), np.append(LABELS, [0, 1])
    plain = found().fit(SCORES, LABELS)
    for missing in ("drop", "propagate"):
        calibrator = found(missing=missing).fit(scores, labels)
        assert calibrator.table_.left_out == {"missing": 2}
        assert np.array_equal(calibrator.transform(SCORES), plain.transform(SCORES))
        if missing == "drop":
            with pytest.raises(DataError, match=r'nan at position 6 is missing.*"propagate"'):
                calibrator.transform(scores)
        else:
            assert np.isnan(calibrator.transform(scores)).tolist() == [False] * 6 + [True] * 2
            with pytest.raises(DataError, match="nan at position 6 has no class to predict"):
                calibrator.predict(scores)


def test_a_margin_for_a_mixture_of_log_odds():
    with pytest.raises(DataError, match=r"scores: -1\.0 at position 0 is outside \[0, 1\]"):
        MixtureCalibrator(scale="log-odds").fit([-1.0, 0.5], [0, 1])
    table = ScoreTable.from_arrays([-1.0, 0.5], [0, 1])
    with pytest.raises(DataError, match=r"MixtureCalibrator takes probabilities"):
        MixtureCalibrator(scale="log-odds").fit_table(table)


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_classes_without_an_order_are_refused(found):
    with pytest.raises(OptionError, match=r"classes is .*in order"):
        found().partial_fit(SCORES, LABELS, classes={0, 1})


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_more_cases_than_digits_are_refused(found):
    with pytest.raises(DataError, match=r"sample_weight adds up to 6e\+13 cases; up to 1e\+12"):
        found().fit(SCORES, LABELS, np.full(6, 1e13))
    assert np.isfinite(found().fit(SCORES, LABELS, np.full(6, 1e11)).transform(SCORES)).all()


@pytest.mark.parametrize("n_bins", ["cube_root", "10"])
def test_bins_are_a_rule_or_a_whole_number(n_bins):
    reason = rf"n_bins is '{n_bins}'; it must be one of \['cube-root'\] or a whole number"
    with pytest.raises(OptionError, match=reason):
        HistogramCalibrator(n_bins).fit(SCORES, LABELS)


@pytest.mark.parametrize("bandwidth", [(0.1, 0.2), [0.1, 0.2]])
def test_a_pair_of_bandwidths_is_for_two_classes(bandwidth):
    with pytest.raises(OptionError, match=r"bandwidth is .0\.1, 0\.2.; a pair .*per_class=True"):
        KernelCalibrator(bandwidth=bandwidth).fit(SCORES, LABELS)
    KernelCalibrator(bandwidth=bandwidth, per_class=True).fit(SCORES, LABELS)


@pytest.mark.parametrize("found", CALIBRATORS, ids=name_of)
def test_a_table_of_another_positive_class_is_refused(found):
    table = ScoreTable.from_arrays(SCORES, np.where(LABELS, "yes", "no"))
    with pytest.raises(DataError, match="positive class is 'yes'; pos_label says 'no'"):
        found(pos_label="no").fit_table(table)
    turned = ScoreTable.from_arrays(SCORES, np.where(LABELS, "yes", "no"), pos_label="no")
    assert usual(found).set_params(pos_label="no").fit_table(turned).table_.classes[1] == "no"
