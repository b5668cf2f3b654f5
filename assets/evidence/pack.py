"""A pack of evidence: what is in it, and how it is gathered.

Put here the meaning of members. The file they are in belongs in `assets.evidence.pack_file`, how they are verified in
`assets.evidence.verification`.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.parquet as pq

from assets import models
from assets.catalog.raw.external import ZOOKEEPER_EVENTS
from assets.evidence.cited_batches import cite, cited_offsets, records_by_offset
from assets.evidence.claim_tables import KINDS, OUTPUTS, RECORDS, claim_tables
from assets.evidence.claims import claim_again, claim_rows, differences
from assets.evidence.packed_rows import CLAIM, RAW, RECONSTRUCTED, ClaimScope, packed_rows
from assets.evidence.stores.citations import cite as cite_commits
from assets.evidence.stores.citations import commits_by_offset, have_bytes, unchecked_of
from assets.ingest.stores.archive import EXTERNAL
from assets.models import MACROS
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from assets.evidence.cited_batches import CitedBatch
    from assets.evidence.pseudonyms import Pseudonyms
    from parsers.files.discovery import SegmentFile

FORMAT: Final = "lagbook-evidence/1"
BATCHES: Final = "batches.json"
STORE_COMMITS: Final = "store_commits.json"
"""The cited commits of a store outside Kafka, with the files that bear each out."""
_PACKAGES: Final = ("lagbook", "duckdb", "pyarrow")
_NAMED: Final = frozenset(
    {"cluster", "group_id", "rank", "incident_id", "title", "claim", "reason", "topics", "members"}
)
"""Columns of an incident that have names, or texts made of them, and its rank among others."""
_NO_PSEUDONYMS: Final = (
    "a claim that rests on a store outside Kafka has no pack with pseudonyms, for the store's number and the positions "
    "in it are made of names, by which a guess could be confirmed"
)
_SAME_INCIDENT: Final = """
    SELECT incident_id FROM mart.incidents
    WHERE log_partition = $log_partition AND log_offset = $log_offset AND kind = $kind
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a pack has: its members, the facts of its manifest, and the cited records whose bytes are not in it."""

    members: dict[str, bytes]
    facts: dict[str, Any]
    missing: tuple[int, ...]
    cited: int
    unchecked: tuple[str, ...] = ()
    """What no byte that could be cited says, in sentences."""
    can_be_cited: bool = True
    """Whether what the claim rests on has bytes at all."""


class Copies(NamedTuple):
    """Where the bytes of what a claim cites may be: segments of the offsets topic, or places with a store's files."""

    segments: tuple[SegmentFile, ...] = ()
    places: tuple[str, ...] = ()


class _Cited(NamedTuple):
    """The members with what a claim cites, and the cited records whose bytes are nowhere."""

    members: dict[str, bytes]
    missing: tuple[int, ...]
    unchecked: tuple[str, ...] = ()
    can_be_cited: bool = True


def gather(
    connection: duckdb.DuckDBPyConnection, scope: ClaimScope, copies: Copies, pseudonyms: Pseudonyms | None = None
) -> Evidence:
    """Gather the rows and bytes of a claim, after making it again of them; a claim that can't be is an error."""
    if scope.is_of_store and pseudonyms is not None:
        raise LagbookError(f"incident {scope.incident}: {_NO_PSEUDONYMS}")
    questions = RAW if pseudonyms is None else {**without_records(RAW), **RECONSTRUCTED}
    rows, claim = packed_rows(connection, scope, questions), packed_rows(connection, scope, CLAIM)
    offsets = cited_offsets(claim["mart.findings"])
    cited = (
        _cited_commits(rows, offsets, copies)
        if scope.is_of_store
        else _cited_batches(connection, scope, offsets, copies, pseudonyms)
    )
    if pseudonyms is None:
        _refuse_differences(
            scope, list(differences(claim, claim_again(rows, scope.incident))) if is_made(scope) else []
        )
    else:
        rows = {name: pseudonyms.rows(name, table) for name, table in rows.items()}
        scope, claim = _renamed(scope, claim, rows, pseudonyms)
    tables = {member_of(name): _parquet(table) for name, table in {**rows, **claim}.items()}
    facts = _facts(scope, is_pseudonymous=pseudonyms is not None)
    members = {**tables, **cited.members, **_sql()}
    return Evidence(members, facts, cited.missing, len(offsets), cited.unchecked, cited.can_be_cited)


def _cited_batches(
    connection: duckdb.DuckDBPyConnection,
    scope: ClaimScope,
    offsets: Sequence[int],
    copies: Copies,
    pseudonyms: Pseudonyms | None,
) -> _Cited:
    """The batches of the offsets topic; with pseudonyms where they are, without their bytes."""
    records = records_by_offset(packed_rows(connection, scope, {RECORDS: RAW[RECORDS]}), scope.log_partition, offsets)
    citations = cite(copies.segments, offsets, records)
    members = {
        **({batch.member: content for batch, content in citations.batches} if pseudonyms is None else {}),
        BATCHES: _json([_citation(*cited, pseudonyms) for cited in citations.batches]),
    }
    return _Cited(members, citations.missing)


def _cited_commits(rows: Mapping[str, pa.Table], offsets: Sequence[int], copies: Copies) -> _Cited:
    """The files of a store outside Kafka."""
    commits = commits_by_offset(rows, offsets)
    citations = cite_commits(commits, copies.places)
    members, described = citations.members()
    members = {**members, STORE_COMMITS: _json(described)}
    missing = tuple(offset for offset in offsets if offset not in citations.pieces)
    return _Cited(members, missing, unchecked_of(commits), can_be_cited=have_bytes(commits))


def _citation(batch: CitedBatch, content: bytes, pseudonyms: Pseudonyms | None) -> dict[str, Any]:
    """What is told of a batch; with pseudonyms where it stands, and a digest that only the key can repeat."""
    if pseudonyms is None:
        return batch.as_json()
    places = ("log_partition", "base_offset", "last_offset", "position", "size_bytes", "segment_base_offset")
    facts = {name: getattr(batch, name) for name in places}
    return {**facts, "log_offsets": list(batch.log_offsets), "keyed_blake3": pseudonyms.digest(content)}


def without_records(questions: Mapping[str, str]) -> dict[str, str]:
    """The questions but those of the tables from which history is reconstructed."""
    records = {RECORDS, EXTERNAL, ZOOKEEPER_EVENTS.full_name}
    return {name: question for name, question in questions.items() if name not in records}


def is_made(scope: ClaimScope) -> bool:
    """Whether the claim is of a kind that is made again."""
    return scope.kind in KINDS


def _refuse_differences(scope: ClaimScope, sentences: Sequence[str]) -> None:
    if sentences:
        reason = f"the rows of its group alone give another claim, so there is no pack: {sentences[0]}"
        raise LagbookError(f"incident {scope.incident}: {reason}")


def _renamed(
    scope: ClaimScope, claim: Mapping[str, pa.Table], rows: Mapping[str, pa.Table], pseudonyms: Pseudonyms
) -> tuple[ClaimScope, dict[str, pa.Table]]:
    """The scope with pseudonyms, and the claim made of renamed rows, which says what the first one does."""
    if not is_made(scope):
        raise LagbookError(f"an incident of kind {scope.kind} has no pack with pseudonyms: its claim is not made again")
    (before,) = claim["mart.incidents"].to_pylist()
    with claim_tables(rows) as connection:
        place = {name: before[name] for name in ("log_partition", "log_offset", "kind")}
        incident = next((name for (name,) in connection.execute(_SAME_INCIDENT, place).fetchall()), "")
        again = claim_rows(connection, incident)
    after: dict[str, Any] = next(iter(again["mart.incidents"].to_pylist()), {})
    unlike = (name for name in before if name not in _NAMED and before[name] != after.get(name))
    _refuse_differences(scope, [f"{name}: expected {before[name]!r}, found {after.get(name)!r}" for name in unlike])
    return _renamed_scope(scope, incident, pseudonyms), again


def _renamed_scope(scope: ClaimScope, incident: str, pseudonyms: Pseudonyms) -> ClaimScope:
    return replace(
        scope,
        incident=incident,
        cluster=pseudonyms.of("cluster", scope.cluster),
        group_id=pseudonyms.of("group", scope.group_id),
        topics=tuple(pseudonyms.of("topic", topic) for topic in scope.topics),
    )


def _facts(scope: ClaimScope, *, is_pseudonymous: bool) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "made_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in _PACKAGES},
        "models": fingerprint(),
        "scope": asdict(scope),
        "is_pseudonymous": is_pseudonymous,
        "is_claim_made_again": is_made(scope),
    }


def fingerprint() -> str:
    """A digest of the SQL by which this release makes claims."""
    return models.fingerprint(*(name.partition(".")[2] for name in OUTPUTS))


def _sql() -> dict[str, bytes]:
    """The SQL of the tables that are made, for who reads it; it is never run from a pack."""
    selects = {f"sql/{name}.sql": models.select(name.partition(".")[2]) for name in OUTPUTS}
    macros = "\n\n".join(macro.statement for macro in MACROS)
    return {name: sql.encode() for name, sql in {**selects, "sql/macros.sql": macros}.items()}


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode("ascii")


def member_of(table: str) -> str:
    """The name of a table's rows in a pack."""
    return f"tables/{table}.parquet"
