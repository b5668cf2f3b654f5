"""The subjects of the replay, by name.

Put names together here. What a subject does is said in the module it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.transforms.commits.store_commits import StoreCommits
from assets.transforms.compaction.record_compaction import RecordCompaction
from assets.transforms.coordinator import Coordinator
from assets.transforms.log_gaps import LogGaps
from assets.transforms.quarantine import Quarantine
from assets.transforms.transactions import Transactions

if TYPE_CHECKING:
    from assets.transforms.projection import Projection

PROJECTIONS: Final[dict[str, type[Projection]]] = {
    "coordinator": Coordinator,
    "transactions": Transactions,
    "holes": LogGaps,
    "quarantine": Quarantine,
    "record_compaction": RecordCompaction,
}
"""The subjects by the names in checkpoints."""

STORE_PROJECTIONS: Final[dict[str, type[Projection]]] = {"commits": StoreCommits}
"""Those of a store outside Kafka, which has commits and nothing else."""

OUTPUTS: Final = tuple(name for subject in PROJECTIONS.values() for name in subject.tables)
"""The tables that they fill."""
