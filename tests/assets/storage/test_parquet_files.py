"""What a worker's files say when they are read again: plain columns, in the types of their table, with bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.catalog import TABLES
from assets.storage.data_files import as_one
from assets.storage.parquet_files import TableFile, TableFiles

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = TABLES["raw.offset_records"]
COMMIT = RECORDS.schema.field("offset_commit").type
PLACE = {"cluster": "c", "log_partition": 3}


def commits(count: int) -> pa.RecordBatch:
    """Commits as the decoder gives them: texts as dictionaries, in the struct as well, and no place."""
    texts = {"metadata": [None if row % 3 else "m" for row in range(count)], "topic_id": ["t"] * count}
    parts = [
        pa.array(texts[field.name], pa.string()).dictionary_encode()
        if field.name in texts
        else pa.array([row if field.name == "offset" else None for row in range(count)], field.type)
        for field in COMMIT
    ]
    commit = pa.StructArray.from_arrays(parts, names=[field.name for field in COMMIT])
    filled = {name: pa.nulls(count, kind) for name, kind in _kinds().items()}
    filled |= {"log_offset": pa.array(range(count), pa.int64()), "batch_base_offset": pa.array([0] * count, pa.int64())}
    filled |= {name: pa.array([False] * count) for name in ("is_transactional", "is_control", "is_tombstone")}
    filled |= {"group_id": pa.array(["g"] * count).dictionary_encode(), "offset_commit": commit}
    return pa.record_batch(filled)


def _kinds() -> dict[str, pa.DataType]:
    return {column.name: column.type for column in RECORDS.columns if column.name not in PLACE}


def written(folder: Path, *batches: pa.RecordBatch) -> str:
    """The one file that the batches become."""
    with TableFiles({RECORDS.full_name: str(folder)}, "part") as files:
        for batch in batches:
            files.write(RECORDS.full_name, batch, PLACE)
    ((_name, file),) = files.written()
    return file.path


def test_dictionaries_are_read_as_text(tmp_path: Path) -> None:
    """Whoever opens the file finds the table's types, without the schema of the writer."""
    path = written(tmp_path, commits(10), commits(5))
    schema = pq.read_schema(path)
    assert {schema.field(name).type for name in ("cluster", "group_id", "topic")} == {pa.string()}
    commit = schema.field("offset_commit").type
    assert (commit.field("metadata").type, commit.field("topic_id").type) == (pa.string(), pa.string())
    rows = as_one([path], RECORDS.schema).to_table()
    assert rows["cluster"].to_pylist() == ["c"] * 15
    assert [row["metadata"] for row in rows["offset_commit"].to_pylist()][:4] == ["m", None, None, "m"]
    assert [row["offset"] for row in rows["offset_commit"].to_pylist()][9:11] == [9, 0]


def test_batches_may_differ_in_how_texts_stand(tmp_path: Path) -> None:
    """A slice without commits has a column without dictionaries: both go into one file."""
    plain = commits(3)
    at = plain.schema.get_field_index("offset_commit")
    plain = plain.set_column(at, "offset_commit", pa.nulls(3, COMMIT))
    at = plain.schema.get_field_index("group_id")
    plain = plain.set_column(at, "group_id", pa.array(["x", "y", "x"]))
    rows = as_one([written(tmp_path, commits(2), plain)], RECORDS.schema).to_table()
    assert rows["group_id"].to_pylist() == ["g", "g", "x", "y", "x"]
    assert rows["offset_commit"].null_count == 3


def test_bounds_are_kept_of_what_rows_are_looked_for_by(tmp_path: Path) -> None:
    """The key and what grows; bounds of the rest cost a quarter of the writing and answer nothing."""
    group = pq.read_metadata(written(tmp_path, commits(10))).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    with_bounds = {column.path_in_schema for column in columns if column.is_stats_set and column.statistics.has_min_max}
    assert set(RECORDS.key) <= with_bounds
    assert "offset_commit.offset" in with_bounds
    assert not {"key_bytes", "record_type", "group_id"} & with_bounds


@pytest.mark.parametrize(
    ("batches", "sizes"),
    [
        ((150_000,), [75_000, 75_000]),
        ((60_000, 60_000, 30_000), [120_000, 30_000]),
        ((131_072, 18_928), [65_536, 65_536, 18_928]),
    ],
)
def test_row_groups_are_as_large_as_the_table_says(tmp_path: Path, batches: tuple[int, ...], sizes: list[int]) -> None:
    """However rows come, a reader finds parts of once to twice that size, and a smaller one only at the end."""
    file = TableFile(str(tmp_path / "rows.parquet"), TABLES["core.commits"])
    for rows in batches:
        file.add(pa.record_batch({"log_offset": pa.array(range(rows), pa.int64())}))
    assert file.finish().rows == sum(batches)
    written = pq.read_metadata(file.path)
    assert [written.row_group(number).num_rows for number in range(written.num_row_groups)] == sizes


def with_rare(rows: pa.RecordBatch, name: str, row: int, value: str) -> pa.RecordBatch:
    """The rows, of which one has a value in a rare column."""
    values = [value if number == row else None for number in range(rows.num_rows)]
    return rows.set_column(rows.schema.get_field_index(name), name, pa.array(values, pa.string()))


def test_rare_rows_of_different_kinds_share_a_file(tmp_path: Path) -> None:
    """Each slice's rare rows have other rare columns; their file has all of them, and that of the others has none."""
    of_member = with_rare(commits(5), "member_id", 2, "m-1")
    of_expression = with_rare(commits(4), "regular_expression", 0, "a.*")
    with TableFiles({RECORDS.full_name: str(tmp_path)}, "part") as files:
        for batch in (of_member, of_expression):
            files.write(RECORDS.full_name, batch, PLACE)
    usual, rare = (pq.read_table(tmp_path / f"part{ending}.parquet") for ending in ("", "-rare"))
    assert usual["log_offset"].to_pylist() == [0, 1, 3, 4, 1, 2, 3]
    assert not RECORDS.rare & set(usual.column_names)
    assert rare.column_names == [column.name for column in RECORDS.columns]
    assert list(zip(rare["log_offset"].to_pylist(), rare["member_id"].to_pylist(), strict=True)) == [
        (2, "m-1"),
        (0, None),
    ]
    assert rare["regular_expression"].to_pylist() == [None, "a.*"]
    assert rare["control_type"].null_count == rare["source"].null_count == 2
    assert [row["offset"] for row in rare["offset_commit"].to_pylist()] == [2, 0]
