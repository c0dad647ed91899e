"""A density that is a weighted sum of Student's t densities."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln

from truing.numerics.arrays import FloatArray

__all__ = ["StudentMixture"]

_CHUNK = 16_384  # queries at a time: the matrix of components and queries stays in the cache
_FARTHEST = 1e150  # in scales from the location; the square is still a number


@dataclass(frozen=True, eq=False)
class StudentMixture:
    r"""A density that is a weighted sum of Student's t densities.

    .. math:: p(x) = \sum_k \pi_k \, \mathrm{St}(x; \nu_k, \mu_k, \sigma_k)

    Parameters
    ----------
    weights
        What each component has of the whole; they sum to one.
    locations, scales, degrees
        Centre, scale and degrees of freedom of each component. The last one is the tail: the
        prior's own density, for all components that no case has asked for.
    cases
        The expected weight of the cases that belong to each component; 0 for the tail.
    free_energies
        The free energy after each accepted step of the search, the last one that of this
        mixture; lower is better, and the negative bounds the log evidence from below.
    """

    weights: FloatArray
    locations: FloatArray
    scales: FloatArray
    degrees: FloatArray
    cases: FloatArray
    free_energies: tuple[float, ...]

    def log_density(self, scores: FloatArray) -> FloatArray:
        """Natural logarithm of the density at each score; finite however far the score is.

        Parameters
        ----------
        scores
            Where to evaluate, of any shape; need not be sorted.
        """
        queries = np.asarray(scores, dtype=np.float64)
        flat = queries.ravel()
        answers = np.empty_like(flat)
        heights = self._log_heights()[:, None]
        for start in range(0, flat.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            answers[part] = self._log_density_of(flat[part], heights)
        return answers.reshape(queries.shape)

    def _log_heights(self) -> FloatArray:
        """Log of each component's weight times its density at its own location."""
        heights: FloatArray = (
            np.log(self.weights)
            - np.log(self.scales)
            - np.log(self.degrees) / 2
            - betaln(self.degrees / 2, 0.5)
        )
        return heights

    def _log_density_of(self, scores: FloatArray, heights: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):  # an infinite distance is clipped on the next line
            terms = (scores - self.locations[:, None]) / self.scales[:, None]
        np.clip(terms, -_FARTHEST, _FARTHEST, out=terms)
        terms *= terms
        terms /= self.degrees[:, None]
        np.log1p(terms, out=terms)
        terms *= -(self.degrees[:, None] + 1) / 2
        terms += heights
        highest = terms.max(axis=0)
        terms -= highest
        np.exp(terms, out=terms)
        log_density: FloatArray = highest + np.log(terms.sum(axis=0))
        return log_density
