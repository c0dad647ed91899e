"""Every container that people bring gives the same table, and so does every kind of label."""

import array
import collections
import decimal
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils.estimator_checks import _NotAnArray

from truing import DataError, OptionError, ScoreTable

SCORES, LABELS, WEIGHTS = [0.75, 0.25, 0.5, 0.25], [1, 0, 1, 1], [2.0, 1.0, 0.5, 3.0]
TABLE = ScoreTable.from_arrays(np.array(SCORES), np.array(LABELS), np.array(WEIGHTS))


class OnlyArray:
    """As little as an array can be."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values


def read_only(values):
    made = np.array(values)
    made.flags.writeable = False
    return made


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "read-only": read_only,
    "not contiguous": lambda values: np.repeat(values, 3)[::3],
    "backwards": lambda values: np.array(values[::-1])[::-1],
    "big-endian": lambda values: np.array(values, dtype=">f8"),
    "float32": np.float32,
    "float16": np.float16,
    "longdouble": np.longdouble,
    "objects": lambda values: np.array(values, dtype=object),
    "column": lambda values: np.array(values)[:, None],
    "list of lists": lambda values: [[value] for value in values],
    "matrix": lambda values: np.array(values)[:, None].view(np.matrix),
    "masked, nothing missing": np.ma.array,
    "array.array": lambda values: array.array("d", values),
    "memoryview": lambda values: memoryview(array.array("d", values)),
    "deque": collections.deque,
    "dictionary's values": lambda values: dict(enumerate(values)).values(),
    "only __array__": OnlyArray,
    "scikit-learn's _NotAnArray": lambda values: _NotAnArray(np.array(values)),
    "fractions": lambda values: list(map(fractions.Fraction, values)),
    "decimals": lambda values: list(map(decimal.Decimal, values)),
    "pandas": pd.Series,
    "pandas, shuffled index": lambda values: pd.Series(values, index=[3, 1, 0, 2]),
    "pandas Float64": lambda values: pd.Series(values, dtype="Float64"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
    "pandas on arrow": lambda values: pd.Series(values, dtype="double[pyarrow]"),
    "pandas frame": lambda values: pd.DataFrame({"a": values}, index=[3, 1, 0, 2]),
    "pandas Index": pd.Index,
    "pandas array": pd.array,
    "polars": pl.Series,
    "polars frame": lambda values: pl.DataFrame({"a": values}),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda values: pa.chunked_array([values[:3], values[3:]]),
    "pyarrow table": lambda values: pa.table({"a": values}),
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
}
NOT_FOR_LABELS = {"fractions", "decimals"}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_scores_and_weights_come_in_any_container(container):
    assert ScoreTable.from_arrays(container(SCORES), LABELS, container(WEIGHTS)) == TABLE


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_numbers_as_labels_come_in_any_container(container):
    assert ScoreTable.from_arrays(SCORES, container(list(map(float, LABELS))), WEIGHTS) == TABLE


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.bool_, ">i4", "Int64", "boolean"], ids=str)
def test_whole_numbers_and_booleans_are_numbers(kind):
    values = [1, 0, 0, 1]
    made = pd.array(values, dtype=kind) if kind in {"Int64", "boolean"} else np.array(values, kind)
    expected = ScoreTable.from_arrays(np.array(values, float), LABELS)
    assert ScoreTable.from_arrays(made, LABELS) == expected
    assert ScoreTable.from_arrays(range(4), LABELS).scores.tolist() == [0.0, 1.0, 2.0, 3.0]


STRINGS = {
    "list": list,
    "numpy": np.array,
    "numpy objects": lambda values: np.array(values, dtype=object),
    "numpy strings of any length": lambda values: np.array(values, np.dtypes.StringDType()),
    "list of numpy strings": lambda values: list(map(np.str_, values)),
    "column": lambda values: np.array(values)[:, None],
    "pandas": pd.Series,
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas category, other order": lambda values: pd.Categorical(
        values, ["yes", "no"], ordered=True
    ),
    "polars": pl.Series,
    "polars category": lambda values: pl.Series(values, dtype=pl.Categorical),
    "pyarrow": pa.array,
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pyarrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "scikit-learn's _NotAnArray": lambda values: _NotAnArray(np.array(values)),
}


@pytest.mark.parametrize("container", STRINGS.values(), ids=STRINGS)
def test_strings_as_labels_come_in_any_container(container):
    table = ScoreTable.from_arrays(SCORES, container(["yes", "no", "yes", "yes"]), WEIGHTS)
    assert table.classes == ("no", "yes")
    assert {type(label) for label in table.classes} == {str}
    assert np.array_equal(table.positives, TABLE.positives)


KINDS = {
    "0/1": ([1, 0, 1, 1], (0, 1)),
    "-1/1": ([1, -1, 1, 1], (-1, 1)),
    "floats": ([1.0, 0.0, 1.0, 1.0], (0.0, 1.0)),
    "any floats": ([2.5, -0.5, 2.5, 2.5], (-0.5, 2.5)),
    "booleans": ([True, False, True, True], (False, True)),
    "bytes": ([b"yes", b"no", b"yes", b"yes"], (b"no", b"yes")),
    "numpy bytes": (np.array([b"yes", b"no", b"yes", b"yes"]), (b"no", b"yes")),
    "float16": (np.float16([1, 0, 1, 1]), (0.0, 1.0)),
    "booleans among numbers": ([True, 0, 1, True], (0, 1)),
    "tuples": (np.fromiter([(1, "b"), (1, "a"), (1, "b"), (1, "b")], object), ((1, "a"), (1, "b"))),
    "strings of which numpy would drop the end": (["a\0", "a", "a\0", "a\0"], ("a", "a\0")),
    "numbers beyond 64 bits": ([10**30, 0, 10**30, 10**30], (0, 10**30)),
}


@pytest.mark.parametrize(("labels", "classes"), KINDS.values(), ids=KINDS)
def test_the_greater_label_is_positive_unless_one_is_named(labels, classes):
    table = ScoreTable.from_arrays(SCORES, labels, WEIGHTS)
    assert table.classes == classes
    assert np.array_equal(table.positives, TABLE.positives)
    assert np.array_equal(table.negatives, TABLE.negatives)
    turned = ScoreTable.from_arrays(SCORES, labels, WEIGHTS, pos_label=classes[0])
    assert turned.classes == classes[::-1]
    assert np.array_equal(turned.positives, TABLE.negatives)
    assert ScoreTable.from_arrays(SCORES, labels, WEIGHTS, pos_label=classes[1]) == table
    assert ScoreTable.from_arrays(SCORES, labels, WEIGHTS, classes=classes) == table
    assert ScoreTable.from_arrays(SCORES, labels, WEIGHTS, classes=classes[::-1]) == turned
    both = {"classes": classes, "pos_label": classes[0]}
    assert ScoreTable.from_arrays(SCORES, labels, WEIGHTS, **both) == turned


def test_labels_without_an_order_need_pos_label():
    labels = [1, "1", 1, "1"]
    with pytest.raises(
        DataError, match=r"labels holds 1 and '1', which have no order; say pos_label"
    ):
        ScoreTable.from_arrays(SCORES, labels)
    assert ScoreTable.from_arrays(SCORES, labels, pos_label="1").classes == (1, "1")
    assert ScoreTable.from_arrays(SCORES, labels, pos_label=1).classes == ("1", 1)
    assert ScoreTable.from_arrays(SCORES, ["a", b"a"] * 2, pos_label="a").classes == (b"a", "a")


@pytest.mark.parametrize("length", [40_000, 100_000])
@pytest.mark.parametrize("kind", [np.int64, np.float32, object, str, bool])
def test_labels_of_many_rows(length, kind):
    scores, positive = np.arange(length) % 7 / 7.0, np.arange(length) % 1000 == 999
    table = ScoreTable.from_arrays(scores, positive.astype(int).astype(kind))
    assert table.total_positive == positive.sum()
    counts = np.bincount(np.arange(length) % 7, positive)
    assert np.array_equal(table.positives, counts)


LONE = {
    "zeros": ([0] * 4, (0, 1), int),
    "ones": ([1] * 4, (0, 1), int),
    "minus ones": ([-1] * 4, (-1, 1), int),
    "false": ([False] * 4, (False, True), bool),
    "true objects": (np.array([True] * 4, dtype=object), (False, True), bool),
    "floats": ([0.0] * 4, (0.0, 1.0), float),
}


@pytest.mark.parametrize(("labels", "classes", "kind"), LONE.values(), ids=LONE)
def test_one_class_alone_tells_the_other_if_it_is_usual(labels, classes, kind):
    table = ScoreTable.from_arrays(SCORES, labels)
    assert table.classes == classes
    assert {type(label) for label in table.classes} == {kind}
    assert table.total_positive == (4.0 if labels[0] == classes[1] else 0.0)
    turned = ScoreTable.from_arrays(SCORES, labels, pos_label=classes[0])
    assert turned.classes == classes[::-1]
    assert turned.total_positive == 4.0 - table.total_positive


@pytest.mark.parametrize("labels", [["a"] * 4, [2] * 4, [0.5] * 4], ids=str)
def test_any_other_class_alone_needs_its_partner(labels):
    with pytest.raises(
        DataError, match=r"labels holds one class only, .*; the other cannot be known"
    ):
        ScoreTable.from_arrays(SCORES, labels)
    alone = ScoreTable.from_arrays(SCORES, labels, pos_label=labels[0])
    assert (alone.classes, alone.total_positive) == ((None, labels[0]), 4.0)
    assert ScoreTable.from_arrays(SCORES, labels, pos_label="b").classes == (labels[0], "b")
    table = ScoreTable.from_arrays(SCORES, labels, classes=("b", labels[0]))
    assert (table.classes, table.total_positive) == (("b", labels[0]), 4.0)


OPTIONS = {
    "pos_label unknown": ({"pos_label": 5}, r"pos_label is 5; labels holds 1 and 0"),
    "pos_label of another kind": ({"pos_label": "1"}, r"pos_label is '1'; labels holds 1 and 0"),
    "pos_label a list": ({"pos_label": [1]}, r"pos_label is \[1\]; it must be one of the labels"),
    "pos_label an array": ({"pos_label": np.array([0, 1])}, r"pos_label is array"),
    "pos_label nan": ({"pos_label": np.nan}, r"pos_label is nan; it must be one of the labels"),
    "classes a number": ({"classes": 5}, r"classes is 5; \(negative, positive\) is needed"),
    "classes a string": ({"classes": "01"}, r"classes is '01'; \(negative, positive\) is needed"),
    "classes of one": ({"classes": [1]}, r"classes is \[1\]; two different labels are needed"),
    "classes of three": ({"classes": [0, 1, 2]}, r"classes is \[0, 1, 2\]; two different"),
    "classes equal": ({"classes": (1, 1.0)}, r"classes is \[1, 1\.0\]; two different"),
    "classes nan": ({"classes": (0, np.nan)}, r"classes is nan; it must be one of the labels"),
    "classes lists": ({"classes": ([0], [1])}, r"classes is \[0\]; it must be one of the labels"),
    "classes strange": ({"classes": ("a", "b")}, r"labels holds 1; the classes are 'a', 'b'"),
    "pos_label no class": ({"classes": (0, 1), "pos_label": 2}, r"pos_label is 2; the classes are"),
    "missing": ({"missing": "ignore"}, r"missing is 'ignore'; it must be one of \['error', 'drop'"),
    "missing None": ({"missing": None}, r"missing is None; it must be one of"),
    "missing a list": ({"missing": ["drop"]}, r"missing is \['drop'\]; it must be one of"),
    "missing an array": ({"missing": np.array(["drop", "error"])}, r"missing is array"),
}


@pytest.mark.parametrize(("options", "message"), OPTIONS.values(), ids=OPTIONS)
def test_options_are_refused_by_name(options, message):
    with pytest.raises((OptionError, DataError), match=message):
        ScoreTable.from_arrays(SCORES, LABELS, **options)


def test_pos_label_and_classes_may_be_equal_to_labels_without_being_the_same():
    table = ScoreTable.from_arrays(SCORES, LABELS, pos_label=np.int64(0))
    assert table.classes == (1, 0)
    assert {type(label) for label in table.classes} == {int}
    assert ScoreTable.from_arrays(SCORES, LABELS, pos_label=True).classes == (0, 1)
    assert ScoreTable.from_arrays(SCORES, LABELS, classes=np.array([0, 1])).classes == (0, 1)


ABSENT = {
    "nan": [0.5, float("nan"), 0.25],
    "None": [0.5, None, 0.25],
    "pandas' NA": [0.5, pd.NA, 0.25],
    "masked": np.ma.array([0.5, 9.0, 0.25], mask=[0, 1, 0]),
    "masked whole numbers": np.ma.array([1, 9, 0], mask=[0, 1, 0]),
    "decimal": [decimal.Decimal("0.5"), decimal.Decimal("NaN"), decimal.Decimal("0.25")],
    "pandas": pd.Series([0.5, None, 0.25]),
    "pandas Float64": pd.Series([0.5, None, 0.25], dtype="Float64"),
    "pandas Int64": pd.Series([1, None, 0], dtype="Int64"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas on arrow": pd.Series([0.5, None, 0.25], dtype="double[pyarrow]"),
    "pandas category": pd.Series([0.5, None, 0.25], dtype="category"),
    "polars null": pl.Series([0.5, None, 0.25]),
    "polars nan": pl.Series([0.5, float("nan"), 0.25]),
    "polars whole numbers": pl.Series([1, None, 0]),
    "pyarrow": pa.array([0.5, None, 0.25]),
    "pyarrow whole numbers": pa.chunked_array([[1, None], [0]]),
}


@pytest.mark.parametrize("scores", ABSENT.values(), ids=ABSENT)
def test_missing_scores_are_refused_by_position_or_counted(scores):
    with pytest.raises(DataError, match=r"scores: nan at position 1 is missing \(NaN\).*\"drop\""):
        ScoreTable.from_arrays(scores, [0, 1, 1])
    for policy in ("drop", "propagate"):
        table = ScoreTable.from_arrays(scores, [0, 1, 1], [1.0, 2.0, 3.0], missing=policy)
        assert dict(table.left_out) == {"missing": 1}
        assert table.total == 4.0


@pytest.mark.parametrize("weights", ABSENT.values(), ids=ABSENT)
def test_missing_weights_are_refused_whatever_the_policy(weights):
    with pytest.raises(DataError, match=r"weights: nan at position 1 is not finite"):
        ScoreTable.from_arrays([0.1, 0.2, 0.3], [0, 1, 1], weights, missing="drop")


ABSENT_LABELS = {
    **{name: values for name, values in ABSENT.items() if "decimal" not in name},
    "strings and None": ["a", None, "b"],
    "strings and nan": ["a", float("nan"), "b"],
    "strings and NA": ["a", pd.NA, "b"],
    "pandas string": pd.Series(["a", None, "b"], dtype="string"),
    "pandas str": pd.Series(["a", None, "b"]),
    "pandas category of strings": pd.Series(["a", None, "b"], dtype="category"),
    "polars strings": pl.Series(["a", None, "b"]),
    "polars booleans": pl.Series([True, None, False]),
    "pyarrow strings": pa.array(["a", None, "b"]),
    "numpy strings of any length": np.array(
        ["a", None, "b"], np.dtypes.StringDType(na_object=None)
    ),
    "masked strings": np.ma.array(["a", "b", "b"], mask=[0, 1, 0]),
}


@pytest.mark.parametrize("labels", ABSENT_LABELS.values(), ids=ABSENT_LABELS)
@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"pos_label": "b"}], ids=str)
def test_missing_labels_are_refused_by_position(labels, options):
    with pytest.raises(DataError, match=r"labels: .* at position 1 is missing \(NaN\); every case"):
        ScoreTable.from_arrays([0.1, 0.2, 0.3], labels, **options)


@pytest.mark.parametrize("labels", [[None, 1, 0], [np.nan] * 3, [pd.NA, "a", "b"]], ids=str)
def test_a_missing_label_may_come_first(labels):
    with pytest.raises(DataError, match=r"labels: .* at position 0 is missing"):
        ScoreTable.from_arrays([0.1, 0.2, 0.3], labels)


def test_a_missing_label_may_come_late():
    labels = np.array(["a", "b"] * 50_000, dtype=object)
    labels[70_001] = pd.NA
    with pytest.raises(DataError, match=r"labels: <NA> at position 70001 is missing"):
        ScoreTable.from_arrays(np.zeros(100_000), labels)
