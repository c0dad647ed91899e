"""How times are taken: the two sides in turn, the shortest of several counts.

Whatever disturbs a program on a shared machine makes it slower, never faster, so that the shortest
time is the nearest to the truth; and taking turns lets both sides meet the same disturbances.
"""

import gc
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from benchmark import Benchmark, Call

MOST_ROUNDS = 50


@dataclass(frozen=True)
class Effort:
    """How hard to look for the shortest time.

    Attributes
    ----------
    rounds
        How often both sides are timed at least, unless the benchmark asks for more,
    seconds
        and for how long, if that allows more rounds; 0 for one round of everything.
    patience
        The seconds after which a side is not timed again.
    """

    rounds: int = 7
    seconds: float = 3.0
    patience: float = 20.0


QUICK = Effort(seconds=0.0)


@dataclass(frozen=True)
class Times:
    """The seconds that one side took, run by run."""

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The shortest."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """How far the median lies above the shortest, as a share of it."""
        return median(self.seconds) / self.best - 1.0


@dataclass(frozen=True)
class Result:
    """What was measured of one benchmark at one size."""

    benchmark: Benchmark
    size: int
    ours: Times
    theirs: Times

    @property
    def ratio(self) -> float:
        """The ratio of the shortest times that the target is about."""
        return self.benchmark.target.ratio(self.ours.best, self.theirs.best)


def stopwatch(call: Call) -> tuple[float, Any]:
    """Time one call; giving its answer's memory back does not count."""
    start = perf_counter()
    answer = call()
    return perf_counter() - start, answer


def measure(which: Benchmark, size: int, effort: Effort) -> Result:
    """Time both sides in turn, once their answers have been found to be the same."""
    sides = which.prepare(size)
    clock = which.clock or stopwatch
    ours, theirs = (_Runner(call, clock) for call in (sides.ours, sides.theirs))
    gc.collect()
    gc.disable()
    try:
        answers = ours.run(), theirs.run()
        if sides.compare is not None:
            sides.compare(*answers)
        del answers
        while _more(ours.seconds, theirs.seconds, effort, which.rounds):
            for runner in (ours, theirs):
                if sum(runner.seconds) < effort.patience:
                    runner.run()
    finally:
        gc.enable()
    return Result(which, size, Times(tuple(ours.seconds)), Times(tuple(theirs.seconds)))


class _Runner:
    """One side, and the seconds it took so far."""

    def __init__(self, call: Call, clock: Any) -> None:
        self.call, self.clock = call, clock
        self.seconds: list[float] = []

    def run(self) -> Any:
        took, answer = self.clock(self.call)
        self.seconds.append(took)
        return answer


def _more(ours: list[float], theirs: list[float], effort: Effort, least: int) -> bool:
    rounds, spent = max(len(ours), len(theirs)), sum(ours) + sum(theirs)
    if effort.seconds == 0.0:
        return False
    if rounds < max(effort.rounds, least):
        return True
    return rounds < MOST_ROUNDS and spent < effort.seconds
