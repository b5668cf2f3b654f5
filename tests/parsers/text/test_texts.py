"""Text of every form becomes the columns of decoded segments, wherever it lies and however hostile it is."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.errors import SourceError
from parsers.log.segments import walk
from parsers.messages.embedded import open_assignments
from parsers.offset_records import RECORD_SCHEMA, offset_record_columns
from parsers.sources import open_file
from parsers.text.forms import ALL, FORMS
from parsers.text.texts import MOST_RECORDS, TOOLS, TextSlice, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parsers.log.damage.quarantine import Trouble

TEXT: Final = Path(__file__).parents[2] / "bytes" / "text"
SEGMENTS: Final = {
    "features-4.1": TEXT / "recorded" / "features-4.1",
    "streams-4.1": TEXT / "recorded" / "streams-4.1",
    "kafka-0.10": TEXT.parent / "batches" / "kafka-0.10",
}
TOMBSTONE: Final = "[g,t,0]::NULL\n"
JSON_KEY: Final = b'{"key":{"type":1,"data":{"group":"g","topic":"t","partition":0}},"value":'
HEAD: Final = b"Dumping d/__consumer_offsets-1/00000000000000000000.log\n"
RECORD: Final = b"| offset: 0 CreateTime: 1 keySize: %d valueSize: 24 sequence: 0 headerKeys: [] key: "
MIB: Final = 1 << 20


def read(source: str | bytes, form: str | None = None) -> tuple[list[dict[str, Any]], list[Trouble]]:
    """Read text to rows without their NULLs, and its troubles."""
    slices = list(read_text(io.BytesIO(source.encode() if isinstance(source, str) else source), form))
    rows = [bare(row) for piece in slices for row in piece.records.to_pylist()]
    return rows, [trouble for piece in slices for trouble in piece.troubles]


def bare(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    """Leave out what is NULL, and write bytes as JSON can."""
    if isinstance(value, dict):
        return {name: bare(each) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [bare(each) for each in value]
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def table(slices: Iterator[TextSlice]) -> pa.Table:
    """Put the records of all slices together; there must be no trouble."""
    batches = []
    for piece in slices:
        assert piece.troubles == []
        batches.append(piece.records)
    return pa.Table.from_batches(batches)


def decoded(root: Path, text: bytes) -> pa.Table:
    """Decode the segments that a dump names, in its order."""
    tables = []
    for path in re.findall(rb"^Dumping \S*?(__consumer_offsets-\d+/\d+\.log)$", text, re.MULTILINE):
        (file,) = root.rglob(path.decode())
        log_partition = int(file.parent.name.rpartition("-")[2])
        with open_file(str(file)) as source:
            for piece in walk(source, bodies=True):
                columns, _ = offset_record_columns(piece)
                where = pa.array([log_partition] * columns.num_rows, pa.int32())
                columns = columns.append_column("log_partition", where)
                tables.append(pa.table({field.name: columns[field.name].cast(field.type) for field in RECORD_SCHEMA}))
    return pa.concat_tables(tables)


def assert_same(text: pa.Table, segments: pa.Table) -> None:
    """Every column is the same, but for the version of opened assignments, which is not printed."""
    assert text.num_rows == segments.num_rows > 0
    for name in RECORD_SCHEMA.names:
        if name != "group_metadata":
            assert text[name].equals(segments[name]), name
    of_text, of_segments = (without_versions(each["group_metadata"].to_pylist()) for each in (text, segments))
    assert of_text == of_segments
    assert assignments(text) == assignments(segments)


def without_versions(groups: list[dict[str, Any] | None]) -> list[dict[str, Any] | None]:
    """Cut the version off the assignments of consumers."""
    for group in groups:
        if group is not None and group["protocol_type"] == "consumer":
            group["members"] = [{**member, "assignment": member["assignment"][2:]} for member in group["members"]]
    return groups


def assignments(records: pa.Table) -> list[dict[str, Any] | None]:
    """Open the assignments of consumers as those downstream do, and leave their version out."""
    groups = [
        group for group in records["group_metadata"].to_pylist() if group and group["protocol_type"] == "consumer"
    ]
    blobs = pa.array([member["assignment"] for group in groups for member in group["members"]], pa.binary())
    opened = open_assignments(blobs).to_pylist()
    return [{**each, "version": None} if each else None for each in opened]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_says_what_is_expected(form: Any) -> None:  # noqa: ANN401 - a row of the table of forms
    """Lines of every form, odd ones among them, give these columns and these troubles and no others."""
    path = TEXT / "forms" / f"{form.name}.txt"
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    rows, troubles = read(path.read_bytes())
    assert rows == expected["records"]
    text = path.read_bytes()
    complaints = [(each.reason, begins) for each, (_, begins) in zip(troubles, expected["troubles"], strict=True)]
    assert complaints == [tuple(each) for each in expected["troubles"]]
    for trouble, (_, begins) in zip(troubles, expected["troubles"], strict=True):
        assert text[trouble.position :].startswith(begins.encode())
        assert trouble.bytes == text[trouble.position : trouble.position + trouble.size_bytes]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_fills_no_column_but_those_it_says(form: Any) -> None:  # noqa: ANN401
    """The table of forms names every column that text of a form fills."""
    expected = json.loads((TEXT / "forms" / f"{form.name}.json").read_text(encoding="utf-8"))
    filled = {path for row in expected["records"] for path in paths(row)}
    columns = {name.removesuffix(".*") for name in form.says}
    other_columns = {
        path for path in filled if not any(path == name or path.startswith(f"{name}.") for name in columns)
    }
    assert (
        form.says == ALL
        or {path for path in other_columns if not any(name.startswith(f"{path}.") for name in columns)} == set()
    )


def paths(row: Any, above: str = "") -> Iterator[str]:  # noqa: ANN401
    """Name every field that is filled, with a dot between levels."""
    for name, value in row.items():
        yield f"{above}{name}"
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and each.keys() != {"hex"}:
                yield from paths(each, f"{above}{name}.")


@pytest.mark.parametrize("name", SEGMENTS)
def test_recorded_text_equals_its_segments(name: str) -> None:
    """What a real kafka-dump-log printed has the columns of the segments that it read, record by record."""
    path = TEXT / "recorded" / name / "dump-log.txt.xz"
    assert_same(table(read_text(path)), decoded(SEGMENTS[name], lzma.decompress(path.read_bytes())))


CORPORA: Final = {
    **dict.fromkeys(("features-4.1", "kafka-0.9", "streams-4.1"), "snap-live.tar.xz"),
    "incident-4.1": "data.tar.xz",
    **dict.fromkeys(
        (
            *("wild/connect-compatible", "wild/connect-sr-streams", "wild/gaps-roundrobin", "wild/group-metadata-v2"),
            *("wild/magic1", "wild/many-groups", "wild/replica-broker-2", "wild/replica-broker-3"),
            *("wild/values-v1-streams", "wild/values-v4-streams"),
        ),
        "data.tar.xz",
    ),
}


@pytest.mark.parametrize("name", CORPORA)
def test_all_recorded_text_equals_its_segments(name: str, shared: Path, tmp_path: Path) -> None:
    """The same holds of every recorded log: all record types, values v0 to v4, magic 0 to 2, markers, gaps."""
    folder = shared / "corpus" / name
    with tarfile.open(folder / CORPORA[name]) as archive:
        members = [member for member in archive.getmembers() if "__consumer_offsets-" in member.name]
        archive.extractall(tmp_path, members, filter="data")
    path = folder / "dump-log.offsets.txt.xz"
    assert_same(table(read_text(path)), decoded(tmp_path, lzma.decompress(path.read_bytes())))


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_compressed_text_is_read_where_it_lies(suffix: str, tmp_path: Path) -> None:
    """Text is inflated by the ending of its name."""
    path = tmp_path / f"offsets.txt{suffix}"
    path.write_bytes(PACKS[suffix](TOMBSTONE.encode() * 3))
    assert table(read_text(path)).num_rows == 3
    assert table(read_text(str(path))).num_rows == 3


def _zstd(text: bytes) -> bytes:
    packed: bytes = pa.compress(text, "zstd", asbytes=True)
    return packed


PACKS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _zstd,
}


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_a_file_that_does_not_inflate_is_named(suffix: str, tmp_path: Path) -> None:
    """A broken or missing file is an error with its name."""
    path = tmp_path / f"offsets.txt{suffix}"
    with pytest.raises(SourceError, match=path.name):
        list(read_text(path))
    path.write_bytes(b"no such format" * 9)
    with pytest.raises(SourceError, match=path.name):
        list(read_text(path))


def test_streams_are_read_too() -> None:
    """Bytes or text that come from elsewhere, such as standard input, are read as files are."""
    wrapped = io.TextIOWrapper(io.BytesIO(TOMBSTONE.encode()), encoding="ascii")
    for stream in (io.BytesIO(TOMBSTONE.encode()), io.StringIO(TOMBSTONE), wrapped):
        assert table(read_text(stream))["group_id"].to_pylist() == ["g"]


def test_text_of_no_tool_is_refused_and_none_is_none() -> None:
    """What no tool prints is an error that names them; an empty file has nothing to say."""
    with pytest.raises(SourceError, match="dump-log"):
        read("nothing of Kafka's\n")
    assert read("") == ([], [])
    with pytest.raises(SourceError, match="dump-log"):
        read(TOMBSTONE, "dump")


def test_a_form_that_is_named_is_not_guessed() -> None:
    """A group whose id looks like a commit's key is read as that only if the text is said to be of groups."""
    assert read(TOMBSTONE)[0][0]["topic"] == "t"
    assert read(TOMBSTONE, "console-groups")[0] == [{"group_id": "[g,t,0]", "record_type": 2, "is_tombstone": True}]
    assert set(TOOLS) == {"dump-log", "console-json", "console-offsets", "console-groups"}


def test_json_may_have_line_breaks_between_records() -> None:
    """Records that someone put on lines of their own, and what the consumer says at its end, are read the same."""
    record = JSON_KEY.decode() + "null}"
    rows, troubles = read(f"{record}\n{record}\r\n  {record}{record}\nProcessed a total of 4 messages\n")
    assert (len(rows), troubles) == (4, [])
    assert read(f"{record}junk{record}")[1][0].reason == "not json"


def test_long_text_comes_in_slices() -> None:
    """No slice has more records than fit into its bound, and none is lost."""
    counts = [piece.records.num_rows for piece in read_text(io.StringIO(TOMBSTONE * (MOST_RECORDS + 5)))]
    assert counts == [MOST_RECORDS, 5]


class Endless(io.RawIOBase):
    """A stream of a beginning and then the same bytes for so long, so that a test holds none of it."""

    def __init__(self, begin: bytes, fill: bytes, size_bytes: int) -> None:
        """Start with the beginning."""
        self._next, self._fill, self._left_bytes = begin, fill * MIB, size_bytes

    def read(self, size: int = -1) -> bytes:
        """Give the next chunk."""
        chunk, self._next = self._next, self._fill[: min(size, self._left_bytes)]
        self._left_bytes -= len(self._next)
        return chunk


@pytest.mark.parametrize(
    "begin", [HEAD + b"| offset: ", TOMBSTONE.encode() + b"[", b"g::NULL\n", JSON_KEY + b'"'], ids=list(TOOLS)
)
def test_a_line_of_100_mebibytes_takes_bounded_memory(begin: bytes) -> None:
    """An endless line is one trouble that says its size and keeps its beginning."""
    tracemalloc.start()
    (piece,) = read_text(Endless(begin, b"a", 100 * MIB))  # type: ignore[arg-type]
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (trouble,) = piece.troubles
    assert trouble.size_bytes >= 100 * MIB
    assert (trouble.reason, len(trouble.bytes)) == ("line too long", 4096)
    assert peak_bytes < 64 * MIB


HOSTILE: Final = {
    "nested lists": JSON_KEY + b"[" * MIB,
    "nested objects": JSON_KEY + b'{"a":' * MIB,
    "nested in a dump": HEAD + RECORD % 9 + b'{"type":"1","data":' + b"[" * MIB,
    "braces": JSON_KEY + b"}{" * MIB,
    "spaces between braces": JSON_KEY + (b"}" + b" " * MIB) * 4,
    "digits": JSON_KEY + b'{"version":3,"data":{"offset":' + b"9" * MIB,
    "digits in a dump": HEAD + b"| offset: " + b"9" * MIB + b" key: offset::g:t:0 payload: 5",
    "ends of JSON keys": HEAD + RECORD % 9 + b'{"type":"1","data":{"group":"' + b"}} payload: " * (MIB // 8),
    "ends of commits": HEAD + RECORD % MIB + b"offset_commit::group=" + b",partition=a-1 payload: " * (MIB // 16),
    "ends without sizes": HEAD + b"| key: offset_commit::group=" + b",partition=a-1 payload: " * (MIB // 16),
    "topics of old commits": HEAD + RECORD % MIB + b"offset::" + b":a" * MIB,
    "hexadecimal members": HEAD + RECORD % 5 + b"metadata::g payload: connect:p:1:{" + b"a=" * MIB + b"}",
    "lists that don't end": HEAD + RECORD % 5 + b"metadata::g payload: consumer:p:1:{" + b"=[a-1, " * (MIB // 4) + b"}",
    "dashes": HEAD + RECORD % 5 + b"metadata::g payload: consumer:p:1:{=[" + b"a-1-1-1-, " * (MIB // 4) + b"}",
    "continued lines": HEAD + RECORD % 9 + b"offset_commit::group=x" + b"\nx" * (MIB // 4),
    "commas": TOMBSTONE.encode() + b"[" + b"," * MIB + b"]::NULL",
    "commit times": b"[g,t,0]::OffsetAndMetadata(offset=1, leaderEpoch=Optional.empty, metadata="
    + b", commitTimestamp=1" * (MIB // 8),
    "starts of records": b"[\n" * (MIB // 16) + TOMBSTONE.encode(),
    "groups named twice": b"g::NULL\n" + b"a::[" * (MIB // 2),
    "groups described twice": b"g::NULL\n" + b"::GroupMetadata(groupId=" * (MIB // 16),
    "members described": b"g::GroupMetadata(groupId=g, generation=1, protocolType=None, currentState=Stable, "
    b"members=Map(" + b"a -> MemberMetadata(memberId=a, " * (MIB // 16) + b"))",
    "members listed": b"g::[g,consumer,Stable,Map(" + b"a -> [a," * (MIB // 8) + b")]",
    "no UTF-8": TOMBSTONE.encode() + b"[g\xff,t,0]::NULL",
    "half a pair": JSON_KEY.replace(b'"g"', b'"\\ud800"') + b"null}",
    "no number": JSON_KEY + b'{"version":3,"data":{"offset":NaN,"leaderEpoch":0,"metadata":"","commitTimestamp":1}}}',
    "terminal escapes": TOMBSTONE.encode() + b"\x1b]0;owned\x07",
    "zeros": HEAD + bytes(MIB),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_set_aside_in_time(name: str) -> None:
    """A line made to take forever is told in time that grows with its length, and escapes are shown escaped."""
    began = time.monotonic()
    rows, troubles = read(HOSTILE[name])
    assert time.monotonic() - began < 20
    assert troubles
    assert len(rows) <= 1
    for trouble in troubles:
        assert len(trouble.bytes) <= 4096
        assert trouble.actual.isascii()
        assert trouble.actual.isprintable()


def test_what_follows_hostile_text_is_read() -> None:
    """Behind a JSON record that can't be read, however it is broken, the next one is read."""
    good = JSON_KEY + b"null}"
    for broken in (b"[" * 9999 + b"}", b'"' + b"a" * (9 * MIB) + b"}", b"}{}", b'{"version":3}}', b"\xff}"):
        rows, troubles = read(good + JSON_KEY + broken + good)
        assert len(rows) == 2
        assert len(troubles) == 1


ODD: Final = st.lists(
    st.sampled_from(
        [*'ab,:-=[]{}()"\\ \n\r\té', "]::", ",t,0]::", "::NULL", " payload: ", "payload: ", "<DELETE>", "| "]
    ),
    max_size=12,
).map("".join)
"""Names made of what the forms are made of."""


@settings(max_examples=400, deadline=None)
@given(ODD, ODD)
def test_a_dump_is_read_right_or_not_at_all(group: str, metadata: str) -> None:
    """Whatever a group and its metadata hold, a record of a dump that has sizes is never read as something else."""
    key_bytes, value_bytes = 11 + len(group.encode()), 24 + len(metadata.encode())
    payload = f"offset=7,metadata={metadata}" if metadata else "offset=7"
    text = (
        f"Dumping d/__consumer_offsets-1/00000000000000000000.log\n| offset: 0 CreateTime: 1 keySize: {key_bytes} "
        f"valueSize: {value_bytes} sequence: 0 headerKeys: [] key: offset_commit::group={group},partition=t-0 "
        f"payload: {payload}\n"
    )
    rows, troubles = read(text)
    wanted = {"offset": 7, "metadata": metadata}
    assert [(row["group_id"], row["offset_commit"]) for row in rows] == [(group, wanted)] or (troubles and not rows)


@settings(max_examples=400, deadline=None)
@given(ODD.filter(lambda text: "\r" not in text), ODD.filter(lambda text: not set(text) & set("\n\r")))
def test_a_console_line_is_read_right_or_not_at_all(group: str, metadata: str) -> None:
    """The same of a line without sizes, as long as its metadata has no line break."""
    text = (
        f"[{group},t,0]::OffsetAndMetadata(offset=7, leaderEpoch=Optional.empty, metadata={metadata}, "
        "commitTimestamp=5, expireTimestamp=None)\n"
    )
    rows, troubles = read(text, "console-offsets")
    commits = [(row["group_id"], row["offset_commit"]["metadata"]) for row in rows]
    assert commits == [(group, metadata)] or (troubles and not rows)
