"""The projection of topic ids to names: groups of the newer kinds write ids alone, other records have both.

Put here which records name a topic id. The model `topics` joins them with names from files and brokers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from assets.catalog.internal.topic_id_names import TOPIC_ID_NAMES
from assets.transforms.groups.group_log import timestamps
from assets.transforms.groups.group_rows import fill_columns
from assets.transforms.groups.partition_lists import flatten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assets.transforms.projection import LogChunk, Tables

NO_TOPIC_ID: Final = "A" * 22
"""How Kafka prints the zero uuid: no topic id was sent."""
NAMING: Final = {
    "consumer_group_partition_metadata": ("topics",),
    "share_group_partition_metadata": ("topics", "initialized_topics"),
    "share_group_state_partition_metadata": ("initializing_topics", "initialized_topics"),
    "streams_group_partition_metadata": ("topics",),
}
"""Column of raw.offset_records -> its lists of topics, each with an id and a name."""
ID_AND_NAME: Final = ("topic_id", "topic")
SCHEMA: Final = pa.schema(
    [("topic_id", pa.string()), ("topic", pa.string()), ("log_offset", pa.int64()), ("timestamp_ms", pa.int64())]
)


class TopicNames:
    """Remembers the known names, so that each has one row."""

    tables: tuple[str, ...] = (TOPIC_ID_NAMES.full_name,)

    def __init__(self, known: pa.Table) -> None:
        """Begin with the ids and names that are known."""
        self.known = known
        """Each with the first record that has both."""

    @classmethod
    def resume(cls, memory: Tables) -> TopicNames:
        """Resume from a memory; from nothing at the beginning of the log."""
        return cls(memory["known"] if memory else SCHEMA.empty_table())

    def memory(self) -> Tables:
        """The ids and names that are known."""
        return {"known": self.known}

    def current_names(self, external: pa.Table | None) -> pa.Table:
        """The names of ids: external ones apply to the whole log, others from their first record on."""
        if external is None or not external.num_rows:
            return self.known
        is_external = pc.is_in(self.known["topic_id"], value_set=external["topic_id"].combine_chunks())
        return pa.concat_tables([external, self.known.filter(pc.invert(is_external))])

    def replay(self, chunk: LogChunk) -> Tables:
        """Give the names that are new in a chunk, at their first record."""
        names = pa.concat_tables([self.known, *_recorded_names(chunk)])
        firsts = names.group_by([*ID_AND_NAME]).aggregate([("log_offset", "min"), ("timestamp_ms", "min")])
        known = pa.table([firsts[name] for name in (*ID_AND_NAME, "log_offset_min", "timestamp_ms_min")], schema=SCHEMA)
        known = known.sort_by([("log_offset", "ascending"), ("topic_id", "ascending"), ("topic", "ascending")])
        new = known.filter(pc.greater(known["log_offset"], _last(self.known)))
        self.known = known
        return {TOPIC_ID_NAMES.full_name: _rows(new)}

    def open_rows(self) -> Tables:
        """No rows: a name does not change."""
        return {TOPIC_ID_NAMES.full_name: _rows(SCHEMA.empty_table())}


def external_names(names: Iterable[tuple[str, str]]) -> pa.Table:
    """Ids and names from other sources than the log, as if its first record had them."""
    rows = [{"topic_id": topic_id, "topic": topic, "log_offset": 0} for topic_id, topic in names]
    return pa.Table.from_pylist(rows, SCHEMA)


def _last(known: pa.Table) -> int:
    """The log offset of the newest known name; a chunk begins after it."""
    return pc.max(known["log_offset"]).as_py() if known.num_rows else -1


def _rows(names: pa.Table) -> pa.Table:
    columns = {name: names[name].combine_chunks() for name in (*ID_AND_NAME, "log_offset")}
    return fill_columns(TOPIC_ID_NAMES, columns | {"recorded_at": timestamps(names["timestamp_ms"])})


def _recorded_names(chunk: LogChunk) -> Iterator[pa.Table]:
    """Ids and names, of commits that have both and of records that list topics."""
    yield _of_commits(chunk.commits)
    for column, lists in NAMING.items():
        value = chunk.groups[column].combine_chunks()
        for name in lists:
            yield _list_of(chunk.groups, pc.struct_field(value, name))


def _of_commits(commits: pa.Table) -> pa.Table:
    topic_id = pc.struct_field(commits["offset_commit"], "topic_id")
    commits = commits.append_column("topic_id", topic_id).filter(pc.not_equal(topic_id, NO_TOPIC_ID))
    return commits.select(SCHEMA.names).cast(SCHEMA)


def _list_of(groups: pa.Table, lists: pa.Array) -> pa.Table:
    record, topics = flatten(lists)
    of = groups.select(["log_offset", "timestamp_ms"]).take(pa.array(record))
    ids_and_names = [pc.struct_field(topics, "topic_id"), pc.struct_field(topics, "topic_name")]
    both = pa.table([*ids_and_names, *of.columns], schema=SCHEMA)
    return both.filter(pc.and_(pc.is_valid(both["topic_id"]), pc.is_valid(both["topic"])))
