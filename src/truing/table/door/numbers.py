"""Scores and weights: any numbers as doubles, and what is allowed of them."""

from typing import Any

import numpy as np

from truing.errors import DataError, OptionError
from truing.numerics.arrays import BoolArray, FloatArray
from truing.table.door.containers import as_vector, is_absent
from truing.table.door.refusal import ArgumentNames, check_lengths, refuse, shown

LEAVE_OUT = ArgumentNames().missing_advice
MISSING = ("error", "drop", "propagate")
# Sums of weights and of their squares neither overflow nor vanish.
LARGEST_WEIGHT = 1e100
LEAST_WEIGHT = 1e-100
NO_NUMBERS = (str, bytes, np.flexible, np.ndarray, np.datetime64, np.timedelta64)


def as_floats(values: Any, name: str) -> FloatArray:
    """Return numbers of any kind as doubles; what is missing becomes NaN.

    Strings are no numbers, also if they look like some. What is beyond doubles is infinite, or
    refused.
    """
    vector = as_vector(values, name)
    if vector.dtype.kind in "fiub":
        with np.errstate(over="ignore"):
            return np.asarray(vector, dtype=np.float64)
    return np.array([_as_float(value, name, at) for at, value in enumerate(vector)], np.float64)


def _as_float(value: Any, name: str, position: int) -> float:
    if is_absent(value):
        return float("nan")
    where = f"{name}: {shown(value)} at position {position}"
    if isinstance(value, complex | np.complexfloating):
        raise DataError(f"{where} is complex. Complex data not supported; a real number is needed.")
    if isinstance(value, NO_NUMBERS):
        raise DataError(f"{where} is of type {type(value).__name__}; a number is needed.")
    try:
        return float(value)
    except OverflowError as error:
        raise DataError(f"{where} is too large; scores and weights are doubles.") from error
    except (ArithmeticError, TypeError, ValueError) as error:
        raise DataError(f"{where} is not a number.") from error


def check_missing_option(missing: str) -> None:
    """Refuse an unknown policy for missing scores."""
    if not isinstance(missing, str) or missing not in MISSING:
        raise OptionError(f"missing is {shown(missing)}; it must be one of {list(MISSING)}.")


def find_missing(
    scores: FloatArray, name: str, missing: str, advice: str = LEAVE_OUT
) -> BoolArray | None:
    """Return which scores are missing, or None if none is; infinite scores are refused."""
    check_missing_option(missing)
    # Minimum and maximum are NaN if any score is, so that clean data cost two fast passes.
    if not len(scores) or (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        return None
    refuse(np.isinf(scores), scores, name, "is infinite (inf); scores must be finite")
    absent = np.isnan(scores)
    if missing == "error":
        refuse(absent, scores, name, f"is missing (NaN); scores must be numbers. {advice}")
    return absent if absent.any() else None


def check_probabilities(
    scores: FloatArray, name: str, reason: str = "probabilities are needed here"
) -> None:
    """Refuse numbers outside [0, 1]."""
    if len(scores) and not (scores.min() >= 0.0 and scores.max() <= 1.0):
        outside = (scores < 0.0) | (scores > 1.0)
        refuse(outside, scores, name, f"is outside [0, 1]; {reason}")


def as_weights(values: Any, name: str, length: int, beside: str = "the data") -> FloatArray | None:
    """Return as many weights as there are rows, or None where every row weighs one."""
    if values is None:
        return None
    weights = as_floats(values, name)
    check_lengths({beside: length, name: len(weights)})
    refuse(
        ~np.isfinite(weights), weights, name, "is not finite; weights must be numbers of 0 or more"
    )
    refuse(weights < 0.0, weights, name, "is negative; weights must be 0 or more")
    too_large = weights > LARGEST_WEIGHT
    refuse(too_large, weights, name, f"is too large; weights must be {LARGEST_WEIGHT:g} or less")
    if not weights.any():
        raise DataError(f"{name} are all zero; at least one row must count.")
    greatest = np.arange(len(weights)) == weights.argmax()
    refuse(
        greatest & (weights < LEAST_WEIGHT),
        weights,
        name,
        f"is the largest weight; one at least must reach {LEAST_WEIGHT:g}, so that digits are left",
    )
    return None if (weights == 1.0).all() else weights
