"""Any file that a broker writes as lines of JSON, one for each record or entry, in the order of the file.

Put here which file is written by what. Lines of records are written by `parsers.dump.json_lines.records`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parsers.dump.commit_lines.lines import CommitWriter
from parsers.dump.file_kinds import FileKind, TopicKind, kind_of, topic_of
from parsers.dump.json_lines.entries import entry_lines
from parsers.dump.json_lines.metadata import metadata_contents
from parsers.dump.json_lines.payloads import base64_contents, text_contents
from parsers.dump.json_lines.records import Lines, one_line, slice_lines
from parsers.dump.json_lines.topics import offset_contents, share_contents, transaction_contents
from parsers.log.segments import walk
from parsers.sources import open_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.dump.json_lines.contents import Writer

WRITERS: Final[dict[TopicKind, Writer]] = {
    TopicKind.OFFSETS: offset_contents,
    TopicKind.TRANSACTIONS: transaction_contents,
    TopicKind.SHARES: share_contents,
    TopicKind.METADATA: metadata_contents,
    TopicKind.DATA: base64_contents,
}


@dataclass(frozen=True)
class Reading:
    """How segments are to be read: as which topic, if the path is not to say it; data as text or as base64."""

    topic: TopicKind | None = None
    as_text: bool = False


def file_lines(path: str, reading: Reading) -> Iterator[Lines]:
    """Write the lines of one file; what is damaged becomes a line of its own, what is no such file is refused."""
    kind = kind_of(path)
    return _segment_lines(path, _writer(path, reading)) if kind is FileKind.SEGMENT else entry_lines(path, kind)


def _writer(path: str, reading: Reading) -> Writer:
    topic = topic_of(path, reading.topic)
    return text_contents if topic is TopicKind.DATA and reading.as_text else WRITERS[topic]


def _segment_lines(path: str, write: Writer) -> Iterator[Lines]:
    commits = CommitWriter() if write is offset_contents else None
    with open_file(path) as source:
        for piece in walk(source, bodies=True):
            yield from slice_lines(path, piece, write, commits)
            if piece.torn_bytes:
                yield one_line(path, {"position": piece.end_position, "torn": {"sizeBytes": piece.torn_bytes}}, 0)
