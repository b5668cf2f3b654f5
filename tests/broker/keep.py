"""What of a recording stays in the repository: what tests read of it, in one file per release, and the demo's input.

Choosing and packing belongs here, and taking apart again. How a recording is laid out is in `corpus`.
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dagster_project.cli.operations.demo import RECORDING
from tests.broker.book import ROOT
from tests.broker.releases import NEWEST
from tests.broker.scenarios_of_an_incident import SCENARIOS_OF_AN_INCIDENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER_OF_RECORDINGS: Final = ROOT / "tests" / "bytes" / "recorded"
INCIDENT: Final = ROOT / "tests" / "bytes" / RECORDING
DEMO: Final = ROOT / "dagster_project" / "demo"
WRITTEN: Final = "written.tar.xz"
INDEXES: Final = (".index", ".timeindex", ".txnindex")
"""A broker makes them anew from the log that they stand beside, and they are mostly empty."""
COORDINATORS_LINE: Final = re.compile(rb"^.* \((?:org\.apache\.)?kafka\.coordinator\.[\w.$]+\)\n", re.MULTILINE)
"""What else a broker logs tells of the machine that it ran on."""
THOROUGH: Final = lzma.PRESET_EXTREME | 9
"""What the cleaner left stands twice in a recording; only a long memory sees that."""


@click.command()
@click.argument("recording", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(recording: Path) -> None:
    """Keep what `make record` wrote for one release; of the newest, the incident becomes the demo's input."""
    version = recording.name.removeprefix("kafka-")
    with tempfile.TemporaryDirectory() as scratch:
        room = Path(scratch)
        expand(recording, room)
        incident = [*SCENARIOS_OF_AN_INCIDENT, "brokers-incident"]
        others = sorted(path.name for path in room.iterdir() if path.name not in incident)
        pack(room, others, FOLDER_OF_RECORDINGS / f"{version}.tar.xz")
        if version == NEWEST:
            _keep_incident(room)


def keep(version: str, to: Path) -> None:
    """Take apart what is kept of a release; of the newest the demo's incident stands beside the rest."""
    _open(FOLDER_OF_RECORDINGS / f"{version}.tar.xz", to)
    if version == NEWEST:
        _open(INCIDENT / WRITTEN, to)
        _open(DEMO / f"{RECORDING}.tar.xz", to / "brokers-incident" / "before-cleaner" / "1")


def _open(archive: Path, to: Path) -> None:
    with tarfile.open(archive) as opened:
        opened.extractall(to, filter="data")


def expand(recording: Path, to: Path) -> None:
    """Take everything in a recording out of its archives, each into a folder of the archive's name.

    Of a broker's log only what its coordinators wrote.
    """
    for path in sorted(recording.rglob("*")):
        place = to / path.relative_to(recording)
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        elif path.name.endswith(".tar.xz"):
            _unpack(path, place.with_name(path.name.removesuffix(".tar.xz")))
        elif path.suffix == ".xz":
            place.with_suffix("").write_bytes(b"".join(COORDINATORS_LINE.findall(lzma.decompress(path.read_bytes()))))
        else:
            shutil.copyfile(path, place)


def _unpack(path: Path, to: Path) -> None:
    with tarfile.open(path) as archive:
        archive.extractall(to, _wanted(archive, to.name), filter="data")


def _wanted(archive: tarfile.TarFile, name: str) -> Iterator[tarfile.TarInfo]:
    for entry in archive:
        if not entry.name.endswith(INDEXES):
            entry.name = entry.name.removeprefix(f"{name}/")
            yield entry


def pack(room: Path, names: Iterable[str], to: Path) -> None:
    """Pack files and folders of a room; the same content always gives the same bytes."""
    to.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(to, "wb", preset=THOROUGH) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        for name in names:
            archive.add(room / name, name, filter=_nameless)


def _nameless(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without who made it and when."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


def _keep_incident(room: Path) -> None:
    """The broker's log directory and the truth go to the demo, all else that was written down to the tests."""
    pack(room / "brokers-incident" / "before-cleaner" / "1", ["data"], DEMO / f"{RECORDING}.tar.xz")
    truth = json.loads((room / "truth.json").read_text())
    truths = {group: truth[group] for group in sorted(SCENARIOS_OF_AN_INCIDENT)}
    (DEMO / "truth.json").write_text(json.dumps(truths, indent=1) + "\n")
    shutil.rmtree(room / "brokers-incident" / "before-cleaner")
    pack(room, sorted([*SCENARIOS_OF_AN_INCIDENT, "brokers-incident"]), INCIDENT / WRITTEN)


if __name__ == "__main__":
    main()
