"""What the door refuses, by argument, value, position and what is allowed."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from truing import DataError, ScoreTable, expected_calibration_error
from truing.table import ArgumentNames, door

LABELS = [0, 1, 1, 0]
NOT_ONE_DIMENSION = "a one-dimensional array is needed"


class Fails:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("it is on another device")


class Unprintable:
    def __repr__(self):
        raise KeyError("no")


class OnlyLength:
    def __len__(self):
        return 4


NO_VECTORS = {
    "a number": (0.5, f"is 0.5; {NOT_ONE_DIMENSION}"),
    "a numpy number": (np.float64(0.5), f"is 0.5; {NOT_ONE_DIMENSION}"),
    "no dimension": (np.array(0.5), "is array(0.5); a one"),
    "a string": ("0.5", f"is '0.5'; {NOT_ONE_DIMENSION}"),
    "bytes": (b"0.5", f"is b'0.5'; {NOT_ONE_DIMENSION}"),
    "a dictionary": ({"a": 1}, f"is {{'a': 1}}; {NOT_ONE_DIMENSION}"),
    "a set": ({0.5}, f"is {{0.5}}; {NOT_ONE_DIMENSION}"),
    "a frozen set": (frozenset([0.5]), NOT_ONE_DIMENSION),
    "a generator": ((s for s in LABELS), f"; {NOT_ONE_DIMENSION}"),
    "an iterator": (iter(LABELS), f"; {NOT_ONE_DIMENSION}"),
    "a class": (list, f"is <class 'list'>; {NOT_ONE_DIMENSION}"),
    "a lazy frame": (pl.LazyFrame({"a": [0.1]}), NOT_ONE_DIMENSION),
    "only a length": (OnlyLength(), NOT_ONE_DIMENSION),
    "an unprintable": (Unprintable(), f"is <Unprintable>; {NOT_ONE_DIMENSION}"),
    "an array that fails": (Fails(), "cannot become an array: it is on another device"),
    "sparse": (sparse.csr_matrix([[0.1, 0.2]]), "is sparse; a dense one-dimensional array"),
    "sparse array": (sparse.coo_array(np.eye(2)), "is sparse; a dense one-dimensional array"),
    "two columns": (np.ones((4, 2)), "has two columns; one is needed. Of predict_proba take"),
    "two columns of pandas": (pd.DataFrame({"a": LABELS, "b": LABELS}), "has two columns"),
    "two columns of polars": (pl.DataFrame({"a": LABELS, "b": LABELS}), "has two columns"),
    "two columns of pyarrow": (pa.table({"a": LABELS, "b": LABELS}), "has two columns"),
    "three columns": (np.ones((4, 3)), "has shape (4, 3); one dimension or one column"),
    "no column": (pd.DataFrame(index=range(4)), "has shape (4, 0); one dimension"),
    "one row": (np.ones((1, 4)), "has shape (1, 4); one dimension or one column"),
    "three dimensions": (np.ones((4, 1, 1)), "has shape (4, 1, 1); one dimension"),
    "ragged": ([[1], [1, 2], [3], [4]], "is ragged: [1, 2] at position 1 is of another length"),
    "lists among numbers": ([0.1, 0.2, [0.3], 0.4], "is ragged: [0.3] at position 2 is of another"),
}


@pytest.mark.parametrize("argument", ["scores", "labels", "weights"])
@pytest.mark.parametrize(("values", "message"), NO_VECTORS.values(), ids=NO_VECTORS)
def test_what_is_no_vector_is_refused(argument, values, message):
    arguments = {"scores": [0.1, 0.2, 0.3, 0.4], "labels": LABELS, "weights": None}
    with pytest.raises(DataError) as refused:
        ScoreTable.from_arrays(**arguments | {argument: values})
    assert str(refused.value).startswith(argument)
    assert message in str(refused.value)


@pytest.mark.parametrize("argument", ["scores", "labels"])
def test_scores_and_labels_are_needed(argument):
    with pytest.raises(DataError, match=f"{argument} is None; {NOT_ONE_DIMENSION}"):
        ScoreTable.from_arrays(**{"scores": [0.1, 0.2], "labels": [0, 1]} | {argument: None})


NO_NUMBERS = {
    "strings": (["0.1", "0.2"], "'0.1' at position 0 is of type str"),
    "numpy strings": (np.array(["0.1", "0.2"]), "'0.1' at position 0 is of type str_"),
    "numpy strings of any length": (
        np.array(["0.1", "0.2"], np.dtypes.StringDType()),
        "'0.1' at position 0 is of type str",
    ),
    "pandas strings": (pd.Series(["0.1", "0.2"]), "'0.1' at position 0 is of type str"),
    "polars strings": (pl.Series(["0.1", "0.2"]), "'0.1' at position 0 is of type str"),
    "a string among numbers": ([0.1, "0.2"], "'0.2' at position 1 is of type str"),
    "bytes": ([b"0.1", b"0.2"], "b'0.1' at position 0 is of type bytes"),
    "times": (np.array(["2020", "2021"], "M8[D]"), "at position 0 is of type datetime64"),
    "durations": (np.array([1, 2], "m8[s]"), "at position 0 is of type timedelta64"),
    "timestamps": ([0.1, pd.Timestamp("2020")], "at position 1 is not a number"),
    "dates": ([0.1, dt.date(2020, 1, 1)], "at position 1 is not a number"),
    "polars dates": (pl.Series([dt.date(2020, 1, 1)] * 2), "at position 0 is of type"),
    "complex": (np.array([1.0, 2.0j]), "(1+0j) at position 0 is complex. Complex data not"),
    "a complex number": (np.array([0.1, 2j], dtype=object), "2j at position 1 is complex"),
    "records": (np.zeros(2, [("a", float)]), "(0.0,) at position 0 is of type void"),
    "objects": ([0.1, object()], "at position 1 is not a number"),
    "unprintable": ([0.1, Unprintable()], "<Unprintable> at position 1 is not a number"),
    "dictionaries": ([{}, {}], "{} at position 0 is not a number"),
    "arrays": (np.fromiter([0.1, np.zeros(2)], object), "at position 1 is of type ndarray"),
    "pandas lists": (pd.Series([[1], [2]]), "[1] at position 0 is not a number"),
    "signalling": ([0.1, decimal.Decimal("sNaN")], "Decimal('sNaN') at position 1 is not a number"),
    "too large": ([0.1, 10**400], "... at position 1 is too large"),
    "too large to print": ([0.1, 10**5000], "<int> at position 1 is too large"),
}


@pytest.mark.parametrize("argument", ["scores", "weights"])
@pytest.mark.parametrize(("values", "message"), NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_number_is_refused(argument, values, message):
    arguments = {"scores": [0.1, 0.2], "labels": [0, 1], argument: values}
    with pytest.raises(DataError) as refused:
        ScoreTable.from_arrays(**arguments, missing="drop")
    assert str(refused.value).startswith(f"{argument}: ")
    assert message in str(refused.value)
    assert len(str(refused.value)) < 250


BAD_SCORES = {
    "infinite": ([0.1, np.inf, 0.3, 0.4], r"inf at position 1 is infinite \(inf\); scores must be"),
    "minus infinite": ([0.1, 0.2, 0.3, -np.inf], r"-inf at position 3 is infinite"),
    "infinite and missing": ([np.nan, np.inf, 0.3, 0.4], r"inf at position 1 is infinite"),
    "beyond doubles": (
        np.array([0, 1, 2, "1e400"], np.longdouble),
        r"inf at position 3 is infinite",
    ),
    "several": ([0.1, np.inf, -np.inf, 0.4], r"inf at position 1 is .*\(2 such values\)"),
    "infinite single": (np.float32([0.1, 0.2, np.inf, 0.4]), r"inf at position 2 is infinite"),
}


@pytest.mark.parametrize("missing", ["error", "drop", "propagate"])
@pytest.mark.parametrize(("scores", "message"), BAD_SCORES.values(), ids=BAD_SCORES)
def test_infinite_scores_are_refused_whatever_the_policy(scores, message, missing):
    with pytest.raises(DataError, match=f"^scores: {message}"):
        ScoreTable.from_arrays(scores, LABELS, missing=missing)


@pytest.mark.parametrize(
    ("score", "shown"), [(1.5, "1.5"), (-1e-300, "-1e-300"), (1.0 + 2.0**-52, "1.0000000000000002")]
)
def test_probabilities_are_refused_outside_their_interval_where_needed(score, shown):
    scores = [0.0, 1.0, score, np.nan]
    with pytest.raises(DataError) as refused:
        ScoreTable.from_arrays(scores, LABELS, probabilities=True, missing="drop")
    assert str(refused.value).startswith(f"scores: {shown} at position 2 is outside [0, 1]; prob")
    assert ScoreTable.from_arrays(scores, LABELS, missing="drop").total == 3.0


BAD_LABELS = {
    "three": ([0, 1, 2, 0], "2 at position 2 is a third class beside 0 and 1; Only binary"),
    "three strings": (list("abca"), "'c' at position 2 is a third class beside 'a' and 'b'"),
    "three of pandas": (pd.Categorical(list("abca")), "'c' at position 2 is a third class"),
    "continuous": (
        [0.5, 0.1, 0.3, 0.2],
        "0.3 at position 2 is a third class beside 0.5 and 0.1; U",
    ),
    "infinite": ([0.0, 1.0, np.inf, 0.0], "inf at position 2 is infinite (inf); labels are two"),
    "infinite first": ([-np.inf, 1.0, 0.0, 0.0], "-inf at position 0 is infinite (inf)"),
    "two infinite": ([0.0, np.inf, 0.0, np.inf], "inf at position 1 is infinite"),
    "lists": (np.fromiter([[0], [1], [0], [1]], object), "[0] at position 0 is a list; labels are"),
    "a list second": (np.fromiter([0, [1], 0, 0], object), "[1] at position 1 is a list; labels"),
    "arrays": (np.fromiter([0, 1, np.zeros(2), 0], object), "at position 2 is a ndarray; labels"),
    "dictionaries": ([{}, {1: 2}, {}, {}], "{} at position 0 is a dict; labels are two classes"),
    "signalling": (
        [0, 1, decimal.Decimal("sNaN"), 1],
        "Decimal('sNaN') at position 2 is a Decimal",
    ),
    "times": (
        np.array(["2020", "2021"] * 2, "M8[D]"),
        "at position 0 is a datetime64; labels are two",
    ),
    "durations": (np.array([1, 2] * 2, "m8[s]"), "at position 0 is a timedelta64; labels are"),
    "complex": ([1j, 2j] * 2, "1j at position 0 is a complex128; labels are two"),
    "records": (np.zeros(4, [("a", float)]), "(0.0,) at position 0 is a void; labels are two"),
    "two unprintable": (
        [Unprintable(), 1, Unprintable(), 1],
        "<Unprintable> at position 2 is a th",
    ),
}


@pytest.mark.parametrize("options", [{}, {"classes": (0, 1)}, {"pos_label": 1}], ids=str)
@pytest.mark.parametrize(("labels", "message"), BAD_LABELS.values(), ids=BAD_LABELS)
def test_labels_of_no_two_classes_are_refused(labels, message, options):
    with pytest.raises(DataError) as refused:
        ScoreTable.from_arrays([0.1, 0.2, 0.3, 0.4], labels, **options)
    assert str(refused.value).startswith("labels")
    assert message in str(refused.value)


def test_a_third_class_is_found_behind_many_rows():
    labels = np.arange(100_000) % 2
    labels[70_001] = 2
    with pytest.raises(
        DataError, match=r"labels: 2 at position 70001 is a third class beside 0 and 1"
    ):
        ScoreTable.from_arrays(np.zeros(100_000), labels)


def test_a_third_class_is_found_though_it_weighs_nothing_or_has_no_score():
    with pytest.raises(DataError, match="labels: 2 at position 2 is a third class"):
        ScoreTable.from_arrays([0.1, 0.2, 0.3], [0, 1, 2], [1.0, 1.0, 0.0])
    with pytest.raises(DataError, match="labels: 2 at position 2 is a third class"):
        ScoreTable.from_arrays([0.1, 0.2, np.nan], [0, 1, 2], missing="drop")


BAD_WEIGHTS = {
    "negative": ([1, -1, 1, -2], r": -1\.0 at position 1 is negative; .* 0 or more \(2 such"),
    "minus next to nothing": ([1, 1, 1, -5e-324], r": -5e-324 at position 3 is negative"),
    "nan": ([1, np.nan, 1, 1], r": nan at position 1 is not finite; weights must be numbers of 0"),
    "infinite": ([1, 1, np.inf, 1], r": inf at position 2 is not finite"),
    "too large": ([1, 1, 1, 1e308], r": 1e\+308 at position 3 is too large; .* 1e\+100 or less"),
    "all zero": ([0, 0, 0, 0], r" are all zero; at least one row must count"),
    "all next to nothing": (
        [0, 1e-300, 1e-310, 0],
        r": 1e-300 at position 1 is the largest weight",
    ),
}


@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(DataError, match=f"^weights{message}"):
        ScoreTable.from_arrays([0.1, 0.2, 0.3, 0.4], LABELS, weights)


@pytest.mark.parametrize("weight", [1e-100, 1e-3, 0.5, 1e100])
def test_weights_of_every_size_allowed_are_kept(weight):
    weights = [weight, weight * 1e-200, weight, 0.0]
    table = ScoreTable.from_arrays([0.1, 0.2, 0.3, 0.4], LABELS, weights)
    assert table.weights.tolist() == weights[:3]
    assert np.isfinite(table.squares).all()


def test_a_class_whose_weights_are_all_zero_is_kept_in_mind():
    table = ScoreTable.from_arrays([0.1, 0.2], [0, 1], [1.0, 0.0])
    assert (table.classes, table.total, table.total_positive) == ((0, 1), 1.0, 0.0)


LENGTHS = [
    ([0.1, 0.2], [0, 1, 1], None, r"The lengths differ: scores has 2, labels has 3\."),
    ([0.1, 0.2], [0, 1], [1.0], r"The lengths differ: scores has 2, weights has 1\."),
    ([0.1, 0.2], [0, 1], [], r"The lengths differ: scores has 2, weights has 0\."),
    ([], [0, 1], None, r"The lengths differ: scores has 0, labels has 2\."),
    ([], [], None, r"scores and labels are empty; at least one row is needed\."),
    (pd.Series([], dtype=float), np.empty(0), np.empty(0), r"scores and labels are empty"),
]


@pytest.mark.parametrize(("scores", "labels", "weights", "message"), LENGTHS)
def test_lengths_that_differ_and_nothing_at_all_are_refused(scores, labels, weights, message):
    with pytest.raises(DataError, match=message):
        ScoreTable.from_arrays(scores, labels, weights)


@pytest.mark.parametrize("weights", [None, [1.0, 1.0, 0.0]])
def test_at_least_one_row_must_be_left(weights):
    scores = [np.nan, np.nan, np.nan if weights is None else 0.5]
    with pytest.raises(DataError, match="No row has both a score and a weight above 0"):
        ScoreTable.from_arrays(scores, [0, 1, 1], weights, missing="drop")


def test_errors_speak_the_callers_language():
    names = ArgumentNames("y_prob", "y_true", "sample_weight")
    refused = [
        ([0.1, np.inf], [0, 1], None, "y_prob: inf"),
        ([0.1, 0.2], [0, None], None, "y_true: None"),
        ([0.1, 0.2], [0, 1], [1, -1], "sample_weight: -1.0"),
        ([0.1, 0.2], [0, 1], [1], "y_prob has 2, sample_weight has 1"),
    ]
    for scores, labels, weights, message in refused:
        with pytest.raises(DataError, match=message):
            ScoreTable.from_arrays(scores, labels, weights, names=names)
    with pytest.raises(DataError, match=r"y_prob: 1\.5 at position 1 is outside \[0, 1\]"):
        expected_calibration_error([0, 1], [0.5, 1.5])


def test_a_position_is_where_the_row_stands_not_its_index():
    scores = pd.Series([0.1, np.nan, 0.3], index=[7, 8, 1])
    with pytest.raises(DataError, match="position 1 "):
        ScoreTable.from_arrays(scores, [0, 1, 1])


def test_a_failing_call_changes_nothing():
    scores, labels, weights = np.array([0.1, np.inf]), np.array([0, 2]), np.array([1.0, -1.0])
    table = ScoreTable.from_arrays([0.2, 0.8], [0, 1])
    before = table.to_dict()
    with pytest.raises(DataError):
        ScoreTable.from_arrays(scores, labels, weights)
    with pytest.raises(DataError):
        table + ScoreTable.from_arrays([0.2, 0.8], ["a", "b"])
    assert scores.tolist() == [0.1, np.inf]
    assert labels.tolist() == [0, 2]
    assert weights.tolist() == [1.0, -1.0]
    assert table.to_dict() == before


def test_values_are_shown_but_never_at_length():
    assert door.shown(np.float32(0.5)) == "0.5"
    assert len(door.shown("x" * 1000)) == 80
    assert door.shown(Unprintable()) == "<Unprintable>"
