"""The subject that finds names of topic ids: groups of the newer kinds write ids alone, other records have both.

Put here which records say what a topic id is called. What files and brokers say of it is joined in the model `topics`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog.internal.topic_id_names import TOPIC_ID_NAMES
from assets.transforms.groups.group_log import timestamps
from assets.transforms.groups.group_rows import shaped
from assets.transforms.groups.partition_lists import opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assets.transforms.projection import Stretch, Tables

NO_TOPIC_ID: Final = "A" * 22
"""How Kafka prints the zero uuid: no topic id was sent."""
NAMING: Final = {
    "consumer_group_partition_metadata": ("topics",),
    "share_group_partition_metadata": ("topics", "initialized_topics"),
    "share_group_state_partition_metadata": ("initializing_topics", "initialized_topics"),
    "streams_group_partition_metadata": ("topics",),
}
"""Column of raw.offset_records -> its lists of topics, each with an id and a name."""
SAID: Final = ("topic_id", "topic")
SCHEMA: Final = pa.schema(
    [("topic_id", pa.string()), ("topic", pa.string()), ("log_offset", pa.int64()), ("timestamp_ms", pa.int64())]
)


class TopicNames:
    """The names that were told already, so that each is told once."""

    tables: tuple[str, ...] = (TOPIC_ID_NAMES.full_name,)

    def __init__(self, known: pa.Table) -> None:
        """Begin with the ids and names that are known."""
        self.known = known
        """Each with the record that told it first."""

    @classmethod
    def resumed(cls, memory: Tables) -> TopicNames:
        """Go on from a memory; from nothing at the beginning of the log."""
        return cls(memory["known"] if memory else SCHEMA.empty_table())

    def memory(self) -> Tables:
        """The ids and names that are known."""
        return {"known": self.known}

    def by_now(self, told: pa.Table | None) -> pa.Table:
        """What ids are called: wherever in the log, where somebody else told it, else from the record that told it."""
        if told is None or not told.num_rows:
            return self.known
        is_told = pc.is_in(self.known["topic_id"], value_set=told["topic_id"].combine_chunks())
        return pa.concat_tables([told, self.known.filter(pc.invert(is_told))])

    def replay(self, stretch: Stretch) -> Tables:
        """Give the names that nobody told before, where they were first told."""
        said = pa.concat_tables([self.known, *_said(stretch)])
        firsts = said.group_by([*SAID]).aggregate([("log_offset", "min"), ("timestamp_ms", "min")])
        known = pa.table([firsts[name] for name in (*SAID, "log_offset_min", "timestamp_ms_min")], schema=SCHEMA)
        known = known.sort_by([("log_offset", "ascending"), ("topic_id", "ascending"), ("topic", "ascending")])
        new = known.filter(pc.greater(known["log_offset"], _last(self.known)))
        self.known = known
        return {TOPIC_ID_NAMES.full_name: _rows(new)}

    def standing(self) -> Tables:
        """Nothing: what was told is not changed."""
        return {TOPIC_ID_NAMES.full_name: _rows(SCHEMA.empty_table())}


def named(names: Iterable[tuple[str, str]]) -> pa.Table:
    """Ids and names that others than the log tell, as if its first record had."""
    rows = [{"topic_id": topic_id, "topic": topic, "log_offset": 0} for topic_id, topic in names]
    return pa.Table.from_pylist(rows, SCHEMA)


def _last(known: pa.Table) -> int:
    """The log offset of what was told last; a stretch begins after it."""
    return pc.max(known["log_offset"]).as_py() if known.num_rows else -1


def _rows(said: pa.Table) -> pa.Table:
    columns = {name: said[name].combine_chunks() for name in (*SAID, "log_offset")}
    return shaped(TOPIC_ID_NAMES, columns | {"recorded_at": timestamps(said["timestamp_ms"])})


def _said(stretch: Stretch) -> Iterator[pa.Table]:
    """Ids and names, of commits that have both and of records that list topics."""
    yield _of_commits(stretch.commits)
    for column, lists in NAMING.items():
        value = stretch.groups[column].combine_chunks()
        for name in lists:
            yield _listed(stretch.groups, pc.struct_field(value, name))


def _of_commits(commits: pa.Table) -> pa.Table:
    topic_id = pc.struct_field(commits["offset_commit"], "topic_id")
    commits = commits.append_column("topic_id", topic_id).filter(pc.not_equal(topic_id, NO_TOPIC_ID))
    return commits.select(SCHEMA.names).cast(SCHEMA)


def _listed(groups: pa.Table, lists: pa.Array) -> pa.Table:
    record, topics = opened(lists)
    of = groups.select(["log_offset", "timestamp_ms"]).take(pa.array(record))
    named = [pc.struct_field(topics, "topic_id"), pc.struct_field(topics, "topic_name")]
    both = pa.table([*named, *of.columns], schema=SCHEMA)
    return both.filter(pc.and_(pc.is_valid(both["topic_id"]), pc.is_valid(both["topic"])))
