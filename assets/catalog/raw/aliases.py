"""What users said of clusters: which one an alias of MirrorMaker stands for.

Put columns here of which the user's word is all there is. What brokers said stands in `brokers`.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from assets.catalog.table import TIMESTAMP, Column, Origin, Table

CLUSTER_ALIASES: Final = Table(
    "raw",
    "cluster_aliases",
    "What the user said of MirrorMaker's aliases: one row each time that an alias stands for another cluster.",
    ("alias", "declared_at"),
    (
        Column("alias", pa.string(), "MirrorMaker's name for the cluster.", required=True),
        Column("cluster", pa.string(), "Cluster that it stands for, as its rows are called.", required=True),
        Column("declared_at", TIMESTAMP, "When a run was told so.", required=True),
    ),
    origin=Origin.INGEST,
)

TABLES: Final = (CLUSTER_ALIASES,)
