"""Which records are of which kind, counted on the way.

Put here the loop that sorts record types into kinds. Which types are of one kind is in the tables of record types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from parsers.inlined import without_refcounts

if TYPE_CHECKING:
    from parsers.words import Int64Array

Numbers = npt.NDArray[np.uint8]


def number_kinds(types: npt.NDArray[np.int16], table: Numbers) -> tuple[Numbers, Int64Array]:
    """Look the kind of every record type up; give the numbers of the kinds, and how many records have each."""
    numbers, counts = np.empty(types.size, np.uint8), np.zeros(2**8, np.int64)
    _number(types.view(np.uint16), table, numbers, counts)
    return numbers, counts


@without_refcounts
def _number(types: npt.NDArray[np.uint16], table: Numbers, numbers: Numbers, counts: Int64Array) -> None:
    for row in range(types.size):
        number = table[types[row]]
        numbers[row] = number
        counts[number] += 1
