"""Records about groups as tests write them: short calls that give rows of raw.offset_records, and a replay of them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from assets.transforms.coordinator import Coordinator
from assets.transforms.groups.groups import Groups
from assets.transforms.log_chunks import Reader
from tests.assets.transforms.offsets_log import BLANK, Row, records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assets.transforms.projection import Tables

T: Final = "T" * 22
"""The id of a topic."""
END: Final = 1 << 40


def row_of(record_type: int, group: str = "g", member: str | None = None, **value: object) -> Row:
    """A record; without a value it is a tombstone."""
    return {"record_type": record_type, "group_id": group, "member_id": member, "is_tombstone": not value, **value}


def assignment(*partitions: int, topic: str = "t") -> bytes:
    """A consumer's assignment as bytes."""
    name = len(topic).to_bytes(2, "big") + topic.encode()
    numbers = b"".join(one.to_bytes(4, "big") for one in partitions)
    return b"\0\0" + (1).to_bytes(4, "big") + name + len(partitions).to_bytes(4, "big") + numbers + b"\xff" * 4


def classic(
    generation: int,
    given: Mapping[str, bytes] | None = None,
    *,
    group: str = "g",
    instances: Mapping[str, str] | None = None,
    **also: object,
) -> Row:
    """A classic group's record: what its members were assigned, by member id; the first leads."""
    members = [
        {"member_id": one, "client_id": one[:1], "client_host": "/h", "rebalance_timeout": -1, "session_timeout": 9}
        | {"subscription": b"", "assignment": blob, "group_instance_id": (instances or {}).get(one)}
        for one, blob in (given or {}).items()
    ]
    value = {"protocol_type": "consumer", "generation": generation, "members": members, "current_state_timestamp": -1}
    chosen = {"protocol": "range", "leader": members[0]["member_id"]} if members else {}
    return row_of(2, group, group_metadata=value | chosen | also)


def epoch(number: int, group: str = "g") -> Row:
    """A consumer group's epoch."""
    return row_of(3, group, consumer_group_metadata={"epoch": number})


def member(name: str, group: str = "g", instance: str | None = None) -> Row:
    """What a member of a consumer group says of itself."""
    values = {"client_id": name[:1], "client_host": "/h", "subscribed_topic_names": ["t"], "instance_id": instance}
    return row_of(5, group, name, consumer_group_member_metadata=values | {"rebalance_timeout_ms": 60})


def target_epoch(number: int, group: str = "g") -> Row:
    """The epoch up to which a consumer group's targets are complete."""
    return row_of(6, group, consumer_group_target_assignment_metadata={"assignment_epoch": number})


def target(name: str, *partitions: int, group: str = "g") -> Row:
    """What a member of a consumer group is to own."""
    return row_of(7, group, name, consumer_group_target_assignment_member={"topic_partitions": _of_topic(partitions)})


def current(name: str, number: int, *partitions: int, group: str = "g", **also: object) -> Row:
    """What a member of a consumer group owns at its epoch."""
    values = {"member_epoch": number, "previous_member_epoch": 1, "state": 0, "partitions_pending_revocation": []}
    given = {"assigned_partitions": _of_topic(partitions)}
    return row_of(8, group, name, consumer_group_current_member_assignment=values | given | also)


def revoking(*partitions: int) -> dict[str, Any]:
    """What a member has yet to give up, as `current` takes it."""
    return {"partitions_pending_revocation": _of_topic(partitions), "state": 1}


def gone(name: str, group: str = "g") -> list[Row]:
    """The removal of a member of a consumer group."""
    return [row_of(kind, group, name) for kind in (8, 7, 5)]


def _of_topic(partitions: Sequence[int]) -> list[Row]:
    return [{"topic_id": T, "partitions": list(partitions)}] if partitions else []


COMMIT: Final[Row] = {"record_type": 1, "group_id": "g", "topic": "t", "partition": 0, "offset_commit": {"offset": 1}}


def logged(*batches: Row | Sequence[Row]) -> list[Row]:
    """Batches, one after the other from offset 0 on, a second apart."""
    rows: list[Row] = []
    for batch in batches:
        base = len(rows)
        records_of_batch = [batch] if isinstance(batch, dict) else batch
        position = {"batch_base_offset": base, "timestamp_ms": 1000 * base, "log_leader_epoch": 0}
        rows += [BLANK | row | position | {"log_offset": base + at} for at, row in enumerate(records_of_batch)]
    return rows


def replayed(rows: Sequence[Row], *cuts: int) -> dict[str, list[Row]]:
    """Every row of every table, in the order of the log; cut before some log offsets, with only the memory kept."""
    memory: Tables = {}
    reader = Reader()
    tables: list[Tables] = []
    for low, high in pairwise([0, *sorted(cuts), END]):
        some = [row for row in rows if low <= row["log_offset"] < high]
        subject = Coordinator.resume(memory)
        tables += [subject.replay(reader.chunk(*records(*some)))] if some else []
        memory = subject.memory() if some else memory
    tables.append(Coordinator.resume(memory).open_rows())
    return {name: _in_order(part[name].to_pylist() for part in tables if name in part) for name in Groups.tables}


def _in_order(parts: Iterable[list[Row]]) -> list[Row]:
    return sorted(
        (row for part in parts for row in part), key=lambda row: [str(row.get(name)).rjust(40) for name in ORDER]
    )


ORDER: Final = ("log_offset", "group_id", "topic", "topic_id", "partition", "member_id", "kind")

NAMES: Final = st.sampled_from("abc")
GROUPS: Final = st.sampled_from("gh")
PARTITIONS: Final = st.lists(st.integers(0, 2), max_size=3, unique=True)
SMALL: Final = st.integers(0, 4)
BLOBS: Final = st.one_of(PARTITIONS.map(lambda some: assignment(*some)), st.sampled_from([b"", b"\0"]))
INSTANCES: Final = st.dictionaries(NAMES, st.sampled_from("ij"), max_size=2)

SAYINGS: Final = st.one_of(
    st.builds(lambda group: [row_of(2, group)], GROUPS),
    st.builds(lambda group: [row_of(3, group)], GROUPS),
    st.builds(
        lambda group, number, given, static: [classic(number, given, group=group, instances=static)],
        GROUPS,
        SMALL,
        st.dictionaries(NAMES, BLOBS, max_size=3),
        INSTANCES,
    ),
    st.builds(lambda group, number: [epoch(number, group)], GROUPS, SMALL),
    st.builds(lambda group, number: [target_epoch(number, group)], GROUPS, SMALL),
    st.builds(
        lambda group, name, instance: [member(name, group, instance)], GROUPS, NAMES, st.sampled_from([None, "i", "j"])
    ),
    st.builds(lambda group, name, some: [target(name, *some, group=group)], GROUPS, NAMES, PARTITIONS),
    st.builds(
        lambda group, name, number, some, more, before: [
            current(name, number, *some, group=group, **revoking(*more) if more else {}, previous_member_epoch=before)
        ],
        GROUPS,
        NAMES,
        st.integers(-2, 4),
        PARTITIONS,
        PARTITIONS,
        st.integers(0, 2),
    ),
    st.builds(lambda group, name: gone(name, group), GROUPS, NAMES),
    st.builds(
        lambda group, regex, topics: [
            row_of(16, group, regular_expression=regex, consumer_group_regular_expression={"topics": topics})
        ],
        GROUPS,
        st.sampled_from(["a.*", "b.*"]),
        st.lists(NAMES, max_size=2),
    ),
    st.just([COMMIT]),
)
"""Anything that a record may say of two groups, in any order: more than any coordinator would write."""

BATCHES: Final = st.lists(SAYINGS, min_size=1, max_size=3).map(lambda parts: [row for part in parts for row in part])
BATCHES_OF_A_LOG: Final = st.lists(BATCHES, min_size=1, max_size=10)
LOGS: Final = BATCHES_OF_A_LOG.map(lambda batches: logged(*batches))


@st.composite
def holed_logs(draw: st.DrawFn) -> list[Row]:
    """Logs of which some records may never have been seen."""
    rows = draw(LOGS)
    unseen = draw(st.sets(st.integers(0, len(rows) - 1), max_size=3))
    return [row for row in rows if row["log_offset"] not in unseen] or rows
