"""Who scores whom: the ways in which a calibrator comes by scores of cases with known labels."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from truing.classifier.cases import Cases
from truing.classifier.folds import (
    Dealer,
    Fold,
    Sieve,
    choose_dealer,
    leaves_one_out,
    left_out_unknown,
    part_in_two,
    refuse_metadata,
)
from truing.classifier.recipe import Evidence, Pair, Recipe, pool
from truing.errors import DataError, OptionError
from truing.options import share
from truing.progress import progress

EnsembleOption: TypeAlias = bool | str | None

MOST_KEPT = 10  # folds whose models are kept without being asked for
UNFITTED = (
    "cv='prefit' needs a fitted model; this %(name)s is not fitted. Fit it first, or choose "
    "another cv. Where scikit-learn clones it, as in a search or a cross-validation, wrap the "
    "fitted model in FrozenEstimator: a clone forgets what it has learnt."
)


class Way(Protocol):
    """A way to fitted pairs of a model and a calibrator."""

    def pairs(self, recipe: Recipe, cases: Cases) -> list[Pair]:
        """Return the fitted pairs."""


class Prefit:
    """A model that is fitted already scores the cases."""

    def pairs(self, recipe: Recipe, cases: Cases) -> list[Pair]:
        """Return the model itself and its calibrator."""
        check_is_fitted(recipe.estimator, msg=UNFITTED)
        evidence = recipe.ask(recipe.estimator, cases)
        return [Pair(recipe.estimator, recipe.calibrate(cases, evidence))]


class SameData:
    """The model scores the cases that it was fitted to."""

    def pairs(self, recipe: Recipe, cases: Cases) -> list[Pair]:
        """Return the one pair."""
        model = recipe.train(cases)
        return [Pair(model, recipe.calibrate(cases, recipe.ask(model, cases)))]


@dataclass(frozen=True)
class Partition:
    """The model is fitted to one part of the cases and scores the other."""

    calibration_size: float
    random_state: Any

    def pairs(self, recipe: Recipe, cases: Cases) -> list[Pair]:
        """Return the one pair."""
        cases = _indexable(cases)
        fold = part_in_two(cases, self.calibration_size, self.random_state)
        train, scored = fold
        test = cases.known_to_model(train, scored)
        _warn(left_out_unknown(len(scored) - len(test)))
        model, evidence = recipe.train_and_ask(cases, (train, test))
        return [Pair(model, recipe.calibrate(cases, evidence))]


@dataclass(frozen=True)
class Pooled:
    """Every case is scored by a model that was not fitted to it; the scores are pooled.

    ``keeps_models`` says whether the models of the folds are kept: True, False, or None, which
    keeps them where there are more than two classes and not too many folds.
    """

    deal: Dealer
    n_jobs: int | None
    keeps_models: bool | None = False

    def pairs(self, recipe: Recipe, cases: Cases) -> list[Pair]:
        """Return a model that is fitted to all cases, and the calibrator of the pooled scores.

        Where the folds' models are kept they follow, with the same calibrator, and have half of the
        say between them.
        """
        cases = _indexable(cases)
        sieve = Sieve(cases, self.deal(cases))
        kept: list[Any] = []
        if self._keeps(cases, sieve.folds.count):
            models_and_parts = list(_run(_train_and_ask, recipe, cases, sieve, self.n_jobs))
            kept = [model for model, _ in models_and_parts]
            parts = [part for _, part in models_and_parts]
        else:
            parts = list(_run(_ask_only, recipe, cases, sieve, self.n_jobs))
        _warn(sieve.reasons())
        # The calibrator first: if the evidence will not do, a long last fit would be in vain.
        calibrator = recipe.calibrate(cases, pool(parts, recipe.read.columns))
        first = Pair(recipe.train(cases), calibrator, 0.5 if kept else 1.0)
        return [first, *(Pair(model, calibrator, 0.5 / len(kept)) for model in kept)]

    def _keeps(self, cases: Cases, folds: int) -> bool:
        if self.keeps_models is not None:
            return self.keeps_models
        return len(cases.classes) > 2 and folds <= MOST_KEPT


@dataclass(frozen=True)
class Ensemble:
    """Every fold has a model, and a calibrator of its scores of the cases left out of its fit."""

    deal: Dealer
    n_jobs: int | None

    def pairs(self, recipe: Recipe, cases: Cases) -> list[Pair]:
        """Return a pair for each fold in which model and calibrator find both classes."""
        cases = _indexable(cases)
        sieve = Sieve(cases, self.deal(cases), scored_must_hold_both=True)
        pairs = []
        for model, evidence in list(_run(_train_and_ask, recipe, cases, sieve, self.n_jobs)):
            if recipe.suffices(cases, evidence):
                pairs.append(Pair(model, recipe.calibrate(cases, evidence)))
            else:
                sieve.one_sided.append(len(evidence.rows))
        if not pairs:
            raise DataError(f"No fold of the ensemble is left. {' '.join(sieve.reasons())}")
        _warn(sieve.reasons())
        return pairs


def is_prefit(classifier: Any) -> bool:
    """Whether a classifier's options say that its model is fitted already."""
    return why_prefit(classifier) is not None


def why_prefit(classifier: Any) -> str | None:
    """Return which of a classifier's options says that its model is fitted already, if one does."""
    if isinstance(classifier.estimator, FrozenEstimator):
        return "FrozenEstimator"
    named = isinstance(classifier.cv, str) and classifier.cv == "prefit"
    return "cv='prefit'" if named else None


def choose_way(classifier: Any, metadata: Mapping[str, Any]) -> Way:
    """Return what a classifier's options stand for; the metadata are for its splitter."""
    ensemble = _ensemble(classifier.ensemble)
    size = share("calibration_size", classifier.calibration_size)
    without_folds: dict[str, Way] = {
        "prefit": Prefit(),
        "same": SameData(),
        "partition": Partition(size, classifier.random_state),
    }
    cv, fitted = classifier.cv, why_prefit(classifier)
    has_folds = not isinstance(cv, str) or cv not in without_folds
    deal = choose_dealer(cv, {} if fitted else metadata) if has_folds else None
    if fitted:
        _refuse_folds(fitted, metadata, ensemble=ensemble)
        return without_folds["prefit"]
    if deal is None:
        if ensemble:
            raise OptionError(
                f"ensemble is {ensemble!r}; that needs folds, and cv={cv!r} has none."
            )
        refuse_metadata(cv, metadata)
        return without_folds[cv]
    if not ensemble:
        return Pooled(deal, classifier.n_jobs, keeps_models=None if ensemble is None else False)
    if leaves_one_out(cv):
        raise OptionError(
            f"ensemble is {ensemble!r}; with cv={cv!r} every fold has one case, which cannot "
            "calibrate. Say ensemble=False, or choose larger folds."
        )
    if ensemble == "pooled":
        return Pooled(deal, classifier.n_jobs, keeps_models=True)
    return Ensemble(deal, classifier.n_jobs)


def _ensemble(given: Any) -> EnsembleOption:
    """Return whether folds keep their models; None leaves it to the number of classes."""
    if given is None or (isinstance(given, str) and given == "pooled"):
        return given
    if not isinstance(given, bool | np.bool_):
        raise OptionError(
            f"ensemble is {given!r}; it must be True or False, 'pooled', or None for the default."
        )
    return bool(given)


def _refuse_folds(fitted: str, metadata: Mapping[str, Any], *, ensemble: EnsembleOption) -> None:
    """Refuse what only folds would use, where the model is fitted already."""
    reason = f"the model is fitted already ({fitted}), so that there are no folds"
    if ensemble:
        raise OptionError(f"ensemble is {ensemble!r}; that needs folds, and {reason}.")
    if metadata:
        told = ", ".join(metadata)
        raise OptionError(
            f"fit was given {told}; {reason} and {told} cannot be used. Leave it out."
        )


Found = TypeVar("Found")


def _run(
    task: Callable[[Recipe, Cases, Fold], Found],
    recipe: Recipe,
    cases: Cases,
    sieve: Sieve,
    n_jobs: int | None,
) -> Iterator[Found]:
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(task)(recipe, cases, fold) for fold in sieve
    )
    return progress(results, sieve.folds.count, "folds fitted")


def _train_and_ask(recipe: Recipe, cases: Cases, fold: Fold) -> tuple[Any, Evidence]:
    return recipe.train_and_ask(cases, fold)


def _ask_only(recipe: Recipe, cases: Cases, fold: Fold) -> Evidence:
    return recipe.train_and_ask(cases, fold)[1]  # a thousand models need not be kept or sent


def _indexable(cases: Cases) -> Cases:
    """Return the cases with X in a form of which rows can be taken."""
    return replace(cases, inputs=indexable(cases.inputs)[0])


def _warn(reasons: list[str]) -> None:
    for reason in reasons:
        warnings.warn(reason, UserWarning, stacklevel=4)  # where fit was called
