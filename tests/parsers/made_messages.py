"""Messages for tests: any value of any layout, and columns of messages decoded as the parser's callers do.

Put here what the tests of layouts share. The encoder and the naive reader have modules of their own.
"""

from __future__ import annotations

import base64
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from hypothesis import strategies as st

from parsers import layouts
from parsers.messages.decode import Structs, decode
from parsers.wire import Field, Layout, Wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.words import ByteArray, Int64Array

_MODULES: Final = [import_module(package.name) for package in walk_packages(layouts.__path__, f"{layouts.__name__}.")]

LAYOUTS: Final = tuple(
    dict.fromkeys(table for module in _MODULES for table in vars(module).values() if isinstance(table, Layout))
)
"""Every format table that a module of layouts defines."""

VERSIONED: Final = tuple(
    (layout, version) for layout in LAYOUTS for version in layout.variants if version < 0 or version in layout.versions
)
"""Every layout in every version, pre-release ones below zero."""

AROUND: Final = b"\xa5" * 11
"""Bytes between messages, which nobody may read."""


def name_of(case: object) -> str:
    """Name a layout or a version in a test's id."""
    return case.name if isinstance(case, Layout) else str(case)


def _integers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


_TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)

_VALUES: Final[dict[Wire, st.SearchStrategy[Any]]] = {
    Wire.INT8: _integers(8),
    Wire.INT16: _integers(16),
    Wire.INT32: _integers(32),
    Wire.INT64: _integers(64),
    Wire.UINT16: st.integers(0, 2**16 - 1),
    Wire.UVARINT: st.integers(0, 2**32 - 1),
    Wire.UUID: st.binary(min_size=16, max_size=16).map(lambda data: base64.urlsafe_b64encode(data).decode()[:22]),
    Wire.STRING: _TEXTS,
    Wire.BYTES: st.binary(max_size=20),
    Wire.BOOL: st.booleans(),
    Wire.FLOAT64: st.floats(allow_nan=False),
    Wire.JAVA_UTF: _TEXTS,
    Wire.JAVA_CHARS: st.binary(max_size=6).map(lambda data: data * 2),
}


def structs(fields: tuple[Field, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Any values of these fields."""
    return st.fixed_dictionaries({row.name: _of_field(row) for row in fields})


def _of_field(row: Field) -> st.SearchStrategy[Any]:
    one = structs(row.fields) if row.wire is Wire.STRUCT else _VALUES[row.wire]
    some = st.lists(one, max_size=3) if row.array else one
    return st.none() | some if row.nullable else some


def laid_out(messages: Sequence[bytes | None]) -> tuple[ByteArray, Int64Array, Int64Array]:
    """Put messages into one buffer with foreign bytes around each; None has no span."""
    starts, data = [], bytearray(AROUND)
    for message in messages:
        starts.append(-1 if message is None else len(data))
        data += (message or b"") + AROUND
    sizes = [len(message or b"") for message in messages]
    first = np.array(starts, np.int64)
    return np.frombuffer(bytes(data), np.uint8), first, first + np.array(sizes, np.int64)


def decoded(layout: Layout, version: int | Sequence[int], messages: Sequence[bytes | None]) -> Structs:
    """Decode messages of one version, or of one version each, and check that the columns are sound Arrow."""
    buffer, starts, ends = laid_out(messages)
    versions = version if isinstance(version, int) else np.array(version, np.int16)
    result = decode(layout, buffer, starts, ends, versions)
    result.columns.validate(full=True)
    return result


def rows(result: Structs) -> list[Any]:
    """Give the decoded structs without the column of unknown tags."""
    structs_read: list[dict[str, Any] | None] = result.columns.to_pylist()
    return [None if row is None else {k: v for k, v in row.items() if k != "unknown_tags"} for row in structs_read]
