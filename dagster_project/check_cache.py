"""The verdicts on a table as it is now, kept beside it: what did not change is not judged again.

Put here how verdicts are kept and found again. How one is reached belongs in `dagster_project.verdicts`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from assets.storage.data_files import locate
from dagster_project.verdicts import Verdict
from parsers.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from great_expectations.expectations.expectation import Expectation

    from assets.storage.warehouse import Warehouse

FILE: Final = "_verdicts.json"
"""Readers and cleaners of a Delta table pass over names with an underscore."""


def fingerprint(warehouse: Warehouse, full_name: str, rules: Sequence[Expectation]) -> str:
    """The same for the same commit of the table, judged by the same rules."""
    asked = [rule.configuration.to_json_dict() for rule in rules]
    digest = sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]
    return f"{full_name} {warehouse.version(full_name)}, rules {digest} of Lagbook {version('lagbook')}"


def recall(warehouse: Warehouse, full_name: str, asked: str) -> dict[str, Verdict]:
    """The verdicts by rule, if they were reached on just this; else none."""
    system, path = locate(_url(warehouse, full_name))
    try:
        with system.open_input_stream(path) as file:
            cached = json.loads(file.read())
    except (FileNotFoundError, ValueError):
        return {}
    if cached.get("of") != asked:
        return {}
    return {name: Verdict(**verdict) for name, verdict in cached["verdicts"].items()}


def remember(warehouse: Warehouse, full_name: str, asked: str, verdicts: Mapping[str, Verdict]) -> None:
    """Keep the verdicts until the table or its rules change."""
    warehouse.make_folder(warehouse.table_url(full_name))
    cached = {"of": asked, "verdicts": {name: asdict(verdict) for name, verdict in verdicts.items()}}
    system, path = locate(_url(warehouse, full_name))
    try:
        with system.open_output_stream(path) as file:
            file.write(json.dumps(cached).encode())
    except OSError as error:
        raise WarehouseError(f"{path} can't be written: {error.strerror or error}") from error


def _url(warehouse: Warehouse, full_name: str) -> str:
    return f"{warehouse.table_url(full_name)}/{FILE}"
