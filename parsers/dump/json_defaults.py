"""Where a tagged field has its default, and is left out of the JSON as Kafka's converters leave it out.

Put here the comparison alone. What is written where it fails is in `parsers.dump.json_text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from parsers.dump.json_text import codes, nulls
from parsers.wire import Field, Wire

if TYPE_CHECKING:
    from parsers.dump.json_pieces import Mask


def is_default(one: Field, array: pa.Array) -> Mask:
    """Tell where a field has its default: null, empty, zero, or the number that its layout names."""
    if one.default is None and (one.nullable or one.array):
        return nulls(array)
    if one.array:
        is_empty: Mask = _lengths(array) == 0
        return ~nulls(array) & is_empty
    if one.wire is Wire.STRUCT:
        of_children = [is_default(child, array.field(child.name)) for child in one.fields]
        are_all: Mask = np.logical_and.reduce([~nulls(array), *of_children])
        return are_all
    return _equals(array, "" if one.default == () else one.default)


def _equals(array: pa.Array, value: object) -> Mask:
    if pa.types.is_dictionary(array.type):
        of_distinct: Mask = np.append(_equals(array.dictionary, value), np.zeros(1, np.bool_))
        return of_distinct[codes(array)]
    equal = pc.equal(array, pa.scalar(value, array.type))
    mask: Mask = pc.fill_null(equal, False).to_numpy(zero_copy_only=False)  # noqa: FBT003
    return mask


def _lengths(array: pa.ListArray) -> npt.NDArray[np.int32]:
    edges = np.frombuffer(array.buffers()[1], np.int32)
    return np.diff(edges[array.offset : array.offset + len(array) + 1])
