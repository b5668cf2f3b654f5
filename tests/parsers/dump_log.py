"""What kafka-dump-log printed about a segment, read back: the broker's own answer to compare a walk with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAIR = re.compile(r"(\w+): (\S+?)\}?(?= |$)")
_TIMES = ("CreateTime", "LogAppendTime", "NoTimestampType")


class Dumped(NamedTuple):
    """One file of a dump: the fields of its batch lines, and (offset, time, key size, value size) of its records."""

    path: str
    batches: list[dict[str, str]]
    records: list[tuple[int, ...]]


def read_dump(lines: Iterable[str]) -> list[Dumped]:
    """Read the lines of a dump."""
    files: list[Dumped] = []
    for line in lines:
        if line.startswith("Dumping "):
            files.append(Dumped(line[8:].strip(), [], []))
        elif line.startswith("| offset: "):
            fields = dict(_PAIR.findall(line[2:].split(" key: ")[0].split(" payload: ")[0].rstrip("\n")))
            files[-1].records.append(
                tuple(int(fields[name]) for name in ("offset", _time(fields), "keySize", "valueSize"))
            )
        elif line.startswith(("baseOffset: ", "offset: ")) and files[-1].path.endswith(".log"):
            files[-1].batches.append(dict(_PAIR.findall(line.rstrip("\n"))))
    return files


def _time(fields: dict[str, str]) -> str:
    return next(name for name in _TIMES if name in fields)


def batch_line(batch: dict[str, Any]) -> dict[str, str]:
    """Say a batch of a walk in the fields of kafka-dump-log."""
    known = {name: -1 if value is None else value for name, value in batch.items()}
    time = "LogAppendTime" if batch["is_log_append_time"] else "CreateTime"
    line = {
        "position": batch["position"],
        ("NoTimestampType" if batch["magic"] == 0 else time): known["max_timestamp_ms"],
        "size": batch["size_bytes"],
        "magic": batch["magic"],
        "compresscodec": batch["codec"],
        "crc": batch["crc"],
        "isvalid": "true",
    }
    line |= {"offset": batch["last_offset"]} if batch["magic"] < 2 else _newest_fields(known, batch)
    return {name: str(value) for name, value in line.items()}


def _newest_fields(known: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    horizon_ms = batch["delete_horizon_ms"]
    sequence = known["base_sequence"]
    last_sequence = sequence + batch["last_offset"] - batch["base_offset"] if sequence >= 0 else -1
    return {
        "baseOffset": batch["base_offset"],
        "lastOffset": batch["last_offset"],
        "count": batch["record_count"],
        "baseSequence": sequence,
        "lastSequence": last_sequence,
        "producerId": known["producer_id"],
        "producerEpoch": known["producer_epoch"],
        "partitionLeaderEpoch": known["leader_epoch"],
        "isTransactional": str(batch["is_transactional"]).lower(),
        "isControl": str(batch["is_control"]).lower(),
        "deleteHorizonMs": "OptionalLong.empty" if horizon_ms is None else f"OptionalLong[{horizon_ms}]",
    }
