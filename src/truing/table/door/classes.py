"""Labels of many classes as places among the classes."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np

from truing.errors import DataError, OptionError
from truing.numerics.arrays import IntArray
from truing.table.door.containers import AnyArray, is_absent
from truing.table.door.labels import ALLOWED as ALLOWED_PAIR
from truing.table.door.labels import NO_LABELS, is_hashable
from truing.table.door.refusal import plain, refuse, shown

ClassLabels: TypeAlias = Iterable[Any] | None

ALLOWED = ALLOWED_PAIR.replace("two classes", "classes")


def encode_many(
    labels: AnyArray, name: str, classes: ClassLabels = None, option: str = "classes"
) -> tuple[IntArray, AnyArray]:
    """Return the place of each label among the classes, and the classes.

    These are the distinct labels in order, or those given, in the order given.

    >>> encode_many(np.array(["b", "c", "a"]), "y")
    (array([1, 2, 0]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    _check_kind(labels, name)
    if labels.dtype.kind == "O":
        seen, codes = _sort_objects(labels, name, ordered=classes is None)
    else:
        seen, codes = np.unique(labels, return_inverse=True)
    if classes is None:
        return codes.astype(np.int64), seen
    given = as_classes(classes, option)
    places = {label: place for place, label in enumerate(given.tolist())}
    found = np.array([places.get(label, -1) for label in seen.tolist()], dtype=np.int64)
    at = found[codes]
    if (at < 0).any():
        first = int((at < 0).argmax())
        raise DataError(
            f"{name}: {shown(labels[first])} at position {first} is none of the {option} "
            f"{shown(given.tolist())}."
        )
    return at, given


def as_classes(classes: Iterable[Any], option: str = "classes") -> AnyArray:
    """Return the classes that an option names, in the order given."""
    if isinstance(classes, str | bytes | AbstractSet) or not hasattr(classes, "__iter__"):
        raise OptionError(f"{option} is {shown(classes)}; a list of the labels in order is needed.")
    known = [plain(label) for label in classes]
    for label in known:
        if is_absent(label) or not is_hashable(label):
            raise OptionError(f"{option} holds {shown(label)}, which is no label.")
    if len(known) < 2 or len(set(known)) < len(known):
        raise OptionError(f"{option} is {shown(known)}; two different labels or more are needed.")
    array = np.array(known)
    if array.ndim != 1 or array.tolist() != known:  # numbers among strings would become strings
        array = np.empty(len(known), dtype=object)
        array[:] = known
    return array


def _check_kind(labels: AnyArray, name: str) -> None:
    if labels.dtype.kind in NO_LABELS:
        kind = type(plain(labels[0])).__name__
        raise DataError(f"{name}: {shown(labels[0])} at position 0 is a {kind}; {ALLOWED}.")
    if labels.dtype.kind == "f":
        refuse(np.isnan(labels), labels, name, "is missing (NaN); every case needs a label")
        refuse(np.isinf(labels), labels, name, f"is infinite (inf); {ALLOWED}")
        between = labels != np.floor(labels)
        refuse(between, labels, name, f"is no class. Unknown label type: continuous; {ALLOWED}")


def _sort_objects(labels: AnyArray, name: str, *, ordered: bool) -> tuple[AnyArray, IntArray]:
    plain_labels = [plain(label) for label in labels]
    for position, label in enumerate(plain_labels):
        if is_absent(label):
            raise DataError(
                f"{name}: {shown(label)} at position {position} is missing (NaN); every case "
                "needs a label."
            )
        if not is_hashable(label):
            kind = type(label).__name__
            raise DataError(
                f"{name}: {shown(label)} at position {position} is a {kind}; {ALLOWED}."
            )
    distinct = list(dict.fromkeys(plain_labels))
    if ordered:
        try:
            distinct.sort()
        except TypeError as error:
            raise DataError(
                f"{name} holds {shown(distinct)}, which have no order; say classes."
            ) from error
    places = {label: place for place, label in enumerate(distinct)}
    codes = np.array([places[label] for label in plain_labels], dtype=np.int64)
    classes = np.array(distinct)
    if classes.ndim != 1 or classes.tolist() != distinct:
        classes = np.empty(len(distinct), dtype=object)
        classes[:] = distinct
    return classes, codes
