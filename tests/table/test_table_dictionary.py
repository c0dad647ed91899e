"""A table as plain data: nothing is lost, and nothing that is no table passes."""

import copy
import enum
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from witness import assert_valid, everywhere, fractions, probabilities, repeatable, rows_of, sizes

from truing import DataError, LogOddsGrid, OptionError, RelativeGrid, ScoreTable

WEIGHTS = [None, st.integers(0, 4).map(float), fractions, sizes]
GRIDS = [None, LogOddsGrid(), RelativeGrid(), LogOddsGrid(2.0**-24), RelativeGrid(0.7)]
PAIRS = [
    ("no", "yes"),
    (False, True),
    (0, 1),
    (-1, 1),
    (0.5, 2.5),
    ("", "ä\0"),
    (1, "1"),
    (0, 10**30),
]


@repeatable
@given(
    grid=st.sampled_from(GRIDS),
    weights=st.sampled_from(range(len(WEIGHTS))),
    pair=st.sampled_from(PAIRS),
    data=st.data(),
)
def test_nothing_is_lost_also_through_json(grid, weights, pair, data):
    scores = probabilities if isinstance(grid, LogOddsGrid) else everywhere
    rows, positive, weight = data.draw(rows_of(scores, WEIGHTS[weights]))
    if not weight.max() >= 1e-100:
        weight[0] = 1.0
    rows = np.where(data.draw(st.booleans()) & (np.arange(len(rows)) > 0), np.nan, rows)
    weight[0] = weight[0] or 1.0
    labels = [pair[int(is_positive)] for is_positive in positive]
    table = ScoreTable.from_arrays(rows, labels, weight, grid, classes=pair, missing="drop")
    told = table.to_dict()
    again = ScoreTable.from_dict(json.loads(json.dumps(told, allow_nan=False)))
    assert again == table
    assert [type(label) for label in again.classes] == [type(label) for label in table.classes]
    assert again.to_dict() == told
    assert ScoreTable.from_dict(told) == table
    assert_valid(again)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_the_empty_table_comes_back(grid):
    told = ScoreTable.empty(grid).to_dict()
    again = ScoreTable.from_dict(json.loads(json.dumps(told)))
    assert again == ScoreTable.empty(grid)
    assert again.to_dict() == told


def test_what_a_dictionary_says():
    table = ScoreTable.from_arrays([0.5, 0.25, None], ["a", "b", "a"], missing="drop")
    assert table.to_dict() == {
        "format": "truing.ScoreTable",
        "version": 1,
        "classes": ["a", "b"],
        "grid": None,
        "left_out": {"missing": 1},
        "scores": [0.25, 0.5],
        "negatives": [0.0, 1.0],
        "positives": [1.0, 0.0],
    }
    weighted = ScoreTable.from_arrays([0.5, 0.5], [0, 1], [1.5, 2.0], LogOddsGrid(0.5)).to_dict()
    assert weighted["grid"] == {"kind": "log-odds", "width": 0.5}
    assert weighted["cells"] == [0]
    assert weighted["rows"] == [2.0]
    assert weighted["negative_squares"] == [2.25]
    assert weighted["positive_squares"] == [4.0]


def test_a_dictionary_written_by_version_1_loads():
    written = (
        '{"format": "truing.ScoreTable", "version": 1, "classes": ["no", "yes"], "grid": '
        '{"kind": "relative", "width": 0.5}, "left_out": {}, "cells": [-1487, 0, 1492], '
        '"negatives": [2.0, 0.0, 0.5], "positives": [1.0, 3.0, 0.0], "rows": [2.0, 1.0, 1.0], '
        '"negative_squares": [4.0, 0.0, 0.25], "positive_squares": [1.0, 9.0, 0.0]}'
    )
    table = ScoreTable.from_dict(json.loads(written))
    np.testing.assert_allclose(table.scores, [-np.exp(-2.0), 0.0, np.exp(0.5)], rtol=1e-15)
    assert (table.total, table.total_positive, table.rows.sum()) == (6.5, 4.0, 4.0)


def test_enumerations_are_written_as_their_values():
    kind = enum.StrEnum("kind", {"NO": "no", "YES": "yes"})
    level = enum.IntEnum("level", {"LOW": 3, "HIGH": 5})
    for no, yes in ((kind.NO, kind.YES), (level.LOW, level.HIGH)):
        table = ScoreTable.from_arrays([0.1, 0.2], [no, yes])
        told = json.loads(json.dumps(table.to_dict()))
        assert told["classes"] == [no.value, yes.value]
        assert ScoreTable.from_dict(told) == table


@pytest.mark.parametrize("labels", [[b"a", b"b"], [pd.Timestamp("2020"), pd.Timestamp("2021")]])
def test_labels_that_cannot_be_written_are_named(labels):
    table = ScoreTable.from_arrays([0.1, 0.2], labels)
    with pytest.raises(
        DataError, match=r"The class .* cannot be written; only strings, numbers and"
    ):
        table.to_dict()


@pytest.fixture
def counts():
    return ScoreTable.from_arrays([0.2, 0.5, 0.5], ["no", "no", "yes"]).to_dict()


@pytest.fixture
def weighted():
    return ScoreTable.from_arrays([-2.0, 0.5, 0.5], [0, 0, 1], [0.5, 2.0, 1.0]).to_dict()


@pytest.fixture
def on_grid():
    return ScoreTable.from_arrays([0.2, 0.5, 0.5], [0, 0, 1], grid="log-odds").to_dict()


FLAWS = {
    "another format": ({"format": "truing.Map"}, "This is 'truing.Map' version 1; 'truing.Score"),
    "no format": ({"format": None}, "This is None version 1"),
    "a list as format": ({"format": ["truing.ScoreTable"]}, "This is ['truing.ScoreTable']"),
    "a version to come": ({"version": 2}, "version 2; 'truing.ScoreTable' version 1 is needed"),
    "true as version": ({"version": True}, "version True"),
    "a float as version": ({"version": 1.0}, "version 1.0"),
    "an array as version": ({"version": np.array([1, 1])}, "version array([1, 1])"),
    "unknown key": ({"weights": [1.0, 2.0]}, "The table has 'weights'; only ['classes', 'format'"),
    "key of another kind": ({5: 1}, "The table has 5; only"),
    "some of the spread": ({"rows": [1.0, 2.0]}, "The table has no 'negative_squares'"),
    "scores of no list": ({"scores": 5}, "scores of a table is 5; a list is needed"),
    "scores as text": ({"scores": "ab"}, "scores of a table is 'ab'; a list is needed"),
    "digits": ({"scores": ["0.1", "0.2"]}, "scores: '0.1' at position 0 is no float or int"),
    "booleans": ({"scores": [False, True]}, "scores: False at position 0 is no float or int"),
    "nested": ({"scores": [0.1, [0.2]]}, "scores: [0.2] at position 1 is no float or int"),
    "None among scores": ({"scores": [0.1, None]}, "scores: None at position 1 is no float or int"),
    "nan": ({"scores": [0.1, float("nan")]}, "scores: nan at position 1 is not finite"),
    "infinite": ({"scores": [0.1, float("inf")]}, "scores: inf at position 1 is not finite"),
    "beyond doubles": ({"scores": [1, 10**400]}, "scores of a table holds a number that is too la"),
    "unsorted": (
        {"scores": [0.5, 0.2]},
        "scores: 0.2 at position 1 is not above the one before it",
    ),
    "twice": ({"scores": [0.5, 0.5]}, "scores: 0.5 at position 1 is not above"),
    "both zeros": ({"scores": [-0.0, 0.0]}, "scores: 0.0 at position 1 is not above"),
    "too few": ({"negatives": [1.0]}, "negatives of a table has 1 numbers; 2 are needed"),
    "negative count": (
        {"negatives": [1, -1]},
        "negatives: -1.0 at position 1 is outside 0 to 1e+250",
    ),
    "half a case": ({"positives": [0.5, 1]}, "positives: 0.5 at position 0 is no count; whole num"),
    "too many": (
        {"positives": [2.0**54, 1]},
        "positives: 1.8014398509481984e+16 at position 0 is n",
    ),
    "nobody": ({"negatives": [0, 1]}, "negatives: 0.0 at position 0 comes with as few positives"),
    "nan cases": ({"positives": [0, float("nan")]}, "positives: nan at position 1 is not finite"),
    "no classes": ({"classes": None}, "classes of a table are None; two labels are needed"),
    "one class": ({"classes": ["a"]}, "classes of a table are ['a']; two labels are needed"),
    "three classes": ({"classes": ["a", "b", "c"]}, "two labels are needed"),
    "text as classes": ({"classes": "ab"}, "classes of a table are 'ab'; two labels are needed"),
    "equal classes": (
        {"classes": [1, 1.0]},
        "classes are [1, 1.0]; two different labels are needed",
    ),
    "lists as classes": (
        {"classes": [[0], [1]]},
        "classes: [0] is no string, finite number or bool",
    ),
    "nan as class": ({"classes": [0, float("nan")]}, "classes: nan is no string, finite number"),
    "None as class": ({"classes": [0, None]}, "classes: None is no string, finite number or bool"),
    "left out a list": ({"left_out": []}, "left_out of a table is []; a dictionary is needed"),
    "left out text": (
        {"left_out": {"missing": "3"}},
        "left_out: 'missing' is '3'; names and counts",
    ),
    "left out none": (
        {"left_out": {"missing": 0}},
        "left_out: 'missing' is 0; names and counts of 1",
    ),
    "left out half": ({"left_out": {"missing": 1.5}}, "left_out: 'missing' is 1.5"),
    "left out for 5": ({"left_out": {5: 1}}, "left_out: 5 is 1"),
    "a grid without cells": (
        {"grid": {"kind": "log-odds", "width": 0.1}},
        "The table has no 'cells'",
    ),
}


@pytest.mark.parametrize(("flaw", "message"), FLAWS.values(), ids=FLAWS)
def test_flaws_are_refused_by_name(counts, flaw, message):
    with pytest.raises(DataError) as refused:
        ScoreTable.from_dict(counts | flaw)
    assert message in str(refused.value)


WEIGHTED_FLAWS = {
    "no rows": ({"rows": [0.0, 2.0]}, "rows: 0.0 at position 0 is below 1"),
    "half a row": ({"rows": [1.5, 2.0]}, "rows: 1.5 at position 0 is no count"),
    "squares too large": (
        {"positive_squares": [0.0, 1.1]},
        "positive_squares: 1.1 at position 1 is",
    ),
    "squares of nothing": (
        {"positive_squares": [0.1, 1.0]},
        "positive_squares: 0.1 at position 0 is",
    ),
    "weights beyond sense": (
        {"negatives": [1e300, 2.0]},
        "negatives: 1e+300 at position 0 is outsi",
    ),
    "negative squares": ({"negative_squares": [-0.1, 4.0]}, "negative_squares: -0.1 at position 0"),
}


@pytest.mark.parametrize(("flaw", "message"), WEIGHTED_FLAWS.values(), ids=WEIGHTED_FLAWS)
def test_flaws_of_weighted_tables_are_refused_by_name(weighted, flaw, message):
    with pytest.raises(DataError) as refused:
        ScoreTable.from_dict(weighted | flaw)
    assert message in str(refused.value)


GRID_FLAWS = {
    "fractions": ({"cells": [-5678.0, 0.0]}, DataError, "cells: -5678.0 at position 0 is no int"),
    "too large": (
        {"cells": [0, 2**63]},
        DataError,
        "cells of a table hold a number that is too la",
    ),
    "the last integer": (
        {"cells": [-(2**63), 0]},
        DataError,
        "cells: -9223372036854775808 at posi",
    ),
    "outside": ({"cells": [0, 10**9]}, DataError, "cells: 1000000000 at position 1 is no cell of"),
    "where no double is": (
        {"cells": [0, 150_400]},
        DataError,
        "cells: 150400 at position 1 is no c",
    ),
    "unsorted": ({"cells": [0, -1]}, DataError, "cells: -1 at position 1 is not above the one"),
    "unknown grid": ({"grid": {"kind": "x", "width": 1}}, OptionError, "grid is {'kind': 'x'"),
    "no grid": ({"grid": "log-odds"}, OptionError, "grid is 'log-odds'; a kind, one of"),
    "too narrow": ({"grid": {"kind": "log-odds", "width": 0}}, OptionError, "width of a grid is 0"),
    "another": ({"grid": None}, DataError, "The table has no 'scores'"),
}


@pytest.mark.parametrize(("flaw", "kind", "message"), GRID_FLAWS.values(), ids=GRID_FLAWS)
def test_flaws_of_grid_tables_are_refused_by_name(on_grid, flaw, kind, message):
    with pytest.raises(kind) as refused:
        ScoreTable.from_dict(on_grid | flaw)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "data", [None, 5, "x", [], [("format", 1)], {}, {"format": {}}, object(), dict]
)
def test_what_is_no_dictionary_of_a_table_is_refused(data):
    with pytest.raises(DataError, match=r"The data are|This is"):
        ScoreTable.from_dict(data)


@pytest.mark.parametrize("kind", ["counts", "weighted", "on_grid"])
def test_every_key_is_needed(kind, request):
    data = request.getfixturevalue(kind)
    for name in data:
        with pytest.raises(DataError):
            ScoreTable.from_dict({key: value for key, value in data.items() if key != name})


def test_arrays_are_read_and_not_kept(counts):
    scores = np.array(counts["scores"])
    table = ScoreTable.from_dict(counts | {"scores": scores})
    scores[:] = 7.0
    assert table == ScoreTable.from_dict(counts)


def test_minus_zero_is_zero(counts):
    table = ScoreTable.from_dict(counts | {"scores": [-1.0, -0.0]})
    assert not np.signbit(table.scores[1])


HOSTILE = [
    None, True, False, 0, 1, -1, 2, 2**53 + 1, 2**63, -(2**63), 10**400, 10**5000, 0.5, -0.0, 1e308,
    float("nan"), float("inf"), 1j, "", "x", "0.5", b"x", [], [0.5], [1, 2], [[0.1], [0.2]],
    [None, 1], [0.1, "0.2"], (0.25, 0.75), {}, {"a": 1}, {1: {}}, {0.5}, frozenset(), object(),
    int, len, range(2),
    np.nan, np.float32(0.5), np.array(1.0), np.array([0.2, 0.5]), np.array([[1.0], [2.0]]),
    np.array(["a", "b"]), np.array([None, 1]), pd.NA, pd.NaT, pd.Series([0.1, 0.2]), "log-odds",
    {"kind": "relative", "width": 0.5}, {"kind": ["log-odds"], "width": 0.5},
]  # fmt: skip
KEYS = ["format", "version", "classes", "grid", "left_out", "scores", "cells", "negatives"]
KEYS += ["positives", "rows", "negative_squares", "positive_squares", "kind", "width", 0, None]
hostile = st.sampled_from(range(len(HOSTILE))).map(lambda at: copy.deepcopy(HOSTILE[at]))
VALID = [
    ScoreTable.from_arrays([0.2, 0.5, 0.5], ["a", "a", "b"]),
    ScoreTable.from_arrays([0.2, 0.5, np.nan], [0, 1, 1], [0.5, 2.0, 1.0], missing="drop"),
    ScoreTable.from_arrays([0.0, 0.5, 1.0], [0, 0, 1], grid="log-odds"),
    ScoreTable.from_arrays([-3.0, 0.0, 1e300], [0, 0, 1], [0.5, 2.0, 1.0], grid="relative"),
    ScoreTable.empty(),
]


def spoil(data, draw):
    """Put something hostile in one place of plain data."""
    where = data
    while isinstance(where, dict | list) and where:
        place = draw(st.sampled_from(list(where) if isinstance(where, dict) else range(len(where))))
        inner = where[place]
        if not isinstance(inner, dict | list) or not inner or draw(st.booleans()):
            break
        where = inner
    change = draw(st.sampled_from(["replace", "remove", "add"]))
    if change == "replace":
        where[place] = draw(hostile)
    elif change == "remove":
        del where[place]
    elif isinstance(where, dict):
        where[draw(st.sampled_from(KEYS))] = draw(hostile)
    else:
        where.insert(place, draw(hostile))


@settings(repeatable, max_examples=1500)
@given(valid=st.sampled_from(range(len(VALID))), times=st.integers(1, 3), data=st.data())
def test_whatever_is_spoilt_is_refused_or_still_a_table(valid, times, data):
    told = copy.deepcopy(VALID[valid].to_dict())
    for _ in range(times):
        spoil(told, data.draw)
    try:
        table = ScoreTable.from_dict(told)
    except (DataError, OptionError):
        return
    assert_valid(table)
    assert ScoreTable.from_dict(table.to_dict()) == table
