"""The SQL by which claims are made, for who reads a pack; and its digest, by which two releases are told apart.

Put here what of the SQL is in a pack. It is never run from there.
"""

from __future__ import annotations

from hashlib import sha256

from assets import models
from assets.evidence.claim_tables import OUTPUTS, TRANSFORMS
from assets.models import MACROS


def sql_members() -> dict[str, bytes]:
    """The members of a pack with the SQL of each table that is made, and of the macros."""
    selects = {f"sql/{name}.sql": ";\n\n".join(_statements(name)) for name in OUTPUTS}
    macros = "\n\n".join(macro.statement for macro in MACROS)
    return {name: sql.encode() for name, sql in {**selects, "sql/macros.sql": macros}.items()}


def fingerprint() -> str:
    """A digest of the SQL by which this release makes claims."""
    queries = [query for one in TRANSFORMS.values() for query in one.queries]
    names = [name for one in OUTPUTS for name in _models(one)]
    return sha256("\0".join([models.fingerprint(*names), *queries]).encode()).hexdigest()[:15]


def _models(table: str) -> tuple[str, ...]:
    """The models that make a table, or that look up the rows from which Python makes it."""
    return tuple(TRANSFORMS[table].all_models) if table in TRANSFORMS else (table.partition(".")[2],)


def _statements(table: str) -> list[str]:
    return TRANSFORMS[table].statements if table in TRANSFORMS else [models.select(table.partition(".")[2])]
