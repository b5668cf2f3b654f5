"""The blobs inside classic groups, against Kafka's own bytes and its readers' tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.messages import embedded
from parsers.messages.embedded import Blob, blob_type, open_assignments, open_blobs, open_subscriptions, open_texts
from tests.parsers.encode import encode
from tests.parsers.golden import blob_vectors
from tests.parsers.made_messages import structs
from tests.parsers.naive import complete

if TYPE_CHECKING:
    from collections.abc import Sequence

VECTORS: Final = {
    vector.name: vector.data for name in ("blobs", "connect") for vector in blob_vectors(f"vectors-{name}.txt")
}

OWNED: Final = [{"topic": "a", "partitions": [0, 1]}]
CONNECT: Final = {"error": 0, "leader": "m1", "leader_url": "http://w:8083/", "config_offset": 17}

BLOBS: Final = {name: blob for name, blob in vars(embedded).items() if isinstance(blob, Blob)}


def opened(blob: Blob, blobs: Sequence[bytes | None]) -> list[Any]:
    """Open blobs and check that the column is sound and of the blob's type."""
    column = open_blobs(blob, pa.array(blobs, pa.binary()))
    column.validate(full=True)
    assert column.type == blob_type(blob)
    return list(column.to_pylist())


@pytest.mark.parametrize(
    ("name", "owned", "generation", "rack"),
    [
        ("subscription v0", [], -1, None),
        ("subscription v1", OWNED, -1, None),
        ("subscription v2", OWNED, 5, None),
        ("subscription v3", OWNED, 5, "r1"),
    ],
)
def test_golden_subscriptions(name: str, owned: list[Any], generation: int, rack: str | None) -> None:
    """Each version has the fields of its time; later ones have their defaults."""
    expected: dict[str, Any] = {"topics": ["a", "b"], "user_data": b"\7", "owned_partitions": owned}
    expected |= {"version": int(name[-1]), "generation_id": generation, "rack_id": rack}
    assert open_subscriptions(pa.array([VECTORS[name]])).to_pylist() == [expected]


def test_golden_subscription_with_nothing_in_it() -> None:
    """Null user data, no owned partitions, no generation and no rack are read as such."""
    (name,) = (name for name in VECTORS if "minimal" in name)
    (row,) = open_subscriptions(pa.array([VECTORS[name]])).to_pylist()
    assert row == {
        "version": 3,
        "topics": ["a"],
        "user_data": None,
        "owned_partitions": [],
        "generation_id": -1,
        "rack_id": None,
    }


@pytest.mark.parametrize("version", range(4))
def test_golden_assignments(version: int) -> None:
    """All versions have one layout."""
    assigned = [*OWNED, {"topic": "b", "partitions": [2]}]
    (row,) = open_assignments(pa.array([VECTORS[f"assignment v{version}"]])).to_pylist()
    assert row == {"version": version, "assigned_partitions": assigned, "user_data": None}


def test_golden_user_data_of_the_sticky_assignors() -> None:
    """The sticky assignor's user data is its assignment and generation, the cooperative one's the generation."""
    sticky = {"previous_assignment": [{"topic": "a", "partitions": [0, 2]}], "generation": 5}
    before_2_3 = VECTORS["sticky userData v1"][:-4]
    assert opened(embedded.STICKY_USER_DATA, [VECTORS["sticky userData v1"], before_2_3, None]) == [
        sticky,
        sticky | {"generation": -1},
        None,
    ]
    initial, later = VECTORS["coop userData initial"], VECTORS["coop userData gen5"]
    assert opened(embedded.COOPERATIVE_STICKY_USER_DATA, [initial, later, b"", b"\0\0"]) == [
        {"generation": -1},
        {"generation": 5},
        None,
        None,
    ]


def test_golden_connect_metadata() -> None:
    """Workers tell their url, the offset of the configuration they know, and their allocation as a blob."""
    names = [
        "connect v0 metadata",
        "connect v1 compatible metadata, no assignment",
        "connect v2 metadata with assignment",
    ]
    plain = {"url": "http://w:8083/", "config_offset": 17, "allocation": None}
    allocation = VECTORS["connect v2 assignment"]
    assert opened(embedded.CONNECT_METADATA, [VECTORS[name] for name in names]) == [
        {"version": 0, **plain},
        {"version": 1, **plain},
        {"version": 2, **plain, "allocation": allocation},
    ]


def test_golden_connect_assignments() -> None:
    """The eager protocol has neither revoked tasks nor a delay."""
    eager = {**CONNECT, "assignment": [{"connector": "c1", "tasks": [-1, 0, 1]}], "revoked": None, "delay": 0}
    tasks, revoked = [{"connector": "c1", "tasks": [-1, 0]}], [{"connector": "c2", "tasks": [3]}]
    incremental = {**CONNECT, "assignment": tasks, "revoked": revoked, "delay": 300_000}
    assert opened(embedded.CONNECT_ASSIGNMENT, [VECTORS[f"connect v{version} assignment"] for version in range(3)]) == [
        {"version": 0, **eager},
        {"version": 1, **incremental},
        {"version": 2, **incremental},
    ]


@pytest.mark.parametrize("name", BLOBS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_round_trip(name: str, data: st.DataObject) -> None:
    """Whatever is written in a blob of any kind and version comes back."""
    blob = BLOBS[name]
    version = data.draw(st.sampled_from(list(blob.layout.versions)))
    values = data.draw(structs(blob.layout.fields_of(version)))
    head = version.to_bytes(blob.version_bytes, "big")
    stated = {"version": version} if blob.version_bytes else {}
    assert opened(blob, [None, head + encode(blob.layout, version, values), b""]) == [
        None,
        stated | complete(blob.layout.fields, values),
        None,
    ]


@pytest.mark.parametrize("version", [4, 7, 32767])
def test_a_later_version_is_read_as_the_highest_known_one(version: int) -> None:
    """What a newer client added at the end does no harm; the version is told as it is written."""
    later = version.to_bytes(2, "big") + VECTORS["subscription v3"][2:] + b"more"
    known, newer = opened(embedded.SUBSCRIPTION, [VECTORS["subscription v3"], later])
    assert newer == known | {"version": version}


@pytest.mark.parametrize("field_count", [2, 12, 17, 36, 40])
def test_missing_trailing_fields_have_their_defaults(field_count: int) -> None:
    """A client that leaves out fields at the end is read; one that stops within a field is not."""
    whole = VECTORS["subscription v3"]
    sound, broken = opened(embedded.SUBSCRIPTION, [whole[:field_count], whole[: field_count + 1]])
    assert sound["version"] == 3
    assert sound["generation_id"] == (5 if field_count == 40 else -1)
    assert broken is None


@pytest.mark.parametrize("name", BLOBS)
@settings(max_examples=30, deadline=None)
@given(blobs=st.lists(st.none() | st.binary(max_size=40), max_size=6))
def test_any_bytes_open_to_something_or_null(name: str, blobs: list[bytes | None]) -> None:
    """No bytes raise; a negative version, like anything else that can't be read, is null."""
    assert len(opened(BLOBS[name], blobs)) == len(blobs)
    if BLOBS[name].version_bytes:
        assert opened(BLOBS[name], [b"\xff" * 30, b"\xff"]) == [None, None]


def test_slices_of_a_column_are_opened_like_the_whole() -> None:
    """A column that begins in the middle of its buffers gives the rows of the slice."""
    blobs = pa.array([VECTORS["assignment v0"], None, b"", VECTORS["assignment v1"], b"?"], pa.binary())
    whole = open_assignments(blobs).to_pylist()
    assert open_assignments(blobs.slice(1, 3)).to_pylist() == whole[1:4]
    assert open_assignments(blobs.slice(5)).to_pylist() == []


def test_json_text_stays_text() -> None:
    """Schema Registry's blobs are JSON; what is empty or no UTF-8 is null."""
    assert open_texts(pa.array([b'{"master":true}', None, b"", b"\xff{}"], pa.binary())).to_pylist() == [
        '{"master":true}',
        None,
        None,
        None,
    ]
