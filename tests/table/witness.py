"""A table by definition: a dictionary of fractions, filled row by row; and what makes one valid."""

from fractions import Fraction

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

COLUMNS = ("negatives", "positives", "rows", "negative_squares", "positive_squares")

repeatable = settings(max_examples=100, deadline=None, derandomize=True)

everywhere = st.floats(allow_nan=False, allow_infinity=False)
probabilities = st.floats(0.0, 1.0)
ties = st.sampled_from([-2.0, -0.0, 0.0, 5e-324, 0.25, 0.5, 1.0, 3.0])
fractions = st.floats(1e-3, 1e3)
sizes = st.floats(-330, 100).map(lambda exponent: 10.0**exponent)


def rows_of(scores, weights=None, *, least=1):
    """Strategy for scores, labels and weights of equal length, as arrays."""
    weight = st.just(1.0) if weights is None else weights
    rows = st.lists(st.tuples(scores, st.booleans(), weight), min_size=least, max_size=40)
    return rows.map(lambda rows: tuple(np.array(column) for column in zip(*rows, strict=True)))


def by_definition(keys, positive, weights):
    """Return each key's five sums, exactly; keys in order."""
    cells = {}
    for key, is_positive, weight in zip(keys, positive, weights, strict=True):
        sums = cells.setdefault(key + 0 if key else type(key)(0), [Fraction(0)] * 5)
        square = Fraction(float(weight) * float(weight))
        sums[1 if is_positive else 0] += Fraction(float(weight))
        sums[2] += 1
        sums[4 if is_positive else 3] += square
    return dict(sorted(cells.items()))


def rounded_once(found, exact):
    """Whether a double is the exact sum, rounded to nearest (ties may go either way)."""
    unit = Fraction(float(np.spacing(abs(float(found)))))
    return abs(Fraction(float(found)) - exact) <= unit * (Fraction(1, 2) + Fraction(1, 2**30))


def columns_of(table):
    squares = [table.squares - table.positive_squares, table.positive_squares]
    if table.spread is not None:
        squares = [table.spread.negative_squares, table.spread.positive_squares]
    return [table.negatives, table.positives, table.rows, *squares]


def assert_is(table, keys, positive, weights):
    """Assert that a table is the one that rows make by definition."""
    expected = by_definition(keys, positive, weights)
    found = table.scores if table.cells is None else table.cells
    assert found.tolist() == list(expected)
    assert not np.signbit(table.scores[table.scores == 0.0]).any()
    for column, sums in zip(columns_of(table), zip(*expected.values(), strict=True), strict=True):
        for number, exact in zip(column.tolist(), sums, strict=True):
            assert rounded_once(number, exact)


def assert_valid(table):
    """Assert all that can be said of any table."""
    length = len(table)
    assert np.isfinite(table.scores).all()
    assert (table.scores[1:] > table.scores[:-1]).all()
    for column in columns_of(table):
        assert column.shape == (length,)
        assert np.isfinite(column).all()
        assert (column >= 0.0).all()
    assert (table.weights > 0.0).all()
    assert (table.rows >= 1.0).all()
    assert (table.rows == np.floor(table.rows)).all()
    assert (table.cells is None) == (table.grid is None)
    if table.grid is not None:
        assert np.array_equal(table.grid.cells(table.scores), table.cells)
    if length:
        negative, positive = table.classes
        assert negative != positive
    assert all(count >= 1 for count in table.left_out.values())
    assert (table + table).total == 2.0 * table.total
