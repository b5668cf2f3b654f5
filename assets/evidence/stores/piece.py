"""Bytes of a store's file, and which commits they bear out.

Put here what all kinds of stores have in common. What the bytes say belongs to the module of their kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]


class Piece(NamedTuple):
    """Bytes of a file, and where they stand."""

    role: str
    """What they are in their store."""
    path: str
    position: int
    content: bytes
    modified_ms: int | None = None
    """When the file was written, where that counts: no byte says so."""


Candidates = Iterator[tuple[int, tuple[Piece, ...]]]
"""The position of a commit, and the pieces that may bear it out."""


class StoreFormat(NamedTuple):
    """How the commits of a kind of store are found in its files."""

    candidates: Callable[[Sequence[str], Mapping[int, Row]], Candidates]
    """The pieces in places that may bear out rows of raw.external_commits, which come by their positions."""
    complaints: Callable[[Row, Sequence[Piece]], Iterator[str]]
    """What pieces say otherwise than a row; nothing where they bear it out."""
    place_of: Callable[[str], str]
    """The place to look in for the file that a row was read from."""
    unchecked: str
    """What of a row no byte says."""
