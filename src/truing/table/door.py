"""The door: everything that comes from outside is checked here, and only here.

Whatever is wrong gets an error that names the argument, the value, its position and what is
allowed. Behind the door arrays are plain, complete and right.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from truing.errors import DataError, OptionError
from truing.numerics.arrays import BoolArray, FloatArray

Classes: TypeAlias = tuple[Hashable, Hashable]
AnyArray: TypeAlias = npt.NDArray[Any]

CHUNK = 1 << 15  # rows whose temporaries stay in the cache
MISSING = ("error", "drop", "propagate")
USUAL_PAIRS: dict[Any, Classes] = {0: (0, 1), 1: (0, 1), -1: (-1, 1)}


@dataclass(frozen=True)
class ArgumentNames:
    """What the caller calls the arguments, so that errors speak the caller's language."""

    scores: str = "scores"
    labels: str = "labels"
    weights: str = "weights"


def as_vector(values: Any, name: str) -> AnyArray:
    """Return any one-dimensional container, or one column, as an array."""
    vector = values if isinstance(values, np.ndarray) else _from_container(values, name)
    if vector.ndim == 2 and vector.shape[1] == 1:
        return vector[:, 0]
    if vector.ndim == 2 and vector.shape[1] == 2:
        raise DataError(
            f"{name} has two columns; one is needed. Of predict_proba take the positive class: "
            f"{name}[:, 1]."
        )
    if vector.ndim != 1:
        raise DataError(f"{name} has shape {vector.shape}; one dimension or one column is needed.")
    return vector


def _from_container(values: Any, name: str) -> AnyArray:
    if isinstance(values, list | tuple | range):
        return _from_sequence(values, name)
    if isinstance(values, str | bytes | dict | set) or not hasattr(values, "__len__"):
        raise DataError(f"{name} is {values!r}; a one-dimensional array is needed.")
    if hasattr(values, "toarray"):
        raise DataError(f"{name} is sparse; a dense one-dimensional array is needed.")
    import narwhals.stable.v2 as narwhals  # noqa: PLC0415 - only for those who bring frames

    frame = narwhals.from_native(values, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, narwhals.DataFrame) and len(frame.columns) == 1:
        frame = frame[frame.columns[0]]
    return np.asarray(frame.to_numpy() if isinstance(frame, narwhals.Series) else values)


def _from_sequence(values: Sequence[Any], name: str) -> AnyArray:
    try:
        vector = np.asarray(values)
    except ValueError as error:
        raise DataError(f"{name} is ragged; one dimension is needed.") from error
    if vector.dtype.kind in "US" and not all(isinstance(value, str | bytes) for value in values):
        return np.array(values, dtype=object)  # numpy would turn numbers among strings to strings
    return vector


def as_floats(values: Any, name: str) -> FloatArray:
    """Return numbers of any kind as doubles; what is missing becomes NaN."""
    vector = as_vector(values, name)
    if vector.dtype.kind in "fiub":
        return np.asarray(vector, dtype=np.float64)
    if vector.dtype.kind == "c":
        raise DataError(f"Complex data not supported: {name} holds complex numbers.")
    return np.array([_as_float(value, name, at) for at, value in enumerate(vector)], np.float64)


def _as_float(value: Any, name: str, position: int) -> float:
    if _is_absent(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name}: {value!r} at position {position} is not a number.") from error


def _is_absent(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA, which alone is equal to nothing."""
    return value is None or type(value).__name__ in {"NAType", "NaTType"} or bool(value != value)  # noqa: PLR0124 - only NaN differs from itself


def check_missing_option(missing: str) -> None:
    """Refuse an unknown policy for missing scores."""
    if missing not in MISSING:
        raise OptionError(f"missing is {missing!r}; it must be one of {list(MISSING)}.")


def find_missing(scores: FloatArray, name: str, missing: str) -> BoolArray | None:
    """Return which scores are missing, or None if none is; infinite scores are refused."""
    check_missing_option(missing)
    # Minimum and maximum are NaN if any score is, so that clean data cost two fast passes.
    if not len(scores) or (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        return None
    refuse(np.isinf(scores), scores, name, "is infinite (inf); scores must be finite")
    absent = np.isnan(scores)
    if missing == "error":
        refuse(
            absent,
            scores,
            name,
            "is missing (NaN); scores must be numbers. To leave such rows out, and count them, "
            'say missing="drop"',
        )
    return absent if absent.any() else None


def check_probabilities(scores: FloatArray, name: str) -> None:
    """Refuse numbers outside [0, 1]."""
    if len(scores) and not (scores.min() >= 0.0 and scores.max() <= 1.0):
        refuse(
            (scores < 0.0) | (scores > 1.0),
            scores,
            name,
            "is outside [0, 1]; probabilities are needed here",
        )


def refuse(bad: BoolArray, values: AnyArray, name: str, reason: str) -> None:
    """Raise an error that names the first bad value and its position, if there is one."""
    if not bad.any():
        return
    first, count = int(bad.argmax()), int(np.count_nonzero(bad))
    more = f" ({count} such values)" if count > 1 else ""
    raise DataError(f"{name}: {plain(values[first])!r} at position {first} {reason}{more}.")


def as_weights(values: Any, name: str, length: int) -> FloatArray | None:
    """Return weights as doubles, or None where every row weighs one."""
    if values is None:
        return None
    weights = as_floats(values, name)
    check_lengths({"scores": length, name: len(weights)})
    refuse(~np.isfinite(weights), weights, name, "is not finite; weights must be numbers")
    refuse(weights < 0.0, weights, name, "is negative; weights must be 0 or more")
    if not weights.any():
        raise DataError(f"{name} are all zero; at least one row must count.")
    return None if (weights == 1.0).all() else weights


def check_lengths(lengths: dict[str, int]) -> None:
    """Refuse arguments whose lengths differ, and empty ones."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise DataError(f"The lengths differ: {told}.")
    if not all(lengths.values()):
        raise DataError(f"{' and '.join(lengths)} are empty; at least one row is needed.")


def encode_labels(
    labels: AnyArray, name: str, pos_label: Any = None, classes: Iterable[Any] | None = None
) -> tuple[BoolArray, Classes]:
    """Return which labels are positive, and the classes as (negative, positive)."""
    if labels.dtype.kind == "b" and pos_label is None and classes is None:
        return labels, (False, True)
    if labels.dtype.kind == "O":
        labels = np.array([None if _is_absent(label) else label for label in labels], dtype=object)
    first, second, differs = _two_values(labels, name)
    pair = _resolve_classes(first, second, name, pos_label, classes)
    return differs if pair[1] != first else ~differs, pair


def _two_values(labels: AnyArray, name: str) -> tuple[Any, Any, BoolArray]:
    """Return the first label, the second (None if there is none), and which are the second."""
    first, second, differs = labels[0], None, np.empty(len(labels), bool)
    if _is_absent(first):
        _refuse_label(labels, name, first, second)
    for start in range(0, len(labels), CHUNK):
        part, other = labels[start : start + CHUNK], differs[start : start + CHUNK]
        other[:] = part != first
        if not other.any():
            continue
        if second is None:
            second = part[other.argmax()]
        same = np.count_nonzero(part == second)
        if same != np.count_nonzero(other) or _is_absent(second):
            _refuse_label(labels, name, first, second)
    return plain(first), plain(second), differs


def _refuse_label(labels: AnyArray, name: str, first: Any, second: Any) -> None:
    absent = np.array([_is_absent(label) for label in labels])
    refuse(absent, labels, name, "is missing (NaN); every case needs a label")
    unknown = labels.dtype.kind == "f" and not (labels == np.floor(labels)).all()
    kind = "Unknown label type: continuous. " if unknown else ""
    refuse(
        np.asarray((labels != first) & (labels != second), dtype=bool),
        labels,
        name,
        f"is a third class beside {plain(first)!r} and {plain(second)!r}; {kind}Only binary "
        "classification is supported here, with two classes",
    )


def _resolve_classes(
    first: Any, second: Any, name: str, pos_label: Any, classes: Iterable[Any] | None
) -> Classes:
    seen = [first] if second is None else [first, second]
    if classes is not None:
        pair = _given_classes(classes, pos_label)
        strange = [label for label in seen if label not in pair]
        if strange:
            raise DataError(
                f"{name} holds {strange[0]!r}; the classes are {pair[0]!r}, {pair[1]!r}."
            )
        return pair
    if len(seen) == 1:
        return _guess_classes(first, name, pos_label)
    if pos_label is not None:
        if pos_label not in seen:
            raise DataError(f"pos_label is {pos_label!r}; {name} holds {first!r} and {second!r}.")
        seen.remove(pos_label)
        return seen[0], plain(pos_label)
    try:
        negative, positive = sorted(seen)
    except TypeError as error:
        raise DataError(f"{name} holds {first!r} and {second!r}; say pos_label.") from error
    return negative, positive


def _given_classes(classes: Iterable[Any], pos_label: Any) -> Classes:
    pair = tuple(plain(label) for label in classes)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError(f"classes are {pair}; two different labels are needed.")
    if pos_label is not None and pos_label not in pair:
        raise OptionError(f"pos_label is {pos_label!r}; the classes are {pair}.")
    return pair if pos_label is None or pos_label == pair[1] else (pair[1], pair[0])


def _guess_classes(label: Any, name: str, pos_label: Any) -> Classes:
    """Return the classes where only one label is seen; 0, 1, -1 and booleans tell the other."""
    if pos_label is not None and pos_label != label:
        return label, plain(pos_label)
    pair = USUAL_PAIRS.get(label)
    if pair is None:
        raise DataError(
            f"{name} holds one class only, {label!r}; the other cannot be known. "
            "Say classes=(negative, positive), or bring cases of both."
        )
    return pair if pos_label is None or pos_label == pair[1] else (pair[1], pair[0])


def plain(value: Any) -> Any:
    """Return a numpy scalar as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
