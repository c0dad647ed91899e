"""The share of positives around a score, cases weighted by a kernel."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from truing.errors import DataError
from truing.maps.checks import as_column, as_number, check_increasing, check_tolerance
from truing.maps.lines import Lines
from truing.maps.probability_map import ProbabilityMap
from truing.maps.scale import Scale, ScoreScale, scale_from_dict
from truing.maps.steps import Steps
from truing.numerics.arrays import FloatArray
from truing.numerics.binning import midpoints
from truing.numerics.boxcar_steps import StepSums, boxcar_steps, merge_steps
from truing.numerics.kernels import KERNELS, KernelSums
from truing.numerics.log_odds import move_odds
from truing.numerics.nearest import nearest
from truing.numerics.tabulation import draw_lines

AT_ONCE = 1 << 15  # scores whose temporaries stay in the cache


@dataclass(frozen=True, eq=False, repr=False)
class KernelRatio(ProbabilityMap):
    """Bayes' rule with kernel densities: each class's sum of kernels, over its own bandwidth.

    With S₁ and S₀ the sums of K((x − x_i) / h) over positives and negatives, the probability is
    h₀ S₁ / (h₀ S₁ + h₁ S₀); for equal bandwidths this is the estimator of Nadaraya and Watson.
    Where neither class has a case within reach, the nearest place that has cases answers, of two
    equally near the lower one.

    Parameters
    ----------
    points
        Where cases are, strictly increasing, on the map's scale.
    weights, positives
        The weight of all and of the positive cases at each point.
    bandwidths
        Of the negatives and of the positives.
    kernel
        The name of the kernel.
    scale
        How scores are read.
    log_odds_shift
        What is added to the log-odds of the ratio.
    """

    points: FloatArray
    weights: FloatArray
    positives: FloatArray
    bandwidths: tuple[float, float]
    kernel: str
    scale: Scale = field(default_factory=ScoreScale)
    log_odds_shift: float = 0.0

    kind: ClassVar[str] = "kernel-ratio"

    def __post_init__(self) -> None:
        for name in ("points", "weights", "positives"):
            object.__setattr__(self, name, as_column(getattr(self, name), name))
        check_increasing(self.points, "points")
        count = len(self.points)
        if not count or {len(self.weights), len(self.positives)} != {count}:
            raise DataError("points, weights and positives of a map need one length, not 0.")
        if self.weights.min() <= 0.0:
            raise DataError("weights of a kernel ratio must be above 0.")
        if self.positives.min() < 0.0 or (self.positives > self.weights).any():
            raise DataError("positives of a kernel ratio must be from 0 to the weights.")
        if self.kernel not in KERNELS:
            raise DataError(f"kernel is {self.kernel!r}; it must be one of {list(KERNELS)}.")
        if not all(0.0 < bandwidth < np.inf for bandwidth in self.bandwidths):
            raise DataError(f"bandwidths are {self.bandwidths}; they must be above 0 and finite.")

    @property
    def _classes(self) -> tuple[FloatArray, FloatArray]:
        return self.weights - self.positives, self.positives

    @property
    def _shared(self) -> bool:
        return self.bandwidths[0] == self.bandwidths[1]

    @cached_property
    def _sums(self) -> tuple[KernelSums, ...]:
        kernel, (zero, one) = KERNELS[self.kernel], self.bandwidths
        if self._shared:
            return (KernelSums(self.points, (self.weights, self.positives), zero, kernel),)
        return tuple(
            KernelSums(self.points[held > 0], held[held > 0], bandwidth, kernel)
            for held, bandwidth in zip(self._classes, (zero, one), strict=True)
            if held.any()
        )

    def _evaluate(self, values: FloatArray) -> FloatArray:
        answer = np.empty(len(values))
        for start in range(0, len(values), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            answer[part] = self._ratio(values[part])
        return answer

    def _ratio(self, values: FloatArray) -> FloatArray:
        if self._shared:
            weight, positive = self._sums[0].scaled(values)[0]
            answer = _quotient(positive, weight)
        else:
            answer = _share(*self._class_sums(values), self.bandwidths)
        empty = np.isnan(answer)
        if empty.any():
            answer[empty] = self._rates[nearest(self.points, values[empty])]
        return move_odds(answer, self.log_odds_shift)

    def _class_sums(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        held = iter(self._sums)
        none = np.zeros(len(values)), np.zeros(len(values))
        (negative, low), (positive, high) = (
            next(held).scaled(values) if column.any() else none for column in self._classes
        )
        top = np.maximum(low, high)
        return negative * np.exp(low - top), positive * np.exp(high - top)

    @cached_property
    def _rates(self) -> FloatArray:
        return self.positives / self.weights

    @property
    def increasing(self) -> bool:
        """Nothing is promised."""
        return False

    def _shift(self, log_odds: float) -> Self:
        """Return the map whose answers have their log-odds raised by a constant."""
        return replace(self, log_odds_shift=self.log_odds_shift + log_odds)

    def tabulate(self, tolerance: float = 1e-6) -> ProbabilityMap:
        """Return the steps of a boxcar, else lines that differ by no more than the tolerance."""
        check_tolerance(tolerance)
        if self.kernel == "boxcar":
            return self.steps().tabulate(tolerance)
        knots = self.scale.cover(self._knots())
        if self.kernel == "gaussian" and not self._shared and len(self._sums) == 2:
            return Lines(*draw_lines(self._log_odds_of, knots, tolerance, as_log_odds=True))
        return Lines(*draw_lines(self, knots, tolerance))

    def _log_odds_of(self, scores: FloatArray) -> FloatArray:
        """Return the log-odds of Gaussians, which tell more than probabilities of exactly 0."""
        (negative, low), (positive, high) = (
            sums.scaled(self.scale.read(scores)) for sums in self._sums
        )
        widths = float(np.log(self.bandwidths[0]) - np.log(self.bandwidths[1]))
        ratio: FloatArray = np.log(positive) - np.log(negative) + (high - low)
        return ratio + (widths + self.log_odds_shift)

    def _knots(self) -> FloatArray:
        """Return places so close that no window is overlooked, and both sides of every jump."""
        narrow, wide = min(self.bandwidths), max(self.bandwidths)
        # Further out than this no two points are told apart any more: one of them has all weight.
        with np.errstate(over="ignore"):
            gaps = np.flatnonzero(np.diff(self.points) > wide)
            jumps = midpoints(self.points, gaps)
            out = (wide * 2.0 ** np.arange(-4, 80))[:, None]
            ends = self.points[np.append(gaps, -1)], self.points[np.append(0, gaps + 1)]
            beyond = np.concatenate([ends[0] + out, ends[1] - out]).ravel()
            kinks = [
                self.points + at * h for at in KERNELS[self.kernel].kinks for h in (narrow, wide)
            ]
        windows = [_around(self.points, bandwidth) for bandwidth in {narrow, wide}]
        every: FloatArray = np.concatenate(
            [*windows, *kinks, beyond, jumps, np.nextafter(jumps, np.inf)]
        )
        return every[np.isfinite(every)]

    def steps(self) -> Steps:
        """Return the steps that a boxcar's ratio is, exactly."""
        edges, (negative, positive) = self._step_sums()
        values = _share(negative, positive, self.bandwidths)
        gaps, bounds = (
            np.flatnonzero(np.isnan(values)),
            np.concatenate([[-np.inf], edges, [np.inf]]),
        )
        # Inside a gap there is no case: the nearest are the last below and the first above it.
        above = np.searchsorted(self.points, bounds[gaps], side="right")
        last = len(self.points) - 1
        inner = (above > 0) & (above <= last)
        cuts = np.where(above > 0, np.inf, -np.inf)
        cuts[inner] = midpoints(self.points, above[inner] - 1)
        values[gaps] = self._rates[np.where(cuts > bounds[gaps], above - 1, above.clip(max=last))]
        # A gap so narrow that the middle is at its end has one nearest case.
        split = (bounds[gaps] < cuts) & (cuts < bounds[gaps + 1])
        values = np.insert(values, gaps[split] + 1, self._rates[above[split]])
        edges = np.insert(edges, gaps[split], cuts[split])
        return Steps(edges, move_odds(values, self.log_odds_shift), self.scale)

    def _step_sums(self) -> StepSums:
        if self._shared:
            return boxcar_steps(self.points, np.stack(self._classes), self.bandwidths[0])
        return merge_steps(
            *(
                boxcar_steps(self.points[held > 0], held[held > 0], bandwidth)
                for held, bandwidth in zip(self._classes, self.bandwidths, strict=True)
            )
        )

    @classmethod
    def _read(cls, given: dict[str, Any]) -> "KernelRatio":
        widths = as_column(given["bandwidths"], "bandwidths")
        if len(widths) != 2:
            raise DataError(f"bandwidths are {given['bandwidths']!r}; there must be two.")
        shift = as_number(given["log_odds_shift"], "log_odds_shift")
        return cls(
            *(given["points"], given["weights"], given["positives"]),
            (float(widths[0]), float(widths[1])),
            str(given["kernel"]),
            scale_from_dict(given["scale"]),
            shift,
        )


def _around(points: FloatArray, bandwidth: float) -> FloatArray:
    """Return places at sixteenths of a bandwidth, as far as a bandwidth around every point."""
    step, reach = bandwidth / 16, np.arange(-17, 18)
    with np.errstate(over="ignore", invalid="ignore"):
        cells = np.unique(np.floor((points - points[0]) / step))
        places: FloatArray = points[0] + np.unique(cells[:, None] + reach) * step
        return places


def _share(
    negative: FloatArray, positive: FloatArray, bandwidths: tuple[float, float]
) -> FloatArray:
    """Return the positives' share of the two densities; NaN where both are zero."""
    widest = max(bandwidths)
    risen = positive * (bandwidths[0] / widest)
    total = negative * (bandwidths[1] / widest) + risen
    return _quotient(risen, total)


def _quotient(positive: FloatArray, weight: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        share = np.divide(positive, weight, out=positive)
    return np.minimum(share, 1.0, out=share)  # fractions do not add up to the last bit
