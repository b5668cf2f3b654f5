"""Records that are read together say what each says alone: the same values, the same trouble, in the same places."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.layouts.groups.offset_commit import OFFSET_COMMIT
from parsers.layouts.groups.offsets_key import OFFSETS_KEY
from parsers.messages.steps.program import compile_layout
from tests.parsers.encode import encode
from tests.parsers.made_messages import VERSIONED, decoded, name_of, structs

if TYPE_CHECKING:
    from parsers.wire import Layout

UNIFORM: Final = [
    (layout, version)
    for layout, version in VERSIONED
    if not layout.drafts and compile_layout(layout).is_uniform(version)
]


def outcome_of(layout: Layout, versions: int | list[int], messages: list[bytes | None]) -> list[tuple[Any, ...]]:
    """Decode messages together: of each its struct, the reason, where the trouble is, and the bytes left over."""
    result = decoded(layout, versions, messages)
    first = [11 + at for at in _starts(messages)]
    places = [int(at) - start if at else 0 for at, start in zip(result.error_at, first, strict=True)]
    fields = [result.field(row) if code else "" for row, code in enumerate(result.error.tolist())]
    outcome = (result.columns.to_pylist(), result.error.tolist(), places, fields, result.left_over_bytes.tolist())
    return list(zip(*outcome, strict=True))


def _starts(messages: list[bytes | None]) -> list[int]:
    starts, at = [], 0
    for message in messages:
        starts.append(at)
        at += len(message or b"") + 11
    return starts


def mutated(message: bytes, dice: Random) -> bytes:
    """Change a byte or none, and cut the end off now and then."""
    changed = bytearray(message)
    if changed and dice.random() < 0.4:
        changed[dice.randrange(len(changed))] = dice.choice([0, 1, 2, 0x7F, 0x80, 0xFF, dice.randrange(256)])
    return bytes(changed[: dice.randrange(len(changed) + 1)] if dice.random() < 0.2 else changed)


def test_commits_and_their_keys_are_read_together() -> None:
    """The records that logs are full of go the fast way, in every version."""
    assert {version for layout, version in UNIFORM if layout is OFFSET_COMMIT} == set(range(5))
    assert {version for layout, version in UNIFORM if layout is OFFSETS_KEY} == set(range(25))


@pytest.mark.parametrize(("layout", "version"), UNIFORM, ids=name_of)
@settings(max_examples=20, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_together_as_alone(layout: Layout, version: int, data: st.DataObject, seed: int) -> None:
    """Sound, mutated, cut and null messages of one version, many in a row, are read as each one by itself."""
    dice = Random(seed)  # noqa: S311 - no secret
    sound = [encode(layout, version, data.draw(structs(layout.fields_of(version)))) for _ in range(3)]
    messages = [mutated(dice.choice(sound), dice) if dice.random() < 0.95 else None for _ in range(40)]
    alone = [outcome_of(layout, version, [message])[0] for message in messages]
    assert outcome_of(layout, version, messages) == alone


@settings(max_examples=20, deadline=None)
@given(data=st.data(), lengths=st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_runs_of_versions(data: st.DataObject, lengths: list[int]) -> None:
    """Runs of versions, long and short, follow each other in one column."""
    versions = [version for length in lengths for version in [data.draw(st.integers(0, 4))] * length]
    one_of = [
        encode(OFFSET_COMMIT, version, data.draw(structs(OFFSET_COMMIT.fields_of(version)))) for version in range(5)
    ]
    messages: list[bytes | None] = [one_of[version] for version in versions]
    alone = [outcome_of(OFFSET_COMMIT, version, [one_of[version]])[0] for version in versions]
    assert outcome_of(OFFSET_COMMIT, versions, messages) == alone


def test_text_that_is_no_utf8_costs_itself() -> None:
    """One bad text among many good ones is refused, and the others are read."""
    key = {"group_id": "g" * 9, "topic": "t", "partition": 0}
    messages: list[bytes | None] = [encode(OFFSETS_KEY, 1, key)] * 30
    messages[17] = (messages[0] or b"").replace(b"ggg", b"g\xffg", 1)
    result = decoded(OFFSETS_KEY, 1, messages)
    assert [row for row, code in enumerate(result.error.tolist()) if code] == [17]
    assert result.columns.null_count == 1
