"""The members of a pack with the files of a store outside Kafka that a claim cites, and what bears out what.

Put here what a pack says of them. How they are found belongs to the modules beside this.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from assets.evidence.cited_records import Cited
from assets.evidence.pack_file import to_json
from assets.evidence.packed_rows import RAW, STORES, packed_rows
from assets.evidence.stores.citations import cite, commits_by_offset, have_bytes, unchecked_of
from assets.evidence.stores.zookeeper_events import Event, event_scope_of, events_in, events_of_store
from assets.evidence.stores.zookeeper_events import cite as cite_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from assets.evidence.cited_records import CitedRecord, Copies
    from assets.evidence.claim_scope import ClaimScope
    from assets.evidence.stores.store_numbers import StoreNumbers

STORE_COMMITS: Final = "store_commits.json"
"""The cited commits of a store, with the files that bear each out."""
STORE_EVENTS: Final = "store_events.json"
"""The files that bear out what ZooKeeper tells of members, owners, topics and sessions."""
_FACTS: Final = ("role", "position", "snapshot_zxid", "positions", "size_bytes")
"""What can be told of bytes where names are pseudonyms."""


def cited_commits(
    connection: duckdb.DuckDBPyConnection,
    scope: ClaimScope,
    cited: Sequence[CitedRecord],
    copies: Copies,
    numbers: StoreNumbers | None,
) -> Cited:
    """The files of its commits, and of what ZooKeeper tells besides; with pseudonyms where these are, without bytes."""
    rows = packed_rows(connection, scope, {name: RAW[name] for name in sorted(STORES)})
    commits = commits_by_offset(rows, [record.offset for record in cited])
    citations = cite(commits, copies.places)
    members, described = citations.members(copies.named)
    events, event_scope = events_of_store(scope, rows), event_scope_of(scope, rows)
    files = {f"events/{number}.bin": one for number, one in enumerate(cite_events(events, event_scope, copies.places))}
    borne_out = sum((events_in(one, event_scope) for one in files.values()), Counter[Event]())
    members |= {name: one.content for name, one in files.items()}
    event_files = [one.as_json(name, copies.named) for name, one in files.items()]
    if numbers is not None:
        described = [
            {
                "log_offset": numbers.position(one["log_offset"]),
                "files": [_without_names(file, members, numbers) for file in one["files"]],
            }
            for one in described
        ]
        event_files = [_without_names(file, members, numbers) for file in event_files]
    return Cited(
        {
            **(members if numbers is None else {}),
            STORE_COMMITS: to_json(described),
            STORE_EVENTS: to_json(event_files),
        },
        tuple(record for record in cited if record.offset not in citations.pieces),
        (event_scope.of(events) - borne_out).total(),
        unchecked_of(commits),
        can_be_cited=have_bytes(commits),
    )


def _without_names(file: Mapping[str, Any], members: Mapping[str, bytes], numbers: StoreNumbers) -> dict[str, Any]:
    """What is told of bytes but names, and a digest that only the key can repeat."""
    facts = {name: file[name] for name in _FACTS if name in file}
    return {**facts, "keyed_blake3": numbers.pseudonyms.digest(members[file["member"]])}
