"""Times as people type and read them: ISO 8601, epoch milliseconds, or relative to now in; UTC out.

Put here how a time is written. Which times a command takes belongs to that command.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import click

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST: Final = datetime.min.replace(tzinfo=timezone.utc)
_LAST: Final = datetime.max.replace(tzinfo=timezone.utc)
_FEWEST_DIGITS: Final = 12
"""Epoch milliseconds have 12 digits since 1973; fewer are seconds, or a date without dashes."""

_UNITS: Final = (("days", 86_400), ("hours", 3_600), ("minutes", 60))
_UNITS_LEAST: Final = 2
"""A unit is used from so many of it on."""

FORMS: Final = (
    "ISO 8601 such as 2026-11-18T02:30, epoch milliseconds, or relative to now: -5m, -1d12h, 02:30 (the last one),"
    " 'yesterday 14:00'; UTC unless it or --zone names a zone"
)
LOCAL: Final = "local"
"""The name for the zone of this machine."""

_AGO: Final = re.compile(r"-(?=\d)(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_AGO_UNITS: Final = ("weeks", "days", "hours", "minutes", "seconds")
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_DAYS_AGO: Final = {"today": 0, "yesterday": 1}
_ZONE_KEY: Final = "dagster_project.cli.times.zone"


def typed_time(text: str) -> datetime:
    """The instant of `--at`, `--from` or `--to` in the zone of `--zone`, or a refusal with the accepted forms."""
    context = click.get_current_context(silent=True)
    zone: tzinfo | None = timezone.utc if context is None else context.meta.get(_ZONE_KEY, timezone.utc)
    try:
        return parse_time(text, zone, datetime.now(timezone.utc))
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{text[:80]!r} is no time that Lagbook understands ({error}); give {FORMS}."
        ) from error


def take_zone(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    """Keep the zone of `--zone` for the times of the same call."""
    if name is not None:
        context.meta[_ZONE_KEY] = _typed_zone(name)


def parse_time(text: str, zone: tzinfo | None, now: datetime) -> datetime:
    """The instant of a text, in UTC; one that names no zone is in `zone` (None: this machine's)."""
    written = text.strip()
    if written.isdecimal():
        return _from_digits(written)
    if written == "now":
        return now
    if (ago := _AGO.fullmatch(written)) is not None:
        return now - timedelta(**{unit: int(ago[i]) for i, unit in enumerate(_AGO_UNITS, 1) if ago[i]})
    day, _, clock = written.partition(" ")
    if day in _DAYS_AGO or _CLOCK.fullmatch(written):
        return _of_day(day, clock.strip(), zone, now)
    bare = written.removesuffix(" UTC")
    is_utc = bare != written or bare[-1:] in {"Z", "z"}
    parsed = datetime.fromisoformat(f"{bare.removesuffix('Z').removesuffix('z')}+00:00" if is_utc else bare)
    return (parsed if parsed.tzinfo else _in_zone(parsed, zone)).astimezone(timezone.utc)


def show_time(instant: datetime) -> str:
    """An instant in UTC to the millisecond, in a form that `--at` takes."""
    return instant.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def show_second(instant: datetime) -> str:
    """An instant in UTC to the second, as a sentence has it."""
    return f"{instant.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def show_length(seconds: float) -> str:
    """A length of time in the largest unit of which it has two."""
    for unit, size in _UNITS:
        if seconds >= _UNITS_LEAST * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.1f} s"


def show_age(seconds: float) -> str:
    """A length of time for a narrow column: 45s, 12m, 3h, 5d; a time ahead, as of another clock, is 0s."""
    for unit, size in _UNITS:
        if seconds >= _UNITS_LEAST * size:
            return f"{seconds // size:.0f}{unit[0]}"
    return f"{max(seconds, 0):.0f}s"


def _of_day(day: str, clock: str, zone: tzinfo | None, now: datetime) -> datetime:
    """The clock's time of a day; of a clock alone the last time that it was so."""
    today = now.astimezone(zone).date()
    if day in _DAYS_AGO:
        date = today - timedelta(days=_DAYS_AGO[day])
        return _at_clock(date, clock or "00:00", zone)
    instant = _at_clock(today, day, zone)
    return instant if instant <= now else _at_clock(today - timedelta(days=1), day, zone)


def _at_clock(date: date, clock: str, zone: tzinfo | None) -> datetime:
    return _in_zone(datetime.combine(date, time.fromisoformat(clock.zfill(5))), zone).astimezone(timezone.utc)


def moved(instant: datetime, by: timedelta) -> datetime:
    """The instant so much later, or earlier; where the calendar ends, its last or first one."""
    try:
        return instant + by
    except OverflowError:
        return _FIRST if by < timedelta(0) else _LAST


def _in_zone(naive: datetime, zone: tzinfo | None) -> datetime:
    return naive.astimezone() if zone is None else naive.replace(tzinfo=zone)


def _typed_zone(name: str) -> tzinfo | None:
    """The zone of a name; None is that of this machine."""
    try:
        return None if name == LOCAL else timezone.utc if name == "UTC" else ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise click.BadParameter(
            f"{name[:80]!r} is no zone that this machine knows; give {LOCAL}, UTC, or a name such as Europe/Berlin."
        ) from error


def _from_digits(text: str) -> datetime:
    if len(text) < _FEWEST_DIGITS:
        message = "too few digits for epoch milliseconds"
        raise ValueError(message)
    return _EPOCH + timedelta(milliseconds=int(text))
