"""`lagbook dump` of text that Kafka's tools printed: where the reader of text and the writers of lines meet.

Put here only what joins the two. How text is read is in `parsers.text`, what a line holds in
`parsers.dump.json_lines.tool_text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from parsers.dump.columns import with_file
from parsers.dump.json_lines.tool_text import printed_lines
from parsers.errors import SourceError
from parsers.offset_records import RECORD_SCHEMA
from parsers.text.pieces import open_text
from parsers.text.texts import read_text, recognise_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsers.dump.json_lines.records import Lines


def is_printed(path: str) -> bool:
    """Tell whether one of a file's first lines is one that such a tool prints; the file may be packed."""
    try:
        with open_text(path) as (_name, chunks):
            return recognise_tool(next(chunks, b"")) is not None
    except SourceError:
        return False


def text_lines(path: str) -> Iterator[Lines]:
    """Write what a tool printed as lines."""
    return printed_lines(path, read_text(path))


def text_schema() -> pa.Schema:
    """Give the columns of text."""
    return pa.schema([pa.field("file", pa.string()), *RECORD_SCHEMA])


def text_columns(path: str) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Read text as columns, each part with the number of stretches that could not be read."""
    for records, troubles in read_text(path):
        yield with_file(path, records), len(troubles)
