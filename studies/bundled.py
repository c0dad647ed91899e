"""The data that come with scikit-learn, as tasks of two classes."""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from curves import Array, Random

Load: TypeAlias = Callable[[Random], tuple[Array, Array]]  # points and labels


@cache
def _points(load: Callable[..., tuple[Array, Array]]) -> tuple[Array, Array]:
    points, target = load(return_X_y=True)
    return np.asarray(points, dtype=float), np.asarray(target, dtype=float)


def _some(load: Callable[..., tuple[Array, Array]], positive: object, columns: int) -> Load:
    """Return a random choice of columns, the rows that `positive` picks being class 1."""

    def take(random: Random) -> tuple[Array, Array]:
        points, target = _points(load)
        varied = np.flatnonzero(points.std(axis=0) > 0.1 * points.std())
        kept = random.permutation(varied)[:columns] if columns else slice(None)
        picked = positive(target) if callable(positive) else target == positive
        return points[:, kept], picked.astype(float)

    return take


def _above(quantile: float) -> Callable[[Array], Array]:
    return lambda target: target > np.quantile(target, quantile)


BUNDLED: dict[str, Load] = {
    "breast cancer": _some(load_breast_cancer, 1, 0),
    "breast cancer, few columns": _some(load_breast_cancer, 1, 3),
    **{f"digit {d}, few pixels": _some(load_digits, d, 8) for d in range(10)},
    "digit 8": _some(load_digits, 8, 0),
    "digit 9": _some(load_digits, 9, 0),
    "odd digits": _some(load_digits, lambda target: target % 2 == 1, 16),
    "high digits": _some(load_digits, lambda target: target > 4, 16),
    "wine 0": _some(load_wine, 0, 2),
    "wine 1": _some(load_wine, 1, 2),
    "wine 2": _some(load_wine, 2, 2),
    "iris": _some(load_iris, 1, 2),
    "diabetes, half": _some(load_diabetes, _above(0.5), 0),
    "diabetes, quarter": _some(load_diabetes, _above(0.75), 0),
    "diabetes, tenth": _some(load_diabetes, _above(0.9), 0),
}
