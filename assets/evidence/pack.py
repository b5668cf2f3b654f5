"""A pack of evidence: what is in it, and how it is gathered.

Put here the meaning of members. The file they are in belongs in `assets.evidence.pack_file`, how they are verified in
`assets.evidence.verification`.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.parquet as pq

from assets.evidence.cited_batches import cite
from assets.evidence.cited_records import CitedRecord, by_log, cited_records
from assets.evidence.claim_scope import ClusterScope
from assets.evidence.claim_sql import fingerprint, sql_members
from assets.evidence.claim_tables import KINDS, claim_tables
from assets.evidence.claims import claim_again, claim_rows, differences
from assets.evidence.packed_rows import CLAIM, RAW, packed_rows, questions
from assets.evidence.record_forms import form_of
from assets.evidence.stores.citations import cite as cite_commits
from assets.evidence.stores.citations import commits_by_offset, have_bytes, unchecked_of
from assets.evidence.stores.zookeeper_events import Event, event_scope_of, events_in, events_of_store
from assets.evidence.stores.zookeeper_events import cite as cite_events
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from assets.evidence.cited_batches import CitedBatch
    from assets.evidence.claim_scope import ClaimScope
    from assets.evidence.pseudonyms import Pseudonyms
    from parsers.files.discovery import SegmentFile

FORMAT: Final = "lagbook-evidence/2"
FINDINGS: Final = "mart.findings"
PAGE: Final = "report.html"
BATCHES: Final = "batches.json"
STORE_COMMITS: Final = "store_commits.json"
"""The cited commits of a store outside Kafka, with the files that bear each out."""
STORE_EVENTS: Final = "store_events.json"
"""The files that bear out what ZooKeeper tells of members, owners, topics and sessions."""
UNCHECKED: Final[Mapping[str, str]] = {
    "archived": "the limit of deliveries, by which a rejection is told from the last attempt (rows of "
    "raw.configurations)",
    "stuck": "that no record between the first and the last one that are cited accepted any (rows of "
    "raw.internal_records)",
    "failover": "which cluster the source is, and that the group committed nothing there afterwards (rows)",
}
"""What no cited byte says of claims of a kind."""
_PACKAGES: Final = ("lagbook", "duckdb", "pyarrow")
_NAMED: Final = frozenset(
    {"cluster", "group_id", "rank", "incident_id", "title", "claim", "reason", "topics", "members"}
)
"""Columns of an incident that have names, or texts made of them, and its rank among others."""
_NO_PSEUDONYMS: Final = (
    "a claim that rests on a store outside Kafka has no pack with pseudonyms, for the store's number and the positions "
    "in it are made of names, by which a guess could be confirmed"
)
_NO_PSEUDONYMS_OF_MIRRORS: Final = (
    "a claim about a fail-over has no pack with pseudonyms, for the name of a topic at the target is made of the "
    "source's alias and of its name there"
)
_SAME_INCIDENT: Final = """
    SELECT incident_id FROM mart.incidents
    WHERE log_partition IS NOT DISTINCT FROM $log_partition AND log_offset = $log_offset AND kind = $kind
        AND pattern = $pattern AND detected_at IS NOT DISTINCT FROM $detected_at
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a pack has: its members, the facts of its manifest, and the cited records whose bytes are not in it."""

    members: dict[str, bytes]
    facts: dict[str, Any]
    cited: int
    missing: tuple[CitedRecord, ...]
    missing_events: int = 0
    """Events of ZooKeeper whose bytes are in no file."""
    unchecked: tuple[str, ...] = ()
    """What no byte that could be cited says, in sentences."""
    can_be_cited: bool = True
    """Whether what the claim rests on has bytes at all."""
    is_of_store: bool = False


class Copies(NamedTuple):
    """Where the bytes of what a claim cites may be: segments of the logs, or places with a store's files."""

    segments: tuple[SegmentFile, ...] = ()
    places: tuple[str, ...] = ()
    named: Callable[[str], str] = str
    """The name of a file at a path, which may be the copy of one in an archive."""


class _Cited(NamedTuple):
    """The members with what a claim cites, and the cited records whose bytes are nowhere."""

    members: dict[str, bytes]
    missing: tuple[CitedRecord, ...]
    missing_events: int = 0
    unchecked: tuple[str, ...] = ()
    can_be_cited: bool = True

    def rest(self) -> dict[str, Any]:
        """All but the members."""
        return {name: value for name, value in self._asdict().items() if name != "members"}


def gather(
    connection: duckdb.DuckDBPyConnection, scope: ClaimScope, copies: Copies, pseudonyms: Pseudonyms | None = None
) -> Evidence:
    """Gather the rows and bytes of a claim, after making it again of them; a claim that can't be is an error."""
    if pseudonyms is not None:
        _refuse_pseudonyms(scope)
    rows = packed_rows(connection, scope, questions(is_pseudonymous=pseudonyms is not None))
    claim = packed_rows(connection, scope, CLAIM)
    records = cited_records(claim[FINDINGS])
    cited = (
        _cited_commits(scope, rows, records, copies)
        if scope.is_of_store
        else _cited_batches(connection, scope, records, copies, pseudonyms)
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
    members = {**tables, **cited.members, **sql_members()}
    return Evidence(members, facts, len(records), is_of_store=scope.is_of_store, **cited.rest())


def records_of(connection: duckdb.DuckDBPyConnection, scope: ClaimScope) -> tuple[CitedRecord, ...]:
    """The records that a claim cites."""
    return cited_records(packed_rows(connection, scope, {FINDINGS: CLAIM[FINDINGS]})[FINDINGS])


def _refuse_pseudonyms(scope: ClaimScope) -> None:
    """Refuse a claim that pseudonyms would not hide, or would change."""
    reasons = {
        _NO_PSEUDONYMS: scope.is_of_store,
        _NO_PSEUDONYMS_OF_MIRRORS: scope.kind == "failover",
        f"one of kind {scope.kind} has no pack with pseudonyms: its claim is not made again": not is_made(scope),
    }
    for reason in (one for one, holds in reasons.items() if holds):
        raise LagbookError(f"incident {scope.incident}: {reason}")


def _cited_batches(
    connection: duckdb.DuckDBPyConnection,
    scope: ClaimScope,
    cited: Sequence[CitedRecord],
    copies: Copies,
    pseudonyms: Pseudonyms | None,
) -> _Cited:
    """The batches of all logs that are cited; with pseudonyms where they are, without their bytes."""
    tables = {form_of(record.log.topic).table for record in cited}
    rows = packed_rows(connection, scope, {name: RAW[name] for name in sorted(tables)})
    members, batches, missing = dict[str, bytes](), list[dict[str, Any]](), list[CitedRecord]()
    for log, offsets in by_log(cited).items():
        citations = cite(copies.segments, log, offsets, form_of(log.topic).rows(rows, log, offsets))
        for batch, content in citations.batches:
            member = f"batches/{len(batches)}-{log.partition}-{batch.base_offset}.bin"
            batches.append(_citation(batch, content, member, pseudonyms))
            members |= {member: content} if pseudonyms is None else {}
        missing += [CitedRecord(log, offset) for offset in citations.missing]
    return _Cited({**members, BATCHES: _json(batches)}, tuple(missing), unchecked=unchecked_of_kind(scope.kind))


def _cited_commits(
    scope: ClaimScope, rows: Mapping[str, pa.Table], cited: Sequence[CitedRecord], copies: Copies
) -> _Cited:
    """The files of a store outside Kafka: of its commits, and of what ZooKeeper tells besides."""
    commits = commits_by_offset(rows, [record.offset for record in cited])
    citations = cite_commits(commits, copies.places)
    members, described = citations.members(copies.named)
    events, event_scope = events_of_store(scope, rows), event_scope_of(scope, rows)
    files = {f"events/{number}.bin": one for number, one in enumerate(cite_events(events, event_scope, copies.places))}
    borne_out = sum((events_in(one, event_scope) for one in files.values()), Counter[Event]())
    members |= {name: one.content for name, one in files.items()}
    members[STORE_COMMITS] = _json(described)
    members[STORE_EVENTS] = _json([one.as_json(name, copies.named) for name, one in files.items()])
    return _Cited(
        members,
        tuple(record for record in cited if record.offset not in citations.pieces),
        (event_scope.of(events) - borne_out).total(),
        unchecked_of(commits),
        can_be_cited=have_bytes(commits),
    )


def _citation(batch: CitedBatch, content: bytes, member: str, pseudonyms: Pseudonyms | None) -> dict[str, Any]:
    """What is told of a batch; with pseudonyms where it stands, and a digest that only the key can repeat."""
    if pseudonyms is None:
        return batch.as_json(member)
    places = ("topic", "partition", "base_offset", "last_offset", "position", "size_bytes", "segment_base_offset")
    facts = {name: getattr(batch, name) for name in places}
    return {**facts, "log_offsets": list(batch.log_offsets), "keyed_blake3": pseudonyms.digest(content)}


def unchecked_of_kind(kind: str) -> tuple[str, ...]:
    """What no cited byte says of a claim of a kind, in sentences."""
    return (UNCHECKED[kind],) if kind in UNCHECKED else ()


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
    (before,) = claim["mart.incidents"].to_pylist()
    with claim_tables(rows) as connection:
        place = {name: before[name] for name in ("log_partition", "log_offset", "kind", "pattern", "detected_at")}
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
        clusters=tuple(
            ClusterScope(pseudonyms.of("cluster", one.cluster), one.log_partition) for one in scope.clusters
        ),
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


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, sort_keys=True).encode("ascii")


def member_of(table: str) -> str:
    """The name of a table's rows in a pack."""
    return f"tables/{table}.parquet"
