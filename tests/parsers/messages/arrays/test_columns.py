"""Slots as Arrow arrays: what is shared, what is numbered, what is constant."""

from __future__ import annotations

import pyarrow as pa

from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.wire import ZERO_UUID
from tests.parsers.encode import encode
from tests.parsers.made_messages import decoded

COMMIT = {"offset": 1, "leader_epoch": 2, "metadata": "m", "commit_timestamp": 3, "expire_timestamp": 4}
OWN_ID = "ABEiM0RVZneImaq7zN3u_w"


def commits(version: int, count: int, **changed: object) -> list[bytes]:
    """Write equal commits."""
    return [encode(OFFSET_COMMIT, version, COMMIT | {"topic_id": OWN_ID} | changed)] * count


def test_texts_of_records_are_held_once() -> None:
    """However often a metadata text or a topic id comes, the dictionary has it once."""
    columns = decoded(OFFSET_COMMIT, 4, commits(4, 3) + commits(4, 2, metadata="n")).columns
    assert columns.field("metadata").dictionary.to_pylist() == ["m", "n"]
    assert columns.field("metadata").indices.to_pylist() == [0, 0, 0, 1, 1]
    assert columns.field("topic_id").dictionary.to_pylist() == [OWN_ID]


def test_rows_that_are_null_number_nothing() -> None:
    """A null between texts has no number of its own, and no text becomes another's."""
    (one,) = commits(4, 1)
    (other,) = commits(4, 1, metadata="n")
    columns = decoded(OFFSET_COMMIT, 4, [None, one, None, other]).columns
    assert columns.field("metadata").to_pylist() == [None, "m", None, "n"]
    assert columns.field("metadata").dictionary.to_pylist() == ["m", "n"]


def test_fields_that_no_row_has_are_constant() -> None:
    """Versions without a field give its default in every row, as if the record had it."""
    columns = decoded(OFFSET_COMMIT, 2, commits(2, 3)).columns
    assert columns.field("expire_timestamp").to_pylist() == [-1] * 3
    assert columns.field("leader_epoch").to_pylist() == [-1] * 3
    assert columns.field("topic_id").to_pylist() == [ZERO_UUID] * 3


def test_a_field_that_some_rows_have_is_default_in_the_others() -> None:
    """A column over several versions takes each row's own value or the default."""
    columns = decoded(OFFSET_COMMIT, [0, 1, 2, 3, 4], [commits(version, 1)[0] for version in range(5)]).columns
    assert columns.field("expire_timestamp").to_pylist() == [-1, 4, -1, -1, -1]
    assert columns.field("leader_epoch").to_pylist() == [-1, -1, -1, 2, 2]
    assert columns.field("topic_id").to_pylist() == [ZERO_UUID] * 4 + [OWN_ID]


def test_texts_below_the_record_are_plain() -> None:
    """Members are lists of structs, whose texts no dictionary holds: every tool can read them."""
    kind = decoded(GROUP_METADATA, 3, [None]).columns.type
    assert kind.field("members").type.value_type.field("member_id").type == pa.string()
