"""Labels: any two classes as booleans, and which of the two is positive."""

from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, NoReturn, TypeAlias

import numpy as np

from truing.errors import DataError, OptionError
from truing.numerics.arrays import BoolArray
from truing.table.door.containers import AnyArray, is_absent
from truing.table.door.refusal import plain, shown

Classes: TypeAlias = tuple[Hashable, Hashable]

CHUNK = 1 << 15  # rows whose temporaries stay in the cache
NO_LABELS = "cmMV"  # complex numbers, durations, times and records, as numpy's kinds
ALLOWED = "labels are two classes, as strings, numbers or booleans"
USUAL_PAIRS: dict[Any, tuple[int, int]] = {0: (0, 1), 1: (0, 1), -1: (-1, 1)}


def encode_labels(
    labels: AnyArray, name: str, pos_label: Any = None, classes: Iterable[Any] | None = None
) -> tuple[BoolArray, Classes]:
    """Return which labels are positive, and the classes as (negative, positive).

    >>> encode_labels(np.array(["no", "yes", "no"]), "y")
    (array([False,  True, False]), ('no', 'yes'))
    """
    if labels.dtype.kind in NO_LABELS:
        kind = type(labels[0]).__name__
        raise DataError(f"{name}: {shown(labels[0])} at position 0 is a {kind}; {ALLOWED}.")
    if labels.dtype.kind == "b" and pos_label is None and classes is None:
        return labels, (False, True)
    first, second, differs = _two_values(labels, name)
    pair = _resolve_classes(first, second, name, pos_label, classes)
    return differs if pair[1] != first else ~differs, pair


def _two_values(labels: AnyArray, name: str) -> tuple[Any, Any, BoolArray]:
    """Return the first label, the second (None if there is none), and which are the second."""
    first, second, differs = plain(labels[0]), None, np.empty(len(labels), np.bool_)
    _check_label(first, name, 0)
    for start in range(0, len(labels), CHUNK):
        part, other = labels[start : start + CHUNK], differs[start : start + CHUNK]
        try:
            other[:] = part != _as_element(first, labels)
            count = np.count_nonzero(other)
            if count and second is None:
                second = plain(part[other.argmax()])
                _check_label(second, name, start + int(other.argmax()))
            known = not count or np.count_nonzero(part == _as_element(second, labels)) == count
        except (ArithmeticError, TypeError, ValueError):  # as pandas' NA, or arrays as labels
            known = False
        if not known:
            _refuse_label(labels, name, first)
    return first, second, differs


def _as_element(label: Any, labels: AnyArray) -> Any:
    """Return a label as numpy compares it with the others: as one object, if they are objects.

    By itself it would turn a string to its own kind, which ends at NUL, and a tuple to an array.
    """
    if labels.dtype.kind != "O":
        return label
    element = np.empty((), dtype=object)
    element[()] = label
    return element


def _check_label(label: Any, name: str, position: int) -> None:
    where = f"{name}: {shown(label)} at position {position}"
    if is_absent(label):
        raise DataError(f"{where} is missing (NaN); every case needs a label.")
    if isinstance(label, float) and label in (np.inf, -np.inf):
        raise DataError(f"{where} is infinite (inf); {ALLOWED}.")
    if not is_hashable(label):
        raise DataError(f"{where} is a {type(label).__name__}; {ALLOWED}.")


def is_hashable(label: Any) -> bool:
    """Whether this can be a label: what cannot be a key of a dictionary is none."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _refuse_label(labels: AnyArray, name: str, first: Any) -> NoReturn:
    """Say which label is missing, is no label at all, or is of a third class."""
    seen = [first]
    for position, value in enumerate(labels):
        label = plain(value)
        _check_label(label, name, position)
        if label not in seen:
            seen.append(label)
        if len(seen) > 2:
            break
    else:
        raise DataError(f"{name} cannot be compared with one another; {ALLOWED}.")
    unknown = labels.dtype.kind == "f" and not (labels == np.floor(labels)).all()
    kind = "Unknown label type: continuous. " if unknown else ""
    raise DataError(
        f"{name}: {shown(label)} at position {position} is a third class beside {shown(seen[0])} "
        f"and {shown(seen[1])}; {kind}Only binary classification is supported here, with two "
        "classes."
    )


def _resolve_classes(
    first: Any, second: Any, name: str, pos_label: Any, classes: Iterable[Any] | None
) -> Classes:
    seen = [first] if second is None else [first, second]
    if pos_label is not None:
        pos_label = _check_option("pos_label", pos_label)
    if classes is not None:
        return _find_among(_given_classes(classes, pos_label), seen, name)
    if len(seen) == 1:
        return _guess_classes(first, name, pos_label)
    if pos_label is not None:
        return _put_last(pos_label, seen, name)
    try:
        negative, positive = sorted(seen)
    except TypeError as error:
        raise DataError(
            f"{name} holds {shown(first)} and {shown(second)}, which have no order; say pos_label."
        ) from error
    return negative, positive


def _check_option(option: str, label: Any) -> Any:
    label = plain(label)
    if is_absent(label) or not is_hashable(label):
        raise OptionError(f"{option} is {shown(label)}; it must be one of the labels.")
    return label


def _given_classes(classes: Iterable[Any], pos_label: Any) -> Classes:
    unordered = isinstance(classes, str | bytes | AbstractSet)
    if unordered or not hasattr(classes, "__iter__"):
        raise OptionError(f"classes is {shown(classes)}; (negative, positive) is needed, in order.")
    pair = [_check_option("classes", label) for label in classes]
    if len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError(f"classes is {shown(pair)}; two different labels are needed.")
    if pos_label is not None and pos_label not in pair:
        raise OptionError(f"pos_label is {shown(pos_label)}; the classes are {shown(pair)}.")
    negative, positive = pair if pos_label is None or pos_label == pair[1] else reversed(pair)
    return negative, positive


def _find_among(pair: Classes, seen: list[Any], name: str) -> Classes:
    for label in seen:
        if label not in pair:
            raise DataError(
                f"{name} holds {shown(label)}; the classes are {shown(pair[0])}, {shown(pair[1])}."
            )
    return pair


def _put_last(pos_label: Any, seen: list[Any], name: str) -> Classes:
    if pos_label not in seen:
        raise DataError(
            f"pos_label is {shown(pos_label)}; {name} holds {shown(seen[0])} and {shown(seen[1])}."
        )
    negative, positive = seen if seen[1] == pos_label else reversed(seen)
    return negative, positive


def _guess_classes(label: Any, name: str, pos_label: Any) -> Classes:
    """Return the classes where only one label is seen; 0, 1, -1 and booleans tell the other.

    Where nothing tells it, and the label seen is known to be positive, the other is None.
    """
    if pos_label is not None and pos_label != label:
        return label, pos_label
    if label not in USUAL_PAIRS and pos_label is not None:
        return None, pos_label
    if label not in USUAL_PAIRS:
        raise DataError(
            f"{name} holds one class only, {shown(label)}; the other cannot be known. "
            "Bring cases of both, or say which is positive: pos_label, or for tables and chunks "
            "classes=(negative, positive)."
        )
    kind = type(label) if isinstance(label, bool | float) else int
    negative, positive = map(kind, USUAL_PAIRS[label])
    return (negative, positive) if pos_label in (None, positive) else (positive, negative)
