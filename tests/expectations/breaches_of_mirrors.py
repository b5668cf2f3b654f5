"""A sound row of every table of MirrorMaker 2 and Kafka Connect, and for every rule about them what breaks it.

Put here rows only; the other tables' are in `breaches`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Final

Row = dict[str, Any]

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=timezone.utc)
FLOWS: Final = "mart.mirror_flows"
CHECKPOINTS: Final = "mart.mirror_checkpoints"
SOURCE_OFFSETS: Final = "core.connect_source_offsets"

_LOG: Final[Row] = {"log_partition": 0, "log_offset": 7}
_FLOW: Final[Row] = {
    "target_cluster": "west",
    "checkpoints_topic": "east.checkpoints.internal",
    "source_alias": "east",
    "source_cluster": "e",
    "source_basis": "syncs",
    "has_prefix": True,
    "syncs_cluster": "e",
    "syncs_topic": "mm2-offset-syncs.west.internal",
    "checkpoints": 1,
}
_CHECKPOINT: Final[Row] = {
    **_LOG,
    "target_cluster": "west",
    "checkpoints_topic": "east.checkpoints.internal",
    "group_id": "billing",
    "topic": "east.orders",
    "partition": 0,
    "status": "behind",
    "read_again_lower": 1,
    "read_again_upper": 3,
    "missed_lower": 0,
    "missed_upper": 0,
    "set_back_at": NOON,
    "set_back_to": 5,
    "set_back_status": "ahead",
}
_STORED: Final[Row] = {
    **_LOG,
    "cluster": "c",
    "offsets_topic": "connect-offsets",
    "connector": "lines",
    "source_partition": "{}",
    "source_offset": "{}",
    "kind": "first",
}

SOUND: Final[dict[str, list[Row]]] = {
    "raw.cluster_aliases": [{"alias": "east", "cluster": "e", "declared_at": NOON}],
    "core.mirror_checkpoints": [],
    "core.mirror_offset_syncs": [],
    "core.internal_quarantine": [],
    "mart.connect_source_rewinds": [],
    SOURCE_OFFSETS: [_STORED],
    FLOWS: [_FLOW],
    CHECKPOINTS: [_CHECKPOINT],
}

BREACHES: Final[tuple[tuple[str, str, Row], ...]] = (
    (SOURCE_OFFSETS, "removed_has_no_offset", {**_STORED, "kind": "removed"}),
    (SOURCE_OFFSETS, "others_have_an_offset", {**_STORED, "source_offset": None}),
    (SOURCE_OFFSETS, "first_has_none_before", {**_STORED, "previous_source_offset": "{}"}),
    (FLOWS, "no_syncs_without_a_source", {**_FLOW, "source_cluster": None}),
    (CHECKPOINTS, "read_again_bounds", {**_CHECKPOINT, "read_again_lower": 4}),
    (CHECKPOINTS, "ahead_misses", {**_CHECKPOINT, "status": "ahead"}),
    (CHECKPOINTS, "behind_reads_again", {**_CHECKPOINT, "read_again_lower": 0}),
    (CHECKPOINTS, "set_back_or_not", {**_CHECKPOINT, "set_back_at": None}),
)
