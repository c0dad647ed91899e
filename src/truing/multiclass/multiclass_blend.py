"""The blend of calibrators of many classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from sklearn.base import clone

from truing.calibrators import BayesianCalibrator, Calibrator
from truing.multiclass.class_map import ClassMap, ScaledLogits
from truing.multiclass.dirichlet import DirichletCalibrator
from truing.multiclass.multiclass_calibrator import MulticlassCalibrator
from truing.multiclass.one_vs_rest import OneVsRestCalibrator
from truing.multiclass.reading import Reading
from truing.multiclass.scaling import ScalingCalibrator
from truing.multiclass.temperature_scaling import TemperatureScalingCalibrator
from truing.multiclass.vector_scaling import VectorScalingCalibrator
from truing.numerics.arrays import FloatArray
from truing.numerics.log_pool import fit_log_pool, pool
from truing.options import whole_number
from truing.table import ClassTable

AnyScaling = TypeVar("AnyScaling", bound=ScalingCalibrator)


@dataclass(frozen=True, eq=False)
class InTurn(ClassMap):
    """A map of what another one answers."""

    reading: Reading
    first: ClassMap
    then: ClassMap

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the second map's answers to those of the first."""
        return self.then(self.first(scores))


@dataclass(frozen=True, eq=False)
class Pool(ClassMap):
    """The weighted mean of the logarithms that several maps answer."""

    reading: Reading
    maps: Mapping[str, ClassMap]
    weights: FloatArray

    def __call__(self, scores: FloatArray) -> FloatArray:
        """Return the pooled probabilities."""
        return pool([each(scores) for each in self.maps.values()], self.weights)


@dataclass(eq=False, repr=False)
class MulticlassBlendCalibrator(MulticlassCalibrator):
    """What scales logits and what bends each class's curve, blended: the default for many classes.

    Five calibrators are fitted: temperature scaling; vector scaling; Dirichlet calibration, if
    there are as many cases as its matrix has numbers, K (K + 1); a curve for each class against the
    rest; and scaling again, by matrix or vector, of what these curves answer. The blend is
    softmax(Σ v_m ln p_m), with weights v_m of 0 and more that make the folds' cases probable when
    told by what was fitted to the other folds. The weights have a prior around temperature scaling
    alone, whose spread the evidence decides. So no choice is made that a few cases could flip, the
    simplest calibrator stands where nothing is gained, and whatever is wrong with a model, some
    part mends it: scaling mends networks and linear models, curves mend naive Bayes and forests.

    Prefer it unless something is known of the model's errors, or time matters: it costs some ten
    times as much as `VectorScalingCalibrator`.

    Parameters
    ----------
    calibrator
        The one-dimensional calibrator of each class against the rest; None means
        ``BayesianCalibrator()``.
    n_folds
        How many folds weigh the parts.

    Attributes
    ----------
    weights_
        The weight of each part, by name.

    References
    ----------
    Genest and Zidek (1986), Combining probability distributions: a critique and an annotated
    bibliography, https://doi.org/10.1214/ss/1177013825 (for the logarithmic pool). Wolpert (1992),
    Stacked generalization, https://doi.org/10.1016/S0893-6080(05)80023-1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> logits = 3.0 * rng.normal(size=(900, 3))
    >>> shares = np.exp(0.5 * logits) / np.exp(0.5 * logits).sum(axis=1, keepdims=True)
    >>> label = (shares.cumsum(axis=1) < rng.random((900, 1))).sum(axis=1)
    >>> blend = MulticlassBlendCalibrator().fit(logits[:500], label[:500])
    >>> off = np.abs(blend.transform(logits[500:]) - shares[500:]).mean()
    >>> bool(off < 0.03)
    True
    >>> list(blend.weights_)
    ['temperature', 'vector', 'matrix', 'curves', 'curves, then matrix']
    """

    calibrator: Calibrator | None = None
    n_folds: int = 5

    def solve(self, table: ClassTable, reading: Reading) -> ClassMap:
        """Return the blend, its weights found by cross-validation on the table."""
        folds = whole_number("n_folds", self.n_folds, least=2)
        parts = Parts.of(table, self.calibrator)
        maps = parts.fit(table, reading)
        parts = parts.with_spreads_of(maps)
        told: list[list[FloatArray]] = []
        codes, weights = [], []
        for train, test in table.folds(folds):
            if len(test) and np.count_nonzero(train.present) > 1:
                fitted = parts.fit(train, reading)
                told.append([each(test.scores) for each in fitted.values()])
                codes.append(test.codes)
                weights.append(test.weights)
        at = np.eye(len(maps))[0]
        if told:
            forecasts = [np.concatenate(part) for part in zip(*told, strict=True)]
            at = fit_log_pool(forecasts, np.concatenate(codes), np.concatenate(weights), at)
        self.weights_ = dict(zip(maps, at.tolist(), strict=True))
        return Pool(reading, maps, at)


@dataclass(frozen=True)
class Parts:
    """The calibrators that are blended; scaling is by matrix or by vector."""

    temperature: TemperatureScalingCalibrator
    vector: VectorScalingCalibrator
    matrix: DirichletCalibrator | None
    curves: OneVsRestCalibrator
    again: DirichletCalibrator | VectorScalingCalibrator

    @classmethod
    def of(cls, table: ClassTable, calibrator: Calibrator | None) -> "Parts":
        """Return the parts for so many classes and cases."""
        classes = len(table.classes)
        enough = table.total >= classes * (classes + 1)
        temperature = TemperatureScalingCalibrator(spread=1.0)
        vector = VectorScalingCalibrator()
        matrix = DirichletCalibrator() if enough else None
        curves = OneVsRestCalibrator(BayesianCalibrator() if calibrator is None else calibrator)
        return cls(temperature, vector, matrix, curves, matrix or vector)

    def fit(self, table: ClassTable, reading: Reading) -> dict[str, ClassMap]:
        """Return the map of each part."""
        maps: dict[str, ClassMap] = {"temperature": self.temperature.solve(table, reading)}
        maps["vector"] = self.vector.solve(table, reading)
        if self.matrix is not None:
            maps["matrix"] = self.matrix.solve(table, reading)
        maps["curves"] = first = clone(self.curves).solve(table, reading)
        answers = table.with_scores(first(table.scores))
        between = Reading.of(answers.scores, "probabilities")
        then = self.again.solve(answers, between)
        name = "curves, then " + ("matrix" if self.matrix is not None else "vector")
        maps[name] = InTurn(reading, first, then)
        return maps

    def with_spreads_of(self, maps: Mapping[str, ClassMap]) -> "Parts":
        """Return the parts with the priors that were found, so that folds need not look again."""
        *_, last = maps.values()
        vector = _fixed(self.vector, maps["vector"])
        matrix = None if self.matrix is None else _fixed(self.matrix, maps["matrix"])
        again = _fixed(self.again, last.then if isinstance(last, InTurn) else last)
        return Parts(self.temperature, vector, matrix, self.curves, again)


def _fixed(calibrator: AnyScaling, found: ClassMap) -> AnyScaling:
    """Return a calibrator whose priors have the spreads that were found."""
    if not isinstance(found, ScaledLogits):
        return calibrator
    told = dict(zip(calibrator.priors, found.scaling.spreads, strict=True))
    fixed: AnyScaling = clone(calibrator).set_params(**told)
    return fixed
