"""How a recording is laid out on disk: what is written of brokers, of scenarios and of what members processed.

Files and their formats belong here. What is played and when it is copied is in `record`.
"""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from typing import TYPE_CHECKING, Any

from tests.broker.truth import Truth, truth_of_lives

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tests.broker.cluster import Broker
    from tests.broker.stage import Stage


def write_logs(brokers: Sequence[Broker], to: Path) -> None:
    """Compress the log directories of brokers, each below its number."""
    with tarfile.open(to, "w:xz") as packed:
        for broker in brokers:
            copy = broker.copy_logs(broker.node.folder / to.name)
            packed.add(copy, f"{broker.node.number}/data")


def write_broker_log(broker: Broker, folder: Path) -> None:
    """Write a broker's own text log, the coordinator's lines among it."""
    (folder / f"broker-{broker.node.number}.log.xz").write_bytes(lzma.compress(broker.log.encode()))


def write_scenario(stage: Stage, folder: Path) -> None:
    """Write what was done and said and when, what each member wrote down, and the truth that follows from it."""
    folder.mkdir()
    _write_lines(folder / "events.jsonl", stage.events)
    _write_lines(folder / "describe.jsonl", stage.answers)
    write_truth(folder, {stage.name: truth_of(stage)})
    with tarfile.open(folder / "processed.tar.xz", "w:xz") as packed:
        for name in stage.members:
            _add(packed, f"processed/{stage.name}.{name}.jsonl", _processed(stage, name))
            _add(packed, f"processed/{stage.name}.{name}.assign.jsonl", _other_lines(stage, name))


def truth_of(stage: Stage) -> Truth:
    """What a group truly processed twice or never."""
    return truth_of_lives(stage.processed(), [(life.began_ms, life.starts) for life in stage.lives])


def write_truth(folder: Path, truths: dict[str, Truth]) -> None:
    """Write the truth of some groups."""
    (folder / "truth.json").write_text(json.dumps(truths, indent=1) + "\n")


def write_scenarios(folder: Path, rows: Iterable[object]) -> None:
    """Write which scenarios were played on which brokers, and why the others were not."""
    _write_lines(folder / "scenarios.jsonl", rows)


def _processed(stage: Stage, name: str) -> list[list[int]]:
    """Time, partition and offset of each record that a member processed, in its order."""
    lines = stage.members[name].written
    return [[line["ms"], line["partition"], line["offset"]] for line in lines if line["event"] == "processed"]


def _other_lines(stage: Stage, name: str) -> list[dict[str, Any]]:
    """What else a member wrote down: what it was given and lost, and what it was refused."""
    return [_other_line(line) for line in stage.members[name].written if line["event"] != "processed"]


def _other_line(line: dict[str, Any]) -> dict[str, Any]:
    known = {"ts": line["ms"], "what": line["event"]}
    parts = {"parts": [int(one.rpartition("-")[2]) for one in line["partitions"]]} if "partitions" in line else {}
    return known | parts | {key: line[key] for key in ("why", "records") if key in line}


def _add(packed: tarfile.TarFile, name: str, rows: Iterable[object]) -> None:
    text = _lines(rows)
    entry = tarfile.TarInfo(name)
    entry.size = len(text)
    packed.addfile(entry, io.BytesIO(text))


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    path.write_bytes(_lines(rows))


def _lines(rows: Iterable[object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
