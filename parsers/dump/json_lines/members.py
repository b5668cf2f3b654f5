"""What members of a classic group of protocol type "consumer" say to each other, opened inside their group's JSON.

Put here which bytes are opened and when they are left as they are. Their fields are in `parsers.layouts`, how they
are decoded is in `parsers.messages.embedded`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parsers.dump.json_lines.objects import Texts, collect, nulls
from parsers.dump.json_lines.values import flags, integers, struct_texts, value_texts
from parsers.messages.embedded import ASSIGNMENT, SUBSCRIPTION, Blob, open_blobs

if TYPE_CHECKING:
    from parsers.dump.json_lines.objects import Mask
    from parsers.wire import Field, Layout

CONSUMER: Final = "consumer"
_BLOBS: Final = {"subscription": SUBSCRIPTION, "assignment": ASSIGNMENT}


def open_members(groups: pa.StructArray) -> dict[str, Texts]:
    """Write the blobs of all members of some groups: opened where the group is of consumers, else base64."""
    members = groups.field("members")
    is_consumer = flags(pc.equal(groups.field("protocol_type").cast("string"), CONSUMER))
    is_opened = np.repeat(is_consumer, np.diff(members.offsets.to_numpy()))
    elements = members.values
    return {f"members.{name}": _blob_texts(blob, elements.field(name), is_opened) for name, blob in _BLOBS.items()}


@cache
def _fields(layout: Layout, version: int) -> tuple[Field, ...]:
    return layout.fields_of(version)


def _blob_texts(blob: Blob, column: pa.BinaryArray, is_wanted: Mask) -> Texts:
    """Write blobs as objects of their own version; what is empty or can't be read stays base64."""
    opened = open_blobs(blob, column)
    is_opened = is_wanted & ~nulls(opened)
    latest = blob.layout.versions.stop - 1
    versions = np.minimum(integers(opened.field("version")), latest)
    parts = [(np.flatnonzero(~is_opened), value_texts(column.take(pa.array(np.flatnonzero(~is_opened)))))]
    for version in np.unique(versions[is_opened]).tolist():
        rows = np.flatnonzero(is_opened & (versions == version))
        structs = opened.take(pa.array(rows))
        parts.append((rows, struct_texts(_fields(blob.layout, version), structs)))
    return collect(len(column), parts)
