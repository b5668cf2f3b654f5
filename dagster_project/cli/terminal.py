"""How text, tables and JSON leave the command: safe for a terminal, whatever bytes a group id is made of.

Put here what knows about terminals and nothing about Kafka. What a column means belongs to the command that prints it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import textwrap
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from dagster_project.cli.times import show_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LONGEST_CELL: Final = 96
"""Characters of one value that a table or a sentence shows; a member id has about 50, a hostile name 32,000."""

MISSING: Final = "-"
"""The text for NULL in a table, as in kafka-consumer-groups."""

NAME: Final = frozenset({"group_id", "topic", "cluster"})
"""Columns whose values a person types again; tables show them as a shell takes them."""

_MARKS: Final = re.compile(r"[\\`*_{}\[\]#!|~>]|(?<=:)/|(?<=www)\.")
"""Characters with a meaning in Markdown, anywhere in a line; addresses become links without any."""
_WIDE: Final = frozenset("WF")
_LONGEST_NAME: Final = 249
"""Characters of a name that is shown to be pasted: as many as a topic may have."""
_WIDEST_COLUMN: Final = 60
"""Characters up to which a column is padded: a member id fits."""
_SHORTEST_RUN: Final = 3
_LINE: Final = 100
"""Columns of a line of text that is cut to size."""


def safe(text: str) -> str:
    r"""Show every character that could move the cursor, hide or reorder text as an escape like `\x1b`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def brief(text: str, limit: int = LONGEST_CELL) -> str:
    """Make a text safe and cut it after `limit` characters, saying how many are missing."""
    if len(text) <= limit:
        return safe(text)
    return f"{safe(text[:limit])}...(+{len(text) - limit} characters)"


class Shown(str):
    """Text that is fit for a terminal already, so that a table shows it as it is."""

    __slots__ = ()


def pasteable(name: str) -> Shown:
    r"""A name as a shell takes it back: bare, in quotes, or like `$'evil\x1b[2J'`; a very long one is cut."""
    if len(name) > _LONGEST_NAME:
        return Shown(brief(name))
    return Shown(shlex.quote(name) if name.isprintable() else f"$'{''.join(map(_quoted, name))}'")


def _quoted(character: str) -> str:
    r"""A character between `$'` and `'`; by its bytes if it could act on a terminal."""
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))


def runs(numbers: Sequence[int]) -> list[str]:
    """Numbers in order, three or more without a gap as one: 2 to 4, 7."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return [
        text
        for span in spans
        for text in ([f"{span[0]} to {span[-1]}"] if len(span) >= _SHORTEST_RUN else map(str, span))
    ]


def cell(value: object) -> str:
    """One value as a table shows it: `-` for NULL, UTC for a time."""
    if value is None:
        return MISSING
    if isinstance(value, Shown):
        return value
    return show_time(value) if isinstance(value, datetime) else brief(str(value))


def in_words(token: str | None) -> str:
    """A value such as `left_or_expired` as a sentence has it."""
    return cell(token).replace("_", " ")


def plural(number: int, word: str) -> str:
    """A number and its noun: 1 group, 2,000 groups."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def between(lower: int | None, upper: int | None) -> str:
    """A number by its bounds, without a space: `5`, `>=5`, `<=9`, `5-9`, or `-` without any."""
    if lower is None or lower == upper:
        return MISSING if upper is None else str(upper) if lower is not None else f"<={upper}"
    return f">={lower}" if upper is None else f"{lower}-{upper}"


def markdown(text: str) -> str:
    """A text in which Markdown and HTML find nothing to act on, and no end of a table's cell."""
    return _MARKS.sub(r"\\\g<0>", safe(text)).replace("&", "&amp;").replace("<", "&lt;")


def print_sentence(line: str) -> None:
    """Print a line; on a terminal broken between words, what goes on set in, so that a list stays a list."""
    click.echo(_broken(line) if sys.stdout.isatty() else line)


def _broken(line: str) -> str:
    """A line broken between words for the terminal, what goes on set in."""
    inset = f"{line[: len(line) - len(line.lstrip())]}    "
    width = shutil.get_terminal_size().columns
    parts = textwrap.wrap(line, width, subsequent_indent=inset, break_long_words=False, break_on_hyphens=False)
    return "\n".join(parts)


def in_lines(text: str, most: int) -> list[str]:
    """A text broken between words into at most so many lines, as wide as a terminal up to 100; the rest is dots."""
    width = min(_LINE, shutil.get_terminal_size().columns) if sys.stdout.isatty() else _LINE
    lines = textwrap.wrap(
        text, width, subsequent_indent="   ", max_lines=most, placeholder=" ...", break_on_hyphens=False
    )
    return lines or [""]


def print_columns(rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns that a person can read and `awk` can split; a very long value moves its own row alone."""
    lines = [tuple(cell(value) for value in row) for row in rows]
    widths = [min(max(map(_width, column)), _WIDEST_COLUMN) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (text + " " * (width - _width(text)) for text, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def print_json_rows(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Print a JSON list, one object per line, as the rows come; True when there was any."""
    before = "[\n "
    for row in rows:
        click.echo(before + to_json(row), nl=False)
        before = ",\n "
    is_empty = before.startswith("[")
    click.echo("[]" if is_empty else "\n]")
    return not is_empty


def to_json(value: object, indent: int | None = None) -> str:
    r"""JSON in ASCII alone: what a terminal could act on arrives as a `\u` escape."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, default=_json_value, indent=indent)


def note(text: str) -> None:
    """Say something beside the answer: on stderr, so that the answer can be piped on; on a terminal between words."""
    click.echo("\n".join(map(_broken, text.splitlines())) if sys.stderr.isatty() else text, err=True)


def _json_value(value: object) -> str:
    return show_time(value) if isinstance(value, datetime) else str(value)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(c) in _WIDE) - (unicodedata.combining(c) > 0) for c in text)
