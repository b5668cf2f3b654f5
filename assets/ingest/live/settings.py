"""The settings of a running cluster's brokers and topics, and whether they changed.

Put here what is asked for. Which of it is new, and what its rows are, belongs in
`assets.ingest.broker_files.configurations`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from assets.ingest.live.access import connect
from parsers.errors import SourceError
from parsers.files.configurations import ResourceSettings
from parsers.files.discovery import UNNAMED_CLUSTER
from parsers.files.setting_names import SETTINGS, select_settings

if TYPE_CHECKING:
    from assets.ingest.live.access import Access
    from assets.ingest.live.cluster import LiveCluster


@dataclass(frozen=True, slots=True)
class LiveSettings:
    """The settings of a cluster, and the numbers of brokers and topics that the principal may not describe."""

    cluster: str
    path: str
    resources: tuple[ResourceSettings, ...]
    brokers_barred: int = 0
    topics_barred: int = 0

    @property
    def digest(self) -> str:
        """A digest of the settings."""
        text = json.dumps([(one.resource_type, one.resource_name, one.settings) for one in sorted(self.resources)])
        return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]

    @property
    def complaints(self) -> tuple[str, ...]:
        """One sentence about resources that the principal may not describe; empty if there are none."""
        if not self.brokers_barred and not self.topics_barred:
            return ()
        what = f"{self.brokers_barred} brokers and {self.topics_barred} topics"
        return (f"{self.path}: the settings of {what} are not known from there: Lagbook may not DescribeConfigs",)


def ask_settings(access: Access, cluster_name: str | None) -> LiveSettings:
    """Connect and ask."""
    with connect(access) as cluster:
        return settings_of(cluster, cluster_name or cluster.cluster_id() or UNNAMED_CLUSTER, access.name)


def settings_of(cluster: LiveCluster, name: str, path: str) -> LiveSettings:
    """The settings of every broker and of every topic that may be described."""
    answers = list(cluster.settings([topic.name for topic in cluster.topics()], SETTINGS))
    barred = [one.resource_type for one in answers if one.settings is None]
    resources = tuple(
        ResourceSettings(path, one.resource_type, one.resource_name, select_settings(one.settings))
        for one in answers
        if one.settings is not None
    )
    return LiveSettings(name, path, resources, barred.count("broker"), barred.count("topic"))


def has_changed(cluster: LiveCluster, path: str, known: str | None) -> bool:
    """Whether the cluster's settings differ from the known digest; False if they can't be read."""
    try:
        return settings_of(cluster, "", path).digest != known
    except SourceError:
        return False
