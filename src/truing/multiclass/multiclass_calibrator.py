"""What every calibrator of many classes is: a scikit-learn estimator around ``solve(table)``."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.utils import column_or_1d, metadata_routing
from sklearn.utils.validation import check_is_fitted

from truing.calibrators.calibrator import MOST_CASES
from truing.errors import DataError, OptionError
from truing.multiclass.class_map import ClassMap
from truing.multiclass.reading import Reading
from truing.numerics.arrays import FloatArray
from truing.options import share
from truing.table import ArgumentNames, ClassTable, door

NAMES = ArgumentNames("scores", "y", "sample_weight")
ANSWER_MISSING = 'To answer rows that lack a score with NaN, say missing="propagate"'
NO_METADATA = {"scores": metadata_routing.UNUSED}


@dataclass(eq=False, repr=False)
class MulticlassCalibrator(ClassifierMixin, TransformerMixin, BaseEstimator, ABC):
    """A calibrator of scores of two classes or more, a column for each.

    Scores are probabilities or logits, rows of cases and columns in the order of the labels, in any
    container; labels are strings, whole numbers or booleans. A subclass is a dataclass of its
    options with one method, `solve`.

    Like everything here, an answer is a function of the rows that were given as a set: equal rows
    of one class are pooled, and put in order, before anything is computed. So neither the order of
    rows nor whether a case has weight 3 or stands there three times changes an answer by more than
    1e-9; on one machine with one set of libraries, not by a bit.

    Parameters
    ----------
    scale
        ``"auto"`` takes scores for probabilities if all lie in [0, 1] and rows add up to one within
        rounding (1e-3), else for logits, of which softmax makes probabilities; ``"probabilities"``
        and ``"logits"`` say so.
    classes
        Every label in the order of the columns, where the calibration data lack a class; None means
        the labels seen, sorted.
    prior
        The share of each class where the calibrator will be used, in the order of the columns or by
        label, if they differ from the calibration data's.
    missing
        What to do with rows that lack a score: as in `Calibrator`.

    Attributes
    ----------
    map_
        The fitted function.
    classes_
        The labels in the order of the columns.
    totals_
        The weight of the calibration cases of each class.
    left_out_
        How many rows were left out of the fit, by reason.
    """

    scale: str = field(default="auto", kw_only=True)
    classes: Iterable[Any] | None = field(default=None, kw_only=True)
    prior: Any = field(default=None, kw_only=True)
    missing: str = field(default="error", kw_only=True)

    # The scores are the data, whatever their argument is called: nothing to be routed.
    __metadata_request__fit = NO_METADATA
    __metadata_request__transform = NO_METADATA
    __metadata_request__predict = NO_METADATA
    __metadata_request__predict_proba = NO_METADATA

    @abstractmethod
    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the map that this method fits to a table in which two classes have weight."""

    def fit(self, scores: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows of scores and labels; a row of weight 3 is three rows."""
        if y is None:
            raise DataError("requires y to be passed, but the target y is None.")
        if getattr(y, "ndim", 1) == 2:
            y = column_or_1d(y, warn=True)
        return self.fit_table(
            ClassTable.from_arrays(
                scores, y, sample_weight, classes=self.classes, missing=self.missing, names=NAMES
            )
        )

    def fit_table(self, table: ClassTable) -> Self:
        """Fit to a table."""
        if not isinstance(table, ClassTable):
            raise DataError(f"table is {type(table).__name__}; a ClassTable is needed.")
        _check_classes(table)
        shift = self._shift(table)
        fitted = self.solve(table, Reading.of(table.scores, self.scale))
        self.map_, self.shift_ = fitted, shift
        self.classes_ = door.as_classes(table.classes)
        self.totals_, self.left_out_ = np.array(table.totals), dict(table.left_out)
        self.n_features_in_ = len(table.classes)
        return self

    def transform(self, scores: Any) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``."""
        return self._answer(scores)

    def predict_proba(self, scores: Any) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``."""
        return self._answer(scores)

    def predict(self, scores: Any) -> Any:
        """Return the most probable class; between equals the one that comes first."""
        answer = self._answer(scores)
        first = answer[:, 0]
        door.refuse(np.isnan(first), first, "probability", "has no class to predict")
        return self.classes_[answer.argmax(axis=1)]

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ARG002 - the convention
        """Return the names of the columns that `transform` gives."""
        check_is_fitted(self, "map_")
        return np.array([f"probability_{label}" for label in self.classes_], dtype=object)

    def _answer(self, scores: Any) -> FloatArray:
        check_is_fitted(self, "map_")
        values = door.as_columns(scores, NAMES.scores)
        door.check_lengths({NAMES.scores: len(values)})
        if values.shape[1] != len(self.classes_):
            raise DataError(
                f"scores has {values.shape[1]} columns; {len(self.classes_)} are needed, for "
                f"{door.shown(self.classes_.tolist())}."
            )
        policy = "propagate" if self.missing == "propagate" else "error"
        absent = door.find_missing_rows(values, NAMES.scores, policy, ANSWER_MISSING)
        if absent is None:
            return self._map(values)
        answer = np.full(values.shape, np.nan)
        if not absent.all():
            answer[~absent] = self._map(values[~absent])
        return answer

    def _map(self, values: FloatArray) -> FloatArray:
        self.map_.reading.check(values)
        answer = self.map_(values + 0.0)
        if self.shift_ is not None:
            answer *= self.shift_
            answer /= answer.sum(axis=1, keepdims=True)
        return answer

    def _shift(self, table: ClassTable) -> FloatArray | None:
        """Return by what factors a change of prevalences moves the odds."""
        if self.prior is None:
            return None
        told = self.prior
        if isinstance(told, Mapping):
            if set(told) != set(table.classes):
                raise OptionError(f"prior is {told!r}; a share for each of {table.classes}.")
            told = [told[label] for label in table.classes]
        if not hasattr(told, "__len__") or isinstance(told, str) or len(told) != len(table.classes):
            raise OptionError(f"prior is {told!r}; a share for each of {table.classes} is needed.")
        shares = np.array([share("prior", part) for part in told])
        if abs(shares.sum() - 1.0) > 1e-6:
            raise OptionError(f"prior is {told!r}, which adds up to {shares.sum():g}, not to 1.")
        if not table.present.all():
            raise DataError("prior needs calibration cases of every class.")
        factors: FloatArray = shares * table.total / table.totals
        factors /= factors.max()
        return factors

    def _for_scores(self, *, margins: bool) -> "MulticlassCalibrator":
        """Return a calibrator that need not guess from the numbers what they are."""
        if self.scale != "auto":
            return self
        scale = "logits" if margins else "probabilities"
        told: MulticlassCalibrator = clone(self).set_params(scale=scale)
        return told

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "map_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks bring features; here columns must be as many as classes.
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = self.missing != "error"
        tags.classifier_tags.multi_class = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _check_classes(table: ClassTable) -> None:
    if not table.total <= MOST_CASES:
        raise DataError(
            f"sample_weight adds up to {table.total:g} cases; up to {MOST_CASES:g} are allowed."
        )
    if np.count_nonzero(table.present) < 2:
        seen = [label for label, held in zip(table.classes, table.present, strict=True) if held]
        raise DataError(
            f"y holds one class only, {door.shown(seen[0]) if seen else 'none'}; cases of two "
            "classes at least are needed."
        )
