"""Names of topic ids, by the records that have both."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from assets.transforms.log_chunks import Reader
from assets.transforms.topic_names import NO_TOPIC_ID, TopicNames
from tests.assets.transforms.made_groups import COMMIT, T, logged, row_of
from tests.assets.transforms.offsets_log import records

if TYPE_CHECKING:
    from tests.assets.transforms.offsets_log import Row

U = "U" * 22


def commit(topic: str, topic_id: str) -> Row:
    """A commit that has a topic id."""
    return COMMIT | {"topic": topic, "offset_commit": {"offset": 1, "topic_id": topic_id}}


def names_of(rows: list[Row], *cuts: int) -> list[tuple[str, str, int]]:
    """Id, name and log offset of each name, with only the memory kept where the log is cut."""
    reader, subject, names = Reader(), TopicNames.resume({}), []
    edges = [0, *cuts, len(rows)]
    for low, high in pairwise(edges):
        table = subject.replay(reader.chunk(*records(*rows[low:high])))["internal.topic_id_names"]
        names += [(row["topic_id"], row["topic"], row["log_offset"]) for row in table.to_pylist()]
        subject = TopicNames.resume(subject.memory())
    assert subject.open_rows()["internal.topic_id_names"].num_rows == 0
    return names


def test_commits_and_lists_of_topics_say_names() -> None:
    """Each is told once, where it was first said; a commit without an id says nothing."""
    listed = {"topics": [{"topic_id": U, "topic_name": "u"}]}
    log = logged(
        commit("t", NO_TOPIC_ID),
        commit("t", T),
        row_of(4, consumer_group_partition_metadata=listed),
        commit("u", U),
        commit("t", T),
    )
    assert names_of(log) == [(T, "t", 1), (U, "u", 2)]
    assert names_of(log, 2, 3) == names_of(log)


def test_share_groups_say_names() -> None:
    """Of the topics whose state they set up, and of those that have one."""
    both = {
        "initializing_topics": [{"topic_id": T, "topic_name": "t"}],
        "initialized_topics": [{"topic_id": U, "topic_name": "u"}],
    }
    assert names_of(logged(row_of(15, "q", share_group_state_partition_metadata=both))) == [(T, "t", 0), (U, "u", 0)]


def test_an_id_that_is_called_two_names_has_both() -> None:
    """No broker does that; it is shown, not decided."""
    assert names_of(logged(commit("t", T), commit("u", T))) == [(T, "t", 0), (T, "u", 1)]
