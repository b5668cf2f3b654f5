"""A value that no log, table, error or page may show: read where it is used, from the environment or a file.

Put here how it is read. What it is good for belongs to whoever uses it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from parsers.errors import SourceError
from parsers.names import is_text
from parsers.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Secret:
    """The source of a value; its text never appears in what Python prints of this object."""

    key: str
    """What the file calls it, for sentences."""
    variable: str | None = None
    file: str | None = None
    text: str | None = field(default=None, repr=False)

    def read(self, environment: Mapping[str, str] = os.environ) -> str:
        """The value as it is now: a password that was changed counts at once."""
        value = self._value(environment).strip()
        if not value:
            raise SourceError(f"{self.key}: {self._place} is empty")
        if not (is_text(value) and value.isprintable()):
            raise SourceError(f"{self.key}: {self._place} is no text of one line")
        return value

    @property
    def _place(self) -> str:
        return f"the variable {self.variable}" if self.variable else f"the file {self.file}" if self.file else "it"

    def _value(self, environment: Mapping[str, str]) -> str:
        if self.variable:
            if self.variable not in environment:
                raise SourceError(f"{self.key}: the variable {self.variable} is not set")
            return environment[self.variable]
        if self.file is None:
            return self.text or ""
        try:
            return read_text(self.file, _LONGEST_BYTES)
        except SourceError as error:
            raise SourceError(f"{self.key}: the file {error}") from None
