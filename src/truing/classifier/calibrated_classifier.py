"""A model and a calibrator in one estimator."""

import warnings
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from truing.calibrators import Calibrator
from truing.classifier.cases import check_cases, find_position
from truing.classifier.choice import choose_calibrator
from truing.classifier.evidence import choose_way, is_prefit, why_prefit
from truing.classifier.recipe import AnyCalibrator, Recipe
from truing.classifier.scores import RESPONSES, ColumnsReader, ScoreReader
from truing.errors import OptionError
from truing.multiclass import MulticlassCalibrator
from truing.numerics.arrays import FloatArray
from truing.options import choose
from truing.table import door

Metadata = Mapping[str, Any]


@dataclass(eq=False, repr=False)
class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A model whose probabilities are calibrated: a model and a calibrator in one estimator.

    A calibrator learns from scores of cases with known labels, and somebody must give those scores.
    There are four ways, and ``cv`` names one:

    ``cv="prefit"``
        The model is fitted already and scores the cases that `fit` is given. Prefer it where there
        are cases that the model has never seen: nothing is cheaper or more honest. A model in
        scikit-learn's ``FrozenEstimator`` is treated so whatever ``cv`` says, and outlives clones.
    ``cv="partition"``
        The model is fitted to one part of the cases and scores the other, stratified. Prefer it
        where cases are plenty or the model is slow. The model is *not* fitted to all cases again:
        the calibrator belongs to this very model.
    ``cv=5``, ``cv="leave-one-out"``, a splitter, or pairs (train, test) of row numbers
        Every case is scored by a model that was not fitted to it. The scores are pooled, one
        calibrator is fitted to them, and the model is fitted to all cases. Prefer it where cases
        are few: none is wasted, on the assumption that the last model scores as those of the folds
        did. Cases that are in no test part, as with ``TimeSeriesSplit``, give no evidence; those in
        several count as often. With ``ensemble=True`` every fold keeps its model and has a
        calibrator of its own, and the probabilities are averaged: this assumes nothing of the kind,
        at the cost of as many models, and of calibrators that see a fold each. With
        ``ensemble="pooled"`` every fold keeps its model, too, but there is one calibrator, of the
        pooled scores; the model that is fitted to all cases has half of the say, and those of the
        folds the other half. It often predicts best, where several models may be kept.
    ``cv="same"``
        The model scores the cases that it was fitted to. Prefer it only where the model cannot
        overfit, such as naive Bayes or a logistic regression on few features; any other is more
        certain of cases it has seen, and stays overconfident.

    X goes to the model as it is, in whatever container, and is never looked at here. Labels are any
    classes, two or more. For more than two the calibrator is given a column of scores for each
    class; one of one-dimensional scores is put into a `OneVsRestCalibrator`, class by class. A
    class that is missing from a fold is provided for: where a model was fitted to no case of a
    class, its cases of that class are left out of the calibration, with a warning. A fitted model
    may know classes that the cases at hand lack. For several labels at a time, put it into
    scikit-learn's ``MultiOutputClassifier``: every label has a model and a calibrator.

    Folds and parts are taken of rows, so that here, unlike in calibrators, the order of rows
    matters to folds, and a row of weight 3 is three rows in one fold.

    Parameters
    ----------
    estimator
        The model: any classifier with ``predict_proba`` or ``decision_function``. It is cloned
        before it is fitted; with ``cv="prefit"`` it is used itself.
    calibrator
        The calibrator, cloned before it is fitted; None means ``BlendCalibrator()`` for two classes
        and ``MulticlassBlendCalibrator()`` for more. With two classes its ``pos_label`` says which
        one the scores are of, else it is the greater one; with more, ``pos_label`` and ``prior`` of
        a calibrator of one-dimensional scores are refused: shares of all classes are the ``prior``
        of a calibrator of many classes.
    cv
        Who scores whom; see above. A number of folds means stratified folds in the order of rows,
        None means 5. A class with fewer cases than folds is provided for: cases whose model would
        see one class only are left out of the calibration, with a warning.
    ensemble
        Whether each fold keeps its own model and calibrator (True), its model alone
        (``"pooled"``), or nothing (False). Only for ways that cross-validate. None means False for
        two classes, and ``"pooled"`` for more, if there are no more than ten folds: for many
        classes this was the best in ``studies/many_classes.py``.
    response_method
        Which scores the calibrator is given: ``"predict_proba"``, ``"decision_function"``, or
        ``"auto"`` for the first of these that the model has.
    calibration_size
        The share of the cases that the calibrator gets with ``cv="partition"``.
    random_state
        The seed by which ``cv="partition"`` parts the cases; nothing else here is random.
    n_jobs
        How many folds to work on at the same time, as in scikit-learn.

    Attributes
    ----------
    classes_
        The labels in order.
    estimators_, calibrators_
        The fitted models and their calibrators: one each, or one for each fold of an ensemble. If
        the ensemble is pooled, the first model is the one that is fitted to all cases, and the
        calibrators are one and the same.
    estimator_, calibrator_
        The only model and its calibrator; there are none if there are several.
    n_features_in_, feature_names_in_
        What the model knows about its features, if it does.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods. Zadrozny and Elkan (2002), Transforming classifier scores into accurate
    multiclass probability estimates. Naeini, Cooper and Hauskrecht (2014), Binary classifier
    calibration: non-parametric approach, arXiv:1401.3390.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from truing import CalibratedClassifier, HistogramCalibrator
    >>> X, y = make_classification(300, random_state=0)
    >>> bayes = CalibratedClassifier(GaussianNB(), HistogramCalibrator(n_bins=5), cv=3).fit(X, y)
    >>> bayes.predict_proba(X[:2]).round(3)
    array([[0.033, 0.967],
           [0.033, 0.967]])
    >>> bayes.calibrator_.bins_.count
    array([60., 60., 60., 60., 60.])
    """

    estimator: Any
    calibrator: AnyCalibrator | None = None
    cv: Any = 5
    _: KW_ONLY
    ensemble: bool | str | None = None
    response_method: str = "auto"
    calibration_size: float = 0.25
    random_state: Any = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:  # noqa: N803 - scikit-learn's name
        """Fit the model and the calibrator.

        Parameters
        ----------
        X
            The cases, as the model takes them.
        y
            Their labels.
        sample_weight
            Their weights, for the calibrator and, where it takes them, the model.
        **fit_params
            With metadata routing, what the model's ``fit`` and the splitter's ``split`` request.
            Without, ``groups`` goes to the splitter and all else to the model's ``fit``, by folds
            where it is as long as X.
        """
        self._check_estimator()
        for_model, for_splitter = self._route(sample_weight, fit_params)
        self._check_calibrator()
        way = choose_way(self, for_splitter)
        responses = choose("response_method", self.response_method, RESPONSES)
        known = getattr(self.estimator, "classes_", None) if is_prefit(self) else None
        cases = check_cases(X, y, sample_weight, for_model, known)
        calibrator = choose_calibrator(self.calibrator, cases.classes)
        read = _choose_reader(calibrator, responses, cases.classes)
        pairs = way.pairs(Recipe(self.estimator, calibrator, read), cases)
        self._read, self.classes_ = read, cases.classes
        self.estimators_ = [pair.model for pair in pairs]
        self.calibrators_ = [pair.calibrator for pair in pairs]
        self._says = [pair.say for pair in pairs]
        return self

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: N803 - scikit-learn's name
        """Return the calibrated probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        fitted = zip(self.estimators_, self.calibrators_, strict=True)
        if isinstance(self._read, ColumnsReader):
            rows = [calibrator.predict_proba(self._read(model, X)) for model, calibrator in fitted]
            return self._average(rows)
        answers = [calibrator.transform(self._read(model, X)) for model, calibrator in fitted]
        positive = self._average(answers)
        columns = [1.0 - positive, positive]
        return np.column_stack(columns if self._read.position == 1 else columns[::-1])

    def predict(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """Return the most probable class; between equals the one that comes first in order."""
        probabilities = self.predict_proba(X)
        first = probabilities[:, 0]
        door.refuse(np.isnan(first), first, "probability", "has no class to predict")
        return self.classes_[probabilities.argmax(axis=1)]

    @property
    def estimator_(self) -> Any:
        """The only fitted model."""
        return self._only("estimator")

    @property
    def calibrator_(self) -> AnyCalibrator:
        """The only fitted calibrator."""
        calibrator: AnyCalibrator = self._only("calibrator")
        return calibrator

    @property
    def n_features_in_(self) -> int:
        """How many features the model was fitted to."""
        check_is_fitted(self)
        count: int = self.estimators_[0].n_features_in_
        return count

    @property
    def feature_names_in_(self) -> Any:
        """The names of the features that the model was fitted to."""
        check_is_fitted(self)
        return self.estimators_[0].feature_names_in_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who takes what of `fit`'s metadata; scikit-learn asks."""
        fit, split = MethodMapping(), MethodMapping()
        router = MetadataRouter(owner=self).add_self_request(self)
        if not is_prefit(self):
            router.add(estimator=self.estimator, method_mapping=fit.add(caller="fit", callee="fit"))
        return router.add(splitter=self.cv, method_mapping=split.add(caller="fit", callee="split"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if _is_model(self.estimator):  # the tags of what is none are asked for, too: to show it
            model_tags = get_tags(self.estimator)
            if model_tags.classifier_tags is not None:
                tags.classifier_tags.multi_class = model_tags.classifier_tags.multi_class
            tags.input_tags = model_tags.input_tags
            tags.non_deterministic = model_tags.non_deterministic
        return tags

    def _average(self, answers: list[FloatArray]) -> FloatArray:
        """Return the mean of what the models' calibrators answer, each with its say."""
        equal = len(set(self._says)) == 1
        weights = None if equal else np.array(self._says)
        return np.asarray(np.mean(answers, axis=0) if equal else np.average(answers, 0, weights))

    def _only(self, what: str) -> Any:
        check_is_fitted(self)
        every = getattr(self, f"{what}s_")
        if any(each is not every[0] for each in every):
            raise AttributeError(
                f"{what}_ is the only {what}, and this ensemble has {len(every)}: see {what}s_."
            )
        return every[0]

    def _check_estimator(self) -> None:
        if not _is_model(self.estimator):
            raise OptionError(
                f"estimator is {door.shown(self.estimator)}; it must be a classifier, an object "
                "such as LogisticRegression()."
            )

    def _check_calibrator(self) -> None:
        if not isinstance(self.calibrator, Calibrator | MulticlassCalibrator | None):
            raise OptionError(
                f"calibrator is {self.calibrator!r}; it must be a calibrator, such as "
                "IsotonicCalibrator(), or None for the default."
            )

    def _route(self, sample_weight: Any, fit_params: Metadata) -> tuple[Metadata, Metadata]:
        """Return what the model's fit and the splitter take beside X and y."""
        if _routing_enabled():
            routed = process_routing(self, "fit", sample_weight=sample_weight, **fit_params)
            for_model = {} if is_prefit(self) else routed["estimator"]["fit"]
            return for_model, routed["splitter"]["split"]
        for_model = {name: value for name, value in fit_params.items() if name != "groups"}
        for_splitter = {name: value for name, value in fit_params.items() if name == "groups"}
        if is_prefit(self) and for_model:
            raise OptionError(
                f"fit was given {', '.join(for_model)}; a fitted model ({why_prefit(self)}) takes "
                "nothing."
            )
        if is_prefit(self):
            return for_model, for_splitter
        if sample_weight is not None and has_fit_parameter(self.estimator, "sample_weight"):
            for_model["sample_weight"] = sample_weight
        elif sample_weight is not None:
            warnings.warn(
                f"{type(self.estimator).__name__} does not appear to accept sample_weight: the "
                "weights are used for the calibration alone.",
                UserWarning,
                stacklevel=3,
            )
        return for_model, for_splitter


def _choose_reader(
    calibrator: AnyCalibrator, responses: tuple[str, ...], classes: door.AnyArray
) -> ScoreReader | ColumnsReader:
    """Return what reads off a model the scores that a calibrator takes."""
    if isinstance(calibrator, Calibrator):
        return ScoreReader(responses, classes, find_position(calibrator.pos_label, classes))
    return ColumnsReader(responses, classes)


def _is_model(estimator: Any) -> bool:
    """Whether this may be a classifier; a class is none, as it is no object to be fitted."""
    return hasattr(estimator, "fit") and not isinstance(estimator, type)
