"""A pack of evidence: what is in it, how it is made, and how it is verified.

Put here the meaning of members. The file they are in belongs in `assets.evidence.pack_file`.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from assets import models
from assets.catalog import TABLES
from assets.evidence.cited_batches import cite, cited_offsets, contradictions, records_by_offset
from assets.evidence.claim_tables import KINDS, OUTPUTS, RECORDS, claim_tables
from assets.evidence.claims import claim_again, claim_rows, differences
from assets.evidence.pack_file import TamperedError
from assets.evidence.packed_rows import CLAIM, MOST_ROWS, RAW, RECONSTRUCTED, ClaimScope, packed_rows
from assets.models import MACROS
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.evidence.cited_batches import CitedBatch
    from assets.evidence.pack_file import PackReader
    from assets.evidence.pseudonyms import Pseudonyms
    from parsers.files.discovery import SegmentFile

FORMAT: Final = "lagbook-evidence/1"
BATCHES: Final = "batches.json"
MOST_TABLE_BYTES: Final = 2 << 30
_PACKAGES: Final = ("lagbook", "duckdb", "pyarrow")
_MOST_NAMED: Final = 20
_NAMED: Final = frozenset(
    {"cluster", "group_id", "rank", "incident_id", "title", "claim", "reason", "topics", "members"}
)
"""Columns of an incident that have names, or texts made of them, and its rank among others."""
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


def gather(
    connection: duckdb.DuckDBPyConnection,
    scope: ClaimScope,
    segments: Sequence[SegmentFile],
    pseudonyms: Pseudonyms | None = None,
) -> Evidence:
    """Gather the rows and bytes of a claim, after making it again of them; a claim that can't be is an error."""
    questions = RAW if pseudonyms is None else {**_without_records(RAW), **RECONSTRUCTED}
    rows, claim = packed_rows(connection, scope, questions), packed_rows(connection, scope, CLAIM)
    offsets = cited_offsets(claim["mart.findings"])
    records = records_by_offset(packed_rows(connection, scope, {RECORDS: RAW[RECORDS]}), scope.log_partition, offsets)
    citations = cite(segments, offsets, records)
    if pseudonyms is None:
        _refuse_differences(
            scope, list(differences(claim, claim_again(rows, scope.incident))) if _is_made(scope) else []
        )
    else:
        rows = {name: pseudonyms.rows(name, table) for name, table in rows.items()}
        scope, claim = _renamed(scope, claim, rows, pseudonyms)
    members = {
        **{f"tables/{name}.parquet": _parquet(table) for name, table in {**rows, **claim}.items()},
        **({batch.member: content for batch, content in citations.batches} if pseudonyms is None else {}),
        BATCHES: _json([_citation(*cited, pseudonyms) for cited in citations.batches]),
        **_sql(),
    }
    return Evidence(members, _facts(scope, is_pseudonymous=pseudonyms is not None), citations.missing, len(offsets))


def _citation(batch: CitedBatch, content: bytes, pseudonyms: Pseudonyms | None) -> dict[str, Any]:
    """What is told of a batch; with pseudonyms where it stands, and a digest that only the key can repeat."""
    if pseudonyms is None:
        return batch.as_json()
    places = ("log_partition", "base_offset", "last_offset", "position", "size_bytes", "segment_base_offset")
    facts = {name: getattr(batch, name) for name in places}
    return {**facts, "log_offsets": list(batch.log_offsets), "keyed_blake3": pseudonyms.digest(content)}


def _without_records(questions: Mapping[str, str]) -> dict[str, str]:
    return {name: question for name, question in questions.items() if name != RECORDS}


def _is_made(scope: ClaimScope) -> bool:
    return scope.kind in KINDS


def _refuse_differences(scope: ClaimScope, sentences: Sequence[str]) -> None:
    if sentences:
        reason = f"the rows of its group alone give another claim, so there is no pack: {sentences[0]}"
        raise LagbookError(f"incident {scope.incident}: {reason}")


def _renamed(
    scope: ClaimScope, claim: Mapping[str, pa.Table], rows: Mapping[str, pa.Table], pseudonyms: Pseudonyms
) -> tuple[ClaimScope, dict[str, pa.Table]]:
    """The scope with pseudonyms, and the claim made of renamed rows, which says what the first one does."""
    if not _is_made(scope):
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
        "is_claim_made_again": _is_made(scope),
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


@dataclass(slots=True)
class Verification:
    """What was verified of a pack."""

    scope: ClaimScope
    members: int = 0
    batches: int = 0
    records: int = 0
    missing: tuple[int, ...] = ()
    is_claim_made_again: bool = False
    is_same_sql: bool = True
    is_pseudonymous: bool = False
    title: str = ""


def verify(pack: PackReader) -> Verification:
    """Verify digests, decode the cited bytes, and make the claim again; whatever differs is told with its address."""
    result = Verification(_scope(pack))
    result.members = _verify_digests(pack)
    rows = {name: _table(pack, name) for name in (*RAW, *RECONSTRUCTED) if _member(name) in pack.entries}
    claim = {name: _table(pack, name) for name in CLAIM}
    _verify_batches(pack, rows, claim, result)
    result.title = _verify_scope(pack, result.scope, claim["mart.incidents"].to_pylist())
    result.is_same_sql = pack.manifest.get("models") == fingerprint()
    result.is_pseudonymous = RECORDS not in rows
    if _is_made(result.scope):
        _refuse(pack, _claim_differences(rows, claim, result))
        result.is_claim_made_again = True
    return result


def _verify_scope(pack: PackReader, scope: ClaimScope, incidents: Sequence[Mapping[str, Any]]) -> str:
    """Refuse a manifest that names another incident than the claim is; give the claim's title."""
    place = f"{pack.path}: {_member('mart.incidents')}"
    if len(incidents) != 1:
        raise TamperedError(f"{place}: expected one incident, found {len(incidents)}")
    named = {"incident_id": scope.incident, **asdict(scope)}
    for name in ("incident_id", "kind", "cluster", "group_id", "log_partition"):
        if incidents[0][name] != named[name]:
            raise TamperedError(f"{place}: {name}: expected {named[name]!r}, found {incidents[0][name]!r}")
    return str(incidents[0]["title"])


def _claim_differences(
    rows: Mapping[str, pa.Table], claim: Mapping[str, pa.Table], result: Verification
) -> Iterator[str]:
    """Where the claim differs from the one that is made again; rows of which none can be made are one difference."""
    try:
        again = claim_again(rows, result.scope.incident)
    except (duckdb.Error, pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError) as error:
        yield f"the rows give no claim: {type(error).__name__}: {str(error)[:200]}"
        return
    release = "" if result.is_same_sql else "by the SQL of this release, which is not the one that made the pack: "
    yield from (release + sentence for sentence in differences(claim, again))


def _verify_digests(pack: PackReader) -> int:
    for name in pack.entries:
        pack.read(name)
    return len(pack.entries)


def _verify_batches(
    pack: PackReader, rows: Mapping[str, pa.Table], claim: Mapping[str, pa.Table], result: Verification
) -> None:
    """Decode every batch and compare its cited records with the rows; count what is cited without bytes."""
    batches, offsets = pack.json(BATCHES), cited_offsets(claim["mart.findings"])
    if not isinstance(batches, list):
        raise TamperedError(f"{pack.path}: {BATCHES}: expected a list, found none")
    borne_out: set[int] = set()
    if RECORDS in rows:
        records = records_by_offset(rows, result.scope.log_partition, offsets)
        for batch in batches:
            _refuse(pack, _contradictions(pack, batch, records))
            borne_out |= set(batch["log_offsets"])
        result.batches = len(batches)
    result.records = len(borne_out & set(offsets))
    result.missing = tuple(offset for offset in offsets if offset not in borne_out)


def _contradictions(pack: PackReader, batch: Any, records: Mapping[int, dict[str, Any]]) -> Iterator[str]:  # noqa: ANN401 - any JSON
    facts = {"member": str, "size_bytes": int, "blake3": str, "crc": int, "base_offset": int, "log_offsets": list}
    for name, kind in facts.items():
        if not isinstance(batch, dict) or not isinstance(batch.get(name), kind):
            raise TamperedError(f"{pack.path}: {BATCHES}: {name}: expected one of each batch, found none")
    if not all(isinstance(offset, int) for offset in batch["log_offsets"]):
        raise TamperedError(f"{pack.path}: {BATCHES}: log_offsets: expected numbers, found others")
    yield from contradictions(batch, pack.read(batch["member"]), records)


def _refuse(pack: PackReader, sentences: Iterator[str]) -> None:
    first = list(islice(sentences, _MOST_NAMED))
    if first:
        raise TamperedError("; ".join(f"{pack.path}: {sentence}" for sentence in first))


def _scope(pack: PackReader) -> ClaimScope:
    """The scope that the manifest names, if the pack is of a form that this release reads."""
    facts, scope = pack.manifest, pack.manifest.get("scope")
    if facts.get("format") != FORMAT:
        raise TamperedError(f"{pack.path}: format: expected {FORMAT}, found {str(facts.get('format'))[:60]!r}")
    kinds = {"incident": str, "kind": str, "cluster": str, "group_id": str, "log_partition": int, "topics": list}
    if not isinstance(scope, dict) or not all(isinstance(scope.get(name), kind) for name, kind in kinds.items()):
        raise TamperedError(f"{pack.path}: scope: expected {', '.join(kinds)}, found something else")
    named = {name: scope[name] for name in kinds if name != "topics"}
    return ClaimScope(**named, topics=tuple(map(str, scope["topics"])))


def _member(table: str) -> str:
    return f"tables/{table}.parquet"


def _table(pack: PackReader, name: str) -> pa.Table:
    """The rows of a table, with columns of the catalog alone; one that would take too much memory is refused."""
    place, content = f"{pack.path}: {_member(name)}", pack.read(_member(name))
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        _refuse_table(place, file, TABLES[name].schema)
        rows = file.read()
        return rows.cast(pa.schema([pa.field(one, TABLES[name].schema.field(one).type) for one in rows.column_names]))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise TamperedError(f"{place}: expected Parquet: {str(error)[:200]}") from error


def _refuse_table(place: str, file: pq.ParquetFile, schema: pa.Schema) -> None:
    metadata = file.metadata
    unpacked = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    if metadata.num_rows > MOST_ROWS or unpacked > MOST_TABLE_BYTES:
        raise TamperedError(f"{place}: {metadata.num_rows} rows of {unpacked} bytes are more than a pack may have")
    if unlike := sorted(frozenset(file.schema_arrow.names) ^ frozenset(schema.names)):
        where = "found none" if unlike[0] in schema.names else "found it in the pack alone"
        raise TamperedError(f"{place}: {unlike[0][:60]!r}: expected the columns that this release has, {where}")
