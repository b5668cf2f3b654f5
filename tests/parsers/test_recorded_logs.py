"""Segments that brokers wrote, walked and compared with what Kafka's own kafka-dump-log says about them."""

from __future__ import annotations

import lzma
import tarfile
from pathlib import Path

import pytest

from tests.parsers.dump_log import Dumped, batch_line, read_dump
from tests.parsers.log_writer import Bytes, Walked, read_all

HERE = Path(__file__).resolve().parents[1] / "bytes" / "batches"
ARCHIVES = {"snap-live": "snap-live.tar.xz", "data": "data.tar.xz"}


def check(content: bytes, dumped: Dumped) -> None:
    """Compare one file: every batch, every record, and nothing left over."""
    walked = read_all(content)
    assert [batch_line(batch) for batch in walked.batches] == dumped.batches
    if dumped.records:
        assert sizes(walked) == dumped.records
    assert not walked.quarantine
    assert walked.accounted_bytes == len(content)
    check_headers_only(content, walked)


def sizes(walked: Walked) -> list[tuple[int, ...]]:
    """Say the records as a dump does."""
    return [(at, ms, *(-1 if field is None else len(field) for field in pair)) for at, ms, *pair in walked.records]


def check_headers_only(content: bytes, walked: Walked) -> None:
    """Compare with the walk that looks at headers alone, but for what only the bodies of old wrappers tell."""
    hidden = ("base_offset", "record_count", "base_timestamp_ms")
    rows = read_all(content, bodies=False).batches
    for row, full in zip(rows, walked.batches, strict=True):
        if row["record_count"] is None:
            row |= {name: full[name] for name in hidden}
    assert rows == walked.batches


@pytest.mark.parametrize("case", ["kafka-0.9", "kafka-0.10", "kafka-4.1"])
def test_recorded_part(case: str) -> None:
    """The logs kept here (all codecs, all magics, markers, compaction) read as kafka-dump-log read them."""
    text = lzma.decompress((HERE / case / "dump-log.txt.xz").read_bytes()).decode()
    logs = [dumped for dumped in read_dump(text.splitlines()) if dumped.path.endswith(".log")]
    assert logs
    for dumped in logs:
        check((HERE / case / dumped.path).read_bytes(), dumped)


CASES = ("incident-4.1", "features-4.1", "streams-4.1", "kafka-0.9")


def test_recorded_clusters(shared: Path) -> None:
    """All recorded clusters, those of the wild too, read as kafka-dump-log read them."""
    corpus = shared / "corpus"
    folders = [corpus / case for case in CASES] + sorted((corpus / "wild").iterdir())
    checked = sum(check_dump(folder, dump) for folder in folders for dump in sorted(folder.glob("dump-log.*.xz")))
    assert checked > 140


def check_dump(folder: Path, dump: Path) -> int:
    """Check every log that one dump speaks of; give their number."""
    files = read_dump(lzma.decompress(dump.read_bytes()).decode(errors="replace").splitlines())
    logs = {dumped.path: dumped for dumped in files if dumped.path.endswith(".log")}
    if not logs:
        return 0
    with tarfile.open(folder / ARCHIVES[next(iter(logs)).split("/")[0]]) as archive:
        for path, dumped in logs.items():
            member = archive.extractfile(path)
            assert member is not None
            check(member.read(), dumped)
    return len(logs)


def golden_vectors() -> list[tuple[str, str, str]]:
    """Read the vectors that Kafka's own classes wrote and read back: name, bytes, and what they read."""
    parts = (HERE / "vectors-batches.txt").read_text().split("## ")[1:]
    heads = [part.split("\n", 1) for part in parts]
    return [(*head.rsplit(" ", 1), rest) for head, rest in heads]  # type: ignore[misc]


@pytest.mark.parametrize(("name", "content", "read"), golden_vectors(), ids=lambda text: text[:30])
def test_golden_vector(name: str, content: str, read: str) -> None:
    """What Kafka's classes wrote reads as they read it themselves."""
    walked = read_all(Bytes(bytes.fromhex(content)))
    assert not walked.quarantine, name
    batches = [line for line in read.splitlines() if line.startswith("   batch")]
    records = [line.split() for line in read.splitlines() if line.startswith("      off=")]
    for line, batch in zip(batches, walked.batches, strict=True):
        fields = dict(pair.split("=") for pair in line.split()[1:])
        ours = batch_line(batch)
        assert fields["comp"] == ours["compresscodec"]
        assert int(fields["crc"], 16) == batch["crc"]
        assert fields["horizon"] == ours.get("deleteHorizonMs", "OptionalLong.empty")
        assert [int(fields[key]) for key in ("magic", "base", "last", "size")] == [
            batch[key] for key in ("magic", "base_offset", "last_offset", "size_bytes")
        ]
        assert ours[fields["type"]] == fields["ts"]
        assert (fields["pid"], fields["txn"], fields["ctl"]) == (
            ours.get("producerId", "-1"),
            ours.get("isTransactional", "false"),
            ours.get("isControl", "false"),
        )
    texts = [["null" if field is None else field.hex() for field in pair] for _at, _ms, *pair in walked.records]
    ours_read = [[f"off={at}", f"ts={ms}"] for at, ms, *_pair in walked.records]
    assert [
        [*head, f"key={key}", f"val={value}"] for head, (key, value) in zip(ours_read, texts, strict=True)
    ] == records


def test_markers() -> None:
    """COMMIT and ABORT carry the epoch of the coordinator that wrote them."""
    vectors = {name: bytes.fromhex(content) for name, content, _read in golden_vectors()}
    walked = read_all(vectors["txn commit marker"] + vectors["txn abort marker"], bodies=False)
    markers = [(batch["control_type"], batch["coordinator_epoch"]) for batch in walked.batches]
    assert markers == [("COMMIT", 12), ("ABORT", 12)]
