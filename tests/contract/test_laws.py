"""The two laws of the house, for everything found: order is nothing, weights are repetitions."""

import json
import pickle

import numpy as np
import pytest
from found import CALIBRATORS, MEASURES, VARIANTS, name_of
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from truing import ProbabilityMap, ScoreTable, reliability_curve

pytestmark = pytest.mark.filterwarnings("ignore:The score separates the classes")

laws = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
every_calibrator = pytest.mark.parametrize("calibrator", VARIANTS, ids=name_of)
every_measure = pytest.mark.parametrize("measure", [*MEASURES, reliability_curve], ids=name_of)

QUERIES = np.unique(np.r_[0.0, 1.0, np.linspace(0.0, 1.0, 203), 5e-324, 1e-9, 1.0 - 2.0**-53])

on_a_lattice = st.integers(0, 20).map(lambda k: k / 20)
anywhere = st.floats(0.0, 1.0, allow_subnormal=False)
scores = st.one_of(on_a_lattice, anywhere)


@st.composite
def cases(draw, fractional=False):
    """Scores, labels of both classes, and weights, as three arrays."""
    size = draw(st.integers(4, 40))
    score = np.array(draw(st.lists(scores, min_size=size, max_size=size)))
    label = np.array(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)))
    assume(0 < label.sum() < size)
    whole = np.array(draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)))
    part = np.array(draw(st.lists(st.floats(0.1, 1.0), min_size=size, max_size=size)))
    return score, label, whole * part if fractional else whole.astype(float)


def answers(calibrator, score, label, weight=None):
    return clone(calibrator).fit(score, label, weight).transform(QUERIES)


def told(value):
    """What a measure found, as numbers."""
    return np.array(value.to_dict()["observed"] if hasattr(value, "to_dict") else value)


@every_calibrator
@laws
@given(case=cases(), data=st.data())
def test_row_order_changes_no_bit(calibrator, case, data):
    score, label, weight = case
    order = np.array(data.draw(st.permutations(range(len(score)))))
    expected = answers(calibrator, score, label, weight)
    assert np.array_equal(expected, answers(calibrator, score[order], label[order], weight[order]))


@every_calibrator
@laws
@given(case=cases(fractional=True), data=st.data())
def test_row_order_changes_no_bit_with_fractional_weights(calibrator, case, data):
    score, label, weight = case
    order = np.array(data.draw(st.permutations(range(len(score)))))
    expected = answers(calibrator, score, label, weight)
    assert np.array_equal(expected, answers(calibrator, score[order], label[order], weight[order]))


@every_calibrator
@laws
@given(case=cases())
def test_weights_are_repetitions(calibrator, case):
    score, label, weight = case
    times = weight.astype(int)
    repeated = answers(calibrator, np.repeat(score, times), np.repeat(label, times))
    assert np.array_equal(repeated, answers(calibrator, score, label, weight))


@every_calibrator
@laws
@given(case=cases(), cut=st.integers(1, 3))
def test_merged_is_pooled(calibrator, case, cut):
    score, label, weight = case
    halves = slice(None, cut), slice(cut, None)
    parts = [
        ScoreTable.from_arrays(score[h], label[h], weight[h], calibrator.grid, classes=(0, 1))
        for h in halves
    ]
    pooled = ScoreTable.from_arrays(score, label, weight, calibrator.grid)
    fitted = [clone(calibrator).fit_table(t).transform(QUERIES) for t in (sum(parts), pooled)]
    assert np.array_equal(*fitted)
    streamed = clone(calibrator)
    for half in halves:
        streamed.partial_fit(score[half], label[half], weight[half], classes=(0, 1))
    assert np.array_equal(streamed.transform(QUERIES), fitted[1])


@every_calibrator
@laws
@given(case=cases(fractional=True), cut=st.integers(1, 3))
def test_merged_is_pooled_with_fractional_weights(calibrator, case, cut):
    score, label, weight = case
    halves = slice(None, cut), slice(cut, None)
    parts = [
        ScoreTable.from_arrays(score[h], label[h], weight[h], calibrator.grid, classes=(0, 1))
        for h in halves
    ]
    pooled = ScoreTable.from_arrays(score, label, weight, calibrator.grid)
    fitted = [clone(calibrator).fit_table(t).transform(QUERIES) for t in (sum(parts), pooled)]
    np.testing.assert_allclose(*fitted, rtol=0, atol=1e-12)


@every_calibrator
@laws
@given(case=cases(fractional=True))
def test_answers_are_probabilities_and_increase_where_promised(calibrator, case):
    fitted = clone(calibrator).fit(*case)
    answer = fitted.transform(np.sort(np.r_[QUERIES, case[0]]))
    assert ((answer >= 0.0) & (answer <= 1.0)).all()
    if fitted.map_.increasing:
        assert (np.diff(answer) >= 0.0).all()


@every_calibrator
@laws
@given(case=cases(fractional=True))
def test_dictionary_and_pickle_lose_nothing(calibrator, case):
    fitted = clone(calibrator).fit(*case)
    told = json.loads(json.dumps(fitted.map_.to_dict()))
    again = ProbabilityMap.from_dict(told)
    assert again == fitted.map_
    assert again.to_dict() == told
    assert np.array_equal(again(QUERIES), fitted.transform(QUERIES))
    thawed = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(thawed.transform(QUERIES), fitted.transform(QUERIES))
    assert thawed.table_ == fitted.table_


@pytest.mark.parametrize("promised", ["IsotonicCalibrator", "PlattCalibrator"])
def test_the_monotone_methods_promise_it(promised):
    found = {calibrator.__name__: calibrator for calibrator in CALIBRATORS}[promised]
    rows = np.linspace(0.05, 0.95, 40)
    assert found().fit(rows, rows > 0.3 + 0.4 * np.sin(9 * rows)).map_.increasing


@every_measure
@laws
@given(case=cases(), data=st.data())
def test_measures_see_neither_order_nor_repetition(measure, case, data):
    score, label, weight = case
    order = np.array(data.draw(st.permutations(range(len(score)))))
    expected = told(measure(label, score, sample_weight=weight))
    shuffled = told(measure(label[order], score[order], sample_weight=weight[order]))
    assert np.array_equal(shuffled, expected)
    times = weight.astype(int)
    repeated = told(measure(np.repeat(label, times), np.repeat(score, times)))
    assert np.array_equal(repeated, expected)


@every_measure
@laws
@given(case=cases(fractional=True), cut=st.integers(1, 3))
def test_measures_of_merged_tables_are_those_of_pooled_rows(measure, case, cut):
    score, label, weight = case
    halves = slice(None, cut), slice(cut, None)
    parts = [ScoreTable.from_arrays(score[h], label[h], weight[h], classes=(0, 1)) for h in halves]
    expected = told(measure(label, score, sample_weight=weight))
    np.testing.assert_allclose(told(measure(sum(parts))), expected, rtol=1e-12, atol=1e-12)


@laws
@given(case=cases(fractional=True), grid=st.sampled_from([None, "log-odds", "relative"]))
def test_tables_add_up(case, grid):
    table = ScoreTable.from_arrays(*case, grid)
    empty = ScoreTable.empty(grid)
    assert empty + table == table + empty == table
    assert ScoreTable.from_dict(json.loads(json.dumps(table.to_dict()))) == table
    assert (np.diff(table.scores) > 0).all()
    assert table + table == ScoreTable.from_arrays(*(np.r_[a, a] for a in case), grid)
