"""What a study found, as text, CSV and JSON."""

import csv
import io
import json

import numpy as np
import pytest

from truing.paper.findings import Block, Study
from truing.paper.options import Options

BLOCK = Block(
    "errors",
    ("one", "two"),
    ("a", "b"),
    np.array([[0.1, 0.25], [3.0, np.nan]]),
    np.array([[0.01, 0.02], [np.nan, np.nan]]),
    np.array([[0.5, np.nan], [np.nan, np.nan]]),
)
STUDY = Study("A study", "no data", (BLOCK,), ("a note\n  of two lines",), {"seed": 3})


def test_text():
    assert str(STUDY).splitlines() == [
        "A study",
        "=======",
        "",
        "Data: no data",
        "",
        "Run with seed 3.",
        "",
        "errors",
        "                       a         b",
        "one                0.100     0.250",
        "  ± draws          0.010     0.020",
        "  published        0.500          ",
        "two                3.000          ",
        "",
        "* a note of two lines",
    ]


def test_a_long_block_is_shown_in_part():
    block = Block("many", tuple(map(str, range(50))), ("a",), np.zeros((50, 1)))
    assert str(block).splitlines()[-1] == "... and 45 rows more"


def test_csv_has_every_number_exactly():
    rows = list(csv.DictReader(io.StringIO(STUDY.to_csv())))
    assert [(row["row"], row["column"]) for row in rows] == [
        (row, column) for row in ("one", "two") for column in "ab"
    ]
    assert rows[0] == {
        "block": "errors", "row": "one", "column": "a",
        "mean": "0.1", "spread": "0.01", "published": "0.5",
    }  # fmt: skip
    assert rows[-1]["mean"] == rows[-1]["published"] == ""


def test_json_is_plain_and_complete():
    told = json.loads(STUDY.to_json())
    assert (told["format"], told["version"], told["settings"]) == ("truing.study", 1, {"seed": 3})
    assert told["notes"] == ["a note of two lines"]
    assert told["numbers"][1] == {
        "block": "errors", "row": "one", "column": "b",
        "mean": 0.25, "spread": 0.02, "published": None,
    }  # fmt: skip
    assert set(told["versions"]) == {"truing", "numpy", "scikit-learn"}


def test_values_are_found_by_name():
    assert STUDY.block("err").value("two", "a") == 3.0
    with pytest.raises(StopIteration):
        STUDY.block("nothing of the kind")


def test_seeds_of_draws_do_not_meet():
    seeds = [seed for run in (0, 1) for draw in range(50) for seed in Options(run).seeds(draw, 3)]
    assert len(set(seeds)) == len(seeds)
