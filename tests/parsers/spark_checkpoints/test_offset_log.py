"""Files of planned batches: what each form of a line gives, and what a broken one is refused with."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.log.damage.quarantine import Trouble
from parsers.spark_checkpoints.offset_log import PlannedBatch, parse_offsets

METADATA = b'{"batchWatermarkMs":0,"batchTimestampMs":1700000000000,"conf":{}}'


def _file(*sources: bytes, version: bytes = b"v1", metadata: bytes = METADATA) -> bytes:
    return b"\n".join((version, metadata, *sources))


def _batch(content: bytes) -> PlannedBatch:
    batch = parse_offsets(content)
    assert isinstance(batch, PlannedBatch), batch
    return batch


def test_a_kafka_source_gives_its_offsets_and_the_time_of_the_plan() -> None:
    """The case that is nearly all cases."""
    batch = _batch(_file(b'{"orders":{"0":10,"1":20},"audit":{"7":3}}'))
    assert batch == PlannedBatch(1_700_000_000_000, {"orders": {0: 10, 1: 20}, "audit": {7: 3}}, 1)


@pytest.mark.parametrize(
    "other",
    [b"-", b"51", b'{"logOffset":3}', b'{"sourceVersion":1,"reservoirId":"a","index":{}}', b'"7"', b"[]", b"null"],
)
def test_a_source_of_another_kind_is_passed_by(other: bytes) -> None:
    """Files, rates, Delta tables and sources without an offset."""
    expected = {"orders": {0: 10}}
    assert _batch(_file(other, b'{"orders":{"0":10}}')).offsets == expected
    assert _batch(_file(other)).offsets == {}


def test_of_two_sources_on_one_partition_the_lower_offset_counts() -> None:
    """What one of them did not process yet is not processed."""
    batch = _batch(_file(b'{"orders":{"0":10,"1":5}}', b'{"orders":{"0":7,"1":9,"2":1}}'))
    assert batch.offsets == {"orders": {0: 7, 1: 5, 2: 1}}


def test_version_2_names_its_sources() -> None:
    """As Spark 4.2 writes it where it is asked to."""
    batch = _batch(_file(b'0:{"orders":{"0":10}}', b"files:-", b'b:{"logOffset":1}', version=b"v2"))
    assert (batch.offsets, batch.sources) == ({"orders": {0: 10}}, None)


def test_a_batch_of_old_spark_has_no_time() -> None:
    """Its metadata is an empty line, or has no time."""
    assert _batch(_file(b'{"orders":{"0":10}}', metadata=b"")).planned_ms is None
    assert _batch(_file(b'{"orders":{"0":10}}', metadata=b'{"batchTimestampMs":-1}')).planned_ms is None


@pytest.mark.parametrize(
    ("content", "expected", "position"),
    [
        (b"", "a first line v1 or v2", 0),
        (b"v9\n{}\n-", "a first line v1 or v2", 0),
        (b"v1", "the batch's metadata, a JSON object", 3),
        (b'v1\n{"batchTime', "the batch's metadata, a JSON object", 3),
        (b"v1\n[]\n-", "the batch's metadata, a JSON object", 3),
        (b"v1\n{}", "a line for each source", 5),
        (b'v1\n{}\n-\n{"orders":{"0":1', "the offset of a source, as JSON", 8),
        (b'v1\n{}\n{"orders":{"0":-2}}', "partitions and offsets of Kafka", 0),
        (b'v1\n{}\n{"orders":{"0":9223372036854775808}}', "partitions and offsets of Kafka", 0),
        (b'v1\n{}\n{"orders":{"4294967296":1}}', "partitions and offsets of Kafka", 0),
        (b'v1\n{}\n{"orders":{"0":1.5}}', "partitions and offsets of Kafka", 0),
        (b'v1\n{}\n{"":{"0":1}}', "partitions and offsets of Kafka", 0),
        (b'v1\n{}\n{"\\ud800":{"0":1}}', "partitions and offsets of Kafka", 0),
        (b"v1\n{}\n" + b"[" * 100_000, "the offset of a source, as JSON", 6),
    ],
)
def test_a_broken_file_is_a_trouble_with_its_place(content: bytes, expected: str, position: int) -> None:
    """Torn at any place, of another version, or with numbers that no Kafka has."""
    trouble = parse_offsets(content)
    assert isinstance(trouble, Trouble)
    assert (trouble.expected, trouble.position) == (expected, position)
    assert trouble.position + trouble.size_bytes == len(content)


@given(st.integers(0, 200))
def test_a_file_that_is_cut_off_never_gives_other_offsets(cut: int) -> None:
    """A cut is a trouble, or the file is whole."""
    content = _file(b"-", json.dumps({"orders": {str(one): 10**one for one in range(8)}}).encode())
    batch = parse_offsets(content[:cut])
    assert isinstance(batch, Trouble) or batch.offsets in ({}, _batch(content).offsets)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_batch_or_a_trouble(content: bytes) -> None:
    """No error comes out of a stranger's file."""
    assert isinstance(parse_offsets(b"v1\n{}\n" + content), (PlannedBatch, Trouble))
