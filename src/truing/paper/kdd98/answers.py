"""The answers of the validation set: who gave, and how much."""

import hashlib
import math
from pathlib import Path

import numpy as np

from truing.errors import DataError
from truing.numerics.arrays import FloatArray
from truing.paper.kdd98.expected import Expected, check_count
from truing.paper.kdd98.text import TextTable, read_table

__all__ = ["ANSWERS", "read_answers", "read_gifts"]

ANSWERS = "valtargt.txt"
FIELDS = ("CONTROLN", "TARGET_B", "TARGET_D")


def read_answers(path: Path, expected: Expected) -> dict[str, float]:
    """Return the gift of everybody in the validation set by control number."""
    table = read_table(path, FIELDS, expected.validation_rows)
    gifts = read_gifts(table)
    check_count(table.file, "rows", len(table), expected.validation_rows)
    responders = int(np.count_nonzero(gifts))
    check_count(table.file, "responders", responders, expected.validation_responders)
    donated = round(math.fsum(gifts), 2)
    check_count(table.file, "dollars of donations", donated, expected.validation_donations)
    _verify(table, gifts, expected)
    answers = dict(zip(table.columns["CONTROLN"], gifts.tolist(), strict=True))
    check_count(table.file, "different control numbers", len(answers), len(table))
    return answers


def read_gifts(table: TextTable) -> FloatArray:
    """Return what people gave; who is said to have given must have."""
    gifts = table.numbers("TARGET_D")
    differs = table.numbers("TARGET_B", 0.0, 1.0) != (gifts > 0.0)
    if differs.any():
        at = int(differs.argmax())
        told, gift = (table.columns[field][at] for field in FIELDS[1:])
        raise DataError(f"{table.file}: TARGET_B is {told} in line {at + 2}, and TARGET_D {gift}.")
    return gifts


def _verify(table: TextTable, gifts: FloatArray, expected: Expected) -> None:
    """Hold the answers to the published sha256, whatever line ends and zeros they came with."""
    published = expected.sums.get(ANSWERS)
    if published is None:
        return
    people = zip(table.columns["CONTROLN"], table.columns["TARGET_B"], gifts, strict=True)
    lines = [",".join(FIELDS), *(f"{number},{told},{gift:g}" for number, told, gift in people)]
    found = hashlib.sha256("".join(f"{line}\r\n" for line in lines).encode("latin-1")).hexdigest()
    if found != published:
        raise DataError(
            f"{table.file}: the sha256 of its content is {found}, {published} expected."
        )
