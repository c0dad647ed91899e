"""Log-odds, their inverse and shifts, against decimal arithmetic of 60 digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truing.numerics.log_odds import LARGEST, SMALLEST, log_odds, move_odds, sigmoid

EPS = 2.0**-52
rng = np.random.default_rng(0)
PROBABILITIES = np.unique(
    np.r_[
        SMALLEST,
        LARGEST,
        0.5,
        np.nextafter(0.5, [0, 1]),
        10.0 ** np.arange(-323, 0),
        1 - 10.0 ** np.arange(-15.0, 0),
        np.linspace(0.01, 0.99, 99),
        rng.random(200),
    ]
)
LINES = np.unique(np.r_[0.0, rng.normal(size=200) * 10, np.linspace(-745, 745, 299), 36.7, 37.5])


def decimal_log_odds(p):
    with localcontext(prec=60):
        return (Decimal(p) / (1 - Decimal(p))).ln()


def decimal_sigmoid(z):
    with localcontext(prec=60, Emin=-5000, Emax=5000):
        return 1 / (1 + (-Decimal(z)).exp())


def test_the_ends_are_the_last_doubles_before_0_and_1():
    assert np.nextafter(0.0, 1.0) == SMALLEST
    assert np.nextafter(1.0, 0.0) == LARGEST


def test_log_odds_are_exact_to_the_last_digits():
    for p, found in zip(PROBABILITIES.tolist(), log_odds(PROBABILITIES).tolist(), strict=True):
        expected = decimal_log_odds(p)
        # Around one half the odds are rounded to doubles near 1, which is 1e-16 of log-odds.
        assert abs(Decimal(found) - expected) <= Decimal(EPS) * max(abs(expected), 1), p


def test_log_odds_of_0_and_1_are_infinite_without_a_warning():
    assert log_odds(np.array([0.0, 1.0])).tolist() == [-np.inf, np.inf]


def test_log_odds_increase():
    assert (np.diff(log_odds(PROBABILITIES)) >= 0).all()
    assert np.isfinite(log_odds(PROBABILITIES)).all()


def test_sigmoid_is_exact_to_the_last_digits():
    for z, found in zip(LINES.tolist(), sigmoid(LINES).tolist(), strict=True):
        expected = decimal_sigmoid(z)
        room = Decimal(4 * EPS) * expected + Decimal(SMALLEST)  # the last double has no digits left
        assert abs(Decimal(found) - expected) <= room, z


def test_sigmoid_increases_within_0_and_1_and_is_symmetric():
    lines = np.sort(np.r_[LINES, np.nextafter(LINES, np.inf), -1e308, 1e308, -np.inf, np.inf])
    found = sigmoid(lines)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()
    assert (found[[0, -1]] == [0.0, 1.0]).all()
    assert np.array_equal(1.0 - sigmoid(-np.abs(LINES)), sigmoid(np.abs(LINES)))


def test_what_is_given_is_left_as_it_was():
    for function, values in [(log_odds, PROBABILITIES), (sigmoid, LINES)]:
        given_values = values.copy()
        given_values.flags.writeable = False
        function(given_values)
    held = PROBABILITIES.copy()
    held.flags.writeable = False
    move_odds(held, 1.5)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(p=st.floats(SMALLEST, LARGEST))
def test_back_and_forth(p):
    [again] = sigmoid(log_odds(np.array([p])))
    # An error of 1e-16 in log-odds of z moves p by |z| · p · (1 − p) · 1e-16; above a half doubles
    # are no closer than 1e-16, and below 1e-308 they lose their digits.
    reach = abs(float(decimal_log_odds(p))) + 2
    assert abs(again - p) <= 2 * EPS * reach * p * (1 - p) + EPS * p + 5e-324


@pytest.mark.parametrize("shift", [-3.0, 1e-9, 2.0])
def test_moved_odds_keep_the_order_of_neighbouring_doubles(shift):
    neighbours = rng.random(1000)[:, None] + np.arange(8) * 2.0**-53
    assert (np.diff(move_odds(np.unique(neighbours), shift)) >= 0.0).all()


@pytest.mark.parametrize("shift", [-800.0, -30.0, -1.0, 0.0, 1e-9, 2.0, 30.0, 800.0])
def test_moved_odds_are_log_odds_and_a_constant(shift):
    found = move_odds(PROBABILITIES, shift)
    for p, moved in zip(PROBABILITIES.tolist(), found.tolist(), strict=True):
        with localcontext(prec=400, Emin=-5000, Emax=5000):  # 1 - 5e-324 needs 324 digits
            factor = Decimal(shift).exp()
            raised = Decimal(p) * factor
            expected = raised / (raised + 1 - Decimal(p))
        room = Decimal(8 * EPS) * expected + Decimal(SMALLEST)
        assert abs(Decimal(moved) - expected) <= room, p
    assert (np.diff(found) >= 0.0).all()
    assert move_odds(np.array([0.0, 1.0]), shift).tolist() == [0.0, 1.0]
