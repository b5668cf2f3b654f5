"""The internal layer: indexes and intermediate tables that models and macros read.

A module describes tables that belong together, and lists them; a new module is listed here.
"""

from __future__ import annotations

from typing import Final

from assets.catalog.internal import batch_index, commits, rebalance_spans, recorded_group_states, topic_id_names

TABLES: Final = (
    *commits.TABLES,
    *topic_id_names.TABLES,
    *recorded_group_states.TABLES,
    *rebalance_spans.TABLES,
    *batch_index.TABLES,
)
