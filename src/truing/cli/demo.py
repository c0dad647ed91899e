"""A first result on built-in data: one model, the default and the paper's methods, all measures."""

import time
from collections.abc import Mapping

from sklearn.svm import LinearSVC

from truing.calibrators import (
    BlendCalibrator,
    Calibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    MixtureCalibrator,
    PlattCalibrator,
)
from truing.measures import evaluate, reliability_curve
from truing.measures.summary import Summary
from truing.numerics.arrays import FloatArray
from truing.numerics.log_odds import sigmoid
from truing.paper import circular_data

TRAINING, CALIBRATION, TEST = 1000, 1000, 10_000
METHODS: tuple[Calibrator, ...] = (
    BlendCalibrator(),
    HistogramCalibrator(),
    KernelCalibrator(),
    MixtureCalibrator(),
    PlattCalibrator(),
    IsotonicCalibrator(),
)
COLUMNS = {
    "ECE": "expected_calibration_error",
    "MCE": "maximum_calibration_error",
    "RMSE": "root_mean_squared_error",
    "log loss": "log_loss",
    "AUC": "roc_auc",
    "ACC": "accuracy",
}
STORY = f"""\
A disc and the ring around it, and a linear model, which says about 0.5 whatever it is shown.
{TRAINING:,} cases train the model, {CALIBRATION:,} others calibrate it, {TEST:,} new ones test it.
"""
MORAL = """\
ECE and MCE: the mean and the largest gap between what was predicted and what happened, in ten bins.
The score is not monotone here. Blend (truing's default), histogram, kernel and mixture find out
what it tells all the same, as RMSE and AUC show. Platt's sigmoid and isotonic regression only know
monotone curves: isotonic regression tells most cases much the same, which is true (its ECE is
small) and of little use, and where it tells exactly 0 or 1 and is wrong once, the log loss is
infinite.

Calibrate scores of your own:

    from truing import BlendCalibrator, evaluate
    calibrator = BlendCalibrator().fit(scores, labels)
    print(evaluate(new_labels, calibrator.transform(new_scores)))
"""


def run_demo(seed: int) -> str:
    """Return what the demonstration found, as text."""
    started = time.perf_counter()
    inputs, training_labels = circular_data(TRAINING, seed)
    model = LinearSVC(random_state=seed).fit(inputs, training_labels)

    def ask(cases: FloatArray) -> FloatArray:
        return sigmoid(model.decision_function(cases))

    inputs, labels = circular_data(CALIBRATION, seed + 1)
    scores = ask(inputs)
    inputs, truth = circular_data(TEST, seed + 2)
    answers = {"as it came": ask(inputs)}
    for method in METHODS:
        answers[type(method).__name__] = method.fit(scores, labels).transform(ask(inputs))
    found = {name: evaluate(truth, answer) for name, answer in answers.items()}
    best = min(found, key=lambda name: found[name].value("root_mean_squared_error"))
    curves = [
        f"{name}:\n{reliability_curve(truth, answers[name])!r}\n" for name in ("as it came", best)
    ]
    took = f"All of it took {time.perf_counter() - started:.2f} seconds, once it was loaded.\n"
    return "\n".join([STORY, _table(found), *curves, MORAL, took])


def _table(found: Mapping[str, Summary]) -> str:
    rows = [
        f"{name:<20}" + "".join(f"{told.value(measure):>10.4f}" for measure in COLUMNS.values())
        for name, told in found.items()
    ]
    head = f"{'':<20}" + "".join(f"{title:>10}" for title in COLUMNS)
    return "\n".join([head, *rows, ""])
