"""The recording of MirrorMaker 2 and Kafka Connect: how it is packed, and how it is read back.

What was recorded is in `record`.
"""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, Any, Final

from tests.broker.book import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.cluster import Broker

RECORDED: Final = ROOT / "tests" / "bytes" / "mirror"
SIDES: Final = ("source", "target")
LEFT_OUT: Final = (".index", ".timeindex", ".txnindex", ".snapshot")
"""A broker makes them anew from the log that they stand beside."""


def pack(broker: Broker, copy: Path, to: Path) -> None:
    """Compress a broker's log directory, without the files that follow from its logs."""
    broker.copy_logs(copy)
    for path in sorted(copy.rglob("*")):
        is_needless = path.suffix in LEFT_OUT or path.name.startswith(".")
        if path.is_file() and (is_needless or path.parent.name.startswith("__cluster_metadata")):
            path.unlink()
    with tarfile.open(to, "w:xz", preset=9) as packed:
        packed.add(copy, "data", filter=_without_owner)


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def unpack(to: Path, recording: Path = RECORDED) -> list[Path]:
    """Unpack the log directories of both clusters, each into a folder of its name."""
    folders = []
    for side in SIDES:
        with tarfile.open(recording / f"{side}.tar.xz") as packed:
            packed.extractall(to / side, filter="data")
        folders.append(to / side / "data")
    return folders


def truth(recording: Path = RECORDED) -> dict[str, Any]:
    """What truly happened."""
    truth: dict[str, Any] = json.loads((recording / "truth.json").read_text())
    return truth
