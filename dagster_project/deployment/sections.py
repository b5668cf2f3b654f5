"""The tables of `lagbook.toml`, whose keys are taken one by one with their type; what is left over is refused.

Put here what holds for every table of the file. Which tables and keys there are stands beside.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import tomli

from dagster_project.cli.terminal import brief
from dagster_project.deployment.secret import Secret
from parsers.errors import SourceError
from parsers.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_T = TypeVar("_T")
_LONGEST_BYTES: Final = 1 << 20
_TYPES: Final = {
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class Section:
    """A table of the file. Each key is asked for once; `end` refuses those that nobody asked for."""

    def __init__(self, file: Path, name: str, values: Mapping[str, Any]) -> None:
        """Take the values of the table."""
        self.file, self.name = file, name
        self._values = dict(values)
        self._known: list[str] = []

    def text(self, key: str) -> str | None:
        """A text, or None where the key is missing; an empty one is refused."""
        value = self._take(key, str)
        if value is not None and not value.strip():
            raise self.refusal(key, "expected a text, found an empty one")
        return value

    def needed(self, key: str) -> str:
        """A text that has to be there."""
        return self.present(key, self.text(key))

    def present(self, key: str, value: _T | None) -> _T:
        """The value, unless it is missing."""
        if value is None:
            raise self.refusal(key, "expected, not found")
        return value

    def choice(self, key: str, among: Sequence[str], default: str) -> str:
        """One of these words."""
        value = self.text(key)
        if value is not None and value not in among:
            raise self.refusal(key, f"expected one of {', '.join(among)}, found {brief(value)!r}")
        return value or default

    def flag(self, key: str) -> bool | None:
        """True or false, or None where the key is missing."""
        return self._take(key, bool)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; a single text is a list of one."""
        value = self._values.get(key)
        if isinstance(value, str):
            return (self.needed(key),)
        values = self._take(key, list) or []
        for one in values:
            if not isinstance(one, str) or not one.strip():
                raise self.refusal(key, f"expected a list of texts, found {_kind(one)} in it")
        return tuple(values)

    def number(self, key: str, default: float, *, above: float = 0) -> float:
        """A number above a bound."""
        value = self._values.get(key)
        value = self._take(key, int if isinstance(value, int) else float)
        if value is not None and not above < value < float("inf"):
            raise self.refusal(key, f"expected a number above {above:g}, found {value}")
        return default if value is None else value

    def secret(self, key: str, *, may_be_written: bool = False) -> Secret | None:
        """The value of `KEY_env` or `KEY_file`, or where that is allowed of KEY itself; None without any of them."""
        variable, file = self.text(f"{key}_env"), self.text(f"{key}_file")
        if file is not None:
            file = str(self.file.parent / Path(file).expanduser())
        written = self.text(key) if may_be_written else None
        if not may_be_written and key in self._values:
            raise self.refusal(key, f"a secret does not stand in this file: expected {key}_env or {key}_file")
        if sum(one is not None for one in (variable, file, written)) > 1:
            raise self.refusal(key, f"expected one of {key}_env and {key}_file, found more")
        if variable is None and file is None and written is None:
            return None
        return Secret(f"{self.file}: [{self.name}] {key}", variable, file, written)

    def section(self, key: str) -> Section | None:
        """A table in this one, or None."""
        values = self._take(key, dict)
        return None if values is None else Section(self.file, self._below(key), values)

    def sections(self, key: str) -> list[Section]:
        """An array of tables."""
        tables = self._take(key, list) or []
        for one in tables:
            if not isinstance(one, dict):
                raise self.refusal(key, f"expected tables, [[{self._below(key)}]], found {_kind(one)}")
        return [Section(self.file, f"{self._below(key)}[{number}]", one) for number, one in enumerate(tables, 1)]

    def named_sections(self) -> dict[str, Section]:
        """Every table in this one by its name; anything else is refused."""
        return {key: self.present(key, self.section(key)) for key in list(self._values)}

    def end(self) -> None:
        """Refuse keys that nobody asked for: a misspelt one would count as missing."""
        for key in self._values.keys() - set(self._known):
            near = get_close_matches(key, self._known, 1)
            known = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(self._known))}"
            raise self.refusal(brief(key), f"there is no such key; {known}")

    def refusal(self, key: str, sentence: str) -> SourceError:
        """The error of a key, with its address."""
        return SourceError(f"{self.file}: {f'[{self.name}] ' if self.name else ''}{key}: {sentence}")

    def _below(self, key: str) -> str:
        return f"{self.name}.{brief(key)}" if self.name else brief(key)

    def _take(self, key: str, kind: type[_T]) -> _T | None:
        self._known.append(key)
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.refusal(brief(key), f"expected {_TYPES[kind]}, found {_kind(value)}")
        return value


def read_sections(file: Path) -> Section:
    """The whole file."""
    content = read_text(file, _LONGEST_BYTES)
    try:
        return Section(file, "", tomli.loads(content))
    except (tomli.TOMLDecodeError, RecursionError) as error:
        raise SourceError(f"{file} is no TOML: {error}") from error


def _kind(value: object) -> str:
    return _TYPES.get(type(value), "a time")
