"""The nodes in which Kafka keeps what is set for topics and brokers, and the id of a cluster, as settings over time.

Put here which nodes these are and what their data says. How they come from files belongs in `snapshots` and
`transactions`.
"""

from __future__ import annotations

import json
import re
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow.compute as pc

from parsers.files.configurations import Setting
from parsers.files.setting_names import LONGEST_VALUE, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from parsers.zookeeper.nodes import Node

SETTINGS_NODES: Final = r"(?s)(?P<root>.*)/(?P<kind>config/topics|config/brokers|cluster)/(?P<name>[^/]+)"
CLUSTER_NODES: Final = r"(?s)(?P<root>.*)/cluster/id"
_NODE: Final = re.compile(SETTINGS_NODES)
"""Several clusters may share a ZooKeeper, each below a root of its own."""
LARGEST_DATA_BYTES: Final = 1 << 20
DEFAULT_BROKER: Final = "<default>"


class ClusterSettings(NamedTuple):
    """The settings of a cluster in the order of their changes; its id is None before Kafka 0.10.1."""

    cluster_id: str | None
    settings: tuple[Setting, ...]


def clusters_of(nodes: Iterable[Node]) -> Iterator[ClusterSettings]:
    """The clusters whose nodes these are, each change once, from whichever files they were read."""
    changes = {(one.path, one.zxid): one for one in nodes}
    named = [(match, changes[key]) for key in sorted(changes) if (match := _NODE.fullmatch(key[0]))]
    for _, of_root in groupby(sorted(named, key=_root), key=_root):
        own = list(of_root)
        ids = [_id(node.data) for match, node in own if (match["kind"], match["name"]) == ("cluster", "id")]
        settings = [
            one for place, its in groupby(own, key=_place) if place[0] != "cluster" for one in _changes(place, its)
        ]
        yield ClusterSettings(next((one for one in ids if one), None), tuple(settings))


def cluster_ids(changes: pa.Table) -> dict[str, str]:
    """The cluster id of each root that the changes tell of."""
    coded = changes["path"].combine_chunks()
    is_id = pc.match_substring_regex(coded.dictionary, f"^{CLUSTER_NODES}$").take(coded.indices)
    rows = changes.filter(is_id).select(["path", "data"]).to_pylist()
    named = ((row["path"].removesuffix("/cluster/id"), _id(row["data"])) for row in rows)
    return {root: cluster_id for root, cluster_id in named if cluster_id is not None}


def _root(named: tuple[re.Match[str], Node]) -> str:
    return named[0]["root"]


def _place(named: tuple[re.Match[str], Node]) -> tuple[str, str]:
    return named[0]["kind"], named[0]["name"]


def _changes(place: tuple[str, str], versions: Iterable[tuple[re.Match[str], Node]]) -> Iterator[Setting]:
    """What each version of a node sets otherwise than the one before."""
    kind = "topic" if place[0] == "config/topics" else "default" if place[1] == DEFAULT_BROKER else "broker"
    name = "" if kind == "default" else place[1]
    before: dict[str, str | None] = {}
    for _match, node in versions:
        now = _settings(node)
        gone = dict.fromkeys(key for key, value in before.items() if value is not None and key not in now)
        changed = {**gone, **{key: value for key, value in now.items() if before.get(key) != value}}
        for key, value in sorted(changed.items()):
            yield Setting(kind, name, key, value, node.zxid, node.changed_ms)
        before = {**before, **changed}


def _settings(node: Node) -> dict[str, str]:
    content = _json(node.data)
    config = content.get("config")
    pairs = config.items() if isinstance(config, dict) else ()
    return {key: value.strip()[:LONGEST_VALUE] for key, value in pairs if key in SETTINGS and isinstance(value, str)}


def _id(data: bytes | None) -> str | None:
    cluster_id = _json(data).get("id")
    return cluster_id[:LONGEST_VALUE] if isinstance(cluster_id, str) else None


def _json(data: bytes | None) -> dict[str, object]:
    """What a node's data says; nothing where it is no JSON object."""
    try:
        content = json.loads((data or b"{}")[:LARGEST_DATA_BYTES])
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
