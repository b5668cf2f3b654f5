"""The part of `lagbook doctor` about the files of a warehouse: their number, damaged and verified ones.

Put here what is asked about files. What damage is, and when a file is verified, is said in
`assets.maintenance.integrity` and `assets.maintenance.verification`.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from dagster_project.cli.times import show_time
from parsers.errors import LagbookError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.maintenance.integrity import Damage
    from assets.storage.warehouse import Warehouse


def tables(warehouse: Warehouse) -> list[dict[str, Any]]:
    """Rows, files and bytes of each table that has any."""
    from assets.catalog import TABLES

    return [
        {"table": name, "rows": warehouse.row_count(name), "files": len(files), "bytes": _size_bytes(files)}
        for name in TABLES
        if (files := warehouse.files(name))
    ]


def damages(warehouse: Warehouse, *, is_verifying: bool) -> tuple[list[Damage], dict[str, Any]]:
    """Files and logs of tables that are damaged; and how many files were verified, now or by runs."""
    from assets.maintenance.integrity import examine
    from assets.maintenance.verification import Scope, Verification, read_note

    if not is_verifying:
        known = read_note(warehouse).values()
        first = min((show_time(datetime.fromisoformat(one.at)) for one in known), default=None)
        facts = {"verified_by_runs": len(known), "verified_first_at": first}
        return examine(warehouse, with_footers=True), facts
    verification = Verification(warehouse, Scope.ALL)
    damaged = examine(warehouse, with_footers=True, verification=verification)
    return damaged, {"verified": len(verification.verified), "without_digest": len(verification.without_digest)}


def verify_duckdb_file(warehouse: Warehouse) -> None:
    """Refuse a DuckDB file that differs from its digest."""
    from assets.duckdb import file_digest

    path = warehouse.duckdb_path
    if reason := file_digest.damage(path):
        raise LagbookError(f"{path}: {reason}; `lagbook repair` deletes it, and `lagbook run` builds it anew.")


def _size_bytes(files: Sequence[str]) -> int:
    """Bytes of those files of one table that are there, which all lie in one file system."""
    from assets.storage.data_files import locate

    system, _ = locate(files[0])
    return sum(info.size for info in system.get_file_info([locate(file)[1] for file in files]) if info.is_file)
