"""Keys and values that brokers wrote, decoded and compared with what Kafka's own kafka-dump-log says about them."""

from __future__ import annotations

import base64
import json
import lzma
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from parsers.messages.embedded import ASSIGNMENT, SUBSCRIPTION, Blob, open_blobs
from parsers.messages.internal_topics import SHARE_GROUP_STATE, TRANSACTION_STATE
from parsers.messages.record_types import OFFSETS, kafka_key_name
from parsers.messages.topic_records import RecordColumns, Topic, decode_records
from parsers.wire import Field, Layout, Wire, camel
from tests.parsers.encode import is_default
from tests.parsers.log_writer import read_all
from tests.parsers.made_messages import laid_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from parsers.messages.decode import Structs

REPO: Final = Path(__file__).resolve().parents[2]
HERE: Final = REPO / "tests" / "bytes" / "batches"
ARCHIVES: Final = {"snap-live": "snap-live.tar.xz", "data": "data.tar.xz"}
CASES: Final = ("incident-4.1", "features-4.1", "streams-4.1", "kafka-0.9")

Pair = tuple[Any, Any]
"""Key and value as the dump has them: objects, or a mark such as <DELETE>."""


def dumped_pairs(lines: Sequence[str]) -> dict[str, list[Pair]]:
    """The keys and values of each file of a dump."""
    files: dict[str, list[Pair]] = {}
    for line in lines:
        if line.startswith("Dumping "):
            pairs = files.setdefault(line[8:].strip(), [])
        elif line.startswith("| offset: ") and " key: {" in line:
            pairs.append(_pair(line))
    return files


def _pair(line: str) -> Pair:
    key, end = json.JSONDecoder().raw_decode(line, line.index(" key: {") + 6)
    payload = line[end:].removeprefix(" payload: ").strip()
    return key, json.loads(payload) if payload.startswith("{") else payload


def as_kafka_says(fields: Sequence[Field], values: dict[str, Any]) -> dict[str, Any]:
    """Put a decoded struct into the form of Kafka's JSON: its names, and no tagged field that has its default."""
    shown = (row for row in fields if row.tag is None or not is_default(row, values[row.name]))
    return {camel(row.name): _as_kafka_says(row, values[row.name]) for row in shown}


def _as_kafka_says(row: Field, value: Any) -> Any:  # noqa: ANN401 - whatever the field holds
    if isinstance(value, list):
        return [_as_kafka_says_one(row, one) for one in value]
    return None if value is None else _as_kafka_says_one(row, value)


def _as_kafka_says_one(row: Field, value: Any) -> Any:  # noqa: ANN401
    if row.wire is Wire.STRUCT:
        return as_kafka_says(row.fields, value)
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def opened(blob: Blob, data: bytes) -> Any:  # noqa: ANN401
    """Give a blob as the dump prints it: opened, or as base64 when it can't be."""
    (struct,) = open_blobs(blob, pa.array([data], pa.binary())).to_pylist()
    if struct is None:
        return base64.b64encode(data).decode()
    version = min(struct.pop("version"), 3)
    return as_kafka_says(blob.layout.fields_of(version), struct)


def json_value(layout: Layout, decoded: Structs, version: int, row: int) -> dict[str, Any]:
    """Say one decoded value as the dump does, members of consumer groups opened."""
    values = decoded.columns[row].as_py()
    value_as_json = as_kafka_says(layout.fields_of(int(decoded.version[row])), values)
    if value_as_json.get("protocolType") == "consumer":
        for shown, member in zip(value_as_json["members"], values["members"], strict=True):
            shown["subscription"] = opened(SUBSCRIPTION, member["subscription"])
            shown["assignment"] = opened(ASSIGNMENT, member["assignment"])
    return {"version": str(version), "data": value_as_json}


def json_pairs(topic: Topic, columns: RecordColumns) -> Iterator[Pair]:
    """Say decoded records as the dump does."""
    for row, record_type in enumerate(columns.record_type.to_pylist()):
        names = [field.name for field in topic.key.fields_of(record_type)]
        name_of = kafka_key_name if topic is OFFSETS else _plain_name
        data = {name_of(record_type, name): columns.keys[name][row].as_py() for name in names}
        yield {"type": str(record_type), "data": data}, json_key(topic, columns, row, record_type)


def _plain_name(_record_type: int, name: str) -> str:
    return camel(name)


def json_key(topic: Topic, columns: RecordColumns, row: int, record_type: int) -> Any:  # noqa: ANN401
    """Say the value of one record as the dump does."""
    version = columns.value_version[row].as_py()
    if version is None:
        return "<DELETE>"
    kind = next(name for name, kind in topic.kinds.items() if record_type in kind.record_types)
    return json_value(topic.kinds[kind].layout, columns.decoded[kind], version, row)


def check(topic: Topic, content: bytes, pairs: list[Pair]) -> None:
    """Compare the records of one file with what a dump says of them."""
    data = [pair for batch_pair in _data_records(content) for pair in batch_pair]
    buffer, starts, ends = laid_out(data)
    columns = decode_records(topic, buffer, (starts[::2], ends[::2]), (starts[1::2], ends[1::2]))
    assert not columns.error.any()
    assert not columns.key_left_over_bytes.any()
    assert not columns.value_left_over_bytes.any()
    for ours, dumped in zip(json_pairs(topic, columns), pairs, strict=True):
        assert ours == dumped


def _data_records(content: bytes) -> list[tuple[bytes | None, bytes | None]]:
    walked = read_all(content)
    control = [range(b["base_offset"], b["last_offset"] + 1) for b in walked.batches if b["is_control"]]
    return [(key, value) for at, _, key, value in walked.records if not any(at in offsets for offsets in control)]


@pytest.mark.parametrize("case", ["kafka-0.9", "kafka-0.10", "kafka-4.1"])
def test_recorded_part(case: str) -> None:
    """The offsets logs kept here say what kafka-dump-log says they say."""
    text = lzma.decompress((HERE / case / "dump-log.txt.xz").read_bytes()).decode()
    for path, pairs in dumped_pairs(text.splitlines()).items():
        if pairs and "__consumer_offsets" in path:
            check(OFFSETS, (HERE / case / path).read_bytes(), pairs)


DUMPS: Final = {"offsets": OFFSETS, "share": SHARE_GROUP_STATE, "txn": TRANSACTION_STATE}


def test_recorded_clusters(shared: Path) -> None:
    """Every record of every recorded cluster says what kafka-dump-log says it says."""
    corpus = shared / "corpus"
    folders = [corpus / case for case in CASES] + sorted((corpus / "wild").iterdir())
    compared = sum(check_dump(folder, kind, topic) for folder in folders for kind, topic in DUMPS.items())
    assert compared > 70_000


def check_dump(folder: Path, kind: str, topic: Topic) -> int:
    """Check every log that one dump speaks of; give the number of records."""
    path = folder / f"dump-log.{kind}.txt.xz"
    if not path.is_file():
        return 0
    files = dumped_pairs(lzma.decompress(path.read_bytes()).decode(errors="replace").splitlines())
    logs = {name: pairs for name, pairs in files.items() if name.endswith(".log") and pairs}
    with tarfile.open(folder / ARCHIVES[next(iter(files)).split("/")[0]]) as archive:
        for name, pairs in logs.items():
            member = archive.extractfile(name)
            assert member is not None
            check(topic, member.read(), pairs)
    return sum(len(pairs) for pairs in logs.values())
