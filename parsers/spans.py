"""A span of bytes in one number: where it starts, and how long it is.

Put here how spans are packed. What they are spans of belongs to those who make them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from parsers.words import Int64Array

Number = TypeVar("Number", bound=np.generic)

LENGTH_BITS: Final = 31
"""A span is its start shifted by these bits, and its length below them; -1 is null."""

LENGTH_MASK: Final = 2**LENGTH_BITS - 1


def frozen(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Give an array as every loop is compiled for it: without gaps, and not to be written."""
    view: npt.NDArray[Number] = array.view() if array.flags.c_contiguous else array.copy()
    view.flags.writeable = False
    return view


def pack(starts: Int64Array, ends: Int64Array) -> Int64Array:
    """Pack starts and ends; a negative start is null."""
    return np.where(starts < 0, np.int64(-1), (starts << LENGTH_BITS) | (ends - starts))


def starts_of(spans: Int64Array) -> Int64Array:
    """Give where spans start; below zero for null."""
    return spans >> LENGTH_BITS


def lengths_of(spans: Int64Array) -> Int64Array:
    """Give how long spans are; -1 for null."""
    return np.where(spans < 0, np.int64(-1), spans & LENGTH_MASK)
