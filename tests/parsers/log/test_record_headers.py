"""Headers of records, found in the buffer that the walk has checked."""

from __future__ import annotations

from parsers.log.record_headers import HeaderSpan, header_spans
from parsers.log.segments import walk
from tests.parsers.log_writer import Bytes, batch, record


def test_headers_of_several_records() -> None:
    """All headers of all records, in their order; a null value is told from an empty one, whatever stands before it."""
    headers: list[list[tuple[bytes, bytes | None]]] = [[(b"a", b"1" * 70), (b"", None)], [], [(b"b" * 200, b"")]]
    contents: list[tuple[bytes | None, bytes | None]] = [(None, None), (b"k", None), (None, b"v")]
    rows = [record(n, *content, headers=own) for n, (content, own) in enumerate(zip(contents, headers, strict=True))]
    (piece,) = walk(Bytes(batch(0, rows)), bodies=True)
    assert piece.records is not None
    assert piece.records.header_count.tolist() == [2, 0, 1]
    spans = header_spans(piece.records.buffer, piece.records.headers_start, piece.records.header_count)
    whole = piece.records.buffer.tobytes()
    cut_headers = [
        (
            whole[span[HeaderSpan.KEY_START] : span[HeaderSpan.KEY_END]],
            None
            if span[HeaderSpan.VALUE_START] < 0
            else whole[span[HeaderSpan.VALUE_START] : span[HeaderSpan.VALUE_END]],
        )
        for span in spans.T
    ]
    assert cut_headers == [pair for own in headers for pair in own]
