"""The types a field may have on the wire, and what a format table is made of: `Field` and `Layout`.

Put here what a row of a format table may say. The tables are in `parsers.layouts`; reading by them is
`parsers.messages.decode`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Union

Versions = Union[range, frozenset[int]]  # noqa: UP007 - a range has no | in Python 3.10's typing of aliases
Default = Union[int, str, tuple[()], None]  # noqa: UP007

_LOWEST: Final = -(2**15)
_HIGHEST: Final = 2**15

ZERO_UUID: Final = "A" * 22
EVERY: Final = range(_LOWEST, _HIGHEST)
NONE: Final = range(0)


class Wire(IntEnum):
    """How a value stands in the bytes; a flexible version writes lengths and counts as unsigned varints."""

    INT8 = 1
    INT16 = 2
    INT32 = 3
    INT64 = 4
    UINT16 = 5
    UVARINT = 6
    UUID = 7
    STRING = 8
    BYTES = 9
    STRUCT = 10
    JAVA_UTF = 11
    """uint16 length and modified UTF-8, as Java's DataOutput.writeUTF writes it."""
    JAVA_CHARS = 12
    """int32 count and that many UTF-16 code units, as Java's DataOutput.writeChars writes them."""
    BOOL = 13
    FLOAT64 = 14


def since(first: int) -> range:
    """Versions from `first` on."""
    return range(first, _HIGHEST)


def until(last: int) -> range:
    """Versions up to `last`, pre-release ones included."""
    return range(_LOWEST, last + 1)


def only(version: int) -> range:
    """The one version."""
    return range(version, version + 1)


def between(first: int, last: int) -> range:
    """Versions from `first` to `last`, both included."""
    return range(first, last + 1)


def among(*versions: int) -> frozenset[int]:
    """These versions and no others."""
    return frozenset(versions)


@dataclass(frozen=True)
class Field:
    """One row of a format table: a field's name, its type, and the versions that carry it."""

    name: str
    wire: Wire
    versions: Versions = EVERY
    nullable: bool = False
    tag: int | None = None
    """Number of a tagged field; None for a field that stands in its place in the row order."""
    default: Default = None
    """What Kafka holds where a version or a record lacks the field; None is null (unknown)."""
    fields: tuple[Field, ...] = ()
    array: bool = False
    """The field is an array of `wire`."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A format table: the rows of one message kind in wire order, for all of its versions. It equals itself alone."""

    name: str
    versions: range
    fields: tuple[Field, ...]
    flexible: Versions = NONE
    drafts: tuple[str, ...] = ()
    """Releases whose layouts were changed without a new version, newest first: they are versions -1, -2, ..."""
    tolerant: bool = False
    """A higher version is read as the highest known one, and missing trailing fields take their defaults."""

    @property
    def variants(self) -> range:
        """Every version with a layout of its own, the pre-release ones below zero included."""
        return range(-len(self.drafts), self.versions.stop)

    def fields_of(self, version: int) -> tuple[Field, ...]:
        """Give the rows that one version has, at every depth."""
        return _in_version(self.fields, version)


def _in_version(fields: tuple[Field, ...], version: int) -> tuple[Field, ...]:
    own_fields = (field for field in fields if version in field.versions)
    return tuple(replace(field, fields=_in_version(field.fields, version)) for field in own_fields)


def camel(name: str) -> str:
    """Give the name that Kafka's JSON has for a column: leader_epoch is leaderEpoch there."""
    head, *rest = name.split("_")
    return head + "".join(word[0].upper() + word[1:] for word in rest)


def snake(name: str) -> str:
    """Give the column name for one of Kafka's JSON: leaderEpoch is leader_epoch here."""
    return re.sub("[A-Z]", lambda capital: "_" + capital.group().lower(), name).lstrip("_")
