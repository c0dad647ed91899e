"""What a benchmark is: two ways to do something, and how their times should compare."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Call: TypeAlias = Callable[[], Any]

SIZES = (10**6, 10**7)


@dataclass(frozen=True)
class Sides:
    """Both sides of a benchmark, ready to be timed on the same data.

    Attributes
    ----------
    ours, theirs
        What is timed.
    compare
        Given both answers, raises an error if they are not the same; None where they answer
        different questions.
    """

    ours: Call
    theirs: Call
    compare: Callable[[Any, Any], None] | None = None


def within(tolerance: float) -> Callable[[Any, Any], None]:
    """Both answers are numbers that must not differ by more than this."""

    def compare(ours: Any, theirs: Any) -> None:
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance)

    return compare


@dataclass(frozen=True)
class Target:
    """How the two times are compared, and what is promised of it; a bound of None is no promise."""

    bound: float | None
    faster: bool  # whether the ratio says how much faster ours is, or how much longer it takes

    def ratio(self, ours: float, theirs: float) -> float:
        """Return the ratio that the bound is about."""
        return theirs / ours if self.faster else ours / theirs

    def is_met(self, ratio: float) -> bool | None:
        """Return whether the promise is kept, None where there is none."""
        if self.bound is None:
            return None
        return ratio >= self.bound if self.faster else ratio <= self.bound


def faster(times: float | None = None) -> Target:
    """Ours is to be at least so many times faster."""
    return Target(times, faster=True)


def at_most(times: float | None = None) -> Target:
    """Ours is to take at most so many times as long."""
    return Target(times, faster=False)


@dataclass(frozen=True)
class Benchmark:
    """Two ways to do something, for data of several sizes.

    Attributes
    ----------
    name
        What ours does.
    against
        What theirs does.
    target
        How they should compare.
    prepare
        Makes the data of a size and returns the two sides.
    sizes
        The sizes at which the target is meant.
    clock
        How a side is timed, in seconds with its answer; None for a stopwatch around the call.
    rounds
        How often both sides are timed at least, where it takes more than usual to be sure.
    """

    name: str
    against: str
    target: Target
    prepare: Callable[[int], Sides]
    sizes: tuple[int, ...] = SIZES
    clock: Callable[[Call], tuple[float, Any]] | None = None
    rounds: int = 0


ALL: list[Benchmark] = []


def benchmark(
    name: str, against: str, target: Target, **others: Any
) -> Callable[[Callable[[int], Sides]], Callable[[int], Sides]]:
    """Make a benchmark of a function that prepares its two sides; see `Benchmark`."""

    def register(prepare: Callable[[int], Sides]) -> Callable[[int], Sides]:
        ALL.append(Benchmark(name, against, target, prepare, **others))
        return prepare

    return register
