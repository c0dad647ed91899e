"""What measures take, and how they refuse what they cannot."""

import math
import re
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import truing
from truing import DataError, OptionError, ScoreTable, measures

FUNCTIONS = [getattr(measures, name) for name in measures.__all__ if name[0].islower()]
# What decisions earn (`truing.measures.profit`) is no measure of labels and probabilities.
# Those of many classes know no positive one: see test_class_measures.
MEASURES = [function for function in FUNCTIONS if "pos_label" in signature(function).parameters]
BINNED = [measure for measure in MEASURES if "n_bins" in signature(measure).parameters]

every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda f: f.__name__)
every_binned = pytest.mark.parametrize("measure", BINNED, ids=lambda f: f.__name__)


def test_measures_are_found_and_public():
    assert {"brier_score", "evaluate", "reliability_curve"} < {f.__name__ for f in MEASURES}
    assert {f.__name__ for f in FUNCTIONS} <= set(truing.__all__)
    assert {"evaluate", "expected_calibration_error"} < {f.__name__ for f in BINNED}


# Numbers that half precision has exactly, so that every container holds the same.
LABELS = [0, 1, 0, 1, 1, 0, 1, 1]
SCORES = [0.125, 0.25, 0.25, 0.5, 0.5, 0.625, 0.75, 1.0 - 2**-8]
WEIGHTS = [1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 0.25, 1.0]

CONTAINERS = {
    "tuple": tuple,
    "float16": lambda column: np.array(column, np.float16),
    "float32": lambda column: np.array(column, np.float32),
    "longdouble": lambda column: np.array(column, np.longdouble),
    "big-endian": lambda column: np.array(column, ">f8"),
    "objects": lambda column: np.array(column, object),
    "a column": lambda column: np.array(column)[:, None],
    "every other": lambda column: np.repeat(column, 2)[::2],
    "backwards": lambda column: np.array(column[::-1])[::-1],
    "pandas": lambda column: pd.Series(column, index=range(len(column), 0, -1)),
    "pandas nullable": lambda column: pd.Series(column, dtype="Float64"),
    "pandas float32": lambda column: pd.Series(column, dtype="float32[pyarrow]"),
    "one-column pandas": lambda column: pd.DataFrame({"column": column}),
    "polars": pl.Series,
    "polars float32": lambda column: pl.Series(column, dtype=pl.Float32),
    "one-column polars": lambda column: pl.DataFrame({"column": column}),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda column: pa.chunked_array([column[:3], column[3:]]),
    "one-column pyarrow": lambda column: pa.table({"column": column}),
}


@every_measure
@pytest.mark.parametrize("container", CONTAINERS)
def test_any_container(measure, container):
    held = CONTAINERS[container]
    expected = measure(LABELS, SCORES, sample_weight=WEIGHTS)
    found = measure(held(LABELS), held(SCORES), sample_weight=held(WEIGHTS))
    assert found == expected


NAMED = {0: "no", 1: "yes"}
LABELLINGS = {
    "booleans": lambda labels: [bool(label) for label in labels],
    "minus one": lambda labels: np.array(labels) * 2 - 1,
    "floats": lambda labels: np.array(labels, float),
    "small integers": lambda labels: np.array(labels, np.uint8),
    "strings": lambda labels: [NAMED[label] for label in labels],
    "numpy strings": lambda labels: np.array([NAMED[label] for label in labels]),
    "objects": lambda labels: np.array([NAMED[label] for label in labels], object),
    "pandas strings": lambda labels: pd.Series([NAMED[label] for label in labels]),
    "categories": lambda labels: pd.Series([NAMED[label] for label in labels], dtype="category"),
    "polars strings": lambda labels: pl.Series([NAMED[label] for label in labels]),
    "pyarrow booleans": lambda labels: pa.array([bool(label) for label in labels]),
}


@every_measure
@pytest.mark.parametrize("labelling", LABELLINGS)
def test_any_two_classes_the_greater_is_positive(measure, labelling):
    labels = LABELLINGS[labelling](LABELS)
    assert measure(labels, SCORES) == measure(LABELS, SCORES)


@every_measure
def test_the_positive_class_can_be_said(measure):
    turned = [1 - score for score in SCORES]
    named = ["yes" if label else "no" for label in LABELS]
    expected = measure([1 - label for label in LABELS], turned)
    assert measure(named, turned, pos_label="no") == expected
    assert measure(LABELS, turned, pos_label=0) == expected
    assert measure(named, SCORES, pos_label="yes") == measure(LABELS, SCORES)


@every_measure
def test_a_table_says_it_all(measure):
    table = ScoreTable.from_arrays(SCORES, LABELS, WEIGHTS)
    assert measure(table) == measure(LABELS, SCORES, sample_weight=WEIGHTS)
    turned = ScoreTable.from_arrays(SCORES, LABELS, WEIGHTS, pos_label=0)
    assert measure(turned) == measure(LABELS, SCORES, sample_weight=WEIGHTS, pos_label=0)


@every_measure
@pytest.mark.parametrize("grid", ["log-odds", "relative"])
def test_a_table_on_a_grid_is_measured_at_its_centres(measure, grid):
    table = ScoreTable.from_arrays(SCORES, LABELS, grid=grid)
    centres = np.repeat(table.scores, table.weights.astype(int))
    assert np.abs(centres - SCORES).max() < 2e-4
    assert measure(table) == measure(LABELS, centres)


@every_measure
def test_what_is_given_is_left_as_it_was(measure):
    columns = [np.array(column) for column in (LABELS, SCORES, WEIGHTS)]
    for column in columns:
        column.flags.writeable = False
    table = ScoreTable.from_arrays(SCORES, LABELS, WEIGHTS)
    before = table.to_dict()
    measure(columns[0], columns[1], sample_weight=columns[2])
    measure(table)
    assert table.to_dict() == before


# ---------------------------------------------------------------------------------------- errors

nan, inf = math.nan, math.inf
PAIR, RIGHT = [0, 1, 1], [0.2, 0.5, 0.9]

# Arguments beside the right ones, and all that the error has to say.
WRONG_DATA = {
    "lengths": ({"y_prob": [0.2, 0.5]}, ["y_true has 3", "y_prob has 2"]),
    "lengths of weights": ({"sample_weight": [1, 2]}, ["y_prob has 3", "sample_weight has 2"]),
    "empty": ({"y_true": [], "y_prob": []}, ["y_true", "y_prob", "empty"]),
    "no probabilities": ({"y_prob": None}, ["y_prob is missing"]),
    "a table for probabilities": (
        {"y_prob": ScoreTable.from_arrays(RIGHT, PAIR)},
        ["y_prob is a ScoreTable", "alone"],
    ),
    "NaN": ({"y_prob": [0.2, nan, nan]}, ["y_prob", "nan", "position 1", "missing"]),
    "None": ({"y_prob": [0.2, 0.5, None]}, ["y_prob", "position 2", "missing"]),
    "infinite": ({"y_prob": [0.2, 0.5, inf]}, ["y_prob", "inf", "position 2", "finite"]),
    "minus infinite": ({"y_prob": [-inf, 0.5, 0.2]}, ["y_prob", "-inf", "position 0"]),
    "above 1": ({"y_prob": [0.2, 1.5, 7]}, ["y_prob", "1.5", "position 1", "[0, 1]", "2 such"]),
    "just above 1": ({"y_prob": [0.2, 0.5, 1 + 2**-52]}, ["1.0000000000000002", "position 2"]),
    "below 0": ({"y_prob": [0.2, 0.5, -1e-300]}, ["y_prob", "-1e-300", "position 2", "[0, 1]"]),
    "words": ({"y_prob": [0.2, "half", 0.9]}, ["y_prob", "'half'", "position 1", "number"]),
    "complex": ({"y_prob": [0.2, 0.5j, 0.9]}, ["y_prob", "omplex"]),
    "two columns": ({"y_prob": np.eye(3)[:, :2]}, ["y_prob has two columns", "the positive class"]),
    "three columns": ({"y_prob": np.eye(3)}, ["y_prob", "(3, 3)", "one dimension"]),
    "one number": ({"y_prob": 0.5}, ["y_prob is 0.5", "one-dimensional"]),
    "ragged": ({"y_prob": [[0.2], [0.5, 0.6], [0.9]]}, ["y_prob", "ragged"]),
    "three classes": ({"y_true": [0, 1, 2]}, ["y_true", "2 at position 2", "third class"]),
    "missing label": ({"y_true": [0, nan, 1]}, ["y_true", "nan", "position 1", "label"]),
    "labels of two columns": ({"y_true": np.eye(3)[:, :2]}, ["y_true", "two columns"]),
    "unknown positive class": ({"pos_label": "yes"}, ["pos_label is 'yes'", "0", "1"]),
    "unknown other class": ({"y_true": ["a", "a", "a"]}, ["y_true", "one class only, 'a'"]),
    "negative weight": (
        {"sample_weight": [1, -2, 1]},
        ["sample_weight", "-2", "position 1", "negative", "0 or more"],
    ),
    "NaN weight": ({"sample_weight": [1, nan, 1]}, ["sample_weight", "nan", "position 1"]),
    "infinite weight": ({"sample_weight": [inf, 1, 1]}, ["sample_weight", "inf", "position 0"]),
    "no weight": ({"sample_weight": [0, 0, 0]}, ["sample_weight", "all zero"]),
    "too little weight": ({"sample_weight": [0, 5e-324, 0]}, ["sample_weight", "5e-324", "1e-100"]),
    "too much weight": ({"sample_weight": [1, 1, 1e300]}, ["sample_weight", "1e+300", "1e+100"]),
}


@every_measure
@pytest.mark.parametrize("wrong", WRONG_DATA)
def test_wrong_data_are_named_with_value_position_and_what_is_allowed(measure, wrong):
    given, told = WRONG_DATA[wrong]
    arguments = {"y_true": PAIR, "y_prob": RIGHT, **given}
    with pytest.raises(DataError) as refused:
        measure(arguments.pop("y_true"), arguments.pop("y_prob"), **arguments)
    for part in told:
        assert part in str(refused.value)


WRONG_TABLES = {
    "empty": (ScoreTable.empty(), {}, "ScoreTable is empty; at least one case"),
    "margins": (
        ScoreTable.from_arrays([-0.5, 0.5, 2.0], PAIR),
        {},
        "scores of the ScoreTable: -0.5 at position 0 is outside [0, 1]",
    ),
    "probabilities beside": (
        ScoreTable.from_arrays(RIGHT, PAIR),
        {"y_prob": RIGHT},
        "y_prob cannot be given beside a ScoreTable",
    ),
    "weights beside": (
        ScoreTable.from_arrays(RIGHT, PAIR),
        {"sample_weight": [1, 1, 1]},
        "sample_weight cannot be given beside a ScoreTable",
    ),
    "all beside": (
        ScoreTable.from_arrays(RIGHT, PAIR),
        {"y_prob": RIGHT, "sample_weight": [1, 1, 1], "pos_label": 1},
        "y_prob and sample_weight and pos_label cannot",
    ),
}


@every_measure
@pytest.mark.parametrize("wrong", WRONG_TABLES)
def test_wrong_tables(measure, wrong):
    table, beside, told = WRONG_TABLES[wrong]
    with pytest.raises(DataError, match=re.escape(told)):
        measure(table, **beside)


@every_binned
@pytest.mark.parametrize("n_bins", [0, -1, 2.5, "x", "10", True, None, nan, inf, 10_000_001, [10]])
def test_number_of_bins_is_a_whole_number(measure, n_bins):
    with pytest.raises(OptionError, match=r"n_bins is .*; it must be a whole number from 1") as no:
        measure(PAIR, RIGHT, n_bins=n_bins)
    assert repr(n_bins) in str(no.value)


@every_binned
@pytest.mark.parametrize("n_bins", [3.0, np.int8(3), np.float32(3)])
def test_any_kind_of_whole_number(measure, n_bins):
    assert measure(PAIR, RIGHT, n_bins=n_bins) == measure(PAIR, RIGHT, n_bins=3)


@every_binned
@pytest.mark.parametrize("strategy", ["equal", "", "Quantile", None, 3, ["uniform"], b"uniform"])
def test_strategy_is_one_of_two(measure, strategy):
    with pytest.raises(OptionError, match=r"strategy is .*\['quantile', 'uniform'\]") as refused:
        measure(PAIR, RIGHT, strategy=strategy)
    assert repr(strategy) in str(refused.value)


def test_bins_may_be_given_by_place():
    for measure in (
        measures.expected_calibration_error,
        measures.maximum_calibration_error,
        measures.reliability_curve,
    ):
        named = measure(LABELS, SCORES, n_bins=3, strategy="uniform", sample_weight=WEIGHTS)
        assert measure(LABELS, SCORES, 3, "uniform", WEIGHTS) == named


def test_the_positive_class_alone_is_enough():
    assert truing.brier_score(["a", "a"], [0.5, 1.0], pos_label="a") == 0.125
    assert truing.brier_score(["a", "a"], [0.5, 0.0], pos_label="b") == 0.125
