"""A sample of the learning set, with names of its own, and the validation set's answers."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from truing.errors import DataError
from truing.paper.kdd98.answers import read_answers, read_gifts
from truing.paper.kdd98.campaign import Campaign, People
from truing.paper.kdd98.expected import Expected, check_count
from truing.paper.kdd98.text import read_table

__all__ = ["ANSWERS", "FIELDS", "SAMPLE", "read_sample"]

SAMPLE = "kdd98_learning_sample_19372.csv.xz"
ANSWERS = "kdd98_valtargt_96367.csv.xz"
FIELDS = (
    *("INCOME_GROUP", "MONTHS_SINCE_FIRST_GIFT", "MONTHS_SINCE_LAST_GIFT"),
    *("LIFETIME_GIFT_COUNT", "LIFETIME_PROM", "FREQUENCY_STATUS_97NK", "PEP_STAR"),
    *("LAST_GIFT_AMT", "LIFETIME_AVG_GIFT_AMT", "TARGET_B", "TARGET_D"),
)


def read_sample(files: Mapping[str, Path], expected: Expected) -> Campaign:
    """Return the campaign of the sample: all responders, and some of the others, weighted.

    It has no RFA_2A, and nothing of the people of the validation set but their answers.
    """
    for name in (SAMPLE, ANSWERS):
        if name not in files:
            raise DataError(f"{name} is missing in the folder. It holds {sorted(files)}.")
    answers = read_answers(files[ANSWERS], expected)
    people = _read_people(files[SAMPLE], expected)
    return Campaign(
        f"a sample of the learning set of the KDD Cup 1998: {len(people):,} people, all "
        f"{expected.learning_responders:,} who gave, the others weighted to stand for the "
        f"{expected.learning_rows:,} of the learning set. Nothing is known of the people of the "
        "validation set but their gifts.",
        people,
        None,
        np.array(list(answers.values())),
        official=True,
    )


def _read_people(path: Path, expected: Expected) -> People:
    table = read_table(path, FIELDS, expected.sample_rows)
    check_count(table.file, "rows", len(table), expected.sample_rows)
    gifts = read_gifts(table)
    gave = gifts > 0.0
    check_count(table.file, "responders", int(gave.sum()), expected.learning_responders)
    attributes = (
        table.numbers("INCOME_GROUP", 0.0, 7.0, blank=True),
        table.numbers("MONTHS_SINCE_FIRST_GIFT"),
        table.numbers("MONTHS_SINCE_LAST_GIFT"),
        table.numbers("LIFETIME_GIFT_COUNT") / table.numbers("LIFETIME_PROM", 1.0),
        table.numbers("FREQUENCY_STATUS_97NK", 1.0, 4.0),
        table.numbers("PEP_STAR", 0.0, 1.0),
    )
    history = table.numbers("LAST_GIFT_AMT"), table.numbers("LIFETIME_AVG_GIFT_AMT")
    others = (expected.learning_rows - expected.learning_responders) / (~gave).sum()
    weights = np.where(gave, 1.0, others)
    return People(np.column_stack(attributes), np.column_stack(history), gifts, weights)
