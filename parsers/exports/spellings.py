"""How the columns of an export are called: a row per thing that is needed, with every spelling that is known.

Put a new spelling here, with the tool that writes it. How a column's values are read belongs in the reader of its
format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from parsers.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "topic": ("topic", "kafka_topic", "_topic", "__topic", "metadata.topic"),
    "partition": ("partition", "kafka_partition", "_partition", "__partition", "metadata.partition"),
    "offset": ("offset", "kafka_offset", "_offset", "__offset", "metadata.offset"),
    "timestamp": (
        *("timestamp", "ts", "timestamp_ms", "kafka_timestamp", "_timestamp", "__timestamp"),
        "metadata.timestamp",
    ),
    "key": ("key", "kafka_key", "_key", "__key"),
    "value": ("value", "payload", "kafka_value", "_value", "__value"),
}
"""The first spelling is that of Spark's Kafka source and of most sinks; `ts` and `payload` are kcat's; the names behind
`metadata.` are an envelope's; those with an underscore are given by transforms of Kafka Connect (InsertField)."""

NEEDED: Final = ("partition", "offset", "key", "value")
AS_THEY_ARE: Final = "payload"
"""Where the value is called so, bytes stand in JSON as they are (kcat), not in base64."""

_IN_PATH: Final = re.compile(
    r"(?:/partition=(?P<folder>\d{1,9})/[^/]*|(?:\A|/)[A-Za-z0-9._-]+?[+-](?P<name>\d{1,9})[+-]\d+[^/]*)\Z"
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of an export says what, and the partition where none does."""

    names: Mapping[str, str]
    partition: int | None

    @property
    def is_raw(self) -> bool:
        """Whether JSON holds the bytes of keys and values as they are."""
        return self.names["value"] == AS_THEY_ARE


def choose(path: str, header: Collection[str]) -> Columns:
    """Tell what the columns of a file mean; nested ones are named with a dot between. Else say what is missing."""
    names = {wanted: next((one for one in spellings if one in header), None) for wanted, spellings in SPELLINGS.items()}
    partition = None if names["partition"] else partition_in(path)
    missing = [name for name in NEEDED if names[name] is None and (name != "partition" or partition is None)]
    if missing:
        raise SourceError(
            f"{path}: no column for the {' and the '.join(missing)} of a record; it has {_in_words(header)}, and a dump"
            f" of the topic needs {' and '.join(f'one of {_in_words(SPELLINGS[name])}' for name in missing)}"
        )
    return Columns({wanted: name for wanted, name in names.items() if name}, partition)


def partition_in(path: str) -> int | None:
    """The partition that a path names, as Kafka Connect's sinks do: `partition=3/`, or `TOPIC+3+OFFSET.json`."""
    match = _IN_PATH.search(path)
    if match is None:
        return None
    return int(match["folder"] or match["name"])


def _in_words(names: Collection[str]) -> str:
    shown = [ascii(name)[1:-1] for name in sorted(names)[:20]]
    return ", ".join(shown) or "none"
