"""The classifier's door: labels and weights are checked here; X belongs to the model alone."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _num_samples

from truing.errors import DataError
from truing.numerics.arrays import FloatArray, IntArray
from truing.table import door
from truing.table.door import AnyArray

NO_LABELS = "cmMSV"  # complex numbers, durations, times, bytes and records, as numpy's kinds
WHOLE_NUMBERS = 2.0**63  # models take labels for integers of so many bits
ALLOWED = "labels are strings, whole numbers or booleans"


@dataclass(frozen=True)
class Cases:
    """What a classifier is fitted to.

    Attributes
    ----------
    inputs
        X, as it came.
    labels, classes, codes
        The label of each row, the distinct labels in order, and each row's place among them.
    weights
        The weights that the calibrator uses, or None where every row weighs one.
    model_params
        What the model's ``fit`` takes beside X and y, its weights included.
    """

    inputs: Any
    labels: AnyArray
    classes: AnyArray
    codes: IntArray
    weights: FloatArray | None
    model_params: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.labels)

    def classes_weigh(self, rows: IntArray) -> bool:
        """Whether the calibrator would find cases of two classes among these rows."""
        return len(self._present(rows, self.weights)) > 1

    def can_train(self, rows: IntArray) -> bool:
        """Whether a model would find cases of two classes among these rows."""
        return len(self._trained(rows)) > 1

    def known_to_model(self, train: IntArray, test: IntArray) -> IntArray:
        """Return those rows whose class a model would know that is fitted to others."""
        if len(self.classes) == 2:  # then it knows both, or cannot be trained
            return test
        return test[np.isin(self.codes[test], self._trained(train))]

    def _trained(self, rows: IntArray) -> IntArray:
        return self._present(rows, self.weights if "sample_weight" in self.model_params else None)

    def _present(self, rows: IntArray, weights: FloatArray | None) -> IntArray:
        if weights is not None:
            rows = rows[weights[rows] > 0.0]
        return np.flatnonzero(np.bincount(self.codes[rows], minlength=len(self.classes)))


def check_cases(
    inputs: Any,
    y: Any,
    sample_weight: Any,
    model_params: Mapping[str, Any],
    known: Any = None,
) -> Cases:
    """Return what came from outside as cases, or say what is wrong with it.

    ``known`` are the classes of a fitted model, which may be more than two, and more than the data
    hold.
    """
    labels = _as_labels(y)
    door.check_lengths({"X": _num_samples(inputs), "y": len(labels)})
    classes, codes = _find_classes(labels, known)
    weights = door.as_weights(_plain_array(sample_weight), "sample_weight", len(labels), "y")
    cases = Cases(inputs, labels, classes, codes, weights, model_params)
    if not cases.classes_weigh(np.arange(len(cases))):
        which = "both" if len(classes) == 2 else "two at least of the"
        without = "one class" if len(classes) == 2 else "all classes but one"
        raise DataError(
            f"sample_weight is zero for every case of {without}; {which} classes "
            f"{classes.tolist()} must have weight."
        )
    return cases


def find_position(pos_label: Hashable | None, classes: AnyArray) -> int:
    """Return which of the classes is the positive one: the greatest unless it is named."""
    known: list[Any] = classes.tolist()
    if pos_label is None:
        return len(known) - 1
    if pos_label not in known:
        raise DataError(f"The calibrator's pos_label is {pos_label!r}; y holds {known}.")
    return known.index(pos_label)


def _as_labels(y: Any) -> AnyArray:
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.")
    labels = _one_column(y)
    door.check_lengths({"y": len(labels)})
    if labels.dtype.kind == "f":
        door.refuse(np.isnan(labels), labels, "y", "is missing (NaN); every case needs a label")
        door.refuse(np.isinf(labels), labels, "y", "is infinite (inf); labels are any two classes")
    if labels.dtype.kind == "O":
        labels = _settle_objects(labels)
    _check_kind(labels)
    return labels


def _check_kind(labels: AnyArray) -> None:
    """Refuse what is neither strings nor booleans nor whole numbers."""
    if labels.dtype.kind in NO_LABELS:
        kind = type(door.plain(labels[0])).__name__
        complaint = "Complex data not supported, " if labels.dtype.kind == "c" else ""
        raise DataError(
            f"y: {door.shown(labels[0])} at position 0 is of type {kind}; {complaint}{ALLOWED}."
        )
    if labels.dtype.kind == "f":
        between = labels != np.floor(labels)
        door.refuse(between, labels, "y", f"is no class. Unknown label type: continuous; {ALLOWED}")
        beyond = np.abs(labels.astype(np.float64)) >= WHOLE_NUMBERS
        door.refuse(beyond, labels, "y", f"is too large; {ALLOWED}")


def _one_column(y: Any) -> AnyArray:
    if not hasattr(y, "__array__"):
        return door.as_vector(y, "y")
    plain: AnyArray = np.asarray(y)
    shape = plain.shape
    if len(shape) != 1 and shape[1:] != (1,):
        raise DataError(
            f"y should be a 1d array, got an array of shape {shape}; one label for each case is "
            "needed. Of one-hot columns take y.argmax(axis=1)."
        )
    if plain.dtype.kind in NO_LABELS:
        return plain.ravel()  # to be refused as such
    labels: AnyArray = column_or_1d(y, warn=True)
    return labels


def _settle_objects(labels: AnyArray) -> AnyArray:
    """Return labels that came as Python objects as strings or numbers, which models can take."""
    if all(isinstance(label, str) for label in labels):
        return labels
    numbers = np.array(labels.tolist())
    if numbers.ndim == 1 and numbers.dtype.kind in NO_LABELS:
        return numbers  # to be refused as such
    if numbers.dtype.kind in "biuf" and numbers.ndim == 1 and not np.isnan(numbers).any():
        return numbers
    door.encode_labels(labels, "y", pos_label=labels[0])  # says what is missing, and where
    raise DataError("y holds labels of several kinds; strings, numbers or booleans are needed.")


def _find_classes(labels: AnyArray, known: Any) -> tuple[AnyArray, IntArray]:
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) == 1:
        raise DataError(
            f"y holds one class only, {door.plain(classes[0])!r}; cases of both classes are needed."
        )
    every = classes if known is None else np.asarray(known)
    if len(every) > max(len(classes), 2) and np.isin(classes, every).all():
        places: dict[Any, int] = {label: at for at, label in enumerate(every.tolist())}
        return every, np.array([places[label] for label in classes.tolist()])[codes]
    return classes, codes


def _plain_array(values: Any) -> Any:
    return np.asarray(values) if hasattr(values, "__array__") else values
