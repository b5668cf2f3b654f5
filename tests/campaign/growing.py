"""Logs that grow while something happens to a warehouse, and the rows of the warehouse to compare in the end.

Put here what campaigns about disturbances share. What disturbs stands in their own modules.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import TYPE_CHECKING, Final

import duckdb

from tests.campaign.answers import VOLATILE, BrokenError, built, columns_of_tables
from tests.campaign.histories import silent, woven, write
from tests.campaign.sound_groups import TOPICS, sound_events
from tests.campaign.strangers import slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

META: Final = "meta.properties"
HEADER: Final = struct.Struct(">qi")
"""Base offset and length of a batch; the length counts what follows."""
SHOWN: Final = 2
OF_READS: Final = {"mart.log_coverage"}
"""Tables of what runs read: a row per stretch, which ends where a log ended then."""
Rows = dict[str, list[str]]


@cache
def undisturbed(scratch: Path) -> tuple[Path, Rows]:
    """A broker's log directory, and the rows that one run makes of it."""
    quiet = {slot.number: silent(slot.log_partition, slot.record_count) for slot in slots(len(sound_events()))}
    logs = write(scratch / "whole" / "data", woven(sound_events(), quiet), TOPICS)
    built(logs, scratch / "whole" / "warehouse")
    return logs, rows_of(scratch / "whole" / "warehouse")


def grow(logs: Path, whole: Path, share: float) -> None:
    """Let each log of a directory have this share of the bytes that it has in the end, up to the end of a batch."""
    logs.mkdir(parents=True, exist_ok=True)
    (logs / META).write_bytes((whole / META).read_bytes())
    for segment in sorted(whole.glob("*/*.log")):
        folder = logs / segment.parent.name
        folder.mkdir(exist_ok=True)
        content = segment.read_bytes()
        (folder / segment.name).write_bytes(content[: _end_of_batch(content, int(share * len(content)))])


def _end_of_batch(content: bytes, size_bytes: int) -> int:
    """The end of the last whole batch within so many bytes."""
    end = 0
    while end + HEADER.size <= len(content):
        after = end + HEADER.size + HEADER.unpack_from(content, end)[1]
        if after > size_bytes:
            break
        end = after
    return end


def rows_of(warehouse: Path) -> Rows:
    """The rows of every core and mart table, without what tells of files and of when they were read."""
    with duckdb.connect(str(warehouse / "lagbook.duckdb"), read_only=True) as connection:
        tables = columns_of_tables(connection)
        return {name: _rows(connection, name, tables[name]) for name in tables if name not in OF_READS}


def _rows(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str]) -> list[str]:
    wanted = ", ".join(f'"{name}"' for name in columns if name not in VOLATILE)
    return sorted(map(repr, connection.execute(f"SELECT {wanted} FROM {table}").fetchall()))  # noqa: S608 - names are ours


def compare(answers: Mapping[str, list[str]], expected: Mapping[str, list[str]]) -> None:
    """Refuse any difference, table by table."""
    trouble = []
    for table, rows in expected.items():
        gone, new = sorted({*rows} - {*answers[table]}), sorted({*answers[table]} - {*rows})
        if gone or new or len(rows) != len(answers[table]):
            counts = f"{len(answers[table])} rows instead of {len(rows)}"
            trouble.append(f"{table}: {counts}; lost {gone[:SHOWN]}, new {new[:SHOWN]}")
    if trouble:
        raise BrokenError("\n".join(trouble))
