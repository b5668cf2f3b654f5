"""Keys and values as they are wanted: bytes, text, or what a function of the user's makes of them.

Put here how bytes become a column, and what becomes of those that can't be read. Lagbook itself knows no format.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64encode
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BYTES: Final = "bytes"
TEXT: Final = "text"
_LONGEST_ERROR: Final = 500


@dataclass(frozen=True, slots=True)
class Deserialiser:
    """How a key or a value is read: `form` is bytes, text or MODULE:FUNCTION."""

    form: str
    function: Callable[[bytes], object] | None = None

    @property
    def is_json(self) -> bool:
        """Whether the column has JSON, as functions return any value."""
        return self.function is not None

    def fields(self, part: str) -> list[pa.Field]:
        """The columns of a key or value: beside the one that is read, the error and the bytes of what can't be."""
        if self.form == BYTES:
            return [pa.field(part, pa.binary())]
        return [
            pa.field(part, pa.string()),
            pa.field(f"{part}_error", pa.string()),
            pa.field(f"undecoded_{part}", pa.binary()),
        ]

    def columns(self, content: pa.BinaryArray) -> list[pa.Array]:
        """The values of these columns; NULL stays NULL."""
        if self.form == BYTES:
            return [content]
        if self.function is not None:
            return _one_by_one(content, partial(_as_json, self.function))
        try:
            return [content.cast(pa.string()), *_no_errors(len(content))]
        except pa.ArrowInvalid:
            return _one_by_one(content, bytes.decode)


def deserialiser(form: str) -> Deserialiser:
    """The deserialiser of this name; a function is imported, from the working directory too."""
    if form in {BYTES, TEXT}:
        return Deserialiser(form)
    module, _colon, name = form.partition(":")
    if not module or not name:
        raise SourceError(f"{form}: expected bytes, text, or MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as Python does for `python -m`
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise SourceError(f"{form}: the function can't be imported: {error}") from error
    finally:
        sys.path.pop(0)
    if not callable(function):
        raise SourceError(f"{form}: it is no function")
    return Deserialiser(form, function)


def _as_json(function: Callable[[bytes], object], content: bytes) -> str:
    """What the function returns, as JSON."""
    return json.dumps(function(content), allow_nan=False, default=_json_value)


def _one_by_one(content: pa.BinaryArray, read: Callable[[bytes], str]) -> list[pa.Array]:
    texts: list[str | None] = []
    errors: list[str | None] = []
    bad: list[bytes | None] = []
    for value in content.to_pylist():
        text, error = _read(value, read)
        texts.append(text)
        errors.append(error)
        bad.append(value if error is not None else None)
    return [pa.array(texts, pa.string()), pa.array(errors, pa.string()), pa.array(bad, pa.binary())]


def _read(value: bytes | None, read: Callable[[bytes], str]) -> tuple[str | None, str | None]:
    """The text of one value, or the error: a function may raise whatever it likes, and costs one record."""
    if value is None:
        return None, None
    try:
        text = read(value)
        text.encode()
    except Exception as error:  # noqa: BLE001 - the user's function
        return None, f"{type(error).__name__}: {error}"[:_LONGEST_ERROR].encode("utf-8", "backslashreplace").decode()
    return text, None


def _no_errors(count: int) -> Sequence[pa.Array]:
    return pa.nulls(count, pa.string()), pa.nulls(count, pa.binary())


def _json_value(value: object) -> str:
    """What JSON has no form for: bytes as base64, all else as its text."""
    return b64encode(value).decode() if isinstance(value, (bytes, bytearray)) else str(value)
