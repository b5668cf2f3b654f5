"""Packs of evidence taken apart, changed, and packed again as somebody would who wants them to be believed.

Put here what tests of packs share. What is refused belongs in the tests.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from assets.evidence.pack_file import MANIFEST, manifest_of, write_pack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def members_of(pack: Path) -> dict[str, bytes]:
    """The members of a pack, the manifest among them."""
    with zipfile.ZipFile(pack) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(path: Path, members: Mapping[str, bytes]) -> Path:
    """Write members with a manifest of their digests, as somebody who changed them would."""
    facts = json.loads(members[MANIFEST])
    facts.pop("members")
    others = {name: content for name, content in members.items() if name != MANIFEST}
    with path.open("wb") as stream:
        write_pack(stream, others, manifest_of(others, facts), None)
    return path


def changed_rows(content: bytes, change: Callable[[list[dict[str, Any]]], None]) -> bytes:
    """A Parquet file whose rows somebody changed."""
    table = pq.read_table(io.BytesIO(content))
    rows = table.to_pylist()
    change(rows)
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), sink)
    return sink.getvalue()


class Change(NamedTuple):
    """A column of a member that somebody set to a value, and the address that the refusal names."""

    member: str
    column: str
    value: object
    address: str

    def apply(self, rows: list[dict[str, Any]]) -> None:
        """Set it in every row."""
        for row in rows:
            row[self.column] = self.value
