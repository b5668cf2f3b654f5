"""Lines of a broker's text log that are objects of JSON, put back into the layout that Kafka ships.

Put here what such layouts call the time, the logger and the message: those of Log4j (JsonLayout, and JsonTemplateLayout
for ECS, GELF, Logstash and Google Cloud) and of Logstash's own. What a message says is in `coordinator_forms`.
"""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

TIMES: Final = ("@timestamp", "timestamp", "instant", "timeMillis")
LOGGERS: Final = ("log.logger", "logger_name", "loggerName", "_logger", "logger")
MESSAGES: Final = ("message", "short_message")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLIS_FROM: Final = 100_000_000_000
"""A number of seconds that large is a time in the year 5138, so it counts milliseconds."""
_WRITTEN: Final = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?"
    r"(?:Z|(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-9]{2}))?"
)


def to_kafka_layout(lines: pa.Array) -> pa.Array:
    """The lines, those of JSON as Kafka's own layout would have them; one that can't be read becomes empty."""
    is_json = pc.starts_with(lines, b"{")
    if not is_json.true_count:
        return lines
    shipped = [_line_in_kafka_layout(line) for line in lines.filter(is_json).to_pylist()]
    return pc.replace_with_mask(lines, is_json, pa.array(shipped, lines.type))


def _line_in_kafka_layout(line: bytes) -> bytes:
    try:
        entry = json.loads(line)
        logged_at = _time(_first(entry, TIMES))
    except (ValueError, OverflowError, RecursionError):
        return b""
    logger, message = _first(entry, LOGGERS), _first(entry, MESSAGES)
    if logged_at is None or not isinstance(logger, str) or not isinstance(message, str):
        return b""
    at = f"{logged_at:%Y-%m-%d %H:%M:%S},{logged_at.microsecond // 1000:03}"
    return f"[{at}] INFO {message} ({logger})".encode("utf-8", "replace")


def _first(entry: dict[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401 - whatever JSON holds
    """What is there under the first of these names; a dot may stand for an object inside, as ECS has it."""
    for name in names:
        outer, _, inner = name.partition(".")
        inside = entry.get(outer)
        value = entry.get(name, inside.get(inner) if inner and isinstance(inside, dict) else None)
        if value is not None:
            return value
    return None


def _time(value: Any) -> datetime | None:  # noqa: ANN401
    """When that is, in UTC; a time without a zone is taken for UTC, as in Kafka's own layout."""
    if isinstance(value, dict):
        return _of_instant(value.get("epochSecond"), value.get("nanoOfSecond", 0))
    if isinstance(value, int | float):
        return _EPOCH + (timedelta(milliseconds=value) if value >= _MILLIS_FROM else timedelta(seconds=value))
    written = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    return None if written is None else _of_text(written)


def _of_instant(seconds: object, nanos: object) -> datetime | None:
    if not isinstance(seconds, int) or not isinstance(nanos, int):
        return None
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000)


def _of_text(written: re.Match[str]) -> datetime:
    at = datetime.fromisoformat(f"{written['date']}T{written['time']}+00:00")
    micros = int(f"{written['part'] or '0':0<6}"[:6])
    ahead = timedelta(hours=int(written["hours"] or 0), minutes=int(written["minutes"] or 0))
    return at + timedelta(microseconds=micros) + (ahead if written["sign"] == "-" else -ahead)
