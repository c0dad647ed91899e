"""What a component of a mixture knows of labels: the chance that a case of it is positive.

Beside its normal each component has a Bernoulli distribution of labels, its chance a Beta
distribution. The prior is worth one case of the prevalence, Beta(p, 1 - p), the same for all.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma

from truing.numerics.arrays import FloatArray


class Chances(NamedTuple):
    """Beta parameters of each component: cases for and against, the prior's among them."""

    positives: FloatArray
    negatives: FloatArray

    @property
    def means(self) -> FloatArray:
        """The expected chance of each component."""
        return self.positives / (self.positives + self.negatives)


def chances_of(prevalence: float, sums: FloatArray) -> Chances:
    """Update the chances by the conjugate rule, from sums whose columns 0 and 3 count cases."""
    counts, positives = sums[..., 0], sums[..., 3]
    return Chances(prevalence + positives, (1.0 - prevalence) + (counts - positives))


def log_chances(chances: Chances, labels: FloatArray) -> FloatArray:
    """Return the expected log chance of each label (last axis) in each component."""
    positive, negative = (digamma(each)[..., None] for each in chances)
    both = digamma(chances.positives + chances.negatives)[..., None]
    return np.where(labels > 0.0, positive - both, negative - both)


def label_divergence(chances: Chances, prevalence: float) -> FloatArray:
    """Kullback-Leibler divergence of the chances from their prior, summed over components."""
    positives, negatives = chances
    both = digamma(positives + negatives)
    each = (
        betaln(prevalence, 1.0 - prevalence)
        - betaln(positives, negatives)
        + (positives - prevalence) * (digamma(positives) - both)
        + (negatives - (1.0 - prevalence)) * (digamma(negatives) - both)
    )
    divergence: FloatArray = each.sum(axis=-1)
    return divergence
