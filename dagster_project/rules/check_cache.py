"""The verdicts on a table and the files that they are about, remembered beside it: files that stay need no new look.

Put here how verdicts are remembered and read again. How one is reached belongs in `dagster_project.rules.judging`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from assets.storage.data_files import locate
from assets.storage.json_records import read_record, replace_record
from dagster_project.rules.rule import suspects
from dagster_project.rules.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assets.storage.warehouse import Warehouse
    from dagster_project.rules.rule import Rule

FILE: Final = "_verdicts.json"
"""Readers and cleaners of a Delta table pass over names with an underscore."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The files of a table that were judged, by which rules, and what came of it."""

    rules: str
    """The fingerprint of the rules."""
    files: frozenset[str]
    """The paths below the table's folder."""
    verdicts: Mapping[str, Verdict]
    broken_in: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each broken rule, files outside of which no row breaks it."""


def fingerprint(rules: Sequence[Rule]) -> str:
    """The same for rules of the same release that look for the same rows."""
    queries = "\0".join(f"{rule.name}\0{suspects('rows', rule)}" for rule in rules)
    digest = sha256(queries.encode()).hexdigest()[:16]
    return f"rules {digest} of Lagbook {version('lagbook')}"


def recall(warehouse: Warehouse, full_name: str, fingerprint_of_rules: str) -> Memory | None:
    """What is remembered of a table, if it was judged by just these rules."""
    system, path = locate(_url(warehouse, full_name))
    try:
        cached = read_record(system, path)
    except (FileNotFoundError, ValueError):
        return None
    return _memory(cached) if cached.get("of") == fingerprint_of_rules else None


def remember(warehouse: Warehouse, full_name: str, memory: Memory) -> None:
    """Write down what is known of a table until its rules change."""
    warehouse.make_folder(warehouse.table_url(full_name))
    cached = {
        "of": memory.rules,
        "files": sorted(memory.files),
        "verdicts": {name: asdict(verdict) for name, verdict in memory.verdicts.items()},
        "broken_in": {name: sorted(files) for name, files in memory.broken_in.items()},
    }
    replace_record(*locate(_url(warehouse, full_name)), cached)


def _memory(cached: Mapping[str, Any]) -> Memory:
    return Memory(
        cached["of"],
        frozenset(cached["files"]),
        {name: Verdict(**verdict) for name, verdict in cached["verdicts"].items()},
        {name: frozenset(files) for name, files in cached["broken_in"].items()},
    )


def _url(warehouse: Warehouse, full_name: str) -> str:
    return f"{warehouse.table_url(full_name)}/{FILE}"
