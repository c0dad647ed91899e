"""The original files: a learning set, a validation set, and its answers."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import FloatArray
from truing.paper.kdd98.answers import ANSWERS, read_answers, read_gifts
from truing.paper.kdd98.campaign import Campaign, People
from truing.paper.kdd98.expected import Expected, check_count
from truing.paper.kdd98.text import TextTable, read_table, verify_file

__all__ = ["CONTROL", "FIELDS", "LARGE_GIFT", "NAMES", "read_originals"]

# Archives first: their checksums are published.
LEARNING = ("cup98lrn.zip", "cup98lrn.txt")
VALIDATION = ("cup98val.zip", "cup98val.txt")
NAMES = (LEARNING, VALIDATION, (ANSWERS,))
CONTROL = "CONTROLN"
TARGETS = ("TARGET_B", "TARGET_D")
FIELDS = (
    *("INCOME", "FISTDATE", "LASTDATE", "NGIFTALL", "NUMPROM"),
    *("RFA_2F", "RFA_2A", "PEPSTRFL", "LASTGIFT", "AVGGIFT"),
)
AMOUNTS = {letter: float(at) for at, letter in enumerate("ABCDEFG", start=1)}
LARGE_GIFT = 50.0


def read_originals(files: Mapping[str, Path], expected: Expected) -> Campaign:
    """Return the campaign of the original files, given by their names in small letters."""
    paths = [_find(files, names) for names in NAMES]
    for path in paths[:2]:
        verify_file(path, expected.sums)
    answers = read_answers(paths[2], expected)
    learning = _read_learning(paths[0], expected)
    validation = _read_validation(paths[1], answers, expected)
    return Campaign(
        f"the original files of the KDD Cup 1998: learned from {len(learning):,} people, tested on "
        f"the {len(validation):,} of the validation set.",
        learning,
        validation,
        validation.gifts,
        official=True,
    )


def _find(files: Mapping[str, Path], names: tuple[str, ...]) -> Path:
    for name in names:
        if name in files:
            return files[name]
    raise DataError(
        f"{' or '.join(names)} is missing in the folder; the original files are "
        f"{', '.join(' or '.join(known) for known in NAMES)}. It holds {sorted(files)}."
    )


def _read_learning(path: Path, expected: Expected) -> People:
    table = read_table(path, (*FIELDS, *TARGETS), expected.learning_rows)
    check_count(table.file, "rows", len(table), expected.learning_rows)
    check_count(table.file, "columns", table.width, expected.learning_columns)
    gifts = read_gifts(table)
    large = int((gifts > LARGE_GIFT).sum())
    responders = int(np.count_nonzero(gifts))
    check_count(table.file, "responders", responders, expected.learning_responders)
    check_count(table.file, "gifts above $50", large, expected.learning_large_gifts)
    return _people(table, gifts)


def _read_validation(path: Path, answers: Mapping[str, float], expected: Expected) -> People:
    table = read_table(path, (*FIELDS, CONTROL), expected.validation_rows)
    check_count(table.file, "rows", len(table), expected.validation_rows)
    numbers = table.columns[CONTROL]
    check_count(table.file, "different control numbers", len(set(numbers)), len(table))
    for at, number in enumerate(numbers):
        if number not in answers:
            raise DataError(
                f"{table.file}: {CONTROL} is {number!r} in line {at + 2}; the answers do not have "
                "it."
            )
    return _people(table, np.array([answers[number] for number in numbers]))


def _people(table: TextTable, gifts: FloatArray) -> People:
    attributes = (
        table.numbers("INCOME", 0.0, 7.0, blank=True),
        table.months_ago("FISTDATE"),
        table.months_ago("LASTDATE"),
        table.numbers("NGIFTALL") / table.numbers("NUMPROM", 1.0),
        table.numbers("RFA_2F", 1.0, 4.0),
        table.coded("RFA_2A", AMOUNTS),
        table.coded("PEPSTRFL", {"": 0.0, "X": 1.0}),
    )
    history = table.numbers("LASTGIFT"), table.numbers("AVGGIFT")
    return People(np.column_stack(attributes), np.column_stack(history), gifts, np.ones(len(gifts)))
