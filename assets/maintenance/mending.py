"""The repair of a damaged warehouse: derived tables are dropped, lost reads of logs are forgotten.

Put here what is done about damage, which `assets.maintenance.integrity` finds. Tables and rows come back with the next
run, which makes them from raw records, and reads those again from the logs that still have them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assets.catalog import TABLES
from assets.catalog.memory import MEMORY_BY_NAME
from assets.ingest.ingest import RAW, SEGMENTS
from assets.maintenance import lost_reads, table_recovery
from assets.maintenance.integrity import examine
from assets.maintenance.verification import Scope, Verification
from assets.reconstruct.checkpoint import CHECKPOINTS
from assets.reconstruct.file_names import rows_in
from assets.reconstruct.projections import OUTPUTS
from assets.storage import lease
from assets.storage.schema_evolution import columns_file, has_every_column
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assets.maintenance.integrity import Damage
    from assets.maintenance.lost_reads import LostRead
    from assets.storage.transaction import ArchivedFile
    from assets.storage.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class Repair:
    """The repair of the damage of a warehouse."""

    damages: tuple[Damage, ...]
    lost: tuple[LostRead, ...]
    """Ranges of logs whose rows are gone: they are read again from the files that are still there."""
    rows_gone: tuple[tuple[str, int], ...]
    """Tables whose rows come from no log, and the number of their rows that are gone."""

    @property
    def raw(self) -> tuple[Damage, ...]:
        """The damage to raw tables, which no other table can replace."""
        return tuple(damage for damage in self.damages if damage.table.startswith("raw."))

    @property
    def remade(self) -> tuple[str, ...]:
        """The damaged tables that are derived again from raw."""
        return tuple(dict.fromkeys(damage.table for damage in self.damages if damage not in self.raw))

    @property
    def is_lossless(self) -> bool:
        """Whether no row is lost: all rows of raw that are gone come from files that can be read again."""
        has_logs = all(damage.file is not None for damage in self.raw)
        return has_logs and not self.rows_gone and all(lost.is_there for lost in self.lost)


def look(warehouse: Warehouse, damages: Sequence[Damage]) -> Repair:
    """The repair of the damage; nothing is changed."""
    lost = lost_reads.look(warehouse, [damage for damage in damages if damage.table in RAW])
    others = [damage.table for damage in damages if damage.table.startswith("raw.") and damage.table not in RAW]
    gone = {
        name: sum(damage.file.rows for damage in damages if damage.table == name and damage.file) for name in others
    }
    return Repair(tuple(damages), tuple(lost), tuple(gone.items()))


def repair(warehouse: Warehouse, work: Repair) -> None:
    """Carry out a repair. Reads are forgotten first: a run that dies in between finds the same damage again."""
    if any(damage.table == SEGMENTS and damage.file is None for damage in work.damages):
        _restore(warehouse, SEGMENTS)
    _take_out(warehouse, SEGMENTS, work.damages)
    lost_reads.forget(warehouse, work.lost)
    for name in dict.fromkeys(damage.table for damage in work.raw if damage.table != SEGMENTS):
        if any(damage.table == name and damage.file is None for damage in work.raw):
            _restore(warehouse, name)
        else:
            _take_out(warehouse, name, work.damages)
    for name in work.remade:
        _drop(warehouse, name, [damage for damage in work.damages if damage.table == name])


def free_leases(warehouse: Warehouse, work: Repair) -> Repair:
    """Drop the logs of damaged leases, which nobody can take; gives the rest of a repair."""
    for name in set(work.remade) & set(lease.NAMES):
        table_recovery.drop_log(warehouse, name)
    return replace(work, damages=tuple(damage for damage in work.damages if damage.table not in lease.NAMES))


def heal(warehouse: Warehouse, scope: Scope = Scope.DUE) -> list[str]:
    """Repair the damage that costs no rows, in sentences; an error if rows would be lost.

    Files within the scope are read for it, before their rows become part of anything new.
    """
    verification = Verification(warehouse, scope)
    damages = examine(warehouse, with_footers=False, verification=verification)
    verification.note()
    if not damages:
        return []
    work = look(warehouse, damages)
    if not work.is_lossless:
        first = work.raw[0]
        place = first.file.uri if first.file else first.table
        raise WarehouseError(
            f"{place}: {first.reason}, and what it had may be in no log any more; `lagbook repair` shows what is lost,"
            " and goes on without it"
        )
    repair(warehouse, work)
    return [f"{damage.file.uri if damage.file else damage.table}: {damage.reason}; mended" for damage in damages]


def _restore(warehouse: Warehouse, name: str) -> None:
    """Set a raw table back to its last readable commit; without one it begins anew, empty."""
    table_recovery.restore_last_commit(warehouse, name)
    warehouse.begin(TABLES[name])


def _take_out(warehouse: Warehouse, name: str, damages: Sequence[Damage]) -> None:
    """Remove damaged files from a raw table; an empty file with all columns is replaced by another."""
    gone = [damage.file for damage in damages if damage.table == name and damage.file]
    if gone:
        has_columns = any(has_every_column(file.uri) for file in gone)
        new = [columns_file(TABLES[name], warehouse.table_url(name))] if has_columns else []
        warehouse.begin(TABLES[name]).revise(gone, new, {"damaged_files": len(gone)})


def _drop(warehouse: Warehouse, name: str, damages: Sequence[Damage]) -> None:
    """Let the next run derive a table again: the whole table, or the partitions of its damaged files."""
    is_replayed = name in OUTPUTS or name == CHECKPOINTS.full_name
    files = [damage.file for damage in damages if damage.file]
    if len(files) < len(damages):
        table_recovery.drop_log(warehouse, name)
    elif not is_replayed:
        warehouse.begin(MEMORY_BY_NAME.get(name) or TABLES[name]).replace((), {})
    if is_replayed:
        _forget_partitions(warehouse, files if len(files) == len(damages) else None)


def _forget_partitions(warehouse: Warehouse, files: Sequence[ArchivedFile] | None) -> None:
    """Remove the checkpoints of these files' partitions, or all: their replay begins anew."""
    tags = None if files is None else {rows.tag for file in files if (rows := rows_in(file.uri))}
    try:
        transaction = warehouse.begin(CHECKPOINTS)
    except WarehouseError:
        return  # its own log is damaged as well, and is dropped by itself
    checkpoints = transaction.file_list()
    gone = [file for file in checkpoints if tags is None or (rows := rows_in(file.uri)) is None or rows.tag in tags]
    transaction.revise(gone, (), {})
