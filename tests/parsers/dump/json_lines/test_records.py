"""Lines of records: their order among what could not be read, control records, headers, and hostile bytes."""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from parsers.dump.json_lines import records as json_records
from parsers.dump.json_lines.metadata import metadata_contents
from parsers.dump.json_lines.payloads import base64_contents, text_contents
from parsers.dump.json_lines.records import slice_lines
from parsers.dump.json_lines.topics import topic_contents
from parsers.log.segments import walk
from parsers.messages.internal_topics import TRANSACTION_STATE
from parsers.messages.record_types import OFFSETS
from tests.parsers.golden import record_vectors
from tests.parsers.log_writer import TIME_MS, Bytes, batch, entry, record, simple_batch

if TYPE_CHECKING:
    import pytest

    from parsers.dump.json_lines.contents import Writer

CONTROL = 0x20
LOG_APPEND_TIME = 0x08
offsets = partial(topic_contents, OFFSETS)


def lines(content: bytes, write: Writer = base64_contents) -> tuple[list[dict[str, Any]], int]:
    """Walk a segment and read its lines back; and give how many things could not be read."""
    shown, trouble_count = [], 0
    for piece in walk(Bytes(content), bodies=True):
        for block in slice_lines("a.log", piece, write):
            text = block.data.tobytes()
            assert not text or text.endswith(b"\n")
            shown += [json.loads(line) for line in text.splitlines()]
            trouble_count += block.trouble_count
    return shown, trouble_count


def b64(content: bytes) -> str:
    """Give base64 as text."""
    return base64.b64encode(content).decode()


def test_data() -> None:
    """Keys, values and headers of data are base64; null stays null; what a record does not have is left out."""
    headers = [(b"h", b"\xff"), (b"", None)]
    content = batch(5, [record(0, None, None, headers=headers), record(2, b"k", b"", time_delta_ms=4)], last_delta=2)
    (first, second), trouble_count = lines(content)
    assert trouble_count == 0
    assert first["headers"] == [{"key": "h", "value": b64(b"\xff")}, {"key": "", "value": None}]
    assert (first["key"], first["value"], first["keySize"], first["valueSize"]) == (None, None, None, None)
    assert second == {
        "file": "a.log",
        "position": 0,
        "batch": second["batch"],
        "offset": 7,
        "timestamp": TIME_MS + 4,
        "keySize": 1,
        "valueSize": 0,
        "key": b64(b"k"),
        "value": "",
    }
    assert {"producerId", "baseSequence", "deleteHorizonMs", "LogAppendTime"}.isdisjoint(second["batch"])


def test_batch() -> None:
    """Sequences run on behind the base sequence and start again at 0 behind the largest."""
    content = batch(
        0, [record(0, b"", b""), record(1, b"", b"")], producer=(9, 3, 2**31 - 1), attributes=LOG_APPEND_TIME
    )
    (first, second), _ = lines(content)
    shown = first["batch"]
    assert (shown["producerId"], shown["producerEpoch"]) == (9, 3)
    assert (shown["baseSequence"], shown["lastSequence"]) == (first["sequence"], second["sequence"]) == (2**31 - 1, 0)
    assert (shown["LogAppendTime"], first["timestamp"]) == (TIME_MS, TIME_MS)


def test_text() -> None:
    """As text, what is no UTF-8 can be told from what is."""
    hostile = '\x1b[2J\u202e"é'.encode()
    shown, _ = lines(batch(0, [record(0, hostile, b"\xff\xfe"), record(1, b"null", None)]), text_contents)
    assert [(row["key"], row["value"]) for row in shown] == [
        (hostile.decode(), {"base64": b64(b"\xff\xfe")}),
        ("null", None),
    ]


def test_header_keys_that_are_no_text() -> None:
    """A header's key is text; one that is none is shown all the same."""
    shown, _ = lines(batch(0, [record(0, b"", b"", headers=[(b"\xff", b"")])]))
    assert shown[0]["headers"] == [{"key": {"base64": b64(b"\xff")}, "value": ""}]


def test_old_entries() -> None:
    """Magic 0 has no time at all, magic 1 has one for each entry."""
    first = entry(3, b"k", b"v", magic=0)
    (zero, one), _ = lines(first + entry(4, b"k", None, magic=1))
    assert (zero["timestamp"], one["timestamp"]) == (None, TIME_MS)
    assert "CreateTime" not in zero["batch"]
    assert one["batch"]["CreateTime"] == TIME_MS
    assert (one["position"], one["offset"], one["value"]) == (len(first), 4, None)


def test_order_of_the_file() -> None:
    """A batch without records and a stretch that can't be read stand where they are in the file."""
    parts = [simple_batch(0), batch(2, [], last_delta=3), simple_batch(6), b"\x07" * 40, simple_batch(8)]
    shown, trouble_count = lines(b"".join(parts))
    assert [sorted({"offset", "trouble", "batch"} & row.keys()) for row in shown] == [
        ["batch", "offset"],
        ["batch", "offset"],
        ["batch"],
        ["batch", "offset"],
        ["batch", "offset"],
        ["trouble"],
        ["batch", "offset"],
        ["batch", "offset"],
    ]
    positions = [row["position"] for row in shown]
    assert positions == sorted(positions)
    assert shown[5]["trouble"]["bytes"] == b64(b"\x07" * 40)
    assert (trouble_count, shown[5]["trouble"]["sizeBytes"]) == (1, 40)


def test_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the blocks, the lines are the same and in the same order."""
    parts = [simple_batch(2 * number) for number in range(20)]
    content = b"".join([*parts[:7], b"\x07" * 40, *parts[7:], batch(40, [])])
    whole = lines(content)
    monkeypatch.setattr(json_records, "BLOCK_BYTES", 1000)
    assert lines(content) == whole


def test_names_stand_in_one_order_whatever_the_batches_have() -> None:
    """A batch with a producer among others without one has its names in the same order as they."""
    producer = batch(2, [record(0, b"", b"")], producer=(9, 3, 0))
    shown, _ = lines(simple_batch(0) + producer + simple_batch(3))
    (plain, *_), (other, *_) = (
        [list(row["batch"]) for row in shown if ("producerId" in row["batch"]) is has_producer]
        for has_producer in (False, True)
    )
    assert [name for name in other if name in plain] == plain
    assert other[:6] == ["baseOffset", "lastOffset", "count", "baseSequence", "producerId", "producerEpoch"]


def test_golden_records() -> None:
    """Keys that Kafka's classes wrote are shown with Kafka's names; a tombstone has a null value."""
    keys = {vector.message: vector for vector in record_vectors() if vector.message.endswith("Key")}
    shown, trouble_count = lines(batch(0, [record(n, v.data, None) for n, v in enumerate(keys.values())]), offsets)
    assert trouble_count == 0
    assert [row["key"]["type"] for row in shown] == [int.from_bytes(v.data[:2], "big") for v in keys.values()]
    named = {row["key"]["type"]: row["key"]["data"] for row in shown}
    assert set(named[2]) == {"group"}
    assert set(named[1]) == {"group", "topic", "partition"}
    assert set(named[8]) == {"groupId", "memberId"}
    assert {row["value"] for row in shown} == {None}


def test_messages_that_cannot_be_read() -> None:
    """Bytes, reason and place of the trouble are shown, and both parts of both kinds are counted."""
    content = batch(
        0,
        [
            record(0, b"\x00\x63rest", b"\x00\x00"),
            record(1, b"\x00\x02\x00\x01g", b"\x00\x09rest"),
            record(2, None, b"\x00"),
            record(3, b"\x00\x02\x00\x09g", None),
        ],
    )
    shown, trouble_count = lines(content, offsets)
    assert shown[0]["key"]["type"] == 0x63
    assert shown[0]["key"]["trouble"]["reason"] == shown[0]["value"]["trouble"]["reason"] == "unknown record type"
    assert shown[1]["value"] == {
        "version": 9,
        "bytes": b64(b"\x00\x09rest"),
        "trouble": shown[1]["value"]["trouble"],
    }
    assert shown[2]["key"]["bytes"] is None
    assert shown[3]["key"]["trouble"]["expected"].startswith("group_id: ")
    assert shown[3]["value"] is None
    assert trouble_count == 6


def test_control_records() -> None:
    """Control records are told by name wherever they stand; what has no type that is known is shown as bytes."""
    marker, epoch = b"\x00\x00\x00\x01", b"\x00\x00\x00\x00\x00\x0c"
    leader = b"\x00\x00" + b"\x00\x00\x00\x07" + b"\x02" + b"\x00\x00\x00\x07\x00" + b"\x01" + b"\x00"
    content = simple_batch(0) + b"".join(
        batch(2 + number, [record(0, key, value)], attributes=CONTROL)
        for number, (key, value) in enumerate(
            [(marker, epoch), (b"\x00\x00\x00\x02", leader), (b"\x00\x00\x00\x63", None)]
        )
    )
    shown, trouble_count = lines(content + simple_batch(5))
    assert [row.get("control") for row in shown] == [
        None,
        None,
        {"type": "COMMIT", "coordinatorEpoch": 12},
        {"type": "LEADER_CHANGE", "version": 0, "leaderId": 7, "voters": [{"voterId": 7}], "grantingVoters": []},
        {"type": 0x63, "key": b64(b"\x00\x00\x00\x63"), "value": None},
        None,
        None,
    ]
    assert all(("key" in row) == ("control" not in row) for row in shown)
    assert trouble_count == 0


def test_members_are_opened_for_consumers_alone() -> None:
    """A subscription is opened where the group is of consumers; what does not read as one stays base64."""
    values = {vector.name: vector for vector in record_vectors() if vector.message == "GroupMetadataValue"}
    assert values
    shown, _ = lines(
        batch(0, [record(n, b"\x00\x02\x00\x01g", v.data) for n, v in enumerate(values.values())]), offsets
    )
    for row in shown:
        data = row["value"]["data"]
        for member in data["members"]:
            assert isinstance(member["subscription"], dict if data["protocolType"] == "consumer" else str)


def test_metadata_records() -> None:
    """A metadata record is named as Kafka names it; what can't be read is shown with its frame."""
    feature = b"\x01\x0c\x00" + b"\x02f" + b"\x00\x05" + b"\x00"
    shown, trouble_count = lines(
        batch(0, [record(0, None, feature), record(1, None, b"\x01\x63\x00"), record(2, None, feature[:-3])]),
        metadata_contents,
    )
    assert shown[0]["value"] == {"type": "FEATURE_LEVEL_RECORD", "version": 0, "data": {"name": "f", "featureLevel": 5}}
    assert (shown[1]["value"]["type"], shown[1]["value"]["trouble"]["reason"]) == (0x63, "unknown record type")
    assert shown[2]["value"]["trouble"]["expected"].startswith("feature_level: ")
    assert trouble_count == 2


def test_names_of_other_topics() -> None:
    """The keys of the transaction log have its own names."""
    shown, _ = lines(batch(0, [record(0, b"\x00\x00\x00\x01x", None)]), partial(topic_contents, TRANSACTION_STATE))
    assert shown[0]["key"] == {"type": 0, "data": {"transactionalId": "x"}}
