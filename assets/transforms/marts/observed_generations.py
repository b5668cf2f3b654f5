"""Generations and targets out of the tables, one group after the other: who was in each, and what he was given.

Put here how rows in the order of the log become generations; only the members that are there are kept in memory. What
is asked of a generation belongs in `what_if`.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assets import models
from assets.catalog.mart.assignor_what_if import ASSIGNOR_WHAT_IF
from assets.transforms.declaration import TransformWithMemory
from assets.transforms.marts.what_if import Generation, MemberInGeneration, assignor_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import duckdb

    from assets.assigning.members import Place

    Row = dict[str, Any]

MODELS: Final = ("final_verdicts", "generation_history")
PLACE: Final = ("cluster", "group_id", "group_type", "log_partition", "log_offset", "generation")
GROUP: Final = ("cluster", "log_partition", "group_id", "group_type")
AT_A_TIME: Final = 4096
BY_DEFAULT: Final = frozenset({"uniform", "range"})
"""What a broker may use that members leave the choice to."""


def what_if(connection: duckdb.DuckDBPyConnection, is_of_this_release: bool) -> Iterator[pa.RecordBatch]:  # noqa: FBT001 - as from_transform_with_memory passes it
    """The rows of mart.assignor_what_if, a few thousand at a time; those judged for good by this release are kept."""
    final_verdicts, generations_query = map(models.select, MODELS)
    limit = "" if is_of_this_release else " LIMIT 0"
    connection.execute(f"CREATE TEMP TABLE final_rows AS FROM ({final_verdicts}){limit}")
    yield from connection.sql("FROM final_rows").to_arrow_reader(AT_A_TIME)
    reader = connection.sql(generations_query).to_arrow_reader(AT_A_TIME)
    rows = chain.from_iterable(batch.to_pylist() for batch in reader)
    result = chain.from_iterable(assignor_rows(generation) for generation in generations(rows))
    while some := list(islice(result, AT_A_TIME)):
        yield pa.RecordBatch.from_pylist(some, ASSIGNOR_WHAT_IF.schema)


def generations(rows: Iterable[Row]) -> Iterator[Generation]:
    """Every generation, from members and generations in the order of each group's log."""
    group, members, before = None, dict[str, "Row"](), _PreviousGeneration()
    for row in rows:
        if (own := tuple(row[name] for name in GROUP)) != group:
            group, members, before = own, {}, _PreviousGeneration()
        if row["member_id"] is not None:
            members[row["member_id"]] = row
            continue
        members = {name: member for name, member in members.items() if _is_there(member, row["log_offset"])}
        if row["is_empty"]:
            before.forget()
            continue
        result = before.followed_by(row, members)
        if row["is_asked"]:
            yield result


def _is_there(member: Row, log_offset: int) -> bool:
    end = member["to_log_offset"]
    return end is None or end > log_offset


class _PreviousGeneration:
    """What was given out last, and in which generation."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._owners: Mapping[Place, str] | None = None
        self._number = -1
        self._is_whole = False

    def forget(self) -> None:
        """The group has no members: nobody has anything."""
        self._owners, self._is_whole = {}, True

    def followed_by(self, row: Row, members: Mapping[str, Row]) -> Generation:
        """The next generation; what was before it is known unless unseen offsets lie between."""
        present_members = tuple(_member_in_generation(member) for member in members.values())
        is_first = row["generation"] is not None and row["generation"] <= 1
        before = self._owners if self._is_whole else {} if is_first else None
        place = {name: row[name] for name in PLACE}
        result = Generation(place, present_members, _assignors(row, members), before, self._number, row["is_converted"])
        self._owners = result.owners if result.is_readable else None
        self._number, self._is_whole = row["generation"] or 0, row["is_gap_free"]
        return result


def _member_in_generation(member: Row) -> MemberInGeneration:
    topics, given = member["topics"], member["given"]
    return MemberInGeneration(
        member["member_id"],
        member["group_instance_id"],
        None if topics is None or member["subscribed_regex"] else frozenset(topics),
        member["rack_id"],
        None if given is None else _places(given),
    )


def _places(given: Iterable[Row]) -> frozenset[Place] | None:
    """The partitions; None where a topic is only known by its id."""
    result = [(part["topic"], number) for part in given for number in part["partitions"]]
    return None if any(topic is None for topic, _ in result) else frozenset(result)


def _assignors(row: Row, members: Mapping[str, Row]) -> frozenset[str]:
    """The assignor that the group selected, or that most members named; where nobody did, those it may be."""
    if row["group_type"] == "classic":
        return frozenset({row["protocol"]} if row["protocol"] else ())
    votes = Counter(member["server_assignor"] for member in members.values() if member["server_assignor"])
    return frozenset({min(votes, key=lambda name: (-votes[name], name))}) if votes else BY_DEFAULT


TRANSFORM: Final = TransformWithMemory(what_if, MODELS)
