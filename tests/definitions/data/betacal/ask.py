"""Asks betacal for its curves on drawn data, and writes them to betacal.json beside this file.

Run with betacal 1.1.0 and scikit-learn: ``python ask.py``. betacal leaves the fitting to scikit-
learn's LogisticRegression as it comes, whose tolerance of 1e-4 leaves three to four digits; here
the same is asked to converge ("newton-cholesky", tolerance 1e-14), nothing else is changed.
"""

import json
from functools import partial
from importlib.metadata import version
from pathlib import Path

import betacal.beta_calibration
import numpy as np
from betacal import BetaCalibration
from sklearn.linear_model import LogisticRegression

betacal.beta_calibration.LogisticRegression = partial(
    LogisticRegression, solver="newton-cholesky", tol=1e-14, max_iter=1000
)
QUERIES = [0.001, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]


def drawn(seed, size, curve, weighted=False):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.beta(0.8, 1.2, size), 6).clip(1e-4, 1 - 1e-4)
    a, b, c = curve
    odds = a * np.log(scores) - b * np.log(1 - scores) + c
    labels = (rng.random(size) < 1 / (1 + np.exp(-odds))).astype(int)
    weights = np.round(rng.uniform(0.5, 3, size), 2) if weighted else np.ones(size)
    return scores, labels, weights


SETS = {
    "over-confident": drawn(0, 400, (0.4, 0.7, 0.3)),
    "under-confident": drawn(1, 400, (2.0, 1.5, -0.5)),
    "one half moved": drawn(2, 250, (1.0, 1.0, -1.5)),
    "weighted": drawn(3, 300, (1.2, 0.3, 0.2), weighted=True),
    "without a": drawn(4, 400, (-0.5, 2.0, 0.0)),
    "without b": drawn(5, 400, (2.0, -0.5, 1.0)),
    "the wrong way round": drawn(6, 400, (-1.0, -0.5, 0.3)),
}
told = {"betacal": version("betacal"), "scikit-learn": version("scikit-learn"), "queries": QUERIES}
told["sets"] = {}
for name, (scores, labels, weights) in SETS.items():
    answers = {}
    for parameters in ("abm", "am", "ab"):
        curve = BetaCalibration(parameters).fit(scores, labels, weights)
        answers[parameters] = curve.predict(np.array(QUERIES)).tolist()
    columns = zip(("scores", "labels", "weights"), (scores, labels, weights), strict=True)
    told["sets"][name] = {**{key: column.tolist() for key, column in columns}, "answers": answers}
Path(__file__).with_name("betacal.json").write_text(json.dumps(told, separators=(",", ":")) + "\n")
