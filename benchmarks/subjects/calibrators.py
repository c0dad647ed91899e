"""Fits and predictions, through the public estimators, against scikit-learn and the floor."""

import warnings
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.calibration import _SigmoidCalibration
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.mixture import BayesianGaussianMixture

from benchmark import Sides, at_most, benchmark, faster, within
from samples import cases, margins, queries
from truing import (
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    PlattCalibrator,
    ScoreTable,
)

FEW_ROWS = 10**5
FEW_IN_A_TABLE = "the same of 1e5 rows"
SIGMOID = "_SigmoidCalibration"
MIXTURE = "BayesianGaussianMixture"


def _same_answers(scores: Any, tolerance: float) -> Any:
    same = within(tolerance)
    return lambda ours, theirs: same(ours.transform(scores), theirs.predict(scores))


@benchmark("isotonic fit", "sklearn IsotonicRegression", faster(5))
def isotonic_fit(size: int) -> Sides:
    """From rows."""
    scores, labels = cases(size)
    return Sides(
        lambda: IsotonicCalibrator().fit(scores, labels),
        lambda: IsotonicRegression(out_of_bounds="clip").fit(scores, labels),
        _same_answers(queries(1000), 1e-9),
    )


@benchmark("isotonic predict", "sklearn IsotonicRegression", faster(10))
def isotonic_predict(size: int) -> Sides:
    """As many new scores as there were rows, in no order."""
    (scores, labels), asked = cases(size), queries(size)
    ours = IsotonicCalibrator().fit(scores, labels)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    return Sides(lambda: ours.transform(asked), lambda: theirs.predict(asked), within(1e-9))


@benchmark("Platt fit on margins", SIGMOID, faster(20))
def platt_on_margins(size: int) -> Sides:
    """Pose one problem to both: margins as they are, Platt's smoothed targets."""
    scores, labels = cases(size)
    scores = margins(scores)
    return Sides(
        lambda: PlattCalibrator(smoothed_targets=True).fit(scores, labels),
        lambda: _SigmoidCalibration().fit(scores, labels),
        _same_answers(margins(queries(1000)), 1e-4),  # theirs stops at 1e-5 or so
    )


@benchmark("Platt fit on probabilities", f"{SIGMOID} on log-odds", faster(20))
def platt_on_probabilities(size: int) -> Sides:
    """Pose one problem to both again: theirs is given the log-odds that ours reads by itself."""
    scores, labels = cases(size)
    same = within(1e-4)
    return Sides(
        lambda: PlattCalibrator(smoothed_targets=True).fit(scores, labels),
        lambda: _SigmoidCalibration().fit(logit(scores), labels),
        lambda ours, theirs: same(ours.transform(scores), theirs.predict(logit(scores))),
    )


@benchmark("Platt fit, theirs as it comes", f"{SIGMOID} on probabilities", faster())
def platt_against_defaults(size: int) -> Sides:
    """Theirs reads probabilities as they are, which is another curve, and a worse one."""
    scores, labels = cases(size)
    return Sides(
        lambda: PlattCalibrator().fit(scores, labels),
        lambda: _SigmoidCalibration().fit(scores, labels),
    )


@benchmark("histogram fit", "np.sort of the scores", at_most())
def histogram_fit(size: int) -> Sides:
    """As many bins as the cube root of the rows."""
    scores, labels = cases(size)
    return Sides(lambda: HistogramCalibrator().fit(scores, labels), lambda: np.sort(scores))


def _boxcar(size: int) -> Sides:
    (scores, labels), asked = cases(size), queries(size)
    return Sides(
        lambda: KernelCalibrator().fit(scores, labels).transform(asked),
        lambda: (np.sort(scores), np.sort(asked)),
    )


@benchmark("boxcar kernel, fit and transform", "np.sort of both", at_most(5), sizes=(10**6,))
def boxcar_kernel(size: int) -> Sides:
    """As many new scores as there were rows, in no order."""
    return _boxcar(size)


@benchmark("the same of 1e7 rows", "np.sort of both", at_most(), sizes=(10**7,))
def boxcar_kernel_of_more_rows(size: int) -> Sides:
    """Tables that no cache holds."""
    return _boxcar(size)


def _mixture(size: int, updates: int) -> Sides:
    """One mixture per class, a Dirichlet process of at most twenty components on both sides."""
    scores, labels = cases(size)

    def theirs() -> list[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # known and told in the README
            return [
                BayesianGaussianMixture(n_components=20, max_iter=updates, random_state=0).fit(
                    scores[labels == label, None]
                )
                for label in (0, 1)
            ]

    return Sides(lambda: MixtureCalibrator().fit(scores, labels), theirs)


@benchmark("mixture fit", f"{MIXTURE}, 1,000 updates", faster(200), sizes=(FEW_ROWS,))
def mixture_fit(size: int) -> Sides:
    """Ours goes on to its fixed point; theirs would need ten thousand updates to converge."""
    return _mixture(size, updates=1000)


@benchmark("mixture fit, theirs cut short", f"{MIXTURE}, 100 updates", faster(), sizes=(FEW_ROWS,))
def mixture_fit_against_defaults(size: int) -> Sides:
    """Theirs as it comes: it stops after a hundred updates and warns of it."""
    return _mixture(size, updates=100)


def _solve_of_many_rows(size: int, truncation: int) -> Sides:
    """Put the rows into the tables before the clock starts."""
    few = ScoreTable.from_arrays(*cases(min(size, FEW_ROWS)), grid="log-odds")
    many = ScoreTable.from_arrays(*cases(size), grid="log-odds")
    mixture = MixtureCalibrator(truncation=truncation)
    return Sides(lambda: mixture.solve(many), lambda: mixture.solve(few))


@benchmark("mixture solve, 5 components", FEW_IN_A_TABLE, at_most(1.5))
def mixture_solve(size: int) -> Sides:
    """Given how many components to find, the number of rows should not matter."""
    return _solve_of_many_rows(size, truncation=5)


@benchmark("mixture solve, any components", FEW_IN_A_TABLE, at_most())
def mixture_solve_of_more_components(size: int) -> Sides:
    """More rows tell more components apart, up to the limit of twenty; each has its cost."""
    return _solve_of_many_rows(size, truncation=20)
