"""The clusters that MirrorMaker's aliases stand for, as the user says it: each change is archived once.

Put here how such words are read, and which of them are new. What follows of them belongs in `assets.models.mirror`.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from assets.catalog import TABLES
from assets.duckdb.database import in_memory
from assets.storage.parquet_writer import write_file
from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.storage.warehouse import Warehouse

Aliases = tuple[tuple[str, str], ...]
"""Aliases, each with the cluster that it stands for."""

CLUSTER_ALIASES: Final = "raw.cluster_aliases"
_DECLARED: Final = "SELECT alias, arg_max(cluster, declared_at) FROM raw.cluster_aliases GROUP BY alias"


def named_aliases(texts: Sequence[str]) -> Aliases:
    """Aliases and clusters out of texts like `ALIAS=CLUSTER`; a cluster for the same alias twice is refused."""
    aliases: dict[str, str] = {}
    for text in texts:
        alias, _, cluster = text.partition("=")
        if not alias or not cluster:
            raise SourceError(f"mirror alias: expected ALIAS=CLUSTER, found {text!r}")
        if aliases.setdefault(alias, cluster) != cluster:
            raise SourceError(f"mirror alias: {alias!r} is {aliases[alias]!r} and {cluster!r}: expected one cluster")
    return tuple(aliases.items())


def new_aliases(warehouse: Warehouse, aliases: Aliases) -> Aliases:
    """Those that the warehouse does not have like this."""
    if not aliases or warehouse.version(CLUSTER_ALIASES) is None:
        return aliases
    with in_memory(warehouse, [CLUSTER_ALIASES]) as connection:
        known = dict(connection.execute(_DECLARED).fetchall())
    return tuple((alias, cluster) for alias, cluster in aliases if known.get(alias) != cluster)


def keep_aliases(warehouse: Warehouse, aliases: Aliases) -> int:
    """Archive what is new of these; gives how many."""
    table = TABLES[CLUSTER_ALIASES]
    transaction = warehouse.begin(table)
    new = new_aliases(warehouse, aliases)
    if new:
        now = datetime.now(timezone.utc)
        rows = [{"alias": alias, "cluster": cluster, "declared_at": now} for alias, cluster in new]
        folder = warehouse.new_folder(table)
        warehouse.make_folder(folder)
        file = write_file(pa.Table.from_pylist(rows, table.schema), f"{folder}/rows.parquet")
        transaction.append([file], warehouse.note(CLUSTER_ALIASES))
    return len(new)
