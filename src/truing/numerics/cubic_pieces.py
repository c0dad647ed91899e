"""A continuous function in cubic pieces: evaluated fast, and in order where it increases.

Within a piece everything is told in its own unit, the share of the way between its knots, so that
no width of a piece is too small or too large for its coefficients.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_banded

from truing.numerics.arrays import BoolArray, FloatArray
from truing.numerics.lookup import Guide, look_up

__all__ = ["CubicPieces", "natural_slopes", "secants"]

MOST = 1e100  # values and rises beyond are read as this, so that nothing below overflows
FAR = 1e150  # places beyond have squares that no double holds
NUDGES = 48  # doublings of a rounding, after which a piece is better level


def secants(knots: FloatArray, values: FloatArray) -> FloatArray:
    """Return the slopes of the straight lines between points.

    >>> secants(np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 3.0]))
    array([2. , 0.5])
    """
    unit = _unit(knots)
    with np.errstate(over="ignore"):
        slopes = np.diff(np.clip(values, -MOST, MOST)) * unit / np.diff(knots * unit)
    largest = np.finfo(np.float64).max
    bounded: FloatArray = np.clip(slopes, -largest, largest)
    return bounded


def natural_slopes(knots: FloatArray, values: FloatArray) -> FloatArray:
    """Return the slopes at the knots of the natural cubic spline through the points.

    Its second derivative is continuous, and 0 at both ends: a tridiagonal system.

    >>> natural_slopes(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0]))
    array([ 1.5,  0. , -1.5])
    """
    if len(knots) < 3:  # straight, or a point, or none
        slopes = secants(knots, values)
        return np.resize(slopes, len(knots)) if len(slopes) else np.zeros(1)
    lines, runs = secants(knots, values), np.diff(knots * _unit(knots))
    before = 1.0 / (1.0 + runs[:-1] / runs[1:])  # the share of the other run, as weights go
    bands = np.empty((3, len(knots)))
    bands[0] = np.r_[0.0, 1.0, 1.0 - before]
    bands[1] = 2.0
    bands[2] = np.r_[before, 1.0, 0.0]
    inner = before * lines[:-1] + (1.0 - before) * lines[1:]
    right = 3.0 * np.clip(np.r_[lines[0], inner, lines[-1]], -1e307, 1e307)
    slopes = solve_banded((1, 1), bands, right)
    return np.asarray(slopes, np.float64)


def _unit(knots: FloatArray) -> float:
    """Return a factor that makes the widest run of doubles a double."""
    return 0.25 if len(knots) and max(-knots[0], knots[-1]) > FAR else 1.0


@dataclass(frozen=True)
class _Form:
    """One cubic per row: base + s (first + second s + third (s + lag)²), s = (z - start) / width.

    If first, second and third have the signs that `_increasing_form` gives them, every operation
    keeps the order of its operands, and so does the rounded whole.
    """

    start: FloatArray
    width: FloatArray
    base: FloatArray
    first: FloatArray
    second: FloatArray
    third: FloatArray
    lag: FloatArray

    @property
    def columns(self) -> tuple[FloatArray, ...]:
        return (
            self.start,
            self.width,
            self.base,
            self.first,
            self.second,
            self.third,
            self.lag,
        )


class CubicPieces:
    """The function with the given values and slopes at the knots, straight outside them.

    >>> pieces = CubicPieces(
    ...     np.array([0.0, 2.0]), np.array([0.0, 4.0]), np.array([0.0, 4.0]), np.array([0.0, 4.0])
    ... )
    >>> pieces(np.array([-3.0, 0.0, 1.0, 2.0, 3.0]))
    array([0., 0., 1., 4., 8.])
    """

    def __init__(
        self, knots: FloatArray, values: FloatArray, before: FloatArray, after: FloatArray
    ) -> None:
        self._unit = _unit(knots)
        self._ends = before[0] / self._unit, after[-1] / self._unit
        knots, values = knots * self._unit, np.clip(values, -MOST, MOST)
        run = np.diff(knots)
        with np.errstate(over="ignore"):
            first, last = (
                np.clip(run * (slopes / self._unit), -MOST, MOST)
                for slopes in (after[:-1], before[1:])
            )
        self._knots, self._values = knots, values
        self._first, self._last = first, last
        self._rise = np.diff(values)
        self.increasing = self._increases()
        if self.increasing:
            knots, form = self._increasing_form(*self._cut_at_bends())
        else:
            bend = 3.0 * self._rise - 2.0 * first - last
            form = _Form(
                knots[:-1],
                run,
                values[:-1],
                first,
                bend,
                first + last - 2.0 * self._rise,
                0.0 * run,
            )
        self._guide = Guide(knots, side="right")
        low, high = self._ends
        self._columns = tuple(
            np.r_[left, column, right]
            for left, column, right in zip(
                (knots[0], 1.0, values[0], low, 0.0, 0.0, 0.0),
                form.columns,
                (knots[-1], 1.0, values[-1], high, 0.0, 0.0, 0.0),
                strict=True,
            )
        )

    def __call__(self, places: FloatArray) -> FloatArray:
        """Return the function at each place; beyond doubles it is infinite."""
        if self._unit == 1.0 and max(-places.min(), places.max()) <= FAR:
            with np.errstate(over="ignore"):
                return self._inside(places)
        places = places * self._unit
        answer = self._inside(np.clip(places, self._knots[0], self._knots[-1]))
        with np.errstate(over="ignore"):
            for slope, beyond in (
                (self._ends[0], np.minimum(places - self._knots[0], 0.0)),
                (self._ends[1], np.maximum(places - self._knots[-1], 0.0)),
            ):
                if slope != 0.0:
                    answer += slope * beyond
        return answer

    def _inside(self, places: FloatArray) -> FloatArray:
        answer = np.empty(len(places))
        for part, (start, width, base, first, second, third, lag) in look_up(
            self._guide, self._columns, places
        ):
            share, bend, mean = start, lag, second  # each is fresh: what came in is not needed
            np.subtract(places[part], start, out=share)
            np.divide(share, width, out=share)
            np.add(bend, share, out=bend)
            np.multiply(bend, bend, out=bend)
            np.multiply(bend, third, out=bend)
            np.multiply(mean, share, out=mean)
            np.add(mean, first, out=mean)
            np.add(mean, bend, out=mean)
            np.multiply(mean, share, out=mean)
            np.add(mean, base, out=answer[part])
        return answer

    def _increases(self) -> bool:
        """Whether no derivative is below 0 anywhere.

        In Bernstein's form the derivative of a piece is first (1-u)² + 2 middle u (1-u) + last u².
        """
        middle = 3.0 * self._rise - self._first - self._last
        level = (middle >= 0.0) | (middle * middle <= self._first * self._last)
        ends = min(self._ends) >= 0.0 and (self._first >= 0.0).all() and (self._last >= 0.0).all()
        return bool(ends and level.all() and (self._rise >= 0.0).all())

    def _bends(self) -> tuple[FloatArray, BoolArray]:
        """Where within each piece the derivative turns, and whether it does."""
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = (2.0 * self._first + self._last - 3.0 * self._rise) / (
                3.0 * (self._first + self._last - 2.0 * self._rise)
            )
        return turn, (turn > 0.0) & (turn < 1.0)

    def _cut_at_bends(self) -> tuple[FloatArray, ...]:
        """Return knots, values and both slopes with a knot more where a derivative turns."""
        share, turns = self._bends()
        run, (at,) = np.diff(self._knots), np.nonzero(turns)
        place = self._knots[at] + run[at] * share[at]
        kept = (place > self._knots[at]) & (place < self._knots[at + 1])
        at, place = at[kept], place[kept]
        share = (place - self._knots[at]) / run[at]
        rest, first, last, rise = 1.0 - share, self._first[at], self._last[at], self._rise[at]
        middle = 3.0 * rise - first - last
        value = share * (first + share * (middle - first + share * (first + last - 2.0 * rise)))
        value = np.clip(self._values[at] + value, self._values[at], self._values[at + 1])
        slope = first * rest * rest + 2.0 * middle * share * rest + last * share * share
        slope = np.maximum(slope, 0.0)
        knots, values = (
            np.insert(column, at + 1, new)
            for column, new in ((self._knots, place), (self._values, value))
        )
        run_now = np.diff(knots)
        # The slopes of a piece are told per its own width, which the cut has made shorter.
        shorter = run_now / np.repeat(run, 1 + np.bincount(at, minlength=len(run)))
        starts, ends = np.insert(self._first, at + 1, slope), np.insert(self._last, at, slope)
        return knots, values, starts * shorter, ends * shorter

    @staticmethod
    def _increasing_form(
        knots: FloatArray, values: FloatArray, first: FloatArray, last: FloatArray
    ) -> tuple[FloatArray, _Form]:
        """Return pieces that are told from the end where they are flatter.

        From there the mean slope increases, and it is a sum of terms that do. With w the share of
        the way, d, n, k >= 0: d + n w + k w², or d + n w + k w (3 - w) with the last term written
        as k (9/4 - (3/2 - w)²), whose every rounded operation keeps the order.
        """
        from_left = first <= last
        rise = np.diff(values)
        flat, steep = np.where(from_left, first, last), np.where(from_left, last, first)
        second, third = 3.0 * rise - 2.0 * flat - steep, flat + steep - 2.0 * rise
        rounds = third >= 0.0
        second = np.maximum(np.where(rounds, second, second + 3.0 * third), 0.0)
        sign = np.where(from_left, 1.0, -1.0)
        near, far = (
            np.where(from_left, one, other)
            for one, other in ((values[:-1], values[1:]), (values[1:], values[:-1]))
        )
        lag, shrunk = np.where(rounds, 0.0, -1.5 * sign), np.ones(len(rise))
        for nudge in range(NUDGES + 1):
            d, n, k = flat * shrunk, second * shrunk, third * shrunk
            form = _Form(
                np.where(from_left, knots[:-1], knots[1:]),
                np.diff(knots),
                near,
                np.where(rounds, d, d - 2.25 * k),
                n * sign,
                k,
                lag,
            )
            # Rounding is monotone: a piece that does not pass its end at its end does so nowhere.
            mean = (form.second * sign + form.first) + (lag + sign) * (lag + sign) * k
            passes = (mean * sign + near - far) * sign > 0.0
            if not passes.any():
                break
            shrunk[passes] = 1.0 - 2.0 ** (nudge - 53.0) if nudge < NUDGES - 1 else 0.0
        return knots, form

    def turns(self) -> FloatArray:
        """Return the knots, and the places between them where slope or curvature changes sign."""
        middle, share = 3.0 * self._rise - self._first - self._last, [self._bends()[0]]
        square, line = self._first - 2.0 * middle + self._last, middle - self._first
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(line * line - square * self._first)
            larger = -(line + np.copysign(root, line))
            share += [larger / square, self._first / larger]
        run, shares = np.diff(self._knots), np.stack(share)
        piece = np.broadcast_to(np.arange(len(run)), shares.shape)[(shares > 0.0) & (shares < 1.0)]
        within = shares[(shares > 0.0) & (shares < 1.0)]
        places = np.r_[self._knots, self._knots[piece] + run[piece] * within]
        return np.unique(places / self._unit)
