"""The checkpoint of each partition's replay, from which the next one continues: one Parquet file for each.

Put here how it is written and read. The subjects decide on its content.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from assets.catalog import TABLES
from assets.catalog.columns import CLUSTER, LOG_PARTITION
from assets.catalog.raw.external import EXTERNAL_COMMITS, ZOOKEEPER_EVENTS
from assets.catalog.raw.records import OFFSET_RECORDS
from assets.catalog.table import Column, Table
from assets.reconstruct.failures import CHECKPOINTS_NAME
from assets.reconstruct.file_names import Place
from assets.reconstruct.projections import OUTPUTS
from assets.storage.checked_reads import naming_damage
from assets.storage.data_files import locate
from assets.storage.parquet_writer import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assets.storage.data_files import DataFile
    from assets.storage.warehouse import Warehouse
    from assets.transforms.projection import Tables

_STATE: Final = pa.list_(pa.struct([("subject", pa.string()), ("name", pa.string()), ("rows", pa.binary())]))

CHECKPOINTS: Final = Table(
    *CHECKPOINTS_NAME,
    "What the replay of each partition of the offsets topic needs to go on.",
    ("cluster", "log_partition"),
    (
        CLUSTER,
        LOG_PARTITION,
        Column("next_offset", pa.int64(), "Log offset after the last record that was replayed.", required=True),
        Column("whole_since", pa.int64(), "Log offset since which no record was missing there.", required=True),
        Column("record_count", pa.int64(), "Records replayed.", required=True),
        Column("release", pa.string(), "Which release and tables it is of.", required=True),
        Column("kept", _STATE, "What each subject remembers, as Arrow streams.", required=True),
    ),
)
"""Of use to the replay alone, so no asset and not in DuckDB."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The offset up to which a partition was replayed, and the state of each subject there."""

    place: Place
    next_offset: int = 0
    whole_since: int = 0
    record_count: int = 0
    release: str = ""
    projections: Mapping[str, Tables] = field(default_factory=dict)

    def write(self, path: str) -> DataFile:
        """Write it as a file of its own."""
        streams = [
            {"subject": projection, "name": name, "rows": _stream(rows)}
            for projection, tables in self.projections.items()
            for name, rows in tables.items()
        ]
        row: dict[str, Any] = {name: getattr(self, name) for name in _PLAIN} | self.place._asdict() | {"kept": streams}
        return write_file(pa.Table.from_pylist([row], CHECKPOINTS.schema), path)


_PLAIN: Final = ("next_offset", "whole_since", "record_count", "release")


def read_checkpoint(path: str, *, whole: bool = True) -> Checkpoint:
    """Read a memory, or only how far it came."""
    system, name = locate(path)
    columns = [column for column in CHECKPOINTS.column_names if whole or column != "kept"]
    with naming_damage(system, [name]):
        (row,) = pq.read_table(name, columns=columns, filesystem=system, page_checksum_verification=True).to_pylist()
        projections: dict[str, dict[str, pa.Table]] = {}
        for stream in row.pop("kept", ()):
            rows = pa.ipc.open_stream(stream["rows"]).read_all()
            projections.setdefault(stream["subject"], {})[stream["name"]] = rows
    return Checkpoint(Place(row.pop("cluster"), row.pop("log_partition")), **row, projections=projections)


def checkpoint_offsets(warehouse: Warehouse) -> dict[str, int]:
    """The next offset of each place's replay, by its tag."""
    checkpoints = (read_checkpoint(uri, whole=False) for uri in warehouse.files(CHECKPOINTS.full_name))
    return {checkpoint.place.tag: checkpoint.next_offset for checkpoint in checkpoints}


def release() -> str:
    """A checkpoint's release, which must be the current one to continue from it: version and schemas of the tables."""
    tables = [OFFSET_RECORDS, EXTERNAL_COMMITS, ZOOKEEPER_EVENTS, *(TABLES[name] for name in OUTPUTS)]
    schemas = "\n".join(f"{table.full_name} {table.schema}" for table in tables)
    return f"{version('lagbook')} {hashlib.sha256(schemas.encode()).hexdigest()[:16]}"


def _stream(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    content: bytes = sink.getvalue().to_pybytes()
    return content
