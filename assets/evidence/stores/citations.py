"""The commits that a claim cites, with the bytes that bear them out: found in a store's files, and read again.

Put here what a pack has of a store. What the bytes of a kind of store say belongs in the module of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from blake3 import blake3

from assets.evidence.stores import spark_files, zookeeper_files
from assets.evidence.stores.piece import Piece, StoreFormat
from assets.ingest.read_history import INSIDE
from assets.ingest.stores import zookeeper
from assets.ingest.stores.archive import EXTERNAL, store_number
from assets.ingest.stores.spark import reader as spark
from assets.ingest.stores.sql import reader as sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assets.evidence.stores.piece import Row

FORMATS: Final[Mapping[str, StoreFormat]] = {spark.KIND: spark_files.FORMAT, zookeeper.KIND: zookeeper_files.FORMAT}
"""The kinds of stores whose bytes can be cited."""
UNCHECKED_ROWS: Final[Mapping[str, str]] = {
    sql.KIND: "a SQL table has no bytes to cite: its rows are what runs read of it, and nothing here shows that they "
    "stood there, or what came and went between two runs"
}
"""Why those of other kinds can't."""
FACTS: Final[Mapping[str, type]] = {
    "member": str,
    "role": str,
    "path": str,
    "position": int,
    "size_bytes": int,
    "blake3": str,
}
"""What has to be known of each file."""


@dataclass(frozen=True, slots=True)
class StoreCitations:
    """The pieces that bear out each commit."""

    pieces: Mapping[int, tuple[Piece, ...]]

    def members(self, named: Callable[[str], str] = str) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
        """The bytes of each piece once by their names in a pack, and which of them each commit has, by their files."""
        names: dict[Piece, str] = {}
        for piece in (one for pieces in self.pieces.values() for one in pieces):
            names.setdefault(piece, f"files/{len(names)}-{piece.role}.bin")
        commits = [
            {"log_offset": log_offset, "files": [_described(names[one], one, named) for one in pieces]}
            for log_offset, pieces in self.pieces.items()
        ]
        return {name: piece.content for piece, name in names.items()}, commits


def _described(member: str, piece: Piece, named: Callable[[str], str]) -> dict[str, Any]:
    """What is known of a piece but its bytes."""
    facts = {name: getattr(piece, name) for name in ("role", "position", "modified_ms")}
    return {**facts, "path": named(piece.path), **_digests(piece.content), "member": member}


def _digests(content: bytes) -> dict[str, Any]:
    return {"size_bytes": len(content), "blake3": blake3(content).hexdigest()}


def cite(rows: Mapping[int, Row], places: Sequence[str]) -> StoreCitations:
    """Find the bytes of each commit: in places that are named, and in the files that it was read from."""
    pieces: dict[int, tuple[Piece, ...]] = {}
    for kind in {row["store_kind"] for row in rows.values()} & FORMATS.keys():
        pieces |= _pieces_of(
            FORMATS[kind], {one: row for one, row in rows.items() if row["store_kind"] == kind}, places
        )
    return StoreCitations(pieces)


def _pieces_of(form: StoreFormat, rows: Mapping[int, Row], places: Sequence[str]) -> dict[int, tuple[Piece, ...]]:
    """The first pieces that bear out each commit of a kind of store."""
    read_from = (row["source_file"] for row in rows.values() if INSIDE not in row["source_file"])
    looked_in = [*dict.fromkeys([*places, *map(form.place_of, read_from)])]
    pieces: dict[int, tuple[Piece, ...]] = {}
    for log_offset, candidate in form.candidates(looked_in, rows):
        if log_offset not in pieces and not any(form.complaints(rows[log_offset], candidate)):
            pieces[log_offset] = candidate
        if len(pieces) == len(rows):
            break
    return pieces


def commits_by_offset(rows: Mapping[str, pa.Table], offsets: Iterable[int]) -> dict[int, Row]:
    """The rows of these commits in a table of them."""
    table = rows[EXTERNAL]
    is_cited = pc.is_in(table["log_offset"], pa.array(list(offsets), pa.int64()))
    return {row["log_offset"]: row for row in table.filter(is_cited).to_pylist()}


def have_bytes(rows: Mapping[int, Row]) -> bool:
    """Whether commits are of a kind of store whose bytes can be cited."""
    return any(row["store_kind"] in FORMATS for row in rows.values())


def unchecked_of(rows: Mapping[int, Row]) -> tuple[str, ...]:
    """What no byte says of commits of these kinds of stores."""
    sentences = {**{kind: form.unchecked for kind, form in FORMATS.items()}, **UNCHECKED_ROWS}
    return tuple(sentences[kind] for kind in sorted({row["store_kind"] for row in rows.values()} & sentences.keys()))


def is_citation_of_store(commit: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a pack says all of a cited commit that has to be known."""
    if not isinstance(commit, dict) or not isinstance(commit.get("log_offset"), int):
        return False
    files = commit.get("files")
    return isinstance(files, list) and all(
        isinstance(file, dict) and all(isinstance(file.get(name), kind) for name, kind in FACTS.items())
        for file in files
    )


def contradictions(
    commit: Mapping[str, Any], contents: Mapping[str, bytes], rows: Mapping[int, Row], log_partition: int | None
) -> Iterator[str]:
    """Where the bytes of a commit and its row say different things."""
    log_offset = commit["log_offset"]
    if log_offset not in rows:
        yield f"commit {log_offset}: expected in the rows of {EXTERNAL}, found none"
        return
    row = rows[log_offset]
    numbers = {row["log_partition"], store_number(row["store_kind"], row["store"])}
    if numbers != {log_partition} or row["store_kind"] not in FORMATS:
        yield f"{EXTERNAL} {log_offset}: expected a store with the number {log_partition}, found {row['store']!r}"
        return
    for file in commit["files"]:
        actual = _digests(contents[file["member"]])
        for name in (one for one in actual if actual[one] != file[one]):
            yield f"{file['member']}: {name}: expected {file[name]}, found {actual[name]}"
    pieces = [Piece(one["role"], one["path"], one["position"], contents[one["member"]]) for one in commit["files"]]
    for sentence in FORMATS[row["store_kind"]].complaints(row, pieces):
        yield f"{', '.join(one['member'] for one in commit['files'])}: commit {log_offset}: {sentence}"
