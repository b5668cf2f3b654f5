"""The core layer: what the records mean for a group, in timestamps and names a person uses.

A module describes tables that belong together, and lists them; a new module is listed here.
"""

from __future__ import annotations

from typing import Final

from assets.catalog.core import (
    commits,
    connect,
    gaps,
    group_states,
    groups,
    logs,
    mirror,
    ownership,
    record_compaction,
    share_groups,
    transactions,
)

TABLES: Final = (
    *commits.TABLES,
    *transactions.TABLES,
    *groups.TABLES,
    *group_states.TABLES,
    *ownership.TABLES,
    *logs.TABLES,
    *gaps.TABLES,
    *record_compaction.TABLES,
    *share_groups.TABLES,
    *mirror.TABLES,
    *connect.TABLES,
)
