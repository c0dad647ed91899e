"""Who wins: the numbers of the rules, from the verdicts on all tasks."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import rules
from curves import Array
from judge import Verdict
from results import Found, task_named

NEAR = 3.0  # a size is meant within this factor
KINDS = ("curve", "model", "real")


@dataclass(frozen=True)
class Standing:
    """The numbers of one method; NaN for what is not known.

    Attributes
    ----------
    wins, brier_wins
        Mean win rate against the peers, by log loss and by Brier score.
    wins_of_kind
        The first, on each kind of task.
    better, brier_better
        Share of tasks on which it is better than none.
    regret, most_regret
        Mean and greatest regret on curves, in nats.
    avoidable
        The names of curves whose regret is too much and which a simpler method avoids.
    calibration_error
        Mean expected calibration error.
    coverage
        Mean coverage on smooth curves.
    seconds
        Median of a fit, by size.
    failures, tasks
        On how many tasks it failed, of how many.
    """

    method: str
    wins: float
    brier_wins: float
    wins_of_kind: dict[str, float]
    better: float
    brier_better: float
    regret: float
    most_regret: float
    avoidable: tuple[str, ...]
    calibration_error: float
    coverage: float
    seconds: dict[int, float]
    failures: int
    tasks: int


class Contest:
    """All losses side by side: a row for each method and a column for each task."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.methods = list(found)
        self.tasks = sorted({task for verdicts in found.values() for task in verdicts})
        self.kinds = np.array([task_named(task).kind for task in self.tasks])
        self._losses = {name: self._table(name) for name in ("log_loss", "brier")}

    def duel(self, method: str, peer: str, loss: str) -> Array:
        """Return for each task 1 where the method wins, 0 where the peer does, else one half."""
        ours, theirs = (self._losses[loss][self.methods.index(name)] for name in (method, peer))
        with np.errstate(invalid="ignore"):
            lead = np.where(ours == theirs, 0.0, theirs - ours)  # two failures are infinite alike
        won = np.where(np.abs(lead) <= rules.TIE, 0.5, (lead > 0).astype(float))
        return np.where(np.isnan(lead), np.nan, won)

    def loss(self, method: str, task: str) -> float:
        """Return the log loss of a method on a task; without end where it failed or was not run."""
        told = _loss(self.found[method].get(task), "log_loss")
        return np.inf if np.isnan(told) else told

    def rate(self, method: str, peer: str, loss: str) -> float:
        """Return the win rate against one peer."""
        return _mean(self.duel(method, peer, loss))

    def standing(self, method: str) -> Standing:
        """Return the numbers of one method."""
        peers = [name for name in rules.PEERS if name in self.found and name != method]
        won, brier_won = (self._duels(method, peers, loss) for loss in ("log_loss", "brier"))
        verdicts = self.found[method]
        regrets = [v.regret for v in verdicts.values() if v.regret is not None]
        return Standing(
            method=method,
            wins=_mean(won),
            brier_wins=_mean(brier_won),
            wins_of_kind={kind: _mean(won[:, self.kinds == kind]) for kind in KINDS},
            better=self._better(method, "log_loss"),
            brier_better=self._better(method, "brier"),
            regret=_mean(regrets),
            most_regret=max(regrets, default=np.nan),
            avoidable=tuple(name for name in verdicts if self._is_avoidable(method, name)),
            calibration_error=_mean([v.calibration_error for v in verdicts.values()]),
            coverage=_mean([v.coverage for n, v in verdicts.items() if task_named(n).smooth]),
            seconds={size: _seconds(verdicts, size) for size in (1000, 100_000, 1_000_000)},
            failures=sum(bool(v.failure) for v in verdicts.values()),
            tasks=len(verdicts),
        )

    def _duels(self, method: str, peers: list[str], loss: str) -> Array:
        duels = [self.duel(method, peer, loss) for peer in peers]
        return np.array(duels).reshape(len(peers), len(self.tasks))

    def _better(self, method: str, loss: str) -> float:
        if rules.NONE not in self.found or method == rules.NONE:
            return np.nan
        return self.rate(method, rules.NONE, loss)

    def _is_avoidable(self, method: str, task: str) -> bool:
        if not _regrets_too_much(self.found[method][task]):
            return False
        others = (self.found[name].get(task) for name in rules.SIMPLER if name in self.found)
        return any(o.regret is not None and not _regrets_too_much(o) for o in others if o)

    def _table(self, name: str) -> Array:
        rows = [
            [_loss(self.found[method].get(task), name) for task in self.tasks]
            for method in self.methods
        ]
        return np.array(rows, dtype=float)


def _loss(verdict: Verdict | None, name: str) -> float:
    if verdict is None:
        return np.nan
    loss = getattr(verdict, name)
    return np.inf if loss is None else float(loss)


def _regrets_too_much(verdict: Verdict) -> bool:
    return verdict.regret is not None and verdict.regret > rules.TOO_MUCH


def _seconds(verdicts: dict[str, Verdict], size: int) -> float:
    near = [
        v.fit_seconds
        for v in verdicts.values()
        if v.fit_seconds is not None and size / NEAR < v.cases < size * NEAR
    ]
    return float(np.median(near)) if near else np.nan


def _mean(values: npt.ArrayLike) -> float:
    numbers = np.asarray(values, dtype=float)
    known = numbers[~np.isnan(numbers)]
    return float(known.mean()) if known.size else np.nan
