"""What could not be read: one row each, with its place, its bytes, what was expected and what was found.

Only the row and its table belong here. Who finds the trouble words it: batches, records, codecs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.words import ByteArray

QUOTED_BYTES: Final = 4096

QUARANTINE_SCHEMA: Final = pa.schema(
    [
        ("position", pa.int64()),
        ("size_bytes", pa.int64()),
        ("log_offset", pa.int64()),
        ("reason", pa.string()),
        ("expected", pa.string()),
        ("found", pa.string()),
        ("bytes", pa.binary()),
    ]
)


@dataclass(frozen=True)
class Trouble:
    """One stretch of a file that could not be read; `bytes` holds its beginning."""

    position: int
    size_bytes: int
    log_offset: int | None
    reason: str
    expected: str
    actual: str
    bytes: bytes


def quote_bytes(buffer: ByteArray, start: int, end: int) -> bytes:
    """Give buffer[start:end], cut to what a row of quarantine keeps."""
    return buffer[start : min(end, start + QUOTED_BYTES)].tobytes()


def quarantine_row(trouble: Trouble) -> dict[str, Any]:
    """Lay one trouble out as a row of the quarantine."""
    return dict(zip(QUARANTINE_SCHEMA.names, (getattr(trouble, field.name) for field in fields(Trouble)), strict=True))


def quarantine_table(troubles: Sequence[Trouble]) -> pa.RecordBatch:
    """Lay the troubles out as the columns of the quarantine."""
    columns = [[getattr(trouble, field.name) for trouble in troubles] for field in fields(Trouble)]
    return pa.record_batch(columns, schema=QUARANTINE_SCHEMA)
