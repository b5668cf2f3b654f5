"""The rules of every table as SQL, kept in the installation: a run asks Great Expectations only about suspicious rows.

They are made of the expectations once, like compiled loops: the file's name has a digest of all that they are made of,
so rules that changed are made anew. Put here where they are kept; how they are made is in
`dagster_project.rules.rule_sql`.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyarrow.fs import LocalFileSystem

import assets.catalog
import expectations
from assets.catalog import TABLES
from assets.storage.json_records import read_record, replace_record
from dagster_project.rules.rule import Rule
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Rules = dict[str, list[Rule]]
_SOURCES: Final = (Path(assets.catalog.__file__).parent, Path(expectations.__file__).parent, Path(__file__).parent)
_DISK: Final = LocalFileSystem()
_TUPLES: Final = ("columns", "keys", "within")


def rules_of(full_name: str) -> Sequence[Rule]:
    """All rules of a table."""
    return every_rule()[full_name]


@cache
def every_rule() -> Rules:
    """All rules by table: as they are kept, or made of the expectations, which takes seconds, and kept from then on."""
    path = path_of_rules()
    try:
        return _recall(path)
    except (OSError, ValueError, TypeError, AttributeError):  # not there yet, or damaged
        rules = _from_expectations()
    with suppress(OSError, WarehouseError):  # an installation that can't be written makes them each time
        _keep(path, rules)
    return rules


def path_of_rules() -> Path:
    """The place of the rules of just these sources, in the installation."""
    digest = sha256(version("great_expectations").encode())
    for source in _sources():
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return Path(sys.prefix, "share", "lagbook", f"rules-{digest.hexdigest()[:16]}.json")


def _sources() -> Iterator[Path]:
    for folder in _SOURCES:
        yield from sorted(folder.rglob("*.py"))


def _from_expectations() -> Rules:
    from dagster_project.rules.declared_rules import RULES  # noqa: PLC0415 - it loads Great Expectations
    from dagster_project.rules.rule_sql import in_sql  # noqa: PLC0415 - as above

    return {name: [in_sql(name, rule) for rule in rules] for name, rules in RULES.items()}


def _keep(path: Path, rules: Rules) -> None:
    """Write them; those of other sources go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_record(_DISK, str(path), {name: [asdict(rule) for rule in some] for name, some in rules.items()})
    for other in path.parent.glob("rules-*.json"):
        if other != path:
            other.unlink(missing_ok=True)


def _recall(path: Path) -> Rules:
    rules = {name: [_rule(fields) for fields in some] for name, some in read_record(_DISK, str(path)).items()}
    if rules.keys() != TABLES.keys():
        message = f"expected rules of {len(TABLES)} tables, found {len(rules)}"
        raise ValueError(message)
    return rules


def _rule(fields: dict[str, object]) -> Rule:
    return Rule(**{name: tuple(value) if name in _TUPLES else value for name, value in fields.items()})  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.stdout.write(f"{sum(map(len, every_rule().values()))} rules\n")
