"""JSON objects and lists of many rows at a time, put together from columns of JSON texts by Arrow.

Put here how texts come together. How a value becomes a text is in `parsers.dump.json_lines.values`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parsers.words import ByteArray, Int64Array

Mask = npt.NDArray[np.bool_]
Texts: TypeAlias = pa.LargeStringArray
"""A JSON text in ASCII for each row; null stands for JSON's null."""

TEXT: Final = pa.large_string()
"""Large, because a column of base64 may take more than the 2 GiB that a plain one holds."""

_EDGE_BYTES: Final = 8

Frame = tuple[str, str]
"""What stands before the pairs of an object and what behind them, the braces and more."""

PLAIN_FRAME: Final[Frame] = ("{", "}")
LINE_FRAME: Final[Frame] = ("{", "}\n")
_NOTHING, _COMMA, _NULL_TEXT = (pa.scalar(text, TEXT) for text in ("", ",", "null"))


@dataclass(frozen=True)
class Pair:
    """A name with a value for each row of a column of objects; `lead` is all that stands before the value."""

    lead: str
    texts: Texts
    is_present: Mask | None = None
    """Which rows have the pair; None where all have it."""


def pair_of(name: str, texts: Texts, is_present: Mask | None = None) -> Pair:
    """Give the pair of a plain name."""
    return Pair(f'"{name}":', texts, is_present)


def objects(pairs: Iterable[Pair], count: int, frame: Frame = PLAIN_FRAME) -> Texts:
    """Write an object for each row; rows that lack a pair are written without it."""
    written = [pair for pair in map(_without_full_mask, pairs) if pair.is_present is None or pair.is_present.any()]
    runs = [list(run) for _, run in groupby(written, key=lambda pair: pair.is_present is None or id(pair))]
    if not runs:
        return pa.repeat(pa.scalar("".join(frame), TEXT), count)
    if len(runs) == 1 and runs[0][0].is_present is None:
        return join_texts([frame[0], *_parts(runs[0]), frame[1]], count)
    members = join_texts([_write_run(run, count) for run in runs], count)
    return join_texts([frame[0], pc.utf8_slice_codeunits(members, 1), frame[1]], count)


def _without_full_mask(pair: Pair) -> Pair:
    """Give the pair without the mask of rows that have it, when all of them do."""
    return Pair(pair.lead, pair.texts) if pair.is_present is not None and pair.is_present.all() else pair


def _write_run(run: Sequence[Pair], count: int) -> Texts:
    """Write pairs that all rows have, or one pair that some rows have, a comma before each; nothing where it lacks.

    Arrow's way of joining without nulls (`null_handling="skip"`) loses rows that have nothing but nulls.
    """
    texts = join_texts([",", *_parts(run)], count)
    is_present = run[0].is_present
    return texts if is_present is None else pc.if_else(pa.array(is_present), texts, _NOTHING)


def _parts(pairs: Sequence[Pair]) -> list[str | Texts]:
    return [part for number, pair in enumerate(pairs) for part in (("," if number else "") + pair.lead, pair.texts)]


def join_texts(parts: Sequence[str | Texts], count: int) -> Texts:
    """Put parts together row by row, one text being the same in all rows; a null part becomes JSON's null."""
    columns = [pa.scalar(part, TEXT) if isinstance(part, str) else part for part in parts]
    texts = pc.binary_join_element_wise(*columns, _NOTHING, null_handling="replace", null_replacement="null")
    return pa.repeat(texts, count) if isinstance(texts, pa.Scalar) else texts


def lists(edges: pa.Int32Array, elements: Texts) -> Texts:
    """Write a list for each row, of the elements between one edge and the next."""
    members = pc.binary_join(pa.ListArray.from_arrays(edges, pc.fill_null(elements, _NULL_TEXT)), _COMMA)
    return join_texts(["[", members, "]"], len(edges) - 1)


def collect(count: int, parts: Sequence[tuple[Int64Array, Texts]]) -> Texts:
    """Put together texts that were written for some of the rows each; rows in no part are null."""
    if len(parts) == 1 and len(parts[0][1]) == count:
        return parts[0][1]
    places, size = np.full(count, -1), 0
    for rows, _texts in parts:
        places[rows] = np.arange(size, size + rows.size)
        size += rows.size
    chunks = [texts for _rows, texts in parts]
    return pa.chunked_array(chunks, TEXT).combine_chunks().take(pa.array(places, mask=places < 0))


def null_where(texts: Texts, is_null: Mask) -> Texts:
    """Give the texts with null in some rows, the texts themselves not being copied."""
    _, places, data = texts.buffers()
    bitmap = pa.py_buffer(np.packbits(~(is_null | nulls(texts)), bitorder="little"))
    return pa.Array.from_buffers(TEXT, len(texts), [bitmap, places.slice(_EDGE_BYTES * texts.offset), data])


def bytes_of(texts: Texts) -> tuple[ByteArray, Int64Array]:
    """Give the bytes of a column of texts, and where each of them starts and the last one ends."""
    _, places, data = texts.buffers()
    edges = np.frombuffer(places, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(data or b"", np.uint8), edges


def nulls(array: pa.Array) -> Mask:
    """Tell which rows of a column are null, its own bitmap alone being asked."""
    if array.null_count == 0:
        return np.zeros(len(array), np.bool_)
    mask: Mask = array.is_null().to_numpy(zero_copy_only=False)
    return mask
