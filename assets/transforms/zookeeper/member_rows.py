"""The rows of core.ownership, core.members and the states of groups from nodes and states.

Put here columns alone. When a node ended, and why, is in `nodes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets.arrays.times import instants
from assets.catalog.core.groups import MEMBERS
from assets.catalog.core.ownership import OWNERSHIP
from assets.catalog.internal.recorded_group_states import RECORDED_GROUP_STATES
from assets.transforms.groups.group_rows import fill_columns
from assets.transforms.zookeeper.group_states import DEAD
from assets.transforms.zookeeper.nodes import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assets.transforms.zookeeper.group_states import GroupState
    from assets.transforms.zookeeper.nodes import NodeLife

GROUP_TYPE: Final = "zookeeper"


def ownership_rows(lives: Sequence[NodeLife]) -> pa.Table:
    """A row for each owner whose consumer its node names."""
    own = [life for life in lives if life.node.member_id is not None]
    nodes, is_exact = [life.node for life in own], [_is_exact(life) for life in own]
    return fill_columns(
        OWNERSHIP,
        {
            **_group([node.group_id for node in nodes]),
            "topic": _texts(node.topic for node in nodes),
            "partition": _numbers(node.partition for node in nodes).cast(pa.int32()),
            "member_id": _texts(node.member_id for node in nodes),
            "log_offset": _numbers(node.log_offset for node in nodes),
            "seen_at": _times(node.first_ms for node in nodes),
            "from_log_offset": _numbers(node.log_offset if node.is_begun else None for node in nodes),
            "from_at": _times(node.first_ms if node.is_begun else None for node in nodes),
            "to_log_offset": _numbers(_if(is_it, life.end) for life, is_it in zip(own, is_exact, strict=True)),
            "to_at": _times(_if(is_it, life.end_ms) for life, is_it in zip(own, is_exact, strict=True)),
            "until_log_offset": _numbers(life.end for life in own),
            "until_at": _times(life.end_ms for life in own),
            "end_reason": _texts(life.end_reason for life in own),
        },
    )


def member_rows(lives: Sequence[NodeLife]) -> pa.Table:
    """A row for each consumer: what ZooKeeper does not tell of it is NULL."""
    nodes = [life.node for life in lives]
    return fill_columns(
        MEMBERS,
        {
            **_group([node.group_id for node in nodes]),
            "log_offset": _numbers(node.log_offset for node in nodes),
            "member_id": _texts(node.member_id for node in nodes),
            "subscribed_topics": pa.array([node.subscribed_topics for node in nodes], pa.list_(pa.string())),
            "from_at": _times(node.first_ms for node in nodes),
            "to_at": _times(life.end_ms for life in lives),
            "to_log_offset": _numbers(life.end for life in lives),
            "is_gap_free": pa.array([life.end_reason != UNKNOWN for life in lives], pa.bool_()),
        },
    )


def state_rows(states: Sequence[GroupState]) -> pa.Table:
    """A row for each state."""
    return fill_columns(
        RECORDED_GROUP_STATES,
        {
            **_group([one.group_id for one in states]),
            "log_offset": _numbers(one.log_offset for one in states),
            "state": _texts(one.state for one in states),
            "member_count": _numbers(one.member_count if one.state != DEAD else None for one in states),
            "from_at": _times(one.from_ms for one in states),
            "to_at": _times(one.to_ms for one in states),
            "to_log_offset": _numbers(one.to_log_offset for one in states),
            "is_gap_free": pa.array([one.is_whole for one in states], pa.bool_()),
        },
    )


def _is_exact(life: NodeLife) -> bool:
    """Whether it is known when a node was gone."""
    return life.end_reason != UNKNOWN


def _if(is_known: bool, value: int | None) -> int | None:  # noqa: FBT001 - of one row
    return value if is_known else None


def _group(group_ids: list[str]) -> dict[str, pa.Array]:
    return {"group_id": _texts(group_ids), "group_type": pa.array([GROUP_TYPE] * len(group_ids), pa.string())}


def _texts(values: Iterable[Any]) -> pa.Array:
    return pa.array(values, pa.string())


def _numbers(values: Iterable[Any]) -> pa.Array:
    return pa.array(values, pa.int64())


def _times(milliseconds: Iterable[Any]) -> pa.Array:
    return instants(_numbers(milliseconds))
