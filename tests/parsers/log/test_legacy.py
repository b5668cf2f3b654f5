"""Entries of magic 0 and 1: wrappers and their offset rules, and wrappers that hold what they may not."""

from __future__ import annotations

import gzip
import struct
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsers.log_writer import TIME_MS, batch, entry, read_all, record


def wrapper(offset: int, inner: list[bytes], magic: int = 1, attributes: int = 1) -> bytes:
    """Write a compressed wrapper around entries."""
    return entry(offset, None, gzip.compress(b"".join(inner)), magic=magic, attributes=attributes)


def offsets(content: bytes) -> list[int]:
    """Give the offsets of the records of a log in which nothing is wrong."""
    walked = read_all(content)
    assert not walked.quarantine
    return [at for at, *_rest in walked.records]


def test_relative_offsets() -> None:
    """In a wrapper of magic 1 the last inner entry has the wrapper's offset, also when the cleaner left gaps."""
    assert offsets(wrapper(107, [entry(at, b"k", b"v") for at in (0, 2, 5)])) == [102, 104, 107]


def test_absolute_offsets() -> None:
    """In a wrapper of magic 0 the inner offsets are the offsets."""
    inner = [entry(at, b"k", b"v", magic=0) for at in (102, 104, 107)]
    assert offsets(wrapper(107, inner, magic=0)) == [102, 104, 107]


def test_wrapper_at_offset_0() -> None:
    """Clients that left the wrapper's offset 0 wrote absolute offsets inside."""
    assert offsets(wrapper(0, [entry(at, b"k", b"v") for at in (5, 6)])) == [5, 6]


def test_older_entries_in_a_newer_wrapper() -> None:
    """A cleaner's bug put entries of magic 0 into wrappers of magic 1: offsets follow the wrapper, times are none."""
    walked = read_all(wrapper(9, [entry(at, b"k", b"v", magic=0) for at in (0, 1)]))
    assert walked.records == [(8, -1, b"k", b"v"), (9, -1, b"k", b"v")]


def test_log_append_time() -> None:
    """A wrapper whose time the broker set gives it to all inner records."""
    inner = [entry(at, b"k", b"v", timestamp_ms=5) for at in (0, 1)]
    walked = read_all(wrapper(1, inner, attributes=0x09))
    assert [ms for _at, ms, _key, _value in walked.records] == [TIME_MS, TIME_MS]
    assert walked.batches[0]["is_log_append_time"]


def test_wrapper_header_is_completed() -> None:
    """With bodies, a wrapper's first offset and record count are told; from its header alone they are not."""
    content = wrapper(107, [entry(at, b"k", b"v") for at in (0, 2, 5)])
    (full,), (bare,) = read_all(content).batches, read_all(content, bodies=False).batches
    assert (full["base_offset"], full["last_offset"], full["record_count"]) == (102, 107, 3)
    assert (bare["base_offset"], bare["last_offset"], bare["record_count"]) == (107, 107, None)


def test_formats_in_one_segment() -> None:
    """A segment that was appended to across upgrades is read in its order."""
    old = entry(0, b"a", None, magic=0) + wrapper(2, [entry(0, b"b", b""), entry(1, b"c", b"d")])
    content = old + batch(3, [record(0, b"e", None)]) + entry(4, None, b"f") + batch(5, [record(0, b"g", b"h")])
    walked = read_all(content)
    assert [(at, key, value) for at, _ms, key, value in walked.records] == [
        (0, b"a", None),
        (1, b"b", b""),
        (2, b"c", b"d"),
        (3, b"e", None),
        (4, None, b"f"),
        (5, b"g", b"h"),
    ]
    assert [row["magic"] for row in walked.batches] == [0, 1, 2, 1, 2]


def test_inner_entry_with_a_wrong_checksum() -> None:
    """A damaged inner entry costs itself."""
    inner = [entry(at, b"k", b"v") for at in (0, 1, 2)]
    inner[1] = inner[1][:-1] + b"x"
    walked = read_all(wrapper(12, inner))
    assert [(row["reason"], row["bytes"]) for row in walked.quarantine] == [("entry checksum", inner[1])]
    assert [at for at, *_rest in walked.records] == [10, 12]


def test_nested_wrapper() -> None:
    """A wrapper in a wrapper is not opened."""
    walked = read_all(wrapper(11, [wrapper(0, [entry(0, b"k", b"v")]), entry(1, b"k", b"v")]))
    assert [row["reason"] for row in walked.quarantine] == ["nested wrapper"]
    assert [at for at, *_rest in walked.records] == [11]


def test_fields_that_lie() -> None:
    """An entry whose checksum is right but whose lengths are not costs itself."""
    for value in (b"\xff\xff\xff\xfe", struct.pack(">i", 2**31 - 1), struct.pack(">i", 5) + b"abc"):
        lying = entry(1, b"k", None)[:-4] + value
        covered = lying[16:]
        sound = entry(1, b"k", b"")
        checked = struct.pack(">qiI", 1, 4 + len(covered), zlib.crc32(covered)) + covered
        walked = read_all(sound + checked + sound)
        assert [(row["reason"], row["position"]) for row in walked.quarantine] == [("entry fields", len(sound))]
        assert len(walked.records) == 2


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=150), st.sampled_from([0, 1]), st.integers(0, 2**40))
def test_any_wrapper_content(content: bytes, magic: int, offset: int) -> None:
    """No content of a wrapper crashes the reader."""
    walked = read_all(entry(offset, None, gzip.compress(content), magic=magic, attributes=1))
    assert len(walked.batches) == 1
    assert len(walked.records) <= len(content) // 26
