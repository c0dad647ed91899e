"""How rows are dealt into folds: which train a model, and which it is then asked about."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, StratifiedShuffleSplit

from truing.classifier.cases import Cases
from truing.errors import DataError, OptionError
from truing.numerics.arrays import IntArray

Fold: TypeAlias = tuple[IntArray, IntArray]  # rows that train, rows that are scored
USUAL_FOLDS = 5
SHOWN_CLASSES = 10


@dataclass(frozen=True)
class Folds:
    """The folds, which may be made while they are used, and how many they are."""

    pairs: Iterable[Fold]
    count: int


Dealer: TypeAlias = Callable[[Cases], Folds]


class Sieve:
    """Lets those folds pass that can be used, and keeps the number of cases in the others."""

    def __init__(self, cases: Cases, folds: Folds, *, scored_must_hold_both: bool = False) -> None:
        self.cases, self.folds = cases, folds
        self.scored_must_hold_both = scored_must_hold_both
        self.untrained: list[int] = []
        self.one_sided: list[int] = []
        self.unknown = 0

    def __iter__(self) -> Iterator[Fold]:
        for train, scored in self.folds.pairs:
            can_train = self.cases.can_train(train)
            test = self.cases.known_to_model(train, scored) if can_train else scored
            if self.scored_must_hold_both and not self.cases.classes_weigh(test):
                self.one_sided.append(len(scored))
            elif len(scored) and not can_train:
                self.untrained.append(len(scored))
            else:
                self.unknown += len(scored) - len(test)
                if len(test):
                    yield train, test

    def reasons(self) -> list[str]:
        """Return why cases were left out, and how many."""
        told: list[str] = []
        if self.untrained:
            told.append(
                f"Cases left out of the calibration: {sum(self.untrained)}. In "
                f"{len(self.untrained)} of {self.folds.count} folds all cases to which the model "
                "would be fitted are of one class."
            )
        told += left_out_unknown(self.unknown)
        if self.one_sided:
            told.append(
                f"Folds left out of the ensemble: {len(self.one_sided)} of {self.folds.count}. "
                "Their cases to calibrate with are of one class, or none."
            )
        return told


def left_out_unknown(count: int) -> list[str]:
    """Return why cases of classes were left out that their model never saw, if there are any."""
    if not count:
        return []
    reason = "The models that were to score them were fitted to no case of their class."
    return [f"Cases left out of the calibration: {count}. {reason}"]


def choose_dealer(cv: Any, metadata: Mapping[str, Any]) -> Dealer:
    """Return what an option ``cv`` that cross-validates stands for."""
    if hasattr(cv, "split") and not isinstance(cv, str | type | LeaveOneOut):
        return partial(_split, cv, metadata)
    dealer = _own_dealer(cv)
    refuse_metadata(cv, metadata)
    return dealer


def leaves_one_out(cv: Any) -> bool:
    """Whether an option ``cv`` asks for folds of one case."""
    return isinstance(cv, LeaveOneOut) or (isinstance(cv, str) and cv == "leave-one-out")


def _own_dealer(cv: Any) -> Dealer:
    if leaves_one_out(cv):
        return _leave_one_out
    if cv is None:
        return partial(_stratify, USUAL_FOLDS)
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2:
        return partial(_stratify, int(cv))
    if isinstance(cv, Iterable) and not isinstance(cv, str | bytes):
        return partial(_take, list(cv))
    raise OptionError(
        f"cv is {cv!r}; it must be a number of folds (2 or more), one of ['prefit', 'same', "
        "'partition', 'leave-one-out'], a splitter, such as KFold(), or pairs (train, test)."
    )


def refuse_metadata(cv: Any, metadata: Mapping[str, Any]) -> None:
    """Refuse what only a splitter would use, so that groups are never quietly ignored."""
    if metadata:
        raise OptionError(
            f"fit was given {', '.join(metadata)}; cv={cv!r} does not use that. Bring a splitter, "
            "such as GroupKFold()."
        )


def part_in_two(cases: Cases, calibration_size: float, random_state: Any) -> Fold:
    """Return one stratified split: rows for the model, rows for the calibrator."""
    splitter = StratifiedShuffleSplit(1, test_size=calibration_size, random_state=random_state)
    counts = np.bincount(cases.codes)
    # A single case cannot be parted, and goes with those of the most common class.
    alone = (counts == 1)[cases.codes] & (len(cases.classes) > 2)
    try:
        strata = np.where(alone, counts.argmax(), cases.codes)
        [(train, test)] = splitter.split(np.zeros(len(cases)), strata)
    except ValueError as error:
        raise DataError(
            f"The data cannot be parted with calibration_size={calibration_size}: y holds "
            f"{_count(cases)}. {error}"
        ) from error
    return train, test


def _stratify(n_folds: int, cases: Cases) -> Folds:
    if n_folds > np.bincount(cases.codes).max():
        which = "either" if len(cases.classes) == 2 else "any"
        raise OptionError(
            f"cv is {n_folds} folds, more than there are cases of {which} class: y holds "
            f"{_count(cases)}. Choose fewer folds, or cv='leave-one-out'."
        )
    with warnings.catch_warnings():
        # A class with fewer cases than folds is provided for: see Pooled and Ensemble.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = list(StratifiedKFold(n_folds).split(np.zeros(len(cases)), cases.codes))
    return Folds(folds, len(folds))


def _leave_one_out(cases: Cases) -> Folds:
    rows = np.arange(len(cases))

    def one_by_one() -> Iterator[Fold]:  # all at once would take memory of the order n²
        for row in rows:
            yield np.delete(rows, row), rows[row : row + 1]

    return Folds(one_by_one(), len(rows))


def _split(splitter: Any, metadata: Mapping[str, Any], cases: Cases) -> Folds:
    return _take(list(splitter.split(cases.inputs, cases.labels, **metadata)), cases)


def _take(pairs: list[Any], cases: Cases) -> Folds:
    for pair in pairs:
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise OptionError(f"cv holds {pair!r}; pairs (train, test) of row numbers are needed.")
    return Folds(
        [(_as_rows(train, cases), _as_rows(test, cases)) for train, test in pairs], len(pairs)
    )


def _as_rows(part: Any, cases: Cases) -> IntArray:
    rows = np.asarray(part)
    if rows.dtype.kind == "b" and rows.shape == (len(cases),):
        return np.flatnonzero(rows)
    if not rows.size:
        return np.empty(0, np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= len(cases):
        raise OptionError(
            f"cv holds {part!r}; row numbers from 0 to {len(cases) - 1}, or a mask, are needed."
        )
    return rows


def _count(cases: Cases) -> str:
    counts = np.bincount(cases.codes, minlength=len(cases.classes)).tolist()
    told = [f"{n} of {label!r}" for n, label in zip(counts, cases.classes.tolist(), strict=True)]
    return " and ".join(told if len(told) <= SHOWN_CLASSES else [*told[:SHOWN_CLASSES], "more"])
