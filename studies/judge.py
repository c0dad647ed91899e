"""One method on one task: what it answers, and how good that is by the rules."""

import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import numpy as np

import rules
from curves import Array
from methods import Fitted, Method
from tasks import Cases

ROUNDING = 1e-9  # answers may lie outside [0, 1] by that


@dataclass(frozen=True)
class Verdict:
    """What is kept of one method on one task; None for what is not known or not applicable.

    Attributes
    ----------
    cases
        How many it was fitted to.
    log_loss, brier
        In expectation over the labels of the test cases.
    regret
        Its log loss minus that of the truth, in nats.
    calibration_error
        Expected calibration error.
    coverage
        Share of test cases whose truth lies in the credible interval.
    fit_seconds, answer_seconds
        How long it took.
    failure
        Why there is no answer; empty if there is one.
    """

    cases: int
    log_loss: float | None = None
    brier: float | None = None
    regret: float | None = None
    calibration_error: float | None = None
    coverage: float | None = None
    fit_seconds: float | None = None
    answer_seconds: float | None = None
    failure: str = ""


class TooSlowError(BaseException):
    """Patience is at its end. No `Exception`, so that no method mistakes it for one of its own."""


def judge(method: Method, cases: Cases) -> Verdict:
    """Fit a method to the calibration cases of a task and judge its answers to the test cases."""
    count = len(cases.labels)
    try:
        with _patience(rules.PATIENCE), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            started = time.perf_counter()
            fitted = method.fit(cases.scores, cases.labels)
            ready = time.perf_counter()
            answers = np.asarray(fitted.answer(cases.test_scores), dtype=float).ravel()
            done = time.perf_counter()
            covered = _coverage(fitted, cases)
    except TooSlowError:
        return Verdict(count, failure=f"more than {rules.PATIENCE:g} s")
    except Exception as error:  # noqa: BLE001 - whatever goes wrong there is the method's failure
        told = " ".join(f"{type(error).__name__}: {error}".split())
        return Verdict(count, failure=told[:200])
    if answers.shape != cases.truth.shape or not np.all(np.abs(answers - 0.5) <= 0.5 + ROUNDING):
        return Verdict(count, failure="answers that are no probabilities")
    loss = log_loss(cases.truth, answers)
    return Verdict(
        cases=count,
        log_loss=loss,
        brier=brier(cases.truth, answers),
        regret=None if cases.floor is None else loss - cases.floor,
        calibration_error=calibration_error(cases.truth, answers),
        coverage=covered,
        fit_seconds=ready - started,
        answer_seconds=done - ready,
    )


def log_loss(truth: Array, answers: Array) -> float:
    """Return the mean log loss in expectation over the labels, in nats."""
    clipped = np.clip(answers, rules.EPSILON, 1.0 - rules.EPSILON)
    return float(-np.mean(truth * np.log(clipped) + (1.0 - truth) * np.log1p(-clipped)))


def brier(truth: Array, answers: Array) -> float:
    """Return the mean squared error in expectation over the labels."""
    return float(np.mean(truth * (1.0 - answers) ** 2 + (1.0 - truth) * answers**2))


def calibration_error(truth: Array, answers: Array) -> float:
    """Return the expected calibration error over bins of equally many cases, ties together."""
    edges = np.quantile(answers, np.arange(1, rules.BINS) / rules.BINS)
    bins = np.searchsorted(edges, answers, side="left")
    return float(np.abs(np.bincount(bins, answers - truth)).sum() / len(answers))


def _coverage(fitted: Fitted, cases: Cases) -> float | None:
    if fitted.interval is None or cases.floor is None:
        return None
    low, high = fitted.interval(cases.test_scores)
    return float(np.mean((low <= cases.truth) & (cases.truth <= high)))


@contextmanager
def _patience(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` inside after so many seconds, where the system has such a clock."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
