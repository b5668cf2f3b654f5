"""A pack held against itself: its digests, its bytes against its rows, and its rows against its claim.

Put here what is verified. What members mean belongs in `assets.evidence.pack`.
"""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from assets.catalog import TABLES
from assets.evidence.cited_records import CitedRecord, by_log, cited_records
from assets.evidence.claim_scope import ClaimScope
from assets.evidence.claim_sql import fingerprint
from assets.evidence.claims import claim_again, differences
from assets.evidence.logs.cited_batches import contradictions, is_citation, log_of
from assets.evidence.logs.log_members import BATCHES, unchecked_of_kind
from assets.evidence.logs.record_forms import form_of
from assets.evidence.pack import FINDINGS, FORMAT, PAGE, is_made, member_of
from assets.evidence.pack_file import TamperedError
from assets.evidence.packed_rows import CLAIM, MOST_ROWS, questions
from assets.evidence.pseudonyms import names_left
from assets.evidence.stores.citations import commits_by_offset, is_citation_of_store, unchecked_of
from assets.evidence.stores.citations import contradictions as store_contradictions
from assets.evidence.stores.store_members import STORE_COMMITS, STORE_EVENTS
from assets.evidence.stores.zookeeper_events import contradictions as event_contradictions
from assets.evidence.stores.zookeeper_events import (
    event_scope_of,
    events_in,
    events_of_store,
    file_of,
    is_citation_of_events,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.evidence.pack_file import PackReader

MOST_TABLE_BYTES: Final = 2 << 30
_MOST_NAMED: Final = 20
_BYTES: Final = ("batches/", "files/", "events/")
"""The folders of members that are cited byte for byte."""


@dataclass(slots=True)
class Verification:
    """What was verified of a pack."""

    scope: ClaimScope
    members: int = 0
    batches: int = 0
    files: int = 0
    records: int = 0
    missing: tuple[CitedRecord, ...] = ()
    events: int = 0
    missing_events: int = 0
    is_claim_made_again: bool = False
    is_same_sql: bool = True
    is_pseudonymous: bool = False
    title: str = ""
    unchecked: tuple[str, ...] = ()
    """What no byte of the pack says, in sentences."""


def verify(pack: PackReader) -> Verification:
    """Verify digests, decode the cited bytes, and make the claim again; whatever differs is told with its address."""
    result = Verification(_scope(pack), is_pseudonymous=_is_pseudonymous(pack))
    result.members = _verify_digests(pack)
    raw = questions(is_pseudonymous=result.is_pseudonymous)
    _verify_tables(pack, {*raw, *CLAIM})
    rows, claim = ({name: _table(pack, name) for name in names} for names in (raw, CLAIM))
    if result.is_pseudonymous:
        _refuse(pack, _names_left(pack, rows))
    _refuse_places(pack, claim[FINDINGS])
    cited = cited_records(claim[FINDINGS])
    verify_cited = _verify_commits if result.scope.is_of_store else _verify_batches
    borne_out = set() if result.is_pseudonymous else verify_cited(pack, rows, cited, result)
    result.missing = tuple(record for record in cited if record not in borne_out)
    result.records = len(cited) - len(result.missing)
    result.title = _verify_scope(pack, result.scope, claim["mart.incidents"].to_pylist())
    result.is_same_sql = pack.manifest.get("models") == fingerprint()
    if is_made(result.scope):
        _refuse(pack, _claim_differences(rows, claim, result))
        result.is_claim_made_again = True
    return result


def _is_pseudonymous(pack: PackReader) -> bool:
    """Whether the names are pseudonyms, which the manifest has to say."""
    fact = pack.manifest.get("is_pseudonymous")
    if not isinstance(fact, bool):
        raise TamperedError(f"{pack.path}: is_pseudonymous: expected true or false, found {fact!r:.60}")
    return fact


def _verify_tables(pack: PackReader, names: set[str]) -> None:
    """Refuse a pack with other tables than such a pack has."""
    tables = {name for name in pack.entries if name.startswith("tables/")}
    for name in sorted(tables ^ set(map(member_of, names))):
        expected = "no such table, found it" if name in tables else "a table, found none"
        raise TamperedError(f"{pack.path}: {name}: expected {expected}")


def _names_left(pack: PackReader, rows: Mapping[str, pa.Table]) -> Iterator[str]:
    """What a pack with pseudonyms has that only one with names can have."""
    for name, table in rows.items():
        yield from names_left(name, table)
    for name in pack.entries:
        if name.startswith(_BYTES) or name == PAGE:
            yield f"{name}: expected none where names are pseudonyms, for it has names"


def _refuse_places(pack: PackReader, findings: pa.Table) -> None:
    """Refuse findings that name a record without saying where it is."""
    for row in findings.select(["cluster", "evidence_elsewhere"]).to_pylist():
        elsewhere = [value for one in row["evidence_elsewhere"] or () for value in (one or {"cluster": None}).values()]
        if None in {row["cluster"], *elsewhere}:
            place = f"{pack.path}: {member_of(FINDINGS)}"
            raise TamperedError(f"{place}: evidence_elsewhere: expected records with their places, found one without")


def _verify_scope(pack: PackReader, scope: ClaimScope, incidents: Sequence[Mapping[str, Any]]) -> str:
    """Refuse a manifest that names another incident than the claim is; give the claim's title."""
    place = f"{pack.path}: {member_of('mart.incidents')}"
    if len(incidents) != 1:
        raise TamperedError(f"{place}: expected one incident, found {len(incidents)}")
    named = {"incident_id": scope.incident, **asdict(scope)}
    for name in ("incident_id", "kind", "cluster", "group_id", "log_partition"):
        if incidents[0][name] != named[name]:
            raise TamperedError(f"{place}: {name}: expected {named[name]!r}, found {incidents[0][name]!r}")
    if not set(incidents[0]["topics"] or ()) <= set(scope.topics):
        raise TamperedError(f"{place}: topics: expected {list(scope.topics)!r}, found {incidents[0]['topics']!r}")
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
    pack: PackReader, rows: Mapping[str, pa.Table], cited: Sequence[CitedRecord], result: Verification
) -> set[CitedRecord]:
    """Decode every batch and compare its cited records with the rows; the records that batches bear out."""
    result.unchecked = unchecked_of_kind(result.scope.kind)
    batches, borne_out = _list(pack, BATCHES), set[CitedRecord]()
    records = {log: form_of(log.topic).rows(rows, log, offsets) for log, offsets in by_log(cited).items()}
    for batch in batches:
        if not is_citation(batch):
            raise TamperedError(f"{pack.path}: {BATCHES}: expected batches with all facts, found {batch!r:.80}")
        log = log_of(batch)
        _refuse(pack, contradictions(batch, pack.read(batch["member"]), records.get(log, {})))
        borne_out |= {CitedRecord(log, offset) for offset in batch["log_offsets"]}
    result.batches = len(batches)
    _refuse_strays(pack, {batch["member"] for batch in batches})
    return borne_out


def _verify_commits(
    pack: PackReader, rows: Mapping[str, pa.Table], cited: Sequence[CitedRecord], result: Verification
) -> set[CitedRecord]:
    """Decode the files of every cited commit and compare them with its row; the commits that files bear out."""
    commits, cited_rows = _list(pack, STORE_COMMITS), commits_by_offset(rows, [record.offset for record in cited])
    files: set[str] = set()
    for commit in commits:
        if not is_citation_of_store(commit):
            raise TamperedError(
                f"{pack.path}: {STORE_COMMITS}: expected commits with their files, found {commit!r:.80}"
            )
        contents = {one["member"]: pack.read(one["member"]) for one in commit["files"]}
        _refuse(pack, store_contradictions(commit, contents, cited_rows, result.scope.log_partition))
        files |= contents.keys()
    _verify_events(pack, rows, result)
    _refuse_strays(pack, files | {one["member"] for one in _list(pack, STORE_EVENTS)})
    result.files, result.unchecked = len(files), unchecked_of(cited_rows)
    offsets = {commit["log_offset"] for commit in commits}
    return {
        record for record in cited if record.offset in offsets and record.log.partition == result.scope.log_partition
    }


def _verify_events(pack: PackReader, rows: Mapping[str, pa.Table], result: Verification) -> None:
    """Decode what ZooKeeper's files say of members, topics and sessions, and compare it with the rows of events."""
    scope = event_scope_of(result.scope, rows)
    left = scope.of(events_of_store(result.scope, rows))
    result.events = left.total()
    for one in _list(pack, STORE_EVENTS):
        if not is_citation_of_events(one):
            raise TamperedError(f"{pack.path}: {STORE_EVENTS}: expected files with all facts, found {one!r:.80}")
        content = pack.read(one["member"])
        _refuse(pack, event_contradictions(one, content, left, scope))
        left -= events_in(file_of(one, content), scope)
    result.missing_events = left.total()


def _refuse_strays(pack: PackReader, named: set[str]) -> None:
    """Refuse bytes that no list of what is cited names."""
    for name in pack.entries:
        if name.startswith(_BYTES) and name not in named:
            raise TamperedError(
                f"{pack.path}: {name}: expected in the list of what is cited, found it in the pack alone"
            )


def _list(pack: PackReader, name: str) -> list[Any]:
    content = pack.json(name)
    if not isinstance(content, list):
        raise TamperedError(f"{pack.path}: {name}: expected a list, found none")
    return content


def _refuse(pack: PackReader, sentences: Iterator[str]) -> None:
    first = list(islice(sentences, _MOST_NAMED))
    if first:
        raise TamperedError("; ".join(f"{pack.path}: {sentence}" for sentence in first))


def _scope(pack: PackReader) -> ClaimScope:
    """The scope that the manifest names, if the pack is of a form that this release reads."""
    facts, scope = pack.manifest, pack.manifest.get("scope")
    if facts.get("format") != FORMAT:
        raise TamperedError(f"{pack.path}: format: expected {FORMAT}, found {str(facts.get('format'))[:60]!r}")
    kinds = {"incident": str, "kind": str, "cluster": str, "group_id": str, "topics": list, "clusters": list}
    if not isinstance(scope, dict) or not all(isinstance(scope.get(name), kind) for name, kind in kinds.items()):
        raise TamperedError(f"{pack.path}: scope: expected {', '.join(kinds)}, found something else")
    if not isinstance(scope.get("log_partition"), int | None):
        raise TamperedError(f"{pack.path}: scope: log_partition: expected a number or null, found something else")
    named = {name: scope[name] for name in ("incident", "kind", "cluster", "group_id", "log_partition")}
    return ClaimScope(**named, topics=tuple(map(str, scope["topics"])), clusters=())


def _table(pack: PackReader, name: str) -> pa.Table:
    """The rows of a table, with columns of the catalog alone; one that would take too much memory is refused."""
    place, content = f"{pack.path}: {member_of(name)}", pack.read(member_of(name))
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
