"""What was set aside in a warehouse, by file and position, and what would make its answers better.

Put here what `lagbook doctor` advises on top of what it saw. It only reads tables; what was set aside is in
`raw.quarantine`, where log ends are known from in `mart.basis`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.terminal import pasteable, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assets.storage.warehouse import Warehouse

Row = dict[str, Any]

MOST_SHOWN: Final = 20
"""Places that were set aside, in words and as JSON; raw.quarantine has all."""
_NAMES_MOST: Final = 3
_SET_ASIDE: Final = f"""
    SELECT path, position, size_bytes, log_offset, reason, expected, "found"
    FROM raw.quarantine ORDER BY read_at DESC, path, position LIMIT {MOST_SHOWN}
"""  # noqa: S608 - a constant of this file
_TOPICS: Final = """
    SELECT topic, min(log_ends_from) AS log_ends_from, count(log_ends_from) < count(*) AS has_unknown
    FROM mart.basis WHERE topic <> '__consumer_offsets' GROUP BY topic ORDER BY topic
"""
_UNSEEN: Final = """
    SELECT coalesce(sum(unseen_offsets)::HUGEINT, 0) AS unseen FROM mart.basis WHERE topic = '__consumer_offsets'
"""


def set_aside(warehouse: Warehouse) -> list[Row]:
    """File, position and reason of what could not be read, the newest first; bytes are left to the table."""
    return _rows(warehouse, "raw.quarantine", _SET_ASIDE)


def advice(warehouse: Warehouse) -> list[str]:
    """What to give a run, so that its answers rest on more; nothing before the first run."""
    if not warehouse.files("mart.basis"):
        return []
    return [*_about_log_ends(_rows(warehouse, "mart.basis", _TOPICS)), *_about_history(warehouse), *_about(warehouse)]


def _about_log_ends(topics: Sequence[Row]) -> Iterator[str]:
    unknown = [row["topic"] for row in topics if row["has_unknown"]]
    sampled = [row["topic"] for row in topics if not row["has_unknown"] and row["log_ends_from"] == "samples"]
    if unknown:
        yield f"--logs with data segments of {_names(unknown)}: then log ends, and lag, are known"
    if sampled:
        yield f"--logs with data segments of {_names(sampled)}: then lag is known between samples, and in records"


def _about_history(warehouse: Warehouse) -> Iterator[str]:
    ((unseen,),) = (tuple(row.values()) for row in _rows(warehouse, "mart.basis", _UNSEEN))
    if unseen:
        yield (
            f"--logs with an earlier copy of __consumer_offsets, such as a backup: {plural(unseen, 'offset')} of it had"
            " been compacted before they were read; `lagbook record` lets none go in future"
        )


def _about(warehouse: Warehouse) -> Iterator[str]:
    if not warehouse.row_count("raw.coordinator_events"):
        yield "--logs with the brokers' text logs (server.log): then it is known why members left and groups rebalanced"
    if not warehouse.row_count("raw.configurations"):
        yield (
            "--config with a broker's server.properties, or --bootstrap: then it is known how long offsets and records"
            " stay; until then a week is assumed, Kafka's default"
        )


def _names(topics: Sequence[str]) -> str:
    more = len(topics) - _NAMES_MOST
    named = ", ".join(map(pasteable, topics[:_NAMES_MOST]))
    return f"{named} and {plural(more, 'more topic')}" if more > 0 else named


def _rows(warehouse: Warehouse, table: str, question: str) -> list[Row]:
    from assets.duckdb.database import in_memory

    if not warehouse.files(table):
        return []
    with in_memory(warehouse, (table,)) as connection:
        cursor = connection.execute(question)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
