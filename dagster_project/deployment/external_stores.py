"""The file that declares external stores: the names of checkpoints' groups, and SQL tables with their columns.

Put here which keys there are and what each may hold. What a run does with them belongs to `assets.ingest`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assets.ingest.stores.declared import OUR_COLUMNS, ExternalStores, SqlTable
from dagster_project.deployment.sections import read_sections

if TYPE_CHECKING:
    from dagster_project.deployment.sections import Section

CURRENT, HISTORY = "current", "history"
NEXT, LAST_PROCESSED = "next", "last_processed"
_NEEDED: Final = ("topic", "partition", "committed_offset")
_NEEDED_OF_HISTORY: Final = ("position", "changed_at")
_LONGEST_NAME: Final = 249


def read_external_stores(path: str) -> ExternalStores:
    """What a file declares; a mistake in it is refused with file, key, what is expected and what was found."""
    top = read_sections(Path(path).absolute())
    checkpoints, tables = top.section("checkpoints"), top.section("tables")
    top.end()
    places = dict(map(_checkpoint, *_named(checkpoints))) if checkpoints else {}
    declared = tuple(map(_table, *_named(tables))) if tables else ()
    if not places and not declared:
        raise top.refusal("tables", "expected [checkpoints.GROUP] or [tables.NAME], found neither")
    return ExternalStores(places, declared)


def _named(section: Section) -> tuple[list[str], list[Section]]:
    """The names in a section, and their tables."""
    named = section.named_sections()
    for name in named:
        if not name.isprintable() or not 0 < len(name) <= _LONGEST_NAME:
            raise section.refusal("NAME", f"expected a name of 1 to {_LONGEST_NAME} characters, found {name[:80]!r}")
    return list(named), list(named.values())


def _checkpoint(group: str, section: Section) -> tuple[str, str]:
    """The place of a checkpoint, and the group that its commits belong to."""
    place = _place(section, section.needed("path"))
    section.end()
    return place, group


def _table(name: str, section: Section) -> SqlTable:
    sqlite, postgres = section.text("sqlite"), section.secret("postgres")
    if (sqlite is None) == (postgres is None):
        number = "neither" if sqlite is None else "both"
        raise section.refusal("sqlite", f"expected one of sqlite, postgres_env and postgres_file, found {number}")
    table, query = section.text("table"), section.text("query")
    if (table is None) == (query is None):
        raise section.refusal("table", f"expected one of table and query, found {'both' if table else 'neither'}")
    kind = section.choice("kind", (CURRENT, HISTORY), CURRENT)
    meaning = section.choice("offset_is", (NEXT, LAST_PROCESSED), NEXT)
    declared = SqlTable(
        name,
        f"{section.file}: [{section.name}]",
        _columns(section, is_history=kind == HISTORY),
        table,
        query.rstrip().rstrip(";") if query else None,
        sqlite=None if sqlite is None else _place(section, sqlite),
        postgres=postgres.read if postgres else None,
        group_id=section.text("group"),
        cluster=section.text("cluster"),
        is_history=kind == HISTORY,
        is_last_processed=meaning == LAST_PROCESSED,
    )
    section.end()
    if (declared.group_id is None) == ("group_id" not in declared.columns):
        number = "both" if declared.group_id else "neither"
        raise section.refusal("group", f"expected a group's name here or group_id among the columns, found {number}")
    return declared


def _columns(section: Section, *, is_history: bool) -> dict[str, str]:
    """The table's columns by ours."""
    columns = section.present("columns", section.section("columns"))
    named = {ours: columns.text(ours) for ours in OUR_COLUMNS}
    columns.end()
    for ours in (*_NEEDED, *(_NEEDED_OF_HISTORY if is_history else ())):
        columns.present(ours, named[ours])
    if named["position"] and not is_history:
        raise columns.refusal("position", f'expected only where kind = "{HISTORY}", found one')
    return {ours: theirs for ours, theirs in named.items() if theirs is not None}


def _place(section: Section, place: str) -> str:
    """A path or URL; a path is relative to the file."""
    if not place.isprintable():
        raise section.refusal("path", "expected a path, found a text that is not printable")
    return place.rstrip("/") if "://" in place else os.path.normpath(section.file.parent / Path(place).expanduser())
