"""The texts of the report: headline, certainty of a claim, lengths of time, and lists cut short.

Put here sentences and how names are shown. Which figures they stand beside belongs in the templates.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from dagster_project.cli.terminal import brief, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dagster_project.cli.questions.basis import Basis

Row = dict[str, Any]

UNKNOWN: Final = "unknown"
_PATH: Final = re.compile(r"[MLHVZ0-9. -]*")
_LONGEST_TEXT: Final = 400
_LONGEST_NAME: Final = 60
_LONGEST_LABEL: Final = 14
_NAMES_MOST: Final = 8
_HEADLINE_MOST: Final = 2
_CERTAINTY: Final = {
    "proven": ("Proven", "whatever happened between the records, this holds"),
    "likely": ("Likely", "the records name both ends of it, but something else could look the same"),
}
_UNITS: Final = (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1))


def printable(value: object) -> object:
    """Anything that a template prints: text without characters that hide or reorder, `-` for NULL; never markup."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return UNKNOWN
    return brief(value, _LONGEST_TEXT) if isinstance(value, str) else value


def name(text: str | None) -> Markup:
    """A name chosen by a client, cut and isolated, so that it can't reorder the text around it."""
    return Markup("<bdi>{}</bdi>").format(brief(text, _LONGEST_NAME) if text is not None else UNKNOWN)


def label(text: str) -> str:
    """A name where there is room for a few letters."""
    shown = safe(text[: _LONGEST_LABEL + 1])
    return shown if len(shown) <= _LONGEST_LABEL else f"{shown[:_LONGEST_LABEL]}…"


def sql(text: str) -> Markup:
    """A query, line by line as it is."""
    return Markup("\n").join(escape(safe(line)) for line in text.split("\n"))


def svg_path(path: str) -> Markup:
    """A path of a figure, which is made of our own letters and numbers."""
    if not _PATH.fullmatch(path):
        raise ValueError(path)
    return Markup(path)  # noqa: S704 - nothing else is in it


def count(number: int | None) -> str:
    """A number with thousands separators; `unknown` for NULL, never 0."""
    return UNKNOWN if number is None else f"{number:,}"


def lag_of(row: Row) -> str:
    """The lag of a row with a lower and an upper bound."""
    lower, upper = row["lag_lower"], row["lag_upper"]
    if lower is None or lower == upper:
        return count(lower)
    return f"at least {lower:,}" if upper is None else f"{lower:,} to {upper:,}"


def moment(instant: datetime | None) -> str:
    """An instant in UTC, to the second."""
    return UNKNOWN if instant is None else f"{instant.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S}"


def clock(instant: datetime | None) -> str:
    """The time of the day in UTC, to the millisecond."""
    return UNKNOWN if instant is None else instant.astimezone(timezone.utc).strftime("%H:%M:%S.%f")[:-3]


def length(span: timedelta) -> str:
    """A length of time in its two largest units."""
    rest, parts = span.total_seconds(), []
    for unit, seconds in _UNITS:
        if rest >= seconds:
            parts.append(f"{int(rest // seconds)} {unit}")
            rest %= seconds
    return " ".join(parts[:2]) or f"{int(rest * 1000)} ms"


def certainty(name: str) -> tuple[str, str]:
    """How sure a claim is, in a word and in a sentence."""
    return _CERTAINTY.get(name, (name, ""))


def span(row: Row, part: str) -> str:
    """The first and the last offset of the estimate or of what is certain; an estimate may come to nothing."""
    begin, end = row[f"{part}_from"], row[f"{part}_to"]
    return "none" if begin is None or end is None or begin >= end else f"{begin:,} \u2013 {end - 1:,}"


def partitions(numbers: Sequence[int]) -> str:
    """Partition numbers, runs of them as one: 0-299, 301."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [str(first) if first == last else f"{first} to {last}" for first, last in runs[:_NAMES_MOST]]
    more = sum(last - first + 1 for first, last in runs[_NAMES_MOST:])
    return ", ".join(texts) + (f" and {more} more" if more else "")


def headline(incidents: Sequence[Row], basis: Basis) -> str:
    """The incidents in one sentence, which continues after the group's name."""
    claims = [row["claim"] for row in incidents[:_HEADLINE_MOST]]
    if not claims and basis.is_gap_free:
        return "has no incident, as far as its commits tell"
    if not claims:
        return f"has no incident in the {basis.read_share} of its history that was seen"
    more = len(incidents) - len(claims)
    further = f", with {more} more incident{'s' if more > 1 else ''}" if more else ""
    return ", and ".join(claims) + further
