"""Draws reliability.svg, the picture of the README: ``python docs/pictures/reliability.py``."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from truing import CalibratedClassifier, MixtureCalibrator, plot_reliability, reliability_curve

mpl.rcParams["svg.hashsalt"] = "truing"  # the same picture, the same file

X, y = make_classification(12_000, n_informative=4, n_redundant=8, flip_y=0.1, random_state=0)
bayes = GaussianNB()
models = {
    "naive Bayes": bayes,
    "naive Bayes, calibrated": CalibratedClassifier(bayes, MixtureCalibrator(scale="log-odds")),
}
figure, axes = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
for name, model in models.items():
    told = model.fit(X[:2000], y[:2000]).predict_proba(X[2000:])[:, 1]
    plot_reliability(reliability_curve(y[2000:], told), axes, label=name)
figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})
