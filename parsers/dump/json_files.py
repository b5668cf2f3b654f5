"""Any file that a broker writes as lines of JSON, one for each record or entry, in the order of the file.

Put here which file is written by what. Lines of records are written by `parsers.dump.json_records`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parsers.dump.file_kinds import FileKind, TopicKind, kind_of, topic_of
from parsers.dump.json_offsets import offset_contents
from parsers.dump.json_pieces import Room
from parsers.dump.json_records import Lines, one_line, slice_lines
from parsers.dump.on_demand import on_demand
from parsers.log.segments import walk
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from parsers.dump.json_contents import Writer

WRITERS: Final[dict[TopicKind, Writer]] = {
    TopicKind.OFFSETS: offset_contents,
    TopicKind.TRANSACTIONS: on_demand("json_topics", "transaction_contents"),
    TopicKind.SHARES: on_demand("json_topics", "share_contents"),
    TopicKind.METADATA: on_demand("json_metadata", "metadata_contents"),
    TopicKind.DATA: on_demand("json_payloads", "base64_contents"),
}

_text_contents: Writer = on_demand("json_payloads", "text_contents")
_entry_lines: Callable[[str, FileKind], Iterator[Lines]] = on_demand("json_entries", "entry_lines")


@dataclass(frozen=True)
class Reading:
    """How segments are to be read: as which topic, if the path is not to say it; data as text or as base64."""

    topic: TopicKind | None = None
    as_text: bool = False


def file_lines(path: str, reading: Reading) -> Iterator[Lines]:
    """Write the lines of one file; what is damaged becomes a line of its own, what is no such file is refused."""
    kind = kind_of(path)
    return _segment_lines(path, _writer(path, reading)) if kind is FileKind.SEGMENT else _entry_lines(path, kind)


def _writer(path: str, reading: Reading) -> Writer:
    topic = topic_of(path, reading.topic)
    return _text_contents if topic is TopicKind.DATA and reading.as_text else WRITERS[topic]


def _segment_lines(path: str, write: Writer) -> Iterator[Lines]:
    room = Room()
    with open_file(path) as source:
        for piece in walk(source, bodies=True):
            yield from slice_lines(path, piece, write, room)
            if piece.torn_bytes:
                yield one_line(path, {"position": piece.end_position, "torn": {"sizeBytes": piece.torn_bytes}}, 0)
