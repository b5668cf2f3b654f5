"""The places of a deployment: the sources and the warehouse of each cluster, or one without a name.

Put here how a run and a tick find theirs. What stands in lagbook.toml belongs to `dagster_project.deployment`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import dagster as dg

from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.ingest.plan import Sources
    from assets.storage.warehouse import Warehouse
    from dagster_project.settings import Settings

CLUSTER_TAG: Final = "lagbook/cluster"
"""Tag of a run that is no partition's and yet of one cluster, such as a check of all tables."""
PARTITION_TAG: Final = "dagster/partition"


class Place(NamedTuple):
    """A cluster's name, if there are several, its warehouse and its sources."""

    name: str | None
    warehouse: Warehouse
    sources: Sources

    @property
    def tags(self) -> dict[str, str]:
        """The tags of its runs."""
        return {} if self.name is None else {PARTITION_TAG: self.name}


class Places:
    """The settings of each cluster by its name, or those without clusters under None."""

    def __init__(self, settings: Mapping[Any, Settings]) -> None:
        """Take the settings by name."""
        self._settings: dict[str | None, Settings] = dict(settings)

    @property
    def names(self) -> list[str]:
        """The names of the clusters, if there are several to choose from."""
        return [name for name in self._settings if name is not None]

    def every(self) -> list[Place]:
        """All places, each with its warehouse as it is now."""
        return [Place(name, one.open_warehouse(), one.sources) for name, one in self._settings.items()]

    def settings_of(self, tags: Mapping[str, str]) -> Settings:
        """The settings of the place of a run, by the run's tags."""
        name = tags.get(PARTITION_TAG, tags.get(CLUSTER_TAG)) if self.names else None
        if name in self._settings:
            return self._settings[name]
        names = ", ".join(self.names)
        raise SourceError(f"which cluster is meant? give the run a partition, or the tag {CLUSTER_TAG}: {names}")


def with_partitions(assets: Sequence[dg.AssetsDefinition], names: Sequence[str]) -> list[dg.AssetsDefinition]:
    """The assets, with a partition for each cluster if there are any."""
    if not names:
        return list(assets)
    partitions = dg.StaticPartitionsDefinition(list(names))
    return list(dg.map_asset_specs(lambda spec: spec.replace_attributes(partitions_def=partitions), assets))
