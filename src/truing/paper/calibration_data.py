"""Open question: whether calibrating on the training data overfits."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from truing.calibrators import IsotonicCalibrator
from truing.classifier import CalibratedClassifier
from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.log_odds import sigmoid
from truing.paper.findings import Block
from truing.paper.methods import calibrators
from truing.paper.options import Options
from truing.paper.published import METHODS
from truing.paper.spread import spread_of
from truing.paper.truth import Function, Population
from truing.progress import progress

__all__ = ["compare_calibration_data"]

SIZE, QUICK_SIZE = 400, 100
TEST = 5000
DRAWS, QUICK_DRAWS = 10, 2
FEATURES = 10
MEASURES = ("ECE", "MCE", "RMSE", "AUC")
MODELS: Mapping[str, Any] = {
    "logistic regression": LogisticRegression(solver="newton-cholesky"),
    "tree": DecisionTreeClassifier(min_samples_leaf=3, random_state=0),
    "forest": RandomForestClassifier(n_estimators=20, random_state=0),
}
WAYS: Mapping[str, Any] = {
    "same": "same",
    "partition": "partition",
    "5-fold": 5,
    "leave-one-out": "leave-one-out",
}
SLOW = ("forest", "leave-one-out")  # a forest for every case
NOTICED = 0.01  # of ECE: what a reader of the paper's tables would notice


def compare_calibration_data(options: Options) -> tuple[list[Block], list[str]]:
    """Return what calibrators reach with scores from four ways, and what follows.

    Every way gives its scores as a table, which all calibrators are fitted to. Test cases are
    weighed with their true chances, so that labels of test cases add no noise.
    """
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    size = QUICK_SIZE if options.quick else SIZE
    found = np.full((draws, len(MODELS), len(MEASURES), len(WAYS), len(METHODS)), np.nan)
    places = [(draw, at) for draw in range(draws) for at in range(len(MODELS))]
    for draw, at in progress(places, len(places), "models of question 2"):
        training, test = (np.random.default_rng(seed) for seed in options.seeds(draw, 2))
        cases, others = _cases(size, training), test.normal(size=(TEST, FEATURES))
        for among, way in enumerate(WAYS):
            if (list(MODELS)[at], way) != SLOW:
                found[draw, at, :, among] = _measure(list(MODELS)[at], way, cases, others).T
    blocks = [
        Block(
            f"Question 2, whose scores to calibrate with; {model}, {measure}",
            tuple(WAYS),
            METHODS,
            found[:, at, among].mean(axis=0),
            spread_of(found[:, at, among]),
        )
        for at, model in enumerate(MODELS)
        for among, measure in enumerate(MEASURES)
    ]
    return blocks, _conclude(found.mean(axis=0), size)


def _chances(points: FloatArray) -> FloatArray:
    """Return the chance of a positive: half of it linear, half of it not, six features idle."""
    first, second, third, fourth = points[:, :4].T
    return sigmoid(first + 0.7 * second + third * fourth)


def _cases(size: int, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    points = rng.normal(size=(size, FEATURES))
    return points, (rng.random(size) < _chances(points)).astype(np.int64)


def _measure(
    model: str, way: str, cases: tuple[FloatArray, IntArray], others: FloatArray
) -> FloatArray:
    """Return the measures of the model itself and of every calibrator, methods by measures."""
    carrier = IsotonicCalibrator()  # for its table of scores and labels, whatever it makes of them
    chosen = CalibratedClassifier(clone(MODELS[model]), carrier, WAYS[way], random_state=0)
    chosen.fit(*cases)
    scores = np.asarray(chosen.estimator_.predict_proba(others)[:, 1], dtype=np.float64)
    people, evidence = Population(scores, _chances(others)), chosen.calibrator_.table_
    with warnings.catch_warnings():
        # Scores of an overfitted model part its own cases; that Platt says so is no news here.
        warnings.simplefilter("ignore", UserWarning)
        maps = [method.fit_table(evidence).map_ for method in calibrators().values()]
    answers: list[Function] = [_as_it_came, *maps]
    told = [people.measure(answer) for answer in answers]
    return np.array([[measured[name] for name in MEASURES] for measured in told])


def _as_it_came(scores: FloatArray) -> FloatArray:
    return scores


def _conclude(mean: FloatArray, size: int) -> list[str]:
    ece = mean[:, MEASURES.index("ECE"), :, 1:]  # models by ways by calibrators
    ways = {way: ece[:, at].mean(axis=-1) for at, way in enumerate(WAYS)}
    told = [
        f"{ways['same'][at]:.3f} with the same data, {ways['partition'][at]:.3f} with a partition "
        f"and {ways['5-fold'][at]:.3f} with five folds ({model})"
        for at, model in enumerate(MODELS)
    ]
    harmed = [
        model for at, model in enumerate(MODELS) if ways["same"][at] - ways["5-fold"][at] > NOTICED
    ]
    unharmed = [model for model in MODELS if model not in harmed]
    base = mean[:, MEASURES.index("ECE"), 0, 0]
    names = list(MODELS)
    worst = names[int(np.argmax(ways["same"] - base))]
    area = mean[:, MEASURES.index("AUC"), :, 0]
    lost = ", ".join(
        f"{area[at, 0] - area[at, 1]:.3f} ({model})" for at, model in enumerate(MODELS)
    )
    apart = np.abs(ways["leave-one-out"] - ways["5-fold"])
    return [
        f"""Question 2, whose scores to calibrate with ({size} training cases): the mean ECE of the
        five calibrators is {"; ".join(told)}. The claim of no over-fitting does not hold for
        {" and ".join(harmed) or "none of the models"}; it holds within {NOTICED} for
        {" and ".join(unharmed) or "none of them"}. The paper's support vector machines, of two and
        of five features, have even less room to overfit.""",
        f"""A model that overfits gives its training cases scores that are nearly their labels, and
        every calibrator believes them. Uncalibrated, the ECE of the models is
        {", ".join(f"{value:.3f} ({m})" for m, value in zip(MODELS, base, strict=True))}; the same
        data do most harm to the {worst}, from {base[names.index(worst)]:.3f} to
        {ways["same"][names.index(worst)]:.3f}.""",
        f"""A partition takes cases from the model, which costs so much AUC: {lost}; folds take
        none. Leave-one-out differs from five folds in mean ECE by at most
        {np.nanmax(apart):.3f}, at {size} fits instead of 5.""",
    ]
