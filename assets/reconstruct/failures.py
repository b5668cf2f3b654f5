"""The partitions that the last replay could not make, as the commit of its memory notes them.

Put here questions about failures that need no replay. `assets.reconstruct.worker` makes the failures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse

CHECKPOINTS_NAME: Final = ("replay", "memory")
"""Layer and name of the table of checkpoints."""
FAILURES: Final = "failures"
"""In the note of its commit: the partitions that could not be replayed, by tag, each with a sentence."""


def has_failures(warehouse: Warehouse) -> bool:
    """Whether the last replay left failed partitions, which the next one tries again."""
    return bool(warehouse.note(".".join(CHECKPOINTS_NAME)).get(FAILURES))
