"""Where a tagged field has its default, and is left out of the JSON as Kafka's converters leave it out.

Put here the comparison alone. What is written where it fails is in `parsers.dump.json_lines.values`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.dump.json_lines.objects import nulls
from parsers.wire import Field, Wire

if TYPE_CHECKING:
    from parsers.dump.json_lines.objects import Mask


def is_default(one: Field, array: pa.Array) -> Mask:
    """Tell where a field has its default: null, empty, zero, or the number that its layout names."""
    if one.default is None and (one.nullable or one.array):
        return nulls(array)
    if one.array:
        return _equals(pc.list_value_length(array), 0)
    if one.wire is Wire.STRUCT:
        of_children = [is_default(child, array.field(child.name)) for child in one.fields]
        are_all: Mask = np.logical_and.reduce([~nulls(array), *of_children])
        return are_all
    return _equals(array, "" if one.default == () else one.default)


def _equals(array: pa.Array, value: object) -> Mask:
    if pa.types.is_dictionary(array.type):
        of_distinct: Mask = np.append(_equals(array.dictionary, value), np.zeros(1, np.bool_))
        of_rows: Mask = of_distinct[pc.fill_null(array.indices, -1).to_numpy()]
        return of_rows
    equal = pc.equal(array, pa.scalar(value, array.type))
    mask: Mask = pc.fill_null(equal, False).to_numpy(zero_copy_only=False)  # noqa: FBT003
    return mask
