"""The steps that every way is made of: train a model, ask it, calibrate its answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params

from truing.calibrators import Calibrator
from truing.classifier.cases import Cases
from truing.classifier.folds import Fold
from truing.classifier.scores import ColumnsReader, ScoreReader
from truing.errors import DataError
from truing.multiclass import MulticlassCalibrator
from truing.numerics.arrays import FloatArray, IntArray

AnyCalibrator: TypeAlias = Calibrator | MulticlassCalibrator


@dataclass(frozen=True)
class Evidence:
    """Scores, and the rows of the cases that were given them; a row may come several times."""

    rows: IntArray
    scores: FloatArray
    margins: bool = False  # or probabilities


@dataclass(frozen=True)
class Pair:
    """A fitted model and the calibrator of its scores."""

    model: Any
    calibrator: AnyCalibrator
    say: float = 1.0  # what it counts for beside the others


@dataclass(frozen=True)
class Recipe:
    """What to fit: a model, a calibrator, and which of the model's answers it is given."""

    estimator: Any
    calibrator: AnyCalibrator
    read: ScoreReader | ColumnsReader

    def train(self, cases: Cases) -> Any:
        """Return a model that is fitted to all cases."""
        return clone(self.estimator).fit(cases.inputs, cases.labels, **cases.model_params)

    def ask(self, model: Any, cases: Cases) -> Evidence:
        """Return the model's scores of all cases."""
        scores = self.read(model, cases.inputs)
        return Evidence(np.arange(len(cases)), scores, self.read.gives_margins(model))

    def train_and_ask(self, cases: Cases, fold: Fold) -> tuple[Any, Evidence]:
        """Return a model that is fitted to one part of the cases, and its scores of the other."""
        train, test = fold
        inputs, labels = _safe_split(self.estimator, cases.inputs, cases.labels, train)
        others, _ = _safe_split(self.estimator, cases.inputs, None, test, train)
        params = _check_method_params(cases.inputs, cases.model_params, train)
        model = clone(self.estimator).fit(inputs, labels, **params)
        return model, Evidence(test, self.read(model, others), self.read.gives_margins(model))

    def suffices(self, cases: Cases, evidence: Evidence) -> bool:
        """Whether cases of every class remain without those that the calibrator leaves out."""
        rows = evidence.rows
        if self.calibrator.missing != "error":
            absent = np.isnan(evidence.scores)
            rows = rows[~(absent if absent.ndim == 1 else absent.any(axis=1))]
        return cases.classes_weigh(rows)

    def calibrate(self, cases: Cases, evidence: Evidence) -> AnyCalibrator:
        """Return a calibrator that is fitted to the evidence."""
        if not self.suffices(cases, evidence):
            raise DataError(
                f"The calibrator has {len(evidence.rows)} scored cases, not of both classes "
                f"{cases.classes.tolist()}; cases of both must be scored."
                if len(cases.classes) == 2
                else f"The calibrator has {len(evidence.rows)} scored cases, not of two of the "
                f"classes {cases.classes.tolist()}; cases of two at least must be scored."
            )
        weights = None if cases.weights is None else cases.weights[evidence.rows]
        calibrator = self.calibrator._for_scores(margins=evidence.margins)  # noqa: SLF001 - ours
        fitted: AnyCalibrator = clone(calibrator).fit(
            evidence.scores, cases.labels[evidence.rows], weights
        )
        return fitted


def pool(parts: Sequence[Evidence], columns: int | None = None) -> Evidence:
    """Return the scores of all parts together, in so many columns, or in one dimension."""
    none = Evidence(np.empty(0, np.int64), np.empty(0 if columns is None else (0, columns)))
    parts = [none, *parts]
    return Evidence(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.scores for part in parts]),
        any(part.margins for part in parts),
    )
