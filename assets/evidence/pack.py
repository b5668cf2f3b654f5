"""A pack of evidence: what is in it, and how it is gathered.

Put here the meaning of members. The file they are in belongs in `assets.evidence.pack_file`, how they are verified in
`assets.evidence.verification`.
"""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from assets.evidence.cited_records import cited_records
from assets.evidence.claim_scope import ClusterScope
from assets.evidence.claim_sql import fingerprint, sql_members
from assets.evidence.claim_tables import KINDS, claim_tables
from assets.evidence.claims import claim_again, claim_rows, differences
from assets.evidence.logs.log_members import cited_batches
from assets.evidence.packed_rows import CLAIM, packed_rows, questions
from assets.evidence.stores.store_members import cited_commits
from assets.evidence.stores.store_numbers import store_numbers
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb
    import pyarrow as pa

    from assets.evidence.cited_records import CitedRecord, Copies
    from assets.evidence.claim_scope import ClaimScope
    from assets.evidence.pseudonyms import Pseudonyms
    from assets.evidence.stores.store_numbers import StoreNumbers

FORMAT: Final = "lagbook-evidence/2"
FINDINGS: Final = "mart.findings"
PAGE: Final = "report.html"
_PACKAGES: Final = ("lagbook", "duckdb", "pyarrow")
_NAMED: Final = frozenset(
    {"cluster", "group_id", "rank", "incident_id", "title", "claim", "reason", "topics", "members"}
)
"""Columns of an incident that have names, or texts made of them, and its rank among others."""
_NO_PSEUDONYMS: Final = (
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


def gather(
    connection: duckdb.DuckDBPyConnection, scope: ClaimScope, copies: Copies, pseudonyms: Pseudonyms | None = None
) -> Evidence:
    """Gather the rows and bytes of a claim, after making it again of them; a claim that can't be is an error."""
    if pseudonyms is not None:
        _refuse_pseudonyms(scope)
    rows = packed_rows(connection, scope, questions(is_pseudonymous=pseudonyms is not None))
    claim = packed_rows(connection, scope, CLAIM)
    records = cited_records(claim[FINDINGS])
    numbers = None if pseudonyms is None else store_numbers(pseudonyms, [*rows.values(), *claim.values()])
    cited = (
        cited_commits(connection, scope, records, copies, numbers)
        if scope.is_of_store
        else cited_batches(connection, scope, records, copies, pseudonyms)
    )
    if numbers is None:
        _refuse_differences(
            scope, list(differences(claim, claim_again(rows, scope.incident))) if is_made(scope) else []
        )
    else:
        rows = {name: numbers.rows(numbers.pseudonyms.rows(name, table)) for name, table in rows.items()}
        scope, claim = _renamed(scope, claim, rows, numbers)
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
        _NO_PSEUDONYMS: scope.kind == "failover",
        f"one of kind {scope.kind} has no pack with pseudonyms: its claim is not made again": not is_made(scope),
    }
    for reason in (one for one, holds in reasons.items() if holds):
        raise LagbookError(f"incident {scope.incident}: {reason}")


def is_made(scope: ClaimScope) -> bool:
    """Whether the claim is of a kind that is made again."""
    return scope.kind in KINDS


def _refuse_differences(scope: ClaimScope, sentences: Sequence[str]) -> None:
    if sentences:
        reason = f"the rows of its group alone give another claim, so there is no pack: {sentences[0]}"
        raise LagbookError(f"incident {scope.incident}: {reason}")


def _renamed(
    scope: ClaimScope, claim: Mapping[str, pa.Table], rows: Mapping[str, pa.Table], numbers: StoreNumbers
) -> tuple[ClaimScope, dict[str, pa.Table]]:
    """The scope with pseudonyms, and the claim made of renamed rows, which says what the first one does."""
    (before,) = numbers.rows(claim["mart.incidents"]).to_pylist()
    with claim_tables(rows) as connection:
        place = {name: before[name] for name in ("log_partition", "log_offset", "kind", "pattern", "detected_at")}
        incident = next((name for (name,) in connection.execute(_SAME_INCIDENT, place).fetchall()), "")
        again = claim_rows(connection, incident)
    after: dict[str, Any] = next(iter(again["mart.incidents"].to_pylist()), {})
    unlike = (name for name in before if name not in _NAMED and before[name] != after.get(name))
    _refuse_differences(scope, [f"{name}: expected {before[name]!r}, found {after.get(name)!r}" for name in unlike])
    return _renamed_scope(scope, incident, numbers), again


def _renamed_scope(scope: ClaimScope, incident: str, numbers: StoreNumbers) -> ClaimScope:
    pseudonyms = numbers.pseudonyms
    return replace(
        scope,
        incident=incident,
        log_partition=numbers.number(scope.log_partition),
        cluster=pseudonyms.of("cluster", scope.cluster),
        group_id=pseudonyms.of("group", scope.group_id),
        topics=tuple(pseudonyms.of("topic", topic) for topic in scope.topics),
        clusters=tuple(
            ClusterScope(pseudonyms.of("cluster", one.cluster), numbers.number(one.log_partition))
            for one in scope.clusters
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


def member_of(table: str) -> str:
    """The name of a table's rows in a pack."""
    return f"tables/{table}.parquet"
