"""Payoffs that differ from case to case."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truing import DataError, expected_profit, policy_profit, profitable

nan, inf = math.nan, math.inf

CASES = st.lists(
    st.tuples(
        st.floats(0.0, 1.0),
        st.floats(-1e6, 1e6),
        st.floats(0.0, 1e3),
        st.booleans(),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=20,
)


@given(CASES)
def test_by_definition(cases):
    told, amounts, costs, acted, _ = map(list, zip(*cases, strict=True))
    pays = [p * a > c for p, a, c in zip(told, amounts, costs, strict=True)]
    assert profitable(told, amounts, costs).tolist() == pays
    earned = sum((Fraction(a) - Fraction(c) for _, a, c, mailed, _ in cases if mailed), Fraction(0))
    assert policy_profit(amounts, acted, costs) == float(earned)
    promised = sum(
        (Fraction(p * a) - Fraction(c) for p, a, c, _, _ in cases if p * a > c), Fraction(0)
    )
    assert expected_profit(told, amounts, costs) == float(promised)


@given(CASES)
def test_weights_are_repetitions(cases):
    told, amounts, costs, acted, weights = map(np.array, zip(*cases, strict=True))
    scale = 1e-14 * float(weights @ (np.abs(amounts) + costs))
    repeated = [np.repeat(column, weights) for column in (told, amounts, costs, acted)]
    weighted = policy_profit(amounts, acted, costs, sample_weight=weights)
    assert weighted == pytest.approx(
        policy_profit(repeated[1], repeated[3], repeated[2]), abs=scale
    )
    weighted = expected_profit(told, amounts, costs, sample_weight=weights)
    assert weighted == pytest.approx(expected_profit(*repeated[:3]), abs=scale)


@given(CASES, st.randoms())
def test_order_does_not_matter(cases, random):
    shuffled = random.sample(cases, len(cases))
    results = []
    for rows in (cases, shuffled):
        told, amounts, costs, acted, weights = zip(*rows, strict=True)
        results.append(
            (
                policy_profit(amounts, acted, costs, sample_weight=weights),
                expected_profit(told, amounts, costs, sample_weight=weights),
            )
        )
    assert results[0] == results[1]


def test_cents_stay_right_in_a_hundred_thousand_cases():
    rng = np.random.default_rng(0)
    cents = rng.integers(0, 20_000, 100_000)
    exact = sum(Decimal(int(cent)) / 100 - Decimal("0.68") for cent in cents)
    assert round(policy_profit(cents / 100, True, 0.68), 2) == float(exact)


def test_true_probabilities_keep_their_promise():
    rng = np.random.default_rng(1)
    told, amounts = rng.uniform(0.0, 0.1, 200_000), rng.uniform(1.0, 50.0, 200_000)
    gains = amounts * (rng.uniform(size=200_000) < told)
    pays = profitable(told, amounts, 0.68)
    promised, earned = expected_profit(told, amounts, 0.68), policy_profit(gains, pays, 0.68)
    spread = math.sqrt(float((told * (1.0 - told) * amounts**2)[pays].sum()))
    assert abs(earned - promised) < 4.0 * spread
    for other in (True, profitable(told / 2, amounts, 0.68), profitable(2 * told, amounts, 0.68)):
        assert policy_profit(told * amounts, other, 0.68) <= promised


def test_at_the_cost_itself_there_is_nothing_to_gain():
    assert profitable([0.5, 0.5], [2.0, 2.5], 1.0).tolist() == [False, True]
    assert profitable([0.5], [-4.0], -3.0).tolist() == [True]  # a loss that is paid for


def test_who_does_not_act_earns_nothing():
    assert policy_profit([5.0, 7.0], False, 1.0) == 0.0
    assert policy_profit([5.0, 7.0], [False, False], 1.0) == 0.0
    assert expected_profit([0.1], [1.0], 5.0) == 0.0
    assert policy_profit([5.0, 7.0], [True, True], [1.0, 2.0], sample_weight=[0, 2]) == 10.0


DECISIONS = {
    "integers": [0, 1, 1],
    "floats": [0.0, 1.0, 1.0],
    "pandas": pd.Series([False, True, True]),
    "nullable": pd.Series([False, True, True], dtype="boolean"),
    "polars": pl.Series([False, True, True]),
    "objects": np.array([False, True, True], object),
}


@pytest.mark.parametrize("kind", DECISIONS)
def test_decisions_of_any_kind(kind):
    assert policy_profit([5.0, 7.0, 1.0], DECISIONS[kind], 1.0) == 6.0


@pytest.mark.parametrize("hold", [tuple, np.array, pd.Series, pl.Series])
def test_any_container(hold):
    told, amounts, costs = hold([0.25, 0.5]), hold([8.0, 1.0]), hold([1.0, 1.0])
    assert profitable(told, amounts, costs).tolist() == [True, False]
    assert expected_profit(told, amounts, costs, sample_weight=hold([3.0, 1.0])) == 3.0
    assert policy_profit(amounts, True, costs, sample_weight=hold([3.0, 1.0])) == 21.0


WRONG_EXPECTATIONS = {
    "above 1": ({"y_prob": [0.2, 1.5]}, ["y_prob", "1.5", "position 1", "[0, 1]"]),
    "missing": ({"y_prob": [nan, 0.5]}, ["y_prob", "nan", "position 0", "missing"]),
    "infinite": ({"y_prob": [inf, 0.5]}, ["y_prob", "inf", "position 0"]),
    "words": ({"y_prob": [0.2, "half"]}, ["y_prob", "'half'", "position 1"]),
    "one probability": ({"y_prob": 0.5}, ["y_prob is 0.5", "one-dimensional"]),
    "empty": ({"y_prob": [], "amounts": []}, ["y_prob is empty"]),
    "lengths": ({"amounts": [1.0]}, ["y_prob has 2", "amounts has 1"]),
    "one amount": ({"amounts": 5.0}, ["amounts is 5.0", "one-dimensional"]),
    "missing amount": ({"amounts": [1.0, None]}, ["amounts", "position 1", "finite"]),
    "infinite amount": ({"amounts": [1.0, -inf]}, ["amounts", "-inf", "position 1", "finite"]),
    "huge amount": ({"amounts": [1.0, 1e200]}, ["amounts", "1e+200", "position 1", "1e+100"]),
    "costs": ({"costs": [1.0, 1.0, 1.0]}, ["y_prob has 2", "costs has 3"]),
    "no cost": ({"costs": None}, ["costs is None"]),
    "missing cost": ({"costs": nan}, ["costs", "nan", "finite"]),
    "a flag for a cost": ({"costs": True}, ["costs is True"]),
    "a word for a cost": ({"costs": "free"}, ["costs is 'free'"]),
    "huge cost": ({"costs": 10**400}, ["costs"]),
}


@pytest.mark.parametrize("function", [profitable, expected_profit])
@pytest.mark.parametrize("wrong", WRONG_EXPECTATIONS)
def test_wrong_expectations_are_named(function, wrong):
    given, told = WRONG_EXPECTATIONS[wrong]
    arguments = {"y_prob": [0.2, 0.5], "amounts": [1.0, 2.0], "costs": 0.68, **given}
    with pytest.raises(DataError) as refused:
        function(**arguments)
    for part in told:
        assert part in str(refused.value)


WRONG_POLICIES = {
    "missing gain": ({"gains": [nan, 1.0]}, ["gains", "nan", "position 0", "finite"]),
    "no gains": ({"gains": [], "acted": []}, ["gains is empty"]),
    "lengths": ({"acted": [True]}, ["gains has 2", "acted has 1"]),
    "half a decision": ({"acted": [0.5, 1.0]}, ["acted", "0.5", "position 0", "True or False"]),
    "missing decision": ({"acted": [True, None]}, ["acted", "position 1", "True or False"]),
    "words": ({"acted": ["no", "yes"]}, ["acted", "'no'", "position 0"]),
    "a number": ({"acted": 1}, ["acted is 1"]),
    "costs": ({"costs": [1.0]}, ["gains has 2", "costs has 1"]),
    "negative weight": ({"sample_weight": [1, -1]}, ["sample_weight", "-1", "position 1"]),
    "weights": ({"sample_weight": [1]}, ["gains has 2", "sample_weight has 1"]),
}


@pytest.mark.parametrize("wrong", WRONG_POLICIES)
def test_wrong_policies_are_named(wrong):
    given, told = WRONG_POLICIES[wrong]
    arguments = {"gains": [0.0, 5.0], "acted": [True, False], "costs": 0.68, **given}
    with pytest.raises(DataError) as refused:
        policy_profit(**arguments)
    for part in told:
        assert part in str(refused.value)


def test_wrong_weights_of_expectations_are_named():
    with pytest.raises(DataError, match="y_prob has 2, sample_weight has 3"):
        expected_profit([0.2, 0.5], [1.0, 2.0], 0.68, sample_weight=[1, 1, 1])


def test_what_is_given_is_left_as_it_was():
    columns = [np.array(column) for column in ([0.2, 0.5], [1.0, 2.0], [0.1, 0.1])]
    for column in columns:
        column.flags.writeable = False
    mask = profitable(*columns)
    expected_profit(*columns, sample_weight=columns[1])
    policy_profit(columns[1], mask, columns[2], sample_weight=columns[1])
    assert mask.flags.writeable
