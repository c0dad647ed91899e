"""What decisions earn, where gains and costs differ from case to case."""

import math
from typing import Any

import numpy as np

from truing.numerics.arrays import BoolArray, FloatArray
from truing.table import door

LARGEST_AMOUNT = 1e100  # sums of weighted amounts stay within doubles
DECISIONS = "True or False is needed for each case, or True for all"
ONE_NUMBER = int | float | np.integer | np.floating


def profitable(y_prob: Any, amounts: Any, costs: Any) -> BoolArray:
    """Return in which cases acting is expected to pay: p · a > c.

    p is the probability that acting succeeds, a what it then brings, and c what it costs whether it
    succeeds or not. If probabilities and amounts are true, no other policy is expected to earn
    more. Prefer it to one threshold for all wherever amounts differ: a rare large gain may be worth
    more than a likely small one. It needs true probabilities, not just an order: if all are told
    too large, it acts too often.

    Parameters
    ----------
    y_prob
        Probabilities, from 0 to 1.
    amounts
        What each case brings if acting succeeds.
    costs
        What acting costs: a number, or one for each case.

    References
    ----------
    Zadrozny and Elkan (2001), Learning and making decisions when costs and probabilities are both
    unknown, https://doi.org/10.1145/502512.502540.

    Examples
    --------
    A letter for $0.68, to somebody likely to give little and somebody unlikely to give much.

    >>> profitable([0.2, 0.02, 0.02], [5.0, 50.0, 5.0], 0.68)
    array([ True,  True, False])
    """
    probabilities, gains, prices = _expectations(y_prob, amounts, costs)
    return np.asarray(probabilities * gains > prices)


def policy_profit(gains: Any, acted: Any, costs: Any, *, sample_weight: Any = None) -> float:
    """Return what a policy earned: Σ w · (g − c) over the cases in which it acted.

    g is what acting in fact brought (0 where it failed), c what it cost. Prefer it to any measure
    of probabilities where it is known what decisions are worth. Its limit is its noise: a few large
    gains may decide it, so compare policies on the same cases. Terms are added exactly and the sum
    is rounded once, so that the order of cases changes nothing and cents stay right however many
    cases there are.

    Parameters
    ----------
    gains
        What acting brings, or would have brought, in each case.
    acted
        In which cases the policy acts, as `profitable` tells them; True for all.
    costs
        What acting costs: a number, or one for each case.
    sample_weight
        How many cases each stands for.

    Examples
    --------
    >>> policy_profit([0.0, 10.0, 0.0], [True, True, False], 0.68)
    8.64
    >>> policy_profit([0.0, 10.0, 0.0], True, 0.68)
    7.96
    """
    earned = _amounts(gains, "gains")
    door.check_lengths({"gains": len(earned)})
    prices = _amounts(costs, "costs", len(earned))
    mask = _decisions(acted, len(earned))
    door.check_lengths({"gains": len(earned), "acted": len(mask), "costs": len(prices)})
    weights = door.as_weights(sample_weight, "sample_weight", len(earned), "gains")
    return _balance(earned, prices, mask, weights)


def expected_profit(y_prob: Any, amounts: Any, costs: Any, *, sample_weight: Any = None) -> float:
    """Return what acting where p · a > c is expected to earn: Σ w · (p · a − c) over these cases.

    It is the truth about the policy only if probabilities and amounts are true. So compare it with
    what the policy earned, `policy_profit`: a promise far above that comes of probabilities, or
    amounts, that are told too large.

    Parameters
    ----------
    y_prob, amounts, costs
        As in `profitable`.
    sample_weight
        How many cases each stands for.

    Examples
    --------
    >>> round(expected_profit([0.2, 0.02, 0.02], [5.0, 50.0, 5.0], 0.68), 12)
    0.64
    """
    probabilities, gains, prices = _expectations(y_prob, amounts, costs)
    weights = door.as_weights(sample_weight, "sample_weight", len(gains), "y_prob")
    expected = probabilities * gains
    return _balance(expected, prices, expected > prices, weights)


def _balance(
    gains: FloatArray, costs: FloatArray, acted: BoolArray, weights: FloatArray | None
) -> float:
    """Return the sum of gains less that of costs, each weighted; the sum is rounded once."""
    terms = np.concatenate([gains[acted], -costs[acted]])
    return math.fsum(terms if weights is None else terms * np.tile(weights[acted], 2))


def _expectations(
    y_prob: Any, amounts: Any, costs: Any
) -> tuple[FloatArray, FloatArray, FloatArray]:
    probabilities = door.as_floats(y_prob, "y_prob")
    door.check_lengths({"y_prob": len(probabilities)})
    door.find_missing(probabilities, "y_prob", "error", "Leave such cases out first")
    door.check_probabilities(probabilities, "y_prob")
    gains = _amounts(amounts, "amounts")
    prices = _amounts(costs, "costs", len(probabilities))
    lengths = {"y_prob": len(probabilities), "amounts": len(gains), "costs": len(prices)}
    door.check_lengths(lengths)
    return probabilities, gains, prices


def _amounts(values: Any, name: str, length: int | None = None) -> FloatArray:
    """Return money as doubles; where a length is given, one number may stand for so many."""
    alone = length is not None and isinstance(values, ONE_NUMBER) and not isinstance(values, bool)
    amounts = door.as_floats([values] if alone else values, name)
    unknown = ~np.isfinite(amounts)
    door.refuse(unknown, amounts, name, "is not finite; amounts must be finite numbers")
    beyond = np.abs(amounts) > LARGEST_AMOUNT
    door.refuse(beyond, amounts, name, f"is beyond ±{LARGEST_AMOUNT:g}, the largest amount")
    return np.repeat(amounts, length) if alone and length is not None else amounts


def _decisions(acted: Any, length: int) -> BoolArray:
    """Return a mask of the cases acted on; True stands for all of them, False for none."""
    if isinstance(acted, bool | np.bool_):
        return np.full(length, bool(acted))
    decisions = door.as_vector(acted, "acted")
    if decisions.dtype.kind == "b":
        return np.asarray(decisions)
    told = door.as_floats(decisions, "acted")
    door.refuse((told != 0.0) & (told != 1.0), told, "acted", f"is no decision; {DECISIONS}")
    return np.asarray(told == 1.0)
