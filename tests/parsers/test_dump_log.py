"""What `lagbook dump` shows of real brokers' files equals what kafka-dump-log printed of them, record by record.

What the two show in different words, and where the tool prints less, is said in docs/reference/dump.md.
"""

from __future__ import annotations

import json
import lzma
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from parsers.dump.json_lines.files import Reading, file_lines
from tests.parsers.dump_contents import dumped_rows, shown_batch, shown_row
from tests.parsers.dump_log import read_dump

HERE = Path(__file__).resolve().parents[1] / "bytes"
RECORDED: Final = [HERE / "dump" / case for case in ("features-4.1", "streams-4.1")]
DATA: Final = [HERE / "batches" / case for case in ("kafka-0.9", "kafka-0.10", "kafka-4.1")]


def shown(path: Path) -> list[dict[str, Any]]:
    """Read back the lines of a file, in which there must be no trouble."""
    rows = []
    for lines in file_lines(str(path), Reading()):
        assert lines.trouble_count == 0
        rows += [json.loads(line) for line in lines.data.tobytes().splitlines()]
    return rows


def compare(folder: Path, dump: list[str], *, is_decoded: bool = True) -> int:
    """Compare every file that a dump speaks of; give how many batches, records and entries were compared."""
    theirs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path, row in dumped_rows(dump):
        theirs[path].append(row)
    files = read_dump(dump)
    for dumped in files:
        ours = shown(folder / dumped.path)
        compare_batches(ours, dumped.batches)
        if theirs[dumped.path]:
            compare_rows(ours, theirs[dumped.path], is_decoded=is_decoded)
    return sum(len(dumped.batches) + len(theirs[dumped.path]) for dumped in files)


def compare_batches(ours: list[dict[str, Any]], theirs: list[dict[str, str]]) -> None:
    """Compare the headers of the batches, each of which is on the line of every record."""
    by_position = {row["position"]: shown_batch(row) for row in ours if "batch" in row}
    assert list(by_position.values()) == theirs


def compare_rows(ours: list[dict[str, Any]], theirs: list[dict[str, Any]], *, is_decoded: bool) -> None:
    """Compare records or entries; a dump never prints a null key, and without a decoder no key and no value."""
    records = [shown_row(row) for row in ours if "offset" in row or "entry" in row]
    for mine, printed in zip(records, theirs, strict=True):
        unprinted = {"key"} if mine.get("key") is None else set()
        unprinted |= set() if is_decoded else {"key", "value"}
        assert {name: value for name, value in mine.items() if name not in unprinted} == printed


def text_of(dump: Path) -> list[str]:
    """Read the lines of a dump."""
    return [line for line in lzma.decompress(dump.read_bytes()).decode(errors="replace").split("\n") if line]


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_internal_topics(folder: Path) -> None:
    """Keys, values, control records and index entries of Kafka's own topics."""
    assert compare(folder, text_of(folder / "dump-log.txt.xz")) > 200


@pytest.mark.parametrize("folder", DATA, ids=lambda folder: folder.name)
def test_data(folder: Path) -> None:
    """Batches, sizes, times and headers of records in every codec and of every magic."""
    assert compare(folder, text_of(folder / "dump-log.txt.xz"), is_decoded=False) > 20


ARCHIVES = {"snap-live": "snap-live.tar.xz", "data": "data.tar.xz"}
CASES = ("incident-4.1", "features-4.1", "streams-4.1", "kafka-0.9")


def test_every_recorded_cluster(shared: Path, tmp_path: Path) -> None:
    """All recorded clusters, those of the wild too: 108,000 records, none of them shown otherwise."""
    corpus = shared / "corpus"
    folders = [corpus / case for case in CASES] + sorted((corpus / "wild").iterdir())
    assert sum(compare_cluster(folder, tmp_path / folder.name) for folder in folders) > 185_000


def compare_cluster(folder: Path, unpacked: Path) -> int:
    """Unpack one cluster and compare it with all of its dumps; those of data topics have no decoder."""
    for name in ARCHIVES.values():
        if (folder / name).exists():
            with tarfile.open(folder / name) as archive:
                archive.extractall(unpacked, filter="data")
    compared = 0
    for dump in sorted(folder.glob("dump-log.*.xz")):
        compared += compare(unpacked, text_of(dump), is_decoded=not dump.name.startswith("dump-log.data"))
    return compared
