"""Dagster's instance for a run of the command line: its events are shown while they happen, and nobody looks them up.

Put here what such an instance leaves out. Runs of Dagster's UI are recorded by the deployment's own instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagster import DagsterInstance
from dagster._core.instance.types import InstanceType
from dagster._core.launcher.sync_in_memory_run_launcher import SyncInMemoryRunLauncher
from dagster._core.run_coordinator import DefaultRunCoordinator
from dagster._core.storage.event_log import InMemoryEventLogStorage
from dagster._core.storage.noop_compute_log_manager import NoOpComputeLogManager
from dagster._core.storage.root import TemporaryLocalArtifactStorage
from dagster._core.storage.runs import InMemoryRunStorage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster import AssetKey, EventLogEntry
    from dagster._core.storage.event_log.base import AssetRecord


class _UnrecordedEvents(InMemoryEventLogStorage):
    """A log of events that stays empty, without a database."""

    asset_records_have_last_observation = True

    def __init__(self) -> None:
        """Open nothing."""

    def store_event(self, event: EventLogEntry) -> None:
        """Leave an event to those who listen."""

    def get_asset_records(self, asset_keys: Sequence[AssetKey] | None = None) -> Sequence[AssetRecord]:
        """Answer that no input was materialized before."""
        del asset_keys
        return ()

    def dispose(self) -> None:
        """Close nothing."""


def unrecorded_instance() -> DagsterInstance:
    """An instance that lasts as long as a run: Dagster's ephemeral one, but for its log of events."""
    return DagsterInstance(
        instance_type=InstanceType.EPHEMERAL,
        local_artifact_storage=TemporaryLocalArtifactStorage(),  # type: ignore[no-untyped-call] # Dagster's own
        run_storage=InMemoryRunStorage(),
        event_storage=_UnrecordedEvents(),
        compute_log_manager=NoOpComputeLogManager(),
        run_coordinator=DefaultRunCoordinator(),
        run_launcher=SyncInMemoryRunLauncher(),
    )
