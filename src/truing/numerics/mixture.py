"""The density of scores as a mixture of normals whose number of components the data decide.

The model is a Dirichlet-process mixture of normals, the algorithm that of Kurihara, Welling and
Vlassis, "Accelerated variational Dirichlet process mixtures", NIPS 19 (2007), pages 761-768, after
Blei and Jordan, Bayesian Analysis 1 (2006), https://doi.org/10.1214/06-BA104:

1. many rows become few cells that share their responsibilities: `pooled_cells`;
2. one update goes from the components' sums to their posterior, from there to the cells'
   responsibilities, and from those to new sums; it never raises the free energy: `update`;
3. a greedy search starts from one component, splits, updates, keeps the split if the free energy
   falls and stops if none does; components stand in order of weight: `_search`.

The prior, the free energy and its constants are those of Kurihara's program.
Departures from the program:

* cells are drawn once, by weight and by width, not by a tree that unfolds as the search goes on;
* a component may lose any fifth of its cases to a new one; this finds a narrow peak
  within a wide component, where one cut across the longest axis sees nothing;
* updates are extrapolated where that lowers the free energy (SQUAREM: Varadhan and Roland,
  Scandinavian Journal of Statistics 35 (2008), https://doi.org/10.1111/j.1467-9469.2007.00585.x);
* a split has to gain so much per case, not so much of the free energy, which is no measure of
  gain because its zero moves with the unit of the scores;
* the search's end is polished by Newton's method, so that the answer is the fixed point itself and
  owes nothing to where the updates stopped;
* the predictive weights are the program's, divided by their sum, which is a little below one
  because the empty tail is given the next stick only, not all the sticks that follow.
"""

from collections.abc import Generator
from typing import NamedTuple, TypeAlias

import numpy as np

from truing.numerics.arrays import FloatArray
from truing.numerics.mixture_cells import Cells, coarse_cells, pooled_cells
from truing.numerics.mixture_labels import chances_of
from truing.numerics.mixture_update import (
    PSEUDO_COUNT,
    SHAPE,
    Prior,
    Update,
    posterior_of,
    update,
    updates,
)
from truing.numerics.student_mixture import StudentMixture

__all__ = ["Frame", "find_components", "fit_mixture", "predictive", "prior_of"]

_Search: TypeAlias = Generator[FloatArray, Update, Update]  # asks for updates of sums

_FIFTHS = np.linspace([0, 0.2], [0.8, 1], 5)[:, :, None]
_TRIAL_CYCLES = 2  # of updates that each split is granted before they are compared
_FINALISTS = 3  # splits whose updates go on until they rest
_REST = 1e-5  # gain per case and cycle below which a trial is at rest
_FINAL_REST = 1e-8
_MOST_CYCLES = 500
_NEWTON_STEPS = 25
_HALVINGS = 6
_CYCLES_BETWEEN = 10  # of updates where Newton's step leads nowhere
_NUDGE = 1e-6  # relative, to take derivatives
_STILL = 1e-10  # share of the weight; no step shorter than this is worth another
_ROUNDING = 1e-13  # of the free energy
_NOTHING = 1e-12  # share of the weight below which a component is empty
_LONGEST_LEAP = 100.0
_FURTHEST = float(np.finfo(np.float64).max)


def fit_mixture(
    scores: FloatArray,
    weights: FloatArray,
    *,
    concentration: float = 1.0,
    truncation: int = 20,
    tolerance: float = 1e-5,
) -> StudentMixture:
    r"""Estimate the density of scores by a Dirichlet-process mixture of normals.

    .. math::
        x \mid k \sim N(\mu_k, 1/\tau_k), \quad
        \mu_k \mid \tau_k \sim N(m, 1/(0.01\,\tau_k)), \quad
        \tau_k \sim \mathrm{Gamma}(1, 0.01\,s^2), \quad
        \pi_k = v_k \prod_{j<k} (1 - v_j), \quad v_k \sim \mathrm{Beta}(1, \alpha)

    with *m* and *s²* the mean and the variance of the scores (divided by the weight less one, or by
    the weight where that is under two). The variational posterior gives the predictive density, a
    mixture of Student's t. Prefer it to a kernel where the scores gather at several widths; it
    assumes that they can be told as a few normals, so a density with sharp edges costs it many
    components. The greedy search ends in a local optimum.

    Parameters
    ----------
    scores
        Distinct finite scores in ascending order.
    weights
        How often each score occurred; positive, fractions welcome.
    concentration
        The process's *α*: the larger, the more components are expected.
    truncation
        The most components, not counting the empty tail.
    tolerance
        What one more component must gain in free energy, per unit of weight.

    References
    ----------
    K. Kurihara, M. Welling and N. Vlassis, Accelerated variational Dirichlet process mixtures,
    NIPS 19 (2007), pages 761-768. D. M. Blei and M. I. Jordan, Variational inference for Dirichlet
    process mixtures, Bayesian Analysis 1 (2006), https://doi.org/10.1214/06-BA104.

    Examples
    --------
    >>> import numpy as np
    >>> from truing.numerics.mixture import fit_mixture
    >>> scores = np.concatenate([np.linspace(-1.1, -0.9, 40), np.linspace(0.5, 1.5, 60)])
    >>> mixture = fit_mixture(scores, np.ones(100))
    >>> mixture.locations[:2].round(2)
    array([ 1., -1.])
    >>> mixture.cases.round()
    array([60., 40.,  0.])
    >>> np.exp(mixture.log_density(np.array([-1.0, 0.0, 1.0]))).round(1)
    array([2.4, 0. , 0.8])
    """
    frame = Frame.of(scores, weights)
    cells, prior = pooled_cells(frame.read(scores), weights), prior_of(concentration)
    path = find_components(cells, coarse_cells(cells), prior, truncation, tolerance)
    return predictive(path[-1].sums, prior, frame, frame.energies(path, cells.total))


class Frame(NamedTuple):
    """The standardised scale, on which scores have mean 0 and variance 1."""

    unit: float  # what scores are divided by first, so that no difference of theirs overflows
    centre: float
    spread: float

    @classmethod
    def of(cls, scores: FloatArray, weights: FloatArray) -> "Frame":
        """Return the scale for scores in ascending order."""
        unit = 1.0 if scores[-1] * 0.25 - scores[0] * 0.25 < 2.0**1021 else 4.0
        return cls(unit, *_centre_and_spread(scores / unit, weights))

    def read(self, scores: FloatArray) -> FloatArray:
        """Return the standardised scores."""
        standardised: FloatArray = (scores / self.unit - self.centre) / self.spread
        return standardised

    def energies(self, path: list[Update], total: float) -> tuple[float, ...]:
        """Return free energies of densities per unit of score, not per standardised unit."""
        per_score = total * float(np.log(self.spread) + np.log(self.unit))
        return tuple(step.free_energy + per_score for step in path)


def prior_of(concentration: float, prevalence: float | None = None) -> Prior:
    """Return the prior on the standardised scale.

    One score has no variance; its spread was chosen for it, and the prior goes by that.
    """
    return Prior(concentration, SHAPE * PSEUDO_COUNT, prevalence)


def find_components(
    cells: Cells, coarse: Cells, prior: Prior, truncation: int, tolerance: float
) -> list[Update]:
    """Search on the coarse cells and settle on the fine ones; every accepted step, the end last."""
    path = _search(coarse, prior, truncation, tolerance)
    path[-1] = _polished(cells, prior, _settled(cells, prior, path[-1].successor, _FINAL_REST))
    return path


def _centre_and_spread(scores: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Weighted mean and standard deviation; a tiny spread if there is one score only."""
    start, extent = scores[0], scores[-1] - scores[0]
    if extent == 0:
        return float(start), float(np.sqrt(np.finfo(np.float64).eps) * (abs(start) or 1.0))
    places = (scores - start) / extent  # squares of these neither overflow nor vanish
    shares = weights / weights.sum()
    mean = shares @ places
    variance = shares @ (places - mean) ** 2
    total = float(weights.sum())
    variance *= total / (total - 1.0) if total >= 2.0 else 1.0
    return float(start + mean * extent), float(np.sqrt(variance) * extent)


def _search(cells: Cells, prior: Prior, truncation: int, tolerance: float) -> list[Update]:
    """Split as long as that lowers the free energy; returns every accepted step."""
    total = cells.total
    path = [_settled(cells, prior, cells.weights[None] @ cells.moments.T, _REST)]
    while len(path[-1].sums) < truncation:
        best = _best_split(cells, prior, path[-1])
        if best is None or best.free_energy > path[-1].free_energy - tolerance * total:
            break
        path.append(best)
    return path


def _best_split(cells: Cells, prior: Prior, current: Update) -> Update | None:
    """Try all splits for a few updates, take the most promising to rest and return the best."""
    trials = _settled_together(cells, prior, _splits(cells, current), _TRIAL_CYCLES)
    finalists = sorted(trials, key=lambda trial: _rank(trial, cells.total))[:_FINALISTS]
    rested = _settled_together(cells, prior, [trial.successor for trial in finalists], _MOST_CYCLES)
    return min(rested, key=lambda trial: _rank(trial, cells.total), default=None)


def _rank(trial: Update, total: float) -> float:
    """Free energy per case, blunt enough that rounding does not choose between mirror images."""
    return round(trial.free_energy / total, 9)


def _splits(cells: Cells, current: Update) -> list[FloatArray]:
    """Take each fifth of each component's cases, neighbours in score, out as one of its own.

    Where cells are labelled, its positives are another part to be tried.
    """
    splits = []
    for component, held in enumerate(current.holdings):
        ends = held.cumsum()
        # A cell on the border is divided, so that the parts move smoothly with the weights.
        borders = _FIFTHS * ends[-1]
        parts = np.minimum(ends, borders[:, 1]) - np.maximum(ends - held, borders[:, 0])
        if cells.labels is not None:
            parts = np.vstack([parts, held * cells.labels])
        for part in np.maximum(parts, 0) @ cells.moments.T:
            sums = np.vstack([current.successor, part])
            sums[component] -= part
            splits.append(sums)
    return splits


def _settled(
    cells: Cells, prior: Prior, sums: FloatArray, rest: float, most_cycles: int = _MOST_CYCLES
) -> Update:
    """Update one set of sums until it rests."""
    return _run(cells, prior, [_settling(sums, rest * cells.total, most_cycles)])[0]


def _settled_together(
    cells: Cells, prior: Prior, starts: list[FloatArray], most_cycles: int
) -> list[Update]:
    """Update many sets of sums, each until it rests."""
    least_gain = _REST * cells.total
    return _run(cells, prior, [_settling(sums, least_gain, most_cycles) for sums in starts])


def _run(cells: Cells, prior: Prior, searches: list[_Search]) -> list[Update]:
    """Run searches that ask for one update after another; those of as many components together."""
    asked = {number: next(search) for number, search in enumerate(searches)}
    ends: dict[int, Update] = {}
    while asked:
        size = len(next(iter(asked.values())))
        numbers = [number for number, sums in asked.items() if len(sums) == size]
        done = updates(cells, prior, np.stack([asked.pop(number) for number in numbers]))
        for number, update_ in zip(numbers, done, strict=True):
            try:
                asked[number] = searches[number].send(update_)
            except StopIteration as end:
                ends[number] = end.value
    return [ends[number] for number in range(len(searches))]


def _settling(sums: FloatArray, least_gain: float, most_cycles: int) -> _Search:
    """Update until a cycle gains less than that; the free energy never rises.

    A cycle is two updates, a leap along their direction (SQUAREM with step length S3), and one
    update from where that led if it led lower, else from where they were.
    """
    current = yield _ordered(sums)
    for _ in range(most_cycles):
        onward = yield current.successor
        leap = yield _extrapolated(current.sums, onward.sums, onward.successor)
        better = leap if leap.free_energy < onward.free_energy else onward
        reached = yield _ordered(better.successor)
        gain = current.free_energy - reached.free_energy
        if gain >= 0:  # else rounding has the last word
            current = reached
        if gain < least_gain:
            break
    return current


def _polished(cells: Cells, prior: Prior, current: Update) -> Update:
    """Go on to the fixed point of `update` by Newton's method, as far as rounding lets it."""
    still = _STILL * cells.total
    for _ in range(_NEWTON_STEPS):
        current = update(cells, prior, _ordered(current.sums))
        step = _newton_step(cells, prior, current)
        reached = _stepped(cells, prior, current, step)
        if reached is None:  # too far away for Newton: the valley is long and bent
            reached = _settled(cells, prior, current.successor, 0.0, _CYCLES_BETWEEN)
        current = reached
        if np.abs(step).max() <= still:
            break
    return current


def _stepped(cells: Cells, prior: Prior, current: Update, step: FloatArray) -> Update | None:
    """Take the step, or the largest of its halves that does not raise the free energy."""
    slack = _ROUNDING * (cells.total + abs(current.free_energy))
    for halving in range(_HALVINGS):
        reached = update(cells, prior, current.sums + step / 2**halving)
        if reached.free_energy <= current.free_energy + slack:
            return reached
    return None


def _newton_step(cells: Cells, prior: Prior, current: Update) -> FloatArray:
    """Solve the equation that an update changes nothing, made linear at the current sums.

    Derivatives are differences along each component's own weight, location, width and chance;
    along the sums themselves a narrow component far from 0 would not stay itself.
    """
    directions = _directions(prior, current.sums)
    residuals = np.empty((directions.shape[0], directions.shape[0]))
    nudges = updates(cells, prior, current.sums + _NUDGE * directions)
    for column, (direction, nudged) in enumerate(zip(directions, nudges, strict=True)):
        change = (nudged.successor - current.successor) / _NUDGE
        residuals[:, column] = (direction - change).ravel()
    residual = (current.successor - current.sums).ravel()
    amounts = np.linalg.lstsq(residuals, residual, rcond=1e-15)[0]
    step: FloatArray = np.tensordot(amounts, directions, axes=1)
    return step


def _directions(prior: Prior, sums: FloatArray) -> FloatArray:
    """How the sums of a component change with its weight, location, width and chance, in turn."""
    posterior, counts, size = posterior_of(prior, sums), sums[:, 0], sums.shape[1]
    means, widths = posterior.means, np.sqrt(posterior.rates / posterior.shapes)
    nothing = np.zeros_like(means)
    changes = np.array(
        [
            [np.ones_like(means), means, means**2 + widths**2],
            [nothing, widths, 2 * means * widths],
            [nothing, nothing, widths**2],
        ]
    )
    directions = np.zeros((means.size, size, means.size, size))
    each = np.arange(means.size)
    directions[each, :3, each, :3] = (changes * counts).transpose(2, 0, 1)
    if prior.prevalence is not None:
        chances = chances_of(prior.prevalence, sums).means
        directions[each, 0, each, 3] = chances * counts
        directions[each, 3, each, 3] = chances * (1 - chances) * counts
    return directions.reshape(-1, means.size, size)


def _ordered(sums: FloatArray) -> FloatArray:
    """Components by weight, the heaviest first, the empty ones dropped.

    No order has a lower free energy: of all it touches only the sum of log(concentration +
    weight from the k-th component on), smallest if the heaviest go first.
    """
    counts = sums[:, 0]
    total = counts.sum()
    order = np.lexsort([sums[:, 1], -np.round(counts / total, 9)])  # twins go by location
    kept: FloatArray = sums[order[counts[order] > _NOTHING * total]]
    return kept


def _extrapolated(first: FloatArray, second: FloatArray, third: FloatArray) -> FloatArray:
    """Where three successive sums are heading."""
    step = second - first
    bend = third - second - step
    curvature = np.sqrt((bend * bend).sum())
    length = np.sqrt((step * step).sum())
    leap = min(max(length / curvature, 1.0), _LONGEST_LEAP) if curvature > 0 else 1.0
    target: FloatArray = first + 2 * leap * step + leap**2 * bend
    return target


def predictive(
    sums: FloatArray, prior: Prior, frame: Frame, energies: tuple[float, ...]
) -> StudentMixture:
    """Return the expected density of one more score, on the scores' own scale."""
    centre, spread = frame.centre * frame.unit, min(frame.spread * frame.unit, _FURTHEST)
    with_tail = np.vstack([sums, np.zeros(sums.shape[1])])
    posterior = posterior_of(prior, with_tail)
    both = posterior.taken + posterior.left
    # What is left is taken by itself: one less what is broken off would be 0 beside many cases.
    weights = posterior.taken / both * np.append(1.0, np.cumprod((posterior.left / both)[:-1]))
    precisions = posterior.shapes * posterior.pseudo_counts
    widths = np.sqrt(posterior.rates * (posterior.pseudo_counts + 1) / precisions)
    with np.errstate(over="ignore"):  # the tail of the largest doubles is wider than they are
        scales = np.minimum(spread * widths, _FURTHEST)
        locations = np.clip(centre + spread * posterior.means, -_FURTHEST, _FURTHEST)
    return StudentMixture(
        weights=weights / weights.sum(),
        locations=locations,
        scales=scales,
        degrees=2 * posterior.shapes,
        cases=with_tail[:, 0],
        free_energies=energies,
    )
