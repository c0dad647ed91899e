"""The tasks of the study: what each is called, and the cases it consists of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np

import rules
from bundled import BUNDLED
from curves import SHAPES, Array, Random, Sample
from models import MODELS, fitted, scores_of
from populations import POPULATIONS

LEAST_OF_A_CLASS = 2
TRIALS = 1000


@dataclass(frozen=True)
class Task:
    """What a task is called and made of; the same name always gives the same cases.

    Attributes
    ----------
    kind
        ``"curve"``, ``"model"`` or ``"real"``.
    source
        The shape, the population or the data.
    detail
        The number of cases of a curve, the model of the others.
    seed
        Draws parameters, cases and splits.
    """

    kind: str
    source: str
    detail: str
    seed: int

    @property
    def name(self) -> str:
        """Return the name under which results are kept."""
        return f"{self.kind}/{self.source}/{self.detail}/{self.seed}"

    @property
    def smooth(self) -> bool:
        """Whether a smooth curve in log-odds can follow the truth, and the truth is known."""
        return self.kind == "curve" and SHAPES[self.source].smooth

    @property
    def most_cases(self) -> int:
        """Return how many calibration cases there may be at most."""
        return {"model": 10_000, "real": 1000}.get(self.kind) or int(self.detail)

    def make(self) -> "Cases":
        """Return its cases."""
        random = np.random.default_rng([crc32(self.name.encode()), self.seed])
        return {"curve": _curve, "model": _model, "real": _real}[self.kind](self, random)


@dataclass(frozen=True)
class Cases:
    """The cases of a task.

    Attributes
    ----------
    scores, labels
        For calibration.
    test_scores
        To be answered.
    truth
        The true probability of each test case, or its label.
    floor
        The least possible log loss of any function of the score; None where it is not known.
    """

    scores: Array
    labels: Array
    test_scores: Array
    truth: Array
    floor: float | None = None


def tasks_of(which: str) -> list[Task]:
    """Return the tasks of a set, ``"development"`` or ``"final"``, small ones first."""
    seeds = rules.SEEDS[which]
    sizes = dict.fromkeys(rules.SIZES, tuple(SHAPES))
    curves = [Task("curve", *of, seed) for seed in seeds for of in _curves(sizes)]
    large = [Task("curve", *of, seeds[0]) for of in _curves(rules.LARGE)]
    models = [Task("model", p, m, seed) for seed in seeds for p in POPULATIONS for m in MODELS]
    real = [Task("real", data, m, seed) for seed in seeds for data in BUNDLED for m in MODELS]
    return sorted([*curves, *models, *real, *large], key=lambda task: task.most_cases)


def _curves(sizes: Mapping[int, Sequence[str]]) -> list[tuple[str, str]]:
    return [
        (name, str(size))
        for size, names in sizes.items()
        for name in names
        if size * SHAPES[name].rarity >= rules.FEWEST_POSITIVES
    ]


def _curve(task: Task, random: Random) -> Cases:
    sample = SHAPES[task.source].draw(random)
    scores, labels = _with_both_classes(partial(_labelled, sample, random, int(task.detail)))
    test_scores, truth = sample(rules.TEST_CASES)
    return Cases(scores, labels, test_scores, truth, _entropy(truth))


def _model(task: Task, random: Random) -> Cases:
    sample = POPULATIONS[task.source](random)
    for_training = int(np.exp(random.uniform(np.log(300), np.log(3000))))
    for_calibration = int(np.exp(random.uniform(np.log(100), np.log(10_000))))
    training = _with_both_classes(partial(_labelled, sample, random, for_training))
    points, labels = _with_both_classes(partial(_labelled, sample, random, for_calibration))
    model = fitted(task.detail, *training, task.seed)
    test_points, truth = sample(rules.TEST_CASES)
    return Cases(scores_of(model, points), labels, scores_of(model, test_points), truth)


def _real(task: Task, random: Random) -> Cases:
    points, labels = BUNDLED[task.source](random)
    third = np.empty(len(labels), dtype=int)  # every third row of either class, in random order
    for label in (0.0, 1.0):
        of_class = random.permutation(np.flatnonzero(labels == label))
        third[of_class] = np.arange(len(of_class)) % 3
    training, calibration, test = (third == part for part in range(3))
    model = fitted(task.detail, points[training], labels[training], task.seed)
    return Cases(
        scores_of(model, points[calibration]),
        labels[calibration],
        scores_of(model, points[test]),
        labels[test],
    )


def _labelled(sample: Sample, random: Random, count: int) -> tuple[Array, Array]:
    points, truth = sample(count)
    return points, (random.random(count) < truth).astype(float)


def _with_both_classes(draw: Callable[[], tuple[Array, Array]]) -> tuple[Array, Array]:
    """Draw until there are at least two cases of either class."""
    for _ in range(TRIALS):
        points, labels = draw()
        if LEAST_OF_A_CLASS <= labels.sum() <= len(labels) - LEAST_OF_A_CLASS:
            return points, labels
    raise RuntimeError("One of the classes is too rare for so few cases.")


def _entropy(truth: Array) -> float:
    inner = np.clip(truth, 1e-300, 1.0 - 2.0**-53)
    return float(-np.mean(truth * np.log(inner) + (1.0 - truth) * np.log1p(-inner)))
