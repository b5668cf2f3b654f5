"""Members and owners of recorded clusters, as kafka-consumer-groups printed them while they ran."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from tests.assets.transforms.recorded_groups import database

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

END: Final = "infinity"
MEMBERS: Final = """
SELECT group_id, member_id, coalesce(group_instance_id, '-'), client_host, client_id,
       if(group_type = 'consumer', generation::VARCHAR, '-'), assigned,
       coalesce(target_epoch::VARCHAR, '-'), coalesce(target, [])
FROM members_at($1::TIMESTAMPTZ) WHERE group_type IN ('classic', 'consumer')
"""
OWNERS: Final = "SELECT group_id, topic, partition, member_id FROM owner_at($1::TIMESTAMPTZ)"
OFFSETS_ALONE: Final = Path(__file__).parents[2] / "bytes" / "dump" / "features-4.1"
OWNED_AND_COMMITTED: Final = """
SELECT group_id, topic, partition, current_offset, client_id FROM _offsets_and_owners('infinity') ORDER BY ALL
"""
COLUMNS: Final = (
    "GROUP",
    "CONSUMER-ID",
    "GROUP-INSTANCE-ID",
    "HOST",
    "CLIENT-ID",
    "CURRENT-EPOCH",
    "CURRENT-ASSIGNMENT",
    "TARGET-EPOCH",
    "TARGET-ASSIGNMENT",
)


class Recorded(NamedTuple):
    """A recorded cluster: its archive, and what was printed of members at which instants."""

    name: str
    archive: str
    answers: dict[str, str]


CLUSTERS: Final = (
    Recorded("features-4.1", "snap-live", {"oracle-describe-members.txt": END}),
    Recorded(
        "incident-4.1",
        "data",
        {
            "members-1.txt": "2026-11-18T12:31:44.375Z",
            "members-2.txt": "2026-11-18T12:32:38.457Z",
            "members-3.txt": "2026-11-18T12:33:29.2Z",
        },
    ),
)


@pytest.mark.parametrize("recorded", CLUSTERS, ids=lambda recorded: recorded.name)
def test_members_and_owners_are_the_brokers_own(recorded: Recorded, shared: Path, tmp_path: Path) -> None:
    """Member, instance, host, client, epochs, what it owns and is to own; who owns a partition follows from it."""
    folder = shared / "corpus" / recorded.name
    with tarfile.open(folder / f"{recorded.archive}.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    connection = database([tmp_path])
    for answer, at in recorded.answers.items():
        answers = list(_rows((folder / answer).read_text()))
        assert len(answers) > 10, answer
        assert _members(connection, at) == {_as_told(row) for row in answers}
        owners = {(row["GROUP"], *place, row["CONSUMER-ID"]) for row in answers for place in _read(row)}
        assert set(connection.execute(OWNERS, [at]).fetchall()) == owners


def test_partitions_owned_by_topic_ids_that_nothing_names_are_those_that_their_groups_commit() -> None:
    """Of the offsets topic alone, from clients that commit by name: each partition once, with offset and owner."""
    rows = database([OFFSETS_ALONE]).execute(OWNED_AND_COMMITTED).fetchall()
    assert [row for row in rows if row[0] == "kip848-static"] == [
        ("kip848-static", "data-snappy", 0, 991, "k848s-0"),
        ("kip848-static", "data-snappy", 1, 959, "k848s-0"),
        ("kip848-static", "data-snappy", 2, 1050, "k848s-1"),
    ]
    assert [row for row in rows if row[0] == "txn-848"] == [
        ("txn-848", "txn-in", 0, 33, "rdkafka"),
        ("txn-848", "txn-in", 1, 107, "rdkafka"),
    ]


def _rows(printed: str) -> Iterator[dict[str, str]]:
    """The rows of tables, each under the last heading before it."""
    heading: list[str] = []
    for line in printed.splitlines():
        cells = line.split()
        if cells[:1] == ["GROUP"]:
            heading = cells
        elif cells and len(cells) == len(heading):
            yield {"GROUP-INSTANCE-ID": "-", **dict(zip(heading, cells, strict=True))}


def _as_told(row: dict[str, str]) -> tuple[Any, ...]:
    return tuple(_places(row[name]) if name.endswith("-ASSIGNMENT") else row[name] for name in COLUMNS)


def _read(row: dict[str, str]) -> frozenset[tuple[str, int]]:
    return _places(row["CURRENT-ASSIGNMENT"])


def _places(text: str) -> frozenset[tuple[str, int]]:
    """Topics and partitions as Kafka 4 prints them: `topic:0,1;topic2:2`."""
    parts = [] if text == "-" else [part.rpartition(":") for part in text.split(";")]
    return frozenset((topic, int(number)) for topic, _, numbers in parts for number in numbers.split(","))


def _members(connection: duckdb.DuckDBPyConnection, at: str) -> set[tuple[Any, ...]]:
    rows = connection.execute(MEMBERS, [at]).fetchall()
    return {tuple(_flat(cell) if isinstance(cell, list) else cell for cell in row) for row in rows}


def _flat(assigned: Iterable[dict[str, Any]]) -> frozenset[tuple[str, int]]:
    return frozenset((one["topic"], number) for one in assigned for number in one["partitions"])
