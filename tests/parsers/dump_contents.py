"""What kafka-dump-log printed of records and index entries, in the words of `lagbook dump`, to be compared with it.

Batch lines are read by `dump_log`; here are the lines of records, with what they say, and those of indexes.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, Any]

_RECORD = re.compile(
    r"\| offset: (?P<offset>-?\d+) (?P<timestampType>\w+): (?P<timestamp>-?\d+) keySize: (?P<keySize>-?\d+)"
    r" valueSize: (?P<valueSize>-?\d+)(?: sequence: (?P<sequence>-?\d+) headerKeys: \[(?P<headerKeys>.*?)\])?"
    r"(?: isValid: true crc: \d+\})?(?: (?P<rest>.*))?"
)
_MARKER = re.compile(r"endTxnMarker: (?P<type>\w+) coordinatorEpoch: (?P<epoch>-?\d+)")
_CONTROLS = {
    "LeaderChange: ": "LEADER_CHANGE",
    "SnapshotHeader ": "SNAPSHOT_HEADER",
    "SnapshotFooter ": "SNAPSHOT_FOOTER",
    "KRaftVersion ": "KRAFT_VERSION",
    "KRaftVoters ": "KRAFT_VOTERS",
}
_ENTRY = re.compile(r"(\w+): (-?\d+)")
_DELETED = "<DELETE>"
OLDEST_TODAY = 2
"""The magic from which on batches have a header of their own."""


def dumped_rows(lines: Iterable[str]) -> Iterator[tuple[str, Row]]:
    """Give each record and each index entry of a dump, with the path of its file."""
    path = ""
    for line in lines:
        if line.startswith("Dumping "):
            path = line[8:].strip()
        elif match := _RECORD.fullmatch(line.rstrip("\n")):
            yield path, _record(match)
        elif not path.endswith(".log") and not line.startswith("Log starting"):
            yield path, {name: int(number) for name, number in _ENTRY.findall(line)}


def _record(match: re.Match[str]) -> Row:
    numbers = {name: _or_none(match[name]) for name in ("offset", "timestamp", "keySize", "valueSize", "sequence")}
    return {**numbers, "headerKeys": match["headerKeys"] or "", **_contents(match["rest"] or "")}


def _or_none(text: str | None) -> int | None:
    return None if text in (None, "-1") else int(str(text))


def _contents(text: str) -> Row:
    """Read what a record says; types and versions are strings there, and numbers in Kafka's own converters."""
    if marker := _MARKER.fullmatch(text):
        return {"control": {"type": marker["type"], "coordinatorEpoch": int(marker["epoch"])}}
    for lead, name in _CONTROLS.items():
        if text.startswith(lead):
            return {"control": {"type": name, **json.loads(text.removeprefix(lead))}}
    contents: Row = {}
    while text:
        name, text = text.split(": ", 1)
        if text == _DELETED:
            return contents | {"value": None}
        parsed, end = json.JSONDecoder().raw_decode(text)
        text = text[end:].lstrip()
        contents["value" if name == "payload" else name] = _with_numbers(parsed)
    return contents


def _with_numbers(message: Row) -> Row:
    heads = {name: int(message[name]) for name in ("type", "version") if str(message.get(name, "")).isdecimal()}
    return {**message, **heads}


def shown_row(row: Row) -> Row:
    """Say one line of `lagbook dump` with what a dump prints of it."""
    if "entry" in row:
        return {name: -1 if value is None else value for name, value in row["entry"].items()}
    numbers = {name: row.get(name) for name in ("offset", "timestamp", "keySize", "valueSize", "sequence")}
    keys = ",".join(header["key"] for header in row.get("headers", ()))
    return {**numbers, "headerKeys": keys, **{name: row[name] for name in ("key", "value", "control") if name in row}}


def shown_batch(row: Row) -> dict[str, str]:
    """Say the batch of one line of `lagbook dump` as the batch line of a dump."""
    batch, is_old = row["batch"], row["batch"]["magic"] < OLDEST_TODAY
    times = {name: batch[name] for name in ("CreateTime", "LogAppendTime") if name in batch} or {"NoTimestampType": -1}
    same = {name: batch[name] for name in ("size", "magic", "compresscodec", "crc")}
    shown = {"position": row["position"], **times, **same, "isvalid": "true"}
    shown |= {"offset": batch["lastOffset"]} if is_old else _newest(batch)
    return {name: str(value) for name, value in shown.items()}


def _newest(batch: Row) -> Row:
    numbers = ("baseOffset", "lastOffset", "count", "baseSequence", "lastSequence", "producerId", "producerEpoch")
    flags = {name: str(batch[name]).lower() for name in ("isTransactional", "isControl")}
    horizon_ms = batch.get("deleteHorizonMs")
    horizon = "OptionalLong.empty" if horizon_ms is None else f"OptionalLong[{horizon_ms}]"
    shown = {name: batch.get(name, -1) for name in (*numbers, "partitionLeaderEpoch")}
    return {**shown, **flags, "deleteHorizonMs": horizon}
