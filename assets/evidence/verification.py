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
from assets.evidence.cited_batches import cited_offsets, contradictions, records_by_offset
from assets.evidence.claim_tables import RECORDS
from assets.evidence.claims import claim_again, differences
from assets.evidence.pack import BATCHES, FORMAT, STORE_COMMITS, fingerprint, is_made, member_of
from assets.evidence.pack_file import TamperedError
from assets.evidence.packed_rows import CLAIM, MOST_ROWS, RAW, RECONSTRUCTED, ClaimScope
from assets.evidence.stores.citations import commits_by_offset, is_citation, unchecked_of
from assets.evidence.stores.citations import contradictions as store_contradictions
from assets.ingest.stores.archive import EXTERNAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assets.evidence.pack_file import PackReader

MOST_TABLE_BYTES: Final = 2 << 30
_MOST_NAMED: Final = 20


@dataclass(slots=True)
class Verification:
    """What was verified of a pack."""

    scope: ClaimScope
    members: int = 0
    batches: int = 0
    files: int = 0
    records: int = 0
    missing: tuple[int, ...] = ()
    is_claim_made_again: bool = False
    is_same_sql: bool = True
    is_pseudonymous: bool = False
    title: str = ""
    unchecked: tuple[str, ...] = ()
    """What no byte of the pack says, in sentences."""


def verify(pack: PackReader) -> Verification:
    """Verify digests, decode the cited bytes, and make the claim again; whatever differs is told with its address."""
    result = Verification(_scope(pack))
    result.members = _verify_digests(pack)
    rows = {name: _table(pack, name) for name in (*RAW, *RECONSTRUCTED) if member_of(name) in pack.entries}
    claim = {name: _table(pack, name) for name in CLAIM}
    offsets = cited_offsets(claim["mart.findings"])
    verify_cited = _verify_commits if result.scope.is_of_store else _verify_batches
    borne_out = verify_cited(pack, rows, offsets, result) & set(offsets)
    result.records = len(borne_out)
    result.missing = tuple(offset for offset in offsets if offset not in borne_out)
    result.title = _verify_scope(pack, result.scope, claim["mart.incidents"].to_pylist())
    result.is_same_sql = pack.manifest.get("models") == fingerprint()
    result.is_pseudonymous = RECORDS not in rows and not result.scope.is_of_store
    if is_made(result.scope):
        _refuse(pack, _claim_differences(rows, claim, result))
        result.is_claim_made_again = True
    return result


def _verify_scope(pack: PackReader, scope: ClaimScope, incidents: Sequence[Mapping[str, Any]]) -> str:
    """Refuse a manifest that names another incident than the claim is; give the claim's title."""
    place = f"{pack.path}: {member_of('mart.incidents')}"
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
    pack: PackReader, rows: Mapping[str, pa.Table], offsets: Sequence[int], result: Verification
) -> set[int]:
    """Decode every batch and compare its cited records with the rows; the records that batches bear out."""
    batches, borne_out = _list(pack, BATCHES), set[int]()
    if RECORDS in rows:
        records = records_by_offset(rows, result.scope.log_partition, offsets)
        for batch in batches:
            _refuse(pack, _contradictions(pack, batch, records))
            borne_out |= set(batch["log_offsets"])
        result.batches = len(batches)
    return borne_out


def _verify_commits(
    pack: PackReader, rows: Mapping[str, pa.Table], offsets: Sequence[int], result: Verification
) -> set[int]:
    """Decode the files of every cited commit and compare them with its row; the commits that files bear out."""
    if EXTERNAL not in rows:
        raise TamperedError(f"{pack.path}: {member_of(EXTERNAL)}: expected a member, found none")
    commits, cited = _list(pack, STORE_COMMITS), commits_by_offset(rows, offsets)
    files: set[str] = set()
    for commit in commits:
        if not is_citation(commit):
            raise TamperedError(
                f"{pack.path}: {STORE_COMMITS}: expected commits with their files, found {commit!r:.80}"
            )
        contents = {one["member"]: pack.read(one["member"]) for one in commit["files"]}
        _refuse(pack, store_contradictions(commit, contents, cited, result.scope.log_partition))
        files |= contents.keys()
    result.files, result.unchecked = len(files), unchecked_of(cited)
    return {commit["log_offset"] for commit in commits}


def _list(pack: PackReader, name: str) -> list[Any]:
    content = pack.json(name)
    if not isinstance(content, list):
        raise TamperedError(f"{pack.path}: {name}: expected a list, found none")
    return content


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
