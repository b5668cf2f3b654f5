"""Lines of offset commits straight from their bytes, against what the columns give."""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.dump.commit_lines.lines import CommitWriter
from parsers.dump.json_lines.records import slice_lines
from parsers.dump.json_lines.topics import offset_contents
from parsers.layouts.groups.consumer_protocol import ASSIGNMENT, SUBSCRIPTION
from parsers.layouts.groups.group_metadata import GROUP_METADATA
from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.log.segments import walk
from tests.parsers.encode import encode
from tests.parsers.log_writer import Bytes, batch, record, simple_batch
from tests.parsers.made_messages import structs

Record = tuple[bytes | None, bytes | None]

KEY: Final = {"group_id": "g", "topic": "t", "partition": 0}
VALUE: Final = {
    "offset": 5,
    "leader_epoch": 1,
    "metadata": "",
    "commit_timestamp": 9,
    "expire_timestamp": 10,
    "topic_id": "950cELHVS1yG9r7X3rmIXg",
}


class NoLinesLeft(CommitWriter):
    """Writes lines, and counts the records that it was to write and did not."""

    missing_count = 0

    def write(self, *arguments: Any) -> Any:  # noqa: ANN401 - as the writer that it stands for
        """Write the lines, and look which are missing."""
        lines = super().write(*arguments)
        self.missing_count += int(np.count_nonzero(lines.is_missing))
        return lines


def message(layout: Any, version: int, values: dict[str, Any]) -> bytes:  # noqa: ANN401 - a layout
    """Write a message behind its version."""
    return version.to_bytes(2, "big") + encode(layout, version, values)


def segment(records: list[Record]) -> bytes:
    """Write records into batches of three."""
    threes = [records[first : first + 3] for first in range(0, len(records), 3)]
    return b"".join(
        batch(3 * number, [record(at, key, value) for at, (key, value) in enumerate(three)])
        for number, three in enumerate(threes)
    )


def dumped(content: bytes, commits: CommitWriter | None) -> bytes:
    """Give the lines of a segment of the offsets topic."""
    pieces = walk(Bytes(content), bodies=True)
    return b"".join(
        lines.data.tobytes() for piece in pieces for lines in slice_lines("a.log", piece, offset_contents, commits)
    )


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Draw a record of any type and version, its members opened or not."""
    row = draw(st.sampled_from(RECORD_TYPES))
    key = message(OFFSETS_KEY, row.id, draw(structs(OFFSETS_KEY.fields_of(row.id))))
    if draw(st.integers(0, 4)) == 0:
        return key, None
    version = draw(st.sampled_from(list(row.value.versions)))
    values = draw(structs(row.value.fields_of(version)))
    if row.value is GROUP_METADATA and draw(st.booleans()):
        values |= {"protocol_type": "consumer"}
        for member in values["members"]:
            for name, layout in (("subscription", SUBSCRIPTION), ("assignment", ASSIGNMENT)):
                own = draw(st.sampled_from(list(layout.versions)))
                member[name] = message(layout, own, draw(structs(layout.fields_of(own))))
    return key, message(row.value, version, values)


@st.composite
def damaged(draw: st.DrawFn) -> Record:
    """Draw a record, and change, cut or lengthen it where it hurts."""
    parts = list(draw(records()))
    for place in draw(st.lists(st.integers(0, 1), max_size=2)):
        part = parts[place]
        if part:
            at = draw(st.integers(0, len(part) - 1))
            byte = draw(st.sampled_from(b"\x00\x01\x10\x1f\x20\x22\x5c\x7f\x80\xc3\xff"))
            forms = (part[:at], part + bytes([byte]), part[:at] + bytes([byte]) + part[at + 1 :])
            parts[place] = draw(st.sampled_from(forms))
    return parts[0], parts[1]


@settings(deadline=None, max_examples=300)
@given(st.lists(records() | damaged(), max_size=8))
def test_both_ways_write_the_same(some: list[Record]) -> None:
    """Whatever stands in the bytes, nobody can tell by the lines which way a record went."""
    content = segment(some)
    assert dumped(content, CommitWriter()) == dumped(content, None)


def test_between_batches_of_other_kinds() -> None:
    """Commits keep their place between control batches, headers, producers, gaps and batches without records."""
    key, value = message(OFFSETS_KEY, 1, KEY), message(OFFSET_COMMIT, 3, VALUE)
    commit = record(0, key, value)
    content = b"".join(
        [
            batch(0, [], last_delta=3),
            batch(4, [commit, record(1, key, None), record(2, b"\x00", b"")]),
            b"\x07" * 40,
            batch(7, [record(0, b"\x00\x00\x00\x01", b"\x00" * 6)], attributes=0x20),
            batch(8, [commit], producer=(9, 3, 0)),
            batch(9, [record(0, key, value, headers=[(b"h", None)]), record(1, key, value)]),
            simple_batch(11),
        ]
    )
    assert dumped(content, CommitWriter()) == dumped(content, None)


@pytest.mark.parametrize("version", OFFSET_COMMIT.versions)
@pytest.mark.parametrize("record_type", [0, 1])
def test_every_version_is_written_straight(record_type: int, version: int) -> None:
    """Every version of a commit goes the short way, with the largest numbers and with none."""
    largest = {
        "offset": -(2**63),
        "leader_epoch": -(2**31),
        "metadata": "a/b longer than a word",
        "commit_timestamp": 2**63 - 1,
        "expire_timestamp": 10**18,
    }
    keys = [message(OFFSETS_KEY, record_type, KEY | {"partition": partition}) for partition in (0, 2**31 - 1)]
    values = [message(OFFSET_COMMIT, version, VALUE | some) for some in ({}, largest, {"topic_id": "A" * 22})]
    content, commits = segment([(key, value) for key in keys for value in (*values, None)]), NoLinesLeft()
    shown = [json.loads(line) for line in dumped(content, commits).splitlines()]
    assert commits.missing_count == 0
    assert dumped(content, None) == dumped(content, commits)
    assert [row["key"]["data"]["partition"] for row in shown[::4]] == [0, 2**31 - 1]
    assert shown[1]["value"]["data"]["offset"] == -(2**63)
    assert shown[3]["value"] is None


@pytest.mark.parametrize("letter", ['"', "\\", "\x00", "\x1f", "\x7f", "é", "\U0001f600"])
@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 40])
def test_no_place_of_a_text_goes_unescaped(letter: str, length: int) -> None:
    """A letter that needs an escape is found wherever it stands in a short or a long text."""
    texts = ["a" * at + letter + "a" * (length - at - 1) for at in range(length)]
    value = message(OFFSET_COMMIT, 3, VALUE)
    lines = dumped(
        segment([(message(OFFSETS_KEY, 1, KEY | {"group_id": text}), value) for text in texts]), CommitWriter()
    )
    assert [json.loads(line)["key"]["data"]["group"] for line in lines.splitlines()] == texts
    assert lines.replace(b"\n", b"").decode("ascii").isprintable()


@pytest.mark.parametrize("number", [0, 9, 10, 99, 100, 9999, 10**4, 10**8 - 1, 10**18, 2**63 - 1, -1, -10, -(2**63)])
def test_numbers(number: int) -> None:
    """Every number is written with its digits and no others."""
    value = message(OFFSET_COMMIT, 3, VALUE | {"offset": number})
    assert b'"data":{"offset":%d,' % number in dumped(segment([(message(OFFSETS_KEY, 1, KEY), value)]), CommitWriter())


def test_lines_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few are written at a time, the lines are the same and in the same order."""
    key, value = message(OFFSETS_KEY, 1, KEY), message(OFFSET_COMMIT, 4, VALUE)
    content = segment([(key, value), (message(OFFSETS_KEY, 2, {"group_id": "g"}), None), (key, value[:-1])] * 9)
    whole = dumped(content, CommitWriter())
    monkeypatch.setattr("parsers.dump.json_lines.records.COMMITS_AT_A_TIME", 2)
    assert dumped(content, CommitWriter()) == whole == dumped(content, None)
