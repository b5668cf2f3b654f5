"""What stands where at the beginning of the interpreter's memory, and in the outcome of a record.

Put here numbers of cells and bits. The cells of a step are in `parsers.messages.steps.program`; what is done with them
is in `parsers.messages.steps.interpreter`.
"""

from __future__ import annotations

from typing import Final

LEVEL_COUNT: Final = 0
FIRST_VERSION: Final = 1
VERSION_COUNT: Final = 2
ENTRIES: Final = 3
UNKNOWN_COUNTS: Final = 4
UNKNOWN_TAGS: Final = 5
UNKNOWN_STEPS: Final = 6
UNKNOWN_SPANS: Final = 7
UNIFORM_ENTRIES: Final = 8
LEVELS: Final = 9
"""Cells of the memory: how many levels there are; the first version, how many there are, and where the addresses of
their first steps stand; places of the slots for unknown tags; where the addresses of the first steps of those versions
stand whose records go one way; from LEVELS on, the levels."""

LEVEL_CELLS: Final = 3
"""Cells of a level: its next free row, the rows it has room for, and its next free row when the record began."""

UNKNOWN_LEVEL_CELL: Final = LEVELS + LEVEL_CELLS

POSITION_BITS: Final = 40
"""An outcome is a position in the buffer below these bits, and the address of a step above them."""
