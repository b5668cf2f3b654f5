"""What records say, as JSON: the form in which every writer of keys and values gives it.

Put here what the line of a record and the writers of keys and values agree on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsers.words import ByteArray, Int64Array

if TYPE_CHECKING:
    from parsers.dump.json_lines.objects import Texts

Edges = tuple[Int64Array, Int64Array]
"""Starts and ends of stretches of a buffer; a start of -1 is null."""


@dataclass(frozen=True)
class Contents:
    """Key and value of each record, and how many of both could not be read."""

    keys: Texts
    values: Texts
    trouble_count: int = 0


Writer = Callable[[ByteArray, Edges, Edges], Contents]
"""Writes keys and values, each given by its starts and ends in a buffer."""
