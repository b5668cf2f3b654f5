"""The members of a pack with the batches that a claim cites: their bytes, and where each stood.

Put here what a pack says of a batch. How it is found belongs in `assets.evidence.logs.cited_batches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assets.evidence.cited_records import Cited, CitedRecord, by_log
from assets.evidence.logs.cited_batches import cite
from assets.evidence.logs.record_forms import form_of
from assets.evidence.pack_file import to_json
from assets.evidence.packed_rows import RAW, packed_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from assets.evidence.cited_records import Copies
    from assets.evidence.claim_scope import ClaimScope
    from assets.evidence.logs.cited_batches import CitedBatch
    from assets.evidence.pseudonyms import Pseudonyms

BATCHES: Final = "batches.json"
"""The cited batches, each with its place and the name of its bytes."""
UNCHECKED: Final[Mapping[str, str]] = {
    "archived": "the limit of deliveries, by which a rejection is told from the last attempt (rows of "
    "raw.configurations)",
    "stuck": "that no record between the first and the last one that are cited accepted any (rows of "
    "raw.internal_records)",
    "failover": "which cluster the source is, and that the group committed nothing there afterwards (rows)",
}
"""What no cited byte says of claims of a kind."""
_PLACES: Final = ("topic", "partition", "base_offset", "last_offset", "position", "size_bytes", "segment_base_offset")


def cited_batches(
    connection: duckdb.DuckDBPyConnection,
    scope: ClaimScope,
    cited: Sequence[CitedRecord],
    copies: Copies,
    pseudonyms: Pseudonyms | None,
) -> Cited:
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
    return Cited({**members, BATCHES: to_json(batches)}, tuple(missing), unchecked=unchecked_of_kind(scope.kind))


def _citation(batch: CitedBatch, content: bytes, member: str, pseudonyms: Pseudonyms | None) -> dict[str, Any]:
    """What is told of a batch; with pseudonyms where it stands, and a digest that only the key can repeat."""
    if pseudonyms is None:
        return batch.as_json(member)
    facts = {name: getattr(batch, name) for name in _PLACES}
    return {**facts, "log_offsets": list(batch.log_offsets), "keyed_blake3": pseudonyms.digest(content)}


def unchecked_of_kind(kind: str) -> tuple[str, ...]:
    """What no cited byte says of a claim of a kind, in sentences."""
    return (UNCHECKED[kind],) if kind in UNCHECKED else ()
