"""The door: everything that comes from outside is checked here, and only here.

Whatever is wrong gets an error that names the argument, the value, its position and what is
allowed. Behind the door arrays are plain, complete and right.
"""

from truing.table.door.classes import ClassLabels, as_classes, encode_many
from truing.table.door.columns import (
    ROUNDING,
    as_columns,
    check_probability_columns,
    count_columns,
    find_missing_rows,
    hold_probabilities,
)
from truing.table.door.containers import AnyArray, as_vector, is_absent
from truing.table.door.labels import Classes, encode_labels
from truing.table.door.numbers import (
    as_floats,
    as_weights,
    check_missing_option,
    check_probabilities,
    find_missing,
)
from truing.table.door.refusal import (
    ArgumentNames,
    check_lengths,
    plain,
    refuse,
    shown,
)

__all__ = [
    "ROUNDING",
    "AnyArray",
    "ArgumentNames",
    "ClassLabels",
    "Classes",
    "as_classes",
    "as_columns",
    "as_floats",
    "as_vector",
    "as_weights",
    "check_lengths",
    "check_missing_option",
    "check_probabilities",
    "check_probability_columns",
    "count_columns",
    "encode_labels",
    "encode_many",
    "find_missing",
    "find_missing_rows",
    "hold_probabilities",
    "is_absent",
    "plain",
    "refuse",
    "shown",
]
