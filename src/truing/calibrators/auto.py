"""The automatic choice among calibrators."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from sklearn.base import clone

from truing.calibrators.bayesian import BayesianCalibrator
from truing.calibrators.bbq import BBQCalibrator
from truing.calibrators.beta import BetaCalibrator
from truing.calibrators.blend import BlendCalibrator
from truing.calibrators.calibrator import Calibrator
from truing.calibrators.cross_venn_abers import CrossVennAbersCalibrator
from truing.calibrators.kernel import KernelCalibrator
from truing.calibrators.platt import PlattCalibrator
from truing.calibrators.quadratic import QuadraticCalibrator
from truing.calibrators.spline import SplineCalibrator
from truing.calibrators.temperature import TemperatureCalibrator
from truing.calibrators.trials import Trial, Trials
from truing.errors import DataError, OptionError
from truing.maps import Average, ProbabilityMap
from truing.numerics.arrays import FloatArray
from truing.numerics.stacking import stack
from truing.options import choose, whole_number
from truing.table import LogOddsGrid, RelativeGrid, ScoreTable

MOST_PLACES = 20_000  # beyond, candidates are tried on a grid
LEAST_CHANCE = 2.0**-52  # a candidate that calls impossible what happened loses some 36 nats by it
LEAST_SHARE = 0.01  # of a stack
SAME = 1e-12  # losses that differ by less are equal but for rounding
LOSSES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "log": lambda chance: -np.log(np.maximum(chance, LEAST_CHANCE)),
    "brier": lambda chance: np.square(1.0 - chance),
}
RULES = {"best": False, "one-standard-error": False, "stacked": True}


class Held(NamedTuple):
    """Cases that were held out: kinds of them, and what each candidate told of what happened."""

    cases: FloatArray
    chances: FloatArray  # kinds x candidates; NaN if a candidate could not be fitted


@dataclass(eq=False, repr=False)
class AutoCalibrator(Calibrator):
    """The automatic choice: cross-validation averages candidates, or decides between them.

    Every candidate is fitted to all folds but one and judged on that one, in turn, by log loss or
    Brier score: proper scores, which no calibrator can improve but by telling what it believes.
    It never chooses by the expected calibration error. That error is biased, the more so the finer
    a map's answers are; it is 0 for a constant; and a histogram with the measure's own bins gets it
    low however badly it ranks cases, so that choosing by it would prefer coarse maps to true ones.

    Prefer it where it must be shown that alternatives were tried. `BlendCalibrator` alone predicts
    as well, at a fraction of the cost.

    Parameters
    ----------
    candidates
        Calibrators, from the simplest to the most flexible. None tries ten: temperature, Platt,
        beta, quadratic, spline, BBQ, cross Venn-Abers, the kernel over ranks, the Bayesian curve
        and the blend. None of them ever answers exactly 0 or 1. Those that cannot take the scores,
        such as a beta curve of margins, are left out, with the reason.
    loss
        ``"log"`` or ``"brier"``.
    rule
        ``"stacked"`` averages all, with the weights under which the held-out cases are told best,
        one case of prior belief in each candidate included;
        ``"best"`` chooses the least loss; ``"one-standard-error"`` the first candidate, that is the
        simplest, whose loss is within one standard error (of the difference) of the least. A stack
        predicts better than any choice; a choice leaves one method that can be named.
    n_folds
        The number of folds, drawn from the table's counts.

    Attributes
    ----------
    trials_
        What was tried, what it lost and how sure the choice is, as `Trials`; it prints as a table.
    chosen_
        The candidate that was chosen, fitted; None for a stack of several.

    Notes
    -----
    Of more than 20,000 distinct scores, candidates are tried on a grid, on which no score moves by
    more than 3e-5; what was chosen is fitted to the scores as they are. Where a class has a single
    case, nothing can be tried, and the last candidate that takes the scores is chosen.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, for the rule of
    one standard error. Wolpert (1992), Stacked generalization.

    Examples
    --------
    >>> import numpy as np
    >>> from truing import AutoCalibrator, BetaCalibrator, PlattCalibrator
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000)
    >>> labels, scores = rng.random(2000) < truth, truth**2
    >>> candidates = [PlattCalibrator(), BetaCalibrator()]
    >>> auto = AutoCalibrator(candidates, rule="best").fit(scores, labels)
    >>> print(auto.trials_)
    candidate            log loss     excess ± s.e.     weight
    PlattCalibrator()     0.49396    0.00403 ± 0.00200    0.00
    BetaCalibrator()      0.48993    0.00000 ± 0.00000    1.00
    That the choice loses to no other candidate: 98% sure.
    >>> auto.chosen_
    BetaCalibrator()
    """

    candidates: Sequence[Calibrator] | None = None
    loss: str = "log"
    rule: str = "stacked"
    n_folds: int = 5

    def _for_scores(self, *, margins: bool) -> Calibrator:
        """Return the choice among candidates that know what the scores are."""
        told = [each._for_scores(margins=margins) for each in self._candidates()]  # noqa: SLF001 - of the family
        auto: Calibrator = clone(self).set_params(candidates=told)
        return auto

    def _candidates(self) -> list[Calibrator]:
        if self.candidates is None:
            return [
                TemperatureCalibrator(),
                PlattCalibrator(),
                BetaCalibrator(),
                QuadraticCalibrator(),
                SplineCalibrator(),
                BBQCalibrator(),
                CrossVennAbersCalibrator(),
                KernelCalibrator("epanechnikov", "cross-validated", scale="rank"),
                BayesianCalibrator(),
                BlendCalibrator(),
            ]
        given = self.candidates
        fine = isinstance(given, list | tuple) and all(isinstance(c, Calibrator) for c in given)
        if not fine or not given or any(isinstance(c, AutoCalibrator) for c in given):
            raise OptionError(
                f"candidates is {given!r}; it must be None or a list of calibrators, such as "
                "[PlattCalibrator(), IsotonicCalibrator()], none of them an AutoCalibrator."
            )
        return list(given)

    def solve(self, table: ScoreTable) -> ProbabilityMap:
        """Return the map of the choice, or the average of the candidates' maps."""
        return self._choose(table)[0]

    def _solve_all(self, table: ScoreTable) -> Sequence[ProbabilityMap]:
        fitted, self.chosen_, self.trials_ = self._choose(table)
        return [fitted]

    def _choose(self, table: ScoreTable) -> tuple[ProbabilityMap, Calibrator | None, Trials]:
        candidates = self._candidates()
        lost, stacked = choose("loss", self.loss, LOSSES), choose("rule", self.rule, RULES)
        whole_number("n_folds", self.n_folds, least=2)
        held, refused = _try_out(candidates, table, self.n_folds)
        fit = [number for number, reason in enumerate(refused) if not reason]
        if not fit:
            raise DataError(f"No candidate takes these cases. {refused[0]}")
        cases, losses = held.cases, lost(held.chances)
        weights = np.zeros(len(candidates))
        if not len(cases):
            weights[fit[-1]] = 1.0
        elif stacked:
            weights[fit] = stack(held.chances[:, fit], cases, squared=self.loss == "brier")
            weights[weights < LEAST_SHARE] = 0.0
        else:
            weights[self._first_good(cases, losses)] = 1.0
        weights /= weights.sum()
        trials = _judge(candidates, refused, Held(cases, losses), weights)
        used = np.flatnonzero(weights)
        with warnings.catch_warnings():
            if stacked:  # what a candidate warns of is no news of the whole
                warnings.simplefilter("ignore", UserWarning)
            fitted = [clone(candidates[number]).fit_table(table) for number in used]
        told = Trials(trials, self.loss, _certainty(cases, losses, weights))
        if len(used) == 1:
            return fitted[0].map_, fitted[0], told
        return Average([each.map_ for each in fitted], weights[used]), None, told

    def _first_good(self, cases: FloatArray, losses: FloatArray) -> int:
        """Return the first candidate that is as good as the rule asks for."""
        best = int(np.nanargmin(cases @ losses))
        allowed = np.full(losses.shape[1], SAME)
        if self.rule == "one-standard-error":
            allowed = np.maximum(allowed, _standard_errors(cases, losses, best))
        mean = cases @ losses / cases.sum()
        return int((mean - mean[best] <= allowed).argmax())


def _try_out(
    candidates: Sequence[Calibrator], table: ScoreTable, n_folds: int
) -> tuple[Held, list[str]]:
    """Let every candidate tell each fold from the others; say which cannot be fitted, and why."""
    if len(table) > MOST_PLACES and table.grid is None:
        table = table.on_grid(LogOddsGrid() if table.holds_probabilities else RelativeGrid())
    pairs = [(train, test) for train, test in table.folds(n_folds) if train.holds_both]
    if not sum((test for _, test in pairs), ScoreTable.empty(table.grid)).holds_both:
        pairs = []  # of one class alone nothing can be learnt
    refused, columns = [], []
    for candidate in candidates:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # the final fit will repeat it
                told = [_chances(clone(candidate).fit_table(a).map_, b) for a, b in pairs]
                if not pairs:
                    clone(candidate).fit_table(table)
            reason = ""
        except DataError as error:
            told, reason = [np.full(_kinds(test), np.nan) for _, test in pairs], str(error)
        columns.append(np.concatenate([*told, np.empty(0)]))
        refused.append(reason)
    tests = [test for _, test in pairs]
    cases = [column[column > 0.0] for test in tests for column in (test.positives, test.negatives)]
    return Held(np.concatenate([*cases, np.empty(0)]), np.column_stack(columns)), refused


def _chances(fitted: ProbabilityMap, test: ScoreTable) -> FloatArray:
    """Return the probability of what happened, first of positives, then of negatives."""
    chance = fitted(test.scores)
    return np.concatenate([chance[test.positives > 0.0], 1.0 - chance[test.negatives > 0.0]])


def _kinds(test: ScoreTable) -> int:
    return int((test.positives > 0.0).sum() + (test.negatives > 0.0).sum())


def _standard_errors(cases: FloatArray, losses: FloatArray, best: int) -> FloatArray:
    """Return the standard error of each mean loss minus the best one's."""
    apart = losses - losses[:, [best]]
    around = apart - cases @ apart / cases.sum()
    errors: FloatArray = np.sqrt(cases @ np.square(around)) / cases.sum()
    return errors


def _judge(
    candidates: Sequence[Calibrator], refused: list[str], held: Held, weights: FloatArray
) -> tuple[Trial, ...]:
    names = [" ".join(repr(candidate).split()) for candidate in candidates]
    if not len(held.cases):
        found = [np.full(len(names), np.nan)] * 3
    else:
        mean = held.cases @ held.chances / held.cases.sum()
        best = int(np.nanargmin(mean))
        found = [mean, mean - mean[best], _standard_errors(held.cases, held.chances, best)]
    rows = zip(names, *np.array([*found, weights]).tolist(), refused, strict=True)
    return tuple(Trial(*row) for row in rows)


def _certainty(cases: FloatArray, losses: FloatArray, weights: FloatArray) -> float:
    if not len(cases) or np.count_nonzero(weights) > 1:
        return float("nan")
    chosen = int(weights.argmax())
    others = np.where(np.arange(len(weights)) == chosen, np.nan, cases @ losses)
    if np.isnan(others).all():
        return 1.0
    strongest = int(np.nanargmin(others))
    error = _standard_errors(cases, losses, chosen)[strongest]
    lead = float(others[strongest] - cases @ losses[:, chosen]) / cases.sum()
    return float(ndtr(lead / error)) if error else 0.5
