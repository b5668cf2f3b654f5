"""That a table is judged by its new files as it would be judged whole, and that old files are not read for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.storage.parquet_writer import write_file
from assets.storage.warehouse import Warehouse
from dagster_project.rules.check_cache import remember
from dagster_project.rules.judging import Judgement, judge_table
from dagster_project.rules.rules_in_sql import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

Row = dict[str, Any]

TABLE: Final = TABLES["core.ownership"]
OWNER: Final[Row] = {
    "cluster": "c",
    "group_id": "g",
    "group_type": "classic",
    "topic": "t",
    "partition": 0,
    "member_id": "m",
    "log_partition": 1,
    "log_offset": 10,
    "from_log_offset": 10,
    "to_log_offset": 20,
    "until_log_offset": 20,
    "end_reason": "revoked",
}
LATER: Final = {"log_offset": 20, "from_log_offset": 20, "to_log_offset": 30, "until_log_offset": 30}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One for all tables."""
    with in_memory(Warehouse("/nowhere"), []) as opened:
        yield opened


def _add(warehouse: Warehouse, rows: Sequence[Row]) -> str:
    """Add a file of these rows to the table; its path."""
    nullable = pa.schema([field.with_nullable(nullable=True) for field in TABLE.file_schema])
    folder = warehouse.new_folder(TABLE)
    warehouse.make_folder(folder)
    file = write_file(pa.Table.from_pylist(list(rows), nullable), f"{folder}/rows.parquet")
    warehouse.append(TABLE, [file], {})
    return file.path


def _remove(warehouse: Warehouse, path: str) -> None:
    gone = [file for file in warehouse.file_list(TABLE.full_name) if file.uri == path]
    warehouse.append(TABLE, [], {}, gone)


def _judge(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse, *, is_whole: bool = False) -> Judgement:
    rules = rules_of(TABLE.full_name)
    judgement = judge_table(connection, warehouse, TABLE.full_name, rules, is_whole=is_whole)
    remember(warehouse, TABLE.full_name, judgement.memory)
    assert not judgement.errors
    return judgement


def _broken(judgement: Judgement) -> dict[str, int]:
    return {name: one.broken_count for name, one in judgement.memory.verdicts.items() if not one.holds}


def test_a_table_without_news_is_not_read(connection: duckdb.DuckDBPyConnection, warehouse: Warehouse) -> None:
    """Its files may even be gone: the verdicts are those that are remembered."""
    path = _add(warehouse, [OWNER, {**OWNER, "partition": -1}])
    first = _judge(connection, warehouse)
    Path(path).unlink()
    again = _judge(connection, warehouse)
    assert (first.is_new, again.is_new, again.news) == (True, False, frozenset())
    assert again.memory == first.memory
    assert _broken(again) == {"partition_is_in_range": 1}


def test_old_files_are_not_read_for_rules_about_single_rows_or_keys_elsewhere(
    connection: duckdb.DuckDBPyConnection, warehouse: Warehouse
) -> None:
    """Where the bounds of a file exclude the new rows, it can even be gone."""
    old = _add(warehouse, [OWNER])
    _judge(connection, warehouse)
    Path(old).unlink()
    _add(warehouse, [{**OWNER, "log_partition": 2, "partition": -1}])
    judgement = _judge(connection, warehouse)
    assert _broken(judgement) == {"partition_is_in_range": 1}
    assert judgement.news == {"partition_is_in_range"}
    assert judgement.rows == 2


def test_a_key_of_an_old_file_that_comes_again_is_caught(
    connection: duckdb.DuckDBPyConnection, warehouse: Warehouse
) -> None:
    """In a file whose bounds the new row lies in, though no bound is equal to it; NULL in a key is like NULL."""
    _add(warehouse, [{**OWNER, "log_offset": offset, "topic_id": None} for offset in (1, 10, 90)])
    _add(warehouse, [{**OWNER, "log_offset": 200}])
    assert "key_is_unique" not in _broken(_judge(connection, warehouse))
    _add(warehouse, [OWNER])
    assert _broken(_judge(connection, warehouse))["key_is_unique"] == 2


def test_a_key_is_unique_again_when_its_double_is_gone(
    connection: duckdb.DuckDBPyConnection, warehouse: Warehouse
) -> None:
    """A rule that did not hold is judged whole."""
    _add(warehouse, [OWNER])
    double = _add(warehouse, [OWNER])
    assert "key_is_unique" in _broken(_judge(connection, warehouse))
    _remove(warehouse, double)
    judgement = _judge(connection, warehouse)
    assert _broken(judgement) == {}
    assert "key_is_unique" in judgement.news


def test_an_owner_beside_one_of_an_old_file_is_caught(
    connection: duckdb.DuckDBPyConnection, warehouse: Warehouse
) -> None:
    """A rule that compares rows is judged with the neighbours of new rows."""
    _add(warehouse, [OWNER])
    _add(warehouse, [{**OWNER, **LATER}])
    assert _broken(_judge(connection, warehouse)) == {}
    _add(warehouse, [{**OWNER, **LATER, "log_offset": 25, "member_id": "other"}])
    assert _broken(_judge(connection, warehouse)) == {"one_owner_at_a_time": 1}


def test_broken_rows_count_until_their_file_is_gone(
    connection: duckdb.DuckDBPyConnection, warehouse: Warehouse
) -> None:
    """Those of new files are added to those of files that stay; what a removed file had is counted no longer."""
    broken = {**OWNER, "partition": -1}
    first = _add(warehouse, [broken, {**broken, "log_offset": 11, "topic": "u"}])
    _judge(connection, warehouse)
    _add(warehouse, [{**broken, "topic": "v"}])
    assert _broken(_judge(connection, warehouse)) == {"partition_is_in_range": 3}
    _add(warehouse, [{**OWNER, "topic": "w"}])
    assert _broken(_judge(connection, warehouse)) == {"partition_is_in_range": 3}
    _remove(warehouse, first)
    assert _broken(_judge(connection, warehouse)) == {"partition_is_in_range": 1}


ROWS: Final = st.lists(
    st.fixed_dictionaries(
        {
            "log_partition": st.integers(0, 1),
            "log_offset": st.integers(0, 6),
            "partition": st.sampled_from([0, 0, 0, 1, -1]),
            "until_log_offset": st.none() | st.integers(1, 8),
            "end_reason": st.sampled_from([None, "revoked"]),
        }
    ),
    max_size=3,
)


@given(steps=st.lists(st.tuples(ROWS, st.booleans()), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_step_by_step_is_as_whole(
    connection: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[list[Row], bool]]
) -> None:
    """After files came and went, each verdict and each count is that of a look at the whole table."""
    warehouse, paths = Warehouse(str(tmp_path_factory.mktemp("wh"))), []
    for rows, is_removing in steps:
        paths.append(_add(warehouse, [{**OWNER, **row} for row in rows]))
        if is_removing:
            _remove(warehouse, paths.pop(0))
        judgement = _judge(connection, warehouse)
        whole = judge_table(connection, warehouse, TABLE.full_name, rules_of(TABLE.full_name), is_whole=True)
        assert _broken(judgement) == _broken(whole)
