"""Pooling: from rows to distinct keys in order, with what each key weighs.

Nothing here depends on the order of rows. Rows of weight one take the fast way: a score and its
label are packed into one integer, so that a single plain sort does all the work.
"""

from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from truing.numerics.arrays import BoolArray, FloatArray, IntArray
from truing.numerics.summation import sum_runs

Keys = TypeVar("Keys", FloatArray, IntArray)
Pooled: TypeAlias = tuple[FloatArray, FloatArray, "FloatArray | BoolArray"]

CHUNK = 1 << 15  # rows whose temporaries stay in the cache
PAGE_BITS = 12  # cells of one page, as a power of two
PAGE_MASK = (1 << PAGE_BITS) - 1
MAGNITUDE = np.int64(2**63 - 1)  # the bits of a double but its sign
SIGN = np.int64(-(2**63))
HALF = np.int64(2**62)  # the bits of 2.0
EXPONENT = np.int64(2**52)  # one step of the exponent
EXPONENTS = 512 * EXPONENT


def pool_scores(scores: FloatArray, positive: BoolArray) -> Pooled:
    """Return the distinct scores in order, and how many cases and positives hold each.

    Every finite score is allowed; minus zero is zero. Where no two scores are equal the positives
    come as booleans, an eighth of the memory.

    >>> pool_scores(np.array([0.5, -2.0, 0.5]), np.array([True, False, False]))
    (array([-2. ,  0.5]), array([1., 2.]), array([0., 1.]))
    """
    scores = np.ascontiguousarray(scores)
    packing: type[Packing] = Packing if not len(scores) or scores.min() >= 0 else SignedPacking
    keys = np.empty(len(scores), np.int64)
    bits, label = scores.view(np.int64), positive.view(np.uint8)
    for start in range(0, len(keys), CHUNK):
        part = slice(start, start + CHUNK)
        if not packing.pack(bits[part], label[part], keys[part]):
            distinct, (cases, positives) = sum_by_key(scores + 0.0, np.ones(len(keys)), positive)
            return distinct, cases, positives
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
        np.bitwise_and(bits, MAGNITUDE, out=keys)
        # Sixty-three bits and the label would reach the sign bit of the key: it turns around
        # below zero what should come last, so scores of 2 and more start from the lowest integer.
        keys -= HALF
        keys <<= 1
        keys |= label
        return True

    @staticmethod
    def unpack(keys: IntArray) -> None:
        """Turn the keys into the bits of the scores, in place."""
        keys >>= 1
        keys += HALF


class SignedPacking:
    """Any score whose size is zero or from 2^-510 to 2^512, and its label, as one integer.

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
        keys[keys != 0] += EXPONENTS
        keys |= sign & SIGN


def _unpack(keys: IntArray, packing: type[Packing]) -> Pooled:
    starts, positive = np.ones(len(keys), bool), np.empty(len(keys), np.uint8)
    _find_runs(keys.view(np.uint64), starts)
    for start in range(0, len(keys), CHUNK):
        part = slice(start, start + CHUNK)
        np.bitwise_and(keys[part], 1, out=positive[part], casting="unsafe")
        packing.unpack(keys[part])
    distinct = keys.view(np.float64)
    if starts.all():
        return distinct, np.broadcast_to(1.0, len(keys)), positive.view(np.bool_)
    first = np.flatnonzero(starts)
    cases = np.diff(first, append=len(keys)).astype(np.float64)
    positives = np.add.reduceat(positive, first, dtype=np.int64).astype(np.float64)
    return distinct[first], cases, positives


def _find_runs(keys: npt.NDArray[np.uint64], starts: BoolArray) -> None:
    # Two keys differ above their last bit exactly if their exclusive or, unsigned, exceeds one.
    for start in range(1, len(keys), CHUNK):
        stop = min(start + CHUNK, len(keys))
        np.greater(keys[start:stop] ^ keys[start - 1 : stop - 1], 1, out=starts[start:stop])


def sum_by_key(keys: Keys, *columns: FloatArray | BoolArray) -> tuple[Keys, list[FloatArray]]:
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


def count_cells(cells: IntArray, positive: BoolArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the occupied cells in order, and how many cases and positives each holds.

    Cells are counted page by page, so that memory follows the pages in use and not the distance
    between the outermost cells.
    """
    pages = cells >> PAGE_BITS
    first = pages.min()
    pages -= first
    used = np.flatnonzero(np.bincount(pages))
    slots = np.zeros(used[-1] + 1, np.int64)
    slots[used] = np.arange(len(used)) << PAGE_BITS
    place = slots[pages]
    place |= cells & PAGE_MASK
    place <<= 1
    place |= positive
    counts = np.bincount(place, minlength=len(used) << (PAGE_BITS + 1)).reshape(-1, 2)
    held = np.flatnonzero(counts.any(axis=1))
    occupied = ((used[held >> PAGE_BITS] + first) << PAGE_BITS) | (held & PAGE_MASK)
    return occupied, counts[held].sum(axis=1).astype(np.float64), counts[held, 1].astype(np.float64)
