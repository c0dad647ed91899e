"""Several forecasts of the same cases made one: their logarithms, weighted."""

import numpy as np
from scipy.optimize import minimize

from truing.numerics.arrays import FloatArray, IntArray
from truing.numerics.softmax import log_softmax, softmax

SPREADS = (0.01, 0.03, 0.1, 0.3, 1.0)
LEAST = 1e-10  # no forecast is taken to exclude more than that


def fit_log_pool(
    forecasts: list[FloatArray], codes: IntArray, weights: FloatArray, centre: FloatArray
) -> FloatArray:
    """Return weights v, none negative, with which softmax(Σ v_m ln p_m) is a good forecast.

    They have a normal prior around a centre. For each of some spreads of it the most probable
    weights are found, and these are averaged by their evidence (Laplace's approximation): where
    nothing is gained by leaving the centre, they stay there.

    >>> right, wrong = np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([[0.2, 0.8], [0.8, 0.2]])
    >>> told = np.repeat([right, wrong], 20, axis=1)
    >>> found = fit_log_pool(list(told), np.repeat([0, 1], 20), np.ones(40), np.array([0.0, 1.0]))
    >>> bool(found[0] > 1.0 > found[1])
    True
    """
    logs = np.stack([_logs(forecast) for forecast in forecasts])
    found, evidence = [], []
    for spread in SPREADS:
        at, told = _climb(logs, codes, weights, centre, spread)
        found.append(at)
        evidence.append(told)
    shares = np.exp(np.array(evidence) - max(evidence))
    mean: FloatArray = shares / shares.sum() @ np.array(found)
    return mean


def _climb(
    logs: FloatArray, codes: IntArray, weights: FloatArray, centre: FloatArray, spread: float
) -> tuple[FloatArray, float]:
    """Return the most probable weights for a spread, and the logarithm of their evidence."""
    rows = np.arange(len(codes))
    happened = logs[:, rows, codes] @ weights

    def cost(at: FloatArray) -> tuple[float, FloatArray]:
        pooled = log_softmax(np.tensordot(at, logs, 1))
        held = weights[:, None] * np.exp(pooled)
        apart = (at - centre) / spread
        expected = np.array([(held * each).sum() for each in logs])
        told = -float((weights * pooled[rows, codes]).sum())
        return told + 0.5 * float(apart @ apart), expected - happened + apart / spread

    done = minimize(
        cost,
        centre,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(logs),
        options={"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-9},
    )
    at = np.asarray(done.x)
    chances = softmax(np.tensordot(at, logs, 1))
    means = (chances * logs).sum(axis=2)
    seconds = np.array([[weights @ (chances * a * b).sum(axis=1) for b in logs] for a in logs])
    curvature = seconds - (means * weights) @ means.T
    _, volume = np.linalg.slogdet(np.eye(len(at)) + spread**2 * curvature)
    return at, -float(done.fun) - 0.5 * float(volume)


def pool(forecasts: list[FloatArray], at: FloatArray) -> FloatArray:
    """Return the forecasts made one by these weights."""
    logs = np.zeros(forecasts[0].shape)
    for forecast, weight in zip(forecasts, at, strict=True):
        if weight:
            logs += weight * _logs(forecast)
    return softmax(logs)


def _logs(forecast: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(forecast, LEAST))
    return logs
