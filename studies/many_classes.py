"""Many classes: the default beside scikit-learn's calibrators, on digits and on made-up logits.

    python studies/many_classes.py            # prints the tables of docs/many-classes.md
    python studies/many_classes.py --quick    # one split, fewer cases

Everybody calibrates the same model with the same folds, or the same fitted model on the same
cases, and is judged by the log loss of cases that nobody has seen, with scikit-learn's
``log_loss``, which counts an exact 0 as 2e-16.
"""

import argparse
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import truing
from truing import CalibratedClassifier, HistogramCalibrator, KernelCalibrator, MixtureCalibrator

FOLDS = 5
TEST = 10_000
MODELS: dict[str, Callable[[int], ClassifierMixin]] = {
    "naive Bayes": lambda _: GaussianNB(),
    "logistic regression": lambda _: make_pipeline(StandardScaler(), LogisticRegression()),
    "random forest": lambda seed: RandomForestClassifier(100, random_state=seed),
    "support vectors": lambda _: SVC(),
    "neural network": lambda seed: MLPClassifier(random_state=seed, max_iter=400),
}
METHODS: dict[str, Callable[..., ClassifierMixin]] = {
    "truing": CalibratedClassifier,
    "truing, one model": lambda model, cv=FOLDS: CalibratedClassifier(model, cv=cv, ensemble=False),
    "histogram": lambda model, **cv: CalibratedClassifier(model, HistogramCalibrator(), **cv),
    "kernel": lambda model, **cv: CalibratedClassifier(model, KernelCalibrator(), **cv),
    "mixture": lambda model, **cv: CalibratedClassifier(
        model, MixtureCalibrator(scale="log-odds"), **cv
    ),
    "isotonic": lambda model, **cv: CalibratedClassifierCV(model, method="isotonic", **cv),
    "sigmoid": lambda model, **cv: CalibratedClassifierCV(model, method="sigmoid", **cv),
    "temperature": lambda model, **cv: CalibratedClassifierCV(model, method="temperature", **cv),
}
OF_SCIKIT_LEARN = ("isotonic", "sigmoid", "temperature")


class Logits(ClassifierMixin, BaseEstimator):
    """A fitted model whose logits are the columns of X."""

    def fit(self, X: np.ndarray, _: np.ndarray) -> "Logits":  # noqa: N803 - scikit-learn's name
        """Learn which classes there are."""
        self.classes_ = np.arange(X.shape[1])
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:  # noqa: N803 - scikit-learn's name
        """Return the logits."""
        return X

    def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803 - scikit-learn's name
        """Return the class of the greatest logit."""
        return X.argmax(axis=1)


@dataclass(frozen=True)
class Task:
    """What is calibrated, and on which cases it is judged."""

    name: str
    fit: Callable[[Callable[..., ClassifierMixin]], ClassifierMixin]
    inputs: np.ndarray
    labels: np.ndarray
    ensembles: bool


def digits(splits: int) -> Iterator[Task]:
    """Models of scikit-learn's digits, half of which is held out."""
    inputs, labels = load_digits(return_X_y=True)
    for seed in range(splits):
        ours, theirs, known, truth = train_test_split(
            inputs, labels, test_size=0.5, random_state=seed, stratify=labels
        )
        for name, model in MODELS.items():

            def fit(
                method: Callable[..., ClassifierMixin],
                model: Callable[[int], ClassifierMixin] = model,
                seed: int = seed,
                rows: np.ndarray = ours,
                known: np.ndarray = known,
            ) -> ClassifierMixin:
                return method(model(seed), cv=FOLDS).fit(rows, known)

            yield Task(f"digits, {name}", fit, theirs, truth, ensembles=True)


def bend(kind: str, logits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return logits that are wrong in a certain way."""
    classes = logits.shape[1]
    if kind == "too sure":
        return 2.5 * logits
    if kind == "classes favoured":
        return 1.5 * logits * np.exp(0.3 * rng.normal(size=classes)) + rng.normal(size=classes)
    if kind == "classes mixed up":
        mixing = np.eye(classes) + 0.25 * rng.normal(size=(classes, classes)) / np.sqrt(classes)
        return 1.5 * logits @ mixing + 0.5 * rng.normal(size=classes)
    if kind == "bent":
        return np.sign(logits) * np.abs(logits) ** 1.4
    return 1.5 * logits + 1.5 * rng.normal(size=logits.shape)


KINDS = ("too sure", "classes favoured", "classes mixed up", "bent", "noisy")


def generated(classes: int, cases: int, seed: int) -> Iterator[Task]:
    """Logits whose true probabilities are known, made wrong in five ways."""
    for kind in KINDS:
        rng = np.random.default_rng(seed)
        means = 0.6 * rng.normal(size=(classes, 20))
        labels = rng.integers(0, classes, cases + TEST)
        points = means[labels] + rng.normal(size=(cases + TEST, 20))
        logits = bend(kind, points @ means.T - 0.5 * (means**2).sum(axis=1), rng)

        def fit(
            method: Callable[..., ClassifierMixin],
            rows: np.ndarray = logits[:cases],
            known: np.ndarray = labels[:cases],
        ) -> ClassifierMixin:
            return method(FrozenEstimator(Logits().fit(rows, known))).fit(rows, known)

        name = f"{classes} classes, {cases} cases, {kind}"
        yield Task(name, fit, logits[cases:], labels[cases:], ensembles=False)


def judge(tasks: Iterator[Task]) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Return log loss and seconds of each method on each task."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for task in tasks:
        for name, method in METHODS.items():
            if "one model" in name and not task.ensembles:
                continue
            started = time.process_time()
            fitted = task.fit(method)
            seconds = time.process_time() - started
            loss = log_loss(task.labels, fitted.predict_proba(task.inputs), labels=fitted.classes_)
            found.setdefault(task.name, {}).setdefault(name, []).append((loss, seconds))
    return found


def show(found: dict[str, dict[str, list[tuple[float, float]]]]) -> None:
    """Print the table: mean log losses, the best of a row marked."""
    print(f"| | {' | '.join(METHODS)} |\n| --- |{' --- |' * len(METHODS)}")
    for task, methods in found.items():
        losses = {
            name: float(np.mean([loss for loss, _ in told])) for name, told in methods.items()
        }
        best = min(losses.values())
        cells = [
            ""
            if name not in losses
            else f"**{x:.4f}**"
            if (x := losses[name]) == best
            else f"{x:.4f}"
            for name in METHODS
        ]
        print(f"| {task} | {' | '.join(cells)} |")
    rows = [{name: np.mean(told, axis=0) for name, told in row.items()} for row in found.values()]
    won = sum(row["truing"][0] < min(row[name][0] for name in OF_SCIKIT_LEARN) for row in rows)
    print(
        f"\ntruing's default is better than all three of scikit-learn's in {won} of "
        f"{len(rows)} rows."
    )
    longest = max(row["truing"][1] for row in rows)
    print(f"Its longest fit took {longest:.1f} seconds of processor time.")


def main() -> None:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one split, fewer cases")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    known = {"truing": truing, "scikit-learn": sklearn, "numpy": np, "scipy": scipy}
    told = ", ".join(f"{name} {module.__version__}" for name, module in known.items())
    print(f"{told}, Python {platform.python_version()}\n")
    sizes = [(10, 500)] if quick else [(10, 500), (10, 5000), (100, 10_000)]

    def tasks() -> Iterator[Task]:
        yield from digits(1 if quick else 3)
        for classes, cases in sizes:
            yield from generated(classes, cases, seed=classes)

    show(judge(tasks()))


if __name__ == "__main__":
    main()
