"""Conformance: every layout against Kafka's own message tables, restated in tests/upstream."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from parsers.layouts import share_group_state, transaction_state
from parsers.layouts.cluster.metadata_types import METADATA_TYPES
from parsers.layouts.control_records import CONTROL_VALUES
from parsers.layouts.groups import consumer_protocol, streams_client
from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.layouts.groups.record_types import RECORD_TYPES
from parsers.messages.record_types import kafka_key_name
from parsers.wire import ZERO_UUID, Field, Layout, Wire, camel, snake
from tests.parsers.made_messages import LAYOUTS, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

UPSTREAM: Final = Path(__file__).resolve().parents[1] / "upstream"

MESSAGES: Final[dict[str, dict[str, Any]]] = {
    name: message for path in sorted(UPSTREAM.glob("*.json")) for name, message in json.loads(path.read_text()).items()
}

OTHER_LAYOUTS: Final = (
    consumer_protocol.SUBSCRIPTION,
    consumer_protocol.ASSIGNMENT,
    streams_client.STREAMS_SUBSCRIPTION,
    transaction_state.TRANSACTION_KEY,
    transaction_state.TRANSACTION,
    share_group_state.SHARE_SNAPSHOT,
    share_group_state.SHARE_UPDATE,
    *METADATA_TYPES.values(),
    *dict.fromkeys(CONTROL_VALUES.values()),
)
VALUE_LAYOUTS: Final = {layout.name: layout for layout in (*(row.value for row in RECORD_TYPES), *OTHER_LAYOUTS)}

TYPES: Final = {
    "int8": Wire.INT8,
    "int16": Wire.INT16,
    "int32": Wire.INT32,
    "int64": Wire.INT64,
    "uint16": Wire.UINT16,
    "uuid": Wire.UUID,
    "string": Wire.STRING,
    "bytes": Wire.BYTES,
    "bool": Wire.BOOL,
    "float64": Wire.FLOAT64,
}

ENDLESS: Final = 100

RENAMED: Final = {"early_snapshot_epoch": "snapshot_epoch"}
"""Rows that have a name of their own because the same name has another type in the released version."""


def versions(text: str | None) -> range:
    """The versions that Kafka's notation means: 2, 2+, 2-4, none."""
    if text in {None, "none"}:
        return range(0)
    first, last = re.fullmatch(r"(\d+)(?:-(\d+)|(\+))?", text or "").group(1, 2)  # type: ignore[union-attr]
    endless = (text or "").endswith("+")
    return range(int(first), ENDLESS if endless else int(last or first) + 1)


def upstream_rows(message: dict[str, Any], version: int) -> list[tuple[Any, ...]]:
    """The fields of one version as Kafka has them, in comparable form."""
    return [_upstream_row(row, version) for row in message["fields"] if version in versions(row["versions"])]


def _upstream_row(row: dict[str, Any], version: int) -> tuple[Any, ...]:
    kind = row["type"].removeprefix("[]")
    tag = row.get("tag") if version in versions(row.get("taggedVersions")) else None
    below = upstream_rows(row, version) if "fields" in row else []
    is_array, is_nullable = row["type"].startswith("[]"), version in versions(row.get("nullableVersions"))
    return snake(row["name"]), TYPES.get(kind, Wire.STRUCT), is_array, is_nullable, tag, below


def layout_rows(fields: tuple[Field, ...]) -> list[tuple[Any, ...]]:
    """The fields of one version as a layout has them, in the same form."""
    return [
        (RENAMED.get(row.name, row.name), row.wire, row.array, row.nullable, row.tag, layout_rows(row.fields))
        for row in fields
    ]


def upstream_default(row: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever the field holds
    """What Kafka takes for a field that a version or a message lacks; JSON null is as good as no default."""
    stated = row.get("default")
    if stated == "null":
        return None
    if row["type"].startswith("[]") or "fields" in row:
        return ()
    if row["type"] == "bool":
        return int(stated == "true")
    return {"uuid": ZERO_UUID, "string": ""}.get(row["type"], int(stated or 0))


def defaults(layout: Layout, message: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The fields that a released version or a message may lack: their name, Kafka's default, and the layout's."""
    rows = {row.name: row for row in layout.fields}
    for row in message["fields"]:
        lacking = [version for version in layout.versions if version not in versions(row["versions"])]
        if lacking or "tag" in row:
            yield row["name"], upstream_default(row), rows[snake(row["name"])].default


@pytest.mark.parametrize("name", [name for name in MESSAGES if name.split("@")[0] in VALUE_LAYOUTS])
def test_layout_equals_kafkas_table(name: str) -> None:
    """Names, order, types, versions, nullability and tags are Kafka's, in every version."""
    message, layout = MESSAGES[name], VALUE_LAYOUTS[name.split("@", maxsplit=1)[0]]
    release = name.partition("@")[2]
    for version in versions(message["validVersions"]):
        own = -1 - layout.drafts.index(release) if release else version
        assert layout_rows(layout.fields_of(own)) == upstream_rows(message, version), version
        assert (own in layout.flexible) == (version in versions(message["flexibleVersions"])), version


@pytest.mark.parametrize("layout", VALUE_LAYOUTS.values(), ids=name_of)
def test_versions_and_defaults_are_kafkas(layout: Layout) -> None:
    """The valid versions are Kafka's, and what is held for a missing field is what Kafka holds."""
    message = MESSAGES[layout.name]
    assert layout.versions == versions(message["validVersions"])
    if layout.name != "SubscriptionInfoData":
        for name, theirs, ours in defaults(layout, message):
            assert ours == theirs, name


def test_legacy_offset_commit_is_version_0_of_the_offset_commit() -> None:
    """Record type 0 needs no layout of its own."""
    assert upstream_rows(MESSAGES["LegacyOffsetCommitValue"], 0) == layout_rows(RECORD_TYPES[0].value.fields_of(0))


@pytest.mark.parametrize("row", RECORD_TYPES, ids=lambda row: row.name)
def test_key_equals_kafkas_table(row: Any) -> None:  # noqa: ANN401 - a RecordType
    """The id, the name, and the fields of each record type's key are Kafka's."""
    message = MESSAGES[f"{row.name}Key"]
    own = [(kafka_key_name(row.id, f.name), f.wire, f.nullable) for f in OFFSETS_KEY.fields_of(row.id)]
    assert message["apiKey"] == row.id
    assert own == [(field["name"], TYPES[field["type"]], False) for field in message["fields"]]
    assert versions(message["flexibleVersions"]) == range(0)


@pytest.mark.parametrize("name", ["ShareSnapshotKey", "ShareUpdateKey"])
def test_share_state_key_equals_kafkas_table(name: str) -> None:
    """Both record types of the share state have the same key."""
    message = MESSAGES[name]
    own = share_group_state.SHARE_STATE_KEY.fields_of(message["apiKey"])
    assert layout_rows(own) == upstream_rows(message, 0)


def test_metadata_types_are_kafkas() -> None:
    """The number of each metadata record is Kafka's, and none of the release's is missing."""
    numbers = {
        message["apiKey"]: name for name, message in MESSAGES.items() if name.endswith("Record") and "apiKey" in message
    }
    assert {number: layout.name for number, layout in METADATA_TYPES.items()} == numbers


def test_every_upstream_table_is_compared() -> None:
    """No message in tests/upstream is left out above."""
    keys = {f"{row.name}Key" for row in RECORD_TYPES} | {"ShareSnapshotKey", "ShareUpdateKey"}
    compared = keys | {"LegacyOffsetCommitValue"} | {name for name in MESSAGES if name.split("@")[0] in VALUE_LAYOUTS}
    assert set(MESSAGES) == compared
    assert [row.id for row in RECORD_TYPES] == list(range(25))
    assert {row.value.name for row in RECORD_TYPES} <= set(MESSAGES)


def test_names_convert_both_ways() -> None:
    """Each column's name gives Kafka's JSON name and comes back from it."""
    names = {name for layout in LAYOUTS for name in _names(layout.fields)}
    assert {snake(camel(name)) for name in names} == names
    assert camel("stored_description_topology_epoch") == "storedDescriptionTopologyEpoch"
    assert snake("ConsumerGroupMemberMetadata") == "consumer_group_member_metadata"


def _names(fields: tuple[Field, ...]) -> Iterator[str]:
    for row in fields:
        yield row.name
        yield from _names(row.fields)
