"""The golden vectors: bytes that Kafka's own classes wrote, and what they say was written.

Put here how the vectors' files are read. What must come of them is in the tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from parsers.wire import snake

GOLDEN: Final = Path(__file__).resolve().parents[1] / "bytes" / "golden"

TOKEN: Final = re.compile(r"'(?P<text>[^']*)'|(?P<mark>[()\[\],=])|(?P<word>[^()\[\],=\s]+)")


@dataclass(frozen=True)
class Vector:
    """One line: its name, its bytes, and what Kafka's class said it is."""

    name: str
    data: bytes
    message: str = ""
    stated: dict[str, Any] | None = None


def record_vectors() -> list[Vector]:
    """Keys and values of the offsets topic."""
    lines = "".join((GOLDEN / f"vectors-records{part}.txt").read_text() for part in ("", "2")).splitlines()
    return [_vector(line) for line in lines]


def blob_vectors(name: str) -> list[Vector]:
    """Vectors of another file, without a statement: a name and bytes."""
    pairs = (line.rsplit(" ", 1) for line in (GOLDEN / name).read_text().splitlines())
    return [Vector(title, bytes.fromhex(data)) for title, data in pairs if re.fullmatch("([0-9a-f]{2})+", data)]


def _vector(line: str) -> Vector:
    head, _, statement = line.partition("  ")
    title, data = head.rsplit(" ", 1)
    message, stated = _Statement(statement).struct() if statement else ("", None)
    return Vector(title, bytes.fromhex(data), message, stated)


class _Statement:
    """Reads the text form of Kafka's classes: Name(field=value, list=[...], text='...')."""

    def __init__(self, text: str) -> None:
        self.tokens = [match.groupdict() for match in TOKEN.finditer(text)]
        self.at = 0

    def next(self) -> dict[str, str | None]:
        self.at += 1
        return self.tokens[self.at - 1]

    def struct(self) -> tuple[str, dict[str, Any]]:
        name, values = self.next()["word"] or "", {}
        while self.next()["mark"] != ")":
            if self.tokens[self.at]["mark"] == ")":
                continue
            field = snake(self.next()["word"] or "")
            self.next()
            values[field] = self.value()
        return name, values

    def value(self) -> Any:  # noqa: ANN401 - whatever the field holds
        token = self.tokens[self.at]
        if token["mark"] == "[":
            return self.list()
        if self.tokens[self.at + 1]["mark"] == "(":
            return self.struct()[1]
        self.at += 1
        word = token["word"]
        return token["text"] if word is None else _plain(word)

    def list(self) -> list[Any]:
        values = []
        while self.next()["mark"] != "]":
            if self.tokens[self.at]["mark"] != "]":
                values.append(self.value())
        return values


def _plain(word: str) -> int | str | None:
    if word == "null":
        return None
    return int(word) if re.fullmatch(r"-?\d+", word) else word
