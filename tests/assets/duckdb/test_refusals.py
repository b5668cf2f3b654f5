"""Macros of the DuckDB file refuse a group, topic or partition that is in no record, and name the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from assets.catalog import TABLES
from assets.duckdb import database
from assets.models import MACROS
from assets.storage.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = "it's\x1b[2J\u202e"
INSTANT = "'2026-11-18'::TIMESTAMPTZ"
BY_GROUP = [macro for macro in MACROS if "grp" in (*macro.arguments, *macro.optional) and not macro.is_helper]
PLACE = ", 'orders', 0, now(), now()"
REST = {"explain": PLACE, "explain_share": PLACE, "reset_cost": ", NULL, 'latest'"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The file of a warehouse that knows three groups, the first of which committed in orders-0 and orders-1."""
    warehouse = Warehouse(str(tmp_path_factory.mktemp("built")))
    for table in TABLES.values():
        warehouse.append(table, (), {})
    database.build(warehouse)
    with duckdb.connect(str(warehouse.duckdb_path)) as connection:
        connection.execute(
            "INSERT INTO core.group_states BY NAME SELECT 'c' AS cluster, unnest($1) AS group_id",
            [["payments", "audit", HOSTILE]],
        )
        connection.execute(
            "INSERT INTO core.commits BY NAME SELECT 'c' AS cluster, 'payments' AS group_id, 'orders' AS topic,"
            " unnest([0, 1]) AS partition, 1 AS log_partition, unnest([1, 2]) AS log_offset, 'first' AS kind"
        )
        yield connection


def call(macro: str, group: str) -> str:
    """A call of a macro about a group, with whatever else it takes."""
    if macro in REST:
        return f"{macro}({group}{REST[macro]})"
    return f"{macro}({group})" if macro in {"committers", "cadence_of"} else f"{macro}({INSTANT}, {group})"


@pytest.mark.parametrize("macro", [macro.name for macro in BY_GROUP])
@pytest.mark.parametrize("question", ["FROM {}", "SELECT count(*) FROM {}", "SELECT 1 FROM {} WHERE cluster = 'zz'"])
def test_a_mistyped_group_is_refused_whatever_is_asked_of_it(
    built: duckdb.DuckDBPyConnection, macro: str, question: str
) -> None:
    """Also where DuckDB knows beforehand that no row can be of that name, or needs no column."""
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        built.execute(question.format(call(macro, "'paymnets'"))).fetchall()
    assert "group 'paymnets' is not in this warehouse; the nearest: 'payments', 'audit', 'it''s?[2J?'" in str(
        refusal.value
    )


@pytest.mark.parametrize("macro", [macro.name for macro in BY_GROUP])
@pytest.mark.parametrize("group", ["'payments'", "'audit'", "NULL"])
def test_a_group_that_is_there_is_never_refused(built: duckdb.DuckDBPyConnection, macro: str, group: str) -> None:
    """One without rows, and all groups: an empty answer is one; but `audit` has nothing of orders to be explained."""
    if REST.get(macro) != PLACE or group != "'audit'":
        built.execute(f"FROM {call(macro, group)}").fetchall()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("explain('payments', 'ordrs', 0, now(), now())", "topic 'ordrs' is not among those of group 'payments'"),
        ("explain('payments', 'orders', 7, now(), now())", "the nearest: 'orders-0', 'orders-1'"),
        ("reset_cost('payments', 'ordrs', 'latest')", "the nearest: 'orders'"),
        ("reset_cost(NULL, 'ordrs', 'latest')", "topic 'ordrs' is not in this warehouse; the nearest: 'orders'"),
    ],
)
def test_a_mistyped_topic_or_partition_is_refused(
    built: duckdb.DuckDBPyConnection, question: str, sentence: str
) -> None:
    """Among those of the group, where one is named."""
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        built.execute(f"FROM {question}").fetchall()
    assert sentence in str(refusal.value)


def test_a_macro_still_answers_about_each_group_of_a_table(built: duckdb.DuckDBPyConnection) -> None:
    """As a lateral join: the groups that are there, each by its own name."""
    question = "SELECT g.group_id FROM core.group_states AS g, cadence_of(g.group_id)"
    assert built.execute(question).fetchall() == []
