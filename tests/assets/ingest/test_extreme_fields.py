"""Fields of batches at the ends of their types, under a right checksum: each costs its own batch, nothing else."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb
import pytest

from tests.parsers.log_writer import crc32c, simple_log
from tests.whole_run import whole_run

if TYPE_CHECKING:
    from pathlib import Path

SOUND: Final = "__consumer_offsets-16"
FILE: Final = f"{0:020}.log"
NUMBER: Final = 5
"""Of the batch whose field is changed."""
LARGE: Final = (1 << 63) - 1


class Field(NamedTuple):
    """A field of the batch header, and how it is packed."""

    position: int
    packing: str


BASE_OFFSET, LENGTH, DELTA, COUNT = Field(0, ">q"), Field(8, ">i"), Field(23, ">i"), Field(57, ">i")
TIMES, PRODUCER = (Field(27, ">q"), Field(35, ">q")), (Field(43, ">q"), Field(51, ">h"), Field(53, ">i"))
FATAL: Final = (
    *((BASE_OFFSET, value) for value in (LARGE, LARGE - 1, LARGE - 2, LARGE - (1 << 31), 1 << 62, -1, -LARGE - 1)),
    *((LENGTH, value) for value in ((1 << 31) - 1, (1 << 31) - 62, 1 << 30, -1, -(1 << 31))),
    *((DELTA, value) for value in ((1 << 31) - 1, (1 << 31) - 2, 1 << 30, -1, -(1 << 31))),
    *((COUNT, value) for value in (-1, -(1 << 31))),
)
OVERFULL: Final = tuple((COUNT, value) for value in ((1 << 31) - 1, 1 << 30))
"""More records than offsets: of a data topic nothing else is read; of the offsets topic there are the records."""
HARMLESS: Final = (
    *((one, value) for one in TIMES for value in (LARGE, -LARGE - 1, 1 << 62)),
    *((PRODUCER[0], value) for value in (LARGE, -LARGE - 1)),
    (PRODUCER[1], (1 << 15) - 1),
    (PRODUCER[2], (1 << 31) - 1),
)
FIELDS: Final = (*FATAL, *OVERFULL, *HARMLESS)
LOST: Final = len(FATAL) + len(OVERFULL)


def spans(log: bytes) -> list[tuple[int, int]]:
    """Where each batch begins and ends."""
    pieces, start = [], 0
    while start < len(log):
        end = start + 12 + int.from_bytes(log[start + 8 : start + 12], "big")
        pieces.append((start, end))
        start = end
    return pieces


def changed(log: bytes, field: Field, value: int) -> bytes:
    """The log with another value in a field of one of its batches, and the checksum that belongs to it."""
    start, end = spans(log)[NUMBER]
    content = bytearray(log)
    struct.pack_into(field.packing, content, start + field.position, value)
    struct.pack_into(">I", content, start + 17, crc32c(bytes(content[start + 21 : end])))
    return bytes(content)


def put(folder: Path, cluster: str, offsets: bytes, data: bytes) -> None:
    """The log directory of a cluster of this name, with a partition of the offsets topic and one of a data topic."""
    for name, log in ((SOUND, offsets), ("extreme-0", data)):
        (folder / cluster / name).mkdir(parents=True)
        (folder / cluster / name / FILE).write_bytes(log)
    (folder / cluster / "meta.properties").write_text(f"version=1\ncluster.id={cluster}\nnode.id=1\n")


@pytest.fixture(scope="module")
def tables(incident: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The DuckDB file of one run over clusters: a sound one, and many with one batch that was changed."""
    folder = tmp_path_factory.mktemp("extreme")
    offsets, data = (incident / SOUND / FILE).read_bytes(), b"".join(simple_log(600))
    put(folder / "logs", "sound", offsets, data)
    for number, (field, value) in enumerate(FIELDS):
        put(folder / "logs", str(number), changed(offsets, field, value), changed(data, field, value))
    (folder / "logs" / "sound" / "named-0").mkdir()
    (folder / "logs" / "sound" / "named-0" / f"{LARGE:020}.log").write_bytes(data)
    done = whole_run(folder / "warehouse", [folder / "logs"])
    assert done.exit_code == 0, done.output
    assert "SET ASIDE: 600 of 600 batches of named-0 could not be read" in done.stdout.splitlines()[-1]
    return folder / "warehouse" / "lagbook.duckdb"


def rows(tables: Path, question: str) -> list[tuple[Any, ...]]:
    """What the database answers."""
    with duckdb.connect(str(tables), read_only=True) as connection:
        return connection.sql(question).fetchall()


@pytest.mark.slow
def test_a_batch_of_a_data_topic_costs_itself(tables: Path) -> None:
    """The 599 others of its partition are read, whatever it claims to hide or to be."""
    counts = rows(tables, "SELECT cluster, count(*) FROM raw.batches WHERE topic = 'extreme' GROUP BY ALL")
    assert dict(counts) == {"sound": 600} | {
        str(number): 599 if number < LOST else 600 for number in range(len(FIELDS))
    }


def test_a_batch_of_the_offsets_topic_costs_itself(tables: Path) -> None:
    """The records of all the others are read."""
    counts = dict(rows(tables, "SELECT cluster, count(*) FROM raw.offset_records GROUP BY ALL"))
    sizes = rows(
        tables,
        "SELECT count(*) FROM raw.offset_records WHERE cluster = 'sound' "
        "GROUP BY batch_base_offset ORDER BY batch_base_offset",
    )
    lost = {str(number): sizes[NUMBER][0] if number < len(FATAL) else 0 for number in range(len(FIELDS))}
    assert counts == {cluster: counts["sound"] - lost.get(cluster, 0) for cluster in ("sound", *lost)}


def test_the_cluster_beside_them_is_answered_for(tables: Path) -> None:
    """Its commits are all known with what stood before them, and each partition says what it lost."""
    ((commits, known),) = rows(
        tables, "SELECT count(*), count(previous_offset) FROM core.commits WHERE cluster = 'sound'"
    )
    assert commits > known > 0
    answer = rows(
        tables,
        "SELECT DISTINCT cluster, batches_set_aside FROM mart.log_coverage WHERE topic = 'extreme'",
    )
    assert dict(answer) == {"sound": 0} | {str(number): int(number < LOST) for number in range(len(FIELDS))}


def test_a_file_named_by_the_largest_number_stops_nobody(tables: Path) -> None:
    """None of its batches can stand there."""
    assert rows(tables, "SELECT * FROM raw.batches WHERE topic = 'named'") == []
