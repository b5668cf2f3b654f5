"""Positions of commits in a store: where a batch of commits stands, and the ordinal of each within it.

Put here how a position is made of both, and taken apart.
"""

from __future__ import annotations

from typing import Final

ORDINAL_BITS: Final = 20
MOST_IN_BATCH: Final = 1 << ORDINAL_BITS
BATCH_BITS: Final = 32
"""Of a number of Spark's: above it stands how often the checkpoint had been set back."""
MOST_LIVES: Final = 1 << (63 - BATCH_BITS - ORDINAL_BITS)


def base_of(batch: int) -> int:
    """The position at which a batch begins."""
    return batch << ORDINAL_BITS


def batch_of(position: int) -> int:
    """The batch that a position lies in."""
    return position >> ORDINAL_BITS


def batch_in_life(life: int, number: int) -> int:
    """The batch of a number of Spark's, in the life of a checkpoint that was set back so often."""
    return life << BATCH_BITS | number


def life_and_number(batch: int) -> tuple[int, int]:
    """The life and Spark's number of a batch."""
    return batch >> BATCH_BITS, batch & ((1 << BATCH_BITS) - 1)
