"""Every table's rules that only a human knows, by the table's name: those of all modules in the rooms of the layers.

Put here how they are found. A rule itself belongs in the module of its table, which needs no entry elsewhere.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

from expectations import core, internal, mart, raw

if TYPE_CHECKING:
    from great_expectations.expectations.expectation import Expectation

SUITES: Final[dict[str, list[Expectation]]] = {
    table: rules
    for room in (raw, core, internal, mart)
    for module in iter_modules(room.__path__)
    for table, rules in import_module(f"{room.__name__}.{module.name}").SUITES.items()
}
