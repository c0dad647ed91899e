"""Pooling: from rows to distinct keys in order, with what each key weighs.

Nothing here depends on the order of rows. Rows of weight one take the fast way: a score and its
label are packed into one integer, so that a single plain sort does all the work.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.summation import sum_runs

Key = TypeVar("Key", bound=np.generic)
Columns: TypeAlias = Sequence[FloatArray | BoolArray]

CHUNK = 1 << 15  # rows whose temporaries stay in the cache
PAGE_BITS = 12  # cells of one page, as a power of two
PAGE_MASK = (1 << PAGE_BITS) - 1
FEW = 1 << 16  # counters that cost next to nothing, however few the rows
MAGNITUDE = np.int64(2**63 - 1)  # the bits of a double but its sign
SIGN = np.int64(-(2**63))
HALF = np.int64(2**62)  # the bits of 2.0
EXPONENT = np.int64(2**52)  # one step of the exponent
EXPONENTS = 512 * EXPONENT


def pool_scores(scores: FloatArray, positive: BoolArray) -> tuple[FloatArray, Columns]:
    """Return the distinct scores in order, and how many negatives and positives hold each.

    Every finite score is allowed; minus zero is zero. Where no two scores are equal the counts
    come as booleans, an eighth of the memory.

    >>> pool_scores(np.array([0.5, -2.0, 0.5]), np.array([True, False, False]))
    (array([-2. ,  0.5]), [array([1., 1.]), array([0., 1.])])
    """
    scores = np.ascontiguousarray(scores)
    nowhere_negative = not len(scores) or scores.min() >= 0
    packing: _AnyPacking = Packing if nowhere_negative else SignedPacking
    keys = np.empty(len(scores), np.int64)
    bits, label = scores.view(np.int64), positive.view(np.uint8)
    for start in range(0, len(keys), CHUNK):
        part = slice(start, start + CHUNK)
        if not packing.pack(bits[part], label[part], keys[part]):
            return sum_by_key(scores + 0.0, ~positive, positive)
    keys.sort()
    return _unpack(keys, packing)


class Packing:
    """A score that is not negative, and its label, as one integer that sorts like the score.

    The bits of such doubles sort as the doubles do, and their sign bit is free: shifting it out
    makes room for the label.
    """

    @staticmethod
    def pack(bits: IntArray, label: npt.NDArray[np.uint8], keys: IntArray) -> bool:
        """Write the keys; the answer tells whether every score could be packed."""
        # Sixty-three bits and the label would reach the sign bit of the key, so that scores of 2
        # and more came first. Starting from 2 turns that around. The shift drops minus zero's sign.
        np.subtract(bits, HALF, out=keys)
        keys <<= 1
        keys |= label
        return True

    @staticmethod
    def unpack(keys: IntArray) -> None:
        """Turn the keys into the bits of the scores, in place."""
        keys >>= 1
        keys += HALF


class SignedPacking:
    """Any score that is zero or whose size is from 2^-510 to below 2^513, packed likewise.

    Such sizes need one bit less in the exponent, which makes room for the label beside the sign.
    """

    @staticmethod
    def pack(bits: IntArray, label: npt.NDArray[np.uint8], keys: IntArray) -> bool:
        """Write the keys; the answer tells whether every score could be packed."""
        np.bitwise_and(bits, MAGNITUDE, out=keys)
        zero = keys == 0
        keys -= EXPONENTS
        keys[zero] = EXPONENT
        if keys.min() < EXPONENT or keys.max() >= HALF:
            return False
        keys[zero] = 0
        sign = bits >> 63
        keys ^= sign
        keys -= sign
        keys <<= 1
        keys |= label
        return True

    @staticmethod
    def unpack(keys: IntArray) -> None:
        """Turn the keys into the bits of the scores, in place."""
        keys >>= 1
        sign = keys >> 63
        keys ^= sign
        keys -= sign
        keys += EXPONENTS
        keys[keys == EXPONENTS] = 0
        keys |= sign & SIGN


_AnyPacking: TypeAlias = type[Packing] | type[SignedPacking]


def _unpack(keys: IntArray, packing: _AnyPacking) -> tuple[FloatArray, Columns]:
    is_first, label = np.ones(len(keys), np.bool_), np.empty(len(keys), np.uint8)
    for start in range(0, len(keys), CHUNK):
        part, after = slice(start, start + CHUNK), slice(max(start, 1), start + CHUNK)
        label[part] = keys[part]  # the last byte, of which the label is the last bit
        packing.unpack(keys[part])
        before = slice(after.start - 1, after.start - 1 + len(keys[after]))
        np.not_equal(keys[after], keys[before], out=is_first[after])
    label &= 1
    keys.flags.writeable = False  # so that maps can keep the scores without a copy
    distinct = keys.view(np.float64)
    if is_first.all():
        positive = label.view(np.bool_)
        return distinct, [~positive, positive]
    first = np.flatnonzero(is_first)
    # Differences of running counts cost a third of a reduceat over as many short runs.
    reached = np.cumsum(label, dtype=np.intp)
    ends = np.append(first[1:], len(keys))
    ends -= 1
    positives = _differences(reached.take(ends), 0)
    negatives = _differences(ends, -1)
    negatives -= positives
    return distinct.take(first), [negatives, positives]


def _differences(numbers: IntArray, before: int) -> FloatArray:
    steps = np.empty(len(numbers))
    steps[0] = numbers[0] - before
    np.subtract(numbers[1:], numbers[:-1], out=steps[1:])
    return steps


def sum_by_key(
    keys: npt.NDArray[Key], *columns: npt.NDArray[Any]
) -> tuple[npt.NDArray[Key], list[FloatArray]]:
    """Return the distinct keys in order and, for each column, its sum at every key.

    The sums are the same to the last bit whatever the order of rows.
    """
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    starts = np.flatnonzero(np.r_[len(keys) > 0, in_order[1:] != in_order[:-1]])
    in_rows = [column[order].astype(np.float64, copy=False) for column in columns]
    if len(starts) == len(keys):
        return in_order, in_rows
    return in_order[starts], [sum_runs(column, starts) for column in in_rows]


def sum_by_row(
    rows: FloatArray, codes: IntArray, weights: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the distinct pairs of row and code, in order, and the sum of weights at each.

    The order is by the first column, what is equal there by the next, at last by the code. The sums
    are the same to the last bit whatever the order of rows.
    """
    order = np.argsort(rows[:, 0], kind="stable")
    first = rows[order, 0]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort((codes, *rows.T[::-1]))
    rows, codes, weights = rows[order], codes[order], weights[order]
    same = (rows[1:] == rows[:-1]).all(axis=1) & (codes[1:] == codes[:-1])
    if not same.any():
        return rows, codes, weights
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    return rows[starts], codes[starts], sum_runs(weights, starts)


def count_cells(cells: IntArray, positive: BoolArray) -> tuple[IntArray, Columns]:
    """Return the occupied cells in order, and how many negatives and positives each holds.

    Cells are counted page by page, so that memory follows the pages in use. Where there would be
    more to count with than there are rows, as in narrow cells far apart, rows are sorted instead.
    """
    most = max(len(cells), FEW)
    pages = cells >> PAGE_BITS
    first = pages.min()
    pages -= first
    far_apart = pages.max() >= most
    used = pages if far_apart else np.flatnonzero(np.bincount(pages))
    if far_apart or len(used) << (PAGE_BITS + 1) > 8 * most:
        return sum_by_key(cells, ~positive, positive)
    slots = np.zeros(used[-1] + 1, np.int64)
    slots[used] = np.arange(len(used)) << PAGE_BITS
    place = slots[pages]
    place |= cells & PAGE_MASK
    place <<= 1
    place |= positive
    counts = np.bincount(place, minlength=len(used) << (PAGE_BITS + 1)).reshape(-1, 2)
    held = np.flatnonzero(counts.any(axis=1))
    occupied = ((used[held >> PAGE_BITS] + first) << PAGE_BITS) | (held & PAGE_MASK)
    return occupied, list(counts[held].T.astype(np.float64))
