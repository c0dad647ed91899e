"""The summary: every measure, as numbers, as text, in a notebook and as plain data."""

import json
import pickle
from dataclasses import FrozenInstanceError
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from truing import Evaluation, OptionError, ScoreTable, evaluate, measures
from truing.measures.evaluation import BINNED, NEEDS_BOTH, TITLES

RNG = np.random.default_rng(0)
SCORES = RNG.random(200).round(2)
LABELS = np.where(RNG.random(200) < SCORES**2, "yes", "no")
WEIGHTS = RNG.uniform(0.5, 2, 200)


def test_it_tells_every_measure_that_is_one_number():
    functions = [getattr(measures, name) for name in measures.__all__ if name[0].islower()]
    told = [f.__annotations__ for f in functions if "pos_label" in f.__annotations__]
    assert len(TITLES) == sum(types["return"] is float for types in told)
    assert set(TITLES) <= set(functions)
    assert list(evaluate(LABELS, SCORES).values) == [measure.__name__ for measure in TITLES]


@pytest.mark.parametrize("measure", TITLES, ids=lambda measure: measure.__name__)
@pytest.mark.parametrize("n_bins", [3, 10])
@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_every_value_is_what_the_measure_says(measure, n_bins, strategy):
    binning = {"n_bins": n_bins, "strategy": strategy}
    data = {"sample_weight": WEIGHTS, "pos_label": "no"}
    summary = evaluate(LABELS, SCORES, **binning, **data)
    expected = measure(LABELS, SCORES, **data, **(binning if measure in BINNED else {}))
    assert summary.value(measure.__name__) == summary.values[measure.__name__] == expected
    assert type(expected) is float


def test_cases_and_prevalence():
    summary = evaluate(LABELS, SCORES, sample_weight=WEIGHTS)
    assert summary.cases == pytest.approx(WEIGHTS.sum(), rel=1e-14, abs=0)
    expected = np.average(LABELS == "yes", weights=WEIGHTS)
    assert summary.prevalence == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_leaves_open_only_what_needs_both(label):
    summary = evaluate([label] * 3, [0.1, 0.5, 0.9])
    assert {name for name, value in summary.values.items() if np.isnan(value)} == {
        measure.__name__ for measure in NEEDS_BOTH
    }
    assert summary.prevalence == label


def test_a_class_may_be_as_rare_as_doubles_can_tell():
    summary = evaluate([0, 1, 1], [0.1, 0.5, 0.9], sample_weight=[1e-100, 1, 1])
    assert summary.prevalence == 1.0
    assert summary.value("roc_auc") == 1.0


def test_unknown_names_are_told_the_known_ones():
    summary = evaluate(LABELS, SCORES)
    for name in ("ece", "cases", "", None):
        with pytest.raises(OptionError, match=r"is no measure; there are.*'roc_auc'") as refused:
            summary.value(name)
        assert repr(name) in str(refused.value)


def test_summaries_compare_by_content():
    summary = evaluate(LABELS, SCORES)
    assert summary == evaluate(ScoreTable.from_arrays(SCORES, LABELS))
    assert summary == pickle.loads(pickle.dumps(summary))
    assert summary != evaluate(LABELS, SCORES, n_bins=9)
    assert summary != evaluate(np.r_[LABELS, LABELS], np.r_[SCORES, SCORES])  # twice the cases
    assert summary != Evaluation(summary.cases, summary.prevalence, {"accuracy": 0.5})
    assert summary != summary.to_dict()
    assert evaluate([1, 1], [0.2, 0.5]) == evaluate([1, 1], [0.5, 0.2])  # NaN as it is
    assert evaluate([1, 1], [0.2, 0.5]) != evaluate([0, 1], [0.2, 0.5])
    with pytest.raises(TypeError, match="unhashable"):
        hash(summary)


def test_it_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        evaluate(LABELS, SCORES).cases = 1.0


@pytest.mark.parametrize("labels", [LABELS, np.ones(200)])
def test_it_becomes_plain_data(labels):
    summary = evaluate(labels, SCORES)
    told = json.loads(json.dumps(summary.to_dict()))
    assert list(told) == ["cases", "prevalence", *summary.values]
    assert Evaluation(told.pop("cases"), told.pop("prevalence"), told) == summary


def test_it_prints_as_a_small_table():
    summary = evaluate(LABELS, SCORES)
    assert str(summary) == repr(summary)
    cases, prevalence, *lines = str(summary).splitlines()
    assert cases.split() == ["cases", "200"]
    assert prevalence.split() == ["prevalence", f"{summary.prevalence:.4f}"]
    expected = zip(TITLES.values(), summary.values.values(), strict=True)
    for line, (title, value) in zip(lines, expected, strict=True):
        assert line.startswith(f"{title}  ")
        assert line.endswith(f"  {value:.4f}")


HARD = {
    "long": Evaluation(12345.5, 0.5, {"a name that is longer than every title of a measure": 0.1}),
    "wide": Evaluation(1.23456789012e300, 0.5, {"log_loss": float("inf"), "accuracy": 12345678.9}),
    "strange": Evaluation(1.0, 0.5, {'<script>p < 0.05 & "so"</script>': float("nan")}),
}


@pytest.mark.parametrize("name", HARD)
def test_lines_are_aligned_whatever_they_hold(name):
    lines = str(HARD[name]).splitlines()
    assert len({len(line) for line in lines}) == 1
    values = [line.split()[-1] for line in lines]
    assert all(line.endswith(f"  {value}") for line, value in zip(lines, values, strict=True))


@pytest.mark.parametrize("summary", [evaluate(LABELS, SCORES), *HARD.values()])
def test_a_notebook_shows_the_same_lines(summary):
    page = ET.fromstring(summary._repr_html_())
    rows = [[cell.text for cell in row] for row in page.iter("tr")]
    lines = [line.rsplit(maxsplit=1) for line in str(summary).splitlines()]
    assert rows == lines
