"""The columns that a format table becomes: a tree of nodes, and the slots that their values are read into.

Put here what has a place of its own over all versions of a layout. Which steps fill the slots is in
`parsers.messages.steps.program`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from parsers.wire import Field, Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Sequence

ABSENT: Final = -1
"""A slot that a node does not have."""

NULL: Final = -1
"""What a slot holds for a null text, bytes or array."""

EMPTY: Final = 0
"""What a slot holds for an empty text or array, and for the zero uuid when it is not in the bytes."""

RECORD_LEVEL: Final = 0
UNKNOWN_LEVEL: Final = 1
"""Levels that every layout has: the record itself, and the tagged fields it does not know."""

_NUMBERS: Final = frozenset(
    {Wire.INT8, Wire.INT16, Wire.INT32, Wire.INT64, Wire.UINT16, Wire.UVARINT, Wire.BOOL, Wire.FLOAT64}
)


@dataclass(frozen=True)
class Slot:
    """A place for one number per row of a level, and what it holds where the bytes say nothing."""

    level: int
    default: int = 0


@dataclass(frozen=True)
class Node:
    """One column of the result: the field it comes from, and the slots that its values are in."""

    field: Field
    level: int
    slot: int = ABSENT
    """Slot of a number, a span, a count, or the mark of a nullable struct."""
    side: int = ABSENT
    """Slot that says whether a number is there, where it may be unknown; of an array, the level of its elements."""
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class UnknownTags:
    """Slots of the tagged fields that a layout does not know."""

    count: int
    tag: int
    step: int
    span: int


@dataclass
class Tree:
    """The nodes of a layout, grown from its table together with their slots and levels."""

    layout: Layout
    slots: list[Slot] = field(default_factory=list)
    level_count: int = UNKNOWN_LEVEL + 1

    def __post_init__(self) -> None:
        """Grow the tree."""
        versions = [version for version in self.layout.variants if version < 0 or version in self.layout.versions]
        self.versions = tuple(versions)
        self.nodes = tuple(self._node(row, RECORD_LEVEL, versions) for row in self.layout.fields)
        slots = (self._add(level) for level in (RECORD_LEVEL, UNKNOWN_LEVEL, UNKNOWN_LEVEL, UNKNOWN_LEVEL))
        self.unknown = UnknownTags(*slots)

    def _add(self, level: int, default: int = 0) -> int:
        self.slots.append(Slot(level, default))
        return len(self.slots) - 1

    def _node(self, row: Field, level: int, above: Sequence[int], *, may_lack: bool = False) -> Node:
        """Grow the node of a field; `may_lack`: the struct that has it may be missing, and so may the field."""
        present = [version for version in above if version in row.versions]
        is_cut = self.layout.tolerant and level == RECORD_LEVEL
        may_lack = may_lack or is_cut or row.tag is not None or len(present) < len(above)
        if row.array:
            return self._array(row, level, present, may_lack=may_lack)
        if row.wire is Wire.STRUCT:
            return self._struct(row, level, present, may_lack=may_lack)
        slot = self._add(level, _default(row) if may_lack else 0)
        is_unknown = may_lack and row.default is None and row.wire in _NUMBERS
        return Node(row, level, slot, self._add(level) if is_unknown else ABSENT)

    def _array(self, row: Field, level: int, present: Sequence[int], *, may_lack: bool) -> Node:
        slot = self._add(level, _default(row) if may_lack else 0)
        below = self.level_count
        self.level_count += 1
        element = self._node(Field(row.name, row.wire, fields=row.fields), below, present)
        return Node(row, level, slot, below, (element,))

    def _struct(self, row: Field, level: int, present: Sequence[int], *, may_lack: bool) -> Node:
        slot = self._add(level, 0 if row.default is None else 1) if row.nullable else ABSENT
        may_lack = may_lack or row.nullable
        children = (self._node(child, level, present, may_lack=may_lack) for child in row.fields)
        return Node(row, level, slot, ABSENT, tuple(children))


def _default(row: Field) -> int:
    if isinstance(row.default, int):
        return row.default
    is_known = row.default is not None or (row.wire in _NUMBERS and not row.array)
    return EMPTY if is_known else NULL
