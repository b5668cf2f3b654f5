"""The interpreter's memory: the program with its addresses, and behind it the slots for a number of records.

Put here what stands where. What the cells are for is in `parsers.messages.steps.cells`; how slots become Arrow arrays
is in `parsers.messages.arrays.columns`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from parsers.messages.steps.cells import LEVEL_CELLS, LEVELS, UNIFORM_ENTRIES, UNKNOWN_COUNTS
from parsers.messages.steps.program import JUMP, LEVEL, REGISTER, SIDE, SLOT, STEP_CELLS, Plan, Step, compile_layout
from parsers.messages.steps.tree import ABSENT, NULL, RECORD_LEVEL
from parsers.messages.strings import DistinctSpans, are_utf8, intern

if TYPE_CHECKING:
    from collections.abc import Collection

    from parsers.wire import Layout
    from parsers.words import ByteArray, Int64Array

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Image:
    """The part of the memory that a layout decides: everything but the slots."""

    plan: Plan
    cells: Int64Array
    slot_cells: Int64Array
    """Cells that hold a slot's number here, and its address in a memory."""
    first_step: int

    def path(self, step: int) -> str:
        """Name the field that the step at an address reads."""
        return self.plan.paths[(step - self.first_step) // STEP_CELLS]


@cache
def image_of(layout: Layout) -> Image:
    """Lay out the memory of a format table; it is kept for the life of the process, as the tables are."""
    plan = compile_layout(layout)
    entries = LEVELS + LEVEL_CELLS * plan.tree.level_count
    registers = entries + 2 * len(layout.variants)
    tags = registers + plan.register_count
    first_step = tags + len(plan.known_tags)
    steps = _to_addresses(plan, (registers, tags, first_step))
    registers_and_tags = np.array([*([0] * plan.register_count), *plan.known_tags], np.int64)
    cells = np.concatenate([_header(plan, entries), _entries(plan, first_step), registers_and_tags, steps.ravel()])
    has_slot = np.zeros(steps.shape, np.bool_)
    has_slot[:, SLOT] = (steps[:, 0] != Step.TAGS) & (steps[:, SLOT] != ABSENT)
    has_slot[:, SIDE] = steps[:, SIDE] != ABSENT
    slot_cells = np.concatenate([np.arange(UNKNOWN_COUNTS, UNIFORM_ENTRIES), first_step + np.flatnonzero(has_slot)])
    return Image(plan, cells, slot_cells, first_step)


def _header(plan: Plan, entries: int) -> Int64Array:
    unknown, variants = plan.tree.unknown, plan.layout.variants
    head = [plan.tree.level_count, variants.start, len(variants), entries]
    slots = [unknown.count, unknown.tag, unknown.step, unknown.span]
    uniform_entries = entries + len(variants)
    return np.array([*head, *slots, uniform_entries, *([0] * LEVEL_CELLS * plan.tree.level_count)], np.int64)


def _entries(plan: Plan, first_step: int) -> Int64Array:
    places = [plan.entries.get(version, ABSENT) for version in plan.layout.variants]
    is_uniform = [version in plan.entries and plan.is_uniform(version) for version in plan.layout.variants]
    places += [place if one_way else ABSENT for place, one_way in zip(places, is_uniform, strict=True)]
    return np.array([ABSENT if place == ABSENT else first_step + STEP_CELLS * place for place in places], np.int64)


def _to_addresses(plan: Plan, firsts: tuple[int, int, int]) -> Int64Array:
    """Turn the numbers of levels, registers, tags and steps in the steps into addresses; slots keep their numbers."""
    registers, tags, first_step = firsts
    steps = np.array(plan.steps, np.int64)
    steps[:, LEVEL] = LEVELS + LEVEL_CELLS * steps[:, LEVEL]
    steps[:, REGISTER] += registers
    steps[:, JUMP] = first_step + STEP_CELLS * steps[:, JUMP]
    steps[steps[:, 0] == Step.TAGS, SLOT] += tags
    return steps


class Slots:
    """A memory with the slots of a layout for a number of records, of which only the wanted ones are read."""

    def __init__(self, layout: Layout, buffer: ByteArray, is_wanted: Mask) -> None:
        """Prepare to count what the records hold; no slot has room yet."""
        self.image = image_of(layout)
        self.tree = self.image.plan.tree
        self.buffer = buffer
        self.record_count = is_wanted.size
        self.unwanted = np.flatnonzero(~is_wanted)
        self.unused: frozenset[int] = frozenset()
        self.texts: dict[int, DistinctSpans] = {}
        self.reserve(np.zeros(self.tree.level_count, np.int64))

    def leave_out(self, versions: Collection[int]) -> None:
        """Give no room to the values that none of these versions has, where their column can do without."""
        nodes = [node for node in self.tree.nodes if not any(version in node.field.versions for version in versions)]
        self.unused = frozenset(node.slot for node in nodes if not node.children)

    def reserve(self, sizes: Int64Array) -> None:
        """Make room for so many rows of each level, each slot holding its default."""
        self.sizes = sizes
        slots = enumerate(self.tree.slots)
        rows = np.array([0 if number in self.unused else sizes[slot.level] for number, slot in slots], np.int64)
        self.bases = self.image.cells.size + np.cumsum(rows) - rows
        self.memory = np.zeros(self.image.cells.size + int(rows.sum()), np.int64)
        self.memory[: self.image.cells.size] = self.image.cells
        self.memory[self.image.slot_cells] = self.bases[self.image.cells[self.image.slot_cells]]
        self._levels()[:, 1] = sizes
        for number, slot in enumerate(self.tree.slots):
            if slot.default != 0 and number not in self.unused:
                self[number][:] = slot.default

    def number_texts(self) -> bool:
        """Number the distinct texts that records have once; tell whether all of them are UTF-8."""
        are_sound = True
        for slot in self.image.plan.texts:
            if slot not in self.unused and self.sizes[RECORD_LEVEL]:
                self[slot][self.unwanted] = NULL
                self.texts[slot] = intern(self.buffer, self[slot])
                are_sound = are_sound and bool(are_utf8(self.buffer, self.texts[slot].distinct).all())
        return are_sound

    def _levels(self) -> Int64Array:
        return self.memory[LEVELS : LEVELS + LEVEL_CELLS * self.tree.level_count].reshape(-1, LEVEL_CELLS)

    @property
    def counts(self) -> Int64Array:
        """Rows that the records read so far have below their own level, by level; the records themselves."""
        counts: Int64Array = self._levels()[:, 0].copy()
        counts[0] = self.record_count
        return counts

    def __getitem__(self, number: int) -> Int64Array:
        """Give the values of one slot, one for each row of its level."""
        first = int(self.bases[number])
        return self.memory[first : first + int(self.sizes[self.tree.slots[number].level])]
