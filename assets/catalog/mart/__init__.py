"""The mart layer: the answers that people ask, one question each.

A module describes tables that belong together, and lists them; a new module is listed here.
"""

from __future__ import annotations

from typing import Final

from assets.catalog.mart import (
    assignor_what_if,
    basis,
    claims,
    contradictions,
    incidents,
    lag,
    mirror,
    offsets,
    offsets_topic,
    rebalance_storms,
    rebalances,
    share_groups,
)

TABLES: Final = (
    *offsets.TABLES,
    *lag.TABLES,
    *mirror.TABLES,
    *rebalances.TABLES,
    *rebalance_storms.TABLES,
    *assignor_what_if.TABLES,
    *claims.TABLES,
    *contradictions.TABLES,
    *incidents.TABLES,
    *share_groups.TABLES,
    *basis.TABLES,
    *offsets_topic.TABLES,
)
