"""A campaign that never was, in files of the original format."""

import csv
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid
from truing.paper.kdd98.campaign import Campaign
from truing.paper.kdd98.expected import Expected
from truing.paper.kdd98.folder import WHERE, read_folder
from truing.paper.kdd98.originals import CONTROL, FIELDS, LARGE_GIFT

__all__ = ["generate", "write_campaign"]

COLUMNS = 481  # as many as the original learning set has
BORDERS = [2.0, 3.0, 5.0, 10.0, 15.0, 25.0]  # of the last gift, between the letters of RFA_2A
GIFTS = "TARGET_D"
TARGETS = ("TARGET_B", GIFTS)
Rows = Mapping[str, Sequence[str]]


def generate(size: int, seed: int) -> Campaign:
    """Return a generated campaign, written as files and read as the original ones are."""
    with tempfile.TemporaryDirectory() as folder:
        expected = write_campaign(Path(folder), size, seed)
        read = read_folder(Path(folder), expected)
    data = (
        f"GENERATED, not the data of the KDD Cup 1998: {size:,} people to learn from and {size:,} "
        f"to test on, invented in the format of its files. {WHERE}"
    )
    return replace(read, data=data, official=False)


def write_campaign(folder: Path, size: int, seed: int) -> Expected:
    """Write the three files into a folder, and return what they hold."""
    rng = np.random.default_rng(seed)
    learning, validation = _people(rng, size, 1), _people(rng, size, 2)
    gifts, answers = ([float(gift) for gift in rows[GIFTS]] for rows in (learning, validation))
    _write(folder / "cup98LRN.txt", learning, (*FIELDS, CONTROL, *TARGETS), COLUMNS)
    _write(folder / "cup98VAL.txt", validation, (*FIELDS, CONTROL), COLUMNS - len(TARGETS))
    fields = (CONTROL, *TARGETS)
    turned = {field: validation[field][::-1] for field in fields}  # the answers' order is their own
    _write(folder / "valtargt.txt", turned, fields, len(fields))
    return Expected(
        learning_rows=size,
        learning_columns=COLUMNS,
        learning_responders=sum(gift > 0.0 for gift in gifts),
        learning_large_gifts=sum(gift > LARGE_GIFT for gift in gifts),
        validation_rows=size,
        validation_responders=sum(gift > 0.0 for gift in answers),
        validation_donations=round(math.fsum(answers), 2),
    )


def _people(rng: np.random.Generator, size: int, first: int) -> dict[str, list[str]]:
    """Return people as the files tell of them: who often gives gives again, but gives less."""
    income = rng.integers(1, 8, size)
    since_last = rng.integers(4, 28, size)
    since_first = since_last + rng.integers(1, 140, size)
    promotions = rng.integers(10, 110, size)
    given = 1 + rng.binomial(promotions - 1, rng.beta(2.0, 9.0, size))
    share = given / promotions
    often = np.clip(1 + rng.binomial(3, np.clip(1.5 * share, 0.0, 1.0)), 1, 4)
    star = rng.uniform(size=size) < 0.2 + share
    average = np.exp(rng.normal(2.9, 0.5, size) - 1.5 * share)
    last = np.maximum(np.rint(average * np.exp(rng.normal(0.1, 0.3, size))), 1.0)
    margin = -3.8 + 2.5 * share + 0.15 * often + 0.3 * star + 0.05 * income - 0.03 * since_last
    gave = rng.uniform(size=size) < sigmoid(margin.astype(float))
    gift = np.maximum(np.rint(0.5 * (last + average) * np.exp(rng.normal(0.0, 0.4, size))), 1.0)
    known = rng.uniform(size=size) < 0.8
    return {
        "INCOME": [str(i) if told else " " for i, told in zip(income, known, strict=True)],
        "FISTDATE": _dates(since_first),
        "LASTDATE": _dates(since_last),
        "NGIFTALL": _texts(given),
        "NUMPROM": _texts(promotions),
        "RFA_2F": _texts(often),
        "RFA_2A": ["ABCDEFG"[at] for at in np.digitize(last, BORDERS)],
        "PEPSTRFL": ["X" if starred else " " for starred in star],
        "LASTGIFT": _texts(last),
        "AVGGIFT": _texts(average.round(6)),
        CONTROL: [str(2 * at + first) for at in range(size)],
        "TARGET_B": _texts(gave),
        GIFTS: _texts(gift * gave),
    }


def _texts(values: Iterable[float] | FloatArray) -> list[str]:
    return [f"{float(value):.10g}" for value in values]


def _dates(months_ago: Iterable[int]) -> list[str]:
    months = [12 * 97 + 5 - int(ago) for ago in months_ago]
    return [f"{month // 12:02}{month % 12 + 1:02}" for month in months]


def _write(path: Path, rows: Rows, fields: Sequence[str], width: int) -> None:
    """Write a file of so many columns: the others stand before these, and are blank."""
    blank = width - len(fields)
    header = [*(f"BLANK{at}" for at in range(blank)), *fields]
    before = [" "] * blank
    with path.open("w", encoding="latin-1", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(header)
        columns = (rows[field] for field in fields)
        writer.writerows([*before, *row] for row in zip(*columns, strict=True))
