"""The steps by which offset commits are written: keys and values from their format tables.

Put here how a version of a layout becomes steps. What a step does is in `parsers.dump.commit_lines.loop`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np

from parsers.dump.commit_lines.characters import LONGEST_VALUE_BYTES, WORD_BYTES
from parsers.dump.commit_lines.keys import RECORD_TYPES
from parsers.dump.commit_lines.loop import Cell, Lead, Op
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.offsets_key import OFFSETS_KEY, kafka_key_name
from parsers.spans import frozen
from parsers.wire import Wire, camel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from parsers.dump.commit_lines.loop import Program
    from parsers.wire import Field

_LEADS: Final = {
    Lead.OFFSET: ',"offset":',
    Lead.TIMESTAMP: ',"timestamp":',
    Lead.KEY_SIZE: ',"keySize":',
    Lead.VALUE_SIZE: ',"valueSize":',
    Lead.NO_VALUE: ',"value":null',
    Lead.LINE_END: "}\n",
}
_OPS: Final = {Wire.INT32: (Op.INT32, 4), Wire.INT64: (Op.INT64, 8), Wire.STRING: (Op.STRING, 2)}
"""What is written of each type, and its least bytes."""


@dataclass
class _Writer:
    """Writes the steps of all messages, one after the other."""

    rows: list[list[int]] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)

    def emit(self, op: Op, lead: str, width: int = 0, tag: int = 0) -> None:
        """Write a step."""
        self.rows.append([op, sum(map(len, self.leads)), len(lead), width, tag])
        self.leads.append(lead)

    def message(
        self, fields: Sequence[Field], opening: str, name_of: Callable[[str], str], *, is_flexible: bool
    ) -> int:
        """Write the steps of one version; give the first."""
        first = len(self.rows)
        for number, one in enumerate(fields):
            op, width = _op(one, is_flexible=is_flexible)
            self.emit(op, ("," if number else opening) + f'"{name_of(one.name)}":', width, one.tag or 0)
        self.emit(Op.END, "}}")
        return first


def _op(one: Field, *, is_flexible: bool) -> tuple[Op, int]:
    if one.tag is not None:
        return Op.TAGGED_UUID, 1
    return (Op.COMPACT_STRING, 1) if is_flexible and one.wire is Wire.STRING else _OPS[one.wire]


@cache
def commit_program() -> tuple[Program, int]:
    """Lay out the steps of offset commits; give them, and the most that a line takes beside its head and its bytes."""
    writer = _Writer()
    for lead in Lead:
        writer.emit(Op.END, _LEADS[lead])
    of_keys = [_key(writer, record_type) for record_type in RECORD_TYPES]
    of_values = [_value(writer, version) for version in OFFSET_COMMIT.versions]
    leads = "".join(writer.leads).encode()
    steps = (
        frozen(np.array(writer.rows, np.int64).reshape(-1, len(Cell))),
        np.frombuffer(leads + bytes(WORD_BYTES), np.uint8),
    )
    most_bytes = len(leads) + LONGEST_VALUE_BYTES * len(writer.rows) + WORD_BYTES
    return (steps, frozen(np.array(of_keys, np.int64)), frozen(np.array(of_values, np.int64))), most_bytes


def _key(writer: _Writer, record_type: int) -> int:
    opening = f',"key":{{"type":{record_type},"data":{{'
    name_of = partial(kafka_key_name, record_type)
    return writer.message(OFFSETS_KEY.fields_of(record_type), opening, name_of, is_flexible=False)


def _value(writer: _Writer, version: int) -> int:
    opening = f',"value":{{"version":{version},"data":{{'
    is_flexible = version in OFFSET_COMMIT.flexible
    return writer.message(OFFSET_COMMIT.fields_of(version), opening, camel, is_flexible=is_flexible)
