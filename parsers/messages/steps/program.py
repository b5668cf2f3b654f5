"""From a format table to the flat program that the interpreter runs, one entry for each version.

Put here how a `Layout` becomes steps. What a step does is in `parsers.messages.steps.interpreter`, which columns there
are is in `parsers.messages.steps.tree`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from parsers.messages.steps.tree import ABSENT, RECORD_LEVEL, Node, Tree
from parsers.wire import Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Sequence


class Step(IntEnum):
    """What one row of a program does; the first ones, up to LAST_PLAIN, read one value and go on to the next row."""

    INT8 = 0
    INT16 = 1
    INT32 = 2
    INT64 = 3
    UINT16 = 4
    UVARINT = 5
    UUID = 6
    STRING = 7
    JAVA_UTF = 8
    BYTES = 9
    JAVA_CHARS = 10
    ARRAY = 11
    NEXT = 12
    MARK = 13
    TAGS = 14
    TAG = 15
    TAG_END = 16
    TAGS_END = 17
    REST = 18
    END = 19


LAST_PLAIN: Final = Step.JAVA_CHARS

TAGGED_STEPS: Final = 5
"""Steps of a tagged section with one known field that is one value: TAGS, TAG, the value, TAG_END, TAGS_END."""

CODE: Final = 0
LEVEL: Final = 1
SLOT: Final = 2
SIDE: Final = 3
NULLABLE: Final = 4
JUMP: Final = 5
REGISTER: Final = 6
SIZE: Final = 7
PREFIX: Final = 8
STEP_CELLS: Final = 9
"""Cells of a step: what to do; the level and slots to write; whether null is allowed; where to go on; its registers; a
number of bytes or fields; the bytes of the length before a text or array, 0 for a varint."""

_STEPS: Final = {
    Wire.INT8: Step.INT8,
    Wire.INT16: Step.INT16,
    Wire.INT32: Step.INT32,
    Wire.INT64: Step.INT64,
    Wire.UINT16: Step.UINT16,
    Wire.UVARINT: Step.UVARINT,
    Wire.UUID: Step.UUID,
    Wire.STRING: Step.STRING,
    Wire.BYTES: Step.BYTES,
    Wire.JAVA_UTF: Step.JAVA_UTF,
    Wire.JAVA_CHARS: Step.JAVA_CHARS,
    Wire.BOOL: Step.INT8,
    Wire.FLOAT64: Step.INT64,
}

_FIXED_BYTES: Final = {
    Wire.INT8: 1,
    Wire.INT16: 2,
    Wire.INT32: 4,
    Wire.INT64: 8,
    Wire.UINT16: 2,
    Wire.UUID: 16,
    Wire.BOOL: 1,
    Wire.FLOAT64: 8,
}

_PREFIX_BYTES: Final = {Wire.STRING: 2, Wire.BYTES: 4, Wire.JAVA_UTF: 2, Wire.JAVA_CHARS: 4}
_COUNT_BYTES: Final = 4
_LONG_VARINT: Final = 0x80
_TEXTS: Final = (Step.STRING, Step.JAVA_UTF)


@dataclass(frozen=True)
class Plan:
    """A compiled layout: its columns, its program, and where each version enters it."""

    layout: Layout
    tree: Tree
    steps: tuple[tuple[int, ...], ...]
    paths: tuple[str, ...]
    """Path of the field that each step reads; of the struct, for a tagged section."""
    entries: dict[int, int]
    """Version to step."""
    known_tags: tuple[int, ...]
    register_count: int

    @cached_property
    def has_arrays(self) -> bool:
        """Whether the layout has levels of its own below the record."""
        return any(_has_array(node) for node in self.tree.nodes)

    @cached_property
    def texts(self) -> tuple[int, ...]:
        """Slots of the texts that a record has once."""
        texts = {step[SLOT] for step in self.steps if step[CODE] in _TEXTS and step[LEVEL] == RECORD_LEVEL}
        return tuple(sorted(texts))

    def is_uniform(self, version: int) -> bool:
        """Tell whether every record of a version goes the same way, so that many can go it together."""
        step = self.entries[version]
        while self.steps[step][CODE] != Step.END:
            code, known = self.steps[step][CODE], self.steps[step][SIZE]
            is_section = code == Step.TAGS and (known == 0 or (known == 1 and self._is_short_section(step)))
            if not is_section and (code > LAST_PLAIN or code == Step.UVARINT):
                return False
            step += TAGGED_STEPS if is_section and known else 1
        return True

    def _is_short_section(self, step: int) -> bool:
        """Tell whether a section's one known field is one value of a fixed size, its tag one byte."""
        value = self.steps[step + 2]
        is_sized = value[CODE] <= Step.INT64 or value[CODE] == Step.UUID
        return is_sized and self.known_tags[self.steps[step][SLOT]] < _LONG_VARINT


def _has_array(node: Node) -> bool:
    return node.field.array or any(_has_array(child) for child in node.children)


@dataclass
class _Writer:
    """Writes the steps of every version, one after the other."""

    flexible: bool = False
    rows: list[list[int]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    known_tags: list[int] = field(default_factory=list)
    register_count: int = 0

    def version(self, layout: Layout, nodes: Sequence[Node], version: int) -> int:
        """Write the steps of one version; give the first."""
        first, self.flexible = len(self.rows), version in layout.flexible
        self.struct(nodes, version, "", tolerant=layout.tolerant)
        self.emit(Step.END, "")
        for row in self.rows[first:]:
            if row[CODE] == Step.REST:
                row[JUMP] = len(self.rows) - 1
        return first

    def emit(self, code: Step, path: str, **operands: int) -> list[int]:
        """Write one step, with its operands; give its row."""
        row = [int(code), 0, ABSENT, ABSENT, 0, 0, 0, 0, 0]
        for name, value in operands.items():
            row[_OPERANDS[name]] = value
        self.rows.append(row)
        self.paths.append(path)
        return row

    def registers(self, count: int) -> int:
        """Take so many registers that nobody has yet; give the first."""
        self.register_count += count
        return self.register_count - count

    def struct(self, nodes: Sequence[Node], version: int, path: str, *, tolerant: bool = False) -> None:
        """Write the steps of the fields that this version has, in order, and of its tags."""
        present = [node for node in nodes if version in node.field.versions]
        for node in present:
            if tolerant:
                self.emit(Step.REST, _join(path, node.field.name))
            if node.field.tag is None:
                self.node(node, version, _join(path, node.field.name))
        if self.flexible:
            self._tags([node for node in present if node.field.tag is not None], version, path)

    def node(self, node: Node, version: int, path: str) -> None:
        """Write the steps of one field: of an array, a struct or a value."""
        if node.field.array:
            self._array(node, version, path)
        elif node.field.wire is Wire.STRUCT:
            self._struct(node, version, path)
        else:
            self._value(node, path)

    def _value(self, node: Node, path: str) -> None:
        row = self.emit(_STEPS[node.field.wire], path, level=node.level, slot=node.slot, side=node.side)
        row[NULLABLE] = int(node.field.nullable)
        row[SIZE] = _FIXED_BYTES.get(node.field.wire, 0)
        row[PREFIX] = 0 if self.flexible else _PREFIX_BYTES.get(node.field.wire, 0)

    def _struct(self, node: Node, version: int, path: str) -> None:
        if node.slot == ABSENT:
            self.struct(node.children, version, path)
            return
        mark = self.emit(Step.MARK, path, level=node.level, slot=node.slot, prefix=int(node.field.tag is None))
        self.struct(node.children, version, path)
        mark[JUMP] = len(self.rows)

    def _array(self, node: Node, version: int, path: str) -> None:
        head = self.emit(Step.ARRAY, path, level=node.level, slot=node.slot, register=self.registers(1))
        head[NULLABLE] = int(node.field.nullable)
        head[SIZE] = least_bytes(node.children[0], version, flexible=self.flexible)
        head[PREFIX] = 0 if self.flexible else _COUNT_BYTES
        first = len(self.rows)
        self.node(node.children[0], version, path)
        self.emit(Step.NEXT, path, level=node.side, jump=first, register=head[REGISTER])
        head[JUMP] = len(self.rows)

    def _tags(self, nodes: Sequence[Node], version: int, path: str) -> None:
        register = self.registers(2 * len(nodes) + 2)
        self.emit(Step.TAGS, path, slot=len(self.known_tags), size=len(nodes), register=register)
        self.known_tags += [_tag(node) for node in nodes]
        for index, node in enumerate(nodes):
            at = _join(path, node.field.name)
            head = self.emit(Step.TAG, at, register=register + 2 * index)
            self.node(node, version, at)
            self.emit(Step.TAG_END, at)
            head[JUMP] = len(self.rows)
        if nodes:
            self.emit(Step.TAGS_END, path, register=register + 2 * len(nodes))


_OPERANDS: Final = {
    "level": LEVEL,
    "slot": SLOT,
    "side": SIDE,
    "nullable": NULLABLE,
    "jump": JUMP,
    "register": REGISTER,
    "size": SIZE,
    "prefix": PREFIX,
}


def _tag(node: Node) -> int:
    return ABSENT if node.field.tag is None else node.field.tag


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def least_bytes(node: Node, version: int, *, flexible: bool) -> int:
    """Give the least bytes that one value of a field takes: what bounds the count of an array before it is read."""
    if node.field.array:
        return 1 if flexible else _COUNT_BYTES
    if node.field.nullable or node.field.wire is Wire.UVARINT:
        return 1
    if node.field.wire is not Wire.STRUCT:
        prefix = 1 if flexible else _PREFIX_BYTES.get(node.field.wire, 1)
        return _FIXED_BYTES.get(node.field.wire, prefix)
    children = [child for child in node.children if version in child.field.versions and child.field.tag is None]
    return sum(least_bytes(child, version, flexible=flexible) for child in children) + int(flexible)


@cache
def compile_layout(layout: Layout) -> Plan:
    """Compile a format table; the plan is kept for the life of the process, as the tables are."""
    tree, writer = Tree(layout), _Writer()
    entries = {version: writer.version(layout, tree.nodes, version) for version in tree.versions}
    steps = tuple(tuple(row) for row in writer.rows)
    return Plan(layout, tree, steps, tuple(writer.paths), entries, tuple(writer.known_tags), writer.register_count)
