"""Whether a refresh would change anything: if not, none is started, and no step or check leaves an event.

Put here how that is told before a run. What a run does belongs in `assets`.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from assets.catalog import TABLES
from assets.duckdb import database
from assets.ingest.erased_groups import read_erased
from assets.reconstruct.failures import has_failures

if TYPE_CHECKING:
    from assets.storage.warehouse import Warehouse


def is_current(warehouse: Warehouse) -> bool:
    """Whether every table and the DuckDB file are up to date and of this release.

    The DuckDB file is built last, and only when every blocking rule held. A partition that could not be replayed is
    tried again by every run, and an erasure that was cut off is carried to its end.
    """
    if read_erased(warehouse).is_pending:
        return False
    release = version("lagbook")
    releases = {warehouse.note(name).get("inputs", {}).get("lagbook", release) for name in TABLES}
    return releases == {release} and database.is_current(warehouse) and not has_failures(warehouse)
