"""Names become pseudonyms: consistently, by a key, and no column of text is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from assets.catalog import TABLES
from assets.evidence.packed_rows import questions
from assets.evidence.pseudonyms import Pseudonyms, named_columns, names_left, read_key
from assets.models import files
from parsers.errors import LagbookError, SourceError

if TYPE_CHECKING:
    from pathlib import Path

ONE, OTHER = Pseudonyms(b"k" * 32), Pseudonyms(b"j" * 32)


def test_every_column_of_text_is_a_name_or_plain_or_emptied() -> None:
    """A column that comes to a table has to be put into one of the lists before a pack with pseudonyms has it."""
    names = questions(is_pseudonymous=True)
    assert named_columns({name: TABLES[name].schema for name in names}) == {}


def test_a_name_has_one_pseudonym_wherever_it_stands() -> None:
    """In lists and structs too; NULL stays NULL, free text and digests go."""
    place = pa.list_(pa.struct([("topic", pa.string()), ("partitions", pa.list_(pa.int32()))]))
    schema = pa.schema(
        [
            ("topic", pa.string()),
            ("subscribed_topics", pa.list_(pa.string())),
            ("assigned", place),
            ("metadata", pa.string()),
            ("crc", pa.int64()),
            ("state", pa.string()),
        ]
    )
    row = {
        "topic": "orders",
        "subscribed_topics": ["orders", None],
        "assigned": [{"topic": "orders", "partitions": [3]}],
        "metadata": "of orders",
        "crc": 5,
        "state": "Stable",
    }
    first, second = ONE.rows("t", pa.Table.from_pylist([row, {}], schema=schema)).to_pylist()
    name = ONE.of("topic", "orders")
    assert name.startswith("topic-")
    assert first == {
        "topic": name,
        "subscribed_topics": [name, None],
        "assigned": [{"topic": name, "partitions": [3]}],
        "metadata": "",
        "crc": None,
        "state": "Stable",
    }
    assert set(second.values()) == {None}


def test_another_key_gives_other_pseudonyms_and_another_kind_too() -> None:
    """A group and a topic of one name are not told to be called alike."""
    assert len({ONE.of("topic", "orders"), OTHER.of("topic", "orders"), ONE.of("group", "orders"), "orders"}) == 4


def test_text_that_nobody_has_looked_at_is_refused() -> None:
    """It may have names."""
    with pytest.raises(LagbookError, match="t: note"):
        ONE.rows("t", pa.table({"note": ["orders"]}))


def test_a_setting_names_a_topic_a_group_or_a_broker() -> None:
    """Brokers have numbers."""
    rows = pa.table({"resource_type": ["topic", "group", "broker"], "resource_name": ["orders", "ana", "1"]})
    names = [ONE.of("topic", "orders"), ONE.of("group", "ana"), "1"]
    assert ONE.rows("raw.configurations", rows)["resource_name"].to_pylist() == names


def test_what_is_left_of_names_is_told() -> None:
    """Names and free text, in lists and structs, and digests; another kind's pseudonym, too; of pseudonyms nothing."""
    place = pa.list_(pa.struct([("topic", pa.string()), ("partitions", pa.list_(pa.int32()))]))
    columns = {
        "topic": pa.array(["orders", None]),
        "subscribed_topics": pa.array([["orders"], []]),
        "assigned": pa.array([[{"topic": "orders", "partitions": [3]}], None], place),
        "metadata": pa.array(["of ana", None]),
        "crc": pa.array([5, 6]),
        "protocol": pa.array(["range", "own"]),
        "state": pa.array(["Stable", None]),
    }
    rows = pa.table(columns)
    left = [sentence.split(": ")[1] for sentence in names_left("t", rows)]
    assert left == ["topic", "subscribed_topics", "assigned", "metadata", "crc", "protocol"]
    assert list(names_left("t", ONE.rows("t", rows))) == []
    swapped = pa.table({"topic": [ONE.of("group", "orders")]})
    assert list(names_left("t", swapped)) == ["t: topic: expected pseudonyms, found something else"]
    resources = pa.table({"resource_type": ["group", "broker"], "resource_name": ["ana", "1"]})
    assert len(list(names_left("t", resources))) == 1
    assert list(names_left("t", ONE.rows("t", resources))) == []


def test_a_key_that_is_short_or_missing_is_refused(tmp_path: Path) -> None:
    """It could be guessed, and names with it."""
    (tmp_path / "short").write_bytes(b"fifteen bytes..")
    for name in ("short", "missing"):
        with pytest.raises(SourceError, match=name):
            read_key(tmp_path / name)
    (tmp_path / "long").write_bytes(b"sixteen bytes...")
    assert read_key(tmp_path / "long").of("topic", "a") != ONE.of("topic", "a")


def test_sql_and_packs_give_a_name_the_same_pseudonym(tmp_path: Path) -> None:
    """Rows that were exported by SQL can be joined with those of a pack."""
    (tmp_path / "key").write_bytes(b"sixteen \xff bytes..")
    with duckdb.connect() as connection:
        connection.execute(f"CREATE MACRO pseudonym(name, secret) AS ({files.macro('pseudonym')})")
        answer = connection.execute(
            "SELECT 'group-' || pseudonym('group:' || ?, (SELECT sha256(content) FROM read_blob(?)))",
            ["zähler", str(tmp_path / "key")],
        ).fetchall()
    assert answer == [(read_key(tmp_path / "key").of("group", "zähler"),)]
